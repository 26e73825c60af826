package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"
)

// edge is how much of either end of a text is compared before it is taken for
// what was read the last time (spec: import, "Where ours differs" 5).
const edge = 64 << 10

var errTooLarge = errors.New("larger than the limit for files")

// A digester takes the text of one file as it is read and gives its digests: of
// the first 64 KiB, of everything up to the last whole line, and how long that
// is. What follows the last line feed may still be written, and does not count.
type digester struct {
	limit int64 // most bytes taken; 0 for no limit
	skip  int64 // bytes still to come that were taken before
	size  int64 // taken, with what was taken before
	lines int64 // size up to the last line feed

	all   xxhash.Digest
	whole xxhash.Digest // all, at the last line feed
	head  []byte        // up to edge bytes
	over  bool
	err   error // of resume
}

func newDigester(limit int64) *digester {
	d := &digester{limit: limit}
	d.all.Reset()
	d.whole.Reset()
	return d
}

// resume goes on behind size bytes that were taken before, of which from is the
// place where reading begins again. state is what state gave then.
func (d *digester) resume(state []byte, size, from int64) error {
	if err := d.all.UnmarshalBinary(state); err != nil {
		return fmt.Errorf("digest: %w", err)
	}
	if from > size {
		return fmt.Errorf("digest: reading begins at byte %d, behind the %d that are known", from, size)
	}
	d.whole, d.size, d.lines, d.skip = d.all, size, size, size-from
	return nil
}

// state is what resume wants: the digest up to the last line feed.
func (d *digester) state() ([]byte, error) { return d.whole.MarshalBinary() }

// Write takes the next bytes of the text.
func (d *digester) Write(p []byte) (int, error) {
	n := len(p)
	if d.skip > 0 {
		k := min(d.skip, int64(len(p)))
		d.skip -= k
		p = p[k:]
	}
	d.size += int64(len(p))
	if d.limit > 0 && d.size > d.limit {
		d.over = true
		return 0, errTooLarge
	}
	if room := edge - len(d.head); room > 0 && d.size-int64(len(p)) == int64(len(d.head)) {
		d.head = append(d.head, p[:min(room, len(p))]...)
	}
	if i := bytes.LastIndexByte(p, '\n') + 1; i > 0 {
		d.all.Write(p[:i])
		d.whole, d.lines = d.all, d.size-int64(len(p)-i)
		p = p[i:]
	}
	d.all.Write(p)
	return n, nil
}

// firstSum is the digest of the text's first bytes, as far as whole lines go.
func (d *digester) firstSum() uint64 { return xxhash.Sum64(d.head[:min(int64(len(d.head)), d.lines)]) }

// sumRange gives the digest of the bytes from up to to.
func sumRange(r io.ReaderAt, from, to int64) (uint64, error) {
	buf := make([]byte, to-from)
	if _, err := io.ReadFull(io.NewSectionReader(r, from, to-from), buf); err != nil {
		return 0, err
	}
	return xxhash.Sum64(buf), nil
}

// headSum gives the digest of the first 64 KiB of size bytes.
func headSum(r io.ReaderAt, size int64) (uint64, error) { return sumRange(r, 0, min(edge, size)) }

// tailSum gives the digest of the last 64 KiB of size bytes.
func tailSum(r io.ReaderAt, size int64) (uint64, error) {
	return sumRange(r, max(0, size-edge), size)
}

// wholeSum gives the digest of the first size bytes of a text, and whether it
// goes on behind them.
func wholeSum(r io.Reader, size int64) (sum uint64, more bool, err error) {
	var d xxhash.Digest
	d.Reset()
	n, err := io.CopyN(&d, r, size)
	if err != nil && err != io.EOF {
		return 0, false, err
	}
	if n < size {
		return 0, false, nil
	}
	var one [1]byte
	k, err := io.ReadFull(r, one[:])
	if err != nil && err != io.EOF {
		return 0, false, err
	}
	return d.Sum64(), k > 0, nil
}
