//go:build unix

package confine

import (
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"rollbook/internal/fsx"
)

func (d *descent) create(parts []string, perm fs.FileMode) (*os.File, error) {
	dir, name, err := d.parent("create", parts)
	if err != nil {
		return nil, err
	}
	defer d.leave(dir)
	fd, err := retry(func() (int, error) {
		return unix.Openat(dir, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, uint32(perm.Perm()))
	})
	if err != nil {
		return nil, fault("create", d.path, parts, err)
	}
	return os.NewFile(uintptr(fd), filepath.Join(d.path, filepath.Join(parts...))), nil
}

func (d *descent) mkdir(parts []string, perm fs.FileMode) error {
	return d.in("mkdir", parts, func(dir int, name string) error {
		return unix.Mkdirat(dir, name, uint32(perm.Perm()))
	})
}

func (d *descent) rename(from, to []string) error {
	return d.in("rename", from, func(old int, name string) error {
		return d.in("rename", to, func(dir int, new string) error {
			return unix.Renameat(old, name, dir, new)
		})
	})
}

func (d *descent) link(from, to []string) error {
	return d.in("link", from, func(old int, name string) error {
		return d.in("link", to, func(dir int, new string) error {
			return unix.Linkat(old, name, dir, new, 0)
		})
	})
}

// remove tries both ways, as systems do not agree on the error of the wrong one.
func (d *descent) remove(parts []string) error {
	return d.in("remove", parts, func(dir int, name string) error {
		err := unix.Unlinkat(dir, name, 0)
		if err == nil || err == unix.ENOENT {
			return err
		}
		if info, serr := statat(dir, name); serr == nil && info.IsDir() {
			return unix.Unlinkat(dir, name, unix.AT_REMOVEDIR)
		}
		return err
	})
}

func (d *descent) syncDir(parts []string) error {
	f, err := d.openFile(parts, unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer f.Close()
	return fsx.NewOutput(f).Sync()
}

// in makes a call in the folder of the last part.
func (d *descent) in(op string, parts []string, call func(dir int, name string) error) error {
	dir, name, err := d.parent(op, parts)
	if err != nil {
		return err
	}
	defer d.leave(dir)
	_, err = retry(func() (struct{}, error) { return struct{}{}, call(dir, name) })
	if _, named := err.(*fs.PathError); named || err == nil {
		return err // of the other name
	}
	return fault(op, d.path, parts, err)
}
