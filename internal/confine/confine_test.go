package confine

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// systems are both ways to open; on Windows they are the same.
var systems = map[string]func(string) (system, error){"native": openSystem, "portable": openPortable}

// tree makes a folder to be the root and, beside it, what must not be reached:
//
//	secret            file beside the root
//	out/              folder beside the root
//	root/a/b/file     "inside"
//	root/link         -> a/b/file
//	root/linkdir      -> a
//	root/linkout      -> ../secret
//	root/dirout       -> ../out
//	root/a/up         -> ..
//	root/dangling     -> nowhere
func tree(t testing.TB) string {
	t.Helper()
	base := t.TempDir()
	root := filepath.Join(base, "root")
	must(t, os.MkdirAll(filepath.Join(root, "a", "b"), 0o700))
	must(t, os.MkdirAll(filepath.Join(base, "out"), 0o700))
	must(t, os.WriteFile(filepath.Join(base, "secret"), []byte("outside"), 0o600))
	must(t, os.WriteFile(filepath.Join(base, "out", "file"), []byte("outside"), 0o600))
	must(t, os.WriteFile(filepath.Join(root, "a", "b", "file"), []byte("inside"), 0o640))
	for name, to := range map[string]string{
		"link": "a/b/file", "linkdir": "a", "linkout": "../secret", "dirout": "../out", "a/up": "..", "dangling": "nowhere",
	} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(root, name)); err != nil {
			t.Skip(err) // Windows without the right to make links
		}
	}
	return root
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// each runs a test for both systems on a tree of its own.
func each(t *testing.T, run func(t *testing.T, dir string, r *Root)) {
	for name, open := range systems {
		t.Run(name, func(t *testing.T) {
			dir := tree(t)
			r, err := openRoot(dir, open)
			must(t, err)
			run(t, dir, r)
			must(t, r.Close())
		})
	}
}

// methods are all ways to use a name.
func methods(r *Root) map[string]func(string) error {
	return map[string]func(string) error{
		"open": func(rel string) error {
			f, err := r.Open(rel)
			if err == nil {
				f.Close()
			}
			return err
		},
		"opendir": func(rel string) error {
			d, err := r.OpenDir(rel)
			if err == nil {
				d.Close()
			}
			return err
		},
		"sub": func(rel string) error {
			sub, err := r.Sub(rel)
			if err == nil {
				sub.Close()
			}
			return err
		},
		"lstat": func(rel string) error { _, err := r.Lstat(rel); return err },
		"stat":  func(rel string) error { _, err := r.Stat(rel); return err },
	}
}

func TestOpen(t *testing.T) {
	each(t, func(t *testing.T, dir string, r *Root) {
		f, err := r.Open("a/b/file")
		must(t, err)
		defer f.Close()
		text, err := io.ReadAll(f)
		if string(text) != "inside" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		opened, err := f.Stat()
		must(t, err)
		want, err := os.Lstat(filepath.Join(dir, "a/b/file"))
		must(t, err)
		if !os.SameFile(opened, want) {
			t.Error("another file was opened")
		}
	})
}

// TestSub: a folder below a root is a root that knows no way back.
func TestSub(t *testing.T) {
	each(t, func(t *testing.T, dir string, r *Root) {
		sub, err := r.Sub("a")
		must(t, err)
		defer sub.Close()
		whole, err := r.Sub(".")
		must(t, err)
		must(t, whole.Close())
		if sub.Path() != filepath.Join(r.Path(), "a") {
			t.Errorf("path %s", sub.Path())
		}
		f, err := sub.Open("b/file")
		must(t, err)
		defer f.Close()
		text, err := io.ReadAll(f)
		if string(text) != "inside" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		if _, err := sub.Open("up/b/file"); !errors.Is(err, ErrLink) {
			t.Errorf("through a link: %v", err)
		}
		if _, err := r.Sub("a/b/file"); err == nil {
			t.Error("a file was opened as a folder")
		}
	})
}

// TestLinks: nothing goes through a link, and the error says which part is one.
func TestLinks(t *testing.T) {
	each(t, func(t *testing.T, dir string, r *Root) {
		for rel, link := range map[string]string{
			"link": "link", "linkout": "linkout", "linkdir": "linkdir", "dirout": "dirout", "dangling": "dangling", "a/up": "a/up",
			"linkdir/b/file": "linkdir", "linkdir/b": "linkdir", "dirout/file": "dirout", "a/up/a/b/file": "a/up", "link/x": "link", "dangling/x": "dangling",
		} {
			for method, call := range methods(r) {
				err := call(rel)
				if method == "lstat" && rel == link {
					if err != nil {
						t.Errorf("lstat %s: %v", rel, err)
					}
					continue
				}
				var at *fs.PathError
				if !errors.Is(err, ErrLink) || !errors.As(err, &at) || at.Path != filepath.Join(r.Path(), link) {
					t.Errorf("%s %s: %v", method, rel, err)
				}
			}
		}
	})
}

// TestNames: a name that is not plainly below the root is refused before it is
// looked up.
func TestNames(t *testing.T) {
	each(t, func(t *testing.T, dir string, r *Root) {
		names := []string{
			"", "..", "../secret", "a/..", "a/../a", "a/../../secret", "/", "/a", dir, filepath.Join(dir, "a"),
			"a//b", "a/", "./a", "a/./b", "a/b/file\x00", "\x00", "a\x00/b/file",
		}
		if runtime.GOOS == "windows" {
			names = append(names, `..\secret`, `a\..\..\secret`, `C:\`, `C:a`, `\\host\share\a`, "NUL", "a/con", "a:b")
		}
		for _, name := range names {
			for method, call := range methods(r) {
				if err := call(name); !errors.Is(err, errName) {
					t.Errorf("%s %q: %v", method, name, err)
				}
			}
		}
	})
}

func TestErrors(t *testing.T) {
	each(t, func(t *testing.T, dir string, r *Root) {
		for rel, want := range map[string]string{"missing": "missing", "missing/x": "missing", "a/missing/x": "a/missing"} {
			for method, call := range methods(r) {
				err := call(rel)
				var at *fs.PathError
				if !errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrLink) || !errors.As(err, &at) || at.Path != filepath.Join(r.Path(), want) {
					t.Errorf("%s %s: %v", method, rel, err)
				}
			}
		}
		for method, call := range methods(r) {
			if err := call("a/b/file/x"); err == nil || errors.Is(err, ErrLink) {
				t.Errorf("%s below a file: %v", method, err)
			}
		}
		if _, err := r.OpenDir("a/b/file"); err == nil || errors.Is(err, ErrLink) {
			t.Errorf("a file as a folder: %v", err)
		}
	})
}

func TestLstat(t *testing.T) {
	each(t, func(t *testing.T, dir string, r *Root) {
		for _, rel := range []string{".", "a", "a/b", "a/b/file", "link", "linkdir", "dangling"} {
			got, err := r.Lstat(rel)
			must(t, err)
			want, err := os.Lstat(filepath.Join(dir, rel))
			must(t, err)
			compare(t, rel, got, want)
		}
	})
}

func compare(t *testing.T, rel string, got, want fs.FileInfo) {
	t.Helper()
	if rel != "." && got.Name() != want.Name() {
		t.Errorf("%s: name %q, want %q", rel, got.Name(), want.Name())
	}
	if got.Mode() != want.Mode() || got.IsDir() != want.IsDir() {
		t.Errorf("%s: mode %v, want %v", rel, got.Mode(), want.Mode())
	}
	if got.Size() != want.Size() || !got.ModTime().Equal(want.ModTime()) {
		t.Errorf("%s: %d bytes of %v, want %d of %v", rel, got.Size(), got.ModTime(), want.Size(), want.ModTime())
	}
}

func TestOpenDir(t *testing.T) {
	each(t, func(t *testing.T, dir string, r *Root) {
		for rel, want := range map[string][]string{
			".":   {"a", "dangling", "dirout", "link", "linkdir", "linkout"},
			"a":   {"b", "up"},
			"a/b": {"file"},
		} {
			d, err := r.OpenDir(rel)
			must(t, err)
			var got []string
			for {
				entries, err := d.ReadDir(2)
				if len(entries) > 2 || len(entries) == 0 && err == nil {
					t.Fatalf("%s: %d entries, %v", rel, len(entries), err)
				}
				for _, e := range entries {
					got = append(got, e.Name())
					info, err := e.Info()
					must(t, err)
					want, err := os.Lstat(filepath.Join(dir, rel, e.Name()))
					must(t, err)
					compare(t, filepath.Join(rel, e.Name()), info, want)
					if e.Type() != want.Mode().Type() || e.IsDir() != want.IsDir() {
						t.Errorf("%s: type %v", e.Name(), e.Type())
					}
				}
				if err == io.EOF {
					break
				}
				must(t, err)
			}
			must(t, d.Close())
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", rel, got, want)
			}
		}
	})
}

// TestSwapped puts a link where a file or folder was when it was looked at.
func TestSwapped(t *testing.T) {
	for _, part := range []string{"a", "a/b", "a/b/file"} {
		each(t, func(t *testing.T, dir string, r *Root) {
			info, err := r.Lstat("a/b/file")
			if err != nil || !info.Mode().IsRegular() {
				t.Fatalf("%v, %v", info, err)
			}
			place := filepath.Join(dir, part)
			must(t, os.Rename(place, filepath.Join(dir, "moved")))
			must(t, os.Symlink(filepath.Join(dir, "moved"), place))
			for method, call := range methods(r) {
				if err := call("a/b/file"); !errors.Is(err, ErrLink) && (method != "lstat" || part != "a/b/file") {
					t.Errorf("%s, with a link at %s: %v", method, part, err)
				}
			}
		})
	}
}

// TestListingIsOfTheFolder: entries of an open folder are looked up in it, not
// in what its name has become.
func TestListingIsOfTheFolder(t *testing.T) {
	each(t, func(t *testing.T, dir string, r *Root) {
		d, err := r.OpenDir("a/b")
		must(t, err)
		defer d.Close()
		if err := os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "moved")); err != nil {
			t.Skip(err) // Windows keeps the names of open folders
		}
		must(t, os.Mkdir(filepath.Join(dir, "a"), 0o700))
		must(t, os.Symlink(filepath.Join(dir, "..", "out"), filepath.Join(dir, "a", "b")))
		entries, err := d.ReadDir(10)
		if err != nil || len(entries) != 1 {
			t.Fatalf("%v, %v", entries, err)
		}
		info, err := entries[0].Info()
		if err != nil || info.Size() != int64(len("inside")) {
			t.Errorf("%v, %v", info, err)
		}
	})
}

// TestRootIsTheFolder: a root is the folder that was opened, not its name.
func TestRootIsTheFolder(t *testing.T) {
	each(t, func(t *testing.T, dir string, r *Root) {
		if err := os.Rename(dir, dir+".moved"); err != nil {
			t.Skip(err) // Windows keeps the names of open folders
		}
		must(t, os.Symlink("out", dir))
		if err := methods(r)["open"]("a/b/file"); err != nil {
			t.Error(err)
		}
		if err := methods(r)["open"]("file"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("through the new name: %v", err)
		}
	})
}

func TestOpenRoot(t *testing.T) {
	dir := tree(t)
	canonical, err := filepath.EvalSymlinks(dir)
	must(t, err)
	for name, open := range systems {
		for _, path := range []string{dir, filepath.Join(dir, "a", "up"), dir + "/a/..", filepath.Join(dir, "linkdir", "up")} {
			r, err := openRoot(path, open)
			must(t, err)
			if r.Path() != canonical {
				t.Errorf("%s: %s is %s, want %s", name, path, r.Path(), canonical)
			}
			if err := methods(r)["open"]("a/b/file"); err != nil {
				t.Error(err)
			}
			must(t, r.Close())
			if err := methods(r)["open"]("a/b/file"); err == nil {
				t.Error("open after close")
			}
		}
		for _, path := range []string{"missing", "a/b/file", "link", "dangling", "a\x00"} {
			if _, err := openRoot(filepath.Join(dir, path), open); err == nil {
				t.Errorf("%s: %q is no folder", name, path)
			}
		}
	}
	t.Chdir(dir)
	r, err := OpenRoot("a")
	must(t, err)
	defer r.Close()
	if want := filepath.Join(canonical, "a"); r.Path() != want {
		t.Errorf("a relative root is %s, want %s", r.Path(), want)
	}
}

// TestOddNames: a name is bytes between slashes.
func TestOddNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has fewer names")
	}
	each(t, func(t *testing.T, dir string, r *Root) {
		for _, name := range []string{" ", "...", "a b", "-", `a\b`, "\x1b[31m", "日本", strings.Repeat("n", 255), "NUL"} {
			if err := os.WriteFile(filepath.Join(dir, "a", name), []byte(name), 0o600); err != nil {
				continue // a file system with fewer names
			}
			f, err := r.Open("a/" + name)
			must(t, err)
			if text, _ := io.ReadAll(f); string(text) != name {
				t.Errorf("%q holds %q", name, text)
			}
			f.Close()
		}
		deep := strings.Repeat("a/", 5000) + "a"
		if err := methods(r)["open"](deep); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("5000 levels deep: %v", err)
		}
	})
}

// FuzzOpen: whatever the name, nothing outside the root is read and nothing
// behind a link.
func FuzzOpen(f *testing.F) {
	for _, rel := range []string{"a/b/file", "link", "../secret", "a/up/../../secret", "dirout/file", ".", "", "a\x00", "/"} {
		f.Add(rel)
	}
	dir := tree(f)
	roots := make(map[string]*Root)
	for name, open := range systems {
		r, err := openRoot(dir, open)
		must(f, err)
		roots[name] = r
	}
	f.Fuzz(func(t *testing.T, rel string) {
		good := filepath.ToSlash(rel) == "a/b/file"
		for name, r := range roots {
			file, err := r.Open(rel)
			if err != nil {
				if good {
					t.Error(err)
				}
				continue
			}
			text, _ := io.ReadAll(file) // nothing of a folder
			file.Close()
			if want := map[bool]string{true: "inside"}[good]; string(text) != want {
				t.Errorf("%s: %q holds %q", name, rel, text)
			}
		}
	})
}

// TestSame: what was opened must be what was seen, or the portable way would
// follow a link that came in between.
func TestSame(t *testing.T) {
	root, err := os.OpenRoot(tree(t))
	must(t, err)
	defer root.Close()
	seen, err := root.Lstat("a")
	must(t, err)
	for name, want := range map[string]error{"a": nil, "linkdir": nil, "a/b": errSwapped, "link": errSwapped} {
		if err := same(seen, func() (fs.FileInfo, error) { return root.Stat(name) }); err != want {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}

// TestRace opens while another goroutine puts a link in the place of a folder,
// to outside the root and to elsewhere in it, and takes it away again.
func TestRace(t *testing.T) {
	each(t, func(t *testing.T, dir string, r *Root) {
		must(t, os.MkdirAll(filepath.Join(dir, "else", "b"), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, "else", "b", "file"), []byte("elsewhere"), 0o600))
		must(t, os.MkdirAll(filepath.Join(dir, "../out/b"), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, "../out/b/file"), []byte("outside"), 0o600))
		done := make(chan struct{})
		go func() {
			defer close(done)
			a, kept := filepath.Join(dir, "a"), filepath.Join(dir, "kept")
			for i := range 1000 {
				os.Rename(a, kept)
				os.Symlink([]string{"else", "../out"}[i%2], a)
				os.Remove(a)
				os.Rename(kept, a)
			}
		}()
		opened := 0
		for running := true; running; {
			select {
			case <-done:
				running = false
			default:
			}
			f, err := r.Open("a/b/file")
			if err != nil {
				continue
			}
			text, err := io.ReadAll(f)
			f.Close()
			if string(text) != "inside" {
				t.Fatalf("%q, %v", text, err)
			}
			opened++
		}
		if opened == 0 {
			t.Error("nothing was opened, so nothing was tested")
		}
	})
}
