package confine

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

// eachWritable runs a test for both systems on a tree of its own.
func eachWritable(t *testing.T, run func(t *testing.T, dir string, w Writable)) {
	for name, open := range systems {
		t.Run(name, func(t *testing.T) {
			dir := tree(t)
			w, err := openWritable(dir, open)
			must(t, err)
			run(t, dir, w)
			must(t, w.Close())
		})
	}
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	must(t, err)
	return string(b)
}

// TestWrite makes, replaces, moves and removes.
func TestWrite(t *testing.T) {
	eachWritable(t, func(t *testing.T, dir string, w Writable) {
		must(t, fsx.MkdirAll(w, "new/deep"))
		must(t, fsx.WriteFile(w, "new/deep/file", 0o600, text("one")))
		must(t, fsx.WriteFile(w, "top", 0o600, text("two")))
		if got := read(t, filepath.Join(dir, "new", "deep", "file")) + read(t, filepath.Join(dir, "top")); got != "onetwo" {
			t.Errorf("%q", got)
		}
		must(t, w.Rename("top", "new/deep/file"))
		if got := read(t, filepath.Join(dir, "new", "deep", "file")); got != "two" {
			t.Errorf("%q", got)
		}
		must(t, w.Rename("new/deep", "moved"))
		if _, err := w.Create("moved/file", 0o600); !errors.Is(err, fs.ErrExist) {
			t.Errorf("a file that exists: %v", err)
		}
		if err := w.Mkdir("moved", 0o700); !errors.Is(err, fs.ErrExist) {
			t.Errorf("a folder that exists: %v", err)
		}
		if err := w.Remove("moved"); err == nil {
			t.Error("a folder with a file was removed")
		}
		if err := w.Rename("new", "moved"); err == nil {
			t.Error("a folder with a file was replaced")
		}
		must(t, w.Remove("moved/file"))
		must(t, w.Remove("moved"))
		must(t, w.SyncDir("."))
		if err := w.Remove("moved"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("removed twice: %v", err)
		}
		info, err := os.Stat(filepath.Join(dir, "new"))
		must(t, err)
		if info.Mode().Perm() != 0o700 {
			t.Errorf("mode %v", info.Mode())
		}
	})
}

// TestLink gives a file a second name, but never one that exists.
func TestLink(t *testing.T) {
	eachWritable(t, func(t *testing.T, dir string, w Writable) {
		must(t, fsx.WriteFile(w, "one", 0o600, text("one")))
		must(t, w.Mkdir("sub", 0o700))
		must(t, w.Link("one", "sub/two"))
		if got := read(t, filepath.Join(dir, "sub", "two")); got != "one" {
			t.Errorf("%q", got)
		}
		for _, name := range []string{"one", "sub", "dangling"} {
			if err := w.Link("sub/two", name); !errors.Is(err, fs.ErrExist) {
				t.Errorf("linked to %s: %v", name, err)
			}
		}
	})
}

// changes are all ways to change a name.
func changes(w Writable) map[string]func(string) error {
	return map[string]func(string) error{
		"create": func(rel string) error {
			f, err := w.Create(rel, 0o600)
			if err == nil {
				f.Close()
			}
			return err
		},
		"mkdir":       func(rel string) error { return w.Mkdir(rel, 0o700) },
		"rename from": func(rel string) error { return w.Rename(rel, "fresh") },
		"rename to":   func(rel string) error { return w.Rename("a/b/file", rel) },
		"link from":   func(rel string) error { return w.Link(rel, "fresh") },
		"link to":     func(rel string) error { return w.Link("a/b/file", rel) },
		"remove":      w.Remove,
		"syncdir":     w.SyncDir,
	}
}

// TestWriteLinks: nothing is changed through a link.
func TestWriteLinks(t *testing.T) {
	eachWritable(t, func(t *testing.T, dir string, w Writable) {
		for rel, link := range map[string]string{
			"linkdir/b/file": "linkdir", "linkdir/new": "linkdir", "dirout/file": "dirout", "dirout/new": "dirout",
			"a/up/new": "a/up", "link/x": "link", "dangling/x": "dangling",
		} {
			for method, call := range changes(w) {
				err := call(rel)
				var at *fs.PathError
				if !errors.Is(err, ErrLink) || !errors.As(err, &at) || at.Path != filepath.Join(w.Path(), link) {
					t.Errorf("%s %s: %v", method, rel, err)
				}
			}
		}
		for _, link := range []string{"link", "linkdir", "linkout", "dirout", "dangling"} {
			if f, err := w.Create(link, 0o600); !errors.Is(err, fs.ErrExist) {
				t.Errorf("create %s: %v, %v", link, f, err)
			}
		}
		must(t, fsx.WriteFile(w, "linkout", 0o600, text("a file now")))
		must(t, w.Remove("dirout"))
		for _, out := range []string{"secret", "out/file"} {
			if got := read(t, filepath.Join(filepath.Dir(dir), out)); got != "outside" {
				t.Errorf("%s holds %q", out, got)
			}
		}
		if got := read(t, filepath.Join(dir, "a", "b", "file")); got != "inside" {
			t.Errorf("the file holds %q", got)
		}
	})
}

func TestWriteNames(t *testing.T) {
	eachWritable(t, func(t *testing.T, dir string, w Writable) {
		for _, name := range []string{"", ".", "..", "../secret", "a/../../secret", "/a", dir, "a/", "a/./b", "\x00"} {
			for method, call := range changes(w) {
				if err := call(name); !errors.Is(err, errName) && (method != "syncdir" || name != ".") {
					t.Errorf("%s %q: %v", method, name, err)
				}
			}
		}
	})
}

// TestWriteFaults: a Writable stands behind the seam for injected faults.
func TestWriteFaults(t *testing.T) {
	eachWritable(t, func(t *testing.T, dir string, w Writable) {
		must(t, fsx.WriteFile(w, "file", 0o600, text("old")))
		for n := 1; ; n++ {
			fsys := fsxtest.NewFailing(w, n)
			err := fsx.WriteFile(fsys, "file", 0o600, text("new"))
			call, hit := fsys.Failed()
			if !hit {
				must(t, err)
				return
			}
			if want := "old"; call.Op != fsxtest.SyncDir && read(t, filepath.Join(dir, "file")) != want {
				t.Errorf("%v: the file is no longer %q", call, want)
			}
		}
	})
}
