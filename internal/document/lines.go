package document

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"rollbook/internal/diag"
	"rollbook/internal/interchange"
	"rollbook/internal/ledger"
	"rollbook/internal/rollout"
)

// A reader makes entries of the lines or items of a file.
type reader struct {
	open   func() (io.ReadCloser, error)
	opt    Options
	normal *interchange.NormalizedParser
	events *interchange.EventParser

	counts   ledger.Counts
	shape    Shape
	entry    Entry
	line     int   // of the line at hand
	item     int   // of the item at hand
	offset   int64 // of the line or item at hand
	given    int   // entries until now
	cut      bool  // the line at hand has no end
	known    map[string]Known
	facts    *facts // of the whole file; nil until they are asked for
	contexts map[string]turnContext
	last     turnContext

	ended  Place // behind the last line that has an end
	closed bool  // the file cannot be gone on with
}

// bufferSize is one read of the file.
const bufferSize = 256 << 10

// byteOrderMark may stand before the first line.
const byteOrderMark = "\ufeff"

// lines gives the entries of JSON Lines. A line ends at a line feed and nowhere
// else.
func (r *reader) lines(yield func(*Entry, error) bool) {
	f, err := r.open()
	if err != nil {
		yield(nil, err)
		return
	}
	defer f.Close()
	in, err := r.start(f, r.opt.Tee)
	if err != nil {
		yield(nil, err)
		return
	}
	r.mark(r.offset)
	var long []byte
	for {
		text, n, ended, err := readLine(in, r.limit(), &long)
		if err != nil {
			yield(nil, fmt.Errorf("line %d: %w", r.line+1, err))
			return
		}
		if n == 0 {
			return
		}
		r.line++
		if r.line == 1 {
			text = bytes.TrimPrefix(text, []byte(byteOrderMark))
		}
		e, err := r.take(text, text == nil, !ended)
		if err != nil {
			yield(nil, err)
			return
		}
		if e != nil && !r.give(e, yield) {
			return
		}
		if r.offset += n; ended {
			r.mark(r.offset)
		}
	}
}

// give hands an entry over, and reports whether more are wanted.
func (r *reader) give(e *Entry, yield func(*Entry, error) bool) bool {
	if e.Thread == nil {
		r.given++
	}
	if !yield(e, nil) {
		r.closed = true
	}
	return !r.closed
}

// start goes to where reading begins.
func (r *reader) start(f io.Reader, tee io.Writer) (*bufio.Reader, error) {
	if from := r.opt.From; from != nil {
		at, ok := f.(io.ReaderAt)
		if !ok {
			return nil, errors.New("cannot go on: the file can be read from its start only")
		}
		f = io.NewSectionReader(at, from.Offset, math.MaxInt64-from.Offset)
	}
	if tee != nil {
		f = io.TeeReader(f, tee)
	}
	return bufio.NewReaderSize(f, bufferSize), nil
}

func (r *reader) limit() int64 {
	if r.opt.Line <= 0 {
		return math.MaxInt64
	}
	return r.opt.Line
}

// readLine gives the next line without its line feed, how many bytes it took,
// and whether it has one. A line over the limit is drained: text is nil.
func readLine(in *bufio.Reader, limit int64, long *[]byte) (text []byte, n int64, ended bool, err error) {
	*long = (*long)[:0]
	over := false
	for {
		part, err := in.ReadSlice('\n')
		n += int64(len(part))
		over = over || n > limit
		switch {
		case err == bufio.ErrBufferFull:
			if !over {
				*long = append(*long, part...)
			}
			continue
		case err != nil && err != io.EOF:
			return nil, n, false, err
		case over:
			return nil, n, err == nil, nil
		case len(*long) > 0:
			*long = append(*long, part...)
			part = *long
		}
		if err == nil {
			part = part[:len(part)-1]
		}
		if part == nil {
			part = []byte{}
		}
		return part, n, err == nil, nil
	}
}

// mark notes that reading can go on here.
func (r *reader) mark(offset int64) {
	r.ended.Offset, r.ended.Line, r.ended.Entries, r.ended.Counts = offset, r.line, r.given, r.counts
}

// place gives where reading can go on.
func (r *reader) place() *Place {
	if r.closed || isDocument(r.opt.Name) || r.facts != nil && r.facts.found {
		return nil
	}
	p := r.ended
	p.Shape, p.Known = r.shape, r.known
	return &p
}

// note reports what is wrong with the line or item at hand, and counts it.
func (r *reader) note(code diag.Code, message string) {
	c := &r.counts
	switch code {
	case interchange.LineLimit:
		c.Oversized++
	case interchange.InvalidJSON, interchange.IncompleteFinalLine:
		c.InvalidJSON++
	case interchange.InvalidRecord, interchange.UnknownRecord, interchange.InvalidField, NoSession:
		c.UnknownEvents++
	case interchange.InvalidTimestamp:
		c.InvalidTimestamps++
	case interchange.InvalidUsage:
		c.InvalidUsage++
	case interchange.Empty:
		c.Empty++
	case interchange.RepairedText, rollout.RepairedEscape:
		c.Repaired++
	}
	if code == interchange.Empty {
		return // nothing is lost
	}
	line := r.line
	if r.item > 0 {
		line = 0
	}
	r.opt.Report(diag.Diagnostic{Position: diag.Position{File: r.opt.Name, Line: line, Offset: r.offset}, Code: code, Message: message}, r.item)
}
