package harness

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds a line that a script may answer with.
const maxLine = 1 << 20

// A lineReader gives the lines of a script's answer.
type lineReader struct{ r *bufio.Reader }

func newLineReader(r io.Reader) *lineReader { return &lineReader{bufio.NewReaderSize(r, maxLine)} }

// next gives the next line, which is valid until the following call.
func (l *lineReader) next() ([]byte, error) {
	line, err := l.r.ReadSlice('\n')
	switch {
	case err == nil:
		return line, nil
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, fmt.Errorf("harness: an answer is longer than %d bytes", maxLine)
	case errors.Is(err, io.EOF) && len(line) > 0:
		return nil, io.ErrUnexpectedEOF
	}
	return nil, err
}
