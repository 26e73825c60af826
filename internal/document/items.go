package document

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"rollbook/internal/diag"
)

// isDocument reports whether a file of that name is one JSON document.
func isDocument(name string) bool { return strings.EqualFold(path.Ext(name), ".json") }

var errShape = errors.New("neither an array nor an object whose messages are an array")

// items gives the entries of a document. It is looked at as a whole first: one
// that is not JSON to its end gives none.
func (r *reader) items(yield func(*Entry, error) bool) {
	err := r.walk(nil, func(jsontext.Value, int64) error { return nil })
	if wrong := (*jsontext.SyntacticError)(nil); errors.Is(err, errShape) || errors.As(err, &wrong) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = &InvalidError{err}
	}
	if err != nil {
		yield(nil, err)
		return
	}
	stopped := false
	err = r.walk(r.opt.Tee, func(v jsontext.Value, at int64) error {
		r.item++
		r.offset = at
		over := int64(len(v)) > r.limit()
		e, err := r.take(v, over, false)
		if err != nil || e == nil {
			return err
		}
		r.given++
		if !yield(e, nil) {
			stopped = true
			return io.EOF
		}
		return nil
	})
	if err != nil && !stopped {
		yield(nil, err)
	}
}

// An InvalidError says that a document is none.
type InvalidError struct{ err error }

func (e *InvalidError) Error() string   { return fmt.Sprintf("not a document of messages: %v", e.err) }
func (e *InvalidError) Unwrap() error   { return e.err }
func (e *InvalidError) Code() diag.Code { return InvalidDocument }

// walk goes over the items of the document.
func (r *reader) walk(tee io.Writer, item func(v jsontext.Value, at int64) error) error {
	f, err := r.open()
	if err != nil {
		return err
	}
	defer f.Close()
	in := io.Reader(f)
	if tee != nil {
		in = io.TeeReader(f, tee)
	}
	in, skipped, err := withoutMark(in)
	if err != nil {
		return err
	}
	d := jsontext.NewDecoder(in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	found, err := document(d, func(v jsontext.Value) error { return item(v, skipped+d.InputOffset()-int64(len(v))) })
	switch {
	case err != nil:
		return err
	case !found:
		return errShape
	}
	if _, err := d.ReadToken(); err != io.EOF {
		if err == nil {
			err = errShape
		}
		return err
	}
	return nil
}

// document reads the one value of a document, and reports whether it has items.
func document(d *jsontext.Decoder, item func(jsontext.Value) error) (found bool, err error) {
	switch d.PeekKind() {
	case '[':
		return true, array(d, item)
	case '{':
	default:
		return false, d.SkipValue()
	}
	if _, err := d.ReadToken(); err != nil {
		return false, err
	}
	for d.PeekKind() == '"' {
		key, err := d.ReadToken()
		if err != nil {
			return false, err
		}
		if key.String() == "messages" && !found && d.PeekKind() == '[' {
			found = true
			err = array(d, item)
		} else {
			err = d.SkipValue()
		}
		if err != nil {
			return false, err
		}
	}
	_, err = d.ReadToken()
	return found, err
}

func array(d *jsontext.Decoder, item func(jsontext.Value) error) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for k := d.PeekKind(); k != ']' && k != 0; k = d.PeekKind() {
		v, err := d.ReadValue()
		if err != nil {
			return err
		}
		if err := item(v); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// withoutMark takes a byte order mark off the front.
func withoutMark(in io.Reader) (io.Reader, int64, error) {
	var head [3]byte
	n, err := io.ReadFull(in, head[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, 0, err
	}
	if string(head[:n]) == "\ufeff" {
		return in, 3, nil
	}
	return io.MultiReader(strings.NewReader(string(head[:n])), in), 0, nil
}
