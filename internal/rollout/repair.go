package rollout

import (
	"bytes"
	"unicode/utf8"

	"rollbook/internal/diag"
)

// The codes of lines that are read although they are not as Codex writes them
// (Options.Repair).
const (
	RepairedText   diag.Code = "repaired_text"   // a byte order mark, or bytes that are not UTF-8
	RepairedEscape diag.Code = "repaired_escape" // an escape that is half of a surrogate pair
)

// byteOrderMark is what some editors put before a text.
var byteOrderMark = []byte("\xef\xbb\xbf")

// A Repair is what was done to a line. The zero Repair is nothing.
type Repair struct {
	Code    diag.Code
	Message string
}

// Mend gives a line as it would be without what other programs than Codex may
// have done to it: a byte order mark before it, bytes that are not UTF-8, an
// escape that is half of a surrogate pair.
func Mend(line []byte) (text []byte, done Repair) {
	text = line
	if lone := loneSurrogate(text, 0); lone < len(text) {
		text, done = bytes.Clone(text), Repair{RepairedEscape, "half of a surrogate pair is read as U+FFFD"}
		for ; lone < len(text); lone = loneSurrogate(text, lone) {
			copy(text[lone:], `\ufffd`)
		}
	}
	if rest, ok := bytes.CutPrefix(text, byteOrderMark); ok {
		text, done = rest, Repair{RepairedText, "begins with a byte order mark, which is left out"}
	}
	if !utf8.Valid(text) {
		text, done = bytes.ToValidUTF8(text, []byte("\ufffd")), Repair{RepairedText, "bytes that are not UTF-8 are read as U+FFFD"}
	}
	return text, done
}

// loneSurrogate finds the next escape that is half of a surrogate pair, from i
// on; it gives the length of the text where there is none.
func loneSurrogate(text []byte, i int) int {
	for {
		k := bytes.IndexByte(text[i:], '\\')
		if k < 0 || i+k+1 >= len(text) {
			return len(text)
		}
		i += k
		r := surrogate(text[i:])
		switch {
		case r == 0:
			i += 2
		case r < 0xdc00 && surrogate(text[i+6:]) >= 0xdc00:
			i += 12
		default:
			return i
		}
	}
}

// surrogate gives the surrogate that an escape at the start of b spells, or 0.
func surrogate(b []byte) (r rune) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0
	}
	for _, c := range b[2:6] {
		d := unhex[c]
		if d < 0 {
			return 0
		}
		r = r<<4 | rune(d)
	}
	if r < 0xd800 || r > 0xdfff {
		return 0
	}
	return r
}
