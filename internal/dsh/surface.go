package dsh

import "slices"

// A surface is the list of messages that the model is given, by seq. What is
// replaced leaves it, so every operation costs as much as what it takes away
// (docs/format/dsh.md, V8).
type surface struct {
	// after and before link the nodes; 0 is a place before the first, and the
	// node of seq n is n+1. Off the surface before is off.
	after, before []int32
	last          int32
}

const off = -1

// grow makes room for the node of seq.
func (s *surface) grow(seq int64) int32 {
	for int64(len(s.before)) <= seq+1 {
		s.after = append(s.after, 0)
		s.before = append(s.before, off)
	}
	return int32(seq + 1)
}

func (s *surface) empty() bool { return s.last == 0 }

// first is the first node, 0 where there is none.
func (s *surface) first() int32 {
	if s.empty() {
		return 0
	}
	return s.after[0]
}

func (s *surface) append(seq int64) {
	n := s.grow(seq)
	s.before[n], s.after[s.last] = s.last, n
	s.last = n
}

func (s *surface) has(seq int64) bool {
	return seq+1 < int64(len(s.before)) && s.before[seq+1] != off
}

// span calls each for the nodes from start to end, in the surface's order, until
// it returns false. It reports whether it came to the end.
func (s *surface) span(start, end int64, each func(seq int64) bool) bool {
	if !s.has(start) {
		return false
	}
	for n := int32(start + 1); n != 0; n = s.after[n] {
		if !each(int64(n - 1)) {
			return false
		}
		if int64(n-1) == end {
			return true
		}
	}
	return false
}

// replace puts seq where the nodes from start to end are, which span has found.
func (s *surface) replace(seq, start, end int64) {
	n := s.grow(seq)
	first, behind := s.before[start+1], s.after[end+1]
	for k := int32(start + 1); k != behind; {
		next := s.after[k]
		s.before[k], s.after[k] = off, 0
		k = next
	}
	s.before[n], s.after[n] = first, behind
	s.after[first] = n
	if behind == 0 {
		s.last = n
	} else {
		s.before[behind] = n
	}
}

// A seqRange is a run of seqs, both ends included.
type seqRange struct{ first, last int64 }

// sourceSeqs reads the member sourceEventSeqs of the event seq: earlier events,
// each once, in ranges or alone (V9).
func sourceSeqs(v value, seq int64) ([]seqRange, *Fault) {
	if v.kind != '[' {
		return nil, faultf(CheckRefs, "sourceEventSeqs must be an array")
	}
	list := make([]seqRange, 0, len(v.list))
	ranges := false
	for _, item := range v.list {
		first, ok := item.count()
		last := first
		if item.kind == '[' && len(item.list) == 2 {
			var end bool
			first, ok = item.list[0].count()
			last, end = item.list[1].count()
			ok = ok && end
			ranges = true
		}
		if !ok || first > last || last >= seq {
			return nil, faultf(CheckRefs, "sourceEventSeqs must name earlier events")
		}
		list = append(list, seqRange{first, last})
	}
	for i := range list {
		if ranges && i > 0 && list[i].first <= list[i-1].last {
			return nil, faultf(CheckRefs, "sourceEventSeqs with ranges must rise")
		}
	}
	slices.SortFunc(list, func(a, b seqRange) int { return int(a.first - b.first) })
	for i := range list {
		if i > 0 && list[i].first <= list[i-1].last {
			return nil, faultf(CheckRefs, "sourceEventSeqs name an event twice")
		}
	}
	return list, nil
}

// contains reports whether the sorted ranges hold seq.
func contains(list []seqRange, seq int64) bool {
	i, found := slices.BinarySearchFunc(list, seq, func(r seqRange, seq int64) int { return int(r.first - seq) })
	return found || i > 0 && seq <= list[i-1].last
}
