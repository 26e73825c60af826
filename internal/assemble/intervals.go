package assemble

import (
	"cmp"
	"slices"
	"sort"
)

// intervals is a set of record numbers, as half-open runs.
type intervals []interval

type interval struct{ from, to int32 }

// add puts [from, to) into the set. A run that goes on where the latest one
// ends makes it longer.
func (v *intervals) add(from, to int32) {
	if n := len(*v); n > 0 && (*v)[n-1].to == from {
		(*v)[n-1].to = to
		return
	}
	*v = append(*v, interval{from, to})
}

// sort joins runs that touch. It must be called before has.
func (v *intervals) sort() {
	slices.SortFunc(*v, func(a, b interval) int { return cmp.Compare(a.from, b.from) })
	out := (*v)[:0]
	for _, r := range *v {
		if n := len(out); n > 0 && r.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, r.to)
		} else {
			out = append(out, r)
		}
	}
	*v = out
}

// has reports whether n is in the set.
func (v intervals) has(n int32) bool {
	i := sort.Search(len(v), func(i int) bool { return v[i].to > n })
	return i < len(v) && v[i].from <= n
}
