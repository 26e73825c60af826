package confine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"rollbook/internal/fsx"
)

// portable is for systems without openat. The library's os.Root never leaves a
// folder but follows links within it: so each part is looked at before it is
// opened, and what was opened must be what was seen.
type portable struct {
	path string
	root *os.Root
}

func openPortable(path string) (system, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &portable{path, root}, nil
}

func (p *portable) close() error { return p.root.Close() }

func (p *portable) open(parts []string) (fsx.File, error) {
	f, err := p.openFile(parts, func(fs.FileInfo) bool { return true })
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (p *portable) openDir(parts []string) (fsx.Dir, error) {
	f, err := p.openFile(parts, fs.FileInfo.IsDir)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (p *portable) openFile(parts []string, want func(fs.FileInfo) bool) (*os.File, error) {
	dir, name, err := p.parent("open", parts)
	if err != nil {
		return nil, err
	}
	defer p.leave(dir)
	seen, err := look(dir, name)
	if err == nil && !want(seen) {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return nil, p.fault("open", parts, err)
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, p.fault("open", parts, err)
	}
	if err := same(seen, f.Stat); err != nil {
		f.Close()
		return nil, p.fault("open", parts, err)
	}
	return f, nil
}

func (p *portable) sub(parts []string) (system, error) {
	dir, name, err := p.parent("open", parts)
	if err != nil {
		return nil, err
	}
	defer p.leave(dir)
	root, err := enter(dir, name)
	if err != nil {
		return nil, p.fault("open", parts, err)
	}
	return &portable{filepath.Join(p.path, filepath.Join(parts...)), root}, nil
}

func (p *portable) lstat(parts []string) (fs.FileInfo, error) {
	dir, name, err := p.parent("lstat", parts)
	if err != nil {
		return nil, err
	}
	defer p.leave(dir)
	info, err := dir.Lstat(name)
	if err != nil {
		return nil, p.fault("lstat", parts, err)
	}
	return info, nil
}

// parent opens the folder of the last part, which leave closes.
func (p *portable) parent(op string, parts []string) (dir *os.Root, name string, err error) {
	if len(parts) == 0 {
		return p.root, ".", nil
	}
	dir, last := p.root, len(parts)-1
	for i, part := range parts[:last] {
		next, err := enter(dir, part)
		p.leave(dir)
		if err != nil {
			return nil, "", p.fault(op, parts[:i+1], err)
		}
		dir = next
	}
	return dir, parts[last], nil
}

func (p *portable) leave(dir *os.Root) {
	if dir != p.root {
		dir.Close()
	}
}

func enter(dir *os.Root, name string) (*os.Root, error) {
	seen, err := look(dir, name)
	if err != nil {
		return nil, err
	}
	if !seen.IsDir() {
		return nil, syscall.ENOTDIR
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if err := same(seen, func() (fs.FileInfo, error) { return next.Stat(".") }); err != nil {
		next.Close()
		return nil, err
	}
	return next, nil
}

// look tells what a name is, and refuses a link.
func look(dir *os.Root, name string) (fs.FileInfo, error) {
	info, err := dir.Lstat(name)
	if err == nil && info.Mode()&linkModes != 0 {
		err = ErrLink
	}
	return info, err
}

// errSwapped is the cause of an error where a name changed its meaning between
// the look and the opening.
var errSwapped = errors.New("was replaced while it was opened")

// same holds what was opened to what was seen.
func same(seen fs.FileInfo, stat func() (fs.FileInfo, error)) error {
	opened, err := stat()
	if err == nil && !os.SameFile(seen, opened) {
		err = errSwapped
	}
	return err
}

// fault names the whole path once, whatever name the library gave.
func (p *portable) fault(op string, parts []string, err error) error {
	if at, ok := err.(*fs.PathError); ok {
		err = at.Err
	}
	return fault(op, p.path, parts, err)
}
