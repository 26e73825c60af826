package bundle

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"rollbook/internal/fsx"
)

// look gives the mode of git and the hash of a regular file.
func look(fsys fsx.FS, name string) (mode, sum string, err error) {
	info, err := fsys.Lstat(name)
	if err != nil {
		return "", "", err
	}
	if !info.Mode().IsRegular() {
		return "", "", errors.New("is no regular file")
	}
	f, err := fsys.Open(name)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil {
		return "", "", err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxVersion+1))
	if err != nil {
		return "", "", err
	}
	if len(data) > maxVersion {
		return "", "", fmt.Errorf("holds more than %d bytes", maxVersion)
	}
	mode = plainMode
	if now.Mode()&0o100 != 0 {
		mode = execMode
	}
	return mode, hashOf(data), nil
}

// checkBase says how a file differs from what the change starts from.
func checkBase(fsys fsx.FS, name string, t *target) error {
	mode, sum, err := look(fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("is missing")
	case err != nil:
		return err
	case sum != t.Base:
		return errors.New("is not what the change starts from")
	case mode != t.baseMode:
		return fmt.Errorf("has the mode %s, the change starts from %s", mode, t.baseMode)
	}
	return nil
}

// checkTarget says what forbids to change a file: its own state, and that of the
// folders that lead to it (B18).
func checkTarget(fsys fsx.FS, t *target) error {
	if err := checkWay(fsys, t.Path); err != nil {
		return err
	}
	if t.Base != "" {
		return checkBase(fsys, t.Path, t)
	}
	if _, err := fsys.Lstat(t.Path); err == nil {
		return errors.New("is to be added, but is there already")
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// checkWay looks at each part of a path: folders that are there must be folders,
// and no repository of their own; and each name stands as it is written, not in
// other letters of the same alphabet.
func checkWay(fsys fsx.FS, p string) error {
	dir := "."
	parts := strings.Split(p, "/")
	for i, name := range parts {
		there, err := spelled(fsys, dir, name)
		if err != nil || !there {
			return err
		}
		dir = path.Join(dir, name)
		if i == len(parts)-1 {
			return nil
		}
		info, err := fsys.Lstat(dir)
		switch {
		case err != nil:
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			return fmt.Errorf("lies behind the link %s", dir)
		case !info.IsDir():
			return fmt.Errorf("lies below %s, which is no folder", dir)
		}
		if _, err := fsys.Lstat(dir + "/.git"); err == nil {
			return fmt.Errorf("lies in %s, a repository of its own", dir)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// spelled reports whether a folder has an entry of just that name. One that
// differs in case is an error.
func spelled(fsys fsx.FS, dir, name string) (there bool, err error) {
	alias := ""
	err = eachEntry(fsys, dir, func(e fs.DirEntry) error {
		if e.Name() == name {
			there = true
		} else if strings.EqualFold(e.Name(), name) {
			alias = e.Name()
		}
		return nil
	})
	if err == nil && alias != "" {
		err = fmt.Errorf("%s differs from %s in case only", path.Join(dir, alias), path.Join(dir, name))
	}
	return there, err
}
