package fsx

import (
	"io/fs"
	"os"
)

// OS is the real file system.
var OS FS = osFS{}

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
