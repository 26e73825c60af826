package publish

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"rollbook/internal/fsx"
)

// install gives a staged folder the session's name, and then the log its own: a
// folder that is not empty is never replaced, and until the last step nothing
// that looks for logs sees one.
func (r *run) install(s *staged, key string) error {
	dir := r.t.dir(key)
	if _, err := r.t.fsys.Lstat(dir); err == nil { // hollow
		r.t.sweep(dir)
		if err := r.t.fsys.Remove(dir); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := r.t.fsys.Rename(s.dir, dir); err != nil {
		return err
	}
	s.dir, s.file = dir, path.Join(dir, stagedLog)
	if _, err := r.t.fsys.Lstat(r.t.log(key)); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, errMoved)
	}
	if err := r.t.fsys.Rename(s.file, r.t.log(key)); err != nil {
		return err
	}
	s.dir, s.file, s.made = "", "", false
	if err := r.t.fsys.SyncDir(dir); err != nil {
		return err
	}
	return r.t.fsys.SyncDir(r.t.project(key))
}

// replace puts a staged log in the place of one that is, byte for byte, what was
// copied.
func (r *run) replace(s *staged, key string) error {
	return r.t.swap(key, s.before, func() error {
		err := r.t.fsys.Rename(s.file, r.t.log(key))
		if err == nil {
			s.file = ""
		}
		return err
	})
}

// swap replaces or removes a log that must still hold the bytes of before.
// Should the harness append in the very moment of the change, the old log is
// still open here and comes back with what was appended.
func (t *tree) swap(key string, before [sha256.Size]byte, change func() error) error {
	old, _, err := openRegular(t.fsys, t.log(key))
	if err != nil {
		return err
	}
	defer old.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, old); err != nil {
		return err
	}
	if [sha256.Size]byte(sum.Sum(nil)) != before {
		return errMoved
	}
	if _, err := t.fsys.Lstat(path.Join(t.dir(key), sessionLock)); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, errMoved)
	}
	if err := change(); err != nil {
		return err
	}
	if n, _ := old.Read(make([]byte, 1)); n > 0 {
		return t.bringBack(old, t.log(key))
	}
	return t.fsys.SyncDir(t.dir(key))
}

// bringBack writes a log again that grew while it was replaced.
func (t *tree) bringBack(old io.ReaderAt, log string) error {
	err := fsx.WriteFile(t.fsys, log, 0o600, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(old, 0, 1<<62))
		return err
	})
	if err != nil {
		return fmt.Errorf("DSH went on with the session while it was replaced, and what it wrote last could not be brought back: %w", err)
	}
	return errMoved
}
