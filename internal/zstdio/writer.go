package zstdio

import (
	"io"

	"github.com/klauspost/compress/zstd"
)

// WriteFrame compresses what write writes into one frame of w, with a checksum
// of the content if that is wanted. The same content gives the same bytes,
// however it is cut into writes; no content gives a frame without content.
// After an error what w got is no whole frame.
func WriteFrame(w io.Writer, checksum bool, write func(io.Writer) error) error {
	frame, err := NewFrame(w, checksum)
	if err != nil {
		return err
	}
	if err := write(frame); err != nil {
		return err // not closed: the frame must not look whole
	}
	return frame.Close()
}

// NewFrame is WriteFrame for a caller that is driven itself: what is written to
// it goes into one frame of w, which Close ends. A frame that is never closed
// stays cut, and costs nothing but garbage.
func NewFrame(w io.Writer, checksum bool) (io.WriteCloser, error) {
	return zstd.NewWriter(w, zstd.WithEncoderCRC(checksum), zstd.WithZeroFrames(true),
		zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
}
