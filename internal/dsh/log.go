package dsh

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"rollbook/internal/zstdio"
)

// maxLine is the longest line that is read: the harness, which holds a line as
// one string, cannot read a longer one.
const maxLine = 512 << 20

// A physical is what the frames of a log say.
type physical struct {
	frames    int
	unchecked int    // frames without a checksum
	digest    Digest // of all after the first (docs/format/dsh.md, F6)
}

// ErrTorn says that the last frame of a log ends early. What lies before it is
// good; the harness cuts it off when it opens the log.
var ErrTorn = errors.New("the last frame is torn")

// walkLog reads a log frame by frame and gives each line without its newline, by
// number from 1, good until the next (docs/format/dsh.md, F1 to F5). It holds a
// line at a time. An error of each ends it. What was given of a frame that turns
// out damaged is not to be relied on: the error says so.
func walkLog(r io.ReaderAt, size int64, each func(n int, line []byte) error) (physical, error) {
	var p physical
	w := lineWalker{each: each, buf: bufio.NewReaderSize(nil, 64<<10)}
	sum := sha256.New()
	for f, err := range zstdio.Frames(io.NewSectionReader(r, 0, size)) {
		if err != nil {
			if p.frames > 0 && errors.Is(err, zstdio.ErrCut) {
				return p, fmt.Errorf("frame %d: %w: %w", p.frames+1, ErrTorn, err)
			}
			return p, fmt.Errorf("frame %d: %w", p.frames+1, err)
		}
		p.frames++
		if f.Skippable {
			return p, fmt.Errorf("frame %d is a skippable one, which the harness never writes", p.frames)
		}
		if !f.Checksum {
			p.unchecked++
		}
		body := io.Writer(sum)
		if p.frames == 1 {
			body = io.Discard
		}
		if err := w.frame(io.NewSectionReader(r, f.Offset, f.Size), p.frames == 1, body); err != nil {
			return p, fmt.Errorf("frame %d: %w", p.frames, err)
		}
	}
	if p.frames == 0 {
		return p, errors.New("the log is empty")
	}
	p.digest = Digest(sum.Sum(nil))
	return p, nil
}

type lineWalker struct {
	each func(n int, line []byte) error
	buf  *bufio.Reader
	line []byte
	n    int
}

// frame gives the lines of one frame. The first holds exactly one.
func (w *lineWalker) frame(r io.Reader, first bool, sum io.Writer) error {
	in, err := zstdio.NewReader(r)
	if err != nil {
		return err
	}
	defer in.Close()
	w.buf.Reset(io.TeeReader(in, sum))
	for lines := 0; ; lines++ {
		err := w.next()
		switch {
		case err == io.EOF && len(w.line) > 0:
			return errors.New("does not end with a newline")
		case err == io.EOF && lines == 0:
			return errors.New("holds nothing")
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case first && (lines > 0 || len(w.line) == 0):
			return errors.New("the first frame is not exactly the header line")
		}
		w.n++
		if len(w.line) == 0 {
			continue // the harness passes over it
		}
		if err := w.each(w.n, w.line); err != nil {
			return fmt.Errorf("line %d: %w", w.n, err)
		}
	}
}

// next reads one line into w.line, without its newline.
func (w *lineWalker) next() error {
	w.line = w.line[:0]
	for {
		part, err := w.buf.ReadSlice('\n')
		w.line = append(w.line, part...)
		switch {
		case err == nil:
			w.line = bytes.TrimSuffix(w.line, []byte("\n"))
			return nil
		case err != bufio.ErrBufferFull:
			return err
		case len(w.line) > maxLine:
			return fmt.Errorf("line %d is longer than %d bytes", w.n+1, maxLine)
		}
	}
}
