// Package sessions lists the rollouts below a chosen root that belong to a
// project, and says what it could not look at or tell.
//
// It follows docs/cli.md, "sessions": each file is inspected on its own, and a
// file whose records do not name exactly one project and one session is left
// out with a diagnostic. What a thread is, how it is called and which came last
// is decided elsewhere.
package sessions

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"unicode/utf8"

	"rollbook/internal/confine"
	"rollbook/internal/fsx"
	"rollbook/internal/inspect"
)

// Budgets bounds one listing. None may be zero.
type Budgets struct {
	Entries    int   // entries of folders looked at, whatever they are
	Files      int   // files inspected
	FileBytes  int64 // the largest file, on disk and decompressed
	TotalBytes int64 // all inspected files together, on disk
	LineBytes  int   // the longest line, its line feed included
	Depth      int   // folders between the root and a file
}

// DefaultBudgets are those of the contract.
var DefaultBudgets = Budgets{
	Entries:    10_000,
	Files:      1_000,
	FileBytes:  inspect.DefaultLimits.File,
	TotalBytes: 256 << 20,
	LineBytes:  inspect.DefaultLimits.Line,
	Depth:      3,
}

// ErrBudgets says that a budget is zero or less.
var ErrBudgets = errors.New("budgets must be positive")

func (b Budgets) positive() bool {
	return b.Entries > 0 && b.Files > 0 && b.FileBytes > 0 && b.TotalBytes > 0 && b.LineBytes > 0 && b.Depth > 0
}

// Options says what to list.
type Options struct {
	Root    string // a folder; links in its own path are followed
	Project string // absolute, see Project; empty means every project
	Budgets Budgets

	// Wrap, where it is not nil, gives what stands in front of the file system
	// below the root, to watch what is read.
	Wrap func(fsx.FS) fsx.FS
}

// List lists the rollouts below a root. What is wrong below it is a diagnostic
// of the report; an error means that there is no report: a budget is zero
// (ErrBudgets), root or project are not UTF-8, the root is no folder that can
// be read, or ctx was cancelled.
func List(ctx context.Context, o Options) (*Report, error) {
	if !o.Budgets.positive() {
		return nil, ErrBudgets
	}
	if o.Project != "" {
		project, err := Project("", o.Project)
		if err != nil {
			return nil, err
		}
		o.Project = project
	}
	root, err := openRoot(o.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	w := walk{
		ctx: ctx, fsys: root, budgets: o.Budgets, left: o.Budgets.TotalBytes,
		report: &Report{Root: root.Path(), Project: o.Project},
	}
	if o.Wrap != nil {
		w.fsys = o.Wrap(root)
	}
	if err := w.run(); err != nil {
		return nil, err
	}
	w.report.sort()
	return w.report, nil
}

func openRoot(name string) (*confine.Root, error) {
	if name == "" {
		return nil, errors.New("root has no name")
	}
	if !utf8.ValidString(name) {
		return nil, fmt.Errorf("root %q is not UTF-8", name)
	}
	root, err := confine.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if !utf8.ValidString(root.Path()) {
		root.Close()
		return nil, fmt.Errorf("root %q is not UTF-8", root.Path())
	}
	return root, nil
}

// Project gives the project that a name means in the folder dir, which is
// absolute: joined to dir, without "." and "..". Nothing is looked up on disk
// and the project need not exist.
func Project(dir, name string) (string, error) {
	project := filepath.Clean(name)
	if !filepath.IsAbs(project) {
		project = filepath.Join(dir, project)
	}
	switch {
	case !utf8.ValidString(name) || !utf8.ValidString(project):
		return "", fmt.Errorf("project %q is not UTF-8", project)
	case !filepath.IsAbs(project):
		return "", fmt.Errorf("project %q is not absolute", project)
	}
	return project, nil
}
