package ingest

import (
	"rollbook/internal/diag"
	"rollbook/internal/store"
)

// findings holds what was found wrong until it goes into the store: of each
// source and code the first few whole, of the rest how many there are. A file of
// a million faults costs no more than one of twenty.
type findings struct {
	list []store.Diagnostic
	seen map[fault]*faults
}

type fault struct {
	source string
	code   diag.Code
}

type faults struct {
	n    int
	rest int // place in list of the row that stands for the rest
}

func (f *findings) add(d store.Diagnostic) {
	if f.seen == nil {
		f.seen = make(map[fault]*faults)
	}
	key := fault{d.Source, d.Code}
	s := f.seen[key]
	if s == nil {
		s = &faults{}
		f.seen[key] = s
	}
	switch s.n++; {
	case s.n <= diag.MaxExamples:
		f.list = append(f.list, d)
	case s.n == diag.MaxExamples+1:
		s.rest = len(f.list)
		f.list = append(f.list, store.Diagnostic{Diagnostic: diag.Diagnostic{Position: diag.Position{File: d.File}, Code: d.Code}, Source: d.Source, Count: d.Count})
	default:
		f.list[s.rest].Count += d.Count
	}
}

// take gives what was found since it was called last.
func (f *findings) take() []store.Diagnostic {
	list := f.list
	f.list, f.seen = nil, nil
	return list
}
