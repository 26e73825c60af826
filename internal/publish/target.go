package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"rollbook/internal/confine"
	"rollbook/internal/fsx"
)

// A Target is a sessions root of the harness, which need not exist.
type Target struct {
	root string // absolute, clean, over no link
	now  func() time.Time
	wrap func(fsx.WriteFS) fsx.WriteFS // tests let calls fail here
}

// NewTarget names a sessions root. A path that leads over a symbolic link is
// refused: writing there would write somewhere else. Only a link directly below
// the file system's root is the system's own (/tmp on some) and is followed.
func NewTarget(root string) (*Target, error) {
	clean, err := straight(root)
	if err != nil {
		return nil, err
	}
	if filepath.Dir(clean) == clean {
		return nil, fmt.Errorf("%s cannot be a sessions root: what was imported is recorded beside it", clean)
	}
	return &Target{clean, time.Now, func(fsys fsx.WriteFS) fsx.WriteFS { return fsys }}, nil
}

// Root is the sessions root, as an absolute path.
func (t *Target) Root() string { return t.root }

func (t *Target) home() string { return filepath.Dir(t.root) }

// straight makes a path absolute and clean, and refuses one over a link.
func straight(path string) (string, error) {
	if runtime.GOOS == "windows" {
		abs, err := filepath.Abs(path)
		if err != nil {
			return "", err
		}
		path = abs
	}
	if !filepath.IsAbs(path) {
		wd, err := os.Getwd()
		if err == nil {
			wd, err = filepath.EvalSymlinks(wd) // where we are is no name that could lead elsewhere
		}
		if err != nil {
			return "", err
		}
		path = wd + string(filepath.Separator) + path
	}
	if err := followed(path); err != nil {
		return "", err
	}
	return filepath.Clean(path), nil
}

// followed looks at each part of an absolute path, as far as they exist.
func followed(path string) error {
	volume := filepath.VolumeName(path)
	at, system, missing := volume+string(filepath.Separator), false, false
	for depth, part := range strings.Split(filepath.ToSlash(path[len(volume):]), "/") {
		if part == "" || part == "." {
			continue
		}
		if part == ".." && (system || missing) {
			return &fs.PathError{Op: "open", Path: path, Err: errors.New("goes up again behind a link, or behind what does not exist")}
		}
		at = strings.TrimSuffix(at, string(filepath.Separator)) + string(filepath.Separator) + part
		if missing {
			continue
		}
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = true
		case err != nil:
			return err
		case info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0 && depth == 1:
			system = true
		case info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0:
			return &fs.PathError{Op: "open", Path: at, Err: linked(at)}
		case !info.IsDir():
			return &fs.PathError{Op: "open", Path: at, Err: syscall.ENOTDIR}
		}
	}
	return nil
}

// linked says where a link leads: that can be named instead.
func linked(path string) error {
	to, err := filepath.EvalSymlinks(path)
	if err != nil {
		return confine.ErrLink
	}
	return fmt.Errorf("%w; name %s instead", confine.ErrLink, to)
}

// A tree is the folder that holds the sessions root, open: all names are
// relative to it.
type tree struct {
	fsys  fsx.WriteFS
	home  string
	base  string // the sessions root's own name
	close func() error
}

// open opens the folder that holds the sessions root. It returns nil where there
// is none.
func (t *Target) open() (*tree, error) {
	if _, err := straight(t.root); err != nil {
		return nil, err
	}
	w, err := confine.OpenWritable(t.home())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &tree{t.wrap(w), t.home(), filepath.Base(t.root), w.Close}, nil
}

// create is open for what is to be written, alone: the lock is held until the
// returned function is called.
func (t *Target) create() (*tree, func() error, error) {
	if err := fsx.MkdirAll(fsx.OS, t.home()); err != nil {
		return nil, nil, err
	}
	at, err := t.open()
	if err != nil {
		return nil, nil, err
	}
	if at == nil {
		return nil, nil, &fs.PathError{Op: "open", Path: t.home(), Err: fs.ErrNotExist}
	}
	lock, err := fsx.TryLock(filepath.Join(t.home(), lockName))
	if err != nil {
		return nil, nil, errors.Join(err, at.close())
	}
	return at, func() error { return errors.Join(lock.Unlock(), at.close()) }, nil
}
