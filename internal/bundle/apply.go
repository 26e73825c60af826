package bundle

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"rollbook/internal/confine"
	"rollbook/internal/fsx"
	"rollbook/internal/gitro"
)

// An ApplyReport says what apply did.
type ApplyReport struct {
	Checked   bool `json:"checked"`
	Written   bool `json:"written"`
	Changes   int  `json:"changes"`
	Omissions int  `json:"omissions"` // of the bundle: what it could not carry
	Warnings  int  `json:"warnings"`
}

// An Apply is the changes of a bundle, to be made in a checkout.
type Apply struct {
	Bundle  *Verified
	Git     gitro.Git
	Project string // a folder of the checkout
	// Recovered is told what an earlier run that was cut off had left, once it is
	// put right. It may be nil.
	Recovered func(*Recovery)

	// wrap stands in front of the file system in tests.
	wrap func(fsx.LinkFS) fsx.LinkFS
}

var errNotUnix = errors.New("changes can be applied on Unix systems only")

// Check says whether the changes can be made: the checkout stands on the commit
// that they start from, is clean, and every file is what it should be (B18).
// Nothing is written.
func (a *Apply) Check(ctx context.Context) (*ApplyReport, error) { return a.run(ctx, false) }

// Write checks and makes the changes, all or none (B19). The index is not touched
// and nothing is committed.
func (a *Apply) Write(ctx context.Context) (*ApplyReport, error) { return a.run(ctx, true) }

func (a *Apply) run(ctx context.Context, write bool) (*ApplyReport, error) {
	m := a.Bundle.Manifest
	switch {
	case !canApply:
		return nil, errNotUnix
	case m.FormatVersion != 2 || len(m.Changes) == 0:
		return nil, errors.New("the bundle carries no changes")
	}
	repo, err := gitro.Open(ctx, a.Git, a.Project)
	if err != nil {
		return nil, fmt.Errorf("%s: is no checkout that git knows: %w", a.Project, err)
	}
	root, err := confine.OpenWritable(repo.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	fsys := fsx.LinkFS(root)
	if a.wrap != nil {
		fsys = a.wrap(fsys)
	}
	if err := a.leftovers(fsys, repo.Root, write); err != nil {
		return nil, err
	}
	targets, err := a.plan(ctx, repo, fsys)
	if err != nil {
		return nil, err
	}
	report := &ApplyReport{true, write, len(m.Changes), len(m.Omissions), len(m.Warnings)}
	if !write {
		return report, nil
	}
	return report, a.write(ctx, repo, fsys, targets)
}

// leftovers puts right what earlier runs left that were cut off.
func (a *Apply) leftovers(fsys fsx.LinkFS, root string, write bool) error {
	dirs, err := leftStages(fsys)
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if !write {
			return fmt.Errorf("%s is left of an apply that was cut off, or of one that runs; apply --write puts the originals back first", dir)
		}
		lock, err := lockStage(root, dir)
		if err != nil {
			return err
		}
		r, err := recoverStage(fsys, dir)
		lock.Unlock()
		if err != nil {
			return err
		}
		if a.Recovered != nil {
			a.Recovered(r)
		}
	}
	return nil
}

// lockStage takes the lock of a staging folder, which a run holds while it lives.
func lockStage(root, dir string) (*fsx.Lock, error) {
	lock, err := fsx.TryLock(filepath.Join(root, dir, lockName))
	if errors.Is(err, fsx.ErrLocked) {
		return nil, fmt.Errorf("another apply is at work in this checkout (%s)", dir)
	}
	return lock, err
}

// plan checks the checkout, and gives what has to be done in it.
func (a *Apply) plan(ctx context.Context, repo *gitro.Repo, fsys fsx.FS) ([]target, error) {
	m := a.Bundle.Manifest
	head, err := repo.Head(ctx)
	if err != nil {
		return nil, fmt.Errorf("the commit of the checkout is not known: %w", err)
	}
	if base := *m.Project.BaseCommit; head != base {
		return nil, fmt.Errorf("the checkout stands on %s, the changes start from %s", head, base)
	}
	if err := mustBeClean(ctx, repo); err != nil {
		return nil, err
	}
	targets := make([]target, len(m.Changes))
	for i := range m.Changes {
		t, err := a.target(ctx, repo, head, i)
		if err == nil {
			err = checkTarget(fsys, t)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Changes[i].Path, err)
		}
		targets[i] = *t
	}
	return targets, nil
}

func mustBeClean(ctx context.Context, repo *gitro.Repo) error {
	dirty, err := repo.Dirty(ctx)
	if err != nil {
		return fmt.Errorf("whether the checkout is clean is not known: %w", err)
	}
	modules, err := repo.Submodules(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("whether the checkout has submodules is not known: %w", err)
	case dirty:
		return errors.New("the checkout has changes or new files; commit them or put them away first")
	case modules:
		return errors.New("the checkout has submodules, of which nobody can say that they are clean")
	}
	return nil
}

// target holds a change to what the commit has, and gives what has to be done.
func (a *Apply) target(ctx context.Context, repo *gitro.Repo, head string, i int) (*target, error) {
	c, code := &a.Bundle.Manifest.Changes[i], &a.Bundle.code[i]
	t := &target{Path: c.Path, content: code.result}
	blob, err := repo.Entry(ctx, head, c.Path)
	if err != nil {
		return nil, err
	}
	if c.Kind == Add {
		if blob != (gitro.Blob{}) {
			return nil, errors.New("is to be added, but is in the commit")
		}
	} else {
		if blob.Mode != *c.BaseMode {
			return nil, errors.New("has another mode in the commit, or is not in it")
		}
		text, err := repo.Content(ctx, blob.ID)
		if err != nil {
			return nil, err
		}
		if hashOf(text) != *c.BaseSHA256 {
			return nil, errors.New("is another text in the commit")
		}
		t.Base, t.baseMode = *c.BaseSHA256, *c.BaseMode
		if !code.known {
			t.content = text
		}
	}
	if c.Kind != Delete {
		t.Result, t.resultMode = *c.ResultSHA256, *c.ResultMode
	}
	return t, nil
}

func (a *Apply) write(ctx context.Context, repo *gitro.Repo, fsys fsx.LinkFS, targets []target) error {
	var lock *fsx.Lock
	s, err := newStage(fsys, targets, func(dir string) (err error) {
		lock, err = lockStage(repo.Root, dir)
		return err
	})
	if lock != nil {
		defer lock.Unlock()
	}
	if err != nil {
		return err
	}
	head, err := repo.Head(ctx)
	if err == nil && head != *a.Bundle.Manifest.Project.BaseCommit {
		err = errors.New("the commit of the checkout changed meanwhile")
	}
	if err == nil {
		err = s.install(ctx)
	}
	return s.finish(err)
}
