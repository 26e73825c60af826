package interchange

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"rollbook/internal/transcript"
)

// flushAt is how much of the output is held before it is written.
const flushAt = 64 << 10

// timeLayout is RFC 3339 with milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z"

// An encoder appends JSON by hand and writes it on in pieces, so that a long
// text is never held a second time. After an error of w it writes nothing more.
type encoder struct {
	w   io.Writer
	buf []byte
	err error
}

// flush writes what is held and gives the first error of w.
func (e *encoder) flush() error {
	if e.err == nil && len(e.buf) > 0 {
		_, e.err = e.w.Write(e.buf)
	}
	e.buf = e.buf[:0]
	return e.err
}

// events writes each event of a thread, until one cannot be read or written.
func (e *encoder) events(t *transcript.Thread, write func(*transcript.Thread, *transcript.Event)) error {
	for ev, err := range t.Events {
		if err != nil {
			e.flush()
			return fmt.Errorf("thread %s: %w", t.ID, err)
		}
		write(t, ev)
		if e.err != nil {
			break
		}
	}
	return e.flush()
}

// lit appends JSON text as it stands.
func (e *encoder) lit(s string) { e.buf = append(e.buf, s...) }

func (e *encoder) int(n int64) { e.buf = strconv.AppendInt(e.buf, n, 10) }

func (e *encoder) bool(b bool) { e.buf = strconv.AppendBool(e.buf, b) }

// str appends a string. Only what JSON asks for is escaped. A byte that is not
// UTF-8 becomes U+FFFD; texts of a log have none, names of files may.
func (e *encoder) str(s string) {
	e.buf = append(e.buf, '"')
	checked := false
	for len(s) > 0 {
		start := len(e.buf)
		piece := s[:min(len(s), flushAt)]
		if beyond := e.piece(piece); beyond && !checked {
			// All before this piece was ASCII, so that it can be taken back.
			checked = true
			if !utf8.ValidString(s) {
				e.buf, s = e.buf[:start], repair(s)
				continue
			}
		}
		s = s[len(piece):]
		if len(e.buf) >= flushAt {
			e.flush()
		}
	}
	e.buf = append(e.buf, '"')
}

// piece appends a part of a string. Eight bytes are copied before they are
// looked at, and what stands behind one that has to be escaped is taken back:
// texts of a log have such a byte in every line, and a search and a copy for
// each would cost twice. It reports whether the part has bytes beyond ASCII.
func (e *encoder) piece(s string) (beyond bool) {
	buf := e.buf
	var seen uint64
	i := 0
	for i+8 <= len(s) {
		n := len(buf)
		if cap(buf)-n < 16 {
			buf = slices.Grow(buf, len(s)-i+16)
		}
		b := s[i : i+8]
		x := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		seen |= x
		buf = buf[:n+8]
		binary.LittleEndian.PutUint64(buf[n:], x)
		quote, slash := x^ones*'"', x^ones*'\\'
		hit := (x-ones*0x20)&^x | (quote-ones)&^quote | (slash-ones)&^slash
		if hit &= highs; hit == 0 {
			i += 8
			continue
		}
		k := bits.TrailingZeros64(hit) / 8
		buf = appendEscape(buf[:n+k], b[k])
		i += k + 1
	}
	for ; i < len(s); i++ {
		c := s[i]
		seen |= uint64(c)
		if c >= 0x20 && c != '"' && c != '\\' {
			buf = append(buf, c)
		} else {
			buf = appendEscape(buf, c)
		}
	}
	e.buf = buf
	return seen&highs != 0
}

// appendEscape appends a byte that cannot stand for itself in a string.
func appendEscape(buf []byte, c byte) []byte {
	switch c {
	case '"', '\\':
	case '\b':
		c = 'b'
	case '\f':
		c = 'f'
	case '\n':
		c = 'n'
	case '\r':
		c = 'r'
	case '\t':
		c = 't'
	default:
		const hex = "0123456789abcdef"
		return append(buf, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
	}
	return append(buf, '\\', c)
}

// text appends a string, or null where it is empty.
func (e *encoder) text(s string) {
	if s == "" {
		e.lit("null")
		return
	}
	e.str(s)
}

// count appends a number, or null where it is zero.
func (e *encoder) count(n int64) {
	if n == 0 {
		e.lit("null")
		return
	}
	e.int(n)
}

// time appends a time in UTC, cut to milliseconds, or null where there is none
// or RFC 3339 cannot spell it.
func (e *encoder) time(t time.Time) {
	t = t.UTC()
	if t.IsZero() || t.Year() < 0 || t.Year() > 9999 {
		e.lit("null")
		return
	}
	e.buf = append(e.buf, '"')
	e.buf = t.AppendFormat(e.buf, timeLayout)
	e.buf = append(e.buf, '"')
}

// strs appends a list of strings.
func (e *encoder) strs(list []string) {
	e.lit("[")
	for i, s := range list {
		if i > 0 {
			e.lit(",")
		}
		e.str(s)
	}
	e.lit("]")
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// repair replaces every byte that is not UTF-8.
func repair(s string) string {
	return strings.Map(func(r rune) rune { return r }, s)
}
