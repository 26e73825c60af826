package publish

import (
	"io/fs"

	"rollbook/internal/fsx"
)

// nowhere is a folder that does not exist: nothing is in it.
type nowhere struct{}

var _ fsx.WriteFS = nowhere{}

func (nowhere) none(op, name string) error {
	return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
}

func (n nowhere) Lstat(name string) (fs.FileInfo, error) { return nil, n.none("lstat", name) }
func (n nowhere) Stat(name string) (fs.FileInfo, error)  { return nil, n.none("stat", name) }
func (n nowhere) Open(name string) (fsx.File, error)     { return nil, n.none("open", name) }
func (n nowhere) OpenDir(name string) (fsx.Dir, error)   { return nil, n.none("open", name) }
func (n nowhere) Mkdir(name string, _ fs.FileMode) error { return n.none("mkdir", name) }
func (n nowhere) Rename(_, to string) error              { return n.none("rename", to) }
func (n nowhere) Remove(name string) error               { return n.none("remove", name) }
func (n nowhere) SyncDir(name string) error              { return n.none("sync", name) }
func (n nowhere) Create(name string, _ fs.FileMode) (fsx.Output, error) {
	return nil, n.none("create", name)
}
