package bundle

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"

	"rollbook/internal/inspect"
	"rollbook/internal/rollout"
)

// A reading goes over the events of the rollout and gives the lines of
// history.jsonl. The first one also learns what the manifest and HANDOFF.md say.
type reading struct {
	x      *excluder
	redact *redaction
	out    io.Writer // nil in the first reading
	learn  *facts    // nil in the later ones

	hash   hash.Hash
	size   int64
	events int
	line   []byte
}

var errHistorySize = fmt.Errorf("%s would hold more than %d bytes, which verify refuses; exclude lines, a role or a tool", HistoryName, maxContext)

func newReading(x *excluder, redact *redaction) *reading {
	return &reading{x: x, redact: redact, hash: sha256.New()}
}

// Record implements inspect.Handler.
func (r *reading) Record(*inspect.Record) error { return nil }

// Event implements inspect.Handler.
func (r *reading) Event(e *inspect.Event) error {
	if r.x.drop(e) {
		if r.learn != nil {
			r.learn.exclude(e)
		}
		return nil
	}
	e = r.redact.event(e)
	r.events++
	r.line = append(inspect.AppendEvent(r.line[:0], r.events, e), '\n')
	if r.size += int64(len(r.line)); r.size > maxContext {
		return errHistorySize
	}
	r.hash.Write(r.line)
	if r.learn != nil {
		return r.learn.event(e)
	}
	_, err := r.out.Write(r.line)
	return err
}

// Diagnostic implements inspect.Handler.
func (r *reading) Diagnostic(d *inspect.Diagnostic) error {
	if r.learn != nil && d.Code != inspect.UnverifiedCompatibility {
		r.learn.lost.add(string(d.Code), d.Line, d.Block)
	}
	return nil
}

func (r *reading) sum() string { return hex.EncodeToString(r.hash.Sum(nil)) }

// facts are what the first reading learns.
type facts struct {
	lost     omissionList // by the reader
	excluded omissionList
	lines    int // excluded
	dropped  int // events excluded
	lastLine int // that was excluded

	found    findings
	session  rollout.Raw // the one id of the kept events; nil where they have none
	request  *quote      // the first that the person typed
	requests int         // how many there are
	more     []*quote    // the last of those after the first
	last     *quote
	lastRaw  rollout.Raw // the text of the last kept event
	lastRole inspect.Role
	lastKind inspect.Kind
	lastName rollout.Raw
	lastLoc  place
	byKind   map[string]int
	from, to string // first and last time on record
}

type place struct{ line, block int }

// A quote is the beginning of a text, and where it stands.
type quote struct {
	text string // at most maxQuote characters
	cut  bool
	at   place
}

var errSessions = errors.New("the kept events are of several threads; exclude the lines of all but one")

func (f *facts) exclude(e *inspect.Event) {
	f.dropped++
	if e.Line != f.lastLine { // blocks of a line follow each other
		f.lastLine = e.Line
		f.lines++
		f.excluded.add("excluded_line", e.Line, 0)
	}
}

func (f *facts) event(e *inspect.Event) error {
	if e.Session != nil {
		if f.session == nil {
			f.session = slices.Clone(e.Session)
		} else if !slices.Equal(f.session, e.Session) {
			return errSessions
		}
	}
	f.found.event(e)
	if f.byKind == nil {
		f.byKind = make(map[string]int)
	}
	f.byKind[groupOf(e)]++
	if e.Timestamp != nil {
		at, _ := e.Timestamp.Text()
		if f.from == "" {
			f.from = at
		}
		f.to = at
	}
	if isRequest(e) {
		f.person(e)
	}
	f.lastRaw = append(f.lastRaw[:0], e.Text...)
	f.lastName = append(f.lastName[:0], e.ToolName...)
	f.lastRole, f.lastKind, f.lastLoc = e.Role, e.Kind, place{e.Line, e.Block}
	return nil
}

// maxMore is how many requests after the first HANDOFF.md names.
const maxMore = 15

// person notes what the person typed.
func (f *facts) person(e *inspect.Event) {
	at := place{e.Line, e.Block}
	if f.requests++; f.requests == 1 {
		f.request = quoteOf(e.Text, at, maxQuote)
		return
	}
	if len(f.more) == maxMore {
		f.more = slices.Delete(f.more, 0, 1)
	}
	f.more = append(f.more, quoteOf(e.Text, at, maxBrief))
}

// finish makes of the last event a quote.
func (f *facts) finish() { f.last = quoteOf(f.lastRaw, f.lastLoc, maxQuote) }

// history writes history.jsonl by reading the rollout once more.
func (p *Prepared) history(ctx context.Context, w io.Writer) error {
	r := newReading(newExcluder(p.options.Exclude), newRedaction(p.options.Redact))
	r.x.calls = p.calls
	r.out = w
	if _, err := p.src.run(ctx, p.options.File, p.options.Limits, r); err != nil {
		return err
	}
	if r.sum() != p.historySum {
		return fmt.Errorf("%s: was changed while it was read; run again", p.options.File)
	}
	return nil
}
