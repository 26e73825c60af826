package discover

import (
	"context"
	"io"
	"path/filepath"

	"rollbook/internal/statedb"
)

// mostNamed is how many files Reads names one by one. The kernel is to keep a
// list of them for each of our threads.
const mostNamed = 10_000

// Reads gives the paths, absolute, that finding and reading the rollouts and
// documents of this root needs: folders whose names are listed, and files and
// folders that are read. Of a home only what Codex keeps threads in is read, of
// any other folder the files that a search finds; all of it where those are more
// than 10,000. Links are left out. Nothing is opened but folders.
func (h *Home) Reads(ctx context.Context) (list, read []string, err error) {
	root := h.Path()
	list = []string{root}
	if h.Kind == KindFile {
		return list, []string{filepath.Join(root, h.file)}, nil
	}
	read, err = h.searched(ctx)
	if err != nil || h.Kind == KindFolder {
		return list, read, err
	}
	names, err := h.stateFiles()
	if err != nil {
		return nil, nil, err
	}
	for _, name := range append(names, sessionsDir, archivedDir, historyFile, indexFile) {
		if info, err := h.tree.Lstat(name); err == nil && (info.IsDir() || info.Mode().IsRegular()) {
			read = append(read, filepath.Join(root, name))
		}
	}
	return list, read, nil
}

// searched gives the files that a search of the whole folder finds; none where
// a home has what makes one needless.
func (h *Home) searched(ctx context.Context) (read []string, err error) {
	if h.Kind == KindHome && h.hasHistory() {
		return nil, nil
	}
	w, err := h.walk(ctx)
	switch {
	case err != nil:
		return nil, err
	case !w.search:
		return nil, nil
	case len(w.found) > mostNamed:
		return []string{h.Path()}, nil
	}
	for i := range w.found {
		read = append(read, filepath.Join(h.Path(), filepath.FromSlash(w.found[i].path)))
	}
	return read, nil
}

// stateFiles gives the state databases of a home and what SQLite keeps beside
// them, whether it is there or not.
func (h *Home) stateFiles() (names []string, err error) {
	dir, err := h.tree.OpenDir(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	for {
		entries, err := dir.ReadDir(256)
		for _, e := range entries {
			if _, ok := statedb.Number(e.Name()); ok {
				names = append(names, e.Name(), e.Name()+"-wal", e.Name()+"-shm", e.Name()+"-journal")
			}
		}
		if err == io.EOF {
			return names, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
