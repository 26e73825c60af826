//go:build unix

package confine

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFIFO: nobody writes to it, and neither opening nor reading waits.
func TestFIFO(t *testing.T) {
	each(t, func(t *testing.T, dir string, r *Root) {
		must(t, unix.Mkfifo(filepath.Join(dir, "a", "fifo"), 0o600))
		f, err := r.Open("a/fifo")
		must(t, err)
		defer f.Close()
		if n, err := f.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("read: %d, %v", n, err)
		}
		if _, err := r.OpenDir("a/fifo"); err == nil {
			t.Error("a FIFO is no folder")
		}
		if _, err := r.OpenDir("a/fifo/x"); err == nil {
			t.Error("a FIFO has nothing below it")
		}
		if _, err := OpenRoot(filepath.Join(dir, "a", "fifo")); err == nil {
			t.Error("a FIFO is no root")
		}
	})
}

// TestKinds: what is neither file nor folder is told as what it is.
func TestKinds(t *testing.T) {
	each(t, func(t *testing.T, dir string, r *Root) {
		t.Chdir(dir) // the name of a socket is short
		must(t, unix.Mkfifo("fifo", 0o600))
		l, err := net.Listen("unix", "socket")
		must(t, err)
		defer l.Close()
		must(t, os.Mkdir("sticky", 0o700))
		must(t, os.Chmod("sticky", 0o751|fs.ModeSticky|fs.ModeSetgid))
		for _, rel := range []string{"fifo", "socket", "sticky"} {
			got, err := r.Lstat(rel)
			must(t, err)
			want, err := os.Lstat(rel)
			must(t, err)
			compare(t, rel, got, want)
		}
		if _, err := r.Open("socket"); err == nil {
			t.Error("a socket was opened")
		}
	})
	dev, err := openRoot("/dev", openSystem)
	must(t, err)
	defer dev.Close()
	got, err := dev.Lstat("null")
	must(t, err)
	want, err := os.Lstat("/dev/null")
	must(t, err)
	compare(t, "null", got, want)
}

// TestUnreadable: entries of a folder that may be listed but not entered are
// there, with the reason why nothing is known of them.
func TestUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may enter every folder")
	}
	dir := tree(t)
	r, err := OpenRoot(dir)
	must(t, err)
	defer r.Close()
	must(t, os.Chmod(filepath.Join(dir, "a", "b"), 0o400))
	defer os.Chmod(filepath.Join(dir, "a", "b"), 0o700)
	d, err := r.OpenDir("a/b")
	must(t, err)
	defer d.Close()
	entries, err := d.ReadDir(-1)
	if err != nil || len(entries) != 1 || entries[0].Type() != fs.ModeIrregular || entries[0].IsDir() {
		t.Fatalf("%v, %v", entries, err)
	}
	if _, err := entries[0].Info(); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("info: %v", err)
	}
}

// TestNothingStaysOpen counts descriptors where the system lists them.
func TestNothingStaysOpen(t *testing.T) {
	const fds = "/dev/fd"
	count := func() int {
		entries, err := os.ReadDir(fds)
		if err != nil {
			t.Skip(err)
		}
		return len(entries)
	}
	each(t, func(t *testing.T, dir string, r *Root) {
		before := count()
		for _, call := range methods(r) {
			for _, rel := range []string{".", "a/b/file", "a/b", "link", "linkdir/b", "a/b/file/x", "a/missing", "a/missing/x", "..", "a/up"} {
				call(rel)
			}
		}
		if after := count(); after != before {
			t.Errorf("%d descriptors open, %d before", after, before)
		}
	})
}
