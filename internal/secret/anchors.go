package secret

import (
	"slices"
	"sync"
)

// A rule looks at a text around the place of an anchor, and says what it found
// there. from is where the first word of the finding stands, which may lie before
// the anchor.
//
// The end of a match is also how far the same anchor need not be looked at again,
// so that a text of nothing but anchors takes no longer than another. A rule that
// finds nothing gives an end where it can tell as much.
type rule func(s string, at, end int) (m match, ok bool)

// An anchor is a short text that a finding cannot be without. Letters of it
// stand for both cases, unless it is exact.
type anchor struct {
	text  string // lower case, unless exact; at least three bytes
	exact bool
	rule  rule
}

// Anchors are looked for all at once. Of each, three bytes in a row are known.
// Wherever they stand in a text, their first or second pair stands at an even
// offset: so every second pair of the text is looked up, and hardly any is known,
// since the three are the rarest that an anchor has.
type anchors struct {
	count   int
	pairs   pairs           // of the three, either
	firsts  pairs           // their first
	triples [1 << 12]uint16 // by hash: 0, or 1 + the index into buckets
	buckets [][]hook
}

// pairs has a bit for each pair of bytes.
type pairs [1 << 16 / 64]uint64

func (ps *pairs) set(p uint16)      { ps[p/64] |= 1 << (p % 64) }
func (ps *pairs) has(p uint16) bool { return ps[p/64]>>(p%64)&1 != 0 }

// A hook is an anchor and where in it its three bytes stand.
type hook struct {
	*anchor
	offset int
	number int // of the anchor
}

var (
	contractAnchors = sync.OnceValue(func() *anchors { return newAnchors(contractRules()) })
	redactAnchors   = sync.OnceValue(func() *anchors { return newAnchors(redactRules()) })
)

func anchorsOf(set Set) *anchors {
	if set == Contract {
		return contractAnchors()
	}
	return redactAnchors()
}

func newAnchors(list []anchor) *anchors {
	a := &anchors{count: len(list)}
	for i := range list {
		an := &list[i]
		best := 0
		for o := 1; o+2 < len(an.text); o++ {
			if commonness(an.text[o:o+3]) < commonness(an.text[best:best+3]) {
				best = o
			}
		}
		for _, first := range spellings(an.text[best], an.exact) {
			for _, second := range spellings(an.text[best+1], an.exact) {
				for _, third := range spellings(an.text[best+2], an.exact) {
					a.hook(first, second, third, hook{an, best, i})
				}
			}
		}
	}
	return a
}

func (a *anchors) hook(first, second, third byte, h hook) {
	a.firsts.set(pair(first, second))
	a.pairs.set(pair(first, second))
	a.pairs.set(pair(second, third))
	at := triple(first, second, third)
	if a.triples[at] == 0 {
		a.buckets = append(a.buckets, nil)
		a.triples[at] = uint16(len(a.buckets))
	}
	b := &a.buckets[a.triples[at]-1]
	if !slices.Contains(*b, h) { // of another spelling with the same hash
		*b = append(*b, h)
	}
}

func pair(first, second byte) uint16 { return uint16(first)<<8 | uint16(second) }

// triple is a hash of three bytes.
func triple(first, second, third byte) uint32 {
	return (uint32(first)<<16 | uint32(second)<<8 | uint32(third)) * 0x9e3779b1 >> 20
}

// commonness says how often three bytes are met in prose and code, roughly.
func commonness(s string) float64 {
	c := make([]float64, len(s))
	for i := range s {
		switch b := s[i]; {
		case b >= 'a' && b <= 'z':
			c[i] = letterShare[b-'a']
		case b >= 'A' && b <= 'Z':
			c[i] = 0.5 // of an exact anchor
		case b == ' ':
			c[i] = 15
		default:
			c[i] = 1.5
		}
	}
	return c[0]*c[1] + c[1]*c[2]
}

// letterShare is how many of a hundred letters of English are each.
var letterShare = [26]float64{8, 1.5, 2.8, 4.3, 12.7, 2.2, 2, 6, 7, 0.2, 0.8, 4, 2.4, 6.7, 7.5, 1.9, 0.1, 6, 6.3, 9, 2.8, 1, 2.4, 0.2, 2, 0.1}

func spellings(b byte, exact bool) []byte {
	if !exact && b >= 'a' && b <= 'z' {
		return []byte{b, b - 'a' + 'A'}
	}
	return []byte{b}
}

// each hands what the rules find at the anchors in a text to found, which says
// whether it keeps the match and whether to go on. Inside of a match that is kept
// its anchor is not looked at again. done is a buffer: of each anchor, up to where
// it was looked at.
func (a *anchors) each(s string, done *[]int, found func(match) (kept, more bool)) {
	*done = append((*done)[:0], make([]int, a.count)...)
	for i := 0; i+1 < len(s); i += 2 {
		p := pair(s[i], s[i+1])
		if !a.pairs.has(p) {
			continue
		}
		if i > 0 && a.firsts.has(pair(s[i-1], s[i])) && !a.try(s, i-1, *done, found) || i+2 < len(s) && a.firsts.has(p) && !a.try(s, i, *done, found) {
			return
		}
	}
}

// try hands over what is found where three bytes stand, and reports whether to
// go on.
func (a *anchors) try(s string, i int, done []int, found func(match) (kept, more bool)) bool {
	n := a.triples[triple(s[i], s[i+1], s[i+2])]
	if n == 0 {
		return true
	}
	for _, h := range a.buckets[n-1] {
		at := i - h.offset
		if at < done[h.number] || !h.stands(s, at) {
			continue
		}
		m, ok := h.rule(s, at, at+len(h.text))
		end, kept, more := m.end, true, true
		if ok {
			kept, more = found(m)
		}
		if kept {
			done[h.number] = end
		}
		if !more {
			return false
		}
	}
	return true
}

func (an *anchor) stands(s string, at int) bool {
	if at < 0 || at+len(an.text) > len(s) {
		return false
	}
	if an.exact {
		return s[at:at+len(an.text)] == an.text
	}
	return foldedAt(s, at, an.text)
}

// foldedAt reports whether the lower-case text stands at a place in either case.
func foldedAt(s string, at int, text string) bool {
	if at < 0 || at+len(text) > len(s) {
		return false
	}
	for i := range len(text) {
		if lower(s[at+i]) != text[i] {
			return false
		}
	}
	return true
}

func lower(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b - 'A' + 'a'
	}
	return b
}
