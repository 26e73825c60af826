package rolltest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A vocabulary gives words as often as people use them: the n-th word about 1/n
// times as often as the first.
type vocabulary struct {
	words []string
	rank  *rand.Zipf
}

// vocabularySize is about what a few years of work with an agent use.
const vocabularySize = 50_000

// newVocabulary makes up words: after the usual ones three in ten are of code.
func newVocabulary(rng *rand.Rand) []string {
	list := make([]string, 0, vocabularySize)
	seen := make(map[string]bool, vocabularySize)
	add := func(w string) {
		if !seen[w] {
			seen[w] = true
			list = append(list, w)
		}
	}
	for _, w := range words {
		add(w)
	}
	for len(list) < vocabularySize {
		if rng.IntN(10) < 3 {
			add(codeWord(rng))
		} else {
			add(plainWord(rng))
		}
	}
	return list
}

func (v *vocabulary) word() string { return v.words[v.rank.Uint64()] }

// drawFrom gives words by a source of randomness of their own.
func drawFrom(words []string, rng *rand.Rand) *vocabulary {
	return &vocabulary{words, rand.NewZipf(rng, 1.07, 2.7, uint64(len(words)-1))}
}

var (
	onsets  = strings.Fields("b br c ch cl cr d dr f fl g gr h j k l m n p pl pr qu r s sc sh sl sp st str t th tr v w")
	vowels  = strings.Fields("a a e e i i o o u ai ea ee ou")
	codas   = strings.Fields("b ck d g l ll m n nd ng nt p r rd rt s ss st t tch x")
	endings = strings.Fields("ing ed er s ly tion ment able al ive ness ize ous")
)

func pick(rng *rand.Rand, list []string) string { return list[rng.IntN(len(list))] }

// plainWord makes up a word that could be English.
func plainWord(rng *rand.Rand) string {
	var b strings.Builder
	for range 1 + rng.IntN(2) {
		b.WriteString(pick(rng, onsets))
		b.WriteString(pick(rng, vowels))
	}
	b.WriteString(pick(rng, codas))
	if rng.IntN(2) == 0 {
		b.WriteString(pick(rng, endings))
	}
	return b.String()
}

// codeWord makes up an identifier, a qualified name or a path.
func codeWord(rng *rand.Rand) string {
	title := func() string {
		w := plainWord(rng)
		return strings.ToUpper(w[:1]) + w[1:]
	}
	switch rng.IntN(4) {
	case 0:
		return plainWord(rng) + "_" + plainWord(rng)
	case 1:
		return plainWord(rng) + "." + title()
	case 2:
		return plainWord(rng) + title()
	default:
		return fmt.Sprintf("internal/%s/%s.go", plainWord(rng), plainWord(rng))
	}
}

// Han and kana that are in common use.
var (
	han  = []rune("的一是不了人我在有他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本見経頭面公同三已老从動両長")
	kana = []rune("あいうえおかきくけこさしすせそたちつてとなにのはひまみもやよらりるれをんアイウエオカキクケコサシステトナノハマミムメモラリルレロン")
)

// wideSentence makes up a sentence without spaces between words.
func (g *generator) wideSentence() string {
	letters := [][]rune{han, han, kana}[g.rng.IntN(3)]
	var b strings.Builder
	for n := 6 + g.rng.IntN(24); n > 0; n-- {
		b.WriteRune(letters[g.rng.IntN(len(letters))])
	}
	return b.String() + []string{"。", "，", "。\n", "？"}[g.rng.IntN(4)]
}
