package document

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"rollbook/internal/diag"
	"rollbook/internal/rollout"
)

// isDocument reports whether a file of that name is one JSON document.
func isDocument(name string) bool { return strings.EqualFold(path.Ext(name), ".json") }

var errShape = errors.New("neither an array nor an object whose messages are an array")

// An InvalidError says that a document is none.
type InvalidError struct{ err error }

func (e *InvalidError) Error() string   { return fmt.Sprintf("not a document of messages: %v", e.err) }
func (e *InvalidError) Unwrap() error   { return e.err }
func (e *InvalidError) Code() diag.Code { return InvalidDocument }

// items gives the entries of a document. It is looked at as a whole first: one
// that is not JSON to its end gives none (D4).
func (r *reader) items(yield func(*Entry, error) bool) {
	list, err := r.survey()
	if err != nil {
		yield(nil, err)
		return
	}
	here := false
	w := walker{limit: r.limit()}
	w.list = func(at int64) { here = at == list }
	w.item = func(text []byte, at int64, over bool) (bool, error) {
		if !here {
			return true, nil
		}
		r.item++
		r.offset = at
		e, err := r.take(text, over, false)
		if err != nil || e == nil {
			return true, err
		}
		return r.give(e, yield), nil
	}
	if err := r.walk(&w, r.opt.Tee); err != nil {
		yield(nil, err)
	}
}

// survey goes over the document once, and gives where its list begins. What its
// lines depend on is noted in the same pass.
func (r *reader) survey() (list int64, err error) {
	list = -1
	f := newFacts()
	w := walker{limit: r.limit()}
	w.list = func(at int64) {
		list, f = at, newFacts() // of lists of the same name the last one holds
	}
	w.item = func(text []byte, _ int64, over bool) (bool, error) {
		if !over {
			f.see(text)
		}
		return true, nil
	}
	if err := r.walk(&w, nil); err != nil {
		return 0, err
	}
	if list < 0 {
		return 0, &InvalidError{errShape}
	}
	r.facts = f
	return list, nil
}

// walk hands the document to the walker.
func (r *reader) walk(w *walker, tee io.Writer) error {
	f, err := r.open()
	if err != nil {
		return err
	}
	defer f.Close()
	in := io.Reader(f)
	if tee != nil {
		in = io.TeeReader(f, tee)
	}
	return w.read(in)
}

// A walker finds the lists of a document and their items. It holds one item, and
// none that is over the limit.
type walker struct {
	limit int64
	list  func(at int64) // a list begins; at -1 one of that name that is none
	item  func(text []byte, at int64, over bool) (more bool, err error)

	outline
	at     int64  // offset of the byte at hand
	name   []byte // of the member of the top object
	naming bool
	depth  int // of the items; 0 outside a list
	start  int64
	in     bool // an item is at hand
	held   []byte
}

// maxName is the longest spelling of the one name that matters.
const maxName = len(`"messages"`) * 6

// read goes over the document to its end.
func (w *walker) read(in io.Reader) error {
	buf := make([]byte, bufferSize)
	n, err := io.ReadFull(in, buf[:3])
	switch {
	case err != nil && err != io.EOF && err != io.ErrUnexpectedEOF:
		return err
	case string(buf[:n]) == byteOrderMark:
		w.at, n = int64(n), 0
	}
	for {
		more, err := w.bytes(buf[:n])
		if err != nil || !more {
			return err
		}
		n, err = in.Read(buf)
		if err == io.EOF && n == 0 {
			break
		}
		if err != nil && err != io.EOF {
			return fmt.Errorf("byte %d: %w", w.at, err)
		}
	}
	if err := w.end(); err != nil {
		return &InvalidError{err}
	}
	return nil
}

func (w *walker) bytes(b []byte) (more bool, err error) {
	for i := 0; i < len(b); i++ {
		if n := w.inside(b[i:]); n > 0 && !w.naming {
			w.hold(b[i : i+n])
			w.at += int64(n)
			if i += n; i == len(b) {
				break
			}
		}
		if more, err := w.next(b[i]); err != nil || !more {
			return false, err
		}
		w.at++
	}
	return true, nil
}

// next takes one byte.
func (w *walker) next(c byte) (more bool, err error) {
	begins, depth := w.begins(c), len(w.stack)
	number := w.state >= minus && depth == w.depth // the item itself: it ends before this byte
	if err := w.step(c); err != nil {
		return false, &InvalidError{fmt.Errorf("byte %d: %w", w.at, err)}
	}
	switch {
	case begins && depth == w.depth && w.depth > 0:
		w.in, w.start, w.held = true, w.at, w.held[:0]
	case begins && w.isList(depth):
		w.opens(c, depth)
	}
	ended := w.in && len(w.stack) <= w.depth && (w.state == after || number && w.state < text)
	if w.in && !(ended && number) {
		w.hold([]byte{c})
	}
	if ended {
		w.in = false
		size := w.at - w.start
		if !number {
			size++
		}
		if more, err := w.item(w.held, w.start, size > w.limit); err != nil || !more {
			return false, err
		}
	}
	if w.depth > 0 && len(w.stack) < w.depth {
		w.depth = 0
	}
	w.spell(c, depth)
	return true, nil
}

// isList reports whether the value that begins at that depth is the list: the
// document itself, or what an object calls its messages.
func (w *walker) isList(depth int) bool {
	return depth == 0 || depth == 1 && w.stack[0] == '{' && w.name[0] == '"' && rollout.Raw(w.name).Is("messages")
}

func (w *walker) opens(c byte, depth int) {
	switch {
	case c == '[':
		w.depth = depth + 1
		w.list(w.at)
	case depth == 1:
		w.list(-1)
	}
}

// spell keeps the name of a member of the top object.
func (w *walker) spell(c byte, depth int) {
	if depth != 1 || len(w.stack) == 0 || w.stack[0] != '{' {
		return
	}
	within := w.key && (w.state == text || w.state == escape || w.state == digits)
	switch {
	case within && !w.naming:
		w.naming, w.name = true, append(w.name[:0], c)
	case w.naming:
		if w.name = append(w.name, c); len(w.name) > maxName {
			w.name = w.name[:maxName]
			w.name[0] = 0 // another name
		}
		w.naming = within
	}
}

// hold keeps bytes of the item at hand, up to the limit.
func (w *walker) hold(b []byte) {
	if w.in && int64(len(w.held)+len(b)) <= w.limit {
		w.held = append(w.held, b...)
	} else if w.in {
		w.held = w.held[:0] // it is over: w.start still tells its size
	}
}
