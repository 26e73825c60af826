package discover

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rollbook/internal/diag"
	"rollbook/internal/rolltest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

// The tests here are named for the rows of spec/cases.tsv that concern finding.

var packer = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderCRC(false), zstd.WithEncoderConcurrency(1))
})

func compressed(t testing.TB, text string) []byte {
	t.Helper()
	w, err := packer()
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll([]byte(text), nil)
}

func day(hour, minute, second int, milli int) time.Time {
	return time.Date(2026, 3, 2, hour, minute, second, milli*1e6, time.UTC)
}

// database makes a state database of the newest shape with some rows
// (id, title, name, first user message).
func database(t *testing.T, dir string, rows ...[4]string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "state_5.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE threads (id TEXT PRIMARY KEY, rollout_path TEXT, title TEXT, name TEXT, first_user_message TEXT, archived INTEGER)"); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if _, err := db.Exec("INSERT INTO threads VALUES (?, '/h/x.jsonl', ?, nullif(?, ''), ?, 1)", r[0], r[1], r[2], r[3]); err != nil {
			t.Fatal(err)
		}
	}
}

// C11: a name that a person gave is used, from the database or the index, and a
// title that is only the first prompt is told apart from it.
func TestC11Titles(t *testing.T) {
	index := ""
	for _, r := range [][2]string{{"indexed", "old"}, {"indexed", "from the index"}, {"both", "in the index"}, {"prompted", "by hand"}, {"auto", "the prompt"}, {"only", "no row"}} {
		index += fmt.Sprintf(`{"id":%q,"thread_name":%q,"updated_at":"2026-03-02T09:00:00Z"}`+"\n", r[0], r[1])
	}
	dir := files{"sessions/": "", "session_index.jsonl": index + "broken\n"}.write(t)
	database(t, dir, [4]string{"named", "the prompt", "by hand", "the prompt"}, [4]string{"both", "the prompt", "in the database", "the prompt"},
		[4]string{"indexed", "the prompt", "", "the prompt"}, [4]string{"prompted", "the prompt", "the prompt", "the prompt"},
		[4]string{"auto", "an older name", "", "the prompt"}, [4]string{"plain", "the prompt", "", "the prompt"}, [4]string{"none", "", "", ""})
	var found []string
	k, err := open(t, dir).Known(context.Background(), func(d diag.Diagnostic) { found = append(found, d.String()) })
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Title{
		"named":    {"by hand", FromStateDB, false},
		"both":     {"in the database", FromStateDB, false},
		"indexed":  {"from the index", FromIndex, false},
		"prompted": {"by hand", FromIndex, false},
		"auto":     {"an older name", FromStateDB, false},
		"plain":    {"the prompt", FromStateDB, true},
		"only":     {"no row", FromIndex, false},
	}
	if d := cmp.Diff(want, k.Titles); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"session_index.jsonl:7: invalid_json"}, found); d != "" {
		t.Error(d)
	}
	if row := k.State.Threads["named"]; !row.Archived || row.RolloutPath != "/h/x.jsonl" {
		t.Errorf("%+v", row)
	}
}

// C12 to C14, as far as finding goes: the first session_meta owns the file, and
// whose lines are copied is known, with forked_from_id and without.
func TestC13ForkOwner(t *testing.T) {
	for _, v := range []rolltest.Version{rolltest.V36, rolltest.V63, rolltest.V101, rolltest.V140} {
		home := rolltest.NewHome(1)
		root := home.New(v, rolltest.Meta{})
		root.Turn("one").Assistant("1").TurnComplete()
		fork := root.Fork(rolltest.All)
		fork.Turn("two").Assistant("2").TurnComplete()
		again := fork.Fork(rolltest.All)
		again.Turn("three").Assistant("3").TurnComplete()
		_, l := list(t, home.Temp(t))
		got := map[string][2]string{}
		for _, ref := range l.Refs {
			got[ref.ID] = [2]string{ref.ForkedFrom, ref.CopiedFrom}
		}
		want := map[string][2]string{root.ID: {}, fork.ID: {root.ID, root.ID}, again.ID: {fork.ID, fork.ID}}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%v: %s", v, d)
		}
	}
}

// Two threads in one file are no fork: the second session_meta of a copy stands
// right behind the first.
func TestC13Concatenated(t *testing.T) {
	r := one(t, files{"sessions/" + fileName(idA): rolloutText(idA) + rolloutText(idB)})
	if r.ID != idA || r.CopiedFrom != idB || r.ForkedFrom != "" || r.MetaCount != 2 {
		t.Errorf("%+v", r)
	}
}

// C18, C43: the fields that Codex writes tell lineage, and a fork by a person is
// no sub-agent.
func TestC18Lineage(t *testing.T) {
	home := rolltest.NewHome(1)
	root := home.New(rolltest.V171, rolltest.Meta{})
	root.Turn("one").Assistant("1").TurnComplete()
	fork := root.Fork(rolltest.All)
	fork.Turn("two").Assistant("2").TurnComplete()
	root.Turn("ask another")
	child := root.SpawnWithHistory("Volta", "count")
	child.Assistant("1, 2").TurnComplete()
	_, l := list(t, home.Temp(t))
	got := map[string]Ref{}
	for _, ref := range l.Refs {
		got[ref.ID] = ref
	}
	if r := got[fork.ID]; r.ForkedFrom != root.ID || r.ParentID != "" || r.Subagent() || r.ForkOrdinal == nil || r.Base == nil || r.Base.ThreadID != root.ID ||
		r.Base.EndOrdinal != *r.ForkOrdinal || r.Base.EndByte <= 0 || r.SubagentStart != nil {
		t.Errorf("fork: %+v", r)
	}
	if r := got[child.ID]; r.ParentID != root.ID || r.SessionID != root.ID || r.Source != "subagent:thread_spawn" || r.Depth != 1 || r.AgentNickname != "Volta" ||
		r.ThreadSource != "subagent" || r.SubagentStart == nil || *r.SubagentStart <= 0 || r.CopiedFrom != root.ID || r.ForkedFrom != "" {
		t.Errorf("child: %+v", r)
	}
}

// C32: a rollout that was archived is the same thread and file.
func TestC32Archived(t *testing.T) {
	a := one(t, files{"sessions/2026/03/02/" + fileName(idA): rolloutText(idA)})
	b := one(t, files{"archived_sessions/" + fileName(idA): rolloutText(idA, `{"timestamp":"2026-03-02T09:00:08Z","type":"event_msg","payload":{"type":"token_count","info":null}}`)})
	if a.ID != b.ID || a.FileID() != b.FileID() || a.Archived || !b.Archived {
		t.Errorf("%+v, %+v", a, b)
	}
}

// C33, C34: see TestKinds and TestDuplicates.

// C35, C36: compressed rollouts are found and read, whatever shape of frame.
func TestC35Compressed(t *testing.T) {
	for _, v := range []rolltest.Version{rolltest.V140, rolltest.V171} {
		home := rolltest.NewHome(1)
		r := home.New(v, rolltest.Meta{})
		r.Turn("one").Assistant("1").TurnComplete()
		r.Compressed = true
		_, l := list(t, home.Temp(t))
		if len(l.Refs) != 1 || l.Refs[0].ID != r.ID || !l.Refs[0].Compressed || !l.Refs[0].Last.Equal(lastTimeOf(t, r.Bytes())) {
			t.Errorf("%v: %+v", v, l.Refs)
		}
	}
}

func lastTimeOf(t *testing.T, text []byte) time.Time {
	t.Helper()
	rest := text[bytes.LastIndex(text, []byte(`{"timestamp":"`))+len(`{"timestamp":"`):]
	at, err := time.Parse(time.RFC3339, string(rest[:bytes.IndexByte(rest, '"')]))
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// C36, C39: a damaged frame is reported; what was read before it stays, and the
// name stands in for the rest.
func TestC36DamagedFrame(t *testing.T) {
	var filler []string
	for i := range 2000 {
		filler = append(filler, fmt.Sprintf(`{"timestamp":"2026-03-02T09:%02d:%02dZ","type":"event_msg","payload":{"type":"agent_message","message":"%x"}}`, i/60%60, i%60, i*i*7919))
	}
	whole := compressed(t, rolloutText(idA, filler...))
	name := "sessions/" + fileName(idA) + ".zst"
	half := one(t, files{name: string(whole[:len(whole)-9])}, "damaged_compression")
	if half.ID != idA || half.Cwd != "/w" || half.Last.IsZero() || half.FirstLineProblem != "" {
		t.Errorf("%+v", half)
	}
	none := one(t, files{name: string(whole[:9])}, "no_session_meta", "damaged_compression")
	if none.ID != idA || none.FirstLineProblem != ProblemUnreadable || !none.Created.Equal(day(10, 0, 0, 0)) || none.Last.IsZero() {
		t.Errorf("%+v", none)
	}
}

// C37: the bytes decide whether a file is compressed, not its name.
func TestC37Magic(t *testing.T) {
	r := one(t, files{"sessions/" + fileName(idA): string(compressed(t, rolloutText(idA)))})
	if r.ID != idA || !r.Compressed || !r.Last.Equal(day(9, 0, 9, 0)) {
		t.Errorf("%+v", r)
	}
	r = one(t, files{"sessions/" + fileName(idA) + ".zst": rolloutText(idA)})
	if r.ID != idA || r.Compressed || !r.Last.Equal(day(9, 0, 9, 0)) {
		t.Errorf("%+v", r)
	}
}

// C38: a bad byte hides neither a thread nor its id, but is named as what keeps
// Codex from loading the file.
func TestC38BadByte(t *testing.T) {
	name := "sessions/" + fileName(idB)
	r := one(t, files{name: rolloutText(idA, "{\"timestamp\":\"2026-03-02T09:00:02Z\",\"type\":\"event_msg\",\"payload\":{\"type\":\"agent_message\",\"message\":\"\xe6\x87\"}}")}, "invalid_utf8")
	if r.ID != idA || r.FirstLineProblem != ProblemText || r.MetaLine != 1 {
		t.Errorf("%+v", r)
	}
	r = one(t, files{name: strings.Replace(rolloutText(idA), "/w", "/w\xe6\x87", 1)}, "invalid_utf8")
	if r.ID != idA || r.Cwd != "/w\ufffd" || r.FirstLineProblem != ProblemText {
		t.Errorf("%+v", r)
	}
	r = one(t, files{name: "\ufeff" + rolloutText(idA)}, "byte_order_mark")
	if r.ID != idA || r.FirstLineProblem != ProblemText || !r.First.Equal(day(9, 0, 1, 500)) {
		t.Errorf("%+v", r)
	}
}

// C39: where the first line is broken, id and time come from the name, and what
// parses is kept. A session_meta behind it owns the file only if the name does
// not say otherwise: it may be a copied one.
func TestC39FirstLineBroken(t *testing.T) {
	name := "sessions/" + fileName(idA)
	rest := strings.SplitAfterN(rolloutText(idA), "\n", 2)[1]
	for broken, text := range map[string]string{
		"cut":            `{"timestamp":"2026-03-02T09:00:00Z","type":"session_meta","payload":{"id":"` + "\n" + rest,
		"no JSON":        "nonsense\n" + rest,
		"no object":      "[]\n" + rest,
		"no payload":     `{"timestamp":"2026-03-02T09:00:00Z","type":"session_meta"}` + "\n" + rest,
		"payload null":   `{"timestamp":"2026-03-02T09:00:00Z","type":"session_meta","payload":null}` + "\n" + rest,
		"garbage within": `{"timestamp":"2026-03-02T09:00:00Z","type":"event_msg","payload":{"type":"user_message",}}` + "\n" + rest,
		"broken escape":  `{"timestamp":"2026-03-02T09:00:00Z","type":"session_meta\u12","payload":{}}` + "\n" + rest,
	} {
		r := one(t, files{name: text}, "no_session_meta", "first_line_unreadable")
		if r.ID != idA || !r.Created.Equal(day(9, 0, 0, 0)) && !r.Created.Equal(day(9, 0, 9, 0)) || !r.Last.Equal(day(9, 0, 9, 0)) || r.FirstLineProblem != ProblemUnreadable || r.MetaLine != 0 {
			t.Errorf("%s: %+v", broken, r)
		}
	}
	r := one(t, files{name: "nonsense\n" + rolloutText(idA)}, "first_line_unreadable")
	if r.ID != idA || r.MetaLine != 2 || r.Cwd != "/w" {
		t.Errorf("%+v", r)
	}
	r = one(t, files{name: "nonsense\n" + rolloutText(idB)}, "no_session_meta", "first_line_unreadable")
	if r.ID != idA || r.CopiedFrom != idB || r.Cwd != "" || r.MetaCount != 1 {
		t.Errorf("%+v", r)
	}
	r = one(t, files{name: "\n \r\n" + rolloutText(idB)})
	if r.ID != idB || r.MetaLine != 3 {
		t.Errorf("%+v", r)
	}
	r = one(t, files{"sessions/rollout-x.jsonl": ""}, "no_session_meta")
	if r.ID != "x" || r.FirstLineProblem != ProblemNoMeta {
		t.Errorf("%+v", r)
	}
}

// C40: files of the bare era are rollouts; their header tells id and time, and
// from 0.29 on the environment context the folder.
func TestC40Bare(t *testing.T) {
	header := `{"id":"` + idA + `","timestamp":"2026-03-02T09:00:00.250Z","instructions":null}` + "\n"
	state := `{"record_type":"state"}` + "\n"
	context := `{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\n  <cwd>/home/ada/shop</cwd>\n</environment_context>"}]}` + "\n"
	old := `{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\nCurrent working directory: /home/ada/old\nApproval policy: never\n</environment_context>"}]}` + "\n"
	for text, cwd := range map[string]string{header: "", header + state + state: "", header + state + context + state: "/home/ada/shop", header + old: "/home/ada/old"} {
		for _, name := range []string{"sessions/" + fileName(idB), "x.jsonl"} {
			r := one(t, files{name: text})
			if r.ID != idA || !r.Bare || r.MetaLine != 1 || r.Cwd != cwd || !r.Created.Equal(day(9, 0, 0, 250)) || !r.Last.Equal(r.Created) || r.Source != "unknown" || r.FirstLineProblem != "" {
				t.Errorf("%s: %+v", name, r)
			}
		}
	}
	r := one(t, files{"sessions/" + fileName(idA): "broken\n" + state + context}, "last_time_unknown", "no_session_meta", "first_line_unreadable")
	if r.ID != idA || r.Cwd != "/home/ada/shop" || !r.Last.Equal(day(10, 0, 0, 0)) {
		t.Errorf("%+v", r)
	}
}

// C41: see TestUnusualFiles.

// C42, C43: lines of any length in head and tail; what is longer than the head
// is reported, and the file still found.
func TestC42LongLines(t *testing.T) {
	name := "sessions/" + fileName(idA)
	long := func(n int, at string) string {
		return `{"timestamp":"2026-03-02T09:00:0` + at + `Z","type":"event_msg","payload":{"type":"agent_message","message":"` + strings.Repeat("x", n) + `"}}`
	}
	meta := strings.SplitAfterN(rolloutText(idA), "\n", 2)[0]
	for _, n := range []int{100, tailRead - 200, tailRead, 200_000, tailLine + 5000, 3 << 20, 20 << 20} {
		r := one(t, files{name: meta + long(n, "5") + "\n"})
		if r.ID != idA || !r.Last.Equal(day(9, 0, 5, 0)) {
			t.Errorf("last line of %d: %v", n, r.Last)
		}
		r = one(t, files{name: meta + long(10, "4") + "\n" + long(n, "5")})
		if want := day(9, 0, 5, 0); !r.Last.Equal(want) && n <= tailLine || !r.Last.Equal(day(9, 0, 4, 0)) && n > tailLine {
			t.Errorf("last line of %d without a line feed: %v", n, r.Last)
		}
		r = one(t, files{name: meta + long(10, "4") + "\n" + long(n, "5")[:n]})
		if want := day(9, 0, 4, 0); !r.Last.Equal(want) {
			t.Errorf("cut line of %d: %v", n, r.Last)
		}
	}
	big := strings.Replace(meta, `"cwd"`, `"base_instructions":{"text":"`+strings.Repeat("x", 1<<20)+`"},"cwd"`, 1)
	if r := one(t, files{name: big + long(10, "5") + "\n"}); r.ID != idA || r.Cwd != "/w" {
		t.Errorf("%+v", r)
	}
	huge := strings.Replace(meta, `"cwd"`, `"base_instructions":{"text":"`+strings.Repeat("x", headMost)+`"},"cwd"`, 1)
	if r := one(t, files{name: huge + long(10, "5") + "\n"}, "no_session_meta", "first_line_unreadable"); r.ID != idA || r.Cwd != "" || !r.Last.Equal(day(9, 0, 5, 0)) {
		t.Errorf("%+v", r)
	}
	if r := one(t, files{name: string(compressed(t, huge+long(10, "5")+"\n"))}, "no_session_meta", "first_line_unreadable"); r.ID != idA || !r.Last.Equal(day(9, 0, 5, 0)) {
		t.Errorf("%+v", r)
	}
}

// C50, C51, C52: segments of one thread have its id and one of their own, each
// with its base; a damaged one is still a file of the thread.
func TestC52Segments(t *testing.T) {
	home := rolltest.NewHome(1)
	r := home.New(rolltest.V171, rolltest.Meta{})
	r.Turn("one").Assistant("1").TurnComplete()
	r.Turn("two").Assistant("2").TurnComplete()
	s := r.Revert(1)
	s.Turn("three").Assistant("3").TurnComplete()
	u := s.Revert(2)
	u.Turn("four").Assistant("4").TurnComplete()
	dir := home.Temp(t)
	_, l := list(t, dir)
	got := map[string]Ref{}
	for _, ref := range l.Refs {
		if ref.ID != r.ID {
			t.Errorf("%s: id %s", ref.Path, ref.ID)
		}
		got[ref.FileID()] = ref
	}
	if got[r.ID].Base != nil || got[s.Segment].Base.ThreadID != r.ID || got[u.Segment].Base.ThreadID != s.Segment {
		t.Errorf("%+v", got)
	}
	damaged := files{}
	for _, f := range home.Files() {
		text := string(f.Data)
		if strings.Contains(f.Path, s.Segment) {
			text = text[20:]
		}
		damaged[f.Path] = text
	}
	refs, found := see(t, open(t, damaged.write(t)))
	if len(refs) != 3 || cmp.Diff([]string{s.Path() + " no_session_meta", s.Path() + ":1 first_line_unreadable"}, found) != "" {
		t.Errorf("%v, %v", refs, found)
	}
	for _, ref := range refs {
		if !strings.HasSuffix(ref, " "+r.ID) {
			t.Errorf("%s", ref)
		}
	}
}

// A base that does not say where it is is still a base.
func TestBrokenBase(t *testing.T) {
	for base, want := range map[string]*Base{
		`null`: nil,
		`{}`:   {"", -1, -1},
		`7`:    {"", -1, -1},
		`{"thread_id":"x","end_ordinal_exclusive":3}`:                          {"x", 3, -1},
		`{"thread_id":"x","end_ordinal_exclusive":-3,"end_byte_offset":"9"}`:   {"x", -1, -1},
		`{"thread_id":["x"],"end_ordinal_exclusive":1,"end_byte_offset":2e99}`: {"", 1, -1},
		`{"thread_id":"x","end_ordinal_exclusive":0,"end_byte_offset":0}`:      {"x", 0, 0},
	} {
		var codes []string
		if want != nil && (want.ThreadID == "" || want.EndByte < 0) {
			codes = []string{"invalid_metadata"}
		}
		r := one(t, files{"sessions/" + fileName(idA): strings.Replace(rolloutText(idA), `"cwd"`, `"history_base":`+base+`,"cwd"`, 1)}, codes...)
		if d := cmp.Diff(want, r.Base); d != "" {
			t.Errorf("%s: %s", base, d)
		}
	}
}

// C55, C58: children are known by their own id and their structured source.
func TestC55Children(t *testing.T) {
	home := rolltest.NewHome(1)
	root := home.New(rolltest.V171, rolltest.Meta{})
	root.Turn("one")
	want := map[string]string{}
	for _, name := range []string{"Ada", "Bob", "Cy", "Di"} {
		c := root.Spawn(name, "count")
		c.Assistant("1").TurnComplete()
		want[c.ID] = root.ID + " " + name
	}
	_, l := list(t, home.Temp(t))
	agents := map[string]string{}
	for _, ref := range l.Refs {
		if ref.Subagent() {
			agents[ref.ID] = ref.ParentID + " " + ref.AgentNickname
		}
	}
	if d := cmp.Diff(want, agents); d != "" {
		t.Error(d)
	}
}

// C56: an internal thread is known by its source, however short it is.
func TestC56Guardian(t *testing.T) {
	text := strings.Replace(rolloutText(idA), `"exec"`, `{"subagent":{"other":"guardian"}}`, 1)
	if r := one(t, files{"sessions/" + fileName(idA): text}); r.Source != "subagent:other:guardian" || !r.Subagent() || r.ParentID != "" {
		t.Errorf("%+v", r)
	}
}

// C61: files of other programs are kept, with what they say of themselves.
func TestC61ForeignOriginator(t *testing.T) {
	text := strings.NewReplacer("codex_exec", "other-tool", `"openai"`, `"ollama-launch"`, `,"source":"exec"`, "", `"cli_version":"0.140.0"`, `"cli_version":7`).Replace(rolloutText(idA))
	r := one(t, files{"sessions/deep/er/" + fileName(idA): text}, "invalid_metadata")
	if r.Originator != "other-tool" || r.Provider != "ollama-launch" || r.Source != "unknown" || r.Version != "" {
		t.Errorf("%+v", r)
	}
}

// C63: see TestParseName. A name without any id gives its own words.
// C64, C65: see TestProjectKey.

// C66: the folder is the first one recorded; later metas only add.
func TestC66FirstCwd(t *testing.T) {
	again := strings.NewReplacer("/w", "/W", `"exec"`, `"cli"`, `"cli_version"`, `"history_mode":"legacy","cli_version"`).Replace(strings.SplitAfterN(rolloutText(idA), "\n", 2)[0])
	r := one(t, files{"sessions/" + fileName(idA): rolloutText(idA, strings.TrimSpace(again), `{"timestamp":"2026-03-02T09:00:02Z","type":"turn_context","payload":{"cwd":"/x"}}`)})
	if r.Cwd != "/w" || r.Source != "exec" || r.HistoryMode != "legacy" || r.MetaCount != 2 || r.CopiedFrom != "" || r.ForkedFrom != "" {
		t.Errorf("%+v", r)
	}
	r = one(t, files{"sessions/" + fileName(idA): strings.Replace(rolloutText(idA, `{"timestamp":"2026-03-02T09:00:02Z","type":"turn_context","payload":{"cwd":"/x"}}`), `"cwd":"/w",`, "", 1)})
	if r.Cwd != "/x" {
		t.Errorf("%+v", r)
	}
}

// Texts that are absurdly long are not kept.
func TestLongMetadata(t *testing.T) {
	text := strings.Replace(rolloutText(strings.Repeat("i", 300)), "/w", "/"+strings.Repeat("w", maxText), 1)
	if r := one(t, files{"sessions/" + fileName(idA): text}, "invalid_metadata", "invalid_metadata"); r.ID != idA || r.Cwd != "" {
		t.Errorf("%+v", r)
	}
}

// A record may have its time behind the payload.
func TestTimeBehindPayload(t *testing.T) {
	text := rolloutText(idA) + `{"type":"event_msg","payload":{"type":"agent_message","message":"` + strings.Repeat("x", 5000) + `"},"timestamp":"2026-03-02T09:00:59Z"}` + "\n"
	for _, name := range []string{"a.jsonl", "a.jsonl.zst"} {
		if strings.HasSuffix(name, ".zst") {
			text = string(compressed(t, text))
		}
		if r := one(t, files{name: text}); !r.Last.Equal(day(9, 0, 59, 0)) {
			t.Errorf("%s: %v", name, r.Last)
		}
	}
}
