package publish

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"rollbook/internal/dsh"
	"rollbook/internal/fsx"
)

func (u *undoing) skip(key, reason string) {
	u.res.Skipped = append(u.res.Skipped, Skipped{key, reason})
}

// remove takes out what the run installed.
func (u *undoing) remove(r removal) {
	have, err := u.t.look(r.Key)
	if err != nil {
		u.skip(r.Key, why(err))
		return
	}
	if have.presence != there {
		u.gone(r.Key, have)
		return
	}
	want := digest(r.NewBodySha256)
	if u.listed { // the list has none
		want = have.info.Digest
		if known, ok := u.state.recorded(r.Key); ok {
			want = known
		}
	}
	if reason := u.stays(have, want); reason != "" {
		u.skip(r.Key, reason)
		return
	}
	err = u.swap(r.Key, want, func() error { return u.t.fsys.Remove(u.t.log(r.Key)) })
	if err != nil {
		u.skip(r.Key, err.Error())
		return
	}
	u.done++
	u.res.Removed = append(u.res.Removed, r.Key)
	u.clear(r.Key)
}

// stays says why a log is not touched.
func (u *undoing) stays(have sight, want dsh.Digest) string {
	switch reason := have.continued(); {
	case reason != "":
		return reason
	case have.info.Digest != want:
		return "rewritten after the import"
	case have.locked:
		return "DSH has the session open (" + sessionLock + ")"
	}
	return ""
}

// gone finishes what a rollback that was cut short had begun.
func (u *undoing) gone(key string, have sight) {
	u.res.NotInstalled = append(u.res.NotInstalled, key)
	if have.presence == hollow {
		u.clear(key)
	}
	delete(u.state.Sessions, key)
}

// clear removes the folder of a session without a log, if it is empty, and
// forgets the session.
func (u *undoing) clear(key string) {
	u.t.sweep(u.t.dir(key))
	if u.t.fsys.Remove(u.t.dir(key)) == nil {
		u.t.fsys.SyncDir(u.t.project(key))
	} else {
		u.t.fsys.SyncDir(u.t.dir(key))
	}
	delete(u.state.Sessions, key)
}

// restore brings back what the run replaced.
func (u *undoing) restore(r restore) {
	have, err := u.t.look(r.Key)
	if err != nil {
		u.skip(r.Key, why(err))
		return
	}
	if have.presence != there {
		u.skip(r.Key, "there is no log any more")
		return
	}
	if have.info.Digest == digest(r.PreviousBodySha256) {
		u.res.NotInstalled = append(u.res.NotInstalled, r.Key)
		u.remember(r)
		return
	}
	if reason := u.stays(have, digest(r.NewBodySha256)); reason != "" {
		u.skip(r.Key, reason)
		return
	}
	backup, err := u.backupOf(r)
	if err == nil {
		err = u.exchange(r, backup)
	}
	if err != nil {
		u.skip(r.Key, err.Error())
		return
	}
	u.done++
	u.res.Restored = append(u.res.Restored, r.Key)
	u.remember(r)
}

// remember makes the log that is back ours again, if it was.
func (u *undoing) remember(r restore) {
	now, ok := u.state.recorded(r.Key)
	switch {
	case !ok || now != digest(r.NewBodySha256):
	case r.Forced:
		delete(u.state.Sessions, r.Key)
	default:
		u.state.record(r.Key, digest(r.PreviousBodySha256), u.now)
	}
	delete(u.state.Pending, r.Key)
}

// backupOf gives the name of a backup, if it is one: below the folder of
// backups, regular, whole, and of the log that was replaced.
func (u *undoing) backupOf(r restore) (string, error) {
	name := filepath.Clean(filepath.FromSlash(r.BackupLog))
	if filepath.IsAbs(name) {
		rel, err := filepath.Rel(u.t.home, name)
		if err != nil {
			return "", err
		}
		name = rel
	}
	name = filepath.ToSlash(name)
	if !strings.HasPrefix(name, backupDir+"/") || !filepath.IsLocal(name) {
		return "", fmt.Errorf("the backup %s does not lie below %s", r.BackupLog, u.t.absolute(backupDir))
	}
	f, info, err := openRegular(u.t.fsys, name)
	if err != nil {
		return "", fmt.Errorf("the backup: %w", err)
	}
	defer f.Close()
	got, err := dsh.Probe(f, info.Size())
	if err != nil {
		return "", fmt.Errorf("the backup %s: %w", r.BackupLog, err)
	}
	if got.Digest != digest(r.PreviousBodySha256) || got.Frames != ownedFrames && !r.Forced {
		return "", fmt.Errorf("the backup %s is not what was replaced", r.BackupLog)
	}
	return name, nil
}

// exchange copies the backup beside the log and renames it, if the log is still
// what it was when it was looked at.
func (u *undoing) exchange(r restore, backup string) error {
	dir := u.t.dir(r.Key)
	u.t.sweep(dir)
	in, _, err := openRegular(u.t.fsys, backup)
	if err != nil {
		return err
	}
	defer in.Close()
	file := path.Join(dir, temporaryName())
	err = fsx.WriteFile(u.t.fsys, file, 0o600, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
	if err != nil {
		return err
	}
	renamed := false
	defer func() {
		if !renamed {
			u.t.fsys.Remove(file)
		}
	}()
	return u.swap(r.Key, digest(r.NewBodySha256), func() error {
		err := u.t.fsys.Rename(file, u.t.log(r.Key))
		renamed = err == nil
		return err
	})
}

// swap changes a log, if it is still what the run wrote when every byte of it
// has been read.
func (u *undoing) swap(key string, want dsh.Digest, change func() error) error {
	before, err := u.t.sum(u.t.log(key))
	if err != nil {
		return err
	}
	have, err := u.t.look(key)
	if err != nil {
		return errors.New(why(err))
	}
	if reason := u.stays(have, want); reason != "" {
		return errors.New(reason)
	}
	return u.t.swap(key, before, change)
}

// sum is the digest of every byte of a file.
func (t *tree) sum(name string) (d [sha256.Size]byte, err error) {
	f, _, err := openRegular(t.fsys, name)
	if err != nil {
		return d, err
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return [sha256.Size]byte(sum.Sum(nil)), err
}
