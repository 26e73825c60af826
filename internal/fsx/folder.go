package fsx

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// CreateFolder makes a folder whole or not at all. The name must not exist, not
// even as a link or an empty folder: else it returns fs.ErrExist and fill is not
// called. fill fills a folder beside it, with WriteFile and the like, so that
// each file is synced; then that is synced and renamed. It has mode 0700. After
// an error the name is free, and what fill made is gone; only where the last
// step failed, syncing the folder above, it is there. A crash leaves at most the
// folder beside it.
func CreateFolder(fsys WriteFS, name string, fill func(dir string) error) error {
	if err := absent(fsys, name); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	tmp := filepath.Join(filepath.Dir(name), ".rollbook-"+rand.Text()+".tmp")
	if err := fsys.Mkdir(tmp, 0o700); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	renamed := false
	defer func() {
		if !renamed { // also after a panic of fill
			removeAll(fsys, tmp)
		}
	}()
	err := fill(tmp)
	if err != nil {
		return err
	}
	if err = fsys.SyncDir(tmp); err == nil {
		err = absent(fsys, name)
	}
	if err == nil {
		err = fsys.Rename(tmp, name)
		renamed = err == nil
	}
	if err == nil {
		err = fsys.SyncDir(filepath.Dir(name))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// absent returns nil where nothing has the name.
func absent(fsys FS, name string) error {
	_, err := fsys.Lstat(name)
	switch {
	case err == nil:
		return fs.ErrExist
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

// removeAll removes a folder of ours, as far as it can be.
func removeAll(fsys WriteFS, dir string) {
	for _, e := range entries(fsys, dir) {
		if name := filepath.Join(dir, e.Name()); e.IsDir() {
			removeAll(fsys, name)
		} else {
			fsys.Remove(name)
		}
	}
	fsys.Remove(dir)
}

// entries gives what can be listed of a folder.
func entries(fsys FS, dir string) (all []fs.DirEntry) {
	d, err := fsys.OpenDir(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	for {
		some, err := d.ReadDir(1024)
		all = append(all, some...)
		if err != nil || len(some) == 0 {
			return all
		}
	}
}
