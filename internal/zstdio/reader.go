package zstdio

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// MaxWindow is the largest window that a frame may ask for, in bytes: 64 MiB.
// Codex writes 2 MiB. It bounds a Reader's memory; a frame that wants more (or
// has no window because it is one segment, and is larger) is refused unread.
const MaxWindow = 64 << 20

// bufferSize is one read of the source.
const bufferSize = 32 << 10

// A Reader decompresses a stream of frames. It holds at most one window and a
// few blocks of 128 KiB, however much the stream expands: the caller's own
// limit decides how much of a bomb is read. Close it to give its buffers back.
type Reader struct {
	eng *engine
	src source
	err error // why reading ended; given once all decoded bytes are
}

// An engine is what Readers pass on to each other: making it costs many times
// what a small file costs.
type engine struct {
	dec *zstd.Decoder
	in  *bufio.Reader
}

var engines sync.Pool // of *engine

func newEngine() (*engine, error) {
	if e, ok := engines.Get().(*engine); ok {
		return e, nil
	}
	// Concurrency 1 decodes in the calling goroutine, so a Reader that is
	// never closed is garbage and nothing more.
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(MaxWindow), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, err
	}
	return &engine{dec, bufio.NewReaderSize(nil, bufferSize)}, nil
}

// NewReader reads the zstd stream r: any number of frames, also none. It reads
// ahead of what it gives.
func NewReader(r io.Reader) (*Reader, error) {
	eng, err := newEngine()
	if err != nil {
		return nil, err
	}
	eng.in.Reset(r)
	z := &Reader{eng: eng, src: source{r: eng.in}}
	if err := eng.dec.Reset(&z.src); err != nil {
		return nil, err
	}
	return z, nil
}

// Read gives decompressed bytes. After the last good one it returns io.EOF
// where the stream ends behind a whole frame, a *DamageError where it is cut or
// broken, and the source's own error where that could not be read. The bytes of
// a frame are given before its checksum is seen: where that does not match, none
// of them can be relied on.
func (r *Reader) Read(p []byte) (int, error) {
	if r.eng == nil {
		return 0, fs.ErrClosed
	}
	n, err := r.eng.dec.Read(p)
	if err != nil && r.err == nil {
		r.err = r.explain(err)
		if n == 0 {
			// A block that was decoded before the frame's end turned out
			// wrong or missing is still to be had.
			n, err = r.eng.dec.Read(p)
		}
	}
	if n > 0 || err == nil {
		return n, nil
	}
	return 0, r.err
}

// explain tells a failing source, the end, and damage apart: the decoder gives
// io.ErrUnexpectedEOF for all three at times.
func (r *Reader) explain(err error) error {
	switch {
	case r.src.err != nil && r.src.err != io.EOF:
		return r.src.err
	case err == io.EOF:
		return io.EOF
	case r.src.err == io.EOF:
		err = ErrCut
	case errors.Is(err, zstd.ErrDecoderSizeExceeded):
		err = fmt.Errorf("frame of one segment, larger than the window limit of %d bytes", MaxWindow)
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("block ends inside a value")
	}
	return &DamageError{r.src.n, err}
}

// Close gives the buffers back. The source stays open.
func (r *Reader) Close() error {
	if r.eng == nil {
		return nil
	}
	err := r.eng.dec.Reset(nil)
	r.eng.in.Reset(nil)
	engines.Put(r.eng)
	r.eng = nil
	return err
}

// A source remembers how it ended. It gives an error alone, never with bytes:
// so err is set only when the decoder wanted more than there was.
type source struct {
	r    io.Reader
	n    int64 // bytes given
	held error // came with bytes
	err  error // given
}

func (s *source) Read(p []byte) (int, error) {
	if s.held != nil {
		s.err = s.held
		return 0, s.err
	}
	n, err := s.r.Read(p)
	s.n += int64(n)
	s.held = err
	if n > 0 {
		return n, nil
	}
	s.err = err
	return 0, err
}
