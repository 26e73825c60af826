//go:build unix

package fsx_test

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"rollbook/internal/fsx"
)

// TestFIFO: without a writer it neither makes Open wait nor is it locked.
func TestFIFO(t *testing.T) {
	name := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	f, err := fsx.OS.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := f.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("read: %d, %v", n, err)
	}
	f.Close()
	if _, err := fsx.TryLock(name); err == nil {
		t.Error("a FIFO was locked")
	}
}

func TestLockRefusesLink(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(dir, "target"), filepath.Join(dir, "lock")); err != nil {
		t.Fatal(err)
	}
	if _, err := fsx.TryLock(filepath.Join(dir, "lock")); err == nil {
		t.Error("a link was locked")
	}
	if _, err := os.Lstat(filepath.Join(dir, "target")); err == nil {
		t.Error("the target was made")
	}
}
