package fsx

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
)

// An Output is open for writing. Name and mode are what Create was given.
type Output interface {
	io.Writer
	io.Closer
	Stat() (fs.FileInfo, error)
	Chmod(perm fs.FileMode) error
	// Sync returns when what was written would survive a loss of power,
	// where the file system can promise that.
	Sync() error
}

// WriteFS is what writing needs of a file system besides reading.
type WriteFS interface {
	FS
	// Create makes a file that must not exist (fs.ErrExist), not even as a
	// link.
	Create(name string, perm fs.FileMode) (Output, error)
	Mkdir(name string, perm fs.FileMode) error
	// Rename replaces what is at the new name, unless that is a directory.
	Rename(from, to string) error
	Remove(name string) error
	// SyncDir is Sync for the entries of a directory, where the system has
	// such a thing (Windows has not).
	SyncDir(name string) error
}

// A LinkFS is a WriteFS that can give a file a second name.
type LinkFS interface {
	WriteFS
	// Link gives the file another name, which must not exist (fs.ErrExist), not
	// even as a link.
	Link(from, to string) error
}

// WriteFile writes a file whole or not at all: what write writes (w is
// buffered) goes to a new file in the same folder, is synced and renamed. The
// new file has mode 0600 until it is whole, then perm, whatever the umask. After
// an error the name holds what it held before, and nothing else is left; only
// where the last step failed, syncing the folder, it holds the new content.
func WriteFile(fsys WriteFS, name string, perm fs.FileMode, write func(w io.Writer) error) error {
	return WriteFileVia(fsys, filepath.Dir(name), name, perm, write)
}

// WriteFileVia is WriteFile with the new file made in another folder of the same
// file system.
func WriteFileVia(fsys WriteFS, dir, name string, perm fs.FileMode, write func(w io.Writer) error) error {
	tmp := filepath.Join(dir, ".rollbook-"+rand.Text()+".tmp")
	f, err := fsys.Create(tmp, 0o600)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	renamed := false
	defer func() {
		if !renamed { // also after a panic of write
			f.Close()
			fsys.Remove(tmp)
		}
	}()
	err = fill(f, perm, write)
	if err == nil {
		err = f.Close()
	}
	if err == nil {
		err = fsys.Rename(tmp, name)
		renamed = err == nil
	}
	if err == nil {
		err = fsys.SyncDir(filepath.Dir(name))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// fill writes and syncs, and holds the system to the number of bytes written.
func fill(f Output, perm fs.FileMode, write func(io.Writer) error) error {
	n := counter{w: f}
	buf := bufio.NewWriterSize(&n, 64<<10)
	if err := write(buf); err != nil {
		return err
	}
	if err := buf.Flush(); err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() != n.n {
		return fmt.Errorf("%d bytes written, but the file has %d", n.n, info.Size())
	}
	if err := f.Chmod(perm); err != nil {
		return err
	}
	return f.Sync()
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// CreateNew is WriteFile for a name that must not exist, not even as a link:
// else it returns fs.ErrExist and write is not called. The name is taken at
// once with an empty file, so of two that try only one writes; a crash leaves
// that or the whole file. After an error the name is free again.
func CreateNew(fsys WriteFS, name string, perm fs.FileMode, write func(w io.Writer) error) error {
	f, err := fsys.Create(name, 0o600)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	whole := false
	defer func() {
		if !whole {
			fsys.Remove(name)
		}
	}()
	if err := f.Close(); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := WriteFile(fsys, name, perm, write); err != nil {
		return err
	}
	whole = true
	return nil
}

// MkdirAll makes the folder and those above it that are missing, with mode
// 0700, and syncs each entry. It is content with a folder that exists.
func MkdirAll(fsys WriteFS, name string) error {
	err := fsys.Mkdir(name, 0o700)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(name) != name {
		if err := MkdirAll(fsys, filepath.Dir(name)); err != nil {
			return err
		}
		err = fsys.Mkdir(name, 0o700)
	}
	if errors.Is(err, fs.ErrExist) {
		if info, serr := fsys.Stat(name); serr == nil && info.IsDir() {
			return nil
		}
	}
	if err != nil {
		return err
	}
	return fsys.SyncDir(filepath.Dir(name))
}
