package dsh

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"rollbook/internal/confine"
	"rollbook/internal/fsx/fsxtest"
)

// found gives the checks that the only log of a home does not pass.
func found(t *testing.T, root Root) []Check {
	t.Helper()
	var all []Check
	n := 0
	for v, err := range Verify(root) {
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range v.Faults {
			all = append(all, f.Check)
		}
		n++
	}
	if n != 1 {
		t.Fatalf("%d logs", n)
	}
	return all
}

// TestVerifyPlace: where a log lies and its modes are checked besides its text.
func TestVerifyPlace(t *testing.T) {
	for name, c := range map[string]struct {
		change func(sessions, dir, file string) error
		want   []Check
	}{
		"as written":      {func(_, _, _ string) error { return nil }, nil},
		"other session":   {func(_, dir, _ string) error { return os.Rename(dir, dir+"x") }, []Check{CheckPath}},
		"other project":   {func(s, dir, _ string) error { return os.Rename(filepath.Dir(dir), filepath.Join(s, "--srv--")) }, []Check{CheckPath}},
		"readable":        {func(_, _, file string) error { return os.Chmod(file, 0o644) }, []Check{CheckMode}},
		"read-only":       {func(_, _, file string) error { return os.Chmod(file, 0o400) }, []Check{CheckMode}},
		"folder readable": {func(_, dir, _ string) error { return os.Chmod(dir, 0o755) }, []Check{CheckMode}},
		"all at once":     {func(_, dir, file string) error { os.Chmod(file, 0o640); return os.Rename(dir, dir+"x") }, []Check{CheckPath, CheckMode}},
		"other file names": {func(_, dir, _ string) error {
			return os.WriteFile(filepath.Join(dir, "session.jsonl.zstd"), nil, 0o600)
		}, nil},
	} {
		if runtime.GOOS == "windows" && slices.Contains(c.want, CheckMode) {
			continue
		}
		home := t.TempDir()
		newHome(t, home)
		session(t, home, exampleText)
		sessions := filepath.Join(home, "sessions")
		file := filepath.Join(sessions, filepath.FromSlash(SessionPath(exampleHeader)))
		if err := c.change(sessions, filepath.Dir(file), file); err != nil {
			t.Fatal(err)
		}
		if got := found(t, openHome(t, home)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestVerifyInside: the root may be the folder of a session itself.
func TestVerifyInside(t *testing.T) {
	home := t.TempDir()
	newHome(t, home)
	session(t, home, exampleText)
	root := openHome(t, home)
	dir := filepath.FromSlash(SessionDir(exampleHeader))
	sub, err := root.FS.(interface {
		Sub(string) (*confine.Root, error)
	}).Sub(filepath.ToSlash(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if got := found(t, Root{FS: sub, Path: filepath.Join(root.Path, dir), Store: root.Store}); got != nil {
		t.Error(got)
	}
}

// TestVerifyStore: what is wrong with the store is the fault of the log that
// refers to it.
func TestVerifyStore(t *testing.T) {
	const object = "431ced6916a2a21a156e38701afe55bbd7f88969fbbfc56d7fe099d47f265460"
	for name, change := range map[string]func(file string) error{
		"missing":       os.Remove,
		"another":       func(file string) error { return os.WriteFile(file, []byte("x"), 0o600) },
		"no file":       func(file string) error { os.Remove(file); return os.Mkdir(file, 0o700) },
		"too large":     func(file string) error { return os.Truncate(file, maxImage+1) },
		"symbolic link": func(file string) error { os.Rename(file, file+"x"); return os.Symlink(file+"x", file) },
	} {
		home := t.TempDir()
		newHome(t, home)
		session(t, home, exampleText)
		if err := change(filepath.Join(home, "attachments", "v1", "objects", object[:2], object)); err != nil {
			t.Skip(err)
		}
		if got := found(t, openHome(t, home)); !slices.Equal(got, []Check{CheckImages}) {
			t.Errorf("%s: %v", name, got)
		}
	}
	home := t.TempDir()
	newHome(t, home)
	session(t, home, exampleText)
	root := openHome(t, home)
	root.Store = nil
	if got := found(t, root); !slices.Equal(got, []Check{CheckImages}) {
		t.Errorf("no store: %v", got)
	}
}

// TestVerifyFaults: whichever call of the file system fails, no log passes, and
// a log that cannot be read is no fault of its own.
func TestVerifyFaults(t *testing.T) {
	home := t.TempDir()
	newHome(t, home)
	session(t, home, exampleText)
	for n := 1; ; n++ {
		root := openHome(t, home)
		failing := fsxtest.NewFailing(root.FS, n)
		root.FS = failing
		passed, failed := 0, 0
		for v, err := range Verify(root) {
			switch {
			case errors.Is(err, fsxtest.ErrInjected):
				failed++
			case err != nil || len(v.Faults) > 0:
				t.Errorf("call %d: %v, %v", n, v.Faults, err)
			default:
				passed++
			}
		}
		call, hit := failing.Failed()
		if !hit {
			if passed != 1 || failed > 0 {
				t.Errorf("without a fault %d pass, %d fail", passed, failed)
			}
			return
		}
		if call.Op != fsxtest.Close && failed != 1 {
			t.Errorf("call %d, %v: %d pass, %d fail", n, call, passed, failed)
		}
	}
}
