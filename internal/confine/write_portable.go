package confine

import (
	"io/fs"
	"os"
	"path/filepath"

	"rollbook/internal/fsx"
)

func (p *portable) create(parts []string, perm fs.FileMode) (*os.File, error) {
	dir, name, err := p.parent("create", parts)
	if err != nil {
		return nil, err
	}
	defer p.leave(dir)
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm.Perm())
	if err != nil {
		return nil, p.fault("create", parts, err)
	}
	return f, nil
}

func (p *portable) mkdir(parts []string, perm fs.FileMode) error {
	return p.in("mkdir", parts, func(dir *os.Root, name string) error { return dir.Mkdir(name, perm.Perm()) })
}

// rename goes through the root: both folders are looked at before, but where one
// is replaced by a link in that moment the library follows it, within the root.
func (p *portable) rename(from, to []string) error {
	for _, parts := range [][]string{from, to} {
		dir, _, err := p.parent("rename", parts)
		if err != nil {
			return err
		}
		p.leave(dir)
	}
	err := p.root.Rename(filepath.Join(from...), filepath.Join(to...))
	if at, ok := err.(*os.LinkError); ok {
		err = at.Err
	}
	if err != nil {
		return p.fault("rename", to, err)
	}
	return nil
}

func (p *portable) link(from, to []string) error {
	for _, parts := range [][]string{from, to} {
		dir, _, err := p.parent("link", parts)
		if err != nil {
			return err
		}
		p.leave(dir)
	}
	err := p.root.Link(filepath.Join(from...), filepath.Join(to...))
	if at, ok := err.(*os.LinkError); ok {
		err = at.Err
	}
	if err != nil {
		return p.fault("link", to, err)
	}
	return nil
}

func (p *portable) remove(parts []string) error {
	return p.in("remove", parts, func(dir *os.Root, name string) error { return dir.Remove(name) })
}

func (p *portable) syncDir(parts []string) error {
	f, err := p.openFile(parts, fs.FileInfo.IsDir)
	if err != nil {
		return err
	}
	defer f.Close()
	if !syncsFolders {
		return nil
	}
	return fsx.NewOutput(f).Sync()
}

// in makes a call in the folder of the last part.
func (p *portable) in(op string, parts []string, call func(dir *os.Root, name string) error) error {
	dir, name, err := p.parent(op, parts)
	if err != nil {
		return err
	}
	defer p.leave(dir)
	if err := call(dir, name); err != nil {
		return p.fault(op, parts, err)
	}
	return nil
}
