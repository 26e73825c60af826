//go:build unix

package inspect

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rollbook/internal/fsx"
	"rollbook/internal/fsx/fsxtest"
)

func TestOpenRefusesSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo.jsonl")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir) // the name of a socket must be short
	l, err := net.Listen("unix", "socket.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	w := fsxtest.NewCounting(fsx.OS)
	for name, kind := range map[string]string{fifo: "is a pipe", filepath.Join(dir, "socket.jsonl"): "is a socket", "/dev/null": "is a device"} {
		if _, err := openRead(w, name, DefaultLimits); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), kind) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if names := w.Opened(); len(names) > 0 {
		t.Errorf("opened %v", names)
	}
	// One that became a pipe after the first look is opened, without waiting
	// for a writer, and refused.
	path := writeFile(t, "r.jsonl", msgFile())
	if _, err := openRead(swapFS{fsx.OS, fifo}, path, DefaultLimits); !errors.Is(err, ErrRefused) {
		t.Errorf("swapped: error %v", err)
	}
}

func TestOpenFollowsLink(t *testing.T) {
	path := writeFile(t, "r.jsonl", msgFile())
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	got, err := openRead(fsx.OS, link, DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	checkReading(t, got, msgFile())
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := openRead(fsx.OS, link, DefaultLimits); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("dangling: error %v", err)
	}
}

func TestUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	path := writeFile(t, "r.jsonl", msgFile())
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := openRead(fsx.OS, path, DefaultLimits); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error %v", err)
	}
}

// What happens to the name of an open file does not change the file.
func TestR17OtherFileOfTheName(t *testing.T) {
	wantCodes(t, readChanging(t, os.Remove))
	wantCodes(t, readChanging(t, func(path string) error {
		if err := os.WriteFile(path+".new", []byte("other\n"), 0o600); err != nil {
			return err
		}
		return os.Rename(path+".new", path)
	}))
}
