package listing

import (
	"cmp"
	"slices"
	"strings"
)

// A Node is a thread in its family.
type Node struct {
	*Thread
	Last []bool // of each level from the first below the root: no more siblings follow
}

// Depth tells how far below its root a thread is.
func (n Node) Depth() int { return len(n.Last) }

// Families gives the families that have a wanted thread, each whole: a thread,
// then below it the sub-agents that it started and the threads that were forked
// from it, oldest first. The family with the latest activity comes first. All is
// taken as set: a family has its sub-agents.
//
// The parent of a thread is the one that started it, else the one that it was
// forked from, if that is here; a sub-agent whose parent is not told (before
// 0.140) hangs below the thread of its session.
func (l *Listing) Families(f Filter) []Node {
	forest := newForest(l.Threads)
	wanted := make(map[*Thread]bool) // roots
	for _, thread := range l.Threads {
		if f.Matches(thread) {
			wanted[forest.root(thread)] = true
		}
	}
	var nodes []Node
	for _, thread := range l.Threads { // newest first: so are the families
		root := forest.root(thread)
		if wanted[root] {
			wanted[root] = false
			nodes = forest.family(nodes, root)
		}
	}
	return nodes
}

// A forest is threads by their families.
type forest struct {
	up    map[*Thread]*Thread   // towards the root; the parent at first, then cut short
	below map[*Thread][]*Thread // oldest first
}

func newForest(threads []*Thread) *forest {
	byID := make(map[string]*Thread, len(threads))
	for _, t := range threads {
		byID[t.ID] = t
	}
	f := &forest{up: make(map[*Thread]*Thread), below: make(map[*Thread][]*Thread)}
	for _, t := range threads {
		if p := f.parent(t, byID); p != nil {
			f.up[t] = p
			f.below[p] = append(f.below[p], t)
		}
	}
	for _, list := range f.below {
		slices.SortFunc(list, func(a, b *Thread) int {
			return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
		})
	}
	return f
}

// parent gives the thread that another one hangs below. A log may say that two
// threads began each other: the one that comes first then hangs below the other.
func (f *forest) parent(t *Thread, byID map[string]*Thread) *Thread {
	above := []string{t.ParentID, t.ForkedFrom}
	if t.Kind != Main {
		above = append(above, t.SessionID)
	}
	for _, id := range above {
		if p := byID[id]; p != nil && f.root(p) != t {
			return p
		}
	}
	return nil
}

// root gives the thread that a family begins with.
func (f *forest) root(t *Thread) *Thread {
	top := t
	for f.up[top] != nil {
		top = f.up[top]
	}
	for t != top {
		t, f.up[t] = f.up[t], top
	}
	return top
}

// maxDepth bounds the lines that are drawn. A deeper thread stands at this depth.
const maxDepth = 32

// family appends a thread and all that hangs below it.
func (f *forest) family(nodes []Node, root *Thread) []Node {
	for todo := []Node{{root, nil}}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		nodes = append(nodes, n)
		list := f.below[n.Thread]
		for i, child := range slices.Backward(list) { // the last one waits longest
			level := append(slices.Clone(n.Last), i == len(list)-1)
			todo = append(todo, Node{child, level[:min(len(level), maxDepth)]})
		}
	}
	return nodes
}
