// Package listing lists the threads of a Codex home: what each is, how it
// stands, which family it belongs to, and why Codex's own resume list would not
// show it.
//
// What was read of a rollout is kept in a cache of our own, so that a second
// listing opens only the rollouts that have changed since. The cache may be
// deleted at any time. Nothing is written below the home, and nothing here
// decides what a thread's records mean: that is for package assemble.
package listing

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"rollbook/internal/assemble"
	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/fsx"
)

// Options says how a home is listed. The zero value reads everything and keeps
// nothing.
type Options struct {
	// Cache is the file in which what was read is kept; "" for none. Its folder
	// is made where it is missing, and must not lie in the home.
	Cache string
	// Program names the program and its version: what another one has kept is
	// not used, for it may have read by other rules.
	Program string
	// Opener gives the way to open the rollouts that must be read, which hold
	// about as many bytes; nil is the home itself. It is called once.
	Opener func(bytes int64) assemble.Opener
}

// A Listing is the threads of a home.
type Listing struct {
	Home    string // absolute, without links
	Kind    discover.Kind
	Threads []*Thread // newest first: by the last activity, then by id
	// Provider is the model provider by which OtherProvider is judged; empty
	// where no thread has one.
	Provider string
	// StateDB is the home's state database; empty where there is none that
	// could be read. Fileless counts the threads in it without a rollout here.
	StateDB  string
	Fileless int
	// Read counts the threads whose rollouts were opened: the others came from
	// the cache whole.
	Read int
	// CacheErr is why the cache could not be written; the listing is good
	// nevertheless.
	CacheErr error
}

// List lists the threads of a home. What was found wrong with its files and
// folders goes to report; what was found wrong within a thread is in its
// Findings. An error means that ctx has ended. The home's Memory is set.
func List(ctx context.Context, home *discover.Home, o Options, report func(diag.Diagnostic)) (*Listing, error) {
	if home.Kind == discover.KindFile {
		o.Cache = "" // its path is that of its folder
	}
	kept := newCache(o, home.Path())
	home.Memory = kept
	var known knownLists
	var beside sync.WaitGroup
	beside.Go(func() {
		kept.load()
		known.read(ctx, home)
	})
	refs, err := home.Refs(ctx, report)
	beside.Wait()
	if err = cmp.Or(err, known.err); err != nil {
		return nil, err
	}
	for _, d := range known.diags {
		report(d)
	}
	s := &surveyor{home: home, kept: kept}
	s.lib = assemble.New(s, refs, nil, report)
	if err := s.run(ctx, o.Opener); err != nil {
		return nil, err
	}
	l := &Listing{Home: home.Path(), Kind: home.Kind, Read: s.read, CacheErr: kept.save(s.entries)}
	l.fill(s, known.Known)
	return l, nil
}

// knownLists is what the home's own lists say.
type knownLists struct {
	*discover.Known
	diags []diag.Diagnostic
	err   error
}

func (k *knownLists) read(ctx context.Context, home *discover.Home) {
	k.Known, k.err = home.Known(ctx, func(d diag.Diagnostic) { k.diags = append(k.diags, d) })
}

// fill makes threads of what was read and of what the home's own lists say.
func (l *Listing) fill(s *surveyor, known *discover.Known) {
	byID := make(map[string]*Thread, len(s.entries))
	l.Threads = make([]*Thread, len(s.entries))
	all := make([]Thread, len(s.entries))
	for i, e := range s.entries {
		t := &all[i]
		t.fill(e, s.kept, known.Titles[e.id])
		l.Threads[i], byID[t.ID] = t, t
	}
	slices.SortFunc(l.Threads, func(a, b *Thread) int {
		if c := b.Updated.Compare(a.Updated); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	if state := known.State; state != nil {
		l.StateDB = state.File
		for id := range state.Threads {
			if byID[id] == nil {
				l.Fileless++
			}
		}
	}
	relate(l.Threads, byID)
	l.Provider = provider(l.Threads)
	for _, t := range l.Threads {
		t.Why = hidden(t, known.State, l.Provider)
	}
}

// A surveyor reads the threads that the cache does not have.
type surveyor struct {
	home    *discover.Home
	lib     *assemble.Library
	opener  assemble.Opener
	kept    *cache
	entries []*entry // by thread, in the order of the library
	read    int
}

// run fills in the entries. The threads that must be read are read by two
// workers; each entry has its place, so that the order is always the same.
func (s *surveyor) run(ctx context.Context, open func(int64) assemble.Opener) error {
	ids := s.lib.IDs()
	s.entries = make([]*entry, len(ids))
	var todo []int
	var bytes int64
	for i, id := range ids {
		sources := s.lib.Sources(id)
		if e := s.kept.thread(id, sources); e != nil {
			s.entries[i] = e
			continue
		}
		s.entries[i] = &entry{id: id, sources: sources}
		todo = append(todo, i)
		for _, name := range sources {
			bytes += s.kept.ref(name).Size
		}
	}
	s.read = len(todo)
	if len(todo) == 0 {
		return ctx.Err()
	}
	s.opener = s.home
	if open != nil {
		s.opener = open(bytes)
	}
	return s.survey(ctx, todo)
}

// Open opens a rollout for the library.
func (s *surveyor) Open(ref discover.Ref) (fsx.File, error) { return s.opener.Open(ref) }

func (s *surveyor) survey(ctx context.Context, todo []int) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	failed := make([]error, min(runtime.GOMAXPROCS(0), 2))
	for w := range failed {
		wg.Go(func() {
			for failed[w] == nil {
				i := int(next.Add(1)) - 1
				if i >= len(todo) {
					return
				}
				failed[w] = s.entries[todo[i]].read(ctx, s.lib)
			}
		})
	}
	wg.Wait()
	return cmp.Or(failed[0], failed[len(failed)-1])
}
