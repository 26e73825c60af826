// Package zstdio reads zstd streams whose writers are not trusted: memory is
// capped, and a stream that is cut or broken says where the good part ends.
package zstdio

import (
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Magic opens every zstd frame.
var Magic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// IsFrame reports whether head opens a zstd frame.
func IsFrame(head []byte) bool { return bytes.HasPrefix(head, Magic) }

// MaxWindow is the largest window that a frame may ask for, in bytes. Codex
// writes 2 MiB; a frame that wants more than this is refused unread.
const MaxWindow = 64 << 20

// A DamageError says that a compressed stream is cut or broken: what was read
// before it is good, what follows cannot be had.
type DamageError struct {
	Err error
}

func (e *DamageError) Error() string { return "compressed stream: " + e.Err.Error() }
func (e *DamageError) Unwrap() error { return e.Err }

// A Reader decompresses. Close it to give its buffers back.
type Reader struct {
	dec *zstd.Decoder
}

// NewReader reads the zstd stream r, which may be several frames.
func NewReader(r io.Reader) (*Reader, error) {
	dec, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(MaxWindow), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, &DamageError{err}
	}
	return &Reader{dec}, nil
}

// Read returns a *DamageError where the stream is cut or broken.
func (r *Reader) Read(p []byte) (int, error) {
	n, err := r.dec.Read(p)
	if err != nil && err != io.EOF && !errors.As(err, new(*DamageError)) {
		err = &DamageError{err}
	}
	return n, err
}

// Close gives the decoder's buffers back.
func (r *Reader) Close() error {
	r.dec.Close()
	return nil
}
