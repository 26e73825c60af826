package history

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"

	"rollbook/internal/diag"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A line is one physical line without its line feed.
type line struct {
	no     int   // from 1
	offset int64 // of its first byte
	length int64 // in bytes, line feed included
	text   []byte
	over   bool // longer than the limit; text is not all of it
	final  bool // no line feed ends it
}

// lines gives each physical line of r once. Lines end at a line feed only. A
// line of more than limit bytes, its line feed included, is drained. The text
// is good until the next line; an error ends the sequence.
func lines(r io.Reader, limit int) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		for l := (line{}); !l.final; {
			l = line{no: l.no + 1, offset: l.offset + l.length, text: l.text[:0]}
			if err := l.read(in, limit); err != nil {
				yield(l, fmt.Errorf("line %d: %w", l.no, err))
				return
			}
			if l.length == 0 || !yield(l, nil) {
				return
			}
		}
	}
}

func (l *line) read(in *bufio.Reader, limit int) error {
	for {
		part, err := in.ReadSlice('\n')
		l.length += int64(len(part))
		if l.over = l.length > int64(limit); !l.over {
			l.text = append(l.text, part...)
		}
		switch {
		case err == nil:
			l.text = bytes.TrimSuffix(l.text, []byte("\n"))
			return nil
		case err == io.EOF:
			l.final = true
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

var mark = []byte("\xef\xbb\xbf")

// each gives the lines that are JSON objects to take, decoded into a fresh T,
// until it reports false. Blank lines are skipped, all others reported.
func each[T any](r io.Reader, limit int, report reporter, take func(line, *T) bool) error {
	for l, err := range lines(r, limit) {
		if err != nil {
			return err
		}
		if l.over {
			report.at(l, LineLimit, fmt.Sprintf("%d bytes, more than the limit of %d", l.length, limit))
			continue
		}
		if l.no == 1 && bytes.HasPrefix(l.text, mark) {
			report.at(l, ByteOrderMark, "")
			l.text = l.text[len(mark):]
		}
		if len(bytes.Trim(l.text, " \t\r\f")) == 0 {
			continue // blank, by the same bytes as in a rollout
		}
		row := new(T)
		if code, message := decode(l, row); code != "" {
			report.at(l, code, message)
		} else if !take(l, row) {
			break
		}
	}
	return nil
}

// decode decodes a line into row, or says what is wrong with it. Keys are
// compared exactly, and of duplicates the last one counts, as in a rollout.
func decode(l line, row any) (diag.Code, string) {
	if !utf8.Valid(l.text) {
		return InvalidUTF8, ""
	}
	err := json.Unmarshal(l.text, row, jsontext.AllowDuplicateNames(true))
	var kind *json.SemanticError
	switch {
	case err == nil && bytes.TrimLeft(l.text, " \t\r")[0] != '{':
		return InvalidRecord, "not an object" // null fits everything
	case err == nil:
		return "", ""
	case errors.As(err, &kind):
		return InvalidRecord, "a field of another kind than known"
	case l.final && errors.Is(err, io.ErrUnexpectedEOF):
		return IncompleteFinalLine, ""
	}
	return InvalidJSON, ""
}
