package assemble

import "rollbook/internal/discover"

// Bases returns the files of other threads, or of older segments, that the
// active view of a thread begins with, oldest first, and how many gaps its chain
// has: a base that is not here (F5). It opens nothing.
func (l *Library) Bases(id string) (refs []discover.Ref, gaps int) {
	g := l.threads[id]
	if g == nil || g.current.Base == nil {
		return nil, 0
	}
	spans := l.with(nil, nil).chain(g)
	for _, s := range spans[:len(spans)-1] {
		refs = append(refs, *s.ref)
	}
	for _, s := range spans {
		if s.gap != "" {
			gaps++
		}
	}
	return refs, gaps
}
