package fsx

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// OS is the real file system. What only reads takes it as an FS.
var OS LinkFS = osFS{}

type osFS struct{}

func (osFS) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }
func (osFS) Stat(name string) (fs.FileInfo, error)  { return os.Stat(name) }

func (osFS) Open(name string) (File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (osFS) OpenDir(name string) (Dir, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (osFS) Create(name string, perm fs.FileMode) (Output, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, err
	}
	return NewOutput(f), nil
}

func (osFS) Mkdir(name string, perm fs.FileMode) error { return os.Mkdir(name, perm) }
func (osFS) Rename(from, to string) error              { return os.Rename(from, to) }
func (osFS) Remove(name string) error                  { return os.Remove(name) }
func (osFS) Link(from, to string) error                { return os.Link(from, to) }
func (osFS) SyncDir(name string) error                 { return syncDir(name) }

// NewOutput is an Output over a file that the caller opened.
func NewOutput(f *os.File) Output { return output{f} }

type output struct{ *os.File }

func (o output) Sync() error { return sync(o.File) }

// sync is content with a file system that has no such thing: network and FUSE
// file systems answer so, and then there is nothing more to be had.
func sync(f *os.File) error {
	err := f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTTY) {
		return nil
	}
	return err
}
