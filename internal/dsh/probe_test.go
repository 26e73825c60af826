package dsh

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"rollbook/internal/zstdio"
)

// frame gives one frame of text.
func frame(t testing.TB, checksum bool, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	err := zstdio.WriteFrame(&b, checksum, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// frames gives a log of one frame per text.
func frames(t testing.TB, texts ...string) []byte {
	t.Helper()
	var log []byte
	for _, text := range texts {
		log = append(log, frame(t, true, text)...)
	}
	return log
}

func probe(log []byte) (Info, error) { return Probe(bytes.NewReader(log), int64(len(log))) }

// raw is a frame of one raw block, which may hold anything, without a checksum.
func raw(text string) []byte {
	n := len(text)
	head := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x20, byte(n), byte(n<<3 | 1), byte(n >> 5), 0}
	return append(head, text...)
}

// TestProbe holds F1 to F7.
func TestProbe(t *testing.T) {
	log, digest := write(t, exampleHeader, exampleEvents())
	head, body, _ := strings.Cut(exampleText, "\n")
	head += "\n"
	want := Info{ID: exampleHeader.ID, Frames: 2, Events: 16, Turns: 1, Digest: digest, Images: true}
	if got, err := probe(log); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	// The same body in other frames has the same digest.
	lines := strings.SplitAfter(body, "\n")
	for _, more := range [][]byte{
		append(frame(t, false, head), frames(t, lines[:16]...)...),
		append(append(frames(t, head), frame(t, false, body[:len(body)-len(lines[15])])...), frame(t, true, lines[15])...),
	} {
		want := want
		want.Frames = 17
		if len(more) < len(log)*2 {
			want.Frames = 3
		}
		if got, err := probe(more); err != nil || got != want {
			t.Errorf("%+v, %v", got, err)
		}
	}
	// The magic of a frame inside a raw block, and a run of one byte.
	magic := `{"type":"x","data":"` + string(zstdio.Magic) + `"}` + "\n"
	if got, err := probe(append(frames(t, head), raw(magic)...)); err != nil || got.Frames != 2 || got.Events != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	run := append(frames(t, head), 0x28, 0xb5, 0x2f, 0xfd, 0x20, 9, 9<<3|3, 0, 0, '\n')
	if got, err := probe(run); err != nil || got.Frames != 2 || got.Events != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestProbeRefuses: each of these is somebody else's log (F2 to F5).
func TestProbeRefuses(t *testing.T) {
	head, body, _ := strings.Cut(exampleText, "\n")
	head += "\n"
	log := frames(t, head, body)
	flip := func(at int, bits byte) []byte {
		b := bytes.Clone(log)
		b[at] ^= bits
		return b
	}
	second := len(frame(t, true, head))
	block := func(kind byte) []byte { // of a reserved type
		b := append(frames(t, head), raw("1\n")...)
		b[second+6] |= kind << 1
		return b
	}
	for name, c := range map[string]struct {
		log  []byte
		says string
	}{
		"nothing":             {nil, "empty"},
		"no zstd":             {[]byte(exampleText), "no frame starts here"},
		"one frame":           {frames(t, head+body), "not exactly the header line"},
		"header without line": {frames(t, head[:len(head)-1], body), "newline"},
		"empty first line":    {frames(t, "\n", body), "not exactly the header line"},
		"trailing byte":       {append(bytes.Clone(log), 0), "no frame starts here"},
		"trailing magic":      {append(bytes.Clone(log), 0x28), "torn"},
		"checksum":            {flip(len(log)-1, 1), "CRC"},
		"reserved header bit": {flip(second+4, 8), "reserved bit"},
		"reserved block type": {block(3), "reserved type"},
		"skippable":           {append(bytes.Clone(log), 0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 7), "skippable"},
		"skippable first":     {append([]byte{0x5f, 0x2a, 0x4d, 0x18, 0, 0, 0, 0}, log...), "skippable"},
		"empty frame":         {append(bytes.Clone(log), frames(t, "")...), "holds nothing"},
		"half a line":         {frames(t, head, body[:len(body)-1]), "newline"},
		"split line":          {frames(t, head, body[:100], body[100:]), "newline"},
		"no JSON":             {frames(t, head, "{\n"), "line 2: no JSON"},
		"two values":          {frames(t, head, "{\"type\":\"a\"} 1\n"), "more than one value"},
		"no event":            {frames(t, head, "[]\n"), "no type"},
		"other header":        {frames(t, strings.Replace(head, `:3,`, `:4,`, 1), body), "format 3"},
	} {
		if got, err := probe(c.log); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestProbeCut: a log that is cut anywhere is refused, but for where it is cut
// between its frames.
func TestProbeCut(t *testing.T) {
	head, body, _ := strings.Cut(exampleText, "\n")
	log := frames(t, head+"\n", body)
	second := len(frame(t, true, head+"\n"))
	for n := range log {
		info, err := probe(log[:n])
		switch {
		case n == second:
			if err != nil || info.Frames != 1 || info.Events != 0 {
				t.Errorf("cut at %d: %+v, %v", n, info, err)
			}
		case err == nil || errors.Is(err, ErrTorn) != (n > second):
			t.Errorf("cut at %d: %+v, %v", n, info, err)
		}
	}
}

func FuzzProbe(f *testing.F) {
	log, _ := write(f, exampleHeader, exampleEvents())
	f.Add(log)
	f.Add(append(frames(f, `{"type":"session","version":3}`+"\n"), raw("{}\n")...))
	f.Fuzz(func(t *testing.T, log []byte) {
		info, err := probe(log)
		if err == nil && info.Frames < 1 {
			t.Fatalf("%+v", info)
		}
	})
}
