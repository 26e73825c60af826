package zstdio

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
)

func TestReader(t *testing.T) {
	abc := string(encode(t, []byte("abc"), zstd.WithEncoderCRC(true), zstd.WithZeroFrames(true)))
	sum := abc[len(abc)-4:]
	large := frame(flagSegment|3<<6, le(8, MaxWindow+1), raw(true, "abc"))
	for _, c := range []struct {
		name, in, text string
		err            string // "" is the end
	}{
		{"nothing", "", "", ""},
		{"one frame", abc, "abc", ""},
		{"two frames", abc + abc, "abcabc", ""},
		{"frame without content", frame(0, window1K, raw(true, "")), "", ""},
		{"one segment without content", frame(flagSegment, "\x00", raw(true, "")), "", ""},
		{"without content size", frame(0, window1K, raw(false, "ab"), raw(true, "c")), "abc", ""},
		{"repeated byte", frame(0, window1K, repeat(false, "a", 3), repeat(true, "b", 2)), "aaabb", ""},
		{"skippable frames", skippable("x") + abc + skippable("") + abc + skippable("yz"), "abcabc", ""},
		{"only a skippable frame", skippable("x"), "", ""},
		{"magic number inside a block", frame(0, window1K, raw(true, string(Magic)+abc)), string(Magic) + abc, ""},
		{"dictionary 0", frame(1, window1K+"\x00", raw(true, "abc")), "abc", ""},
		{"64 MiB window", frame(0, window64M, raw(true, "abc")), "abc", ""},

		{"garbage", "not zstd", "", "byte 4: invalid input: magic number mismatch"},
		{"garbage behind a frame", abc + "abcd", "abc", "byte 20: invalid input: magic number mismatch"},
		{"a byte behind a frame", abc + "a", "abc", "byte 17: ends inside a frame"},
		{"cut magic number", abc[:3], "", "byte 3: ends inside a frame"},
		{"cut header", abc[:5], "", "byte 5: ends inside a frame"},
		{"cut block", abc[:10], "", "byte 10: ends inside a frame"},
		{"no checksum", abc[:12], "abc", "byte 12: ends inside a frame"},
		{"cut checksum", abc[:14], "abc", "byte 14: ends inside a frame"},
		{"wrong checksum", abc[:12] + wrong(sum), "abc", "byte 16: CRC check failed"},
		{"cut skippable frame", abc + skippable("xyz")[:9], "abc", "byte 25: ends inside a frame"},
		{"no last block", frame(0, window1K, raw(false, "abc")), "abc", "byte 12: ends inside a frame"},
		{"more content than declared", frame(flagSegment, "\x02", raw(false, "ab"), raw(true, "c")), "abc", "byte 15: frame size exceeded"},
		{"less content than declared", frame(flagSegment, "\x04", raw(false, "ab"), raw(true, "c")), "abc", "byte 15: frame size does not match size on stream"},
		{"reserved bit", frame(flagReserved, window1K, raw(true, "abc")), "", "byte 5: reserved bit set on frame header"},
		{"reserved block", frame(0, window1K, raw(false, "a"), block(true, 3, 0, "")), "a", "byte 13: invalid input: reserved block type encountered"},
		{"broken block", frame(0, window1K, raw(false, "a"), block(true, 2, 2, "\xff\xff")), "a", "byte 15: block too small"},
		{"unknown dictionary", frame(1, window1K+"\x07", raw(true, "abc")), "", "byte 7: unknown dictionary"},
		{"window over the limit", frame(0, window(16, 1), raw(true, "abc")), "", "byte 6: window size exceeded"},
		{"2 GiB window", frame(0, window(21, 0), raw(true, "abc")), "", "byte 6: window size exceeded"},
		{"largest window", frame(0, window(31, 7), raw(true, "abc")), "", "byte 6: window size exceeded"},
		{"segment over the limit", large, "", "byte 13: frame of one segment, larger than the window limit of 67108864 bytes"},
		{"largest segment", frame(flagSegment|3<<6, le(8, 1<<64-1), raw(true, "abc")), "", "byte 13: frame of one segment, larger than the window limit of 67108864 bytes"},
		{"old format", "\x27\xb5\x2f\xfd\x00\x00", "", "byte 4: invalid input: magic number mismatch"},
	} {
		for how, wrap := range sources {
			text, err := decode(t, wrap(strings.NewReader(c.in)))
			got := ""
			if err != nil {
				got = strings.TrimPrefix(err.Error(), "compressed stream: ")
				if !errors.As(err, new(*DamageError)) {
					t.Errorf("%s, %s: %v is no *DamageError", c.name, how, err)
				}
			}
			if text != c.text || got != c.err {
				t.Errorf("%s, %s: %q, %q; want %q, %q", c.name, how, text, got, c.text, c.err)
			}
		}
	}
}

// sources are ways in which the same bytes may arrive. A bytes.Buffer is one
// that the library would decode whole into memory, if it saw it.
var sources = map[string]func(io.Reader) io.Reader{
	"whole":         func(r io.Reader) io.Reader { return r },
	"bytewise":      iotest.OneByteReader,
	"data with EOF": iotest.DataErrReader,
	"buffer": func(r io.Reader) io.Reader {
		var b bytes.Buffer
		b.ReadFrom(r)
		return &b
	},
}

// TestCutInThirdBlock: what was decoded before the damage arrives before it is told.
func TestCutInThirdBlock(t *testing.T) {
	first, second := strings.Repeat("a", 700), strings.Repeat("b", 900)
	in := frame(0, window1K, raw(false, first), raw(false, second), raw(true, "third"))
	r, err := NewReader(strings.NewReader(in[:len(in)-2]))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got strings.Builder
	for p := make([]byte, 64); ; {
		n, err := r.Read(p)
		got.Write(p[:n])
		if n > 0 && err != nil {
			t.Errorf("%v came together with data", err)
		}
		if err == nil {
			continue
		}
		d, ok := err.(*DamageError)
		if !ok || d.Offset != int64(len(in)-2) || !errors.Is(err, ErrCut) {
			t.Errorf("error %v", err)
		}
		break
	}
	if got.String() != first+second {
		t.Errorf("%d bytes before the damage, want %d", got.Len(), len(first+second))
	}
}

func TestTruncation(t *testing.T) {
	for name, in := range streams(t) {
		t.Run(name, func(t *testing.T) { sweep(t, in) })
	}
}

// sweep cuts a stream at every byte. Only a cut between frames may look like an
// end; everything decoded before the cut is had; the walker says the same.
func sweep(t *testing.T, in []byte) {
	text, err := decode(t, bytes.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	ends := map[int64]bool{0: true}
	for f := range Frames(bytes.NewReader(in)) {
		ends[f.Offset+f.Size] = true
	}
	had := 0
	for n := range int64(len(in)) {
		got, err := decode(t, bytes.NewReader(in[:n]))
		if len(got) < had || !strings.HasPrefix(text, got) {
			t.Fatalf("cut at %d: %d bytes after %d", n, len(got), had)
		}
		had = len(got)
		frames, werr := walk(bytes.NewReader(in[:n]))
		if ends[n] {
			if err != nil || werr != nil {
				t.Errorf("cut at %d, between frames: reader says %v, walker %v", n, err, werr)
			}
			continue
		}
		for _, err := range []error{err, werr} {
			if d, ok := err.(*DamageError); !ok || d.Offset != n || d.Err != ErrCut {
				t.Errorf("cut at %d: %v", n, err)
			}
		}
		if last := frames[len(frames)-1]; last.Offset+last.Size != n {
			t.Errorf("cut at %d: frame at %d, %d bytes of it", n, last.Offset, last.Size)
		}
	}
}

// streams are what a test cuts and breaks: every kind of frame and block.
func streams(t testing.TB) map[string][]byte {
	text := rollout(120)
	return map[string][]byte{
		"rollout":     encode(t, text),
		"one segment": encode(t, text[:2000], zstd.WithSingleSegment(true)),
		"two frames with checksums": append(encode(t, text[:400], zstd.WithEncoderCRC(true)),
			encode(t, text[400:9000], zstd.WithEncoderCRC(true))...),
		"by hand": []byte(skippable("abc") + frame(1<<6|1, window1K+"\x00"+le(2, 300-256), raw(false, strings.Repeat("x", 290)), repeat(true, "y", 10)) + skippable("")),
	}
}

var errDisk = errors.New("disk is gone")

// TestSourceFails: a source that cannot be read is not a damaged stream, at
// whatever byte it fails and whatever its error.
func TestSourceFails(t *testing.T) {
	for name, in := range streams(t) {
		for n := range len(in) + 1 {
			cut, _ := decode(t, bytes.NewReader(in[:n]))
			for _, fault := range []error{errDisk, io.ErrUnexpectedEOF} {
				src := func() io.Reader { return io.MultiReader(bytes.NewReader(in[:n]), iotest.ErrReader(fault)) }
				for how, src := range map[string]io.Reader{"alone": src(), "with data": iotest.DataErrReader(src())} {
					if text, err := decode(t, src); err != fault || text != cut {
						t.Fatalf("%s, %q at %d, %s: %d bytes, %v; want %d", name, fault, n, how, len(text), err, len(cut))
					}
				}
				if _, err := walk(src()); err != fault {
					t.Fatalf("%s, %q at %d: walker says %v", name, fault, n, err)
				}
			}
		}
	}
}

// TestDamageBeforeFailure: damage in bytes that were read is damage, though the
// source would have failed next.
func TestDamageBeforeFailure(t *testing.T) {
	src := iotest.DataErrReader(io.MultiReader(strings.NewReader("not zstd"), iotest.ErrReader(errDisk)))
	if _, err := decode(t, src); !errors.As(err, new(*DamageError)) {
		t.Errorf("%v", err)
	}
}

// TestFailureWithData: an error that comes with the bytes that the decoder
// wanted, and never again, is not lost.
func TestFailureWithData(t *testing.T) {
	text := strings.Repeat("a", 3*bufferSize)
	src := &failsOnce{strings.NewReader(frame(0, window128K, raw(true, text))), errDisk}
	if got, err := decode(t, src); got != text || err != errDisk {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// failsOnce gives an error with its last bytes, and then the end.
type failsOnce struct {
	src *strings.Reader
	err error
}

func (f *failsOnce) Read(p []byte) (int, error) {
	n, err := f.src.Read(p)
	if err == nil && f.src.Len() == 0 {
		err = f.err
	}
	return n, err
}

// TestReuse: a Reader is not marked by what another one met.
func TestReuse(t *testing.T) {
	text := rollout(60)
	good := encode(t, text, zstd.WithEncoderCRC(true))
	for n := 0; n < len(good); n += 7 {
		bad := bytes.Clone(good)
		bad[n] ^= 0x55
		decode(t, bytes.NewReader(bad[:len(bad)-n/2]))
		r, err := NewReader(bytes.NewReader(good))
		if err != nil {
			t.Fatal(err)
		}
		r.Read(make([]byte, 10)) // left in the middle
		r.Close()
		if got, err := decode(t, bytes.NewReader(good)); err != nil || got != string(text) {
			t.Fatalf("after damage at %d: %d bytes, %v", n, len(got), err)
		}
	}
}

func TestClose(t *testing.T) {
	r, err := NewReader(strings.NewReader(frame(0, window1K, raw(true, "abc"))))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if n, err := r.Read(make([]byte, 1)); n != 0 || err != fs.ErrClosed {
			t.Errorf("read after close: %d, %v", n, err)
		}
	}
}
