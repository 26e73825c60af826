// Package search finds events in the store, the newest first or ranked, a page at
// a time (docs/search.md).
package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rollbook/internal/query"
	"rollbook/internal/store"
)

// MaxRanked is how many matches are ranked or counted by what they are, the newest
// ones. MaxCounted is up to how many they are counted otherwise.
const (
	MaxRanked  = 20_000
	MaxCounted = 1_000
)

// Options says how a search answers.
type Options struct {
	Limit   int    // hits of a page; 0 is 20
	Ranked  bool   // the best first, instead of the newest
	After   string // Result.Next of the page before
	Around  int    // messages of the thread before and after each hit
	Facets  bool
	Snippet int // runes of a snippet; 0 is 160
}

// A Hit is an event that was found.
type Hit struct {
	*store.Event
	Title         string // of the thread
	Snippet       []query.Piece
	Before, After []*store.Event
}

// A Result is one page.
type Result struct {
	Hits []Hit
	Next string // what Options.After wants for the next page; empty on the last
	// Total is how many there are; where More is set, at least so many.
	Total int
	More  bool
	// Ranked is how many were ranked: all, or the newest MaxRanked.
	Ranked int
	Facets *store.Facets
}

// Run searches the store.
func Run(ctx context.Context, r *store.Reader, q *query.Query, o Options) (*Result, error) {
	o.Limit, o.Snippet = cmp.Or(o.Limit, 20), cmp.Or(o.Snippet, 160)
	s := &searcher{ctx: ctx, r: r, q: q, o: o}
	for name, kinds := range store.Tables() {
		expr, never, err := q.FTS(r, kinds)
		if err != nil {
			return nil, err
		}
		if !never {
			s.tables = append(s.tables, table{name, expr})
		}
	}
	if len(s.tables) == 0 {
		return &Result{}, nil
	}
	s.lo, s.hi = store.Bounds(q.Since, q.Until)
	return s.run()
}

// A table is what is asked of one full text table.
type table struct{ name, expr string }

type searcher struct {
	ctx    context.Context
	r      *store.Reader
	q      *query.Query
	o      Options
	tables []table
	lo, hi int64
}

func (s *searcher) run() (*Result, error) {
	most := MaxCounted
	if s.o.Ranked || s.o.Facets {
		most = MaxRanked
	}
	newest, more, err := s.ids(s.lo, s.hi, most)
	if err != nil {
		return nil, err
	}
	res := &Result{Total: len(newest), More: more}
	var page []int64
	if s.o.Ranked {
		res.Ranked = len(newest)
		page, res.Next, err = s.ranked(newest)
	} else {
		page, res.Next, err = s.newest(newest, more)
	}
	if err != nil {
		return nil, err
	}
	if s.o.Facets {
		if res.Facets, err = s.r.Facets(newest); err != nil {
			return nil, err
		}
	}
	titles := make(map[string]string)
	for _, id := range page {
		hit, err := s.hit(id, titles)
		if err != nil {
			return nil, err
		}
		if hit != nil {
			res.Hits = append(res.Hits, *hit)
		}
	}
	return res, nil
}

// ids gives up to n of the events that match, the newest first, of all tables
// that may hold some.
func (s *searcher) ids(lo, hi int64, n int) (ids []int64, more bool, err error) {
	for _, t := range s.tables {
		k := 0
		err := s.r.Find(t.name, t.expr, lo, hi, func(id int64) bool {
			if k++; k > n {
				more = true
				return false
			}
			ids = append(ids, id)
			return true
		})
		if err != nil {
			return nil, false, fmt.Errorf("search: %w", err)
		}
	}
	if len(s.tables) > 1 {
		slices.SortFunc(ids, func(a, b int64) int { return cmp.Compare(b, a) })
	}
	if len(ids) > n {
		ids, more = ids[:n], true
	}
	return ids, more, s.ctx.Err()
}

// newest gives a page of the newest. Its cursor is the last id of the page.
func (s *searcher) newest(first []int64, more bool) (page []int64, next string, err error) {
	if s.o.After == "" {
		page = first[:min(len(first), s.o.Limit+1)]
	} else {
		last, err := strconv.ParseInt(s.o.After, 36, 64)
		if err != nil || last <= 0 {
			return nil, "", errCursor
		}
		if page, _, err = s.ids(s.lo, min(s.hi, last), s.o.Limit+1); err != nil {
			return nil, "", err
		}
	}
	if len(page) > s.o.Limit {
		page = page[:s.o.Limit]
		next = strconv.FormatInt(page[len(page)-1], 36)
	}
	return page, next, nil
}

// CursorError says that a cursor is none of this search.
type CursorError struct{}

func (CursorError) Error() string { return "the cursor is not one that a search gave" }

var errCursor = CursorError{}

// hit reads an event that was found.
func (s *searcher) hit(id int64, titles map[string]string) (*Hit, error) {
	ev, err := s.r.Event(id)
	if err != nil || ev == nil {
		return nil, err // nil: taken away since
	}
	title, known := titles[ev.ThreadID]
	if !known {
		t, err := s.r.Thread(ev.ThreadID)
		if err != nil {
			return nil, err
		}
		if t != nil {
			title = t.Title
		}
		titles[ev.ThreadID] = title
	}
	h := &Hit{Event: ev, Title: title, Snippet: query.Snippet(ev.Body(), s.q, s.o.Snippet)}
	if s.o.Around > 0 {
		h.Before, h.After, err = s.r.Around(ev, s.o.Around)
	}
	return h, err
}

// ranked gives a page of the best. Its cursor is how many pages came before, in
// hits, after an r.
func (s *searcher) ranked(newest []int64) (page []int64, next string, err error) {
	from := 0
	if s.o.After != "" {
		from, err = strconv.Atoi(strings.TrimPrefix(s.o.After, "r"))
		if err != nil || from <= 0 || s.o.After[0] != 'r' {
			return nil, "", errCursor
		}
	}
	best, err := s.rank(newest, from+s.o.Limit)
	if err != nil {
		return nil, "", err
	}
	page = best[min(from, len(best)):min(from+s.o.Limit, len(best))]
	if from+s.o.Limit < len(newest) {
		next = "r" + strconv.Itoa(from+s.o.Limit)
	}
	return page, next, nil
}
