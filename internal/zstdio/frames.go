package zstdio

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
)

// A Frame is what the headers of one frame say. All sizes are in bytes.
type Frame struct {
	Offset     int64 // of its first byte in the stream
	HeaderSize int   // magic number included
	Size       int64 // the whole frame: header, blocks, checksum

	// Skippable frames hold anything but compressed data; the fields below
	// are zero for them.
	Skippable bool

	WindowSize     uint64 // what decoding must hold; of one segment its content size
	HasContentSize bool
	ContentSize    uint64 // decompressed, as the header has it
	Checksum       bool
	DictionaryID   uint32 // 0: none named
}

// maxBlock is the most that a block may hold, before and after decompression.
const maxBlock = 128 << 10

// minWindow is the smallest window a decoder has, so a block of a frame with
// less content than this may still be this long.
const minWindow = 1 << 10

// Frames walks over the frames of a stream, by headers and block headers only:
// nothing is decompressed or verified, and memory is constant. A *DamageError
// as the last value says where the stream is cut (ErrCut) or is no frame; a
// source that cannot be read gives its own error. The Frame beside an error
// holds what was learned of the one where it happened, at least its Offset.
func Frames(r io.Reader) iter.Seq2[Frame, error] {
	return func(yield func(Frame, error) bool) {
		w := walker{in: bufio.NewReaderSize(r, bufferSize)}
		for {
			f := Frame{Offset: w.off}
			err := w.frame(&f)
			if err == io.EOF || !yield(f, err) || err != nil {
				return
			}
		}
	}
}

type walker struct {
	in  *bufio.Reader
	off int64
}

// frame reads the frame at w.off, or returns io.EOF if nothing is there.
func (w *walker) frame(f *Frame) error {
	head, err := w.in.Peek(len(Magic))
	switch {
	case err == io.EOF && len(head) == 0:
		return io.EOF
	case err == io.EOF && mayBeMagic(head):
		err = w.ended(len(head), err)
	case err != nil && err != io.EOF:
		return err
	case skippableMagic(head):
		f.Skippable = true
		err = w.skippable(f)
	case IsFrame(head):
		err = w.zstd(f)
	default:
		return w.broken("no frame starts here")
	}
	f.Size = w.off - f.Offset
	return err
}

// skippableMagic reports whether head opens a skippable frame.
func skippableMagic(head []byte) bool {
	return len(head) == 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:], []byte{0x2a, 0x4d, 0x18})
}

// mayBeMagic reports whether head, cut short, is the beginning of a frame.
func mayBeMagic(head []byte) bool {
	return bytes.HasPrefix(Magic, head) ||
		head[0]&0xf0 == 0x50 && bytes.HasPrefix([]byte{0x2a, 0x4d, 0x18}, head[1:])
}

func (w *walker) skippable(f *Frame) error {
	f.HeaderSize = 8
	head, err := w.take(f.HeaderSize)
	if err != nil {
		return err
	}
	return w.skip(int64(binary.LittleEndian.Uint32(head[4:])))
}

func (w *walker) zstd(f *Frame) error {
	if err := w.header(f); err != nil {
		return err
	}
	largest := min(max(f.WindowSize, minWindow), maxBlock)
	for last := false; !last; {
		var err error
		if last, err = w.block(largest); err != nil {
			return err
		}
	}
	if f.Checksum {
		return w.skip(4)
	}
	return nil
}

// header reads a frame header (RFC 8878 section 3.1.1.1).
func (w *walker) header(f *Frame) error {
	head, err := w.take(len(Magic) + 1)
	if err != nil {
		return err
	}
	descriptor := head[len(Magic)]
	if descriptor&(1<<3) != 0 {
		return w.broken("reserved bit of the frame header is set")
	}
	segment := descriptor&(1<<5) != 0
	window := 1
	if segment {
		window = 0
	}
	dict := [...]int{0, 1, 2, 4}[descriptor&3]
	size := [...]int{0, 2, 4, 8}[descriptor>>6]
	if size == 0 && segment {
		size = 1
	}
	rest, err := w.take(window + dict + size)
	if err != nil {
		return err
	}
	f.HeaderSize = int(w.off - f.Offset)
	f.Checksum = descriptor&(1<<2) != 0
	f.DictionaryID = uint32(number(rest[window : window+dict]))
	f.HasContentSize = size > 0
	f.ContentSize = number(rest[window+dict:])
	if size == 2 {
		f.ContentSize += 256
	}
	f.WindowSize = f.ContentSize
	if !segment {
		base := uint64(1) << (10 + rest[0]>>3)
		f.WindowSize = base + base/8*uint64(rest[0]&7)
	}
	return nil
}

// number reads a little-endian number of up to eight bytes.
func number(b []byte) uint64 {
	var n uint64
	for i, c := range b {
		n |= uint64(c) << (8 * i)
	}
	return n
}

// block passes over one block, whose sizes must not be more than largest.
func (w *walker) block(largest uint64) (last bool, err error) {
	head, err := w.take(3)
	if err != nil {
		return false, err
	}
	h := number(head)
	size, kind := h>>3, h>>1&3
	if size > largest {
		return false, w.broken(fmt.Sprintf("block of %d bytes, more than the %d allowed", size, largest))
	}
	switch kind {
	case 1: // one byte, repeated
		size = 1
	case 3:
		return false, w.broken("block of a reserved type")
	}
	return h&1 != 0, w.skip(int64(size))
}

// take gives the next n bytes, good until the next call.
func (w *walker) take(n int) ([]byte, error) {
	b, err := w.in.Peek(n)
	if err != nil {
		return nil, w.ended(len(b), err)
	}
	w.off += int64(n)
	_, err = w.in.Discard(n)
	return b, err
}

// skip passes over n bytes, which must be there.
func (w *walker) skip(n int64) error {
	for n > 0 {
		done, err := w.in.Discard(int(min(n, 1<<30)))
		if err != nil {
			return w.ended(done, err)
		}
		n -= int64(done)
		w.off += int64(done)
	}
	return nil
}

// ended explains why only n bytes more were to be had.
func (w *walker) ended(n int, err error) error {
	w.off += int64(n)
	if err == io.EOF {
		return &DamageError{w.off, ErrCut}
	}
	return err
}

func (w *walker) broken(what string) error {
	return &DamageError{w.off, errors.New(what)}
}
