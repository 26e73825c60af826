package fsx_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"rollbook/internal/fsx"
)

func TestLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	for range 2 {
		l, err := fsx.TryLock(name)
		if err != nil {
			t.Fatal(err)
		}
		mode(t, name, 0o600)
		if _, err := fsx.TryLock(name); !errors.Is(err, fsx.ErrLocked) {
			t.Errorf("second lock: %v", err)
		} else if want := "lock " + name + ": held by another process"; err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
		if err := l.Unlock(); err != nil {
			t.Error(err)
		}
	}
}

// holdLock names the lock that a copy of this test program holds until its
// standard input ends.
const holdLock = "FSX_TEST_HOLD_LOCK"

func TestMain(m *testing.M) {
	if name := os.Getenv(holdLock); name != "" {
		if _, err := fsx.TryLock(name); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("held")
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestLockOfAnotherProcess: it keeps us out while that lives, and no longer,
// though it is killed.
func TestLockOfAnotherProcess(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdLock+"="+name)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if _, err := fsx.TryLock(name); !errors.Is(err, fsx.ErrLocked) {
		t.Errorf("while it is held: %v", err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	l, err := fsx.TryLock(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Unlock(); err != nil {
		t.Error(err)
	}
}

func TestLockRefused(t *testing.T) {
	dir := t.TempDir()
	if _, err := fsx.TryLock(dir); err == nil {
		t.Error("a folder was locked")
	}
	if _, err := fsx.TryLock(filepath.Join(dir, "missing", "lock")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in a missing folder: %v", err)
	}
}
