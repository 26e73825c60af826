package query

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxToken is the length at which a token is cut, in bytes: logs hold base64.
const maxToken = 64

// AppendTokens appends the tokens of a text to dst, each followed by a space,
// and returns how many there are. A token is a run of letters, digits and marks,
// folded: case does not count, nor do the accents of Latin, Greek and Cyrillic
// letters. In scripts that are written without spaces each letter is a token of
// its own, and so is each symbol. Everything else separates.
func AppendTokens(dst []byte, text string) (out []byte, n int) {
	c := Cursor{Text: text}
	for c.Next() {
		dst = append(append(dst, c.Token...), ' ')
		n++
	}
	return dst, n
}

// A Cursor goes over the tokens of a text.
type Cursor struct {
	Text       string
	Token      []byte // folded; good until the next one
	Start, End int    // bytes of the text that the token was made of

	at int
}

// Next goes to the next token, and reports whether there is one.
func (c *Cursor) Next() bool {
	c.Token = c.Token[:0]
	s := c.Text
	i := c.at
	for i < len(s) {
		b := s[i]
		if b < utf8.RuneSelf {
			k := asciiClass[b]
			if k == 0 {
				if len(c.Token) > 0 {
					break
				}
				i++
				continue
			}
			if len(c.Token) == 0 {
				c.Start = i
			}
			c.push1(k)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch k, folded := lookUp(r, size); k {
		case separates:
			if len(c.Token) > 0 {
				c.at, c.End = i, i
				return true
			}
		case alone:
			if len(c.Token) > 0 {
				c.at, c.End = i, i
				return true
			}
			c.Start = i
			c.push(r)
			c.at, c.End = i+size, i+size
			return true
		case mark:
			if len(c.Token) > 0 && !dropped(r) {
				c.push(r)
			}
		case letter:
			if len(c.Token) == 0 {
				c.Start = i
			}
			c.pushAll(folded, r)
		}
		i += size
	}
	c.at, c.End = i, i
	return len(c.Token) > 0
}

func (c *Cursor) push1(b byte) {
	if len(c.Token) < maxToken {
		c.Token = append(c.Token, b)
	}
}

func (c *Cursor) push(r rune) {
	if len(c.Token)+utf8.RuneLen(r) <= maxToken {
		c.Token = utf8.AppendRune(c.Token, r)
	}
}

// pushAll adds what a letter or digit was folded to, or folds it.
func (c *Cursor) pushAll(folded string, r rune) {
	if folded == "" {
		var buf [utf8.UTFMax]byte
		c.pushBytes(fold(buf[:0], r))
		return
	}
	c.pushBytes(folded)
}

// fold appends a letter or digit without its case and accents.
func fold(dst []byte, r rune) []byte {
	if plain(r) {
		return utf8.AppendRune(dst, lower(r))
	}
	for _, d := range norm.NFKD.String(string(r)) {
		switch {
		case d < utf8.RuneSelf:
			if k := asciiClass[d]; k != 0 {
				dst = append(dst, k)
			}
		case unicode.IsMark(d):
			if !dropped(d) {
				dst = utf8.AppendRune(dst, d)
			}
		case unicode.IsLetter(d) || unicode.IsNumber(d):
			dst = utf8.AppendRune(dst, lower(d))
		}
	}
	return dst
}

// lower folds the case of a letter: of all letters that differ by case alone it
// gives the same one.
func lower(r rune) rune {
	l := unicode.ToLower(unicode.ToUpper(r))
	if l == 'ς' {
		return 'σ'
	}
	return l
}

// plain reports whether a letter has nothing to be taken apart.
func plain(r rune) bool {
	return !(r >= 0xa0 && r <= 0x24f || r >= 0x370 && r <= 0x52f || r >= 0x1e00 && r <= 0x1fff || r >= 0x2070 && r <= 0x218f || r >= 0xfb00 && r <= 0xffef)
}

// dropped reports whether a mark is an accent, which does not count.
func dropped(r rune) bool { return r >= 0x300 && r <= 0x36f }

type class uint8

const (
	separates class = iota
	letter
	mark
	alone
)

// classOf tells what a rune beyond ASCII is.
func classOf(r rune, size int) class {
	switch {
	case r == utf8.RuneError && size == 1:
		return separates
	case spaceless(r):
		return alone
	case unicode.IsLetter(r), unicode.IsNumber(r):
		return letter
	case unicode.IsMark(r):
		return mark
	case unicode.Is(unicode.So, r):
		return alone
	}
	return separates
}

// spaceless reports whether a rune belongs to a script that is written without
// spaces between words, or whose words are rarely searched whole.
func spaceless(r rune) bool {
	switch {
	case r < 0xe00:
		return false
	case r < 0x1100: // Thai, Lao, Tibetan, Myanmar
		return unicode.IsLetter(r) && (r < 0xf00 || r >= 0x1000)
	case r < 0x1780:
		return r < 0x1200 // Hangul jamo
	case r < 0x1800: // Khmer
		return unicode.IsLetter(r)
	case r < 0x3005:
		return false
	case r < 0xd7b0: // Kana, Han, Hangul
		return unicode.IsLetter(r) || r == 0x3005
	case r >= 0xf900 && r < 0xfb00, r >= 0xff66 && r < 0xffdd:
		return true
	}
	return r >= 0x20000 && r < 0x33480
}

// asciiClass gives the folded letter or digit of a byte, or 0.
var asciiClass = func() (t [256]byte) {
	for b := '0'; b <= '9'; b++ {
		t[b] = byte(b)
	}
	for b := 'a'; b <= 'z'; b++ {
		t[b] = byte(b)
		t[b-'a'+'A'] = byte(b)
	}
	return t
}()
