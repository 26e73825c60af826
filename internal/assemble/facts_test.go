package assemble

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rollbook/internal/corpustest"
	"rollbook/internal/discover"
	"rollbook/internal/fsx"
	"rollbook/internal/rolltest"
	"rollbook/internal/transcript"
)

// The tests of facts_test.go and lineage_facts_test.go take the facts of
// docs/format/rollout.md in their order. Where another test holds a fact in all
// its parts, it is named here and not repeated.

// F1: a bare file has no times and no folder; where the environment context is
// stored, it is the only place of the folder and no prompt.
func TestF1Bare(t *testing.T) {
	const header = `{"id":"` + lineThread + `","timestamp":"2025-08-01T09:00:00.000Z","instructions":null}`
	const state = `{"record_type":"state"}`
	bare := func(role, kind, text string) string {
		return `{"type":"message","id":null,"role":"` + role + `","content":[{"type":"` + kind + `","text":"` + text + `"}]}`
	}
	context := bare("user", "input_text", `<environment_context>\n<cwd>/home/ada/old</cwd>\n</environment_context>`)
	for _, before := range [][]string{{header, state}, {header, state, context, state}} {
		l, id := lines(t, append(before, bare("user", "input_text", "hi"), state, bare("assistant", "output_text", "hello"))...)
		th, all := events(t, l, id, transcript.Active)
		equal(t, "said", said(all), []string{"u: hi", "a: hello"})
		if want := map[bool]string{true: "/home/ada/old"}[len(before) > 2]; th.Project != want {
			t.Errorf("project %q, want %q", th.Project, want)
		}
		for _, ev := range all {
			if !ev.Time.IsZero() || ev.Kind == transcript.User && ev.Origin != transcript.Recorded {
				t.Errorf("event %d: time %v, origin %s", ev.Seq, ev.Time, ev.Origin)
			}
		}
		if !th.Created.Equal(time.Date(2025, 8, 1, 9, 0, 0, 0, time.UTC)) || th.Title != "hi" {
			t.Errorf("created %v, title %q", th.Created, th.Title)
		}
	}
}

// F2: enveloped files of every age: what a version did not write yet is missing
// from what is told, and nothing else.
func TestF2Enveloped(t *testing.T) {
	for _, v := range []rolltest.Version{rolltest.V36, rolltest.V63, rolltest.V101, rolltest.V140} {
		home := rolltest.NewHome(21)
		r := home.New(v, rolltest.Meta{Cwd: "/home/ada/shop"})
		r.Turn("one").Shell("ls", "x\n", 0).Assistant("Answer to one").TurnComplete()
		r.Resume().Turn("two").Assistant("Answer to two").TurnComplete()
		l, tally := open(t, home)
		th, all := events(t, l, r.ID, transcript.Active)
		equal(t, v.String(), said(all), answers("one", "two"))
		marked := only(all, transcript.TurnStart)[0].Origin == transcript.Recorded
		if th.Project != "/home/ada/shop" || len(th.Versions) != 1 || th.Versions[0] != v.String() || len(th.Models) != 1 ||
			th.Counts.Turns != 2 || marked != (v >= rolltest.V101) || (th.Provider != "") != (v >= rolltest.V63) || th.State != transcript.Complete || tally.Total() != 0 {
			t.Errorf("%s: %+v, marked %v, %v", v, th.Meta, marked, tally.Codes())
		}
	}
}

// F3: paginated files hold the other family of events; and a file that was begun
// by an old version and resumed by newer ones holds all dialects.
func TestF3Dialects(t *testing.T) {
	for _, v := range []rolltest.Version{rolltest.V147, rolltest.V152, rolltest.V156, rolltest.V171} {
		home := rolltest.NewHome(22)
		r := home.New(v, rolltest.Meta{})
		r.Turn("one").Reasoning("thinking").Shell("ls", "x\n", 0).Assistant("Answer to one").TurnComplete()
		l, tally := open(t, home)
		_, all := events(t, l, r.ID, transcript.Active)
		equal(t, v.String(), said(all), answers("one"))
		if len(only(all, transcript.Reasoning)) != 1 || len(only(all, transcript.ToolCall)) != 1 || tally.Total() != 0 {
			t.Errorf("%s: %d summaries, %d calls, %v", v, len(only(all, transcript.Reasoning)), len(only(all, transcript.ToolCall)), tally.Codes())
		}
	}
	home := rolltest.NewHome(23)
	r := home.New(rolltest.V63, rolltest.Meta{})
	say := func(s string) {
		r.Turn(s).Reasoning("about "+s).Shell("ls", "x\n", 0).Assistant("Answer to " + s).TurnComplete()
	}
	say("old")
	r.ContinueAs(rolltest.V140, false)
	say("middle")
	r.ContinueAs(rolltest.V171, true)
	say("new")
	r.ContinueAs(rolltest.V140, false)
	say("old again")
	l, tally := open(t, home)
	th, all := events(t, l, r.ID, transcript.Active)
	equal(t, "mixed", said(all), answers("old", "middle", "new", "old again"))
	if n := len(only(all, transcript.Reasoning)); n != 4 || th.Counts.ToolCalls != 4 || th.Counts.Turns != 4 || tally.Total() != 0 {
		t.Errorf("mixed: %d summaries, %+v, %v", n, th.Counts, tally.Codes())
	}
	for _, ev := range only(all, transcript.ToolResult) {
		if ev.Origin != transcript.Recorded || ev.ExitCode == nil {
			t.Errorf("result %+v", ev)
		}
	}
}

// F10: however it is compressed, a rollout is the same thread; the plain file
// counts where both are there.
func TestF10Compressed(t *testing.T) {
	for _, v := range []rolltest.Version{rolltest.V140, rolltest.V147, rolltest.V171} {
		home := rolltest.NewHome(24)
		r := home.New(v, rolltest.Meta{})
		r.Turn("one").Assistant("Answer to one").TurnComplete()
		r.Compressed, r.Archived = true, v == rolltest.V140
		old := r.Data()
		l, tally := open(t, home)
		th, all := events(t, l, r.ID, transcript.Active)
		equal(t, v.String(), said(all), answers("one"))
		if th.Archived != r.Archived || tally.Total() != 0 {
			t.Errorf("%s: archived %v, %v", v, th.Archived, tally.Codes())
		}
		r.Resume().Turn("two").Assistant("Answer to two").TurnComplete()
		name := r.Path()
		r.Compressed = false
		home.Add(name, old)
		l, _ = open(t, home)
		equal(t, "both forms", texts(t, l, r.ID), answers("one", "two"))
	}
}

// F11: a thread is what it was when it is archived and when it is brought back.
func TestF11Archived(t *testing.T) {
	home := rolltest.NewHome(25)
	r := home.New(rolltest.V171, rolltest.Meta{})
	r.Turn("one").Assistant("Answer to one").TurnComplete()
	for _, archived := range []bool{false, true, false} {
		r.Archived = archived
		l, _ := open(t, home)
		th, all := events(t, l, r.ID, transcript.Active)
		equal(t, "said", said(all), answers("one"))
		if th.Archived != archived || len(l.IDs()) != 1 || strings.HasPrefix(th.Files[0], "archived_sessions/") != archived {
			t.Errorf("archived %v: %v, files %v", archived, th.Archived, th.Files)
		}
	}
}

// F12: history.jsonl tells prompts that were typed, of some threads; it makes no
// thread and no text of one.
func TestF12History(t *testing.T) {
	home := rolltest.NewHome(26)
	r := home.New(rolltest.V140, rolltest.Meta{Source: "exec"})
	r.Turn("one").Assistant("Answer to one").TurnComplete()
	home.Add("history.jsonl", []byte(`{"session_id":"`+r.ID+`","ts":1772442000,"text":"typed only"}`+"\n"+
		`{"session_id":"019cb000-0000-7000-8000-00000000000f","ts":1772442000,"text":"of a thread that is not here"}`+"\n"))
	l, _ := open(t, home)
	if ids := l.IDs(); len(ids) != 1 || ids[0] != r.ID {
		t.Errorf("threads %v", ids)
	}
	equal(t, "said", texts(t, l, r.ID), answers("one"))
}

// F13: the last name counts, be it empty of meaning or repeated; an event names
// a thread that no list names.
func TestF13Names(t *testing.T) {
	home := rolltest.NewHome(27)
	a := home.New(rolltest.V140, rolltest.Meta{})
	a.Turn("prompt").Assistant("x").TurnComplete()
	a.Name("first").Name("second").Name("first")
	b := home.New(rolltest.V140, rolltest.Meta{})
	b.Turn("prompt").Assistant("x")
	for _, name := range []string{"by event", "by a later event"} {
		b.Event(rolltest.O{"type", "thread_name_updated", "thread_id", b.ID, "thread_name", name})
	}
	b.TurnComplete()
	l, _ := open(t, home)
	for id, want := range map[string][2]string{a.ID: {"first", "index"}, b.ID: {"by a later event", "event"}} {
		th, _ := events(t, l, id, transcript.Active)
		if th.Title != want[0] || th.TitleSource != want[1] {
			t.Errorf("title %q from %s, want %v", th.Title, th.TitleSource, want)
		}
	}
}

// F14: the files are the truth. A thread that only the database knows is none;
// one that it does not know, or that is there without any database, is whole.
func TestF14FilesAreTruth(t *testing.T) {
	from := filepath.Join(corpustest.Dir(t), "0.171.0", "fork", "home")
	whole := library(t, from, nil)
	want := make(map[string][]string)
	for _, id := range whole.IDs() {
		want[id] = texts(t, whole, id)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"thread_history_1.sqlite", "state_5.sqlite"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		l, tally := openDir(t, dir)
		for id, said := range want {
			equal(t, "without "+name, texts(t, l, id), said)
		}
		if len(l.IDs()) != len(want) || len(want) < 3 || tally.Total() != 0 {
			t.Errorf("without %s: %d threads of %d, %v", name, len(l.IDs()), len(want), tally.Codes())
		}
	}
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	last := whole.IDs()[len(want)-1]
	for _, ref := range whole.Refs(last) {
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(ref.Path))); err != nil {
			t.Fatal(err)
		}
	}
	if l, _ := openDir(t, dir); len(l.IDs()) != len(want)-1 || len(l.Find(last)) != 0 {
		t.Errorf("%d threads, and %s is found %d times", len(l.IDs()), last, len(l.Find(last)))
	}
}

// F23: every code point that JSON can spell comes through as it is.
func TestF23Strings(t *testing.T) {
	odd := "NUL \x00 bell \a escape \x1b[31m del \x7f NEL \u0085 LS \u2028 PS \u2029 BOM \ufeff none \ufffd joined \U0001f469\u200d\U0001f680 rtl \u202e\u05d0 cr \r\n tab \t quote \" back \\ end"
	for _, v := range rolltest.Versions {
		home := rolltest.NewHome(28)
		r := home.New(v, rolltest.Meta{})
		r.Turn(odd).Shell("printf", odd, 0).Assistant(odd).TurnComplete()
		l, tally := open(t, home)
		_, all := events(t, l, r.ID, transcript.Active)
		equal(t, v.String(), said(all), []string{"u: " + odd, "a: " + odd})
		if out := only(all, transcript.ToolResult); len(out) != 1 || !strings.Contains(out[0].Output, odd) || tally.Total() != 0 {
			t.Errorf("%s: outputs %+v, %v", v, out, tally.Codes())
		}
	}
}

// F24: the folder of a thread is the path of its header, whatever addresses
// stand in its items.
func TestF24Folder(t *testing.T) {
	l, id := lines(t, meta(""), started("t"), userEvent("hi"),
		shownItem("t", `"type":"CommandExecution","id":"c","command":["ls"],"cwd":"file:///home/ada/other","status":"completed","aggregated_output":"x","exit_code":0`),
		shownItem("t", `"type":"ImageView","id":"d","path":"file:///home/ada/other/a%20b.png"`), completed("t"))
	th, all := events(t, l, id, transcript.Active)
	if th.Project != "/home/ada/work" {
		t.Errorf("project %q", th.Project)
	}
	checkPairs(t, all)
	if calls := only(all, transcript.ToolCall); len(calls) != 2 || calls[1].Arguments != "file:///home/ada/other/a%20b.png" {
		t.Errorf("calls %+v", calls)
	}
}

// opened notes which files a library opens.
type opened struct {
	home  *discover.Home
	names map[string]bool
}

func (o opened) Open(ref discover.Ref) (fsx.File, error) {
	o.names[ref.Path] = true
	return o.home.Open(ref)
}

// F25: reading threads opens rollouts and nothing else. That finding them does
// so too is held by package discover.
func TestF25OnlyRollouts(t *testing.T) {
	home := rolltest.NewHome(29)
	r := home.New(rolltest.V171, rolltest.Meta{})
	r.Turn("one").Assistant("Answer to one").TurnComplete()
	for _, name := range []string{"auth.json", "config.toml", ".env", "credentials.json", "sessions/auth.json", "archived_sessions/.env"} {
		home.Add(name, []byte("SECRET"))
	}
	h, err := discover.Open(home.Temp(t))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	tally, names := new(diagnostics), make(map[string]bool)
	refs, err := h.Refs(t.Context(), tally.add)
	if err != nil {
		t.Fatal(err)
	}
	l := New(opened{h, names}, refs, nil, tally.add)
	for _, view := range []transcript.View{transcript.Active, transcript.Physical, transcript.Model} {
		_, all := events(t, l, r.ID, view)
		if strings.Contains(fmt.Sprint(all), "SECRET") {
			t.Errorf("%s view holds what is secret", view)
		}
	}
	if len(names) != 1 || !names[r.Path()] || len(tally.all) != 0 {
		t.Errorf("opened %v, %v", names, tally.all)
	}
}
