package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/go-json-experiment/json"

	"rollbook/internal/fsx"
)

// finish ends a run: after an error the originals come back, else the staging
// folder goes. What cannot be done now can be done by a later run.
func (s *stage) finish(err error) error {
	if s.Done {
		if err := s.remove(); err != nil {
			return fmt.Errorf("the changes are applied, but the staging folder is left; the next run removes it: %w", err)
		}
		return nil
	}
	if rerr := s.restore(); rerr != nil {
		return fmt.Errorf("%w; the original files are in %s and could not all be put back (%w); run apply again to try once more", err, s.dir, rerr)
	}
	if rerr := s.remove(); rerr != nil {
		return fmt.Errorf("%w; original files restored, but %s is left (%w); the next run removes it", err, s.dir, rerr)
	}
	return fmt.Errorf("%w; original files restored", err)
}

// restore puts every original back and removes what was installed. It stops at
// nothing that it can do, and touches no file that somebody else wrote since.
func (s *stage) restore() error {
	var failed []error
	for i := len(s.Targets) - 1; i >= 0; i-- {
		t := &s.Targets[i]
		if err := s.restoreOne(t); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", t.Path, err))
		}
	}
	for i := len(s.Folders) - 1; i >= 0; i-- {
		// one with a file in it is left: the file is not ours
		s.fsys.Remove(s.Folders[i])
	}
	if len(failed) > 0 {
		return errors.Join(failed...)
	}
	return s.syncFolders()
}

func (s *stage) restoreOne(t *target) error {
	if t.Old != "" {
		if _, err := s.fsys.Lstat(s.name(t.Old)); errors.Is(err, fs.ErrNotExist) {
			return nil // never moved, or back already
		} else if err != nil {
			return err
		}
	}
	if t.New != "" {
		if err := s.uninstall(t); err != nil {
			return err
		}
	}
	if t.Old == "" {
		return nil
	}
	switch err := s.fsys.Link(s.name(t.Old), t.Path); {
	case err == nil:
	case errors.Is(err, fs.ErrExist) && s.same(t.Old, t.Path):
		// a restore was cut off between the two calls
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("somebody wrote it since; the original is %s", s.name(t.Old))
	default:
		return err
	}
	return s.fsys.Remove(s.name(t.Old))
}

// uninstall removes a result, if that is what lies under the name: the very file,
// unchanged.
func (s *stage) uninstall(t *target) error {
	if !s.same(t.New, t.Path) {
		return nil
	}
	if _, sum, err := look(s.fsys, t.Path); err != nil || sum != t.Result {
		return errors.Join(errors.New("somebody wrote to it since it was installed"), err)
	}
	return s.fsys.Remove(t.Path)
}

// same reports whether a staged file and a name of the checkout are one file.
func (s *stage) same(staged, name string) bool {
	a, err1 := s.fsys.Lstat(s.name(staged))
	b, err2 := s.fsys.Lstat(name)
	return err1 == nil && err2 == nil && sameFile(a, b)
}

// A Recovery says what was found of a run that was cut off.
type Recovery struct {
	Dir      string   // the staging folder, below the root
	Restored bool     // originals were put back; else nothing had to be
	Paths    []string // of the files that the run was about
}

// leftStages gives the staging folders that lie in the root.
func leftStages(fsys fsx.FS) (dirs []string, err error) {
	err = eachEntry(fsys, ".", func(e fs.DirEntry) error {
		if strings.HasPrefix(e.Name(), stagingPrefix) {
			dirs = append(dirs, e.Name())
		}
		return nil
	})
	return dirs, err
}

// recoverStage ends what a run that was cut off began: the originals come back,
// unless every result was in place.
func recoverStage(fsys fsx.LinkFS, dir string) (*Recovery, error) {
	info, err := fsys.Lstat(dir)
	if err == nil && !info.IsDir() {
		err = errors.New("is no folder")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	s := &stage{fsys: fsys, dir: dir}
	r := &Recovery{Dir: dir}
	data, err := readWhole(fsys, s.name(journalName), maxManifest)
	switch {
	case errors.Is(err, fs.ErrNotExist): // nothing was moved yet, or nothing is left but to tidy up
		return r, s.remove()
	case err != nil:
		return nil, fmt.Errorf("%s/%s: %w", dir, journalName, err)
	}
	if err := s.decode(data); err != nil {
		return nil, fmt.Errorf("%s/%s: %w", dir, journalName, err)
	}
	for _, t := range s.Targets {
		r.Paths = append(r.Paths, t.Path)
	}
	if !s.Done {
		r.Restored = true
		if err := s.restore(); err != nil {
			return nil, fmt.Errorf("originals of an apply that was cut off are in %s, and could not all be put back: %w", dir, err)
		}
	}
	return r, s.remove()
}

// decode reads a journal. Only names that a run can have written are taken.
func (s *stage) decode(data []byte) error {
	if err := json.Unmarshal(data, &s.journal, json.RejectUnknownMembers(true)); err != nil {
		return err
	}
	if s.Version != 1 || len(s.Targets) > maxSelected {
		return errors.New("not written by this version")
	}
	for i, t := range s.Targets {
		if err := CheckPath(t.Path); err != nil {
			return fmt.Errorf("the path %q %w", t.Path, err)
		}
		if t.Old != "" && t.Old != fmt.Sprintf("old-%d", i+1) || t.New != "" && t.New != fmt.Sprintf("new-%d", i+1) {
			return errors.New("names files that no run makes")
		}
	}
	for _, dir := range s.Folders {
		if err := CheckPath(dir); err != nil {
			return fmt.Errorf("the folder %q %w", dir, err)
		}
	}
	return nil
}
