package publish

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rollbook/internal/assemble"
	"rollbook/internal/confine"
	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/dsh"
	"rollbook/internal/fsx"
	"rollbook/internal/rolltest/edit"
	"rollbook/internal/rolltest/sample"
)

// ofHome converts every thread of a Codex home, as a sync does: once to learn
// what the session is, and again where it is written, with images into a store.
func ofHome(t *testing.T, dir, dshHome string) []Candidate {
	t.Helper()
	home, err := discover.Open(dir)
	must(t, err)
	t.Cleanup(func() { home.Close() })
	report := func(diag.Diagnostic) {}
	refs, err := home.Refs(t.Context(), report)
	must(t, err)
	titles, err := home.Titles(t.Context(), report)
	must(t, err)
	library := assemble.New(home, refs, titles, report)
	convert := func(ctx context.Context, id string, dryRun bool, w io.Writer) (dsh.Report, error) {
		th, err := library.Session(ctx, id, assemble.SessionOptions{Full: true})
		if err != nil {
			return dsh.Report{}, err
		}
		store := &dsh.Store{FS: fsx.OS, Dir: filepath.Join(dshHome, "attachments", "v1"), DryRun: dryRun}
		return dsh.Convert(ctx, th, dsh.Options{MaxTextChars: dsh.DefaultMaxText, Images: store}, w)
	}
	var all []Candidate
	for _, id := range library.IDs() {
		r, err := convert(t.Context(), id, true, io.Discard)
		must(t, err)
		all = append(all, Candidate{Key: dsh.SessionDir(r.Header), Converted: Converted{r.Digest, r.ImagesSkipped},
			Write: func(ctx context.Context, w io.Writer) (Converted, error) {
				r, err := convert(ctx, id, false, w)
				return Converted{r.Digest, r.ImagesSkipped}, err
			}})
	}
	return all
}

// TestSampleHome: the sample home is synced, synced again, grows, is refreshed,
// and is rolled back to the very bytes.
func TestSampleHome(t *testing.T) {
	home := filepath.Join(t.TempDir(), "codex")
	must(t, sample.Home().Write(home))
	tg := newTarget(t).patient()
	apply := func() map[Outcome]int {
		t.Helper()
		p, err := tg.Plan(t.Context(), ofHome(t, home, tg.home()), false)
		must(t, err)
		res, err := tg.Apply(t.Context(), p)
		must(t, err)
		if got, want := describe(res.Entries), describe(p.Entries); got != want {
			t.Errorf("planned\n%sdone\n%s", want, got)
		}
		count := make(map[Outcome]int)
		for _, e := range res.Entries {
			count[e.Outcome]++
		}
		verified(t, tg)
		return count
	}

	if got := apply(); len(got) != 1 || got[Installed] < 15 {
		t.Fatalf("first: %v", got)
	}
	first := contents(t, tg.home())
	if !strings.Contains(first, "attachments/v1/objects/") {
		t.Error("no image was published")
	}
	logs := logsOf(t, tg)
	if got := apply(); len(got) != 1 || got[Unchanged] < 15 || contents(t, tg.home()) != first {
		t.Errorf("again: %v", got)
	}

	rollouts, err := filepath.Glob(filepath.Join(home, "sessions", "*", "*", "*", "rollout-*01a0f3a5*.jsonl"))
	must(t, err)
	if len(rollouts) != 1 {
		t.Fatal(rollouts)
	}
	must(t, edit.AppendTurn(rollouts[0], 7))
	if got := apply(); got[Refreshed] != 1 || got[Unchanged] < 14 || len(got) != 2 {
		t.Errorf("grown: %v", got)
	}
	if now := logsOf(t, tg); len(now) != len(logs) || differing(now, logs) != 1 {
		t.Error("other logs changed than the one whose thread grew")
	}
	if back := rollback(t, tg, ""); len(back.Restored) != 1 || len(back.Skipped)+len(back.Removed) != 0 {
		t.Error(undone(back))
	}
	if differing(logsOf(t, tg), logs) != 0 {
		t.Error("the rollback did not bring the bytes back")
	}
	verified(t, tg)
}

// verified holds every log to all checks, with where it lies, modes and images.
func verified(t *testing.T, tg *Target) {
	t.Helper()
	root, err := confine.OpenRoot(tg.root)
	must(t, err)
	defer root.Close()
	store, err := confine.OpenRoot(filepath.Join(tg.home(), "attachments", "v1"))
	must(t, err)
	defer store.Close()
	for v, err := range dsh.Verify(dsh.Root{FS: root, Path: root.Path(), Store: store}) {
		if err != nil || len(v.Faults) > 0 {
			t.Errorf("%s: %v %v", v.Path, v.Faults, err)
		}
	}
}

// logsOf gives the bytes of every log.
func logsOf(t *testing.T, tg *Target) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(tg.root, "*", "*", dsh.LogName))
	must(t, err)
	logs := make(map[string]string)
	for _, name := range names {
		text, err := os.ReadFile(name)
		must(t, err)
		logs[name] = string(text)
	}
	return logs
}

func differing(a, b map[string]string) int {
	n := 0
	for name, text := range a {
		if b[name] != text {
			n++
		}
	}
	return n
}
