package assemble

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/fsx"
	"rollbook/internal/rolltest"
	"rollbook/internal/transcript"
)

// texts gives what was said in the active view: "u: …" and "a: …".
func texts(t *testing.T, l *Library, id string) []string {
	t.Helper()
	_, all := events(t, l, id, transcript.Active)
	return said(all)
}

func said(all []transcript.Event) (out []string) {
	for _, ev := range all {
		switch ev.Kind {
		case transcript.User:
			out = append(out, "u: "+ev.Text)
		case transcript.Assistant:
			out = append(out, "a: "+ev.Text)
		}
	}
	return out
}

// only gives the events of one kind.
func only(all []transcript.Event, kind transcript.Kind) (out []transcript.Event) {
	for _, ev := range all {
		if ev.Kind == kind {
			out = append(out, ev)
		}
	}
	return out
}

// open writes a home and opens it. The codes that are reported are collected.
func open(t *testing.T, home *rolltest.Home) (*Library, *diag.Tally) {
	t.Helper()
	return openDir(t, home.Temp(t))
}

func openDir(t *testing.T, dir string) (*Library, *diag.Tally) {
	t.Helper()
	tally := new(diag.Tally)
	return library(t, dir, tally.Add), tally
}

// lines makes a home of one rollout of those lines.
func lines(t *testing.T, text ...string) (*Library, string) {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "sessions", "2026", "03", "02", "rollout-2026-03-02T09-00-00-"+lineThread+".jsonl")
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(strings.Join(text, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, _ := openDir(t, dir)
	return l, lineThread
}

const lineThread = "019cb000-0000-7000-8000-000000000001"

// The lines of small rollouts. Each takes its time from its place.
func meta(more string) string {
	return `{"timestamp":"2026-03-02T09:00:00.000Z","type":"session_meta","payload":{"id":"` + lineThread + `","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/home/ada/work","originator":"codex_cli_rs","cli_version":"0.140.0","source":"cli"` + more + `}}`
}

func line(typ, payload string) string {
	return `{"timestamp":"2026-03-02T09:00:05.000Z","type":"` + typ + `","payload":{` + payload + `}}`
}

func item(payload string) string  { return line("response_item", payload) }
func event(payload string) string { return line("event_msg", payload) }

func userItem(text string) string {
	return item(`"type":"message","role":"user","content":[{"type":"input_text","text":"` + text + `"}]`)
}

func answerItem(text string) string {
	return item(`"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + text + `"}]`)
}

func userEvent(text string) string { return event(`"type":"user_message","message":"` + text + `"`) }

func answerEvent(text string) string { return event(`"type":"agent_message","message":"` + text + `"`) }

func shownItem(turn, item string) string {
	return event(`"type":"item_completed","thread_id":"` + lineThread + `","turn_id":"` + turn + `","item":{` + item + `}`)
}

func started(turn string) string   { return event(`"type":"task_started","turn_id":"` + turn + `"`) }
func completed(turn string) string { return event(`"type":"task_complete","turn_id":"` + turn + `"`) }

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func expect(t *testing.T, tally *diag.Tally, code diag.Code, n int) {
	t.Helper()
	if got := tally.Count(code); got != n {
		t.Errorf("%d diagnostics %s, want %d: %v", got, code, n, tally.Examples(code))
	}
}

// readAll assembles every thread in every view and checks what must hold for
// any input: balanced calls, sources, counts.
func readAll(t *testing.T, dir string) {
	t.Helper()
	l, _ := openDir(t, dir)
	readLibrary(t, l, newFiles(dir))
}

func readLibrary(t *testing.T, l *Library, f *files) {
	t.Helper()
	for _, id := range l.IDs() {
		for _, view := range []transcript.View{transcript.Active, transcript.Physical, transcript.Model} {
			th, all := events(t, l, id, view)
			checkPairs(t, all)
			f.checkSources(t, all)
			if view != transcript.Model {
				checkCounts(t, th, all)
			}
		}
	}
}

// memory is a home of one rollout that is no file.
type memory []byte

func (m memory) Open(discover.Ref) (fsx.File, error) { return memoryFile{bytes.NewReader(m)}, nil }

type memoryFile struct{ *bytes.Reader }

func (memoryFile) Close() error               { return nil }
func (memoryFile) Stat() (fs.FileInfo, error) { return nil, fs.ErrInvalid }

// inMemory makes a library of one rollout, and the file to check it with.
func inMemory(text []byte) (*Library, *files) {
	ref := discover.Ref{Path: "rollout.jsonl", ID: lineThread}
	f := newFiles("")
	f.text[ref.Path] = text
	return New(memory(text), []discover.Ref{ref}, nil, nil), f
}

// diagnostics keeps what is reported.
type diagnostics struct{ all []diag.Diagnostic }

func (d *diagnostics) add(x diag.Diagnostic) { d.all = append(d.all, x) }
