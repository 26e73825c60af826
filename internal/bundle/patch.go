package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// An Edit is one file of changes.patch: a modification or a deletion. Of a change
// of mode only, the texts are not in the patch and Texts is false.
type Edit struct {
	Path             string
	Kind             Kind
	BaseMode         string
	ResultMode       string // "" of a deletion
	Texts            bool
	Base, ResultText []byte
}

const noNewline = "\\ No newline at end of file\n"

// appendEdit appends an edit in the one spelling that verify accepts (B14): a
// header as git writes it, paths always quoted, and one hunk that takes all old
// lines out and puts all new ones in. git apply takes it.
func appendEdit(dst []byte, e *Edit) []byte {
	dst = fmt.Appendf(dst, "diff --git \"a/%s\" \"b/%s\"\n", e.Path, e.Path)
	switch {
	case e.Kind == Delete:
		dst = fmt.Appendf(dst, "deleted file mode %s\n", e.BaseMode)
	case e.BaseMode != e.ResultMode:
		dst = fmt.Appendf(dst, "old mode %s\nnew mode %s\n", e.BaseMode, e.ResultMode)
	}
	if !e.Texts || len(e.Base)+len(e.ResultText) == 0 {
		return dst
	}
	dst = fmt.Appendf(dst, "--- \"a/%s\"\n", e.Path)
	if e.Kind == Delete {
		dst = append(dst, "+++ /dev/null\n"...)
	} else {
		dst = fmt.Appendf(dst, "+++ \"b/%s\"\n", e.Path)
	}
	dst = append(dst, "@@ -"...)
	dst = append(appendRange(dst, e.Base), " +"...)
	dst = append(appendRange(dst, e.ResultText), " @@\n"...)
	dst = appendLines(dst, '-', e.Base)
	return appendLines(dst, '+', e.ResultText)
}

// appendRange appends first line and count, which git writes 0,0 for none.
func appendRange(dst []byte, text []byte) []byte {
	n := countLines(text)
	dst = strconv.AppendInt(dst, int64(min(n, 1)), 10)
	return strconv.AppendInt(append(dst, ','), int64(n), 10)
}

func countLines(text []byte) int {
	n := bytes.Count(text, []byte{'\n'})
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

func appendLines(dst []byte, mark byte, text []byte) []byte {
	for line := range bytes.Lines(text) {
		dst = append(append(dst, mark), line...)
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		dst = append(append(dst, '\n'), noNewline...)
	}
	return dst
}

var errPatch = errors.New("not a patch in the form of a bundle")

// DecodePatch reads changes.patch. Any other spelling than that of appendEdit is
// an error (B14).
func DecodePatch(data []byte) ([]Edit, error) {
	var edits []Edit
	for rest := data; len(rest) > 0; {
		if len(edits) == maxSelected {
			return nil, fmt.Errorf("%w: more than %d files", errPatch, maxSelected)
		}
		e, n, err := decodeEdit(rest)
		if err != nil {
			return nil, fmt.Errorf("%w: byte %d: %w", errPatch, len(data)-len(rest), err)
		}
		edits = append(edits, e)
		rest = rest[n:]
	}
	return edits, nil
}

// A patchReader takes a patch apart.
type patchReader struct{ rest []byte }

// line takes a line off, without its line feed.
func (r *patchReader) line() ([]byte, bool) {
	line, rest, ok := bytes.Cut(r.rest, []byte{'\n'})
	if ok {
		r.rest = rest
	}
	return line, ok
}

// after takes a line off that begins with the prefix, and gives what follows.
func (r *patchReader) after(prefix string) (string, bool) {
	if !bytes.HasPrefix(r.rest, []byte(prefix)) {
		return "", false
	}
	line, ok := r.line()
	return string(line[min(len(prefix), len(line)):]), ok
}

// decodeEdit reads the first edit of data, and gives its length. What it does not
// check itself shows when the edit is written again.
func decodeEdit(data []byte) (e Edit, n int, err error) {
	r := patchReader{data}
	header, ok := r.after(`diff --git "a/`)
	if !ok || len(header) < len(`" "b/"`)+2 {
		return e, 0, errors.New("no header of a file")
	}
	e.Path = header[:(len(header)-len(`" "b/"`))/2]
	if err := CheckPath(e.Path); err != nil {
		return e, 0, fmt.Errorf("the path %w", err)
	}
	e.Kind, e.BaseMode, e.ResultMode = Modify, "", ""
	if mode, ok := r.after("deleted file mode "); ok {
		e.Kind, e.BaseMode, e.Texts = Delete, mode, true
	} else if mode, ok := r.after("old mode "); ok {
		e.BaseMode = mode
		e.ResultMode, _ = r.after("new mode ")
	}
	if _, ok := r.after("--- "); ok {
		e.Texts = true
		if err := r.hunk(&e); err != nil {
			return e, 0, err
		}
	}
	if e.Kind == Modify && (!e.Texts && e.BaseMode == e.ResultMode || e.Texts && bytes.Equal(e.Base, e.ResultText)) {
		return e, 0, errors.New("no change of the file")
	}
	n = len(data) - len(r.rest)
	if !bytes.Equal(appendEdit(nil, &e), data[:n]) {
		return e, 0, errors.New("not the one spelling of this change")
	}
	return e, n, nil
}

func (r *patchReader) hunk(e *Edit) (err error) {
	if _, ok := r.after("+++ "); !ok {
		return errors.New("no new name")
	}
	head, ok := r.after("@@ ")
	if !ok {
		return errors.New("no hunk")
	}
	var from, to, removed, added int
	if _, err := fmt.Sscanf(head, "-%d,%d +%d,%d @@", &from, &removed, &to, &added); err != nil {
		return errors.New("no line numbers")
	}
	if e.Base, err = r.lines('-', removed); err != nil {
		return err
	}
	e.ResultText, err = r.lines('+', added)
	return err
}

// lines takes n lines off that begin with the mark.
func (r *patchReader) lines(mark byte, n int) ([]byte, error) {
	var text []byte
	for range n {
		line, ok := r.line()
		if !ok || len(line) == 0 || line[0] != mark {
			return nil, fmt.Errorf("fewer than %d lines with %c", n, mark)
		}
		text = append(append(text, line[1:]...), '\n')
	}
	if n > 0 && bytes.HasPrefix(r.rest, []byte(noNewline)) {
		r.rest = r.rest[len(noNewline):]
		text = text[:len(text)-1]
	}
	return text, nil
}
