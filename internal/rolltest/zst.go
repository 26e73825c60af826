package rolltest

import (
	"bytes"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// compress makes one frame without a checksum, as Codex does: up to V147 without
// the content's size (window 2 MiB), later with it
// (docs/format/rollout.md, "compression").
func compress(text []byte, v Version) []byte {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(false), zstd.WithEncoderConcurrency(1), zstd.WithSingleSegment(v >= V152), zstd.WithWindowSize(2<<20))
	if err != nil {
		panic(fmt.Sprintf("rolltest: zstd: %v", err))
	}
	if v >= V152 {
		return enc.EncodeAll(text, nil)
	}
	var out bytes.Buffer
	enc.Reset(&out)
	half := len(text) / 2 // a stream of two writes has no size in its header
	for _, part := range [][]byte{text[:half], text[half:]} {
		if _, err := enc.Write(part); err != nil {
			panic(fmt.Sprintf("rolltest: zstd: %v", err))
		}
		if err := enc.Flush(); err != nil {
			panic(fmt.Sprintf("rolltest: zstd: %v", err))
		}
	}
	if err := enc.Close(); err != nil {
		panic(fmt.Sprintf("rolltest: zstd: %v", err))
	}
	return out.Bytes()
}

// Compress gives a rollout's text as a version of Codex compresses it.
func Compress(text []byte, v Version) []byte { return compress(text, v) }
