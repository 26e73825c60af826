package interchange

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"rollbook/internal/diag"
)

// Options says how a reader reads.
type Options struct {
	File   string // name for places and errors
	Limits Limits
}

// The codes of what a reader finds. RepairedText and OmittedFields tell of a
// line that was read, all others of one that was lost.
const (
	LineLimit           diag.Code = "line_limit"            // longer than Limits.Line; drained
	InvalidJSON         diag.Code = "invalid_json"          // not one JSON value
	IncompleteFinalLine diag.Code = "incomplete_final_line" // the last line, without a line feed, ends inside a value
	InvalidRecord       diag.Code = "invalid_record"        // JSON, but not an object
	UnknownRecord       diag.Code = "unknown_record"        // an object, but not one of the format
	InvalidField        diag.Code = "invalid_field"         // a key that is missing or holds what it cannot hold
	InvalidTimestamp    diag.Code = "invalid_timestamp"     // no time where one is needed, or one that cannot be read
	InvalidUsage        diag.Code = "invalid_usage_record"  // counters that are missing or cannot be right
	Empty               diag.Code = "empty"                 // neither text nor the name of a tool
	RepairedText        diag.Code = "repaired_text"         // bytes or surrogates that are no text were read as U+FFFD
	OmittedFields       diag.Code = "omitted_fields"        // keys that the format does not have, once per line
)

// Lost reports whether a code says that its line was lost.
func Lost(c diag.Code) bool { return c != RepairedText && c != OmittedFields }

// A parser makes a record of the members of a line.
type parser interface {
	// begin forgets the line before.
	begin(d *decoder)
	// member takes the value of a key, or reports that it does not know it.
	member(key []byte) bool
	// end says why the line makes no record, or returns an empty code.
	end() (diag.Code, string)
}

// records reads lines by a parser, which record then asks for what it made.
func records[R any](r io.Reader, opt Options, report func(diag.Diagnostic), p parser, record func(diag.Position) *R) iter.Seq2[*R, error] {
	in := &reader{lines: newLines(r, opt), parser: p, report: report}
	return func(yield func(*R, error) bool) {
		for {
			pos, err := in.next()
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(record(pos), nil) {
				return
			}
		}
	}
}

// A reader reads lines by a parser.
type reader struct {
	lines  *lines
	parser parser
	dec    decoder
	report func(diag.Diagnostic)
}

// next reads on to the next line that makes a record. The position is the
// line's. After the last line the error is io.EOF.
func (r *reader) next() (diag.Position, error) {
	for {
		text, ended, err := r.lines.read()
		if err != nil {
			return diag.Position{}, err
		}
		switch {
		case text == nil:
			r.note(LineLimit, fmt.Sprintf("%d bytes, more than the limit of %d", r.lines.length(), r.lines.limit))
			continue
		case blank(text):
			continue
		}
		code, msg := r.parse(text, !ended)
		if code != "" {
			r.note(code, msg)
			continue
		}
		if r.dec.repair {
			r.note(RepairedText, "")
		}
		if r.dec.omitted > 0 {
			r.note(OmittedFields, r.dec.omission())
		}
		return r.lines.pos, nil
	}
}

func (r *reader) note(code diag.Code, msg string) {
	r.report(diag.Diagnostic{Position: r.lines.pos, Code: code, Message: msg})
}

// parse reads one line. A text that is not quite Unicode is read again with
// U+FFFD in the place of what is none.
func (r *reader) parse(text []byte, final bool) (diag.Code, string) {
	object, err := r.pass(text, false)
	if err != nil {
		object, err = r.pass(text, true)
	}
	switch {
	case err == nil && object:
		return r.parser.end()
	case err == nil:
		return InvalidRecord, "not an object"
	case final && errors.Is(err, io.ErrUnexpectedEOF):
		return IncompleteFinalLine, "ends inside a value"
	}
	if at := (*jsontext.SyntacticError)(nil); errors.As(err, &at) {
		return InvalidJSON, fmt.Sprintf("not JSON at byte %d", at.ByteOffset)
	}
	return InvalidJSON, err.Error()
}

func (r *reader) pass(text []byte, repair bool) (object bool, err error) {
	r.dec.begin(text, repair)
	r.parser.begin(&r.dec)
	return r.dec.whole(r.parser.member)
}
