package zstdio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Frames by hand, for what no encoder writes.

const (
	flagChecksum = 1 << 2
	flagReserved = 1 << 3
	flagSegment  = 1 << 5
)

// frame joins a descriptor, the fields that it announces, and blocks.
func frame(descriptor byte, fields string, blocks ...string) string {
	return string(Magic) + string([]byte{descriptor}) + fields + strings.Join(blocks, "")
}

// block gives a block header with body behind it.
func block(last bool, kind, size int, body string) string {
	h := size<<3 | kind<<1
	if last {
		h |= 1
	}
	return string([]byte{byte(h), byte(h >> 8), byte(h >> 16)}) + body
}

func raw(last bool, text string) string             { return block(last, 0, len(text), text) }
func repeat(last bool, c string, n int) string      { return block(last, 1, n, c) }
func skippable(text string) string                  { return "\x53\x2a\x4d\x18" + le(4, uint64(len(text))) + text }
func le(n int, v uint64) string                     { return string(binary.LittleEndian.AppendUint64(nil, v)[:n]) }
func wrong(sum string) string                       { return string(sum[0]^1) + sum[1:] }
func window(exponent, mantissa byte) (field string) { return string([]byte{exponent<<3 | mantissa}) }

var (
	window1K   = window(0, 0)
	window128K = window(7, 0)
	window64M  = window(16, 0)
)

// rollout gives lines of the shape that Codex writes, different every time.
func rollout(lines int) []byte {
	var b bytes.Buffer
	for i := range lines {
		fmt.Fprintf(&b, `{"timestamp":"2026-09-01T10:%02d:%02d.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"line %d of it, %x"}]}}`+"\n", i/60%60, i%60, i, i*i*2654435761)
	}
	return b.Bytes()
}

// encode compresses in blocks of a few KiB, as a stream of unknown length.
func encode(t testing.TB, text []byte, opts ...zstd.EOption) []byte {
	t.Helper()
	var b bytes.Buffer
	opts = append([]zstd.EOption{zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(4 << 10), zstd.WithEncoderCRC(false)}, opts...)
	w, err := zstd.NewWriter(&b, opts...)
	if err != nil {
		t.Fatal(err)
	}
	for part := range bytes.SplitAfterSeq(text, []byte("\n")) {
		if _, err := w.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// decode reads src to its end.
func decode(t testing.TB, src io.Reader) (string, error) {
	t.Helper()
	r, err := NewReader(src)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err == nil {
		if n, again := r.Read(make([]byte, 1)); n != 0 || again != io.EOF {
			t.Errorf("after the end: %d, %v", n, again)
		}
	} else if n, again := r.Read(make([]byte, 1)); n != 0 || again != err {
		t.Errorf("after %v: %d, %v", err, n, again)
	}
	return string(text), err
}

// walk collects the frames of src; the last one may be the one of the error.
func walk(src io.Reader) (frames []Frame, err error) {
	for f, err := range Frames(src) {
		frames = append(frames, f)
		if err != nil {
			return frames, err
		}
	}
	return frames, nil
}
