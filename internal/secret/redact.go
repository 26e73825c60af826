package secret

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// Options says what a Redactor replaces besides secrets.
type Options struct {
	// Home is written as ~ wherever it stands, and so is any folder of a user
	// below /home, /Users and \Users. Empty leaves paths alone, AnyHome knows
	// those folders alone.
	Home string
	// Emails replaces addresses too.
	Emails bool
}

// AnyHome is a Home that stands for no folder but those of users.
const AnyHome = "~"

// A Place says where a text came from, for the report.
type Place struct {
	File string
	Line int
}

// A Count is what a Redactor replaced of one code.
type Count struct {
	Code     string
	Count    int // placeholders written
	Distinct int // different values
	// First and Last are where the first and the last of them stood, as told to At;
	// of those with a line, where there are any.
	First, Last Place
}

// maxValues is the most different values that a Redactor numbers. Placeholders
// of further ones have no number.
const maxValues = 1 << 16

// maxRounds bounds how often a text is redacted until nothing is found in it:
// what one finding leaves may be another, as a long value that a placeholder now
// ends.
const maxRounds = 8

// A Redactor replaces what it finds by placeholders, [redacted:CODE:N]. The same
// value has the same placeholder, in every text that one Redactor sees. It keeps
// digests of values and no value.
//
// A Redactor is not safe for use by several goroutines.
type Redactor struct {
	options Options
	finder  finder
	homes   homes
	place   Place
	known   map[[16]byte]string // placeholders of values
	numbers map[string]int      // the last number of each code
	counts  []Count
}

// NewRedactor returns a Redactor that has seen nothing.
func NewRedactor(o Options) *Redactor {
	return &Redactor{options: o, homes: newHomes(o.Home), known: make(map[[16]byte]string), numbers: make(map[string]int)}
}

// At says where the texts that follow came from.
func (r *Redactor) At(p Place) { r.place = p }

// Counts gives what was replaced, by code.
func (r *Redactor) Counts() []Count {
	list := slices.Clone(r.counts)
	slices.SortFunc(list, func(a, b Count) int { return strings.Compare(a.Code, b.Code) })
	return list
}

// Text returns a text without what was found in it. A text with nothing to find
// is returned as it is. To redact it once more changes nothing.
func (r *Redactor) Text(s string) string {
	for range maxRounds {
		before := s
		s = r.replace(s, r.finder.find(s, Redact))
		if r.options.Emails {
			s = r.replace(s, emails(s))
		}
		if r.options.Home != "" {
			s = r.tildes(s)
		}
		if s == before {
			break
		}
	}
	return s
}

// replace puts placeholders where the matches are.
func (r *Redactor) replace(s string, found []match) string {
	if len(found) == 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	done := 0
	for i := range found {
		m := &found[i]
		b.WriteString(s[done:m.start])
		b.WriteString(r.placeholder(m))
		done = m.end
	}
	b.WriteString(s[done:])
	return b.String()
}

// placeholder gives the placeholder of a match and counts it.
func (r *Redactor) placeholder(m *match) string {
	sum := sha256.Sum256([]byte(m.value))
	key := [16]byte(sum[:16])
	text, ok := r.known[key]
	switch {
	case ok:
		code, _, _ := strings.Cut(text[len(mark):], ":")
		r.count(code, 1, 0)
	case len(r.known) >= maxValues:
		text = mark + m.code + "]"
		r.count(m.code, 1, 1)
	default:
		r.numbers[m.code]++
		text = fmt.Sprintf("%s%s:%d]", mark, m.code, r.numbers[m.code])
		r.known[key] = text
		r.count(m.code, 1, 1)
	}
	return text
}

// count adds to what was replaced of a code.
func (r *Redactor) count(code string, n, distinct int) {
	i := slices.IndexFunc(r.counts, func(c Count) bool { return c.Code == code })
	if i < 0 {
		i = len(r.counts)
		r.counts = append(r.counts, Count{Code: code, First: r.place})
	}
	c := &r.counts[i]
	c.Count, c.Distinct = c.Count+n, c.Distinct+distinct
	if c.First.Line == 0 {
		c.First = r.place
	}
	if r.place.Line > 0 || c.Last.Line == 0 {
		c.Last = r.place
	}
}
