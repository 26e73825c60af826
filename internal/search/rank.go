package search

import (
	"cmp"
	"math"
	"slices"

	"rollbook/internal/query"
	"rollbook/internal/store"
)

// The constants of BM25, and the length that a text usually has, in tokens.
const (
	saturation = 1.2
	lengthPart = 0.75
	usual      = 40
)

// A scored is an event and how well it fits.
type scored struct {
	id    int64
	score float64
}

// better says which of two comes first: of two as good the newer.
func better(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id)) }

// rank gives the best n of events, which come newest first, by BM25. How often a
// term occurs is known as once, three times or eight times, and how long the text
// is to a power of two: all of it is in the index (docs/adr/0004-store.md). All
// terms must occur, so that rare ones weigh no more than others.
func (s *searcher) rank(newest []int64, n int) ([]int64, error) {
	words := s.q.Words()
	if len(newest) == 0 || len(words) == 0 {
		return newest[:min(n, len(newest))], nil
	}
	all := make([]scored, len(newest))
	for i, id := range newest {
		all[i].id = id
	}
	counts := make([]uint8, len(newest))
	for _, w := range words {
		clear(counts)
		some := true
		for i, token := range []string{query.Often(w), query.VeryOften(w)} {
			if !some {
				break // what is not often there is not very often there
			}
			some = false
			err := s.mark(token, newest, func(k int) { counts[k], some = uint8(i+1), true })
			if err != nil {
				return nil, err
			}
		}
		for i := range all {
			all[i].score += weight(counts[i], store.LengthOf(all[i].id))
		}
	}
	best := best(all, n)
	ids := make([]int64, len(best))
	for i := range best {
		ids[i] = best[i].id
	}
	return ids, nil
}

// weights holds weight for each count and length class.
var weights = func() (w [3][16]float64) {
	for i, tf := range [...]float64{1, 3, 8} {
		for l := range w[i] {
			length := math.Exp2(float64(l) - 0.5)
			w[i][l] = tf * (saturation + 1) / (tf + saturation*(1-lengthPart+lengthPart*length/usual))
		}
	}
	return w
}()

// weight is what a term adds to the score of a text.
func weight(count uint8, length int) float64 { return weights[count][length] }

// best gives the first n in order. Mostly a page is asked for of thousands: that
// many are kept, and the rest is only looked at.
func best(all []scored, n int) []scored {
	const few = 500
	if n > few || n >= len(all) {
		slices.SortFunc(all, better)
		return all[:min(n, len(all))]
	}
	kept := make([]scored, 0, n+1)
	for _, s := range all {
		if len(kept) == n && better(s, kept[n-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(kept, s, better)
		kept = slices.Insert(kept, at, s)
		kept = kept[:min(len(kept), n)]
	}
	return kept
}

// mark calls f with the place of each of the events that have a marker: few have
// one, and asking for it alone is faster than for the query too. Both come newest
// first, so that one walk finds the places.
func (s *searcher) mark(token string, newest []int64, f func(place int)) error {
	lo, hi := newest[len(newest)-1], newest[0]+1
	for _, t := range s.tables {
		at := 0
		err := s.r.Find(t.name, query.Quote(token), lo, hi, func(id int64) bool {
			for at < len(newest) && newest[at] > id {
				at++
			}
			if at < len(newest) && newest[at] == id {
				f(at)
			}
			return at < len(newest)
		})
		if err != nil {
			return err
		}
	}
	return s.ctx.Err()
}
