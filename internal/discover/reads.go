package discover

import (
	"context"
	"io"
	"path/filepath"

	"rollbook/internal/statedb"
)

// Reads gives the paths, absolute, that finding and reading the rollouts and
// documents of this root needs: folders whose names are listed, and files and
// folders that are read. Of a home only what Codex keeps threads in is read.
func (h *Home) Reads(ctx context.Context) (list, read []string, err error) {
	root := h.Path()
	switch h.Kind {
	case KindFile:
		return []string{root}, []string{filepath.Join(root, h.file)}, nil
	case KindFolder:
		return nil, []string{root}, nil
	}
	if !h.Exists(historyFile) { // then the whole folder may be searched
		w, err := h.walk(ctx)
		if err != nil {
			return nil, nil, err
		}
		if w.search {
			return nil, []string{root}, nil
		}
	}
	for _, name := range []string{sessionsDir, archivedDir, historyFile, indexFile} {
		read = append(read, filepath.Join(root, name))
	}
	dbs, err := h.stateFiles()
	return []string{root}, append(read, dbs...), err
}

// stateFiles gives the state databases of a home and what SQLite keeps beside
// them.
func (h *Home) stateFiles() (files []string, err error) {
	dir, err := h.tree.OpenDir(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	for {
		entries, err := dir.ReadDir(256)
		for _, e := range entries {
			if _, ok := statedb.Number(e.Name()); ok {
				for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
					files = append(files, filepath.Join(h.Path(), e.Name()+suffix))
				}
			}
		}
		if err == io.EOF {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
