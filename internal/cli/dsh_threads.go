package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"rollbook/internal/activity"
	"rollbook/internal/assemble"
	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/transcript"
)

// A harvest is an opened Codex home and the threads of it that were chosen.
type harvest struct {
	home    *discover.Home
	lib     *assemble.Library
	threads []activity.Thread // newest first
	tally   *diag.Tally       // what was found wrong with them
	told    bool              // they were read once: what is wrong was found
}

func (h *harvest) Close() error { return h.home.Close() }

// session gives a thread as a session takes it.
func (h *harvest) session(ctx context.Context, id string, o *dshOptions) (*transcript.Thread, error) {
	return h.lib.Session(ctx, id, assemble.SessionOptions{Full: o.full, RolledBack: o.rolledBack})
}

// codexRoot gives the folder to open, and of the two kinds of threads, which of
// them it was that was named: "" is all of them.
func (e *Env) codexRoot(o *dshOptions) (dir, part string, err error) {
	named := o.codexRoot
	if named == "" {
		named = e.getenv("CODEX_HOME")
	}
	if home := e.getenv("HOME"); named == "" && filepath.IsAbs(home) {
		named = filepath.Join(home, ".codex")
	}
	if named == "" {
		return "", "", withHint(usageErrorf("no Codex home to read"), "name it: --codex-root DIR, or set CODEX_HOME")
	}
	abs, err := e.absPath(named)
	if err != nil {
		return "", "", err
	}
	// Who named a link means what it leads to.
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", named, errors.Unwrap(err))
	}
	if base := filepath.Base(real); base == "sessions" || base == "archived_sessions" {
		return filepath.Dir(real), base, nil
	}
	return real, "", nil
}

// harvest chooses threads of the Codex home, without reading a body.
func (e *Env) harvest(ctx context.Context, o *dshOptions) (*harvest, error) {
	dir, part, err := e.codexRoot(o)
	if err != nil {
		return nil, err
	}
	choice := activity.Options{Names: o.names, Limit: o.limit, Location: e.now().Location()}
	if len(o.names) == 0 {
		choice.Since = e.now().Add(-time.Duration(min(o.hours, 1e6) * float64(time.Hour)))
	}
	if o.project != "" {
		keys, err := e.folderKeys(o.project)
		if err != nil {
			return nil, err
		}
		choice.Projects = keys
	}
	home, err := discover.Open(dir)
	if err != nil {
		return nil, err
	}
	home.Brief = true
	h := &harvest{home: home, tally: new(diag.Tally)}
	if err := h.choose(ctx, e, choice, part, o.archived); err != nil {
		home.Close()
		return nil, err
	}
	return h, nil
}

func (h *harvest) choose(ctx context.Context, e *Env, choice activity.Options, part string, archived bool) error {
	about := make(map[string][]diag.Diagnostic) // by file
	keep := func(d diag.Diagnostic) { about[d.File] = append(about[d.File], d) }
	refs, err := h.home.Refs(ctx, keep)
	if err != nil {
		return err
	}
	titles, err := h.home.Titles(ctx, keep)
	if err != nil {
		return err
	}
	// Every file is in the library: a fork may be based on any of them.
	h.lib = assemble.New(watchedHome{h.home, e.progress("read", 0, "")}, refs, titles, h.found)
	ids := slices.DeleteFunc(h.lib.IDs(), func(id string) bool {
		files := h.lib.Refs(id)
		return !archived && files[len(files)-1].Archived != (part == "archived_sessions")
	})
	h.threads = activity.Choose(ids, h.lib.Refs, choice)
	for _, t := range h.threads {
		for _, r := range t.Files {
			for _, d := range about[r.Path] {
				h.tally.Add(d)
			}
			delete(about, r.Path)
		}
	}
	known := make(map[string]bool, len(refs))
	for _, r := range refs {
		known[r.Path] = true
	}
	for file, list := range about {
		for _, d := range list {
			if !known[file] { // a folder, or a file that could not be opened: it may have been meant
				h.tally.Add(d)
			}
		}
	}
	return nil
}

// found takes what is wrong with a thread; of one that is read twice, once.
func (h *harvest) found(d diag.Diagnostic) {
	if !h.told {
		h.tally.Add(d)
	}
}

// nothing says that no thread was chosen, as the name under which it was asked
// wants it.
func (e *Env) nothing(o *dshOptions, h *harvest) error {
	words := "no thread was active in the last " + (&hours{&o.hours}).String() + " hours"
	if len(o.names) > 0 {
		words = "no thread has that id"
	}
	hint := "--since-hours N looks further back, --session ID takes a thread whenever it was active"
	if o.seed {
		return withHint(errors.New(words), hint)
	}
	e.hintf("%s: %s", words, hint)
	return e.told(o, h)
}

// lossless are the codes of findings by which a session loses nothing: the last
// time of a file, where its name decides then.
var lossless = map[diag.Code]bool{discover.LastTimeUnknown: true}

// told warns of what was found on the way. Under the seed's name that is no
// reason to fail.
func (e *Env) told(o *dshOptions, h *harvest) error {
	lost := false
	for _, code := range h.tally.Codes() {
		lost = lost || !harmless[code] && !lossless[code]
	}
	if err := e.tell(h.tally); err != nil && lost && !o.seed {
		return err
	}
	return nil
}

// outsideCodex refuses to write below the home that is read.
func (e *Env) outsideCodex(h *harvest, names ...string) error {
	for _, name := range names {
		if err := e.outside(h.home.Path(), name); err != nil {
			return err
		}
	}
	return nil
}

// scratchDir is where a session is kept that is too long for memory.
func (e *Env) scratchDir() (string, error) {
	dir := e.getenv("DSH_CODEX_IMPORT_TMP_ROOT")
	if dir == "" {
		return os.TempDir(), nil
	}
	abs, err := e.absPath(dir)
	if err != nil {
		return "", err
	}
	info, err := os.Lstat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return abs, nil
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", fmt.Errorf("DSH_CODEX_IMPORT_TMP_ROOT: %s is a link, or no folder", dir)
	}
	return abs, nil
}
