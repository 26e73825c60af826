package ingest

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"rollbook/internal/corpustest"
	"rollbook/internal/rolltest"
)

// homes gives the homes of the corpus.
func homes(t testing.TB) (list []string) {
	t.Helper()
	err := filepath.WalkDir(corpustest.Dir(t), func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "home" {
			list = append(list, name)
			return filepath.SkipDir
		}
		return err
	})
	if err != nil || len(list) == 0 {
		t.Fatal("no homes in the corpus", err)
	}
	return list
}

// generated makes a home of all versions, with forks, sub-agents, archived and
// compressed files.
func generated(t testing.TB, threads int) string {
	t.Helper()
	dir := t.TempDir()
	if _, _, err := rolltest.GenerateHome(dir, rolltest.HomeOptions{Seed: 3, Threads: threads, Bytes: 4000}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// rollouts gives the rollouts below a folder.
func rollouts(t testing.TB, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), "rollout-") {
			list = append(list, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// onlyActions fails where a run did anything else.
func onlyActions(t *testing.T, s *Summary, want ...Action) {
	t.Helper()
	for _, root := range s.Roots {
		for a, n := range root.Actions {
			if n > 0 && !slices.Contains(want, a) {
				t.Errorf("%s: %d %s, want only %v", root.Path, n, a, want)
			}
		}
	}
}

// TestCorpusTwice: importing every home again, and in another order, changes
// nothing (S2).
func TestCorpusTwice(t *testing.T) {
	all := homes(t)
	db := newStore(t)
	first := run1(t, db, Options{}, all...)
	if first.Run.Counts.Imported < 1500 {
		t.Errorf("only %d messages", first.Run.Counts.Imported)
	}
	want := dump(t, db)
	again := run1(t, db, Options{}, all...)
	onlyActions(t, again, Unchanged)
	if again.Run.Counts.Lines != 0 {
		t.Errorf("read %d lines again", again.Run.Counts.Lines)
	}
	sameDump(t, "again", dump(t, db), want)
	verified := run1(t, db, Options{Verify: true}, all...)
	onlyActions(t, verified, Unchanged, Append)
	sameDump(t, "verified", dump(t, db), want)

	slices.Reverse(all)
	db = newStore(t)
	run1(t, db, Options{}, all...)
	sameDump(t, "in another order", dump(t, db), want)
}

// explained are the homes of the corpus in which lines are no JSON or of a kind
// that is not known, with how many, and why.
var explained = map[string]struct{ invalid, unknown int64 }{}

// TestCorpusCounts: what is not read in the corpus is explained line by line.
func TestCorpusCounts(t *testing.T) {
	for _, home := range homes(t) {
		rel, err := filepath.Rel(corpustest.Dir(t), home)
		if err != nil {
			t.Fatal(err)
		}
		s := run1(t, newStore(t), Options{}, home)
		c := s.Run.Counts
		want := explained[filepath.ToSlash(filepath.Dir(rel))]
		if c.InvalidJSON != want.invalid || c.UnknownEvents != want.unknown {
			t.Errorf("%s: %d lines are no JSON, %d of an unknown kind; explained are %d and %d", rel, c.InvalidJSON, c.UnknownEvents, want.invalid, want.unknown)
			for _, code := range s.Tally.Codes() {
				t.Log(s.Tally.Examples(code))
			}
		}
		if c.InvalidTimestamps+c.InvalidUsage+c.Repaired+c.Oversized > 0 {
			t.Errorf("%s: %+v", rel, c)
		}
	}
}

// TestMoved: files that are copied to the archive, moved there, compressed or
// touched are the same sources, and nothing of them changes (S2).
func TestMoved(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, home string)
		want   []Action
	}{
		{"copied", func(t *testing.T, home string) {
			for _, name := range rollouts(t, filepath.Join(home, "sessions")) {
				text, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				write(t, filepath.Join(home, "archived_sessions", filepath.Base(name)), string(text))
			}
		}, []Action{Unchanged}},
		{"moved", func(t *testing.T, home string) {
			for _, name := range rollouts(t, filepath.Join(home, "sessions")) {
				if err := os.Rename(name, filepath.Join(home, "archived_sessions", filepath.Base(name))); err != nil {
					t.Fatal(err)
				}
			}
		}, []Action{Unchanged, Relocate}},
		{"compressed", func(t *testing.T, home string) {
			for _, name := range rollouts(t, home) {
				compress(t, name)
			}
		}, []Action{Unchanged, Relocate}},
		{"touched", func(t *testing.T, home string) {
			now := time.Now()
			for _, name := range rollouts(t, home) {
				if err := os.Chtimes(name, now, now); err != nil {
					t.Fatal(err)
				}
			}
		}, []Action{Relocate, Unchanged}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			home := generated(t, 30)
			if err := os.MkdirAll(filepath.Join(home, "archived_sessions"), 0o755); err != nil {
				t.Fatal(err)
			}
			db := newStore(t)
			run1(t, db, Options{}, home)
			want := withoutArchived(dump(t, db))
			tt.change(t, home)
			onlyActions(t, run1(t, db, Options{}, home), tt.want...)
			sameDump(t, tt.name, withoutArchived(dump(t, db)), want)
			onlyActions(t, run1(t, db, Options{}, home), Unchanged)
			fresh := newStore(t)
			run1(t, fresh, Options{}, home)
			sameDump(t, "a new store", withoutArchived(dump(t, fresh)), want)
		})
	}
}

// withoutArchived leaves out what a move to the archive does change.
func withoutArchived(dump string) string {
	lines := strings.Split(dump, "\n")
	for i, l := range lines {
		cells := strings.Split(l, "\t")
		switch cells[0] {
		case `"thread"`:
			cells[9] = ""
		case `"source"`: // the end of a compressed file is compared as a whole
			cells[6] = ""
		}
		lines[i] = strings.Join(cells, "\t")
	}
	return strings.Join(lines, "\n")
}

// compress compresses a rollout as Codex does: the plain file goes, its time
// stays.
func compress(t testing.TB, name string) {
	t.Helper()
	if strings.HasSuffix(name, ".zst") {
		return
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	write(t, name+".zst", string(enc.EncodeAll(text, nil)))
	if err := os.Chtimes(name+".zst", info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}
