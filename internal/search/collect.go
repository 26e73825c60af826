package search

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"rollbook/internal/query"
	"rollbook/internal/store"
	"rollbook/internal/transcript"
)

// A Collector keeps the newest of the events that match, of a walk over files
// without a store.
type Collector struct {
	q     *query.Query
	limit int
	hits  oldestFirst
	total int
	seen  map[uint64][]kept // by a digest of what copies have in common

	streams map[string]int
}

// kept is a message that later copies may be mirrors of.
type kept struct {
	ms      int64
	matched uint64 // streams, a bit for each of the first 63
}

// A Found is an event that a Collector keeps.
type Found struct {
	Event    transcript.Event
	ThreadID string
	Title    string
	Project  string
	Turn     int
	Item     int
	Role     store.Role
	Flags    store.Flag
	Root     string
	Snippet  []query.Piece
	order    int
}

// NewCollector makes a collector for so many hits.
func NewCollector(q *query.Query, limit int) *Collector {
	return &Collector{q: q, limit: cmp.Or(limit, 20), seen: make(map[uint64][]kept), streams: make(map[string]int)}
}

// mirrorSpan is how far apart copies of a message in two streams may be.
const mirrorSpan = 2000 // milliseconds

// Add takes an event if it is looked for. stream names where it comes from, text
// is what a search looks in. It reports whether it matches.
func (c *Collector) Add(d *query.Document, stream string, f func() Found) bool {
	if !c.q.Match(d) {
		return false
	}
	if d.Kind == "user" || d.Kind == "assistant" || d.Kind == "tool_call" {
		same := xxhash.Sum64String(d.Thread + "\x00" + d.Role + "\x00" + d.Tool + "\x00" + d.Text)
		if c.mirrored(same, c.stream(stream), d.Time.UnixMilli()) {
			return false
		}
	}
	c.total++
	if len(c.hits) == c.limit && !d.Time.After(c.hits[0].Event.Time) {
		return true
	}
	hit := f()
	hit.order = c.total
	hit.Snippet = query.Snippet(d.Text, c.q, 160)
	heap.Push(&c.hits, hit)
	if len(c.hits) > c.limit {
		heap.Pop(&c.hits)
	}
	return true
}

// mirrored reports whether a message is a copy of one of another stream that is
// kept.
func (c *Collector) mirrored(same, stream uint64, ms int64) bool {
	list := c.seen[same]
	for i := range list {
		if d := ms - list[i].ms; d >= -mirrorSpan && d <= mirrorSpan && list[i].matched&stream == 0 {
			list[i].matched |= stream
			return true
		}
	}
	c.seen[same] = append(list, kept{ms, stream})
	return false
}

// stream gives the bit of a stream. Beyond 63 they share the last one, which
// keeps copies in sight rather than hiding what is none.
func (c *Collector) stream(name string) uint64 {
	if strings.HasPrefix(name, "rollout:") {
		return 1 // no two of them tell of the same thread
	}
	n, known := c.streams[name]
	if !known {
		n = len(c.streams) + 1
		c.streams[name] = n
	}
	return 1 << min(n, 63)
}

// Hits gives the newest, and how many there are in all.
func (c *Collector) Hits() ([]Found, int) {
	slices.SortFunc(c.hits, func(a, b Found) int {
		return cmp.Or(b.Event.Time.Compare(a.Event.Time), cmp.Compare(b.order, a.order))
	})
	return c.hits, c.total
}

// oldestFirst is a heap of hits.
type oldestFirst []Found

func (h oldestFirst) Len() int           { return len(h) }
func (h oldestFirst) Less(i, j int) bool { return h[i].Event.Time.Before(h[j].Event.Time) }
func (h oldestFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *oldestFirst) Push(v any)        { *h = append(*h, v.(Found)) }
func (h *oldestFirst) Pop() any {
	old := *h
	v := old[len(old)-1]
	*h = old[:len(old)-1]
	return v
}
