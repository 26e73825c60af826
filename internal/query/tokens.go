package query

import (
	"sync"
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
	for c.at < len(text) {
		if end := asciiRun(text, c.at); end > c.at && end-c.at <= maxToken && (end == len(text) || text[end] < utf8.RuneSelf) {
			for _, b := range []byte(text[c.at:end]) {
				dst = append(dst, asciiClass[b])
			}
			c.at = end
		} else if end == c.at && text[end] < utf8.RuneSelf {
			c.at++
			continue
		} else if c.Next() {
			dst = append(dst, c.Token...)
		} else {
			break
		}
		dst = append(dst, ' ')
		n++
	}
	return dst, n
}

// A Cursor goes over the tokens of a text.
type Cursor struct {
	Text       string
	Token      []byte // folded; good until the next one
	Start, End int    // bytes of the text that the token was made of

	at   int
	full bool // the token was cut
}

// Next goes to the next token, and reports whether there is one.
func (c *Cursor) Next() bool {
	c.Token, c.full = c.Token[:0], false
	s, i := c.Text, c.at
	for i < len(s) {
		if s[i] < utf8.RuneSelf {
			end := asciiRun(s, i)
			if end == i {
				if len(c.Token) > 0 {
					break
				}
				i++
				continue
			}
			if len(c.Token) == 0 {
				c.Start = i
			}
			c.pushASCII(s[i:end])
			i = end
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		f := lookUp(r, size)
		switch f.class {
		case separates, alone:
			if len(c.Token) > 0 {
				c.at, c.End = i, i
				return true
			}
			if f.class == alone {
				c.Token = append(c.Token, s[i:i+size]...)
				c.Start, c.End = i, i+size
				c.at = c.End
				return true
			}
		case mark:
			if len(c.Token) > 0 && !dropped(r) {
				c.push(s[i : i+size])
			}
		case letter:
			if len(c.Token) == 0 {
				c.Start = i
			}
			if f.size > 0 {
				c.push(string(f.text[:f.size]))
			} else {
				c.push(string(foldRune(nil, r)))
			}
		}
		i += size
	}
	c.at, c.End = i, i
	return len(c.Token) > 0
}

// asciiRun gives the end of the letters and digits that begin at a place.
func asciiRun(s string, i int) int {
	for i < len(s) && asciiClass[s[i]] != 0 {
		i++
	}
	return i
}

// pushASCII adds letters and digits, up to the longest token.
func (c *Cursor) pushASCII(s string) {
	if c.full {
		return
	}
	if room := maxToken - len(c.Token); len(s) > room {
		s, c.full = s[:room], true
	}
	for i := 0; i < len(s); i++ {
		c.Token = append(c.Token, asciiClass[s[i]])
	}
}

// push adds what a letter was folded to. From one on that has no room the rest of
// the token is left out.
func (c *Cursor) push(s string) {
	c.full = c.full || len(c.Token)+len(s) > maxToken
	if !c.full {
		c.Token = append(c.Token, s...)
	}
}

// A folded is what a rune is, and what a letter is folded to if that is short.
type folded struct {
	class class
	size  uint8
	text  [6]byte
}

// The runes below this are looked up in a table: all alphabets that are common.
const tableEnd = 0x3000

var table = sync.OnceValue(func() *[tableEnd]folded {
	t := new([tableEnd]folded)
	for r := rune(utf8.RuneSelf); r < tableEnd; r++ {
		f := folded{class: classOf(r)}
		if text := foldRune(nil, r); f.class == letter && len(text) <= len(f.text) {
			f.size = uint8(copy(f.text[:], text))
		}
		t[r] = f
	}
	return t
})

// lookUp says what a rune beyond ASCII is, of so many bytes in the text.
func lookUp(r rune, size int) folded {
	switch {
	case r < tableEnd:
		return table()[r]
	case r == utf8.RuneError && size == 1:
		return folded{class: separates}
	case r >= 0x4e00 && r < 0xa000, r >= 0xac00 && r < 0xd7a4:
		return folded{class: alone} // Han, Hangul
	}
	return folded{class: classOf(r)}
}

// foldRune appends a letter or digit without its case and accents.
func foldRune(dst []byte, r rune) []byte {
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
			if !dropped(d) && len(dst) > 0 { // alone it would be no token
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
func classOf(r rune) class {
	switch {
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
	case r >= 0x10a0 && r < 0x1100: // Georgian
		return false
	case r < 0x1100: // Thai, Lao, Tibetan, Myanmar
		return unicode.IsLetter(r) && (r < 0xf00 || r >= 0x1000)
	case r < 0x1780:
		return r < 0x1200 // Hangul jamo
	case r < 0x1800: // Khmer
		return unicode.IsLetter(r)
	case r < 0x3005:
		return false
	case r < 0xa4d0: // Kana, Han, Yi
		return unicode.IsLetter(r) || r == 0x3005
	case r >= 0xac00 && r < 0xd800, r >= 0xa960 && r < 0xa980: // Hangul
		return unicode.IsLetter(r)
	case r >= 0xa9e0 && r < 0xaa00, r >= 0xaa60 && r < 0xaa80: // Myanmar
		return unicode.IsLetter(r)
	case r >= 0xf900 && r < 0xfb00, r >= 0xff66 && r < 0xffdd, r >= 0x1b000 && r < 0x1b170:
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
