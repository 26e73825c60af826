package secret

import (
	"html"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A layer is a text with one layer of escapes undone, and the way back.
type layer struct {
	text  string
	buf   []byte
	spans []span
}

// A span says where a part of the text came from: bytes as they were, up to the
// next span, or an escape.
type span struct {
	at, from int  // in the text, in what was undone
	escape   bool // all of it stands for the bytes up to the next span
}

// undo takes one layer of escapes from a text: those of JSON, C and Markdown,
// which begin with a backslash, percent signs with two hexadecimal digits, and
// character references. It reports whether there was any.
func (l *layer) undo(s string) bool {
	l.buf, l.spans = l.buf[:0], l.spans[:0]
	next := escapes{s: s}
	done := 0
	for {
		at := next.from(done)
		if at < 0 {
			break
		}
		var out [8]byte
		n, width := unescape(s[at:], &out)
		if n == 0 {
			next.skip = at + 1
			continue
		}
		if at > done || len(l.spans) == 0 {
			l.spans = append(l.spans, span{at: len(l.buf), from: done})
		}
		l.buf = append(l.buf, s[done:at]...)
		l.spans = append(l.spans, span{at: len(l.buf), from: at, escape: true})
		l.buf = append(l.buf, out[:width]...)
		done = at + n
		next.skip = done
	}
	if done == 0 {
		return false
	}
	l.spans = append(l.spans, span{at: len(l.buf), from: done})
	l.buf = append(l.buf, s[done:]...)
	l.text = string(l.buf)
	return true
}

// at gives the span that a byte of the text belongs to.
func (l *layer) at(i int) int {
	return sort.Search(len(l.spans), func(k int) bool { return l.spans[k].at > i }) - 1
}

// start gives where a byte of the text came from.
func (l *layer) start(i int) int {
	sp := l.spans[l.at(i)]
	if sp.escape {
		return sp.from
	}
	return sp.from + i - sp.at
}

// end gives where what ends before a byte of the text ended.
func (l *layer) end(i int) int {
	if i == 0 {
		return 0
	}
	k := l.at(i - 1)
	if l.spans[k].escape {
		return l.spans[k+1].from
	}
	return l.spans[k].from + i - l.spans[k].at
}

// escapes goes over the bytes that may begin an escape.
type escapes struct {
	s     string
	skip  int
	known [3]int // 1 + where the next of each is, len(s)+1 for none, 0 where not looked for yet
}

func (e *escapes) from(at int) int {
	at = max(at, e.skip)
	best := len(e.s)
	for i, b := range [3]byte{'\\', '%', '&'} {
		if e.known[i] <= at {
			e.known[i] = len(e.s) + 1
			if n := strings.IndexByte(e.s[at:], b); n >= 0 {
				e.known[i] = at + n + 1
			}
		}
		best = min(best, e.known[i]-1)
	}
	if best == len(e.s) {
		return -1
	}
	return best
}

// unescape gives how many bytes the escape at the start of s takes, none where
// there is none, and how many bytes of out it stands for.
func unescape(s string, out *[8]byte) (n, width int) {
	switch s[0] {
	case '%':
		if len(s) >= 3 && hexes[s[1]] && hexes[s[2]] {
			b, _ := strconv.ParseUint(s[1:3], 16, 8)
			out[0] = byte(b)
			return 3, 1
		}
		return 0, 0
	case '&':
		return reference(s, out)
	}
	if len(s) < 2 || s[0] != '\\' {
		return 0, 0
	}
	switch b := s[1]; b {
	case 'n':
		out[0] = '\n'
	case 'r':
		out[0] = '\r'
	case 't':
		out[0] = '\t'
	case 'b', 'f', '\n':
		out[0] = ' '
	case 'x':
		if len(s) < 4 || !hexes[s[2]] || !hexes[s[3]] {
			return 0, 0
		}
		c, _ := strconv.ParseUint(s[2:4], 16, 8)
		out[0] = byte(c)
		return 4, 1
	case 'u':
		return codePoint(s, out)
	default:
		if b >= utf8.RuneSelf || words[b] && b != '_' || b <= ' ' {
			return 0, 0
		}
		out[0] = b
	}
	return 2, 1
}

// codePoint reads \uXXXX, and two of them where they are a surrogate pair.
func codePoint(s string, out *[8]byte) (n, width int) {
	c, ok := unit(s)
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(c) {
		if low, ok := unit(s[6:]); ok {
			if r := utf16.DecodeRune(c, low); r != utf8.RuneError {
				return 12, utf8.EncodeRune(out[:], r)
			}
		}
	}
	return 6, utf8.EncodeRune(out[:], c)
}

func unit(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' || hexes.run(s[:6], 2) != 6 {
		return 0, false
	}
	c, _ := strconv.ParseUint(s[2:6], 16, 16)
	return rune(c), true
}

// reference reads a character reference of HTML, up to its semicolon.
func reference(s string, out *[8]byte) (n, width int) {
	end := strings.IndexByte(s[:min(len(s), 10)], ';')
	if end < 2 {
		return 0, 0
	}
	text := html.UnescapeString(s[:end+1])
	if text == s[:end+1] || len(text) > len(out) {
		return 0, 0
	}
	return end + 1, copy(out[:], text)
}
