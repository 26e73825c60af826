package query

import (
	"strings"
	"unicode/utf8"
)

// A Piece is a part of a snippet.
type Piece struct {
	Text string
	Hit  bool // what was looked for
}

// maxHits bounds how many places of a text are looked at for a snippet.
const maxHits = 2000

// Snippet gives about width runes of a text, where the most of what is looked for
// stands together. White space is folded to a space; what was cut off is an
// ellipsis.
func Snippet(text string, q *Query, width int) []Piece {
	hits := q.hits(text)
	from, to := window(text, hits, width)
	var pieces []Piece
	add := func(s string, hit bool) {
		if s = fold(s); s != "" {
			pieces = append(pieces, Piece{s, hit})
		}
	}
	if from > 0 {
		add("…", false)
	}
	at := from
	for _, h := range hits {
		if h.start < at || h.end > to {
			continue
		}
		add(text[at:h.start], false)
		add(text[h.start:h.end], true)
		at = h.end
	}
	add(text[at:to], false)
	if to < len(text) {
		add("…", false)
	}
	return trim(pieces)
}

// trim takes white space off both ends.
func trim(pieces []Piece) []Piece {
	if len(pieces) > 0 {
		pieces[0].Text = strings.TrimLeft(pieces[0].Text, " ")
		last := &pieces[len(pieces)-1]
		last.Text = strings.TrimRight(last.Text, " ")
	}
	return pieces
}

// fold makes one line of a text.
func fold(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r == '\n' || r == '\r' || r == '\t' }) < 0 && !strings.Contains(s, "  ") {
		return s
	}
	var b strings.Builder
	space := false
	for _, r := range s {
		if r == '\n' || r == '\r' || r == '\t' || r == ' ' {
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}

// A hit is a place of a term.
type hit struct{ start, end, term int }

// hits gives the places of the terms that must occur, in order.
func (q *Query) hits(text string) (hits []hit) {
	longest := 0
	for _, t := range q.Terms {
		longest = max(longest, len(t.Tokens))
	}
	if longest == 0 {
		return nil
	}
	type token struct {
		text       string
		start, end int
	}
	var last []token
	for c := (Cursor{Text: text}); c.Next() && len(hits) < maxHits; {
		if len(last) == longest {
			last = append(last[:0], last[1:]...)
		}
		last = append(last, token{string(c.Token), c.Start, c.End})
		for i, t := range q.Terms {
			n := len(t.Tokens)
			if t.Not || n == 0 || n > len(last) {
				continue
			}
			tail := make([]string, 0, 8)
			for _, k := range last[len(last)-n:] {
				tail = append(tail, k.text)
			}
			if t.at(tail) {
				hits = append(hits, hit{last[len(last)-n].start, c.End, i})
			}
		}
	}
	return hits
}

// window chooses the part that is shown: the one with the most different terms,
// the earliest of them.
func window(text string, hits []hit, width int) (from, to int) {
	if utf8.RuneCountInString(text[:min(len(text), 4*width)]) <= width && len(text) <= 4*width {
		return 0, len(text)
	}
	best, at := 0, 0
	for i := range hits {
		seen := make(map[int]bool)
		for _, h := range hits[i:min(len(hits), i+50)] {
			if h.end-hits[i].start > width {
				break
			}
			seen[h.term] = true
		}
		if len(seen) > best {
			best, at = len(seen), hits[i].start
		}
	}
	from = back(text, at, width/4)
	to = from
	for n := 0; n < width && to < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[to:])
		to += size
	}
	return from, to
}

// back goes n runes back from a place, to the beginning of a word where one is
// near.
func back(text string, at, n int) int {
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	if at == 0 {
		return 0
	}
	if i := strings.IndexAny(text[at:min(len(text), at+20)], " \n\t"); i >= 0 {
		return at + i
	}
	return at
}
