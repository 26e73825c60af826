package zstdio

import (
	"io"
	"strings"
	"testing"
)

// cap64 is what a Reader may take from the heap: the largest window, two
// blocks of room, buffers. Everything taken counts, also what was given back.
const cap64 = MaxWindow + 2<<20

// TestBombs reads streams that promise or hold far more than they are. A test
// that does not end would be a loop without progress.
func TestBombs(t *testing.T) {
	mega := repeat(false, "a", maxBlock)
	for _, c := range []struct {
		name string
		in   string // once
		then string // again and again
		read int64  // decompressed bytes to read; -1: until it ends
		most uint64 // bytes of heap
		took int64  // compressed bytes, at most
		fail bool
	}{
		{"4 bytes become 128 KiB", frame(0, window128K), mega, 1 << 30, 1 << 20, 4*8192 + 2*bufferSize, false},
		{"largest window", frame(0, window64M), mega, 256 << 20, cap64, 4*2048 + 2*bufferSize, false},
		{"2 GiB window", frame(0, window(21, 0)), mega, -1, 1 << 20, bufferSize, true},
		{"largest window there is", frame(0, window(31, 7)), mega, -1, 1 << 20, bufferSize, true},
		{"one segment of an exabyte", frame(flagSegment|3<<6, le(8, 1<<60)), mega, -1, 1 << 20, bufferSize, true},
		{"one segment of the limit", frame(flagSegment|2<<6, le(4, MaxWindow)), mega, -1, cap64, 4*600 + 2*bufferSize, true},
		{"content of an exabyte", frame(3<<6, window1K+le(8, 1<<60)), repeat(false, "a", 1<<10), 1 << 20, 1 << 20, 4*1024 + 2*bufferSize, false},
		{"a million empty frames", "", frame(0, window64M, raw(true, "")), -1, cap64, 9 << 20, false},
		{"a million empty blocks", frame(0, window1K), raw(false, ""), -1, 1 << 20, 4 << 20, true},
		{"a million skippable frames", "", skippable(""), -1, 32 << 20, 8 << 20, false}, // garbage of 24 bytes for each,
		{"windows that grow", growing(), "", -1, 1 << 30, 1 << 20, false},
	} {
		src := &endless{head: c.in, again: c.then, times: 1 << 20}
		taken := allocated(func() {
			r, err := NewReader(src)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			n := int64(0)
			if c.read < 0 {
				n, err = io.Copy(io.Discard, r)
			} else if n, err = io.CopyN(io.Discard, r, c.read); n != c.read {
				t.Errorf("%s: %d bytes", c.name, n)
			}
			if (err != nil) != c.fail {
				t.Errorf("%s: error %v after %d bytes", c.name, err, n)
			}
		})
		if taken > c.most {
			t.Errorf("%s: %d bytes of heap, more than %d", c.name, taken, c.most)
		}
		if src.took > c.took {
			t.Errorf("%s: %d compressed bytes read, more than %d", c.name, src.took, c.took)
		}
		walked := allocated(func() { walk(&endless{head: c.in, again: c.then, times: 1 << 10}) })
		if walked > 1<<20 {
			t.Errorf("%s: the walker took %d bytes of heap", c.name, walked)
		}
	}
}

// growing gives frames that each want a larger window than the one before.
func growing() string {
	var b strings.Builder
	for exponent := range byte(16) {
		for mantissa := range byte(8) {
			b.WriteString(frame(0, window(exponent, mantissa), raw(true, "")))
		}
	}
	return b.String()
}

// An endless source gives head once and again many times, without holding them.
type endless struct {
	head, again string
	times       int
	took        int64
}

func (e *endless) Read(p []byte) (n int, err error) {
	for n < len(p) && (e.head != "" || e.times > 0 && e.again != "") {
		if e.head == "" {
			e.head = e.again
			e.times--
		}
		m := copy(p[n:], e.head)
		e.head = e.head[m:]
		n += m
	}
	e.took += int64(n)
	if n == 0 {
		err = io.EOF
	}
	return n, err
}
