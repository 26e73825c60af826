package dsh

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/assemble"
	"rollbook/internal/corpustest"
	"rollbook/internal/fsx"
	"rollbook/internal/rolltest/sample"
	"rollbook/internal/transcript"
)

// A mode is one way to convert.
type mode struct {
	name string
	view assemble.SessionOptions
	opt  Options
}

var modes = []mode{
	{"default", assemble.SessionOptions{}, Options{MaxTextChars: DefaultMaxText}},
	{"full", full, Options{}},
	{"rolled back", withBack, Options{MaxTextChars: DefaultMaxText}},
	{"short outputs", full, Options{MaxTextChars: DefaultMaxText, MaxToolOutput: 200}},
	{"short texts", full, Options{MaxTextChars: 2000}},
	{"tiny", withBack, Options{MaxTextChars: 7, MaxToolOutput: 1}},
}

// TestCorpusConverted converts every thread of the corpus and of the sample home
// in every way: each session verifies, with its images, and the model is given
// what the thread says.
func TestCorpusConverted(t *testing.T) {
	homes, err := filepath.Glob(filepath.Join(corpustest.Dir(t), "*", "*", "home"))
	if err != nil || len(homes) < 100 {
		t.Fatalf("corpus: %d homes, %v", len(homes), err)
	}
	sampleHome := filepath.Join(t.TempDir(), "home")
	if err := sample.Home().Write(sampleHome); err != nil {
		t.Fatal(err)
	}
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			opt := m.opt
			opt.Images = &Store{FS: fsx.OS, Dir: storeAt(dir)}
			images := 0
			for _, home := range append(slices.Clone(homes), sampleHome) {
				l := openThreads(t, home)
				for _, id := range l.IDs() {
					s := sessionOfThread(t, l, id, m.view, opt)
					name := filepath.Join(dir, "sessions", SessionPath(s.Header))
					put(t, name, s.log)
					images += s.Images
					if m.view == full && opt.MaxTextChars == 0 {
						checkWire(t, l, id, &s)
					}
				}
			}
			if images == 0 {
				t.Error("no image was attached")
			}
			verifyAll(t, dir)
		})
	}
}

func verifyAll(t *testing.T, dir string) {
	t.Helper()
	n := 0
	for v, err := range Verify(openHome(t, dir)) {
		if n++; err != nil || len(v.Faults) > 0 {
			t.Errorf("%s: %v %v", v.Path, v.Faults, err)
		}
	}
	if n < 300 {
		t.Errorf("only %d sessions", n)
	}
}

// checkWire compares the prompts and answers of a session with those of the
// active view, as the normalized export has them: the same, in the same order.
func checkWire(t *testing.T, l *assemble.Library, id string, s *convertedSession) {
	t.Helper()
	th, err := l.Thread(context.Background(), id, transcript.Active)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	calls := 0
	for ev, err := range th.Events {
		if err != nil {
			t.Fatal(err)
		}
		switch words, wrapped := transcript.Unwrap(ev.Text); {
		case ev.Kind == transcript.User && (!wrapped || words != ""):
			want = append(want, "u: "+words)
		case ev.Kind == transcript.Assistant && ev.Text != "":
			want = append(want, "a: "+ev.Text)
		case ev.Kind == transcript.ToolCall:
			calls++
		}
	}
	var got []string
	for _, ev := range s.events {
		blocks, sort := ev.Data.Content, "u: "
		if ev.Type == "assistant/message" {
			blocks, sort = ev.Data.Message.Content, "a: "
		}
		text := ""
		for _, b := range blocks {
			if b.Type == "text" && !strings.HasPrefix(b.Text, "[Codex import:") {
				text += b.Text
			}
		}
		if ev.Type == "user/message" || text != "" && !strings.HasPrefix(text, "<proposed_plan>") {
			got = append(got, sort+text)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: the model is given\n%.300q\nwant\n%.300q", id, got, want)
	}
	if s.Tools != calls {
		t.Errorf("%s: %d calls, want %d", id, s.Tools, calls)
	}
}

// TestSample is that the report of the sample home says what the home holds.
func TestSampleReport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home")
	if err := sample.Home().Write(dir); err != nil {
		t.Fatal(err)
	}
	l := openThreads(t, dir)
	var sum Report
	for _, id := range l.IDs() {
		s := sessionOfThread(t, l, id, assemble.SessionOptions{}, Options{})
		sum.Tools += s.Tools
		sum.Turns += s.Turns
		sum.RolledBack += s.RolledBack
		sum.Windowed += s.Windowed
		sum.Injected += s.Injected
	}
	if testing.Verbose() {
		fmt.Fprintf(os.Stderr, "%+v\n", sum)
	}
	for name, n := range map[string]int{"tools": sum.Tools, "turns": sum.Turns, "rolled back": sum.RolledBack, "windowed": sum.Windowed, "injected": sum.Injected} {
		if n == 0 {
			t.Errorf("%s: none", name)
		}
	}
}
