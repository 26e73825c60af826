package zstdio

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

func TestFrames(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []Frame
	}{
		{"nothing", "", nil},
		{"nothing known", frame(0, window1K, raw(true, "abc")),
			[]Frame{{HeaderSize: 6, Size: 12, WindowSize: 1 << 10}}},
		{"checksum", frame(flagChecksum, window(1, 4), raw(true, "abc"), "sum!"),
			[]Frame{{HeaderSize: 6, Size: 16, WindowSize: 3 << 10, Checksum: true}}},
		{"window of 8 MiB and 7/8", frame(0, window(13, 7), raw(true, "")),
			[]Frame{{HeaderSize: 6, Size: 9, WindowSize: 15 << 20}}},
		{"largest window", frame(0, window(31, 7), raw(true, "")),
			[]Frame{{HeaderSize: 6, Size: 9, WindowSize: 15 << 38}}},
		{"one segment", frame(flagSegment, "\x03", raw(true, "abc")),
			[]Frame{{HeaderSize: 6, Size: 12, WindowSize: 3, HasContentSize: true, ContentSize: 3}}},
		{"size of two bytes", frame(1<<6, window1K+"\x01\x00", repeat(true, "a", 257)),
			[]Frame{{HeaderSize: 8, Size: 12, WindowSize: 1 << 10, HasContentSize: true, ContentSize: 257}}},
		{"size of four bytes", frame(2<<6|flagSegment, le(4, 1<<32-1), raw(true, "")),
			[]Frame{{HeaderSize: 9, Size: 12, WindowSize: 1<<32 - 1, HasContentSize: true, ContentSize: 1<<32 - 1}}},
		{"size of eight bytes", frame(3<<6, window1K+le(8, 1<<64-2), raw(true, "")),
			[]Frame{{HeaderSize: 14, Size: 17, WindowSize: 1 << 10, HasContentSize: true, ContentSize: 1<<64 - 2}}},
		{"dictionary of one byte", frame(1, window1K+"\xff", raw(true, "")),
			[]Frame{{HeaderSize: 7, Size: 10, WindowSize: 1 << 10, DictionaryID: 255}}},
		{"dictionary of two bytes", frame(2|flagSegment, "\x01\x02\x00", raw(true, "")),
			[]Frame{{HeaderSize: 8, Size: 11, HasContentSize: true, DictionaryID: 0x201}}},
		{"everything", frame(3|flagChecksum|3<<6, window1K+le(4, 0xfedcba98)+le(8, 3), raw(false, "a"), block(false, 2, 4, "zzzz"), repeat(true, "b", 9), "sum!"),
			[]Frame{{HeaderSize: 18, Size: 37, WindowSize: 1 << 10, HasContentSize: true, ContentSize: 3, Checksum: true, DictionaryID: 0xfedcba98}}},
		{"skippable", skippable("abc") + skippable(""),
			[]Frame{{HeaderSize: 8, Size: 11, Skippable: true}, {Offset: 11, HeaderSize: 8, Size: 8, Skippable: true}}},
		{"two frames, skippable between", frame(0, window1K, raw(true, "a")) + skippable("b") + frame(0, window1K, raw(true, "c")),
			[]Frame{{HeaderSize: 6, Size: 10, WindowSize: 1 << 10}, {Offset: 10, HeaderSize: 8, Size: 9, Skippable: true}, {Offset: 19, HeaderSize: 6, Size: 10, WindowSize: 1 << 10}}},
		{"magic number inside a block", frame(0, window1K, raw(true, string(Magic))),
			[]Frame{{HeaderSize: 6, Size: 13, WindowSize: 1 << 10}}},
		{"largest block", frame(0, window128K, raw(true, strings.Repeat("a", maxBlock))),
			[]Frame{{HeaderSize: 6, Size: 9 + maxBlock, WindowSize: maxBlock}}},
	} {
		for how, wrap := range sources {
			got, err := walk(wrap(strings.NewReader(c.in)))
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("%s, %s: %v\n%s", c.name, how, err, diff)
			}
		}
	}
}

func TestFramesDamage(t *testing.T) {
	good := frame(0, window1K, raw(true, "abc"))
	for _, c := range []struct {
		name, in string
		last     Frame
		err      string
	}{
		{"garbage", "not zstd", Frame{}, "byte 0: no frame starts here"},
		{"short garbage", "no", Frame{}, "byte 0: no frame starts here"},
		{"garbage behind a frame", good + "abcd", Frame{Offset: 12}, "byte 12: no frame starts here"},
		{"a byte behind a frame", good + "\n", Frame{Offset: 12}, "byte 12: no frame starts here"},
		{"cut magic number", good + good[:3], Frame{Offset: 12, Size: 3}, "byte 15: ends inside a frame"},
		{"cut skippable magic number", "\x5f\x2a", Frame{Size: 2}, "byte 2: ends inside a frame"},
		{"cut skippable frame", skippable("abc")[:10], Frame{HeaderSize: 8, Size: 10, Skippable: true}, "byte 10: ends inside a frame"},
		{"cut header", good[:5], Frame{Size: 5}, "byte 5: ends inside a frame"},
		{"cut block", good + good[:11], Frame{Offset: 12, HeaderSize: 6, Size: 11, WindowSize: 1 << 10}, "byte 23: ends inside a frame"},
		{"no last block", frame(0, window1K, raw(false, "abc")), Frame{HeaderSize: 6, Size: 12, WindowSize: 1 << 10}, "byte 12: ends inside a frame"},
		{"cut checksum", frame(flagChecksum, window1K, raw(true, "abc"), "sum"), Frame{HeaderSize: 6, Size: 15, WindowSize: 1 << 10, Checksum: true}, "byte 15: ends inside a frame"},
		{"reserved bit", frame(flagReserved, window1K, raw(true, "abc")), Frame{Size: 5}, "byte 5: reserved bit of the frame header is set"},
		{"reserved block", frame(0, window1K, block(true, 3, 0, "")), Frame{HeaderSize: 6, Size: 9, WindowSize: 1 << 10}, "byte 9: block of a reserved type"},
		{"block larger than the window", frame(0, window1K, raw(true, strings.Repeat("a", 1025))), Frame{HeaderSize: 6, Size: 9, WindowSize: 1 << 10}, "byte 9: block of 1025 bytes, more than the 1024 allowed"},
		{"block larger than any", frame(0, window64M, repeat(true, "a", maxBlock+1)), Frame{HeaderSize: 6, Size: 9, WindowSize: MaxWindow}, "byte 9: block of 131073 bytes, more than the 131072 allowed"},
	} {
		for how, wrap := range sources {
			frames, err := walk(wrap(strings.NewReader(c.in)))
			if !errors.As(err, new(*DamageError)) {
				t.Fatalf("%s, %s: error %v", c.name, how, err)
			}
			if got := strings.TrimPrefix(err.Error(), "compressed stream: "); got != c.err {
				t.Errorf("%s, %s: %s; want %s", c.name, how, got, c.err)
			}
			if diff := cmp.Diff(c.last, frames[len(frames)-1]); diff != "" {
				t.Errorf("%s, %s:\n%s", c.name, how, diff)
			}
		}
	}
}

func TestFramesStops(t *testing.T) {
	src := &endless{again: frame(0, window1K, raw(true, "abc")), times: 1 << 20}
	for range Frames(src) {
		break
	}
	if src.took > bufferSize {
		t.Errorf("%d bytes read for one frame", src.took)
	}
}

// agree holds the walker to the library on a stream that decodes to text
// without error: the same headers, and frames that start and end where each
// decodes for itself and all together give text.
func agree(t *testing.T, in []byte, text string) {
	t.Helper()
	frames, err := walk(bytes.NewReader(in))
	if err != nil {
		t.Fatalf("the walker refuses what decodes: %v", err)
	}
	var joined strings.Builder
	end := int64(0)
	for _, f := range frames {
		if f.Offset != end {
			t.Fatalf("frame at %d, but the one before ends at %d", f.Offset, end)
		}
		end += f.Size
		part := in[f.Offset:end]
		var h zstd.Header
		if err := h.Decode(part); err != nil {
			t.Fatalf("frame at %d: %v", f.Offset, err)
		}
		if diff := cmp.Diff(fromHeader(h, f), f); diff != "" {
			t.Errorf("frame at %d:\n%s", f.Offset, diff)
		}
		content, err := decode(t, bytes.NewReader(part))
		if err != nil {
			t.Errorf("frame at %d alone: %v", f.Offset, err)
		}
		if _, err := decode(t, bytes.NewReader(part[:len(part)-1])); !errors.Is(err, ErrCut) {
			t.Errorf("frame at %d without its last byte: %v", f.Offset, err)
		}
		joined.WriteString(content)
	}
	if end != int64(len(in)) || joined.String() != text {
		t.Errorf("frames end at %d of %d and hold %d bytes of %d", end, len(in), joined.Len(), len(text))
	}
}

// fromHeader is f as the library reads its header.
func fromHeader(h zstd.Header, f Frame) Frame {
	want := Frame{
		Offset: f.Offset, Size: f.Size, HeaderSize: h.HeaderSize, Skippable: h.Skippable,
		WindowSize: h.WindowSize, HasContentSize: h.HasFCS, ContentSize: h.FrameContentSize,
		Checksum: h.HasCheckSum, DictionaryID: h.DictionaryID,
	}
	if h.SingleSegment {
		want.WindowSize = h.FrameContentSize
	}
	if h.Skippable {
		want.Size = int64(h.HeaderSize) + int64(h.SkippableSize)
	}
	return want
}

func TestFramesAgree(t *testing.T) {
	for name, in := range streams(t) {
		t.Run(name, func(t *testing.T) {
			text, err := decode(t, bytes.NewReader(in))
			if err != nil {
				t.Fatal(err)
			}
			agree(t, in, text)
		})
	}
	for level := zstd.SpeedFastest; level <= zstd.SpeedBestCompression; level++ {
		t.Run(level.String(), func(t *testing.T) {
			text := rollout(3000)
			agree(t, encode(t, text, zstd.WithEncoderLevel(level), zstd.WithWindowSize(1<<17), zstd.WithEncoderCRC(true)), string(text))
		})
	}
}

// bound is how much decompressed text a fuzz test follows.
const bound = 4 << 20

func FuzzFrames(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, in []byte) {
		frames, werr := walk(bytes.NewReader(in))
		end := int64(0)
		for _, f := range frames {
			if f.Offset != end || f.Size < 0 || f.Size == 0 && werr == nil {
				t.Fatalf("frame at %d of %d bytes, but the one before ends at %d", f.Offset, f.Size, end)
			}
			end += f.Size
		}
		if werr == nil && end != int64(len(in)) || end > int64(len(in)) {
			t.Fatalf("frames end at %d of %d: %v", end, len(in), werr)
		}
		text, err := decodeBounded(t, in)
		switch {
		case err == nil:
			agree(t, in, text)
		case errors.Is(err, ErrCut) && werr == nil:
			t.Fatalf("the reader says %v, the walker finds it whole", err)
		}
	})
}

var errBound = errors.New("over the bound")

// decodeBounded is decode for input that may be a bomb.
func decodeBounded(t *testing.T, in []byte) (string, error) {
	r, err := NewReader(bytes.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, bound+1))
	if len(text) > bound {
		return "", errBound
	}
	return string(text), err
}

func seed(f *testing.F) {
	for _, in := range streams(f) {
		f.Add(in)
		f.Add(in[:len(in)*2/3])
	}
	f.Add([]byte("not zstd"))
	f.Add([]byte(frame(3|flagChecksum|3<<6, window1K+le(4, 0)+le(8, 3), raw(false, "a"), repeat(true, "b", 2), "sum!")))
}
