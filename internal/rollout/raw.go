package rollout

import (
	"bytes"
	"math/bits"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"encoding/binary"
)

// Raw is one JSON value as it stands in a line, or nothing where the key is
// absent. Its methods rely on Scan having accepted the line.
type Raw []byte

// is reports whether a key or string, quotes included, spells s.
func (v Raw) is(s string) bool {
	if len(v) == len(s)+2 && string(v[1:len(v)-1]) == s {
		return true
	}
	if len(v) <= len(s)+2 || bytes.IndexByte(v, '\\') < 0 {
		return false
	}
	t, _ := v.Text()
	return t == s
}

// Is reports whether the value is a string that spells s.
func (v Raw) Is(s string) bool { return v.IsString() && v.is(s) }

// IsString, IsObject, IsArray and IsNull tell the kind of value; all are false
// for an absent one.
func (v Raw) IsString() bool { return len(v) > 0 && v[0] == '"' }
func (v Raw) IsObject() bool { return len(v) > 0 && v[0] == '{' }
func (v Raw) IsArray() bool  { return len(v) > 0 && v[0] == '[' }
func (v Raw) IsNull() bool   { return len(v) > 0 && v[0] == 'n' }

// Text returns the string that the value spells. The bool is false where the
// value is not a string.
func (v Raw) Text() (string, bool) {
	if !v.IsString() {
		return "", false
	}
	inner := v[1 : len(v)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), true
	}
	text := make([]byte, len(inner)+8)
	n := spell(text, inner)
	return unsafe.String(unsafe.SliceData(text), n), true // nobody else has it
}

// spell writes to dst, which is eight bytes longer than src, what the inside of
// a string spells. Eight bytes are copied before they are looked at: outputs
// have an escape in every line, and a search and a copy for each would cost
// twice.
func spell(dst, src []byte) (n int) {
	for len(src) > 0 {
		if len(src) >= 8 {
			x := binary.LittleEndian.Uint64(src)
			binary.LittleEndian.PutUint64(dst[n:], x)
			slash := x ^ ones*'\\'
			hit := (slash - ones) &^ slash & highs
			if hit == 0 {
				n += 8
				src = src[8:]
				continue
			}
			k := bits.TrailingZeros64(hit) / 8
			n += k
			src = src[k:]
		} else if src[0] != '\\' {
			dst[n] = src[0]
			n++
			src = src[1:]
			continue
		}
		r, took := unescape(src)
		switch {
		case took == 0:
			src = src[min(2, len(src)):]
			continue
		case r < utf8.RuneSelf:
			dst[n] = byte(r)
			n++
		default:
			n += utf8.EncodeRune(dst[n:], r)
		}
		src = src[took:]
	}
	return n
}

// AppendText appends the string that the value spells to dst. It appends
// nothing where the value is not a string. In a line that only Head has seen an
// escape may be broken: a cut one is left out, another is U+FFFD.
func (v Raw) AppendText(dst []byte) []byte {
	if !v.IsString() {
		return dst
	}
	b := v[1 : len(v)-1]
	for {
		i := bytes.IndexByte(b, '\\')
		if i < 0 {
			return append(dst, b...)
		}
		dst = append(dst, b[:i]...)
		r, n := unescape(b[i:])
		if n > 0 {
			dst = utf8.AppendRune(dst, r)
		}
		b = b[min(i+max(n, 2), len(b)):]
	}
}

// unescape gives the rune that the escape at the start of b spells, and how
// many bytes the escape takes; 0 where it is cut.
func unescape(b []byte) (r rune, n int) {
	if len(b) < 2 {
		return 0, 0
	}
	switch c := b[1]; c {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
	default:
		return rune(c), 2
	}
	if len(b) < 6 {
		return 0, 0
	}
	r = hexRune(b[2:])
	if r < 0xd800 || r > 0xdfff {
		return r, 6
	}
	if len(b) < 12 {
		return 0, 0
	}
	return 0x10000 + (r-0xd800)<<10 + (hexRune(b[8:]) - 0xdc00), 12
}

func hexRune(b []byte) rune {
	return rune(unhex[b[0]])<<12 | rune(unhex[b[1]])<<8 | rune(unhex[b[2]])<<4 | rune(unhex[b[3]])
}

// Int returns the value as a whole number of 64 bits. The bool is false where
// it is anything else.
func (v Raw) Int() (int64, bool) {
	if len(v) == 0 || len(v) > 20 || v[0] != '-' && !isDigit(v[0]) {
		return 0, false
	}
	n, err := strconv.ParseInt(string(v), 10, 64)
	return n, err == nil
}

// Object walks the members of an object in the order in which they stand,
// duplicates included. It walks nothing where v is not an object.
func (v Raw) Object() Walk { return newWalk(v, '{') }

// Array walks the elements of an array; the keys it gives are empty.
func (v Raw) Array() Walk { return newWalk(v, '[') }

// A Walk goes over a value that Scan accepted, without looking at it twice.
type Walk struct {
	b      []byte
	i      int
	object bool
}

func newWalk(v Raw, open byte) Walk {
	if len(v) == 0 || v[0] != open {
		return Walk{}
	}
	return Walk{b: v, i: 1, object: open == '{'}
}

// Next gives the next member or element. After the last one ok is false.
func (w *Walk) Next() (key, val Raw, ok bool) {
	b := w.b
	i := w.i
	for i < len(b) && (b[i] == ',' || isSpace(b[i])) {
		i++
	}
	if i >= len(b) || b[i] == '}' || b[i] == ']' {
		w.b = nil
		return nil, nil, false
	}
	if w.object {
		end := skipString(b, i)
		key = Raw(b[i:end])
		i = end
		for b[i] == ':' || isSpace(b[i]) {
			i++
		}
	}
	end := skipValue(b, i)
	w.i = end
	return key, Raw(b[i:end]), true
}

// Get returns the last member of the object with that key, or nothing.
func (v Raw) Get(key string) (val Raw) {
	for w := v.Object(); ; {
		k, m, ok := w.Next()
		if !ok {
			return val
		}
		if k.is(key) {
			val = m
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// skipString returns the index after the string that opens at i.
func skipString(b []byte, i int) int {
	for {
		n := bytes.IndexByte(b[i+1:], '"')
		if n < 0 {
			return len(b) + 1
		}
		i += n + 1
		k := i - 1
		for b[k] == '\\' {
			k--
		}
		if (i-k)&1 == 1 { // an even number of backslashes
			return i + 1
		}
	}
}

// skipValue returns the index after the value at i.
func skipValue(b []byte, i int) int {
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
	default:
		for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && !isSpace(b[i]) {
			i++
		}
		return i
	}
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = skipString(b, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
		i = structural(b, i)
	}
	return i
}

// structural gives the first index from i on that holds a quote or a bracket
// of either kind, or len(b). Brackets differ from braces by one bit, and the
// opening from the closing ones by two.
func structural(b []byte, i int) int {
	for i+8 <= len(b) {
		x := binary.LittleEndian.Uint64(b[i:])
		quote := x ^ ones*'"'
		y := x | ones*0x20 // [ to {, ] to }
		open := y ^ ones*'{'
		shut := y ^ ones*'}'
		hit := ((quote - ones) &^ quote) | ((open - ones) &^ open) | ((shut - ones) &^ shut)
		if hit &= highs; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
		i += 8
	}
	for i < len(b) {
		switch b[i] {
		case '"', '{', '}', '[', ']':
			return i
		}
		i++
	}
	return i
}
