package bundle

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/fsx"
	"rollbook/internal/inspect"
)

// losses is a rollout of which the report cannot give everything.
const losses = `{"timestamp":"2026-09-24T12:00:00Z","type":"session_meta","payload":{"id":"s","cwd":"/synthetic/project"}}
{"timestamp":"2026-09-24T12:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"ask"}]}}
{"timestamp":"2026-09-24T12:00:02Z","type":"event_msg","payload":{"type":"user_message","message":"ask"}}
{"timestamp":"2026-09-24T12:00:03Z","type":"compacted","payload":{"message":"summary","replacement_history":["NOT-REPLAYED"]}}
`

// E1, B1, B2, B5: what is written is what was previewed, every event of the
// report is a line, and the bundle verifies.
func TestBasic(t *testing.T) {
	name := rolloutFile(t, basic)
	before := tree(t, name)
	p := prepare(t, optionsFor(name))
	seen := preview(t, p)
	dir := write(t, p)
	files := tree(t, dir)
	for name, want := range map[string]string{HandoffName: seen.Handoff, HistoryName: seen.History} {
		if files[name] != "-rw------- "+want {
			t.Errorf("%s is %q, previewed was %q", name, files[name], want)
		}
	}
	if len(files) != 4 || !strings.HasPrefix(files["."], "drwx------") {
		t.Errorf("the bundle holds %v", files)
	}
	if p.Partial || !p.Clean() || len(seen.Findings) > 0 || seen.Code != nil {
		t.Errorf("preview: %+v", seen)
	}
	m := mustVerify(t, dir).Manifest
	if m.FormatVersion != 1 || m.Source.Agent != "codex" || *m.Source.Version != "synthetic" || *m.Source.SessionID != "synthetic-session" ||
		m.CodeState != CodeUnknown || m.Project != (Project{}) || m.CreatedAt != "2026-09-24T12:00:00.000+00:00" {
		t.Errorf("manifest %+v", m)
	}
	if got, want := seen.History, historyOf(t, basic); got != want {
		t.Errorf("history\n%s\nwant the events of the report\n%s", got, want)
	}
	for _, secret := range []string{"/synthetic/project", name} {
		if strings.Contains(seen.History+seen.Handoff+string(seen.Manifest), secret) {
			t.Errorf("the bundle holds %q", secret)
		}
	}
	wantError(t, p.Write(t.Context(), fsx.OS, dir), "file already exists")
	if after := tree(t, name); after["."] != before["."] {
		t.Error("the rollout was changed")
	}
}

// historyOf gives the events of the report as lines.
func historyOf(t *testing.T, text string) string {
	t.Helper()
	src, err := inspect.OpenStream(strings.NewReader(text), "rollout", inspect.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	var lines eventLines
	if _, err := inspect.Run(context.Background(), src, &lines); err != nil {
		t.Fatal(err)
	}
	return lines.b.String()
}

type eventLines struct {
	b strings.Builder
	n int
}

func (l *eventLines) Record(*inspect.Record) error         { return nil }
func (l *eventLines) Diagnostic(*inspect.Diagnostic) error { return nil }
func (l *eventLines) Event(e *inspect.Event) error {
	l.n++
	l.b.Write(append(inspect.AppendEvent(nil, l.n, e), '\n'))
	return nil
}

// E2: the events of an excluded line are gone, the others numbered anew.
func TestExcludeLine(t *testing.T) {
	o := optionsFor(rolloutFile(t, basic))
	o.Exclude.Lines = []Range{{3, 3}}
	seen := preview(t, prepare(t, o))
	lines := strings.Split(strings.TrimSpace(seen.History), "\n")
	if len(lines) != 4 {
		t.Fatalf("history %q", seen.History)
	}
	for i, line := range lines {
		if want := fmt.Sprintf(`{"sequence":%d,`, i+1); !strings.HasPrefix(line, want) || !strings.Contains(line, fmt.Sprintf(`"source":{"line":%d,`, i+4)) {
			t.Errorf("line %d of the history is %s", i+1, line)
		}
	}
	for _, want := range []string{"None retained", "Excluded: 1 event (line 3)", "excluded\\_line (line 3, block n/a)"} {
		if !strings.Contains(seen.Handoff, want) {
			t.Errorf("HANDOFF.md does not hold %q", want)
		}
	}
	if !strings.Contains(string(seen.Manifest), `"excluded_line (line 3, block n/a)"`) {
		t.Errorf("manifest %s", seen.Manifest)
	}
}

// E2: what the reader lost stays said, whatever is excluded.
func TestExcludeKeepsLosses(t *testing.T) {
	o := optionsFor(rolloutFile(t, losses))
	o.Exclude.Lines = []Range{{2, 2}}
	p := prepare(t, o)
	seen := preview(t, p)
	if !seen.Partial || !slices.Contains(p.Manifest.Omissions, "omitted_event_msg (line 3, block n/a)") {
		t.Errorf("partial %t, omissions %q", seen.Partial, p.Manifest.Omissions)
	}
	if !strings.Contains(seen.Handoff, "omitted\\_event\\_msg (line 3)") || !strings.Contains(seen.Handoff, "It is partial") {
		t.Errorf("HANDOFF.md\n%s", seen.Handoff)
	}
	if strings.Contains(seen.History, "NOT-REPLAYED") {
		t.Error("replaced history is in the bundle")
	}
}

// E3: nothing but a person's own words is a request.
func TestNoRequest(t *testing.T) {
	for name, text := range map[string]string{
		"developer":   say("developer", "do this"),
		"system":      say("system", "do this"),
		"assistant":   say("assistant", "do this"),
		"injected":    say("user", "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>"),
		"blank":       say("user", " \n"),
		"tool result": `{"timestamp":"2026-09-24T12:00:00Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"do this"}}` + "\n",
		"checkpoint":  `{"timestamp":"2026-09-24T12:00:00Z","type":"compacted","payload":{"message":"do this"}}` + "\n",
	} {
		p := prepareText(t, meta("s")+text)
		if !strings.Contains(string(p.Handoff), "None retained") {
			t.Errorf("%s: HANDOFF.md\n%s", name, p.Handoff)
		}
	}
	p := prepareText(t, meta("s")+`{"timestamp":"2026-09-24T12:00:00Z","type":"compacted","payload":{"message":"kept"}}`+"\n")
	if seen := preview(t, p); !strings.Contains(seen.History, `"provenance":"checkpoint"`) || !strings.Contains(seen.Handoff, "checkpoint of the system, checkpoint, line 2") {
		t.Errorf("checkpoint: %s\n%s", seen.History, seen.Handoff)
	}
}

// The first request is the first that a person typed, and those after it are
// named, the newest where there are many.
func TestRequests(t *testing.T) {
	text := meta("s") + say("user", "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>be nice</INSTRUCTIONS>")
	for i := range 30 {
		text += say("user", fmt.Sprintf("request %d\nwith more", i))
	}
	handoff := string(prepareText(t, text).Handoff)
	for _, want := range []string{"The first retained human request, line 3 of the rollout, block 1:\n\n```text\nrequest 0\n", "(14 requests before these", "- line 32: request 29…\n"} {
		if !strings.Contains(handoff, want) {
			t.Errorf("no %q in\n%s", want, handoff)
		}
	}
}

// E4, E5: what cannot be a bundle is refused before anything is written.
func TestPrepareRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		exclude    Exclude
		word       string
	}{
		{"empty", "", Exclude{}, "no event is left"},
		{"metadata only", meta("s"), Exclude{}, "no event is left"},
		{"all excluded", basic, Exclude{Lines: []Range{{3, 7}}}, "no event is left"},
		{"a line without an event", basic, Exclude{Lines: []Range{{1, 1}}}, "no event stands in line 1"},
		{"a range without an event", basic, Exclude{Lines: []Range{{8, 90}}}, "no event stands in lines 8-90"},
		{"a role that nobody has", basic, Exclude{Roles: []inspect.Role{inspect.System}}, "no event has the role system"},
		{"a tool that nobody called", basic, Exclude{Tools: []string{"shel"}}, `no event is of the tool "shel"`},
		{"two threads", meta("a") + say("user", "x") + meta("b") + say("user", "y"), Exclude{}, "several threads"},
	} {
		o := optionsFor(rolloutFile(t, tt.text))
		o.Exclude = tt.exclude
		_, err := Prepare(t.Context(), fsx.OS, o)
		if err == nil || !strings.Contains(err.Error(), tt.word) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.word)
		}
	}
}

// E4: ids of excluded events do not count; E5: events without one do not either.
func TestThreadsOfKeptEvents(t *testing.T) {
	o := optionsFor(rolloutFile(t, meta("a")+say("user", "x")+meta("b")+say("user", "y")))
	o.Exclude.Lines = []Range{{2, 2}}
	if id := prepare(t, o).Manifest.Source.SessionID; id == nil || *id != "b" {
		t.Errorf("session id %v", id)
	}
	version := func(v string) string {
		return `{"timestamp":"2026-09-24T12:00:00Z","type":"session_meta","payload":{"cli_version":"` + v + `"}}` + "\n"
	}
	p := prepareText(t, version("1")+version("2")+say("user", "x"))
	seen := preview(t, p)
	if p.Manifest.Source.Version != nil || p.Manifest.Source.SessionID != nil || !strings.Contains(seen.History, `"turn_id":null`) {
		t.Errorf("source %+v", p.Manifest.Source)
	}
	if !slices.ContainsFunc(p.Manifest.Omissions, func(s string) bool { return strings.HasPrefix(s, "source_version: 2 versions") }) ||
		!strings.Contains(seen.Handoff, "Several versions of Codex (2)") {
		t.Errorf("omissions %q", p.Manifest.Omissions)
	}
}

// Exclusions by range, by role, and by tool with the results of its calls.
func TestExcludeMore(t *testing.T) {
	lines := func(x Exclude) (kept []string) {
		o := optionsFor(rolloutFile(t, basic))
		o.Exclude = x
		for line := range strings.Lines(preview(t, prepare(t, o)).History) {
			_, rest, _ := strings.Cut(line, `"source":{"line":`)
			n, _, _ := strings.Cut(rest, ",")
			kept = append(kept, n)
		}
		return kept
	}
	for _, tt := range []struct {
		name string
		x    Exclude
		want string
	}{
		{"a range passes over lines without events", Exclude{Lines: []Range{{1, 4}}}, "5 6 7"},
		{"role", Exclude{Roles: []inspect.Role{inspect.Developer, inspect.User}}, "5 6 7"},
		{"tool", Exclude{Tools: []string{"shell"}}, "3 4 7"},
		{"both", Exclude{Lines: []Range{{7, 7}}, Tools: []string{"shell"}}, "3 4"},
	} {
		if got := strings.Join(lines(tt.x), " "); got != tt.want {
			t.Errorf("%s: lines %s, want %s", tt.name, got, tt.want)
		}
	}
}

// B11: whatever a rollout holds, the manifest is one that verify takes.
func TestManyDiagnostics(t *testing.T) {
	var b strings.Builder
	b.WriteString(meta("s") + say("user", "x"))
	for i := range 200_000 {
		if i%2 == 0 {
			b.WriteString("broken\n")
		} else {
			b.WriteString(`{"timestamp":"t","type":"event_msg","payload":{"type":"x"}}` + "\n")
		}
	}
	p := prepareText(t, b.String())
	v := mustVerify(t, write(t, p))
	if !slices.Contains(v.Manifest.Omissions, "invalid_json: 100000 (lines 3-200001)") {
		t.Errorf("omissions %q", v.Manifest.Omissions)
	}
	if n := len(v.Manifest.Omissions); n > 10 {
		t.Errorf("%d omissions", n)
	}
}

// E10, B13: a hostile text stays within its fence, escaped and cut; the history has it
// whole.
func TestHostileText(t *testing.T) {
	text := "# head\n```\n[x](javascript:alert(1)) \x1b[2J <script>\u202e\n" + strings.Repeat("é", 4000)
	p := prepareText(t, meta("s")+say("user", text))
	seen := preview(t, p)
	if !strings.Contains(seen.History, quoted(text)) {
		t.Error("the history does not hold the text as it is")
	}
	h := seen.Handoff
	for _, want := range []string{"````text\n# head\n```\n", "\n````\n", `\x1b[2J`, "Cut here after 1200 characters"} {
		if !strings.Contains(h, want) {
			t.Errorf("HANDOFF.md does not hold %q", want)
		}
	}
	if strings.ContainsAny(h, "\x1b\u202e") || len(h) >= 12000 {
		t.Errorf("HANDOFF.md has %d bytes, or a control character", len(h))
	}
}

// E11, B13: no value of the rollout becomes a path or markup.
func TestHostileIDs(t *testing.T) {
	p := prepareText(t, strings.Replace(meta("../../escape"), "synthetic", "`|](x)<b>\\n\\u001b", 1)+say("user", "x"))
	files := tree(t, write(t, p))
	if len(files) != 4 {
		t.Errorf("files %v", files)
	}
	if h := string(p.Handoff); !strings.Contains(h, "`../../escape`") || !strings.Contains(h, "`` `\\|](x)<b>\\n\\x1b ``") {
		t.Errorf("HANDOFF.md\n%s", h)
	}
}

// A rollout that is changed between two readings gives no bundle; one that grows
// gives what it held when it was opened.
func TestChangedWhileRead(t *testing.T) {
	name := rolloutFile(t, basic)
	p := prepare(t, optionsFor(name))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WriteString(say("user", "more"))
	mustVerify(t, write(t, p))
	f2, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f2.Close()
	f2.WriteAt([]byte("2027"), int64(strings.Index(basic, "2026-09-24T12:00:02")))
	dir := t.TempDir() + "/b"
	wantError(t, p.Write(t.Context(), fsx.OS, dir), "was changed while it was read")
	if _, err := os.Lstat(dir); err == nil {
		t.Error("a bundle was written")
	}
}
