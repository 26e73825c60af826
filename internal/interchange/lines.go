package interchange

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"rollbook/internal/diag"
)

// DefaultLine is the longest line that is read unless Limits says otherwise
// (docs/format/interchange.md, "Limits and losses").
const DefaultLine = 8 << 20

// Limits bounds what a reader will hold.
type Limits struct {
	Line int // longest line kept, in bytes, its line feed included; 0 means DefaultLine
}

// bufferSize is one read of the source; lines up to it are not copied.
const bufferSize = 64 << 10

// byteOrderMark may stand before the first line.
const byteOrderMark = "\ufeff"

// lines cuts a source into physical lines, at line feeds only.
type lines struct {
	in    *bufio.Reader
	limit int64
	long  []byte // a line that did not fit the buffer

	pos  diag.Position // of the line at hand
	next int64         // offset behind it
}

func newLines(r io.Reader, opt Options) *lines {
	limit := opt.Limits.Line
	if limit == 0 {
		limit = DefaultLine
	}
	return &lines{
		in:    bufio.NewReaderSize(r, bufferSize),
		limit: int64(limit),
		pos:   diag.Position{File: opt.File},
	}
}

// read gives the next line without its line feed, and whether there was one.
// The text is nil if the line is over the limit; such a line is drained. After
// the last line the error is io.EOF; any other has its place in it.
func (l *lines) read() (text []byte, ended bool, err error) {
	l.pos.Line++
	l.pos.Offset = l.next
	l.long = l.long[:0]
	for {
		part, err := l.in.ReadSlice('\n')
		l.next += int64(len(part))
		if err != nil && err != bufio.ErrBufferFull && err != io.EOF {
			return nil, false, fmt.Errorf("%s: %w", l.pos, err)
		}
		if l.length() == 0 {
			return nil, false, io.EOF
		}
		over, whole := l.length() > l.limit, err != bufio.ErrBufferFull
		if !over && (!whole || len(l.long) > 0) {
			l.long = append(l.long, part...)
			part = l.long
		}
		switch {
		case !whole:
		case over:
			return nil, err == nil, nil
		default:
			return l.trim(part), err == nil, nil
		}
	}
}

// length is how many bytes of the line at hand were read.
func (l *lines) length() int64 { return l.next - l.pos.Offset }

// trim takes off the line feed and, from the first line, a byte order mark.
func (l *lines) trim(text []byte) []byte {
	if l.pos.Line == 1 {
		text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	}
	return bytes.TrimSuffix(text, []byte("\n"))
}

// blank reports whether a line holds nothing but ASCII white space.
func blank(text []byte) bool { return len(bytes.Trim(text, " \t\r\f")) == 0 }
