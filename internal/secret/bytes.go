package secret

import "strings"

// A class is a set of bytes.
type class [256]bool

// newClass makes a class of the bytes of list, in which a-z stands for a range.
func newClass(list string) *class {
	c := new(class)
	for i := 0; i < len(list); i++ {
		if i+2 < len(list) && list[i+1] == '-' {
			for b := int(list[i]); b <= int(list[i+2]); b++ {
				c[b] = true
			}
			i += 2
			continue
		}
		c[list[i]] = true
	}
	return c
}

// run gives the end of the bytes of the class that begin at a place.
func (c *class) run(s string, at int) int {
	for at < len(s) && c[s[at]] {
		at++
	}
	return at
}

// upTo is run over at most limit bytes.
func (c *class) upTo(s string, at, limit int) int {
	for end := min(len(s), at+limit); at < end && c[s[at]]; {
		at++
	}
	return at
}

// back gives the start of the bytes of the class that end at a place, at most
// limit of them.
func (c *class) back(s string, at, limit int) int {
	for n := 0; at > 0 && c[s[at-1]] && n < limit; n++ {
		at--
	}
	return at
}

var (
	digits   = newClass("0-9")
	hexes    = newClass("0-9a-fA-F")
	alnum    = newClass("A-Za-z0-9")
	capitals = newClass("A-Z0-9")
	words    = newClass("A-Za-z0-9_")
	tokens   = newClass("A-Za-z0-9_-")
	dotted   = newClass("A-Za-z0-9_.-")
	base64s  = newClass("A-Za-z0-9+/=_-")
	spaces   = newClass(" \t\r\n\v\f")
	blanks   = newClass(" \t")
	quotes   = newClass("\"'`")
)

// wordBefore reports whether a word runs up to a place.
func wordBefore(s string, at int) bool { return at > 0 && words[s[at-1]] }

// wordAt reports whether a word goes on at a place.
func wordAt(s string, at int) bool { return at < len(s) && words[s[at]] }

// at gives the byte at a place, and 0 where there is none.
func byteAt(s string, at int) byte {
	if at < 0 || at >= len(s) {
		return 0
	}
	return s[at]
}

// mark opens every placeholder.
const mark = "[redacted:"

// placeholders gives the end of the placeholders that stand at a place one after
// the other, in the spelling of any layer of escapes.
func placeholders(s string, at int) int {
	for {
		end := placeholder(s, at)
		if end == at {
			return at
		}
		at = end
	}
}

// placeholder gives the end of a placeholder that stands at a place, which is
// the place itself where none does. One that was cut off, as in a title, is one
// too.
func placeholder(s string, at int) int {
	rest := s[at:min(len(s), at+160)]
	if n := strings.IndexByte(rest, '['); n >= 0 && strings.Trim(rest[:n], `\`) == "" {
		i := n + 1
		for i < len(rest) && i-n-1 < len("redacted") && rest[i] == "redacted"[i-n-1] {
			i++
		}
		if strings.HasPrefix(rest[i:], "…") || i-n > 4 && (i == len(rest) || rest[i] == '\n') {
			return at + i // cut off within the word
		}
	}
	open := strings.Index(rest, "redacted")
	if open < 1 || open > 24 || !bracket(rest[:open], '[') {
		return at
	}
	rest, at = rest[open:], at+open
	for i := len("redacted"); i < len(rest); i++ {
		switch b := rest[i]; {
		case b == ']':
			return at + i + 1
		case strings.HasPrefix(rest[i:], "%5D"):
			return at + i + 3
		case strings.HasPrefix(rest[i:], "%255D"):
			return at + i + 5
		case i > len("redacted") && cutOff(rest[i:]):
			return at + i
		case !alnum[b] && b != ':' && b != '_' && b != '\\' && b != '%':
			return at - open
		}
	}
	if len(rest) >= len("redacted:") && at+len(rest) == len(s) {
		return len(s)
	}
	return at - open
}

// cutOff reports whether a text begins as what follows a text that was cut off.
func cutOff(s string) bool {
	return strings.HasPrefix(s, "…") || strings.HasPrefix(s, "...") || strings.IndexByte(" \t\n\"'<", s[0]) >= 0
}

// bracket reports whether what stands before the word of a placeholder is its
// bracket, escaped or not.
func bracket(s string, b byte) bool {
	s = strings.TrimLeft(s, `\`)
	return s == string(b) || s == "%5B" || s == "%255B" || s == `\u005b`
}
