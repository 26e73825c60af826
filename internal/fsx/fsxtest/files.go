package fsxtest

import (
	"io"
	"io/fs"

	"rollbook/internal/fsx"
)

type file struct {
	t    *tap
	name string
	f    fsx.File
}

func (f *file) Read(p []byte) (int, error) {
	return f.t.read(Read, f.name, func() (int, error) { return f.f.Read(p) })
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	return f.t.read(ReadAt, f.name, func() (int, error) { return f.f.ReadAt(p, off) })
}

func (f *file) Stat() (fs.FileInfo, error) { return pass(f.t, Fstat, f.name, f.f.Stat) }
func (f *file) Close() error               { return f.t.shut(f.name, f.f) }

type dir struct {
	t    *tap
	name string
	d    fsx.Dir
}

func (d *dir) ReadDir(n int) ([]fs.DirEntry, error) {
	return pass(d.t, ReadDir, d.name, func() ([]fs.DirEntry, error) { return d.d.ReadDir(n) })
}

func (d *dir) Close() error { return d.t.shut(d.name, d.d) }

type output struct {
	t    *tap
	name string
	o    fsx.Output
}

// Write that is to fail writes half, as on a disk that gets full.
func (o *output) Write(p []byte) (int, error) {
	c, fault := o.t.begin(Write, o.name)
	if fault != nil {
		n, _ := o.o.Write(p[:len(p)/2])
		return n, fault
	}
	n, err := o.o.Write(p)
	o.t.end(c, n)
	return n, err
}

func (o *output) Stat() (fs.FileInfo, error) { return pass(o.t, Fstat, o.name, o.o.Stat) }
func (o *output) Sync() error                { return o.t.do(Sync, o.name, o.o.Sync) }
func (o *output) Close() error               { return o.t.shut(o.name, o.o) }

func (o *output) Chmod(perm fs.FileMode) error {
	return o.t.do(Chmod, o.name, func() error { return o.o.Chmod(perm) })
}

// shut closes also where the call is to fail: nothing may stay open.
func (t *tap) shut(name string, c io.Closer) error {
	call, fault := t.begin(Close, name)
	err := c.Close()
	if fault != nil {
		return fault
	}
	t.end(call, 0)
	return err
}
