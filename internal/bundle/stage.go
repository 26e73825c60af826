package bundle

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"rollbook/internal/fsx"
)

// stagingPrefix begins the name of the folder, in the root of a checkout, in which
// apply keeps old and new files until it is done.
const stagingPrefix = ".rollbook-apply-"

// A target is a file of a checkout that is to be changed, and both its versions.
type target struct {
	Path   string `json:"path"`
	Old    string `json:"old,omitzero"` // where the original is kept; empty for an addition
	New    string `json:"new,omitzero"` // where the result is prepared; empty for a deletion
	Base   string `json:"base_sha256,omitzero"`
	Result string `json:"result_sha256,omitzero"`

	baseMode, resultMode string
	content              []byte
}

// A journal is recovery.json: what a later run needs to put the originals back.
type journal struct {
	Version int      `json:"version"`
	Done    bool     `json:"done"` // every result is in place; only the staging folder is left
	Targets []target `json:"targets"`
	Folders []string `json:"folders"` // made for additions, the outermost first
}

// A stage is the staging folder of one run. Names are relative to the root.
type stage struct {
	fsys fsx.LinkFS
	dir  string
	journal
}

func (s *stage) name(of string) string { return s.dir + "/" + of }

// newStage makes the staging folder, has it locked, and prepares every result in
// it. Nothing of the checkout is touched yet.
func newStage(fsys fsx.LinkFS, targets []target, lock func(dir string) error) (*stage, error) {
	s := &stage{fsys: fsys, journal: journal{Version: 1, Targets: targets, Folders: []string{}}}
	for n := 1; s.dir == ""; n++ {
		dir := fmt.Sprintf("%s%d-%d", stagingPrefix, os.Getpid(), n)
		err := fsys.Mkdir(dir, 0o700)
		switch {
		case err == nil:
			s.dir = dir
		case !errors.Is(err, fs.ErrExist) || n == 100:
			return nil, err
		}
	}
	err := lock(s.dir)
	if err == nil {
		err = s.prepare()
	}
	if err != nil {
		return nil, errors.Join(err, s.remove())
	}
	return s, nil
}

func (s *stage) prepare() error {
	for i := range s.Targets {
		t := &s.Targets[i]
		if t.Result != "" {
			t.New = fmt.Sprintf("new-%d", i+1)
			if err := fsx.WriteFile(s.fsys, s.name(t.New), permOf(t.resultMode), bytesOf(t.content)); err != nil {
				return err
			}
		}
		if t.Base != "" {
			t.Old = fmt.Sprintf("old-%d", i+1)
		}
		if err := s.missingFolders(path.Dir(t.Path)); err != nil {
			return err
		}
	}
	if err := s.canLink(); err != nil {
		return err
	}
	if err := s.save(); err != nil {
		return err
	}
	return s.fsys.SyncDir(".")
}

// canLink sees to it that results can be installed and originals put back, before
// anything is moved.
func (s *stage) canLink() error {
	if err := fsx.WriteFile(s.fsys, s.name("probe"), 0o600, bytesOf(nil)); err != nil {
		return err
	}
	if err := s.fsys.Link(s.name("probe"), s.name("probe-2")); err != nil {
		return fmt.Errorf("the file system of the checkout does not let a file have two names: %w", err)
	}
	return errors.Join(s.fsys.Remove(s.name("probe-2")), s.fsys.Remove(s.name("probe")))
}

// missingFolders notes the folders that have to be made.
func (s *stage) missingFolders(dir string) error {
	if dir == "." || slices.Contains(s.Folders, dir) {
		return nil
	}
	_, err := s.fsys.Lstat(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.missingFolders(path.Dir(dir)); err != nil {
		return err
	}
	s.Folders = append(s.Folders, dir)
	return nil
}

const journalName = "recovery.json"

func (s *stage) save() error {
	return fsx.WriteFile(s.fsys, s.name(journalName), 0o600, bytesOf(append(marshal(s.journal), '\n')))
}

// permOf gives the mode that a file ends with: the person's alone, whatever the
// umask.
func permOf(mode string) fs.FileMode {
	if mode == execMode {
		return 0o700
	}
	return 0o600
}

// install moves the originals aside and gives the results their names. Until the
// journal says that it is done, restore puts the originals back.
func (s *stage) install(ctx context.Context) error {
	for _, dir := range s.Folders {
		if err := s.fsys.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	for i := range s.Targets {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.installOne(&s.Targets[i]); err != nil {
			return fmt.Errorf("%s: %w", s.Targets[i].Path, err)
		}
	}
	if err := s.verify(); err != nil {
		return err
	}
	if err := s.syncFolders(); err != nil {
		return err
	}
	s.Done = true
	if err := s.save(); err != nil {
		s.Done = false
		return err
	}
	return nil
}

func (s *stage) installOne(t *target) error {
	if t.Old != "" {
		if err := checkBase(s.fsys, t.Path, t); err != nil {
			return err
		}
		if err := s.fsys.Rename(t.Path, s.name(t.Old)); err != nil {
			return err
		}
		if err := checkBase(s.fsys, s.name(t.Old), t); err != nil {
			return err // somebody wrote to it in that moment
		}
	}
	if t.New != "" {
		return s.fsys.Link(s.name(t.New), t.Path)
	}
	return nil
}

// verify looks at what lies under the names now.
func (s *stage) verify() error {
	for i := range s.Targets {
		t := &s.Targets[i]
		if t.New == "" {
			if _, err := s.fsys.Lstat(t.Path); !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s: is there again", t.Path)
			}
			continue
		}
		if _, sum, err := look(s.fsys, t.Path); err != nil {
			return fmt.Errorf("%s: %w", t.Path, err)
		} else if sum != t.Result {
			return fmt.Errorf("%s: is not what was installed", t.Path)
		}
	}
	return nil
}

// syncFolders syncs every folder in which a name changed.
func (s *stage) syncFolders() error {
	dirs := map[string]bool{s.dir: true, ".": true}
	for _, dir := range s.Folders {
		dirs[dir], dirs[path.Dir(dir)] = true, true
	}
	for i := range s.Targets {
		dirs[path.Dir(s.Targets[i].Path)] = true
	}
	for dir := range dirs {
		if err := s.fsys.SyncDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// remove removes the staging folder: the journal last, so that a run that is cut
// off here leaves what recover understands.
func (s *stage) remove() error {
	names, err := namesIn(s.fsys, s.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name != journalName && name != lockName {
			if !isStaged(name) {
				return fmt.Errorf("%s holds %s, which is none of ours", s.dir, name)
			}
			if err := s.fsys.Remove(s.name(name)); err != nil {
				return err
			}
		}
	}
	for _, name := range []string{journalName, lockName} {
		if slices.Contains(names, name) {
			if err := s.fsys.Remove(s.name(name)); err != nil {
				return err
			}
		}
	}
	if err := s.fsys.Remove(s.dir); err != nil {
		return err
	}
	return s.fsys.SyncDir(".")
}

const lockName = "lock"

// isStaged reports whether a file of a staging folder is one that a run makes
// there.
func isStaged(name string) bool {
	for _, prefix := range []string{"new-", "old-", "probe", ".rollbook-"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func namesIn(fsys fsx.FS, dir string) (names []string, err error) {
	err = eachEntry(fsys, dir, func(e fs.DirEntry) error {
		names = append(names, e.Name())
		return nil
	})
	slices.Sort(names)
	return names, err
}
