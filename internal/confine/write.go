package confine

import (
	"io/fs"
	"os"

	"rollbook/internal/fsx"
)

// A Writable is a Root that may also be changed, by the same rules: nothing is
// made, renamed or removed outside, and no link is followed. It is an
// fsx.WriteFS for names as a Root has them.
type Writable struct {
	*Root
	sys writer
}

var _ fsx.LinkFS = Writable{}

// A writer is a system that changes what is below it.
type writer interface {
	system
	create(parts []string, perm fs.FileMode) (*os.File, error)
	mkdir(parts []string, perm fs.FileMode) error
	rename(from, to []string) error
	link(from, to []string) error
	remove(parts []string) error
	syncDir(parts []string) error
}

// OpenWritable is OpenRoot for a folder that is to be changed.
func OpenWritable(path string) (Writable, error) { return openWritable(path, openSystem) }

func openWritable(path string, open func(string) (system, error)) (Writable, error) {
	r, err := openRoot(path, open)
	if err != nil {
		return Writable{}, err
	}
	return Writable{r, r.sys.(writer)}, nil
}

// Create makes a file that must not exist, not even as a link.
func (w Writable) Create(rel string, perm fs.FileMode) (fsx.Output, error) {
	parts, err := splitBelow("create", rel)
	if err != nil {
		return nil, err
	}
	f, err := w.sys.create(parts, perm)
	if err != nil {
		return nil, err
	}
	return fsx.NewOutput(f), nil
}

// Mkdir makes a folder in one that exists.
func (w Writable) Mkdir(rel string, perm fs.FileMode) error {
	parts, err := splitBelow("mkdir", rel)
	if err != nil {
		return err
	}
	return w.sys.mkdir(parts, perm)
}

// Rename gives a file or folder another name. A file at the new name is
// replaced; a folder there is not, unless a folder takes its place and it is
// empty.
func (w Writable) Rename(from, to string) error {
	old, err := splitBelow("rename", from)
	if err != nil {
		return err
	}
	parts, err := splitBelow("rename", to)
	if err != nil {
		return err
	}
	return w.sys.rename(old, parts)
}

// Link gives a file another name, which must not exist, not even as a link.
func (w Writable) Link(from, to string) error {
	old, err := splitBelow("link", from)
	if err != nil {
		return err
	}
	parts, err := splitBelow("link", to)
	if err != nil {
		return err
	}
	return w.sys.link(old, parts)
}

// Remove removes a file, a link itself, or an empty folder.
func (w Writable) Remove(rel string) error {
	parts, err := splitBelow("remove", rel)
	if err != nil {
		return err
	}
	return w.sys.remove(parts)
}

// SyncDir syncs the entries of a folder, where the system has such a thing.
func (w Writable) SyncDir(rel string) error {
	parts, err := split("sync", rel)
	if err != nil {
		return err
	}
	return w.sys.syncDir(parts)
}

// splitBelow is split for a name that must not be the root itself.
func splitBelow(op, rel string) ([]string, error) {
	parts, err := split(op, rel)
	if err == nil && len(parts) == 0 {
		err = &fs.PathError{Op: op, Path: rel, Err: errName}
	}
	return parts, err
}
