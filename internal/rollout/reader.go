package rollout

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

	"rollbook/internal/diag"
	"rollbook/internal/zstdio"
)

// Limits bounds what a Reader will hold and read. A zero field means no bound
// of that kind, except Line, whose zero means DefaultLine.
type Limits struct {
	Line int   // longest line kept, in bytes, its line feed included
	File int64 // most (decompressed) bytes read from one file
}

// The defaults of inspect (spec/inspect.md section 3).
const (
	DefaultLine = 1 << 20
	DefaultFile = 64 << 20
)

// ErrFileTooLarge is returned where a file holds more than Limits.File bytes.
// A caller that goes over many files skips such a file and says so.
var ErrFileTooLarge = errors.New("file exceeds the byte limit")

// The codes of lines that cannot be read.
const (
	LineLimit           diag.Code = "line_limit"            // longer than Limits.Line; drained
	InvalidUTF8         diag.Code = "invalid_utf8"          // not UTF-8
	InvalidJSON         diag.Code = "invalid_json"          // not JSON, nested too deeply, or a number out of range
	IncompleteFinalLine diag.Code = "incomplete_final_line" // the last line, without a line feed, ends inside a value
	InvalidRecord       diag.Code = "invalid_record"        // JSON, but not an object
	DamagedCompression  diag.Code = "damaged_compression"   // the compressed stream is cut or broken here; nothing follows
)

// A Kind says what a physical line is.
type Kind uint8

const (
	Item  Kind = iota // a JSON object: Envelope is set
	Blank             // white space only (space, tab, FF, CR)
	Loss              // could not be read: Code and Message say why
)

// A Record is one physical line. Its bytes are good until the next record.
type Record struct {
	Line   int   // from 1
	Offset int64 // of the line's first byte, after decompression
	Length int64 // bytes, line feed included; 0 for a loss behind the last line
	Kind   Kind
	Text   []byte // the line without its line feed; nil if it was longer than the limit
	Final  bool   // the last line, and no line feed ends it

	Envelope Envelope // of an Item
	Repaired bool     // an Item whose Text is not what the line holds (Options.Repair)

	Code    diag.Code // of a Loss, or of what was repaired
	Message string
}

// Options says how a Reader reads.
type Options struct {
	Limits Limits
	// HeadOnly reads envelopes by Head: fast, and nothing is validated.
	HeadOnly bool
	// Repair reads a line that begins with a byte order mark, or holds bytes
	// that are not UTF-8 or half a surrogate pair, without that.
	Repair bool
	// Line and Offset are where the source begins in its file, where that is
	// not the start: lines before it, and bytes.
	Line   int
	Offset int64
	// Known is asked before a line is scanned. True means that the caller has
	// read the very same line before, and found it valid and Usual: it is not
	// validated again. May be nil.
	Known func(rec *Record) bool
}

// A Reader gives the records of one rollout.
type Reader struct {
	in     *bufio.Reader
	opt    Options
	long   []byte // a line that did not fit the buffer
	rec    Record
	offset int64
	line   int
	broken *zstdio.DamageError
}

// bufferSize is one read of the source; lines up to it are not copied.
const bufferSize = 256 << 10

// buffers are used again: most files are smaller than one.
var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, bufferSize) }}

// NewReader reads records from r, which is decompressed already (see
// Decompress).
func NewReader(r io.Reader, opt Options) *Reader {
	if opt.Limits.Line == 0 {
		opt.Limits.Line = DefaultLine
	}
	in := buffers.Get().(*bufio.Reader)
	in.Reset(r)
	return &Reader{in: in, opt: opt, line: opt.Line, offset: opt.Offset}
}

// Close gives the reader's buffer to the next one. The record that was given
// last is not good any more; the source stays open.
func (r *Reader) Close() {
	if r.in == nil {
		return
	}
	r.in.Reset(nil)
	buffers.Put(r.in)
	r.in, r.rec = nil, Record{}
}

// Records gives each physical line once, in order. A line that cannot be read
// is a record of kind Loss; an error means that reading stopped early. The
// record is reused: copy what is to be kept.
func (r *Reader) Records() iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for {
			rec, err := r.Next()
			if err == io.EOF {
				return
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// Offset returns how many bytes of the file were read so far.
func (r *Reader) Offset() int64 { return r.offset }

// Next gives the next record, and io.EOF after the last.
func (r *Reader) Next() (*Record, error) {
	if r.broken != nil || r.in == nil {
		return nil, io.EOF
	}
	text, n, ended, err := r.readLine()
	if err != nil {
		if d := (*zstdio.DamageError)(nil); errors.As(err, &d) {
			return r.damaged(text, n, d)
		}
		return nil, fmt.Errorf("line %d: %w", r.line+1, err)
	}
	if n == 0 {
		return nil, io.EOF
	}
	r.begin(text, n, !ended)
	r.classify()
	return &r.rec, nil
}

// begin sets the record up for a line of n bytes.
func (r *Reader) begin(text []byte, n int64, final bool) {
	r.line++
	r.rec.Line, r.rec.Offset, r.rec.Length = r.line, r.offset, n
	r.rec.Kind, r.rec.Text, r.rec.Final = Item, text, final
	r.rec.Code, r.rec.Message, r.rec.Repaired = "", "", false
	r.offset += n
}

// damaged makes the loss of a broken compressed stream. What was decoded of
// the line at that place is part of the loss.
func (r *Reader) damaged(text []byte, n int64, d *zstdio.DamageError) (*Record, error) {
	r.broken = d
	r.begin(text, n, true)
	r.rec.Kind, r.rec.Code, r.rec.Message = Loss, DamagedCompression, d.Error()
	return &r.rec, nil
}

func (r *Reader) classify() {
	rec := &r.rec
	switch {
	case rec.Text == nil:
		rec.Kind, rec.Code = Loss, LineLimit
		rec.Message = fmt.Sprintf("%d bytes, more than the limit of %d", rec.Length, r.opt.Limits.Line)
	case blank(rec.Text):
		rec.Kind = Blank
	case r.opt.Known != nil && r.opt.Known(rec):
		rec.Envelope.known(rec.Text)
	case r.opt.HeadOnly:
		if !Head(rec.Text, &rec.Envelope) {
			rec.Kind, rec.Code, rec.Message = Loss, InvalidRecord, "not an object"
		}
	default:
		fault := Scan(rec.Text, &rec.Envelope)
		if fault != NoFault && r.opt.Repair {
			fault = r.repair(fault)
		}
		switch {
		case fault == NoFault && rec.Envelope.Object:
			return
		case fault == NoFault:
			rec.Code, rec.Message = InvalidRecord, "not an object"
		case fault == FaultUTF8:
			rec.Code, rec.Message = InvalidUTF8, fault.String()
		case fault == FaultEOF && rec.Final:
			rec.Code, rec.Message = IncompleteFinalLine, fault.String()
		default:
			rec.Code, rec.Message = InvalidJSON, fault.String()
		}
		rec.Kind = Loss
	}
}

// repair tries to read a line with that fault without what can be mended. What
// is no record then either keeps its text and its fault, but one that was cut
// within a character was cut.
func (r *Reader) repair(fault Fault) Fault {
	rec := &r.rec
	text, done := Mend(rec.Text)
	if done.Code == "" {
		return fault
	}
	switch now := Scan(text, &rec.Envelope); {
	case now == NoFault && rec.Envelope.Object:
		rec.Text, rec.Repaired, rec.Code, rec.Message = text, true, done.Code, done.Message
		return NoFault
	case now == FaultEOF && rec.Final:
		return FaultEOF
	}
	return fault
}

// blank reports whether a line holds nothing but ASCII white space. A vertical
// tab is not white space here (spec/inspect.md 2.3 gate 2).
func blank(text []byte) bool {
	for _, c := range text {
		if c != ' ' && c != '\t' && c != '\r' && c != '\f' {
			return false
		}
	}
	return true
}

// readLine gives the next line without its line feed, how many bytes it took
// with it, and whether there was one. A line over the limit is drained: text
// is nil and n counts it whole. At the end n is 0. With an error, text and n
// are what was read before it.
func (r *Reader) readLine() (text []byte, n int64, ended bool, err error) {
	limit := r.opt.Limits.Line
	r.long = r.long[:0]
	over := false
	for {
		part, err := r.in.ReadSlice('\n')
		n += int64(len(part))
		if max := r.opt.Limits.File; max > 0 && r.offset+n > max {
			return nil, n, false, ErrFileTooLarge
		}
		ended = err == nil
		switch {
		case n > int64(limit):
			over = true
		case err == nil && len(r.long) == 0:
			text = part
		default:
			r.long = append(r.long, part...)
			text = r.long
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && err != io.EOF:
			return text, n, false, err
		case over:
			return nil, n, ended, nil
		}
		if ended {
			text = text[:len(text)-1]
		} else if text == nil && n > 0 {
			text = r.long
		}
		return text, n, ended, nil
	}
}
