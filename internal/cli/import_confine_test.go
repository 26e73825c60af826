//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/confine"
)

// confinable is a folder with a home, a link to it and a place for a database.
func confinable(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "home", "sessions"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "home", "history.jsonl"), `{"session_id":"a","ts":1790251201,"text":"hello"}`+"\n")
	if err := os.Symlink("home", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// listed gives all names below a folder.
func listed(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
		names = append(names, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestImportConfines: before anything is read, the kernel is told of what is
// chosen and of the folder of the database, and of nothing else.
func TestImportConfines(t *testing.T) {
	dir := confinable(t)
	home := filepath.Join(dir, "home")
	for _, tt := range []struct {
		db   string
		held bool
	}{{"data/rollbook.db", false}, {"rollbook.db", true}} {
		var got []confine.Rules
		env := Env{Dir: dir, Restrict: func(r confine.Rules) (confine.Report, error) {
			got = append(got, r)
			return confine.Report{Words: "kernel confinement is not available here: a test"}, nil
		}}
		r := try(t, env, []string{"import", "link", "--db", tt.db})
		if r.code != exitOK || len(got) != 1 {
			t.Fatalf("%d, told %d times: %s", r.code, len(got), r.stderr)
		}
		rules := got[0]
		if !slices.Equal(rules.List, []string{home}) || !slices.Equal(rules.Write, []string{filepath.Dir(filepath.Join(dir, tt.db))}) ||
			!slices.Equal(rules.Read, []string{filepath.Join(home, "sessions"), filepath.Join(home, "history.jsonl")}) {
			t.Errorf("%+v", rules)
		}
		if !strings.Contains(r.stderr, "not available here: a test") || strings.Contains(r.stderr, "the folder of the database holds it") != tt.held {
			t.Errorf("%s: %s", tt.db, r.stderr)
		}
	}
}

// TestImportStaysOutside: no database is made below what is only read, whichever
// way it is named.
func TestImportStaysOutside(t *testing.T) {
	for _, c := range [][2]string{{"home", "home/rollbook.db"}, {"link", "link/rollbook.db"}, {"link", "home/new/rollbook.db"}, {"home", "link/new/rollbook.db"},
		{"link/history.jsonl", "home/rollbook.db"}} {
		dir := confinable(t)
		before := listed(t, dir)
		if r := try(t, Env{Dir: dir}, []string{"import", c[0], "--db", c[1]}); r.code != exitFailure || !strings.Contains(r.stderr, "which is only read") {
			t.Errorf("%v: %d: %s", c, r.code, r.stderr)
		}
		if after := listed(t, dir); !slices.Equal(after, before) {
			t.Errorf("%v: %v, was %v", c, after, before)
		}
	}
}
