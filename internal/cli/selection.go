package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"rollbook/internal/assemble"
	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/fsx"
	"rollbook/internal/store"
	"rollbook/internal/term"
)

// A selector says which threads a command is about: PATH or THREAD, and flags.
type selector struct {
	home   string
	thread string
	folder string
	span   window
}

// vars declares the flags by which threads are chosen.
func (s *selector) vars(e *Env, set *pflag.FlagSet) {
	set.StringVar(&s.home, "home", "", "the Codex home in which THREAD is looked up, instead of CODEX_HOME")
	set.StringVar(&s.thread, "thread", "", "of the home or folder that is named, only this thread: an id, or the beginning of one")
}

// filters declares the flags that leave threads out.
func (s *selector) filters(e *Env, set *pflag.FlagSet) {
	set.StringVar(&s.folder, "cwd", "", "only threads that worked in this folder or below it")
	e.windowVars(set, &s.span)
}

// A selection is an opened root, its threads, and the ids that were chosen.
type selection struct {
	home  *discover.Home
	lib   *assemble.Library
	ids   []string
	tally *diag.Tally
}

func (s *selection) Close() error { return s.home.Close() }

// choose opens what the operand names. A path that exists is a home, a folder
// of rollouts or a file; anything else is a thread of the home that is named
// by --home or CODEX_HOME.
func (e *Env) choose(ctx context.Context, operand string, s selector) (*selection, error) {
	if err := s.span.check(); err != nil {
		return nil, err
	}
	_, err := os.Stat(e.path(operand))
	if err == nil {
		return e.open(ctx, e.path(operand), s)
	}
	if !errors.Is(err, fs.ErrNotExist) || !looksLikeThread(operand) {
		return nil, fmt.Errorf("%s: %w", operand, errors.Unwrap(err))
	}
	if s.thread != "" {
		return nil, usageErrorf("--thread picks a thread of a path, and %s is none", operand)
	}
	dir, ok := e.codexHome(s.home)
	if ok {
		s.thread = operand
		return e.open(ctx, dir, s)
	}
	return e.chooseStored(ctx, operand, s)
}

// chooseStored looks a thread up in the store, and opens the folder that it was
// imported from.
func (e *Env) chooseStored(ctx context.Context, operand string, s selector) (*selection, error) {
	none := withHint(usageErrorf("no home to look up thread %s in", operand),
		"name the home: --home DIR, or set CODEX_HOME", "or import it first: rollbook import ~/.codex")
	name, err := e.storeFile("")
	if err != nil {
		return nil, none
	}
	r, err := store.OpenReader(ctx, name)
	if isNoStore(err) {
		return nil, none
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	id, root, err := r.Place(strings.ToLower(operand))
	switch {
	case err != nil:
		return nil, err
	case id == "":
		return nil, fmt.Errorf("thread %s: not found in the store", operand)
	case root == "":
		return nil, fmt.Errorf("thread %s: the store knows of it from documents only, there is no rollout of it", id)
	}
	s.thread = id
	return e.open(ctx, root, s)
}

// looksLikeThread reports whether a word may be a thread's id or the beginning
// of one, so that a mistyped file name is not taken for it.
func looksLikeThread(s string) bool {
	return s != "" && strings.Trim(strings.ToLower(s), "0123456789abcdef-_") == ""
}

func (e *Env) open(ctx context.Context, path string, s selector) (*selection, error) {
	home, err := discover.Open(path)
	if err != nil {
		return nil, err
	}
	sel := &selection{home: home, tally: new(diag.Tally)}
	refs, err := home.Refs(ctx, sel.tally.Add)
	if err == nil {
		var titles map[string]discover.Title
		if titles, err = home.Titles(ctx, sel.tally.Add); err == nil {
			sel.lib = assemble.New(watchedHome{home, e.progress("read", total(refs), "")}, refs, titles, sel.tally.Add)
			sel.ids, err = e.pick(sel.lib, s)
		}
	}
	if err != nil {
		home.Close()
		return nil, err
	}
	return sel, nil
}

func total(refs []discover.Ref) int64 {
	var n int64
	for _, r := range refs {
		n += 2 * r.Size // each file is read twice
	}
	return n
}

// pick applies --thread and the filters.
func (e *Env) pick(lib *assemble.Library, s selector) ([]string, error) {
	ids := lib.IDs()
	if s.thread != "" {
		id, err := one(lib, s.thread)
		if err != nil {
			return nil, err
		}
		ids = []string{id}
	}
	folder := ""
	if s.folder != "" {
		abs, err := e.absPath(s.folder)
		if err != nil {
			return nil, err
		}
		folder = discover.ProjectKey(abs)
	}
	var kept []string
	for _, id := range ids {
		refs := lib.Refs(id)
		if inFolder(refs, folder) && inSpan(refs, s.span) {
			kept = append(kept, id)
		}
	}
	return kept, nil
}

// one finds the thread that an id, or the beginning of one, names.
func one(lib *assemble.Library, prefix string) (string, error) {
	found := lib.Find(strings.ToLower(prefix))
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return "", fmt.Errorf("thread %s: not found", prefix)
	}
	return "", withHint(fmt.Errorf("thread %s: %d threads begin with it", prefix, len(found)), "one of them is "+found[0])
}

func inFolder(refs []discover.Ref, folder string) bool {
	if folder == "" {
		return true
	}
	return discover.Below(discover.ProjectKey(refs[len(refs)-1].Cwd), folder)
}

// inSpan reports whether a thread was active within a span of time: it began
// before its end, and its last record lies behind its start.
func inSpan(refs []discover.Ref, w window) bool {
	first, last := refs[0].First, time.Time{}
	if first.IsZero() {
		first = refs[0].Created
	}
	for _, r := range refs {
		if r.Last.After(last) {
			last = r.Last
		}
	}
	if last.IsZero() {
		last = first
	}
	return (w.Since.IsZero() || !last.Before(w.Since)) && (w.Until.IsZero() || first.Before(w.Until))
}

// watchedHome shows on a progress bar what is read of a home.
type watchedHome struct {
	home *discover.Home
	bar  *term.Progress
}

func (w watchedHome) Open(ref discover.Ref) (fsx.File, error) {
	f, err := w.home.Open(ref)
	if err != nil {
		return nil, err
	}
	return watchedFile{f, w.bar}, nil
}

// harmless are the codes of findings by which nothing was lost.
var harmless = map[diag.Code]bool{
	assemble.UnknownRecord: true, assemble.OddField: true, assemble.DuplicateThread: true, discover.DuplicateFile: true,
}

// tell warns of what was found on the way, and gives errPartial where some
// input was lost. Of each kind the first few places are named.
func (e *Env) tell(t *diag.Tally) error {
	return e.tellAs(t, func(s string) string { return s })
}

// tellAs is tell for warnings that are not to be told as they are: they quote what
// was read.
func (e *Env) tellAs(t *diag.Tally, clean func(string) string) error {
	const most = 3
	lost := false
	for _, code := range t.Codes() {
		lost = lost || !harmless[code]
		examples := t.Examples(code)
		for _, d := range examples[:min(most, len(examples))] {
			e.warnf("%s", clean(d.String()))
		}
		if n := t.Count(code); n > most {
			e.warnf("%s: %s more of these", code, term.FormatCount(int64(n-most)))
		}
	}
	if lost {
		return errPartial
	}
	return nil
}
