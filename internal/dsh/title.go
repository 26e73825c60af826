package dsh

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"rollbook/internal/transcript"
)

// maxTitle is how long a title may be, in UTF-16 units, the ellipsis included.
const maxTitle = 80

// A title is what a session is called: the name that the thread was given, else
// the beginning of its first prompt.
type title struct {
	given  string
	text   string // of the first prompt that is a text
	seq    int
	image  int // seq of the first prompt that is an image only
	pixels bool
}

func newTitle(m *transcript.Meta) title {
	if m.TitleSource == "" || m.TitleSource == "prompt" {
		return title{}
	}
	return title{given: cleanTitle(m.Title)}
}

// prompt takes a prompt that stands in the session.
func (t *title) prompt(text string, images bool, seq int) {
	if t.text != "" {
		return
	}
	if t.text = cleanTitle(text); t.text != "" {
		t.seq = seq
	} else if images && !t.pixels {
		t.image, t.pixels = seq, true
	}
}

// choose gives the title and the messages that it is taken from; none where it
// was given.
func (t *title) choose() (string, []int) {
	switch {
	case t.given != "":
		return t.given, nil
	case t.text != "":
		return t.text, []int{t.seq}
	case t.pixels:
		return "[image]", []int{t.image}
	}
	return "", nil
}

// cleanTitle makes one line of a text: without control characters, escape
// sequences of terminals and marks of direction, white space folded, and cut at
// maxTitle.
func cleanTitle(s string) string {
	s, _ = prefixUnits(s, 64*maxTitle) // the rest is not shown anyway
	var b strings.Builder
	space := false
	for s != "" {
		if n := escapeSequence(s); n > 0 {
			s = s[n:]
			continue
		}
		r, size := rune(s[0]), 1
		if r >= 0x80 {
			r, size = utf8.DecodeRuneInString(s)
		}
		s = s[size:]
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
		case unicode.IsControl(r), isBidi(r):
		default:
			if space {
				b.WriteByte(' ')
				space = false
			}
			b.WriteRune(r)
		}
	}
	return ellipsis(b.String())
}

func ellipsis(s string) string {
	if utf16Len(s) <= maxTitle {
		return s
	}
	kept, _ := prefixUnits(s, maxTitle-1)
	return strings.TrimRight(kept, " ") + "…"
}

// isBidi reports whether r changes the direction of the text around it.
func isBidi(r rune) bool {
	switch {
	case r == 0x061c, r == 0x200e, r == 0x200f, 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069, r == 0xfeff:
		return true
	}
	return false
}

// escapeSequence is how long the escape sequence of a terminal is that s begins
// with; 0 for none. One without an end is its introducer alone.
func escapeSequence(s string) int {
	if s[0] != 0x1b || len(s) < 2 {
		return 0
	}
	switch s[1] {
	case '[': // CSI: parameters, then one final byte
		for i := 2; i < len(s) && i < 64; i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < 0x20 || s[i] > 0x3f {
				break
			}
		}
		return 2
	case ']', 'P', '_', '^', 'X': // a string, which BEL or ESC \ ends
		for i := 2; i < len(s); i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
		return 2
	}
	if s[1] >= 0x30 && s[1] <= 0x7e {
		return 2
	}
	return 0
}
