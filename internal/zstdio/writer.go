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
	f, err := NewWriter(w, checksum)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		return err // not ended: the frame must not look whole
	}
	return f.EndFrame()
}

// A Writer is WriteFrame for a caller that is driven itself, and for several
// frames: what is written goes into one frame until EndFrame, the rest into the
// next. A frame that is not ended stays cut, and costs nothing but garbage. The
// same writes and ends give the same bytes.
type Writer struct {
	w   io.Writer
	enc *zstd.Encoder
}

// NewWriter writes frames to w, with checksums of their contents if wanted.
func NewWriter(w io.Writer, checksum bool) (*Writer, error) {
	enc, err := zstd.NewWriter(w, zstd.WithEncoderCRC(checksum), zstd.WithZeroFrames(true),
		zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	return &Writer{w, enc}, err
}

func (f *Writer) Write(p []byte) (int, error) { return f.enc.Write(p) }

// EndFrame ends the frame, also one without content.
func (f *Writer) EndFrame() error {
	if err := f.enc.Close(); err != nil {
		return err
	}
	f.enc.Reset(f.w)
	return nil
}
