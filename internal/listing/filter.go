package listing

import (
	"slices"
	"strings"
	"time"

	"rollbook/internal/discover"
)

// A Filter says which threads are wanted. The zero value wants all that people
// look for.
type Filter struct {
	// Projects are keys of folders (discover.PathKey): the thread worked in
	// one of them or below it.
	Projects []string
	// Since and Until bound the span in which the thread was active; a zero end
	// is open, Until is exclusive.
	Since, Until time.Time
	// Sources are as in Meta.Source, or the part of it before a colon.
	Sources []string
	// Touched is a file that the thread touched.
	Touched *Target
	// All also wants sub-agents, reviews, guardians and empty threads. Those
	// whose source is named in Sources are wanted without it, unless they are
	// empty.
	All bool
}

// A Target is a file by its absolute path, and by the name that it was given by:
// a relative one is looked for in each thread's own folder too.
type Target struct{ Path, Name string }

// Matches reports whether a thread is wanted, but for All.
func (f *Filter) Matches(t *Thread) bool {
	return f.inProject(t) && f.inSpan(t) && (len(f.Sources) == 0 || f.named(t)) && (f.Touched == nil || f.Touched.touched(t))
}

// Usual reports whether a thread is one that people look for, or All is set.
func (f *Filter) Usual(t *Thread) bool {
	return f.All || (t.Kind == Main || f.named(t)) && !t.Empty()
}

func (f *Filter) inProject(t *Thread) bool {
	if len(f.Projects) == 0 {
		return true
	}
	key := discover.PathKey(t.Project)
	return slices.ContainsFunc(f.Projects, func(folder string) bool { return discover.Below(key, folder) })
}

// inSpan reports whether the thread began before the end of the span and was
// active after its start.
func (f *Filter) inSpan(t *Thread) bool {
	return (f.Since.IsZero() || !t.Updated.Before(f.Since)) && (f.Until.IsZero() || t.Created.Before(f.Until))
}

func (f *Filter) named(t *Thread) bool {
	return slices.ContainsFunc(f.Sources, func(s string) bool { return t.Source == s || strings.HasPrefix(t.Source, s+":") })
}

func (g *Target) touched(t *Thread) bool {
	path, inThread := discover.PathKey(g.Path), discover.PathKey(resolve(t.Project, g.Name))
	return slices.ContainsFunc(t.Touched, func(name string) bool {
		key := discover.PathKey(name)
		return key == path || key == inThread
	})
}

// Select gives the threads that are wanted, newest first, and how many more
// All would add.
func (l *Listing) Select(f Filter) (found []*Thread, more int) {
	for _, t := range l.Threads {
		switch {
		case !f.Matches(t):
		case f.Usual(t):
			found = append(found, t)
		default:
			more++
		}
	}
	return found, more
}
