// Package fsxtest has file systems for tests: Failing fails one call, Counting
// counts what is opened and read, Mutating runs code between calls. Each stands
// in front of another fsx.FS and sees every call, also those on open files.
package fsxtest

import (
	"errors"
	"io/fs"
	"sync"

	"rollbook/internal/fsx"
)

// An Op is a kind of call.
type Op string

// The calls of an fsx.FS and fsx.WriteFS, and those of the files they open.
const (
	Lstat   Op = "lstat"
	Stat    Op = "stat"
	Open    Op = "open"
	OpenDir Op = "opendir"
	Create  Op = "create"
	Mkdir   Op = "mkdir"
	Rename  Op = "rename" // the name is the new one
	Remove  Op = "remove"
	SyncDir Op = "syncdir"
	Link    Op = "link" // the name is the new one

	Read    Op = "read"
	ReadAt  Op = "readat"
	ReadDir Op = "readdir"
	Fstat   Op = "fstat" // Stat of an open file
	Write   Op = "write"
	Chmod   Op = "chmod"
	Sync    Op = "sync"
	Close   Op = "close"
)

// A Call is one call, by the name that the file was opened with.
type Call struct {
	Op   Op
	Name string
	N    int // counts the calls of this kind with this name, from 1
}

// A tap is a file system that shows each call before and after it is passed on.
type tap struct {
	fsys   fsx.FS
	before func(Call) error // an error is the answer, and the call is not passed on
	after  func(c Call, n int)

	mu   sync.Mutex
	seen map[Call]int // by Op and Name
}

func (t *tap) begin(op Op, name string) (Call, error) {
	t.mu.Lock()
	if t.seen == nil {
		t.seen = make(map[Call]int)
	}
	c := Call{Op: op, Name: name}
	t.seen[c]++
	c.N = t.seen[c]
	t.mu.Unlock()
	if t.before == nil {
		return c, nil
	}
	return c, t.before(c)
}

func (t *tap) end(c Call, n int) {
	if t.after != nil {
		t.after(c, n)
	}
}

// pass shows and makes a call that answers with a T and an error.
func pass[T any](t *tap, op Op, name string, call func() (T, error)) (T, error) {
	c, err := t.begin(op, name)
	if err != nil {
		var zero T
		return zero, err
	}
	v, err := call()
	t.end(c, 0)
	return v, err
}

// read is pass for a call that answers with a number of bytes.
func (t *tap) read(op Op, name string, call func() (int, error)) (int, error) {
	c, err := t.begin(op, name)
	if err != nil {
		return 0, err
	}
	n, err := call()
	t.end(c, n)
	return n, err
}

// do is pass for a call that answers with an error only.
func (t *tap) do(op Op, name string, call func() error) error {
	_, err := pass(t, op, name, func() (struct{}, error) { return struct{}{}, call() })
	return err
}

// write is do for a call that only an fsx.WriteFS has.
func (t *tap) write(op Op, name string, call func(fsx.WriteFS) error) error {
	w, ok := t.fsys.(fsx.WriteFS)
	if !ok {
		return &fs.PathError{Op: string(op), Path: name, Err: errors.ErrUnsupported}
	}
	return t.do(op, name, func() error { return call(w) })
}

func (t *tap) Lstat(name string) (fs.FileInfo, error) {
	return pass(t, Lstat, name, func() (fs.FileInfo, error) { return t.fsys.Lstat(name) })
}

func (t *tap) Stat(name string) (fs.FileInfo, error) {
	return pass(t, Stat, name, func() (fs.FileInfo, error) { return t.fsys.Stat(name) })
}

func (t *tap) Open(name string) (fsx.File, error) {
	f, err := pass(t, Open, name, func() (fsx.File, error) { return t.fsys.Open(name) })
	if err != nil {
		return nil, err
	}
	return &file{t, name, f}, nil
}

func (t *tap) OpenDir(name string) (fsx.Dir, error) {
	d, err := pass(t, OpenDir, name, func() (fsx.Dir, error) { return t.fsys.OpenDir(name) })
	if err != nil {
		return nil, err
	}
	return &dir{t, name, d}, nil
}

func (t *tap) Create(name string, perm fs.FileMode) (fsx.Output, error) {
	var o fsx.Output
	err := t.write(Create, name, func(w fsx.WriteFS) (err error) {
		o, err = w.Create(name, perm)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &output{t, name, o}, nil
}

func (t *tap) Mkdir(name string, perm fs.FileMode) error {
	return t.write(Mkdir, name, func(w fsx.WriteFS) error { return w.Mkdir(name, perm) })
}

func (t *tap) Rename(from, to string) error {
	return t.write(Rename, to, func(w fsx.WriteFS) error { return w.Rename(from, to) })
}

func (t *tap) Remove(name string) error {
	return t.write(Remove, name, func(w fsx.WriteFS) error { return w.Remove(name) })
}

func (t *tap) Link(from, to string) error {
	return t.write(Link, to, func(w fsx.WriteFS) error {
		if l, ok := w.(fsx.LinkFS); ok {
			return l.Link(from, to)
		}
		return &fs.PathError{Op: string(Link), Path: to, Err: errors.ErrUnsupported}
	})
}

func (t *tap) SyncDir(name string) error {
	return t.write(SyncDir, name, func(w fsx.WriteFS) error { return w.SyncDir(name) })
}
