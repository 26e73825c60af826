package document

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"rollbook/internal/assemble"
	"rollbook/internal/discover"
	"rollbook/internal/inspect"
	"rollbook/internal/interchange"
	"rollbook/internal/ledger"
	"rollbook/internal/transcript"
)

const sampleHome = "../../examples/home"

// sampleThreads calls f with every thread of the sample home.
func sampleThreads(t *testing.T, f func(*transcript.Thread)) {
	t.Helper()
	ctx := context.Background()
	home, err := discover.Open(sampleHome)
	if err != nil {
		t.Fatal(err)
	}
	defer home.Close()
	refs, err := home.Refs(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := assemble.New(home, refs, nil, nil)
	for _, id := range lib.IDs() {
		thread, err := lib.Thread(ctx, id, transcript.Active)
		if err != nil {
			t.Fatal(err)
		}
		f(thread)
	}
}

// message spells what both exports have of a message, and what is stored of it.
func message(id, project string, ev *transcript.Event) (string, bool) {
	text := ev.Text
	switch ev.Kind {
	case transcript.User:
		if words, wrapped := transcript.Unwrap(text); !wrapped || words != "" {
			text = words
		}
	case transcript.Assistant:
	case transcript.ToolCall:
		text = ev.Tool + " " + ev.Arguments
		if ev.Namespace != "" {
			text = ev.Namespace + "." + text
		}
	default:
		return "", false
	}
	return fmt.Sprintf("%s %q %s %s %q", id, project, ev.Kind, ev.TurnID, text), text != ""
}

// TestExportsComeBack exports the sample home in both formats and reads it again:
// the same messages, those of the era without times too (D5).
func TestExportsComeBack(t *testing.T) {
	var want []string
	timeless := 0
	var events, normalized bytes.Buffer
	ew, nw := interchange.NewEventsWriter(&events), interchange.NewNormalizedWriter(&normalized, interchange.NormalizedOptions{})
	sampleThreads(t, func(thread *transcript.Thread) {
		for _, w := range []transcript.Sink{ew, nw} {
			if err := w.Write(thread); err != nil {
				t.Fatal(err)
			}
		}
		for ev, err := range thread.Events {
			if err != nil {
				t.Fatal(err)
			}
			if s, ok := message(thread.ID, thread.Project, ev); ok {
				want = append(want, s)
				if ev.Time.IsZero() {
					timeless++
				}
			}
		}
	})
	if len(want) < 100 || timeless == 0 {
		t.Fatalf("the sample home has %d messages, %d without a time", len(want), timeless)
	}
	for name, text := range map[string]string{"events": events.String(), "normalized": normalized.String()} {
		r, err := Read(opener(text), Options{Name: name + ".jsonl"})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		inherited := 0
		for e, err := range r.Entries {
			if err != nil {
				t.Fatal(err)
			}
			if s, ok := message(e.ThreadID, e.Project, &e.Event); ok && e.Thread == nil {
				if got = append(got, s); e.TimeInherited {
					inherited++
				}
				if e.Event.Kind == transcript.User && !e.Natural {
					t.Errorf("%s: not natural: %s", name, s)
				}
			}
		}
		check(t, name, got, want)
		if inherited != timeless {
			t.Errorf("%s: %d times inherited, want %d", name, inherited, timeless)
		}
		lost := *r.Counts
		lost.Lines, lost.Empty = 0, 0
		if lost != (ledger.Counts{}) {
			t.Errorf("%s: counted %+v", name, lost)
		}
	}
}

// TestBundleHistory reads the events of an inspection, as they stand in the
// history of a bundle, back as what they are (D3).
func TestBundleHistory(t *testing.T) {
	files, err := filepath.Glob(sampleHome + "/sessions/2026/0*/*/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	total := 0
	for _, name := range files {
		b := &bundle{}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		src, err := inspect.OpenStream(f, name, inspect.Limits{File: 1 << 30, Line: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := inspect.Run(context.Background(), src, b); err != nil {
			t.Fatal(err)
		}
		f.Close()
		res := read("history.jsonl", b.text.String(), Options{})
		if len(res.entries)+int(res.counts.Empty+res.counts.InvalidTimestamps+res.counts.UnknownEvents) != b.n || res.counts.Lines != int64(b.n) || res.counts.InvalidJSON > 0 {
			t.Errorf("%s: %d entries of %d events, %+v", name, len(res.entries), b.n, res.counts)
		}
		for _, entry := range res.entries {
			line, id, _ := strings.Cut(entry, " ")
			n, err := strconv.Atoi(line)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(id, b.ids[n-1]+" ") {
				t.Errorf("%s: event %d is not of %s: %.80s", name, n, b.ids[n-1], entry)
			}
		}
		total += len(res.entries)
	}
	if total < 100 {
		t.Errorf("only %d events in %d files", total, len(files))
	}
}

// A bundle keeps the events of an inspection line by line.
type bundle struct {
	text bytes.Buffer
	n    int
	ids  []string // the thread of each event
}

func (b *bundle) Record(*inspect.Record) error         { return nil }
func (b *bundle) Diagnostic(*inspect.Diagnostic) error { return nil }
func (b *bundle) Event(e *inspect.Event) error {
	b.n++
	id, _ := e.Record.Session.Text()
	b.ids = append(b.ids, id)
	b.text.Write(inspect.AppendEvent(nil, b.n, e))
	b.text.WriteByte('\n')
	return nil
}
