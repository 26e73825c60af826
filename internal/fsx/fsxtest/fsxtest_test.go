package fsxtest_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rollbook/internal/fsx"
	"rollbook/internal/fsx/fsxtest"
)

// use makes every call there is, on a folder with file "a" of 9 bytes.
func use(fsys fsx.WriteFS, dir string) error {
	a := filepath.Join(dir, "a")
	if _, err := fsys.Lstat(a); err != nil {
		return err
	}
	if _, err := fsys.Stat(a); err != nil {
		return err
	}
	if err := read(fsys, a); err != nil {
		return err
	}
	d, err := fsys.OpenDir(dir)
	if err != nil {
		return err
	}
	_, err = d.ReadDir(10)
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	if err := fsx.MkdirAll(fsys, filepath.Join(dir, "b")); err != nil {
		return err
	}
	if err := fsx.WriteFile(fsys, filepath.Join(dir, "b", "c"), 0o600, func(w io.Writer) error {
		_, err := io.WriteString(w, "text")
		return err
	}); err != nil {
		return err
	}
	return fsys.Remove(filepath.Join(dir, "b", "c"))
}

func read(fsys fsx.FS, name string) error {
	f, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Stat(); err != nil {
		return err
	}
	if _, err := io.ReadFull(f, make([]byte, 5)); err != nil {
		return err
	}
	if _, err := f.ReadAt(make([]byte, 2), 7); err != nil {
		return err
	}
	return nil
}

func folder(t *testing.T) string {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestFailing: each call fails once, in the order in which they are made.
func TestFailing(t *testing.T) {
	want := []fsxtest.Op{"lstat", "stat", "open", "fstat", "read", "readat", "close", "opendir", "readdir", "close",
		"mkdir", "syncdir", "create", "write", "fstat", "chmod", "sync", "close", "rename", "syncdir", "remove"}
	var got []fsxtest.Op
	for n := 1; ; n++ {
		fsys := fsxtest.NewFailing(fsx.OS, n)
		err := use(fsys, folder(t))
		call, hit := fsys.Failed()
		if !hit {
			if err != nil {
				t.Error(err)
			}
			break
		}
		got = append(got, call.Op)
		// read closes with defer and forgets the answer.
		if !errors.Is(err, fsxtest.ErrInjected) && n != 7 {
			t.Errorf("fault %d (%s): %v", n, call.Op, err)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("calls\n%q, want\n%q", got, want)
	}
}

// TestFailingHalfWrite: a write that fails has written half.
func TestFailingHalfWrite(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	fsys := fsxtest.NewFailing(fsx.OS, 2)
	o, err := fsys.Create(name, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	n, err := o.Write([]byte("1234567"))
	o.Close()
	if text, _ := os.ReadFile(name); n != 3 || !errors.Is(err, fsxtest.ErrInjected) || string(text) != "123" {
		t.Errorf("%d, %v, %q", n, err, text)
	}
}

func TestCounting(t *testing.T) {
	dir := folder(t)
	a := filepath.Join(dir, "a")
	fsys := fsxtest.NewCounting(fsx.OS)
	for range 2 {
		if err := use(fsys, dir); err != nil {
			t.Fatal(err)
		}
	}
	fsys.Open(filepath.Join(dir, "missing"))
	if n := fsys.Opens(a); n != 2 {
		t.Errorf("%d opens", n)
	}
	if n := fsys.Bytes(a); n != 2*(5+2) || fsys.Total() != n {
		t.Errorf("%d bytes of %d", n, fsys.Total())
	}
	if got := fsys.Opened(); !slices.Equal(got, []string{a, filepath.Join(dir, "missing")}) {
		t.Errorf("opened %q", got)
	}
	if n := fsys.Calls(fsxtest.Lstat); n != 2 {
		t.Errorf("%d calls of lstat", n)
	}
}

// TestMutating lets a file grow between two reads, and vanish before a stat.
func TestMutating(t *testing.T) {
	name := filepath.Join(folder(t), "a")
	fsys := fsxtest.NewMutating(fsx.OS, func(c fsxtest.Call) {
		if c.Op == fsxtest.Stat && c.N == 2 {
			os.Remove(c.Name)
		}
	}, func(c fsxtest.Call) {
		if c.Op == fsxtest.Read && c.N == 2 {
			f, _ := os.OpenFile(c.Name, os.O_APPEND|os.O_WRONLY, 0)
			io.WriteString(f, "0")
			f.Close()
		}
	})
	f, err := fsys.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, want := range []string{"12345678", "9", "0", ""} {
		p := make([]byte, 8)
		if n, _ := f.Read(p); string(p[:n]) != want {
			t.Errorf("read %q, want %q", p[:n], want)
		}
	}
	for _, want := range []error{nil, fs.ErrNotExist} {
		if _, err := fsys.Stat(name); !errors.Is(err, want) {
			t.Errorf("stat: %v, want %v", err, want)
		}
	}
}

// readOnly hides that a file system can write.
type readOnly struct{ fsx.FS }

func TestReadOnly(t *testing.T) {
	fsys := fsxtest.NewCounting(readOnly{fsx.OS})
	if err := fsys.Mkdir("a", 0o700); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
	if _, err := fsys.Create("a", 0o600); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}
