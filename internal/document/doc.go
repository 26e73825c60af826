// Package document reads files that are no rollouts, but tell of threads: JSON
// Lines and JSON documents of messages, Codex's history.jsonl, the two line
// formats that rollbook writes, and the history of a bundle
// (docs/format/documents.md).
//
// A file is read line by line, or item by item, and each gives at most one
// entry. What is stored of it is not decided here.
package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"

	"rollbook/internal/diag"
	"rollbook/internal/interchange"
	"rollbook/internal/ledger"
	"rollbook/internal/transcript"
)

// A Shape says what kind of line an entry came from.
type Shape uint8

const (
	None       Shape = iota
	History          // history.jsonl: session_id, ts, text
	Normalized       // a role, and a thread or a time; or type usage
	Events           // kind, seq, thread_id
	Bundle           // sequence, kind, provenance
	Rollout          // a line as rollouts have it, in a file that is none
)

// String gives the shape's name.
func (s Shape) String() string {
	return [...]string{"document", "history", "normalized", "events", "bundle", "document"}[s]
}

// The codes of what is found beyond those of package interchange.
const (
	InvalidDocument diag.Code = "invalid_document" // not JSON as a whole, or neither an array nor an object with messages
	NoSession       diag.Code = "no_session_id"    // an event of a bundle without its thread
)

// ErrWhole says that what follows a Place changes what stands before it: the file
// has to be read whole.
var ErrWhole = errors.New("cannot go on: the lines that follow tell of those before them")

// An Entry is what one line or item says. It is reused: copy what is to be kept.
type Entry struct {
	Position diag.Position // Line is 0 for an item of an array
	Item     int           // place in the array, from 1; else 0
	Shape    Shape

	ThreadID, Project string
	Natural           bool // the person typed it
	TimeInherited     bool // the line has no time of its own
	Response          bool // of shape Rollout: an item, not an event

	Event  transcript.Event   // its Source is the place in this file
	Thread *transcript.Thread // of a line that opens a thread; Event says nothing then

	// Of an event of kind Usage.
	Provider, ResponseID  string
	NoCached, NoReasoning bool
	Snapshot              bool // a running total

	from string // the file that a line of ours names
}

// Options says how a file is read.
type Options struct {
	Name string // for places; the suffix .json, in any case, makes it a document
	Stem string // the thread of lines that name none
	Line int64  // longest line, its line feed included, or item kept, in bytes; 0 for no limit
	From *Place // where to go on; nil reads everything; not for documents
	// Tee gets the text that is read, once and in order; may be nil.
	Tee io.Writer
	// Report takes what was found wrong; item is the place in an array, else 0.
	Report func(d diag.Diagnostic, item int)
}

// A Place is where reading can go on: behind a line.
type Place struct {
	Offset  int64
	Line    int // lines before it
	Entries int // entries before it, without those of lines that open a thread
	Counts  ledger.Counts
	Shape   Shape
	Known   map[string]Known `json:",omitempty"` // of threads
}

// Known is what the lines of a thread told and others of it lack.
type Known struct {
	Time     int64  `json:",omitempty"` // the last one, in milliseconds since 1970
	Project  string `json:",omitempty"`
	Provider string `json:",omitempty"`
}

// maxKnown bounds the threads that are remembered at once. Our formats write one
// thread after the other, so one that is forgotten is over.
const maxKnown = 1000

// Encode and DecodePlace keep a place as bytes.
func (p *Place) Encode() ([]byte, error) { return json.Marshal(p) }

func DecodePlace(b []byte) (*Place, error) {
	p := new(Place)
	if err := json.Unmarshal(b, p); err != nil {
		return nil, fmt.Errorf("place: %w", err)
	}
	if p.Offset < 0 || p.Line < 0 || p.Entries < 0 || p.Shape > Rollout {
		return nil, fmt.Errorf("place: byte %d, line %d cannot be", p.Offset, p.Line)
	}
	return p, nil
}

// A Reading is a file that is read.
type Reading struct {
	Entries iter.Seq2[*Entry, error] // to be ranged over once
	Counts  *ledger.Counts           // of what was read, that of From included
	r       *reader
}

// Shape gives the shape of the file's lines: that of the first that has one.
func (r *Reading) Shape() Shape { return r.r.shape }

// Place gives, once the entries were ranged over, where reading can go on: behind
// the last line that has an end. It is nil where the file must be read whole.
func (r *Reading) Place() *Place { return r.r.place() }

// Read reads a file. It is opened anew for each walk over it: a document is first
// looked at as a whole.
func Read(open func() (io.ReadCloser, error), opt Options) (*Reading, error) {
	if opt.Report == nil {
		opt.Report = func(diag.Diagnostic, int) {}
	}
	r := &reader{open: open, opt: opt, normal: interchange.NewNormalizedParser(), events: interchange.NewEventParser(),
		known: make(map[string]Known)}
	if f := opt.From; f != nil {
		r.counts, r.shape, r.line, r.offset, r.given = f.Counts, f.Shape, f.Line, f.Offset, f.Entries
		maps.Copy(r.known, f.Known)
	}
	reading := &Reading{Counts: &r.counts, r: r}
	if isDocument(opt.Name) {
		if opt.From != nil {
			return nil, errors.New("cannot go on: a document is read whole")
		}
		reading.Entries = r.items
	} else {
		reading.Entries = r.lines
	}
	return reading, nil
}
