package rollout

import (
	"bytes"
	"unicode/utf8"
)

// byteOrderMark is what some editors put before a text.
var byteOrderMark = []byte("\xef\xbb\xbf")

// What Repair mends.
const (
	repairedBOM       = "begins with a byte order mark, which is left out"
	repairedUTF8      = "bytes that are not UTF-8 are read as U+FFFD"
	repairedSurrogate = "half of a surrogate pair is read as U+FFFD"
)

// Repair gives a line as it would be without what other programs than Codex
// may have done to it: a byte order mark before it, bytes that are not UTF-8,
// an escape that is half of a surrogate pair. It says what it mended; nothing
// means that the line is as it was.
func Repair(line []byte) (text []byte, what string) {
	text = line
	if rest, ok := bytes.CutPrefix(text, byteOrderMark); ok {
		text, what = rest, repairedBOM
	}
	if !utf8.Valid(text) {
		text, what = bytes.ToValidUTF8(text, []byte("\ufffd")), repairedUTF8
	}
	if lone := loneSurrogate(text, 0); lone < len(text) {
		text, what = bytes.Clone(text), repairedSurrogate
		for ; lone < len(text); lone = loneSurrogate(text, lone) {
			copy(text[lone:], `\ufffd`)
		}
	}
	return text, what
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
