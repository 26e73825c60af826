package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"rollbook/internal/transcript"
)

// TestReadOnlySystem: a store on a file system that cannot be written is read,
// and writing says so. Root needs a file system of its own for it, since modes do
// not hold it back.
func TestReadOnlySystem(t *testing.T) {
	path := newPath(t)
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	mounted := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=8m,mode=0700") == nil
	if mounted {
		t.Cleanup(func() {
			if err := unix.Unmount(dir, 0); err != nil {
				t.Error(err)
			}
		})
	} else if os.Getuid() == 0 {
		t.Skip("root without the right to mount")
	}
	w := openWriter(t, path)
	put(t, w, "a", 1, said{thread: "t", text: "kept"})
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := dumpOf(t, path)
	for _, end := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + end); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if mounted {
		if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
			t.Fatal(err)
		}
	} else {
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(dir, 0o700) })
	}
	if got := dumpOf(t, path); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	w, err := OpenWriter(context.Background(), path)
	if err == nil {
		w.Close()
		t.Fatal("it can be written")
	}
	if !strings.Contains(err.Error(), "rollbook.db") || !errors.Is(err, unix.EROFS) && !errors.Is(err, os.ErrPermission) {
		t.Errorf("the error is %v", err)
	}
}

// twist makes a message whose text does not get shorter by compressing it.
func twist(i int) *transcript.Event {
	rng := rand.New(rand.NewPCG(uint64(i), 3))
	var b strings.Builder
	for range 1000 {
		fmt.Fprintf(&b, "%x ", rng.Uint64())
	}
	return &transcript.Event{Kind: transcript.User, Text: b.String(), Time: at(i)}
}

// TestDiskFull: where the file system is full the batch is an error, and the
// store is what it was at the last commit.
func TestDiskFull(t *testing.T) {
	path := newPath(t)
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m,mode=0700"); err != nil {
		t.Skip("no right to mount: the importer's tests bound the size of files instead")
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	w := openWriter(t, path)
	put(t, w, "a", 1, said{thread: "t", text: "kept"})
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	want, failed := dumpOf(t, path), error(nil)
	for i := 0; i < 400 && failed == nil; i++ { // one batch
		s, err := w.Replace("b", nil, 1+i)
		if err != nil {
			failed = err
			break
		}
		row := Encode(twist(i), RowInfo{Thread: "t", Source: "b", Seq: 1 + i})
		row.Pack()
		if failed = s.Add(row); failed == nil {
			failed = s.Finish(nil, nil, nil)
		}
	}
	if failed == nil {
		failed = w.Commit()
	}
	if failed == nil || !strings.Contains(failed.Error(), "full") || !strings.Contains(failed.Error(), "rollbook.db") {
		t.Errorf("the error is %v", failed)
	}
	if _, err := w.Replace("c", nil, 1); err == nil {
		t.Error("it goes on after that")
	}
	w.Close()
	if got := dumpOf(t, path); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
