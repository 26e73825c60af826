package dsh

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"slices"

	"rollbook/internal/fsx"
)

// logs gives the logs of format 3 below the root of a file system, by name, and
// what could not be listed. No link is followed.
func logs(root fsx.FS) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) { listLogs(root, ".", yield) }
}

func listLogs(root fsx.FS, dir string, yield func(string, error) bool) bool {
	entries, err := readDir(root, dir)
	if err != nil && !yield(dir, err) {
		return false
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case e.IsDir():
			if !listLogs(root, name, yield) {
				return false
			}
		case e.Type().IsRegular() && e.Name() == LogName:
			if !yield(name, nil) {
				return false
			}
		}
	}
	return true
}

// readDir lists a folder by name. What it got before an error it gives with it.
func readDir(root fsx.FS, name string) ([]fs.DirEntry, error) {
	d, err := root.OpenDir(name)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	var all []fs.DirEntry
	for err == nil {
		var some []fs.DirEntry
		some, err = d.ReadDir(512)
		all = append(all, some...)
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int {
		switch {
		case a.Name() < b.Name():
			return -1
		case a.Name() > b.Name():
			return 1
		}
		return 0
	})
	if err == io.EOF {
		err = nil
	}
	return all, err
}

// openLog opens a regular file: what it is is asked of the open file.
func openLog(root fsx.FS, name string) (fsx.File, fs.FileInfo, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w", name, errNotRegular)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

var errNotRegular = errors.New("not a regular file")
