package query

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Piece is a part of a snippet.
type Piece struct {
	Text string
	Hit  bool // what was looked for
}

// maxHits bounds how many places of each term are looked at for a snippet.
const maxHits = 500

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
	for _, h := range merged(hits) {
		if h.end <= at || h.start >= to {
			continue
		}
		start, end := max(h.start, at), min(h.end, to)
		add(text[at:start], false)
		add(text[start:end], true)
		at = end
	}
	add(text[at:to], false)
	if to < len(text) {
		add("…", false)
	}
	return trim(pieces)
}

// merged joins hits that overlap, as those of a phrase and of its words.
func merged(hits []hit) (list []hit) {
	for _, h := range hits {
		if n := len(list); n > 0 && h.start < list[n-1].end {
			list[n-1].end = max(list[n-1].end, h.end)
			continue
		}
		list = append(list, h)
	}
	return list
}

// trim takes white space off both ends.
func trim(pieces []Piece) []Piece {
	if len(pieces) > 0 {
		pieces[0].Text = strings.TrimLeft(pieces[0].Text, " ")
		last := &pieces[len(pieces)-1]
		last.Text = strings.TrimRight(last.Text, " ")
	}
	return slices.DeleteFunc(pieces, func(p Piece) bool { return p.Text == "" })
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

// hits gives the places of the terms that must occur, by where they begin. Of
// each term the first maxHits are enough.
func (q *Query) hits(text string) (hits []hit) {
	longest, open := 0, 0
	left := make([]int, len(q.Terms))
	for i, t := range q.Terms {
		if !t.Not && len(t.Tokens) > 0 {
			longest, left[i] = max(longest, len(t.Tokens)), maxHits
			open++
		}
	}
	type place struct {
		text       []byte
		start, end int
	}
	last := make([]place, longest) // a ring: the token of number n lies at n%longest
	n := 0
	for c := (Cursor{Text: text}); open > 0 && c.Next(); n++ {
		p := &last[n%longest]
		p.text, p.start, p.end = append(p.text[:0], c.Token...), c.Start, c.End
	terms:
		for i := range q.Terms {
			t := &q.Terms[i]
			first := n + 1 - len(t.Tokens)
			if left[i] == 0 || first < 0 {
				continue
			}
			for k := len(t.Tokens) - 1; k >= 0; k-- {
				if !takes(t, k, last[(first+k)%longest].text) {
					continue terms
				}
			}
			hits = append(hits, hit{last[first%longest].start, c.End, i})
			if left[i]--; left[i] == 0 {
				open--
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Or(a.start-b.start, b.end-a.end) })
	return hits
}

// window chooses the part that is shown: the one with the most different terms,
// of several the one where they stand nearest together, and of these the first.
func window(text string, hits []hit, width int) (from, to int) {
	if utf8.RuneCountInString(text[:min(len(text), 4*width)]) <= width && len(text) <= 4*width {
		return 0, len(text)
	}
	best, span, at := 0, 0, 0
	for i := range hits {
		var terms []int
		end := 0
		for k, h := range hits[i:min(len(hits), i+50)] {
			if k > 0 && h.end-hits[i].start > width {
				break // but one that is longer than the window is better than none
			}
			if !slices.Contains(terms, h.term) {
				terms, end = append(terms, h.term), h.end
			}
		}
		if n := end - hits[i].start; len(terms) > best || len(terms) == best && n < span {
			best, span, at = len(terms), n, hits[i].start
		}
	}
	// What stands before it must not push the end of what is shown out.
	from = back(text, at, max(0, min(width/4, width-utf8.RuneCountInString(text[at:at+span]))))
	n := 0
	for to = from; n < width && to < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[to:])
		to += size
	}
	if n < width {
		from = back(text, from, width-n)
	}
	return from, to
}

// back goes n runes back from a place, to the beginning of a word where one is
// near.
func back(text string, at, n int) int {
	end := at
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	if at == 0 {
		return 0
	}
	if i := strings.IndexAny(text[at:min(end, at+20)], " \n\t"); i >= 0 {
		return at + i
	}
	return at
}
