// Package diag names places in a log and what was found wrong there.
//
// It decides nothing: codes are chosen by the package that reads the format,
// and only the command line turns them into words for a person.
package diag

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Position is a place in a log file.
type Position struct {
	File   string // as the caller named it; "-" is standard input
	Line   int    // physical line, from 1; 0 means the whole file
	Offset int64  // byte where the line starts, after decompression
}

// String gives "file:line", or the file alone where the line is 0.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// A Code names a kind of finding. Codes are part of the output contract: they
// are lower case, joined by underscores, and never change their meaning.
type Code string

// A Diagnostic is one finding with its place.
type Diagnostic struct {
	Position
	Block   int // content block within the record, from 1; 0 means none
	Code    Code
	Message string // what a person should know, lower case, no full stop; may be empty
}

// String gives "file:line: code: message".
func (d Diagnostic) String() string {
	var b strings.Builder
	b.WriteString(d.Position.String())
	b.WriteString(": ")
	b.WriteString(string(d.Code))
	if d.Message != "" {
		b.WriteString(": ")
		b.WriteString(d.Message)
	}
	return b.String()
}

// MaxExamples is how many diagnostics of each code a Tally keeps whole.
const MaxExamples = 20

// A Tally counts diagnostics by code and keeps the first few of each, so that
// a file with a million faults costs no more than one with twenty.
// The zero value is ready for use. It is not safe for concurrent use.
type Tally struct {
	counts   map[Code]int
	examples map[Code][]Diagnostic
}

// Add counts one diagnostic.
func (t *Tally) Add(d Diagnostic) {
	t.More(d.Code, 1)
	if len(t.examples[d.Code]) < MaxExamples {
		t.examples[d.Code] = append(t.examples[d.Code], d)
	}
}

// More counts n diagnostics of which nothing but the code is known.
func (t *Tally) More(c Code, n int) {
	if t.counts == nil {
		t.counts = make(map[Code]int)
		t.examples = make(map[Code][]Diagnostic)
	}
	if n > 0 {
		t.counts[c] += n
	}
}

// Count returns how many diagnostics of the code were added.
func (t *Tally) Count(c Code) int { return t.counts[c] }

// Total returns how many diagnostics were added.
func (t *Tally) Total() int {
	n := 0
	for _, c := range t.counts {
		n += c
	}
	return n
}

// Codes returns the codes seen, in byte order.
func (t *Tally) Codes() []Code { return slices.Sorted(maps.Keys(t.counts)) }

// Examples returns the diagnostics kept of the code, in the order added.
func (t *Tally) Examples(c Code) []Diagnostic { return slices.Clone(t.examples[c]) }
