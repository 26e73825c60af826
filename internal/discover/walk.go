package discover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"rollbook/internal/confine"
	"rollbook/internal/diag"
)

// A candidate is a file whose name says that it may be a rollout.
type candidate struct {
	path     string
	name     Name
	size     int64       // as listed
	info     fs.FileInfo // as listed; nil where that is not known
	archived bool
	zst      bool // by its name
}

// rollout reports whether the name alone makes it one.
func (c *candidate) rollout() bool { return strings.HasPrefix(path.Base(c.path), prefix) }

// A walker lists folders. It opens no file.
type walker struct {
	ctx     context.Context
	tree    tree
	max     bounds
	search  bool // a folder search: leaves out what holds no rollouts
	home    bool // and of a home: its folders of sessions were seen before
	root    string
	entries int
	full    bool
	found   []candidate
	diags   []diag.Diagnostic
}

// walk lists what is to be looked into (docs/format/history.md, "where rollouts
// lie"): of a home both folders of sessions at any depth, and where they hold
// nothing and nothing was typed either, the whole folder, as of any other.
func (h *Home) walk(ctx context.Context) (*walker, error) {
	w := &walker{ctx: ctx, tree: h.tree, max: h.max, root: path.Base(strings.ReplaceAll(h.tree.Path(), `\`, "/"))}
	if h.Kind == KindHome {
		for _, name := range []string{sessionsDir, archivedDir} {
			if err := w.top(name); err != nil {
				return nil, err
			}
		}
		if len(w.found) > 0 || h.Brief || h.hasHistory() {
			return w, nil
		}
	}
	w.search, w.home = true, h.Kind == KindHome
	return w, w.folder(".", 0)
}

// hasHistory reports whether the home has a history.jsonl that may be opened.
func (h *Home) hasHistory() bool {
	info, err := h.tree.Lstat(historyFile)
	return err == nil && info.Mode().IsRegular()
}

// top lists one of a home's own folders, if it is there.
func (w *walker) top(name string) error {
	info, err := w.tree.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		w.note(name, DirectoryUnreadable, err.Error())
	case info.Mode()&fs.ModeSymlink != 0:
		w.note(name, SymlinkSkipped, "")
	case !info.IsDir():
		w.note(name, NonRegularFile, "not a folder")
	default:
		return w.folder(name, 0)
	}
	return nil
}

func (w *walker) note(path string, code diag.Code, message string) {
	w.diags = append(w.diags, about(path, code, message))
}

// folder lists a folder and those below it. The entries of each are taken by
// name, so that a limit cuts at the same place each time. An error means that
// the context has ended.
func (w *walker) folder(dir string, depth int) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if w.full {
		return nil
	}
	entries, err := w.list(dir)
	if err != nil {
		code := DirectoryUnreadable
		if errors.Is(err, confine.ErrLink) {
			code = SymlinkSkipped
		}
		w.note(dir, code, err.Error())
	}
	for _, e := range entries {
		if w.entries++; w.entries > w.max.entries {
			w.full = true
			w.note(dir, EntryLimit, fmt.Sprintf("more than %d entries; the rest is not looked at", w.max.entries))
			return nil
		}
		if err := w.entry(dir, e, depth); err != nil || w.full {
			return err
		}
	}
	return nil
}

// list reads a folder, and one entry more than may be looked at.
func (w *walker) list(dir string) (all []fs.DirEntry, err error) {
	d, err := w.tree.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	for len(all) <= w.max.entries-w.entries {
		var some []fs.DirEntry
		some, err = d.ReadDir(512)
		all = append(all, some...)
		if err != nil {
			break
		}
	}
	if err == io.EOF {
		err = nil
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return all, err
}

// leftOut are folders that a search does not go into, besides hidden ones.
var leftOut = []string{"node_modules", "auth", "log", "logs", "build", "dist", "target", "__pycache__", "cache", "tmp"}

func (w *walker) entry(dir string, e fs.DirEntry, depth int) error {
	name := e.Name()
	at := name
	if dir != "." {
		at = dir + "/" + name
	}
	matches := candidateName(name)
	switch {
	case w.search && strings.HasPrefix(name, "."):
	case w.search && e.IsDir() && slices.Contains(leftOut, name):
	case w.home && dir == "." && (name == sessionsDir || name == archivedDir):
	case !utf8.ValidString(name):
		if matches || e.IsDir() {
			w.note(dir, NonUTF8Path, fmt.Sprintf("%q", name))
		}
	case e.Type()&fs.ModeSymlink != 0:
		if matches || !strings.Contains(name, ".") { // else no folder and no rollout
			w.note(at, SymlinkSkipped, "")
		}
	case e.IsDir() && !matches:
		if depth == w.max.depth {
			w.note(at, DepthLimit, fmt.Sprintf("more than %d folders deep", w.max.depth))
			return nil
		}
		return w.folder(at, depth+1)
	case !matches || dir == "." && (name == historyFile || name == indexFile):
	case !e.Type().IsRegular():
		w.note(at, NonRegularFile, "")
	default:
		w.add(at, e)
	}
	return nil
}

func (w *walker) add(at string, e fs.DirEntry) {
	c := candidate{path: at, name: ParseName(e.Name()), archived: w.archived(at)}
	_, c.zst = cutSuffix(e.Name(), ".zst")
	if info, err := e.Info(); err == nil {
		c.size, c.info = info.Size(), info
	}
	w.found = append(w.found, c)
}

// archived reports whether a file lies below a folder of archived sessions; the
// root itself may be one.
func (w *walker) archived(at string) bool {
	return w.root == archivedDir || slices.Contains(strings.Split(path.Dir(at), "/"), archivedDir)
}

// groups puts the copies of one rollout together, the one to be used first:
// files of the same name wherever they lie, compressed or not, where the name
// has the thread's id; else only a file and its compressed copy beside it. The
// active copy comes before an archived one, the plain before the compressed, the
// longer before the shorter.
func groups(found []candidate) [][]candidate {
	byStem := make(map[string]int, len(found))
	all := make([][]candidate, 0, len(found))
	for _, c := range found {
		key := stem(c.path)
		if c.name.ThreadID != "" {
			key = stem(path.Base(c.path))
		}
		i, known := byStem[key]
		if !known {
			i = len(all)
			byStem[key] = i
			all = append(all, nil)
		}
		all[i] = append(all[i], c)
	}
	for _, g := range all {
		slices.SortFunc(g, func(a, b candidate) int {
			return cmp.Or(order(a.archived, b.archived), order(a.zst, b.zst), cmp.Compare(b.size, a.size), cmp.Compare(a.path, b.path))
		})
	}
	return all
}

// order sorts what is not so before what is.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
