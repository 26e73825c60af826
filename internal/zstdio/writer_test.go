package zstdio

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

func TestWriteFrame(t *testing.T) {
	for name, text := range map[string][]byte{"nothing": nil, "a line": rollout(1), "rollout": rollout(4000)} {
		for _, checksum := range []bool{true, false} {
			var b, bytewise bytes.Buffer
			err := WriteFrame(&b, checksum, func(w io.Writer) error { _, err := w.Write(text); return err })
			if err != nil {
				t.Fatal(err)
			}
			agree(t, b.Bytes(), string(text))
			frames, _ := walk(bytes.NewReader(b.Bytes()))
			if len(frames) != 1 || frames[0].Checksum != checksum || frames[0].WindowSize > MaxWindow {
				t.Errorf("%s, checksum %t: %+v", name, checksum, frames)
			}
			err = WriteFrame(&bytewise, checksum, func(w io.Writer) error {
				_, err := io.Copy(w, iotest.OneByteReader(bytes.NewReader(text)))
				return err
			})
			if err != nil || !bytes.Equal(b.Bytes(), bytewise.Bytes()) {
				t.Errorf("%s, checksum %t: written byte by byte it differs (%v)", name, checksum, err)
			}
		}
	}
}

// TestWriterFrames: frames of one Writer hold what was written between their
// ends, and writing the same gives the same bytes.
func TestWriterFrames(t *testing.T) {
	texts := []string{"a\n", string(rollout(4000)), "", string(rollout(4000)), "z"}
	write := func() []byte {
		var b bytes.Buffer
		w, err := NewWriter(&b, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			io.WriteString(w, text)
			if err := w.EndFrame(); err != nil {
				t.Fatal(err)
			}
		}
		return b.Bytes()
	}
	once := write()
	if !bytes.Equal(once, write()) {
		t.Error("written twice it differs")
	}
	frames, err := walk(bytes.NewReader(once))
	if err != nil || len(frames) != len(texts) {
		t.Fatalf("%d frames, %v", len(frames), err)
	}
	for i, f := range frames {
		agree(t, once[f.Offset:f.Offset+f.Size], texts[i])
	}
}

// TestWriteFrameFails: after any fault the stream is cut, and the fault is told.
func TestWriteFrameFails(t *testing.T) {
	text := rollout(4000)
	fault := errors.New("no text")
	for _, written := range []int{0, 1, 300 << 10} {
		var b bytes.Buffer
		err := WriteFrame(&b, true, func(w io.Writer) error { w.Write(text[:written]); return fault })
		if err != fault {
			t.Errorf("error %v", err)
		}
		if frames, err := walk(&b); len(frames) > 0 && !errors.Is(err, ErrCut) || len(frames) == 0 && written > maxBlock {
			t.Errorf("given up after %d bytes: %d frames, %v", written, len(frames), err)
		}
	}
	var whole bytes.Buffer
	if err := WriteFrame(&whole, true, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < whole.Len(); n += 997 {
		full := &full{room: n}
		err := WriteFrame(full, true, func(w io.Writer) error { w.Write(text); return nil })
		if err != errDisk {
			t.Errorf("disk full after %d bytes: %v", n, err)
		}
	}
}

// A full writer takes room bytes.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.room {
		n := f.room
		f.room = 0
		return n, errDisk
	}
	f.room -= len(p)
	return len(p), nil
}
