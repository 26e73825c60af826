package sessions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/fsx"
	"rollbook/internal/fsx/fsxtest"
)

func TestNames(t *testing.T) {
	for name, want := range map[string]bool{
		"a.jsonl": true, "a.jsonl.zst": true, "..jsonl": true, "a b.jsonl": true, "a.jsonl.jsonl": true, "..jsonl.zst": true,
		".jsonl": false, ".jsonl.zst": false, "X.JSONL": false, "x.Jsonl": false, "a.jsonl.ZST": false, "a.json": false,
		"ajsonl": false, "a.jsonl.bak": false, "a.zst": false, ".zst": false, "a.jsonl.zst.zst": false, "a.jsonl.": false, "": false,
	} {
		if got := isRollout(name); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
	root := files{
		".jsonl": "x", "X.JSONL": "x", "a.json": "x", "auth.json": "x", "config.toml": "x", // none is looked into
		"a.jsonl/b.jsonl": log("b", project),
		"a.jsonl/c.jsonl/d.jsonl/e.jsonl/f.jsonl/g": "",
		"..jsonl": log("dots", project),
	}.write(t)
	var counting *fsxtest.Counting
	o := options(root)
	o.Wrap = func(fsys fsx.FS) fsx.FS { counting = fsxtest.NewCounting(fsys); return counting }
	expect(t, list(t, o), 2, []string{"..jsonl dots", "a.jsonl/b.jsonl b"}, []string{"a.jsonl/c.jsonl/d.jsonl/e.jsonl depth_limit"})
	if got := counting.Opened(); !slices.Equal(got, []string{"..jsonl", "a.jsonl/b.jsonl"}) {
		t.Errorf("opened %q", got)
	}
}

// TestOrder: what is in a folder stays together, before files that sort
// between the folder's name and its separator.
func TestOrder(t *testing.T) {
	tree := files{}
	want := []string{"a/b.jsonl a", "a-b.jsonl a", "a.jsonl a", "a.x/c.jsonl a", "aa.jsonl a"}
	var partial []string
	for _, s := range want {
		name := strings.TrimSuffix(s, " a")
		tree[name] = log("a", project) + "broken\n"
		partial = append(partial, name+" partial_file")
	}
	expect(t, list(t, options(tree.write(t))), 5, want, partial)
}

func TestEveryProject(t *testing.T) {
	root := files{
		"a.jsonl": log("a", project),
		"b.jsonl": log("b", volume+"/elsewhere"),
		"c.jsonl": log("c", project) + turn(volume+"/elsewhere"),
	}.write(t)
	o := options(root)
	o.Project = ""
	r := list(t, o)
	expect(t, r, 3, []string{"a.jsonl a", "b.jsonl b"}, []string{"c.jsonl conflicting_project_metadata"})
	if out := render(t, r); !strings.Contains(out, `"project": null,`) {
		t.Errorf("written %s", out)
	}
}

// TestEntries: everything in a folder counts, and one too many stops the walk.
func TestEntries(t *testing.T) {
	root := files{"a.jsonl": log("a", project), "d/b.jsonl": log("b", project), "other.txt": ""}.write(t)
	for _, tt := range []struct {
		more, listed int
		want         []string
	}{
		{9996, 2, nil},
		{9997, 2, []string{". entry_limit"}},
		{9998, 1, []string{"d entry_limit"}},
		{10_000, 0, []string{". entry_limit"}},
		{1_000_000, 0, []string{". entry_limit"}},
	} {
		o := options(root)
		o.Wrap = func(fsys fsx.FS) fsx.FS { return crowded{sorted{fsys}, tt.more} }
		r := list(t, o)
		if got := diagnosed(t, r); !slices.Equal(got, tt.want) || len(r.Sessions) != tt.listed {
			t.Errorf("%d more entries: %q, %q", tt.more, listed(t, r), got)
		}
	}
}

// crowded has n entries more in its root, before the others.
type crowded struct {
	fsx.FS
	n int
}

func (c crowded) OpenDir(name string) (fsx.Dir, error) {
	d, err := c.FS.OpenDir(name)
	if err != nil || name != "." {
		return d, err
	}
	info, err := c.FS.Lstat("other.txt")
	return &crowdedDir{d, fs.FileInfoToDirEntry(info), c.n}, err
}

type crowdedDir struct {
	fsx.Dir
	entry fs.DirEntry
	n     int
}

func (d *crowdedDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if d.n == 0 {
		return d.Dir.ReadDir(n)
	}
	n = min(n, d.n)
	d.n -= n
	return slices.Repeat([]fs.DirEntry{d.entry}, n), nil
}

func TestFileCount(t *testing.T) {
	tree := files{}
	for i := range DefaultBudgets.Files {
		tree[fmt.Sprintf("%d/%d.jsonl", i%9, i)] = log("a", project)
	}
	root := tree.write(t)
	if r := list(t, options(root)); len(r.Sessions) != 1000 || r.FilesInspected != 1000 || r.Partial() {
		t.Errorf("%d of %d files: %q", len(r.Sessions), r.FilesInspected, diagnosed(t, r))
	}
	files{"9/9/9/9.jsonl": log("a", project)}.writeTo(t, root)
	r := list(t, options(root))
	if len(r.Sessions) != 1000 || r.FilesInspected != 1000 || len(r.Diagnostics) != 1 || r.Diagnostics[0].Code != FileCountLimit {
		t.Errorf("%d of %d files: %q", len(r.Sessions), r.FilesInspected, diagnosed(t, r))
	}
}

// TestTotalCountsSnapshots: what was reserved and not there is given back, so
// empty files cost nothing, but need one byte.
func TestTotalCountsSnapshots(t *testing.T) {
	tree := files{}
	for i := range 20 {
		tree[fmt.Sprintf("%d.jsonl", i)] = ""
	}
	o := options(tree.write(t))
	o.Budgets.TotalBytes = 1
	if r := list(t, o); r.FilesInspected != 20 || len(r.Diagnostics) != 20 {
		t.Errorf("%d inspected: %q", r.FilesInspected, diagnosed(t, r))
	}
	o = options(files{"a.jsonl": "x", "b.jsonl": ""}.write(t))
	o.Budgets.TotalBytes = 1
	o.Wrap = func(fsys fsx.FS) fsx.FS { return sorted{fsys} }
	expect(t, list(t, o), 1, nil, []string{"a.jsonl missing_project_metadata", "a.jsonl partial_file", "b.jsonl total_byte_limit"})
}

// sorted lists folders by name.
type sorted struct{ fsx.FS }

func (s sorted) OpenDir(name string) (fsx.Dir, error) {
	d, err := s.FS.OpenDir(name)
	return sortedDir{d}, err
}

type sortedDir struct{ fsx.Dir }

func (d sortedDir) ReadDir(n int) ([]fs.DirEntry, error) {
	entries, err := d.Dir.ReadDir(n)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// TestCompressed: the budgets of files and of the whole count bytes on disk,
// and no file gives more text than the largest may have.
func TestCompressed(t *testing.T) {
	text := meta("a", project) + msg(strings.Repeat("x", 5000)) + "broken\n"
	packed := compress(t, text)
	root := files{"a.jsonl.zst": packed, "b.jsonl": text, "c.jsonl.zst": text, "d.jsonl": packed, "e.jsonl.zst": packed[:len(packed)-9] + "damaged"}.write(t)
	r := list(t, options(root))
	want := []string{"a.jsonl.zst a", "b.jsonl a", "c.jsonl.zst a", "d.jsonl a"}
	partial := []string{"a.jsonl.zst partial_file", "b.jsonl partial_file", "c.jsonl.zst partial_file", "d.jsonl partial_file"}
	expect(t, r, 5, want, append(partial, "e.jsonl.zst missing_project_metadata", "e.jsonl.zst partial_file"))
	for _, s := range r.Sessions {
		if got := reads(s); !slices.Equal(got, []string{"unverified_compatibility0 0", "invalid_json3 0"}) || s.Records != 2 {
			t.Errorf("%s: %q", s.Path, got)
		}
	}

	o := options(files{"a.jsonl.zst": packed, "b.jsonl.zst": packed}.write(t))
	o.Budgets.TotalBytes = 2 * int64(len(packed))
	o.Budgets.FileBytes = int64(len(text))
	if r := list(t, o); len(r.Sessions) != 2 {
		t.Errorf("%q, %q", listed(t, r), diagnosed(t, r))
	}
	o.Budgets.FileBytes--
	expect(t, list(t, o), 2, nil, []string{"a.jsonl.zst file_unreadable", "b.jsonl.zst file_unreadable"})
	o.Budgets.FileBytes = int64(len(packed)) - 1
	expect(t, list(t, o), 0, nil, []string{"a.jsonl.zst file_size_limit", "b.jsonl.zst file_size_limit"})
}

// TestFaults fails each call in turn: it costs what it was about, and says so.
func TestFaults(t *testing.T) {
	root := files{"a.jsonl": log("a", project), "d/b.jsonl.zst": compress(t, log("b", project)), "other.txt": ""}.write(t)
	want := map[fsxtest.Op]string{
		fsxtest.OpenDir: "directory_unreadable", fsxtest.ReadDir: "entry_unreadable", fsxtest.Lstat: "entry_unreadable",
		fsxtest.Open: "file_unreadable", fsxtest.Fstat: "file_unreadable", fsxtest.Read: "file_unreadable",
	}
	seen := map[fsxtest.Op]bool{}
	for n := 1; ; n++ {
		var failing *fsxtest.Failing
		o := options(root)
		o.Wrap = func(fsys fsx.FS) fsx.FS { failing = fsxtest.NewFailing(fsys, n); return failing }
		r, err := List(t.Context(), o)
		call, hit := failing.Failed()
		seen[call.Op] = true
		switch {
		case !hit:
			if err != nil || n < 15 {
				t.Errorf("%d calls, %v", n-1, err)
			}
			for op := range want {
				if !seen[op] {
					t.Errorf("%s was never called", op)
				}
			}
			return
		case call.Op == fsxtest.OpenDir && call.Name == ".":
			if !errors.Is(err, fsxtest.ErrInjected) {
				t.Errorf("root: %v", err)
			}
			continue
		case err != nil:
			t.Fatal(err)
		case call.Op == fsxtest.Close:
			expect(t, r, 2, []string{"a.jsonl a", "d/b.jsonl.zst b"}, nil)
			continue
		}
		if got := diagnosed(t, r); !slices.Equal(got, []string{call.Name + " " + want[call.Op]}) {
			t.Errorf("fault %d, %s of %s: %q", n, call.Op, call.Name, got)
		}
		render(t, r)
	}
}

// during runs a test's code before or after a call.
func during(o Options, before, after func(fsxtest.Call)) Options {
	o.Wrap = func(fsys fsx.FS) fsx.FS { return fsxtest.NewMutating(fsys, before, after) }
	return o
}

// TestSwapped: what becomes something else under the walk is not followed.
func TestSwapped(t *testing.T) {
	outside := files{"secret.jsonl": log("outside", project)}.write(t)
	for name, tt := range map[string]struct {
		op   fsxtest.Op
		at   string
		do   func(path string)
		want string
	}{
		"file to link": {fsxtest.Open, "d/a.jsonl", func(path string) {
			os.Remove(path)
			os.Symlink(filepath.Join(outside, "secret.jsonl"), path)
		}, "d/a.jsonl file_unreadable"},
		"file to link, early": {fsxtest.Lstat, "d/a.jsonl", func(path string) {
			os.Remove(path)
			os.Symlink(filepath.Join(outside, "secret.jsonl"), path)
		}, "d/a.jsonl symlink_skipped"},
		"folder to link": {fsxtest.OpenDir, "d", func(path string) {
			os.RemoveAll(path)
			os.Symlink(outside, path)
		}, "d directory_unreadable"},
		"folder above to link": {fsxtest.Open, "d/a.jsonl", func(path string) {
			os.Rename(filepath.Dir(path), filepath.Join(t.TempDir(), "away"))
			os.Symlink(outside, filepath.Dir(path))
		}, "d/a.jsonl file_unreadable"},
		"file to folder": {fsxtest.Open, "d/a.jsonl", func(path string) {
			os.Remove(path)
			os.Mkdir(path, 0o700)
		}, "d/a.jsonl file_unreadable"},
		"gone": {fsxtest.Lstat, "d/a.jsonl", func(path string) { os.Remove(path) }, "d/a.jsonl entry_unreadable"},
		"grown": {fsxtest.Open, "d/a.jsonl", func(path string) {
			os.WriteFile(path, []byte(log("a", project)+"\n"), 0o600)
		}, "d/a.jsonl file_unreadable"},
	} {
		root := files{"d/a.jsonl": log("a", project)}.write(t)
		symlink(t, "nowhere", filepath.Join(t.TempDir(), "may-links-be-made"))
		done := false
		r := list(t, during(options(root), func(c fsxtest.Call) {
			if c.Op == tt.op && c.Name == tt.at && !done {
				done = true
				tt.do(filepath.Join(root, filepath.FromSlash(tt.at)))
			}
		}, nil))
		if got := diagnosed(t, r); !done || !slices.Equal(got, []string{tt.want}) || len(r.Sessions) != 0 {
			t.Errorf("%s: %q, %q", name, listed(t, r), got)
		}
	}
}

// TestChangedWhileRead: a file that grows while it is read is listed as it was,
// and one that was smaller when opened gives back what was reserved.
func TestChangedWhileRead(t *testing.T) {
	text := log("a", project)
	root := files{"a.jsonl": text}.write(t)
	r := list(t, during(options(root), nil, func(c fsxtest.Call) {
		if c.Op == fsxtest.Read && c.N == 1 {
			f, err := os.OpenFile(filepath.Join(root, c.Name), os.O_APPEND|os.O_WRONLY, 0)
			must(t, err)
			f.WriteString(msg("more"))
			f.Close()
		}
	}))
	expect(t, r, 1, []string{"a.jsonl a"}, []string{"a.jsonl partial_file"})
	if s := r.Sessions[0]; s.Records != 2 || !slices.Equal(reads(s), []string{"unverified_compatibility0 0", "source_changed0 0"}) {
		t.Errorf("%d records, %q", s.Records, reads(s))
	}

	root = files{"a.jsonl": text, "b.jsonl": text}.write(t)
	o := during(options(root), func(c fsxtest.Call) {
		if c.Op == fsxtest.Open {
			must(t, os.Truncate(filepath.Join(root, c.Name), int64(len(text)/2)))
		}
	}, nil)
	o.Budgets.TotalBytes = int64(len(text)) * 3 / 2
	if r := list(t, o); r.FilesInspected != 2 {
		t.Errorf("%d inspected: %q", r.FilesInspected, diagnosed(t, r))
	}
}

func TestCancelled(t *testing.T) {
	root := files{"a.jsonl": log("a", project), "b.jsonl": log("b", project), "c/d.txt": ""}.write(t)
	for _, op := range []fsxtest.Op{fsxtest.ReadDir, fsxtest.Lstat, fsxtest.Open, fsxtest.Read} {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := List(ctx, during(options(root), func(c fsxtest.Call) {
			if c.Op == op {
				cancel()
			}
		}, nil))
		if r != nil || err != context.Canceled {
			t.Errorf("during %s: %v, %v", op, r, err)
		}
	}
}
