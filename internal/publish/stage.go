package publish

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"rollbook/internal/dsh"
	"rollbook/internal/fsx"
)

// A staged log is whole and synced beside its place, under a name that neither
// the harness nor anybody else takes for a log.
type staged struct {
	at   int    // the entry
	dir  string // of an install: the folder that becomes the session's
	file string
	// Of a refresh: what every byte of the log was when it was copied.
	before [sha256.Size]byte
	made   bool // the project's folder, by us
}

// stagedLog is the name of a log in a staged folder.
const stagedLog = tmpPrefix + "log" + tmpSuffix

// stage converts a candidate once more, this time to be kept.
func (r *run) stage(ctx context.Context, i int) (s *staged, c Converted, err error) {
	key := r.plan.Entries[i].Key
	s = &staged{at: i}
	if r.plan.Entries[i].Outcome == Installed {
		if s.made, err = r.makeProject(key); err != nil {
			return s, c, err
		}
		s.dir = path.Join(r.t.project(key), temporaryName())
		if err := r.t.fsys.Mkdir(s.dir, 0o700); err != nil {
			s.dir = ""
			return s, c, err
		}
		s.file = path.Join(s.dir, stagedLog)
	} else {
		s.file = path.Join(r.t.dir(key), temporaryName())
	}
	err = fsx.WriteFile(r.t.fsys, s.file, 0o600, func(w io.Writer) error {
		c, err = r.write[i](ctx, w)
		return err
	})
	if err != nil {
		return s, c, err
	}
	return s, c, r.examine(s.file, c.Digest)
}

// makeProject makes the folder of a project, and tells whether it was missing.
func (r *run) makeProject(key string) (bool, error) {
	dir := r.t.project(key)
	_, err := r.t.fsys.Lstat(dir)
	if err == nil {
		return false, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return true, fsx.MkdirAll(r.t.fsys, dir)
}

// examine reads back what was staged: nothing is installed that is not what the
// conversion says it is.
func (r *run) examine(name string, want dsh.Digest) error {
	f, info, err := openRegular(r.t.fsys, name)
	if err != nil {
		return err
	}
	defer f.Close()
	got, err := dsh.Probe(f, info.Size())
	switch {
	case err != nil:
		return fmt.Errorf("what was written cannot be read: %w", err)
	case got.Frames != ownedFrames || got.Digest != want:
		return fmt.Errorf("what was written is not what was converted: %d frames, digest %s instead of %s", got.Frames, got.Digest, want)
	}
	return nil
}

// discard removes what was staged and will not be used.
func (r *run) discard(s *staged) {
	if s.file != "" {
		r.t.fsys.Remove(s.file)
	}
	if s.dir != "" {
		r.t.fsys.Remove(s.dir)
	}
	if s.made {
		r.t.fsys.Remove(r.t.project(r.plan.Entries[s.at].Key)) // unless something else is in it by now
	}
}

// backup copies a log as it is, whole and synced, and remembers its bytes.
func (r *run) backup(s *staged, e *Entry) error {
	name := backupName(r.id, e.Key)
	if err := fsx.MkdirAll(r.t.fsys, path.Dir(name)); err != nil {
		return err
	}
	in, _, err := openRegular(r.t.fsys, r.t.log(e.Key))
	if err != nil {
		return err
	}
	defer in.Close()
	sum := sha256.New()
	err = fsx.WriteFile(r.t.fsys, name, 0o600, func(w io.Writer) error {
		_, err := io.Copy(io.MultiWriter(w, sum), in)
		return err
	})
	if err != nil {
		return err
	}
	e.Backup, s.before = r.t.absolute(name), [sha256.Size]byte(sum.Sum(nil))
	f, info, err := openRegular(r.t.fsys, name)
	if err != nil {
		return err
	}
	defer f.Close()
	got, err := dsh.Probe(f, info.Size())
	if err == nil && (got.Digest != e.Previous || got.Frames != e.Frames) {
		err = errMoved
	}
	return err
}

// errMoved says that a log is no longer what it was when the run looked at it.
var errMoved = errors.New("it changed during the run")

// dropBackup removes a backup of a log that is not replaced after all.
func (r *run) dropBackup(e *Entry) {
	if e.Backup == "" {
		return
	}
	for name := backupName(r.id, e.Key); name != backupDir; name = path.Dir(name) {
		if r.t.fsys.Remove(name) != nil {
			break
		}
	}
	e.Backup = ""
}
