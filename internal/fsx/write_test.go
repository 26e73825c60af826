package fsx_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"rollbook/internal/fsx"
	"rollbook/internal/fsx/fsxtest"
)

// put is a write function of several writes, more than one buffer long.
func put(text []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		for part := range bytes.Lines(text) {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		return nil
	}
}

var (
	older = []byte("older\n")
	newer = bytes.Repeat([]byte("a newer line\n"), 20_000)
)

// check compares a folder with what it should hold, by name.
func check(t *testing.T, dir string, want map[string][]byte) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got, err := os.ReadFile(filepath.Join(dir, e.Name()))
		text, ok := want[e.Name()]
		if !ok || err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s: %d bytes, want %d, wanted at all: %t (%v)", e.Name(), len(got), len(text), ok, err)
		}
	}
	if len(entries) != len(want) {
		t.Errorf("%d entries, want %d", len(entries), len(want))
	}
}

// mode checks permissions where the system has them.
func mode(t *testing.T, name string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != want && runtime.GOOS != "windows" {
		t.Errorf("%s: mode %o, want %o", name, got, want)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.jsonl")
	for _, c := range []struct {
		text []byte
		perm fs.FileMode
	}{{older, 0o600}, {newer, 0o644}, {nil, 0o666}} {
		err := fsx.WriteFile(fsx.OS, name, c.perm, func(w io.Writer) error {
			temps, _ := filepath.Glob(filepath.Join(dir, ".rollbook-*.tmp"))
			if len(temps) != 1 {
				t.Fatalf("temporary files: %q", temps)
			}
			mode(t, temps[0], 0o600)
			return put(c.text)(w)
		})
		if err != nil {
			t.Fatal(err)
		}
		check(t, dir, map[string][]byte{"a.jsonl": c.text})
		mode(t, name, c.perm)
	}
}

// TestWriteFileFaults fails each call in turn; so it sees their order, too.
func TestWriteFileFaults(t *testing.T) {
	var calls []fsxtest.Op
	for n := 1; ; n++ {
		dir := t.TempDir()
		name := filepath.Join(dir, "a")
		if err := os.WriteFile(name, older, 0o600); err != nil {
			t.Fatal(err)
		}
		fsys := fsxtest.NewFailing(fsx.OS, n)
		err := fsx.WriteFile(fsys, name, 0o600, put(newer))
		call, hit := fsys.Failed()
		want := older
		if !hit || call.Op == fsxtest.SyncDir {
			want = newer
		}
		check(t, dir, map[string][]byte{"a": want})
		if !hit {
			if err != nil {
				t.Error(err)
			}
			break
		}
		calls = append(calls, call.Op)
		if !errors.Is(err, fsxtest.ErrInjected) {
			t.Errorf("fault %d (%s): error %v", n, call.Op, err)
		}
	}
	want := []fsxtest.Op{"create", "write", "fstat", "chmod", "sync", "close", "rename", "syncdir"}
	if got := slices.Compact(calls); !slices.Equal(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
}

// TestCreateNewFaults: after a fault there is nothing.
func TestCreateNewFaults(t *testing.T) {
	for n := 1; ; n++ {
		dir := t.TempDir()
		fsys := fsxtest.NewFailing(fsx.OS, n)
		err := fsx.CreateNew(fsys, filepath.Join(dir, "a"), 0o600, put(newer))
		call, hit := fsys.Failed()
		if !hit {
			check(t, dir, map[string][]byte{"a": newer})
			if err != nil || n < 11 {
				t.Errorf("%d calls, %v", n-1, err)
			}
			return
		}
		check(t, dir, nil)
		if !errors.Is(err, fsxtest.ErrInjected) {
			t.Errorf("fault %d (%s): error %v", n, call.Op, err)
		}
	}
}

// TestWriteGivesUp: the caller's own error, a panic, and a file that somebody
// else shortened leave the old content and nothing besides.
func TestWriteGivesUp(t *testing.T) {
	mine := errors.New("nothing to say")
	for name, write := range map[string]func(io.Writer) error{
		"error": func(w io.Writer) error { put(newer)(w); return mine },
		"panic": func(w io.Writer) error { put(newer)(w); panic(mine) },
	} {
		dir := t.TempDir()
		name2 := filepath.Join(dir, "a")
		os.WriteFile(name2, older, 0o600)
		for _, create := range []bool{false, true} {
			err := func() (err error) {
				defer func() {
					if p := recover(); p != nil {
						err = p.(error)
					}
				}()
				if create {
					return fsx.CreateNew(fsx.OS, filepath.Join(dir, "b"), 0o600, write)
				}
				return fsx.WriteFile(fsx.OS, name2, 0o600, write)
			}()
			if !errors.Is(err, mine) {
				t.Errorf("%s: %v", name, err)
			}
			check(t, dir, map[string][]byte{"a": older})
		}
	}
	dir := t.TempDir()
	cut := fsxtest.NewMutating(fsx.OS, func(c fsxtest.Call) {
		if c.Op == fsxtest.Fstat {
			os.Truncate(c.Name, 7)
		}
	}, nil)
	err := fsx.WriteFile(cut, filepath.Join(dir, "a"), 0o600, put(newer))
	if err == nil || !bytes.HasSuffix([]byte(err.Error()), []byte("260000 bytes written, but the file has 7")) {
		t.Errorf("a shortened file: %v", err)
	}
	check(t, dir, nil)
}

func TestCreateNewExists(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "file"), older, 0o600)
	os.Mkdir(filepath.Join(dir, "folder"), 0o700)
	names := []string{"file", "folder"}
	if os.Symlink("nowhere", filepath.Join(dir, "link")) == nil {
		names = append(names, "link")
	}
	for _, name := range names {
		err := fsx.CreateNew(fsx.OS, filepath.Join(dir, name), 0o600, func(io.Writer) error {
			t.Error("write was called")
			return nil
		})
		if !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != len(names) {
		t.Errorf("left: %v", entries)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "file")); !bytes.Equal(got, older) {
		t.Errorf("content %q", got)
	}
}

// TestWriteFileReplacesLink: the link goes, what it points at stays.
func TestWriteFileReplacesLink(t *testing.T) {
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "other")
	os.WriteFile(other, older, 0o600)
	if err := os.Symlink(other, filepath.Join(dir, "a")); err != nil {
		t.Skip(err)
	}
	if err := fsx.WriteFile(fsx.OS, filepath.Join(dir, "a"), 0o600, put(newer)); err != nil {
		t.Fatal(err)
	}
	check(t, dir, map[string][]byte{"a": newer})
	check(t, filepath.Dir(other), map[string][]byte{"other": older})
}

func TestWriteFileRefused(t *testing.T) {
	dir := t.TempDir()
	os.Mkdir(filepath.Join(dir, "folder"), 0o700)
	os.WriteFile(filepath.Join(dir, "folder", "a"), older, 0o600)
	for name, want := range map[string]error{"folder": nil, "missing/a": fs.ErrNotExist} {
		err := fsx.WriteFile(fsx.OS, filepath.Join(dir, name), 0o600, put(newer))
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left: %v", entries)
	}
}

func TestMkdirAll(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b", "c")
	for range 2 {
		if err := fsx.MkdirAll(fsx.OS, deep); err != nil {
			t.Fatal(err)
		}
	}
	mode(t, filepath.Join(dir, "a"), 0o700)
	mode(t, deep, 0o700)
	if err := fsx.MkdirAll(fsx.OS, dir); err != nil {
		t.Error(err)
	}
	os.WriteFile(filepath.Join(dir, "file"), nil, 0o600)
	for _, name := range []string{"file", "file/a"} {
		if err := fsx.MkdirAll(fsx.OS, filepath.Join(dir, name)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for n := 1; ; n++ {
		fsys := fsxtest.NewFailing(fsx.OS, n)
		err := fsx.MkdirAll(fsys, filepath.Join(t.TempDir(), "a", "b"))
		if _, hit := fsys.Failed(); !hit {
			if err != nil || n < 6 {
				t.Errorf("%d calls, %v", n-1, err)
			}
			return
		}
		if !errors.Is(err, fsxtest.ErrInjected) {
			t.Errorf("fault %d: %v", n, err)
		}
	}
}
