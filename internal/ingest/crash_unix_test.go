//go:build unix

package ingest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"rollbook/internal/fsx/fsxtest"
	"rollbook/internal/store"
)

// TestDiskFull: where the disk is full the import says so, and the store is what
// it was.
func TestDiskFull(t *testing.T) {
	home := generated(t, 60)
	few := files(t, map[string]string{"a.jsonl": say(1, "kept")})
	db := newStore(t)
	run1(t, db, Options{}, few)
	before := dump(t, db)
	info, err := os.Stat(db)
	if err != nil {
		t.Fatal(err)
	}
	for _, room := range []int64{0, 4096, 100_000, 300_000, 1_000_000} {
		db := copyStore(t, db)
		out, err := alone(t, []string{fsxtest.RoomVariable + "=" + strconv.FormatInt(info.Size()+room, 10)}, db, home).CombinedOutput()
		if err == nil {
			t.Fatalf("room for %d bytes: no error", room)
		}
		if text := string(out); !strings.Contains(text, "rollbook.db") || !strings.Contains(text, "full") && !strings.Contains(text, "disk I/O") && !strings.Contains(text, "too large") {
			t.Errorf("room for %d bytes: the error is %q", room, text)
		}
		if after := dump(t, db); !strings.Contains(after, "kept") {
			t.Errorf("room for %d bytes: what was there is gone", room)
		} else if room == 0 {
			sameDump(t, "a full disk", after, before)
		}
		run1(t, db, Options{}, home)
		dump(t, db)
	}
}

// TestReadOnly: a store that cannot be written says so, and can still be read.
func TestReadOnly(t *testing.T) {
	if os.Getuid() == 0 {
		// Root may write everywhere: make the file system itself refuse.
		t.Log("running as root: only what the mode of files cannot hide is looked at")
	}
	home := files(t, map[string]string{"a.jsonl": say(1, "kept")})
	db := newStore(t)
	run1(t, db, Options{}, home)
	before := dump(t, db)
	dir := filepath.Dir(db)
	if err := os.Chmod(db, 0o400); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o700) })
	if os.Getuid() != 0 {
		if _, err := store.OpenWriter(t.Context(), db); err == nil || !strings.Contains(err.Error(), "rollbook.db") {
			t.Errorf("the error is %v", err)
		}
	}
	if n := messagesIn(t, db); n != 1 {
		t.Errorf("%d messages are read", n)
	}
	os.Chmod(dir, 0o700)
	os.Chmod(db, 0o600)
	sameDump(t, "after that", dump(t, db), before)
}

// TestModes: the folder and the files of the store are for their owner alone,
// whatever the umask.
func TestModes(t *testing.T) {
	old := unix.Umask(0)
	defer unix.Umask(old)
	home := generated(t, 5)
	db := newStore(t)
	run1(t, db, Options{}, home)
	w, err := store.OpenWriter(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.StartRun(store.Run{}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Dir(db))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) < 3 {
		t.Errorf("only %v", entries)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", e.Name(), info.Mode())
		}
	}
	if info, err := os.Stat(filepath.Dir(db)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has mode %v", info.Mode())
	}
}
