package sessions

import (
	"bytes"
	"encoding/binary"
	"iter"
	"slices"

	"rollbook/internal/inspect"
)

// found keeps the diagnostics of a file, in order and small: a file has up to
// one for every two bytes ("1\n"), and each then takes one byte.
//
// An entry is a byte for its code and form, and what the form wants: lines count
// from the entry before, so do blocks within a line.
type found struct{ parts [][]byte }

// The forms of an entry.
const (
	formFile  = iota // the file as a whole
	formLine         // no block; this one is 0 lines on, the next form 1 line, and so on
	_                // 1
	_                // 2
	_                // 3
	_                // 4 lines on: with that a longer step has at least six bytes of text
	formBlock        // same line, next block
	formApart        // lines on and block follow
	forms
)

var codes = inspect.Codes()

// maxEntry is the longest entry, partSize what is kept in one piece.
const (
	maxEntry = 1 + 2*binary.MaxVarintLen64
	partSize = 256 << 10
)

// A recorder is the inspect.Handler that makes a found.
type recorder struct {
	parts [][]byte
	last  []byte // the part that is filled
	line  int    // of the last entry
	block int
	room  int  // bytes that may still be taken
	over  bool // there was not room for all of them
}

// reset starts anew, with that much room.
func (r *recorder) reset(room int) {
	*r = recorder{last: r.last[:0], room: room}
}

// Record implements inspect.Handler.
func (r *recorder) Record(*inspect.Record) error { return nil }

// Event implements inspect.Handler.
func (r *recorder) Event(*inspect.Event) error { return nil }

// Diagnostic implements inspect.Handler.
func (r *recorder) Diagnostic(d *inspect.Diagnostic) error {
	if r.over {
		return nil
	}
	if len(r.last)+maxEntry > cap(r.last) {
		r.grow()
	}
	before := len(r.last)
	r.put(d)
	r.room -= len(r.last) - before
	r.over = r.room < 0
	return nil
}

func (r *recorder) grow() {
	if len(r.last) > 0 {
		r.parts = append(r.parts, r.last)
	}
	r.last = make([]byte, 0, partSize)
}

func (r *recorder) put(d *inspect.Diagnostic) {
	code := slices.Index(codes, d.Code)
	on := d.Line - r.line
	form := formApart
	switch {
	case d.Line == 0:
		form = formFile
	case d.Block == 0 && formLine+on < formBlock:
		form = formLine + on
	case on == 0 && d.Block == r.block+1:
		form = formBlock
	}
	r.last = append(r.last, byte(code*forms+form))
	if form == formApart {
		r.last = binary.AppendUvarint(r.last, uint64(on))
		r.last = binary.AppendUvarint(r.last, uint64(d.Block))
	}
	if form != formFile {
		r.line, r.block = d.Line, d.Block
	}
}

// take gives what was recorded, until reset.
func (r *recorder) take() found {
	return found{append(r.parts, bytes.Clone(r.last))}
}

func (f found) size() (n int) {
	for _, part := range f.parts {
		n += len(part)
	}
	return n
}

// all gives the codes with their lines and blocks.
func (f found) all() iter.Seq[inspect.Diagnostic] {
	return func(yield func(inspect.Diagnostic) bool) {
		var at inspect.Diagnostic
		for _, part := range f.parts {
			for len(part) > 0 {
				var d inspect.Diagnostic
				d, part = next(&at, part)
				if !yield(d) {
					return
				}
			}
		}
	}
}

// next gives the first entry of a part, at being the place of the one before.
func next(at *inspect.Diagnostic, part []byte) (inspect.Diagnostic, []byte) {
	code, form := codes[part[0]/forms], int(part[0]%forms)
	part = part[1:]
	switch form {
	case formFile:
		return inspect.Diagnostic{Code: code}, part
	case formBlock:
		at.Block++
	case formApart:
		on, n := binary.Uvarint(part)
		block, m := binary.Uvarint(part[n:])
		at.Line, at.Block, part = at.Line+int(on), int(block), part[n+m:]
	default:
		at.Line, at.Block = at.Line+form-formLine, 0
	}
	at.Code = code
	return *at, part
}
