package zstdio

import (
	"io"
	"runtime"
	"strings"
	"testing"
)

// largest is what a Reader may hold: the largest window, two blocks of room,
// buffers.
const largest = MaxWindow + 2<<20

// TestBombs reads streams that promise or hold far more than they are. A test
// that does not end would be a loop without progress.
func TestBombs(t *testing.T) {
	block128K := repeat(false, "a", maxBlock)
	for _, c := range []struct {
		name string
		in   string // once
		then string // again and again
		read int64  // decompressed bytes to read
		ends string // how it ends before that; "" if it does not
		most uint64 // bytes of heap at any time
		took int64  // compressed bytes, at most
	}{
		{"4 bytes become 128 KiB", frame(0, window128K), block128K, 128 << 20, "", 1 << 20, 4*1024 + 2*bufferSize},
		{"largest window granted", frame(0, window64M), block128K, 96 << 20, "", largest, 4*768 + 2*bufferSize},
		{"2 GiB window", frame(0, window(21, 0)), block128K, 1 << 30, "window", 1 << 20, bufferSize},
		{"largest window there is", frame(0, window(31, 7)), block128K, 1 << 30, "window", 1 << 20, bufferSize},
		{"one segment of an exabyte", frame(flagSegment|3<<6, le(8, 1<<60)), block128K, 1 << 30, "window", 1 << 20, bufferSize},
		{"one segment of the limit", frame(flagSegment|2<<6, le(4, MaxWindow)), block128K, 1 << 30, "size", largest, 4*600 + 2*bufferSize},
		{"content of an exabyte", frame(3<<6, window1K+le(8, 1<<60)), repeat(false, "a", 1<<10), 1 << 20, "", 1 << 20, 4*1024 + 2*bufferSize},
		{"many empty frames", "", frame(0, window64M, raw(true, "")), 1, "EOF", largest, 3 << 20},
		{"many empty blocks", frame(0, window1K), raw(false, ""), 1, "ends inside", 1 << 20, 2 << 20},
		{"many skippable frames", "", skippable(""), 1, "EOF", 8 << 20, 3 << 20}, // with garbage of the library
		{"windows that grow", growing(), "", 1, "EOF", 4 * largest, 1 << 20},     // with those before, until they are collected
	} {
		src := &endless{head: c.in, again: c.then, times: 1 << 16}
		peak := peakHeap(src, func() {
			r, err := NewReader(src)
			if err != nil {
				t.Fatal(err)
			}
			n, err := io.CopyN(io.Discard, r, c.read)
			src.sample()
			r.Close()
			if (err == nil) != (c.ends == "") || err != nil && !strings.Contains(err.Error(), c.ends) {
				t.Errorf("%s: error %v after %d bytes, want %q", c.name, err, n, c.ends)
			}
		})
		if peak > c.most {
			t.Errorf("%s: %d bytes of heap, more than %d", c.name, peak, c.most)
		}
		if src.took > c.took {
			t.Errorf("%s: %d compressed bytes read, more than %d", c.name, src.took, c.took)
		}
		src = &endless{head: c.in, again: c.then, times: 1 << 16}
		peak = peakHeap(src, func() {
			for range Frames(src) {
			}
		})
		if peak > 8<<20 { // with garbage: each Frame, each error
			t.Errorf("%s: the walker took %d bytes of heap", c.name, peak)
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

// peakHeap returns how much the heap grows while run reads src.
func peakHeap(src *endless, run func()) uint64 {
	runtime.GC()
	runtime.GC() // what pools keep is gone after the second
	src.sample()
	before := src.heap
	run()
	return src.heap - before
}

// An endless source gives head once and again many times, without holding
// them. It looks at the heap each time it is read.
type endless struct {
	head, again string
	times       int
	took        int64
	heap        uint64 // the most that was seen
}

func (e *endless) sample() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	e.heap = max(e.heap, m.HeapAlloc)
}

func (e *endless) Read(p []byte) (n int, err error) {
	e.sample()
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
