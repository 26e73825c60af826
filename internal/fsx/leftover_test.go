package fsx

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What a writing that was cut off leaves is found, and nothing else.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", ".rollbook-x.tmp", "rollbook-ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	func() {
		defer func() { recover() }()
		WriteFile(crashing{OS}, filepath.Join(dir, "file"), 0o600, nil)
	}()
	left := Leftovers(OS, dir)
	if len(left) != 1 {
		t.Fatalf("leftovers %q", left)
	}
	entries, _ := os.ReadDir(dir)
	if !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return filepath.Join(dir, e.Name()) == left[0] }) {
		t.Errorf("%q is not there", left)
	}
}

// A crashing file system removes nothing, as a process that was killed.
type crashing struct{ WriteFS }

func (crashing) Remove(string) error { return nil }
