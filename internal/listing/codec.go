package listing

import (
	"encoding/binary"
	"errors"
	"time"
)

// errDamaged says that bytes are not what a codec has written.
var errDamaged = errors.New("damaged")

// A codec writes values to out, or reads them from in in the same order: one
// function says of a struct which fields it has, for both directions. A string
// is written once; where it comes again, its number stands instead. Strings that
// were read are parts of in, so reading allocates little.
type codec struct {
	reading bool
	out     []byte
	seen    map[string]uint64
	in      string
	at      int // what was read of in
	table   []string
	err     error // of reading; what follows it is zero
}

func newWriter() *codec { return &codec{seen: make(map[string]uint64)} }

func newReader(in string) *codec {
	return &codec{reading: true, in: in, table: make([]string, 0, len(in)/bytesPerText)}
}

// bytesPerText is about how many bytes of a cache there are for each string.
const bytesPerText = 100

func (c *codec) fail() {
	c.err = errDamaged
	c.at = len(c.in)
}

// uint codes a number that is small as a rule.
func (c *codec) uint(v *uint64) {
	switch {
	case !c.reading:
		c.out = binary.AppendUvarint(c.out, *v)
	case c.at < len(c.in) && c.in[c.at] < 0x80:
		*v = uint64(c.in[c.at])
		c.at++
	default:
		*v = c.longUint()
	}
}

func (c *codec) longUint() (v uint64) {
	for shift := 0; shift < 64 && c.at < len(c.in); shift += 7 {
		b := c.in[c.at]
		c.at++
		if v |= uint64(b&0x7f) << shift; b < 0x80 {
			return v
		}
	}
	c.fail()
	return 0
}

// num codes a whole number of any type. It must not be over 64 bits.
func num[T ~int | ~int64 | ~uint64](c *codec, v *T) {
	n := uint64(*v)<<1 ^ uint64(int64(*v)>>63) // small for small negative ones too
	c.uint(&n)
	if c.reading {
		*v = T(int64(n>>1) ^ -int64(n&1))
	}
}

func (c *codec) flag(v *bool) {
	var n uint64
	if *v {
		n = 1
	}
	c.uint(&n)
	if c.reading {
		*v = n == 1
	}
}

// text codes a string.
func text[T ~string](c *codec, v *T) {
	if c.reading {
		*v = T(c.readText())
		return
	}
	s := string(*v)
	n, known := c.seen[s]
	c.uint(&n)
	if known {
		return
	}
	c.seen[s] = uint64(len(c.seen) + 1)
	size := uint64(len(s))
	c.uint(&size)
	c.out = append(c.out, s...)
}

func (c *codec) readText() string {
	var n, size uint64
	c.uint(&n)
	if n > 0 {
		if n > uint64(len(c.table)) {
			c.fail()
			return ""
		}
		return c.table[n-1]
	}
	c.uint(&size)
	if size > uint64(len(c.in)-c.at) {
		c.fail()
	}
	if c.err != nil {
		return ""
	}
	s := c.in[c.at : c.at+int(size)]
	c.at += int(size)
	c.table = append(c.table, s)
	return s
}

// time codes a moment. The zone is UTC, or with local the machine's, as the
// system gives the times of files.
func (c *codec) time(v *time.Time, local bool) {
	sec, nsec := v.Unix(), v.Nanosecond()
	num(c, &sec)
	num(c, &nsec)
	if !c.reading {
		return
	}
	*v = time.Unix(sec, int64(nsec))
	if !local {
		*v = v.UTC()
	}
}

// list codes a list; each codes one of its values, at least a byte.
func list[T any](c *codec, v *[]T, each func(*codec, *T)) {
	n := len(*v)
	num(c, &n)
	if !c.reading {
		for i := range *v {
			each(c, &(*v)[i])
		}
		return
	}
	*v = nil
	if n <= 0 {
		return
	}
	*v = make([]T, 0, min(n, (len(c.in)-c.at)/bytesAhead+1))
	for range n {
		if c.err != nil {
			return
		}
		*v = append(*v, *new(T))
		each(c, &(*v)[len(*v)-1])
	}
}

// bytesAhead is how many bytes there must be for each value of a list that room
// is made for before it is read.
const bytesAhead = 16

// maybe codes a value that may be missing.
func maybe[T any](c *codec, v **T, each func(*codec, *T)) {
	there := *v != nil
	c.flag(&there)
	if !there {
		*v = nil
		return
	}
	if c.reading {
		*v = new(T)
	}
	each(c, *v)
}
