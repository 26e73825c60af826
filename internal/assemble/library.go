package assemble

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/fsx"
	"rollbook/internal/rollout"
)

// The codes of what assembling found wrong (docs/format/rollout.md, "Limits and
// losses"). Codes of single lines are those of package rollout.
const (
	BaseMissing     diag.Code = "base_missing"         // the file that history_base names is not there
	BaseCycle       diag.Code = "base_cycle"           // history_base leads back to a file already in the chain
	BaseCut         diag.Code = "base_cut"             // ordinal and byte of history_base disagree, or the base ends before the cut
	BaseUnreadable  diag.Code = "base_unreadable"      // the base could not be opened or read to the cut
	DuplicateThread diag.Code = "duplicate_thread"     // a second file claims the same thread and is no segment of it
	UnknownRecord   diag.Code = "unknown_record"       // a record, item or event type that is not known: kept raw, counted
	InvalidUsage    diag.Code = "invalid_usage_record" // token counters that are missing or cannot be right: not an event; told by Read
	OddField        diag.Code = "odd_field"            // a field of another kind than known
	FileUnreadable  diag.Code = "file_unreadable"      // a file of the thread could not be opened or read
)

// An Opener opens the files that were discovered.
type Opener interface {
	Open(ref discover.Ref) (fsx.File, error)
}

// A Library is all threads below one root.
type Library struct {
	opener  Opener
	report  func(diag.Diagnostic)
	see     func(rollout.Payload) // takes what a survey decodes of a thread's own; may be nil
	line    int64                 // longest line that is kept, where that is less than usual; 0 for as usual
	books   bool                  // surveys keep books
	alias   bool                  // types may be spelled in other ways (rollout.Alias)
	digest  func(*discover.Ref) io.Writer
	titles  map[string]discover.Title
	threads map[string]*group
	files   map[string]*discover.Ref // by segment id, or by thread id for a file that is no segment
	groups  []*group                 // of threads, oldest first
}

// A group is the files of one thread.
type group struct {
	id      string
	files   []*discover.Ref // oldest first; the last one is current
	current *discover.Ref
}

// New sorts files into threads. Diagnostics go to report, now and while
// threads are read; report may be nil.
func New(opener Opener, refs []discover.Ref, titles map[string]discover.Title, report func(diag.Diagnostic)) *Library {
	if report == nil {
		report = func(diag.Diagnostic) {}
	}
	l := &Library{opener: opener, report: report, titles: titles,
		threads: make(map[string]*group, len(refs)), files: make(map[string]*discover.Ref, len(refs))}
	for i := range refs {
		l.add(&refs[i])
	}
	for _, g := range l.groups {
		l.order(g)
	}
	slices.SortFunc(l.groups, oldestFirst)
	return l
}

func (l *Library) add(ref *discover.Ref) {
	id := ref.ID
	g := l.threads[id]
	if g == nil {
		g = &group{id: id}
		l.threads[id] = g
		l.groups = append(l.groups, g)
	}
	g.files = append(g.files, ref)
}

// order puts the files of a thread oldest first. Segment ids are UUIDv7, so
// that their order is that of time; the file that is no segment comes first
// (F4). Of several such files the one with the latest record is the thread's,
// and the others are reported.
func (l *Library) order(g *group) {
	slices.SortFunc(g.files, func(a, b *discover.Ref) int {
		return cmp.Or(strings.Compare(a.SegmentID, b.SegmentID), a.Last.Compare(b.Last), cmp.Compare(a.Size, b.Size), strings.Compare(a.Path, b.Path))
	})
	g.current = g.files[len(g.files)-1]
	for i, ref := range g.files {
		if i > 0 && ref.SegmentID == g.files[i-1].SegmentID {
			l.report(diag.Diagnostic{Position: diag.Position{File: g.files[i-1].Path}, Code: DuplicateThread,
				Message: fmt.Sprintf("%s holds the same thread and goes on longer", ref.Path)})
		}
		l.files[ref.FileID()] = ref
	}
}

func oldestFirst(a, b *group) int {
	if c := a.files[0].First.Compare(b.files[0].First); c != 0 {
		return c
	}
	return strings.Compare(a.id, b.id)
}

// IDs returns the threads' ids, oldest first.
func (l *Library) IDs() []string {
	ids := make([]string, len(l.groups))
	for i, g := range l.groups {
		ids[i] = g.id
	}
	return ids
}

// Refs returns the files of a thread, oldest first; the last one is current.
// It returns nil for a thread that is not there.
func (l *Library) Refs(id string) []discover.Ref {
	g := l.threads[id]
	if g == nil {
		return nil
	}
	refs := make([]discover.Ref, len(g.files))
	for i, r := range g.files {
		refs[i] = *r
	}
	return refs
}

// Find returns the ids of all threads that have the given id or begin with
// it. An id that matches whole is alone in the answer; a segment's id stands
// for its thread.
func (l *Library) Find(prefix string) []string {
	if l.threads[prefix] != nil {
		return []string{prefix}
	}
	if ref := l.files[prefix]; ref != nil {
		return []string{ref.ID}
	}
	var found []string
	for _, g := range l.groups {
		if prefix != "" && strings.HasPrefix(g.id, prefix) {
			found = append(found, g.id)
		}
	}
	return found
}
