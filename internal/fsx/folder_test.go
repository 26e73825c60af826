package fsx_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"rollbook/internal/fsx"
	"rollbook/internal/fsx/fsxtest"
)

// fillTwo writes two files, one of them below a folder of its own.
func fillTwo(fsys fsx.WriteFS) func(dir string) error {
	return func(dir string) error {
		if err := fsx.MkdirAll(fsys, filepath.Join(dir, "sub")); err != nil {
			return err
		}
		for _, name := range []string{"a", "sub/b"} {
			err := fsx.WriteFile(fsys, filepath.Join(dir, name), 0o600, func(w io.Writer) error {
				_, err := io.WriteString(w, name)
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
}

func TestCreateFolder(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "new")
	if err := fsx.CreateFolder(fsx.OS, name, fillTwo(fsx.OS)); err != nil {
		t.Fatal(err)
	}
	mode(t, name, 0o700)
	for _, file := range []string{"a", "sub/b"} {
		if got, err := os.ReadFile(filepath.Join(name, file)); err != nil || string(got) != file {
			t.Errorf("%s: %q, %v", file, got, err)
		}
	}
	only(t, dir, "new")
}

// only wants nothing else in a folder.
func only(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(names) {
		t.Fatalf("%s holds %v, want %v", dir, entries, names)
	}
	for i, e := range entries {
		if e.Name() != names[i] {
			t.Errorf("%s holds %v, want %v", dir, entries, names)
		}
	}
}

func TestCreateFolderRefused(t *testing.T) {
	never := func(string) error { t.Error("fill was called"); return nil }
	dir := t.TempDir()
	for name, make := range map[string]func(string) error{
		"file":   func(name string) error { return os.WriteFile(name, nil, 0o600) },
		"folder": func(name string) error { return os.Mkdir(name, 0o700) },
		"link":   func(name string) error { return os.Symlink("nowhere", name) },
	} {
		if err := make(filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
		if err := fsx.CreateFolder(fsx.OS, filepath.Join(dir, name), never); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	only(t, dir, "file", "folder", "link")
	if err := fsx.CreateFolder(fsx.OS, filepath.Join(dir, "missing", "new"), never); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a missing folder: %v", err)
	}
}

// What appears under the name while the folder is filled stays as it is.
func TestCreateFolderTaken(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "new")
	err := fsx.CreateFolder(fsx.OS, name, func(tmp string) error { return os.Mkdir(name, 0o700) })
	if !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	only(t, dir, "new")
	only(t, name)
}

// TestCreateFolderFaults fails each call in turn: the name has the whole folder
// or nothing, and nothing else is left that could be removed.
func TestCreateFolderFaults(t *testing.T) {
	for n := 1; ; n++ {
		dir := t.TempDir()
		name := filepath.Join(dir, "new")
		fsys := fsxtest.NewFailing(fsx.OS, n)
		err := fsx.CreateFolder(fsys, name, fillTwo(fsys))
		call, failed := fsys.Failed()
		if !failed {
			if err != nil || n < 10 {
				t.Errorf("%d calls: %v", n-1, err)
			}
			return
		}
		if !errors.Is(err, fsxtest.ErrInjected) {
			t.Errorf("fault %d, %s: %v", n, call.Op, err)
		}
		whole := call.Op == fsxtest.SyncDir && call.Name == dir
		if _, err := os.Stat(name); err == nil {
			if !whole {
				t.Errorf("fault %d, %s %s: the folder is there", n, call.Op, call.Name)
			}
			only(t, dir, "new")
			continue
		}
		only(t, dir)
	}
}
