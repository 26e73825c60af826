package dsh

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"rollbook/internal/zstdio"
)

// A Digest is the SHA-256 of the text of all frames after the first, joined
// (docs/format/dsh.md, F6).
type Digest [sha256.Size]byte

// String gives 64 lower-case hex digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// A Writer writes one session: a frame with the header, then one frame with all
// events, both with a checksum (docs/format/dsh.md, F1). It holds no event: text
// goes through in pieces. The same events give the same bytes.
type Writer struct {
	frames *zstdio.Writer
	sum    hash.Hash
	out    encoder
	seq    int

	tokens int64
}

// NewWriter writes the header of a session to w, which needs no buffer.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	switch {
	case h.ID == "":
		return nil, errors.New("session without an id")
	case h.CreatedAt < 0:
		return nil, fmt.Errorf("session %s: created before 1970", h.ID)
	case h.Cwd != "" && !absolute(h.Cwd):
		return nil, fmt.Errorf("session %s: the working directory %q is not absolute", h.ID, h.Cwd)
	}
	frames, err := zstdio.NewWriter(w, true)
	if err != nil {
		return nil, err
	}
	e := encoder{w: frames}
	e.header(h)
	if e.flush(); e.err == nil {
		e.err = frames.EndFrame()
	}
	if e.err != nil {
		return nil, e.err
	}
	sum := sha256.New()
	return &Writer{frames: frames, sum: sum, out: encoder{w: io.MultiWriter(frames, sum)}}, nil
}

// Append writes the next event and tells its seq, which a ToolResult or a Title
// refers to. The first error stays.
func (w *Writer) Append(ev *Event) (seq int, err error) {
	seq = w.seq
	w.out.event(seq, ev)
	w.seq++
	w.tokens += tokens(ev.Data)
	return seq, w.out.err
}

// Seq is that of the event which is appended next.
func (w *Writer) Seq() int { return w.seq }

// Tokens is the price of what the model is given of the session so far
// (docs/format/dsh.md, T1).
func (w *Writer) Tokens() int64 { return w.tokens }

// Close ends the log. Where it or an Append failed, what was written is no
// whole log. The underlying writer stays open.
func (w *Writer) Close() (Digest, error) {
	w.out.flush()
	if w.out.err != nil {
		return Digest{}, w.out.err // the frame stays cut: it must not look whole
	}
	if err := w.frames.EndFrame(); err != nil {
		return Digest{}, err
	}
	return Digest(w.sum.Sum(nil)), nil
}
