package publish

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rollbook/internal/fsx"
	"rollbook/internal/fsx/fsxtest"
	"rollbook/internal/zstdio"

	"github.com/google/go-cmp/cmp"
)

// TestLive: a harness that goes on with a session, before any call of a sync or
// a rollback or in the very moment of a rename, loses nothing: what it appended
// is in the log, behind the old events or behind the new ones.
func TestLive(t *testing.T) {
	for _, s := range scenes {
		for _, when := range []string{"before", "after"} {
			t.Run(s.job+"/"+when, func(t *testing.T) {
				t.Parallel()
				kept, replaced := 0, 0
				for n := 1; ; n++ {
					tg := s.before(t)
					old, now := bytesOf(t, s.alpha[0]), bytesOf(t, s.alpha[1])
					calls := 0
					harness := func(c fsxtest.Call) {
						if when == "after" && !changing[c.Op] {
							return // nothing of ours comes between this and the next
						}
						if calls++; calls == n {
							must(t, goOn(tg.logOf(alpha), 9))
						}
					}
					before, after := harness, (func(fsxtest.Call))(nil)
					if when == "after" {
						before, after = nil, harness
					}
					err := jobs[s.job](t.Context(), tg.through(func(fsys fsx.WriteFS) fsx.WriteFS {
						return fsxtest.NewMutating(fsys, before, after)
					}))
					must(t, err)
					if calls < n {
						t.Logf("%d calls: the old log stayed %d times, the new one was gone on with %d times", n-1, kept, replaced)
						if kept == 0 || replaced == 0 {
							t.Error("the sweep missed one side of the rename")
						}
						return
					}
					switch got := read(t, tg.logOf(alpha)); {
					case strings.HasPrefix(got, old) && frames(t, got) == frames(t, old)+1:
						kept++
					case strings.HasPrefix(got, now) && frames(t, got) == frames(t, now)+1:
						replaced++
					default:
						t.Fatalf("call %d: what the harness appended is lost: %d frames", n, frames(t, got))
					}
				}
			})
		}
	}
}

func frames(t *testing.T, log string) int {
	n := 0
	for _, err := range zstdio.Frames(strings.NewReader(log)) {
		must(t, err)
		n++
	}
	return n
}

// TestLiveReasons: what is told of a session that the harness went on with
// during a run.
func TestLiveReasons(t *testing.T) {
	lock := func(tg *Target) error {
		return os.WriteFile(filepath.Join(filepath.Dir(tg.logOf(alpha)), "session.lock"), nil, 0o600)
	}
	on := func(tg *Target) error { return goOn(tg.logOf(alpha), 2) }
	rename := func(tg *Target, c fsxtest.Call) bool {
		return c.Op == fsxtest.Rename && c.Name == "sessions/"+alpha.key()+"/session.v3.jsonl.zstd"
	}
	hash := func(tg *Target, c fsxtest.Call) bool { // the read of the backup, then that before the rename
		return c.Op == fsxtest.Read && c.N == 4 && strings.HasSuffix(c.Name, alpha.key()+"/session.v3.jsonl.zstd")
	}
	manifest := func(tg *Target, c fsxtest.Call) bool {
		return c.Op == fsxtest.Create && strings.HasPrefix(c.Name, archiveDir)
	}
	for _, c := range []struct {
		name string
		when func(*Target, fsxtest.Call) bool
		what func(*Target) error
		want string
	}{
		{"between plan and apply", nil, on, "continued in DSH (3 frames, 2 turns)"},
		{"behind the backup", manifest, on, "continued in DSH (3 frames, 2 turns)"},
		{"between digest and rename", hash, on, "continued in DSH (3 frames, 2 turns)"},
		{"in the rename", rename, on, "continued in DSH (3 frames, 2 turns)"},
		{"opened behind the backup", manifest, lock, "DSH has the session open (session.lock)"},
		{"opened between digest and rename", hash, lock, "DSH has the session open (session.lock)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tg := prepared(t)
			p, err := tg.Plan(t.Context(), candidates(t, grown, beta), false)
			must(t, err)
			done := 0
			act := func() { done++; must(t, c.what(tg)) }
			if c.when == nil {
				act()
			}
			res, err := tg.through(func(fsys fsx.WriteFS) fsx.WriteFS {
				return fsxtest.NewMutating(fsys, func(call fsxtest.Call) {
					if c.when != nil && done == 0 && c.when(tg, call) {
						act()
					}
				}, nil)
			}).Apply(t.Context(), p)
			must(t, err)
			got := res.Entries
			if done != 1 || got[0].Outcome != LeftAlone || got[0].Reason != c.want || got[1].Outcome != Installed {
				t.Errorf("%d times, %s", done, describe(got))
			}
			if !strings.HasPrefix(read(t, tg.logOf(alpha)), bytesOf(t, alpha)) {
				t.Error("the log was replaced")
			}
			// The entry of the manifest was not carried out: no failure.
			if back := undone(rollback(t, tg, "")); strings.Contains(back, "restored") {
				t.Error(back)
			}
		})
	}
}

// TestSourceGrew: where the thread grew between plan and apply, what is written
// is what the thread is now, in log, state and manifest alike.
func TestSourceGrew(t *testing.T) {
	tg := prepared(t)
	cs := candidates(t, grown, beta, delta)
	cs[0].Write = later.write
	cs[1].Write = beta.said("more").write
	p, err := tg.Plan(t.Context(), cs, false)
	must(t, err)
	res, err := tg.Apply(t.Context(), p)
	must(t, err)
	for i, th := range []thread{later, beta.said("more")} {
		d := th.candidate(t).Digest
		if read(t, tg.logOf(th)) != bytesOf(t, th) || res.Entries[i].Digest != d || stateOf(t, tg)[th.key()] != d.String() {
			t.Errorf("%+v", res.Entries[i])
		}
	}
	if got := undone(rollback(t, tg, "")); got != "removed "+beta.key()+"\nrestored "+alpha.key()+"\n" {
		t.Error(got)
	}
	// It shrank to what is installed: nothing to be done.
	cs = candidates(t, grown)
	cs[0].Write = alpha.write
	p, err = tg.Plan(t.Context(), cs, false)
	must(t, err)
	before := read(t, filepath.Join(tg.home(), latestName))
	res, err = tg.Apply(t.Context(), p)
	must(t, err)
	if res.Entries[0].Outcome != Unchanged || res.RunID != "" || read(t, filepath.Join(tg.home(), latestName)) != before {
		t.Errorf("%+v", res)
	}
}

// TestBadConversion: a conversion that fails, or does not write what it says, is
// told, and its siblings are installed.
func TestBadConversion(t *testing.T) {
	tg := newTarget(t)
	cs := candidates(t, alpha, beta, gamma, delta)
	cs[0].Write = lying(alpha, beta)
	cs[2].Write = failing
	cs[3].Write = torn(delta)
	p, err := tg.Plan(t.Context(), cs, false)
	must(t, err)
	res, err := tg.Apply(t.Context(), p)
	must(t, err)
	var got []Outcome
	for _, e := range res.Entries {
		got = append(got, e.Outcome)
	}
	if d := cmp.Diff(got, []Outcome{Failed, Installed, Failed, Failed}); d != "" {
		t.Errorf("%s%s", d, describe(res.Entries))
	}
	for _, th := range []thread{alpha, gamma, delta} {
		if _, err := os.Stat(filepath.Dir(tg.logOf(th))); err == nil {
			t.Errorf("%s is there", th.key())
		}
	}
	if n := leftovers(t, tg); n != nil {
		t.Errorf("left over: %v", n)
	}
	if projects, err := os.ReadDir(tg.root); err != nil || len(projects) != 1 {
		t.Errorf("projects %v, %v", projects, err)
	}
}
