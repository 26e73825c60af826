package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rollbook/internal/confine"
)

// A Skipped session is one that a rollback left as it is.
type Skipped struct {
	Key    string
	Reason string
}

// A Rollback is what a rollback did, by keys.
type Rollback struct {
	Manifest     string
	Removed      []string
	Restored     []string
	Skipped      []Skipped
	NotInstalled []string // the run had not come so far, or it was undone before
	Result       string   // the file that says so too; empty where nothing was done
}

// An undoing is one rollback, which holds the lock.
type undoing struct {
	t      *tree
	now    time.Time
	m      *manifest
	listed bool // the manifest is a list of folders, without digests
	state  *state
	res    *Rollback
	done   int // logs that were removed or restored

	announced bool // what is to come back is in the state file
}

// Rollback undoes a run: what it installed is removed, what it replaced comes
// back byte for byte, each only where the log is still what the run wrote. An
// empty name is the latest manifest, and where there is none the list of
// folders that older importers wrote.
func (t *Target) Rollback(ctx context.Context, manifestFile string) (*Rollback, error) {
	at, err := t.open()
	if err != nil {
		return nil, err
	}
	if at == nil {
		return nil, fmt.Errorf("nothing was imported into %s: there is no %s", t.root, t.home())
	}
	_, err = (&undoing{t: at, now: t.now(), res: &Rollback{}}).open(manifestFile)
	if err := errors.Join(err, at.close()); err != nil {
		return nil, err // before a lock is made
	}
	at, done, err := t.create()
	if err != nil {
		return nil, err
	}
	u := &undoing{t: at, now: t.now(), res: &Rollback{}}
	err = u.run(ctx, manifestFile)
	return u.res, errors.Join(err, done())
}

func (u *undoing) run(ctx context.Context, name string) error {
	if bad := u.t.preflight(); len(bad) > 0 {
		return fmt.Errorf("%s: %s", metadataKey, strings.Join(bad, "; "))
	}
	latest, err := u.open(name)
	if err != nil {
		return err
	}
	if u.state, err = u.t.readState(); err != nil {
		return err
	}
	before, err := encodeJSON(u.state)
	if err != nil {
		return err
	}
	u.state.settle(u.t, u.now)
	if err := u.announce(); err != nil {
		return err
	}
	for _, r := range u.m.Remove {
		if ctx.Err() == nil {
			u.remove(r)
		}
	}
	for _, r := range u.m.Restore {
		if ctx.Err() == nil {
			u.restore(r)
		}
	}
	return errors.Join(ctx.Err(), u.finish(before, latest))
}

// announce records what is about to come back, before the first log changes:
// after a crash it is known to be ours as before.
func (u *undoing) announce() error {
	pending := make(map[string]string)
	for _, r := range u.m.Restore {
		if have, err := u.t.look(r.Key); !r.Forced && err == nil && have.whole() && have.info.Digest == digest(r.NewBodySha256) {
			pending[r.Key] = r.PreviousBodySha256
		}
	}
	if len(pending) == 0 {
		return nil
	}
	u.state.Pending, u.announced = pending, true
	return u.t.writeState(u.state)
}

// finish records what was done. A rollback that found nothing to do writes
// nothing.
func (u *undoing) finish(before []byte, latest bool) error {
	u.state.settle(u.t, u.now)
	after, err := encodeJSON(u.state)
	if err == nil && (u.announced || !bytes.Equal(after, before)) {
		err = u.t.writeSmall(stateName, after)
	}
	_, rerr := u.t.fsys.Lstat(resultName(u.m.RunID))
	if u.done == 0 && rerr == nil {
		return err
	}
	u.m.RolledBackAt, u.m.Result = stamp(u.now), u.res.record()
	if werr := u.t.writeJSON(resultName(u.m.RunID), u.m); werr != nil {
		return errors.Join(err, werr)
	}
	u.res.Result = u.t.absolute(resultName(u.m.RunID))
	if latest {
		err = errors.Join(err, u.t.writeJSON(latestName, u.m))
	}
	return err
}

func (r *Rollback) record() *rollbackResult {
	out := &rollbackResult{Removed: some(r.Removed), Restored: some(r.Restored), Skipped: []skippedSession{}, NotInstalled: some(r.NotInstalled)}
	for _, s := range r.Skipped {
		out.Skipped = append(out.Skipped, skippedSession(s))
	}
	return out
}

// some is a list that JSON shows as one also when it is empty.
func some(keys []string) []string { return append([]string{}, keys...) }

// open reads the manifest, and tells whether it is the latest.
func (u *undoing) open(name string) (latest bool, err error) {
	if name == "" {
		name = u.t.absolute(latestName)
		if !u.t.exists(latestName) {
			name = u.t.absolute(listName)
		}
		if !u.t.exists(latestName) && !u.t.exists(listName) {
			return false, fmt.Errorf("nothing was imported into %s: there is no %s", u.t.absolute(u.t.base), u.t.absolute(latestName))
		}
	}
	clean, err := straight(filepath.Dir(name))
	if err != nil {
		return false, err
	}
	u.res.Manifest = filepath.Join(clean, filepath.Base(name))
	text, err := u.read(clean, filepath.Base(name))
	if err != nil {
		return false, err
	}
	if first := bytes.TrimSpace(text); len(first) == 0 || first[0] != '{' {
		u.listed = true
		u.m, err = u.readList(clean, text)
	} else {
		u.m, err = parseManifest(text)
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", u.res.Manifest, err)
	}
	if root := u.t.absolute(u.t.base); filepath.Clean(u.m.LiveRoot) != root {
		return false, fmt.Errorf("%s is about the sessions root %s, not %s", u.res.Manifest, u.m.LiveRoot, root)
	}
	return u.res.Manifest == u.t.absolute(latestName), nil
}

// read reads a manifest wherever it lies, but not over a link.
func (u *undoing) read(dir, name string) ([]byte, error) {
	if rel, err := filepath.Rel(u.t.home, filepath.Join(dir, name)); err == nil && filepath.IsLocal(rel) {
		return readSmall(u.t.fsys, filepath.ToSlash(rel))
	}
	r, err := confine.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return readSmall(r, name)
}

// readList reads the folders that an older importer installed, one a line. Only
// those in a sessions root beside the list are taken.
func (u *undoing) readList(dir string, text []byte) (*manifest, error) {
	root := u.t.absolute(u.t.base)
	m := newManifest(root, newRunID(u.now), u.now)
	if dir != u.t.home {
		return nil, fmt.Errorf("a list of folders counts only where it was written, in %s", u.t.home)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		rel, err := filepath.Rel(root, filepath.Clean(line))
		key := filepath.ToSlash(rel)
		if !filepath.IsAbs(line) || err != nil || checkKey(key) != nil {
			u.skip(line, "not a session below "+root)
			continue
		}
		if !slices.ContainsFunc(m.Remove, func(r removal) bool { return r.Key == key }) {
			m.Remove = append(m.Remove, removal{Key: key})
		}
	}
	return m, nil
}
