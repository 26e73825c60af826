package document

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"rollbook/internal/diag"
	"rollbook/internal/ledger"
)

// A result is what a test sees of a reading.
type result struct {
	entries []string
	found   []string // line or item, code
	counts  ledger.Counts
	place   *Place
	shape   Shape
	teed    string
	err     error
}

// opener gives a file of that text, which can be sought in.
func opener(s string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return file{strings.NewReader(s)}, nil }
}

type file struct{ *strings.Reader }

func (file) Close() error { return nil }

// read reads a text as a file of that name.
func read(name, text string, opt Options) (res result) {
	return readFrom(name, opener(text), opt)
}

func readFrom(name string, open func() (io.ReadCloser, error), opt Options) (res result) {
	var tee bytes.Buffer
	opt.Name, opt.Tee = name, &tee
	if opt.Stem == "" {
		opt.Stem = "stem"
	}
	opt.Report = func(d diag.Diagnostic, item int) {
		at := fmt.Sprint(d.Line)
		if item > 0 {
			at = fmt.Sprintf("item %d", item)
		}
		res.found = append(res.found, at+" "+string(d.Code))
	}
	r, err := Read(open, opt)
	if err != nil {
		res.err = err
		return res
	}
	for e, err := range r.Entries {
		if err != nil {
			res.err = err
			break
		}
		res.entries = append(res.entries, spell(e))
	}
	res.counts, res.place, res.shape, res.teed = *r.Counts, r.Place(), r.Shape(), tee.String()
	return res
}

// spell writes an entry in one line: what is not set is left out.
func spell(e *Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d", e.Position.Line+e.Item)
	if e.Item > 0 {
		fmt.Fprintf(&b, "@%d", e.Position.Offset)
	}
	word := func(key, s string) {
		if s != "" {
			fmt.Fprintf(&b, " %s=%q", key, s)
		}
	}
	flag := func(key string, on bool) {
		if on {
			b.WriteString(" " + key)
		}
	}
	b.WriteString(" " + e.ThreadID)
	word("in", e.Project)
	if t := e.Thread; t != nil {
		word("title", t.Title)
		flag("thread", true)
		return b.String()
	}
	ev := &e.Event
	b.WriteString(" " + ev.Kind.String())
	if !ev.Time.IsZero() {
		b.WriteString(" " + ev.Time.Format(time.RFC3339Nano))
	}
	flag("natural", e.Natural)
	flag("time-inherited", e.TimeInherited)
	flag("response", e.Response)
	flag("inherited", ev.Inherited)
	word("role", ev.Role)
	word("text", ev.Text)
	word("tool", ev.Tool)
	word("namespace", ev.Namespace)
	word("call", ev.CallID)
	word("args", ev.Arguments)
	word("out", ev.Output)
	word("turn", ev.TurnID)
	word("phase", ev.Phase)
	word("provider", e.Provider)
	word("response_id", e.ResponseID)
	word("model", ev.Model)
	if u := ev.Usage; u != nil {
		fmt.Fprintf(&b, " %d/%d/%d/%d/%d", u.Input, u.CachedInput, u.Output, u.ReasoningOutput, u.Total)
	}
	flag("no-cached", e.NoCached)
	flag("no-reasoning", e.NoReasoning)
	flag("snapshot", e.Snapshot)
	return b.String()
}

// check compares lines, one by one so that the difference is seen.
func check(t *testing.T, what string, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("%s %d:\n got %s\nwant %s", what, i+1, g, w)
		}
	}
}
