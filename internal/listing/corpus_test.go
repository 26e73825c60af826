package listing

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rollbook/internal/corpustest"
)

// An oracle is what Codex itself lists of a home: all kinds of sources and all
// providers, active and archived.
type oracle struct {
	Threads []struct {
		Archived bool
		Unlisted bool // asked for by its id only
		List     *struct{ ID, Path string }
	}
}

// TestOracle: what Codex lists (in the corpus that is every thread) has no code
// but those of threads for which it was asked besides. The files agree too.
func TestOracle(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(corpustest.Dir(t), "*", "*", "oracle.json"))
	if err != nil {
		t.Fatal(err)
	}
	asked := []Code{NotInteractive, IsSubAgent, IsReview, IsGuardian, OtherProvider, Archived}
	listed := 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var o oracle
		if err := json.Unmarshal(text, &o); err != nil {
			t.Fatal(err)
		}
		files, archived := make(map[string]string), make(map[string]bool)
		for _, thread := range o.Threads {
			if thread.List != nil && !thread.Unlisted {
				files[thread.List.ID], archived[thread.List.ID] = path.Base(thread.List.Path), thread.Archived
			}
		}
		for _, thread := range threadsOf(t, filepath.Join(filepath.Dir(name), "home")) {
			file, inList := files[thread.ID]
			other := slices.ContainsFunc(thread.Why, func(c Code) bool { return !slices.Contains(asked, c) })
			current := strings.TrimSuffix(path.Base(thread.Parts[len(thread.Parts)-1].Path), ".zst")
			switch {
			case inList == other:
				t.Errorf("%s: thread %s is listed: %v, hidden by %q", name, thread.ID, inList, thread.Why)
			case inList && archived[thread.ID] != slices.Contains(thread.Why, Archived):
				t.Errorf("%s: thread %s is archived: %v, hidden by %q", name, thread.ID, archived[thread.ID], thread.Why)
			case inList && file != current:
				t.Errorf("%s: thread %s is in %s, not %s", name, thread.ID, file, current)
			default:
				listed++
			}
		}
	}
	if listed < 250 {
		t.Errorf("only %d threads were compared", listed)
	}
}

// TestCorpusCached: of every home of the corpus a second listing opens nothing
// and tells the same.
func TestCorpusCached(t *testing.T) {
	homes, err := filepath.Glob(filepath.Join(corpustest.Dir(t), "*", "*", "home"))
	if err != nil || len(homes) < 100 {
		t.Fatalf("%d homes, %v", len(homes), err)
	}
	for _, home := range homes {
		cache := cacheOf(t)
		first, _, found := listing(t, home, cache)
		second, opened, again := listing(t, home, cache)
		if second.Read != 0 || opened.opened.Load() != 0 {
			t.Errorf("%s: read %d threads, opened %d files", home, second.Read, opened.opened.Load())
		}
		if d := cmp.Diff(jsonOf(t, first), jsonOf(t, second)); d != "" {
			t.Errorf("%s: %s", home, d)
		}
		if d := cmp.Diff(found.Codes(), again.Codes()); d != "" {
			t.Errorf("%s: %s", home, d)
		}
	}
}
