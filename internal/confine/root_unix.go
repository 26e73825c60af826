//go:build unix

package confine

import (
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"rollbook/internal/fsx"
)

// linkModes are the kinds of file that lead elsewhere.
const linkModes = fs.ModeSymlink

const nonblock = unix.O_NONBLOCK

const syncsFolders = true

// A descent opens each part of a name in the folder that it opened before, so
// that nothing that happens to names on the way leads it elsewhere.
type descent struct {
	path string
	fd   int // the root
}

func openSystem(path string) (system, error) {
	fd, err := openat(unix.AT_FDCWD, path, unix.O_DIRECTORY)
	if err != nil {
		return nil, fault("open", path, nil, err)
	}
	return &descent{path, fd}, nil
}

func (d *descent) close() error {
	fd := d.fd
	d.fd = -1
	return unix.Close(fd)
}

func (d *descent) open(parts []string) (fsx.File, error) {
	f, err := d.openFile(parts, unix.O_NONBLOCK)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (d *descent) openDir(parts []string) (fsx.Dir, error) {
	f, err := d.openFile(parts, unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	return listing{f}, nil
}

func (d *descent) sub(parts []string) (system, error) {
	fd, err := d.openFD(parts, unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	return &descent{filepath.Join(d.path, filepath.Join(parts...)), fd}, nil
}

func (d *descent) openFile(parts []string, flags int) (*os.File, error) {
	fd, err := d.openFD(parts, flags)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), filepath.Join(d.path, filepath.Join(parts...))), nil
}

func (d *descent) openFD(parts []string, flags int) (int, error) {
	dir, name, err := d.parent("open", parts)
	if err != nil {
		return -1, err
	}
	defer d.leave(dir)
	fd, err := openat(dir, name, flags)
	if err != nil {
		return -1, fault("open", d.path, parts, err)
	}
	return fd, nil
}

func (d *descent) lstat(parts []string) (fs.FileInfo, error) {
	dir, name, err := d.parent("lstat", parts)
	if err != nil {
		return nil, err
	}
	defer d.leave(dir)
	info, err := statat(dir, name)
	if err != nil {
		return nil, fault("lstat", d.path, parts, err)
	}
	return info, nil
}

// parent opens the folder of the last part, which leave closes.
func (d *descent) parent(op string, parts []string) (dir int, name string, err error) {
	if len(parts) == 0 {
		return d.fd, ".", nil
	}
	dir, last := d.fd, len(parts)-1
	for i, part := range parts[:last] {
		next, err := openat(dir, part, unix.O_DIRECTORY)
		d.leave(dir)
		if err != nil {
			return -1, "", fault(op, d.path, parts[:i+1], err)
		}
		dir = next
	}
	return dir, parts[last], nil
}

func (d *descent) leave(dir int) {
	if dir != d.fd {
		unix.Close(dir)
	}
}

// openat opens for reading, but no link: systems do not agree on the error for
// that, so one look tells it apart from others.
func openat(dir int, name string, flags int) (int, error) {
	fd, err := retry(func() (int, error) {
		return unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|flags, 0)
	})
	if err != nil {
		if info, serr := statat(dir, name); serr == nil && info.Mode()&linkModes != 0 {
			return -1, ErrLink
		}
	}
	return fd, err
}

// retry makes a call again that a signal interrupted.
func retry[T any](call func() (T, error)) (T, error) {
	for {
		if v, err := call(); err != unix.EINTR {
			return v, err
		}
	}
}
