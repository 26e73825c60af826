package ingest

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"rollbook/internal/assemble"
	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/fsx"
	"rollbook/internal/listing"
	"rollbook/internal/store"
)

// A root is a path that was chosen, and what lies there.
type root struct {
	home   *discover.Home
	memory *listing.Memory
	refs   []discover.Ref // of lib
	lib    *assemble.Library
	known  *discover.Known
	docs   []docFile
	opener *opener
	ahead  *ahead // nil where nothing is surveyed before its turn
}

// A docFile is a file that is no rollout.
type docFile struct {
	path  string // relative to the root
	stamp discover.FileStamp
}

// An opener opens rollouts and tells the progress what is read of them.
type opener struct {
	home     *discover.Home
	progress Progress
}

func (o *opener) Open(ref discover.Ref) (fsx.File, error) {
	f, err := o.home.Open(ref)
	if err != nil {
		return nil, err
	}
	return &watched{f, o.progress}, nil
}

type watched struct {
	fsx.File
	progress Progress
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.File.Read(p)
	w.progress.Add(int64(n))
	return n, err
}

func (w *watched) ReadAt(p []byte, off int64) (int, error) {
	n, err := w.File.ReadAt(p, off)
	w.progress.Add(int64(n))
	return n, err
}

// file opens a file below the root.
func (rt *root) file(rel string) (fsx.File, error) {
	f, err := rt.home.OpenFile(rel)
	if err != nil {
		return nil, err
	}
	return &watched{f, rt.opener.progress}, nil
}

// What a chosen path is refused for, and what to choose.
var (
	errNothing = errors.New("no rollouts, no history.jsonl and no other *.jsonl in it; choose a Codex home, a folder of such files, or one file")
	errFormat  = errors.New("neither .jsonl, .json nor .jsonl.zst; choose such a file, a folder of *.jsonl, or a Codex home")
)

// open finds what lies at a path. Findings go to report.
func (r *run) open(ctx context.Context, name string) (*root, error) {
	home, err := discover.Open(name)
	if err != nil {
		return nil, err
	}
	rt := &root{home: home, opener: &opener{home, r.opt.Progress}}
	if err := r.list(ctx, rt); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), home.Close())
	}
	return rt, nil
}

func (r *run) list(ctx context.Context, rt *root) error {
	home := rt.home
	home.Temp = r.opt.Temp
	if home.Kind == discover.KindFile && !discover.ImportName(home.File()) {
		return errFormat
	}
	if home.Kind == discover.KindFile && strings.EqualFold(path.Ext(home.File()), ".json") {
		return rt.document(home.File())
	}
	cache := ""
	if r.opt.Cache != nil {
		cache = r.opt.Cache(home)
	}
	rt.memory = listing.OpenMemory(cache, r.opt.Program, home)
	l, err := home.List(ctx, r.finding)
	if err != nil {
		return err
	}
	if rt.known, err = home.Known(ctx, r.finding); err != nil {
		return err
	}
	rt.refs = l.Refs
	rt.lib = assemble.New(rt.opener, l.Refs, rt.known.Titles, r.finding)
	for _, o := range l.Others {
		rt.docs = append(rt.docs, docFile{o.Path, o.Stamp})
	}
	if home.Kind == discover.KindHome {
		if err := rt.history(r.finding); err != nil {
			return err
		}
	}
	if len(l.Refs)+len(rt.docs) == 0 {
		return errNothing
	}
	return nil
}

// history adds the home's history.jsonl.
func (rt *root) history(report func(diag.Diagnostic)) error {
	stamp, err := rt.home.History(report)
	if err != nil || stamp == nil {
		return err
	}
	rt.docs = append(rt.docs, docFile{discover.HistoryFile, *stamp})
	return nil
}

// document makes the root one of a single document.
func (rt *root) document(name string) error {
	f, err := rt.home.OpenFile(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	rt.docs = []docFile{{name, discover.StampOf(info)}}
	return nil
}

func (rt *root) close() error { return rt.home.Close() }

// abs gives the absolute path of a file of the root.
func (rt *root) abs(rel string) string { return filepath.Join(rt.home.Path(), filepath.FromSlash(rel)) }

// chosen gives the path that was chosen, without links.
func (rt *root) chosen() string { return rt.abs(rt.home.File()) }

// kind names the kind of the root.
func (rt *root) kind() string {
	return [...]string{"home", "folder", "file"}[rt.home.Kind]
}

// gone reports whether a source lay below this root and does not any more.
func (rt *root) gone(src *store.Source) bool {
	rel, err := filepath.Rel(rt.home.Path(), place(src))
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	return !rt.home.Exists(filepath.ToSlash(rel))
}

// place is where a source lies.
func place(src *store.Source) string { return filepath.Join(src.Root, filepath.FromSlash(src.Path)) }
