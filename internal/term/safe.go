package term

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Policy says how Safe and SafeWriter treat the characters that move the
// cursor or change how the rest is shown: C0 controls, DEL, U+0080 to U+009F,
// the bidi controls U+202A to U+202E and U+2066 to U+2069, the separators
// U+2028 and U+2029, and bytes that are no UTF-8.
type Policy int

const (
	// OneLine shows all of them, also newline and tab: \n, \t, \r, \x1b,
	// U+009B, U+202E; a byte that is no UTF-8 is \xff. For cells, titles,
	// messages.
	OneLine Policy = iota
	// Block keeps newline and tab, drops a carriage return right before a
	// newline, and shows the rest as OneLine does. For text of many lines.
	Block
	// JSON keeps newline and tab and writes the rest as \u001b, so that valid
	// JSON text stays valid JSON with the same meaning. For JSON on a terminal.
	JSON
)

// Safe returns s with the characters named at Policy made visible. The result
// is valid UTF-8. It is meant to be read: the escapes are not reversible,
// because a backslash in s stays as it is (JSON excepted).
func Safe(s string, p Policy) string {
	if !needsEscape(s) {
		return s
	}
	out, rest := p.escape(nil, []byte(s), true)
	if len(rest) > 0 {
		panic("term: text left over") // escape takes everything when final
	}
	return string(out)
}

// needsEscape reports whether s may hold something to escape. It errs on the
// side of yes: Block and JSON keep some of what it names.
func needsEscape(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f {
			return !utf8.ValidString(s) || strings.IndexFunc(s, special) >= 0
		}
	}
	return false
}

// special reports whether a terminal would act on r instead of showing it.
func special(r rune) bool {
	return r < 0x20 || r >= 0x7f && r < 0xa0 ||
		r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 ||
		r == 0x2028 || r == 0x2029
}

// escape appends the safe form of src to dst and returns what it could not
// decide yet: the start of a character, or a carriage return that may be
// followed by a newline. Nothing is left over when final is set.
func (p Policy) escape(dst, src []byte, final bool) (out, rest []byte) {
	for len(src) > 0 {
		n := plainPrefix(src)
		dst = append(dst, src[:n]...)
		if src = src[n:]; len(src) == 0 {
			break
		}
		if !final && (!utf8.FullRune(src) || p == Block && len(src) == 1 && src[0] == '\r') {
			return dst, src
		}
		r, size := utf8.DecodeRune(src)
		switch {
		case r == utf8.RuneError && size == 1:
			dst = p.invalid(dst, src[0])
		case p == Block && r == '\r' && bytes.HasPrefix(src, []byte("\r\n")):
			// a Windows line end
		case special(r):
			dst = p.visible(dst, r)
		default:
			dst = append(dst, src[:size]...)
		}
		src = src[size:]
	}
	return dst, nil
}

// plainPrefix counts the printable ASCII bytes at the start of b.
func plainPrefix(b []byte) int {
	for i, c := range b {
		if c < 0x20 || c >= 0x7f {
			return i
		}
	}
	return len(b)
}

func (p Policy) invalid(dst []byte, b byte) []byte {
	if p == JSON {
		return append(dst, `\ufffd`...)
	}
	return fmt.Appendf(dst, `\x%02x`, b)
}

// visible appends a special rune as the policy shows it.
func (p Policy) visible(dst []byte, r rune) []byte {
	switch {
	case p != OneLine && (r == '\n' || r == '\t'):
		return append(dst, byte(r))
	case p == JSON:
		return fmt.Appendf(dst, `\u%04x`, r)
	case r == '\n':
		return append(dst, `\n`...)
	case r == '\t':
		return append(dst, `\t`...)
	case r == '\r':
		return append(dst, `\r`...)
	case r < 0x80:
		return fmt.Appendf(dst, `\x%02x`, r)
	default:
		return fmt.Appendf(dst, "U+%04X", r)
	}
}
