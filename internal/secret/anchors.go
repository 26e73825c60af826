package secret

import (
	"iter"
	"sync"
)

// A rule looks at a text around the place of an anchor, and says what it found
// there. from is where the first word of the finding stands, which may lie before
// the anchor.
type rule func(s string, at, end int) (m match, ok bool)

// An anchor is a short text that a finding cannot be without. Letters of it
// stand for both cases, unless it is exact.
type anchor struct {
	text  string // lower case, unless exact; at least three bytes
	exact bool
	rule  rule
}

// Anchors are looked for all at once. Of each, two neighbouring pairs of bytes
// are known; whatever the place of an anchor in a text, one of the two stands at
// an even offset. So every second pair of the text is looked up, and hardly any
// is known, since the pairs are the rarest that an anchor has.
type anchors struct {
	pairs   [1 << 16]uint16 // 0, or 1 + the index into buckets
	buckets [][]hook
}

// A hook is a pair of an anchor and where in it the pair stands.
type hook struct {
	*anchor
	offset int
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
	a := new(anchors)
	for i := range list {
		an := &list[i]
		best := 0
		for o := 1; o+2 < len(an.text); o++ {
			if commonness(an.text[o:o+3]) < commonness(an.text[best:best+3]) {
				best = o
			}
		}
		for o := best; o < best+2; o++ {
			for _, first := range spellings(an.text[o], an.exact) {
				for _, second := range spellings(an.text[o+1], an.exact) {
					a.hook(uint16(first)<<8|uint16(second), hook{an, o})
				}
			}
		}
	}
	return a
}

func (a *anchors) hook(pair uint16, h hook) {
	if a.pairs[pair] == 0 {
		a.buckets = append(a.buckets, nil)
		a.pairs[pair] = uint16(len(a.buckets))
	}
	b := &a.buckets[a.pairs[pair]-1]
	*b = append(*b, h)
}

// commonness says how often three bytes are met in prose and code, roughly.
func commonness(s string) float64 {
	c := make([]float64, len(s))
	for i := range s {
		switch b := lower(s[i]); b {
		case 'e', 't', 'a', 'o', 'i', 'n', 's', 'r', ' ':
			c[i] = 8
		case 'l', 'd', 'c', 'u', 'm', 'p', 'h', 'f', 'g':
			c[i] = 4
		case 'q', 'j', 'z', 'x':
			c[i] = 0.5
		case 'b', 'v', 'w', 'y', 'k':
			c[i] = 1.5
		default:
			c[i] = 2
		}
	}
	return c[0]*c[1] + c[1]*c[2]
}

func spellings(b byte, exact bool) []byte {
	if !exact && b >= 'a' && b <= 'z' {
		return []byte{b, b - 'a' + 'A'}
	}
	return []byte{b}
}

// matches gives what the rules find at the anchors in a text.
func (a *anchors) matches(s string) iter.Seq[match] {
	return func(yield func(match) bool) {
		for i := 0; i+1 < len(s); i += 2 {
			n := a.pairs[uint16(s[i])<<8|uint16(s[i+1])]
			if n == 0 {
				continue
			}
			for _, h := range a.buckets[n-1] {
				at := i - h.offset
				if !h.stands(s, at) {
					continue
				}
				if m, ok := h.rule(s, at, at+len(h.text)); ok && !yield(m) {
					return
				}
			}
		}
	}
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
