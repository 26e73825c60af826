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
	enc, err := zstd.NewWriter(w, zstd.WithEncoderCRC(checksum), zstd.WithZeroFrames(true),
		zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return err
	}
	if err := write(enc); err != nil {
		return err // not closed: the frame must not look whole
	}
	return enc.Close()
}
