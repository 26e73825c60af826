package query

import (
	"strconv"
	"strings"
)

// A Meta is a sort of token that says what a document is instead of what stands
// in it. It begins with a rune for private use, which no token of a text has.
type Meta rune

const (
	MetaAll     Meta = 0xe000 + iota // every document
	MetaRole                         // user, assistant ...
	MetaKind                         // as transcript spells it
	MetaTool                         // id in the store
	MetaProject                      // id in the store
	MetaThread                       // id in the store
	MetaSource                       // id in the store
	MetaFlag                         // image, change, error, natural, inherited
)

// Token gives the token for a value, of which letters and digits count.
func (m Meta) Token(value string) string { return string(rune(m)) + strings.ReplaceAll(value, "_", "") }

// ID gives the token for a number.
func (m Meta) ID(id int64) string { return string(rune(m)) + strconv.FormatInt(id, 10) }

// The runes in front of a term that is frequent in a document.
const (
	often     = '\ue0f3'
	veryOften = '\ue0f8'
)

// The counts from which a term is frequent, and how many tokens of a text are
// looked at for that.
const (
	oftenFrom     = 3
	veryOftenFrom = 8
	frequentOf    = 4096
)

// Often gives the marker token of a term that occurs at least three times, and
// VeryOften that of one that occurs at least eight times, among the first 4096
// tokens of a text. A search ranks by them.
func Often(term string) string     { return string(often) + term }
func VeryOften(term string) string { return string(veryOften) + term }

// AppendMarkers appends the marker tokens of a text whose tokens AppendTokens
// has made, each followed by a space.
func AppendMarkers(dst, tokens []byte) []byte {
	counts := make(map[string]int)
	seen := 0
	for start, i := 0, 0; i < len(tokens) && seen < frequentOf; i++ {
		if tokens[i] != ' ' {
			continue
		}
		seen++
		n := counts[string(tokens[start:i])] + 1
		counts[string(tokens[start:i])] = n
		switch n {
		case oftenFrom:
			dst = append(append(append(dst, string(often)...), tokens[start:i]...), ' ')
		case veryOftenFrom:
			dst = append(append(append(dst, string(veryOften)...), tokens[start:i]...), ' ')
		}
		start = i + 1
	}
	return dst
}
