// Package confine opens files below a root folder and nowhere else: no name
// leads out of it, and no symbolic link below it is ever followed, also not one
// that somebody puts there between two calls.
//
// It decides nothing about what is opened, and reads nothing itself. A Root only
// reads; who is to change something asks for a Writable.
package confine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"rollbook/internal/fsx"
)

// ErrLink is the cause of an error where a part of the name below the root is a
// symbolic link (on Windows also a junction). The error's Path says which.
var ErrLink = errors.New("is a symbolic link")

// errName is the cause of an error where the name is not one below a root.
var errName = errors.New("not a plain name below the root")

// A Root is a folder that is open. Names are relative to it, their parts joined
// by slashes (on Windows also backslashes), without "..", empty and "." parts;
// "." alone is the root itself. It is an fsx.FS for such names.
//
// A Root stays on the folder that it was opened on, wherever that is moved.
// Several goroutines may use it, but none after Close.
type Root struct {
	path string
	sys  system
}

var _ fsx.FS = (*Root)(nil)

// A system opens by the parts of a name, none for the root itself.
type system interface {
	open(parts []string) (fsx.File, error)
	openDir(parts []string) (fsx.Dir, error)
	lstat(parts []string) (fs.FileInfo, error)
	sub(parts []string) (system, error)
	close() error
}

// OpenRoot opens a folder. Links in its own path, and it itself as a link, are
// resolved here once.
func OpenRoot(path string) (*Root, error) { return openRoot(path, openSystem) }

func openRoot(path string, open func(path string) (system, error)) (*Root, error) {
	abs, err := absolute(path)
	if err != nil {
		return nil, err
	}
	canonical, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, err
	}
	sys, err := open(canonical)
	if err != nil {
		return nil, err
	}
	return &Root{canonical, sys}, nil
}

// absolute makes a path absolute. It is not cleaned, except on Windows, where
// the system does so too: ".." behind a link is the folder above its target.
func absolute(path string) (string, error) {
	if runtime.GOOS == "windows" {
		return filepath.Abs(path)
	}
	if filepath.IsAbs(path) {
		return path, nil
	}
	dir, err := os.Getwd() // may lead over links, which EvalSymlinks then follows
	return dir + "/" + path, err
}

// Sub opens a folder below the root as a root of its own, by the same rules:
// many files of one folder are then opened without a walk to it for each. The
// two are closed apart.
func (r *Root) Sub(rel string) (*Root, error) {
	parts, err := split("open", rel)
	if err != nil {
		return nil, err
	}
	sys, err := r.sys.sub(parts)
	if err != nil {
		return nil, err
	}
	return &Root{filepath.Join(r.path, filepath.Join(parts...)), sys}, nil
}

// Path returns the root's absolute path without links, as it was when it was
// opened.
func (r *Root) Path() string { return r.path }

// Close closes the root. What was opened below it stays open.
func (r *Root) Close() error { return r.sys.close() }

// Open opens for reading and never waits: a FIFO without a writer opens at once.
func (r *Root) Open(rel string) (fsx.File, error) {
	parts, err := split("open", rel)
	if err != nil {
		return nil, err
	}
	return r.sys.open(parts)
}

// OpenDir opens a folder. The Info of its entries is that of Lstat, taken when
// they were listed; an entry that could not be looked at has the type
// fs.ModeIrregular, and its Info gives the reason.
func (r *Root) OpenDir(rel string) (fsx.Dir, error) {
	parts, err := split("open", rel)
	if err != nil {
		return nil, err
	}
	return r.sys.openDir(parts)
}

// Lstat tells what the name is, which may be a link. os.SameFile does not know
// what it returns; Sys is a *unix.Stat_t where there is one.
func (r *Root) Lstat(rel string) (fs.FileInfo, error) {
	parts, err := split("lstat", rel)
	if err != nil {
		return nil, err
	}
	return r.sys.lstat(parts)
}

// Stat is Lstat, but a link is an error, ErrLink.
func (r *Root) Stat(rel string) (fs.FileInfo, error) {
	info, err := r.Lstat(rel)
	if err == nil && info.Mode()&linkModes != 0 {
		return nil, fault("stat", r.path, []string{rel}, ErrLink)
	}
	return info, err
}

// split gives the parts of a name, or refuses it.
func split(op, rel string) ([]string, error) {
	if rel == "." {
		return nil, nil
	}
	parts := strings.Split(filepath.ToSlash(rel), "/")
	for _, part := range parts {
		if part == "." || strings.IndexByte(part, 0) >= 0 || !filepath.IsLocal(part) {
			return nil, &fs.PathError{Op: op, Path: rel, Err: errName}
		}
	}
	return parts, nil
}

// fault is an error at the last of the parts below root.
func fault(op, root string, parts []string, err error) error {
	return &fs.PathError{Op: op, Path: filepath.Join(root, filepath.Join(parts...)), Err: err}
}
