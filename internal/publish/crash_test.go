package publish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	gosync "sync"
	"testing"

	"rollbook/internal/fsx"
	"rollbook/internal/fsx/fsxtest"
)

// The test binary syncs or rolls back, instead of testing, where this is set:
// what to do, the sessions root, and the call that changes something before which
// it dies (0: none).
const aloneVariable = "ROLLBOOK_TEST_PUBLISH"

func TestMain(m *testing.M) {
	if args := os.Getenv(aloneVariable); args != "" {
		if err := doAlone(strings.Split(args, "\n")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func doAlone(args []string) error {
	if err := fsxtest.LimitRoom(os.Getenv(fsxtest.RoomVariable)); err != nil {
		return err
	}
	at, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	tg, err := NewTarget(args[1])
	if err != nil {
		return err
	}
	n := 0
	tg = tg.through(func(fsys fsx.WriteFS) fsx.WriteFS {
		return fsxtest.NewMutating(fsys, func(c fsxtest.Call) {
			if changing[c.Op] {
				n++
			}
			if n == at && at > 0 {
				die()
			}
		}, nil)
	})
	return jobs[args[0]](context.Background(), tg)
}

// changing are the calls that change something: to die before any other leaves
// the same behind as to die before the next of these.
var changing = map[fsxtest.Op]bool{
	fsxtest.Create: true, fsxtest.Write: true, fsxtest.Chmod: true, fsxtest.Mkdir: true, fsxtest.Rename: true, fsxtest.Remove: true,
}

func alone(env []string, job string, tg *Target, at int) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), append(env, fmt.Sprintf("%s=%s\n%s\n%d", aloneVariable, job, tg.root, at))...)
	return cmd
}

// delta is adopted and epsilon was gone on with, while alpha is refreshed and
// beta and gamma installed.
var (
	delta   = thread{id: "019b0000-0000-7000-8000-000000000004", cwd: "/srv/other", words: []string{"Known to nobody."}}
	epsilon = thread{id: "019b0000-0000-7000-8000-000000000005", cwd: "/srv/demo", words: []string{"Gone on with."}}
	grown   = alpha.said("And then?")
	later   = grown.said("And after that?")
)

// prepared is a home in which every outcome has a session.
func prepared(t testing.TB) *Target {
	t.Helper()
	tg := newTarget(t)
	sync(t, tg, false, alpha, epsilon)
	write(t, tg.logOf(delta), bytesOf(t, delta))
	must(t, goOn(tg.logOf(epsilon), 2))
	return tg
}

// jobs are what is cut short.
var jobs = map[string]func(context.Context, *Target) error{
	"sync":     func(ctx context.Context, tg *Target) error { return syncAll(ctx, tg, grown) },
	"rollback": func(ctx context.Context, tg *Target) error { _, err := tg.Rollback(ctx, ""); return err },
}

func syncAll(ctx context.Context, tg *Target, first thread) error {
	var cs []Candidate
	for _, th := range []thread{first, beta, gamma, delta, epsilon.said("in Codex")} {
		c, err := th.write(ctx, new(strings.Builder))
		if err != nil {
			return err
		}
		cs = append(cs, Candidate{Key: th.key(), Converted: c, Write: th.write})
	}
	p, err := tg.Plan(ctx, cs, false)
	if err != nil {
		return err
	}
	_, err = tg.Apply(ctx, p)
	return err
}

// A scene is one of the two jobs: what is there before it, what each log may be
// at any moment, and what finishes it.
type scene struct {
	job    string
	before func(t testing.TB) *Target
	alpha  [2]thread
}

var scenes = []scene{
	{"sync", prepared, [2]thread{alpha, grown}},
	{"rollback", func(t testing.TB) *Target {
		tg := prepared(t)
		must(t, syncAll(context.Background(), tg, grown))
		return tg
	}, [2]thread{grown, alpha}},
}

// holds is P2: each log is what it was or what was to come, and nobody's turn is
// lost; nothing else looks like a log.
func (s scene) holds(t *testing.T, what string, tg *Target, foreign string) {
	t.Helper()
	if got := read(t, tg.logOf(alpha)); got != bytesOf(t, s.alpha[0]) && got != bytesOf(t, s.alpha[1]) {
		t.Errorf("%s: the refreshed log is neither the old nor the new one", what)
	}
	for _, th := range []thread{beta, gamma} {
		if got, err := os.ReadFile(tg.logOf(th)); err == nil && string(got) != bytesOf(t, th) {
			t.Errorf("%s: the installed log is not whole", what)
		}
	}
	if read(t, tg.logOf(delta)) != bytesOf(t, delta) || read(t, tg.logOf(epsilon)) != foreign {
		t.Errorf("%s: a log was changed that was not to be", what)
	}
	logs, err := filepath.Glob(filepath.Join(tg.root, "*", "*", "session*"))
	must(t, err)
	hidden, err := filepath.Glob(filepath.Join(tg.root, "*", ".*", "session*"))
	must(t, err)
	if len(logs) > 5 || len(hidden) > 0 {
		t.Errorf("%s: logs %v", what, logs)
	}
	if _, err := os.ReadFile(tg.logOf(beta)); err == nil && s.job == "sync" {
		s.recorded(t, what, tg)
	}
}

// recorded is P1: once the first log is there, a whole manifest says so.
func (s scene) recorded(t *testing.T, what string, tg *Target) {
	t.Helper()
	m, err := parseManifest([]byte(read(t, filepath.Join(tg.home(), latestName))))
	if err != nil || !slices.ContainsFunc(m.Remove, func(r removal) bool { return r.Key == beta.key() }) {
		t.Errorf("%s: a log is installed before the manifest: %v", what, err)
		return
	}
	if read(t, filepath.Join(tg.home(), archiveName(m.RunID))) != read(t, filepath.Join(tg.home(), latestName)) {
		t.Errorf("%s: the archive is not whole", what)
	}
	for _, r := range m.Restore {
		if read(t, r.BackupLog) != bytesOf(t, alpha) {
			t.Errorf("%s: the backup is not whole", what)
		}
	}
}

// finishes is the rest of P2: the same again, or a later sync instead, ends as
// if nothing had happened. How is chosen by n.
func (s scene) finishes(t *testing.T, what string, tg *Target, n int) {
	t.Helper()
	want := map[string]thread{alpha.key(): grown, beta.key(): beta, gamma.key(): gamma}
	switch {
	case n%2 == 0:
		// The thread grew before anybody ran again: ours must still be ours.
		must(t, syncAll(t.Context(), tg, later))
		want[alpha.key()] = later
	case s.job == "sync":
		must(t, syncAll(t.Context(), tg, grown))
	default:
		rollback(t, tg, "")
		want = map[string]thread{alpha.key(): alpha}
	}
	for _, th := range []thread{alpha, beta, gamma} {
		now, there := want[th.key()]
		got, err := os.ReadFile(tg.logOf(th))
		if there != (err == nil) || there && string(got) != bytesOf(t, now) {
			t.Errorf("%s: after running again %s is not as it should be (%v)", what, th.key(), err)
		}
		digest, known := stateOf(t, tg)[th.key()]
		if known != there || there && digest != now.candidate(t).Digest.String() {
			t.Errorf("%s: after running again the state has %q for %s", what, digest, th.key())
		}
	}
	if left := leftovers(t, tg); n%2 == 0 && slices.ContainsFunc(left, func(name string) bool { return !strings.Contains(name, backupDir) }) {
		t.Errorf("%s: left over after running again: %v", what, left)
	}
}

// TestFaults: each call of a sync and of a rollback fails once.
func TestFaults(t *testing.T) {
	for _, s := range scenes {
		t.Run(s.job, func(t *testing.T) {
			t.Parallel()
			for n := 1; ; n++ {
				tg := s.before(t)
				foreign := read(t, tg.logOf(epsilon))
				var failing *fsxtest.Failing
				opened := 0
				err := jobs[s.job](t.Context(), tg.through(func(fsys fsx.WriteFS) fsx.WriteFS {
					if opened++; opened == 1 { // only the plan reads
						return fsys
					}
					failing = fsxtest.NewFailing(fsys, n)
					return failing
				}))
				call, hit := failing.Failed()
				if !hit {
					must(t, err)
					t.Logf("%d calls", n-1)
					return
				}
				what := fmt.Sprintf("call %d (%s %s)", n, call.Op, call.Name)
				s.holds(t, what, tg, foreign)
				s.finishes(t, what, tg, n)
			}
		})
	}
}

// TestPlanFaults: a plan that cannot look at something writes nothing, and what
// it could not see is left alone.
func TestPlanFaults(t *testing.T) {
	for n := 1; ; n++ {
		tg := prepared(t)
		before := contents(t, tg.home())
		var failing *fsxtest.Failing
		p, err := tg.through(func(fsys fsx.WriteFS) fsx.WriteFS {
			failing = fsxtest.NewFailing(fsys, n)
			return failing
		}).Plan(t.Context(), candidates(t, grown, beta, delta), true)
		call, hit := failing.Failed()
		if contents(t, tg.home()) != before {
			t.Fatalf("call %d: a plan wrote", n)
		}
		if !hit {
			must(t, err)
			return
		}
		if err == nil && call.Op != fsxtest.Close && !strings.Contains(describe(p.Entries), string(LeftAlone)) {
			t.Errorf("call %d (%s %s): %s", n, call.Op, call.Name, describe(p.Entries))
		}
	}
}

// TestKilled: a process that dies before any of its calls.
func TestKilled(t *testing.T) {
	for _, s := range scenes {
		t.Run(s.job, func(t *testing.T) {
			t.Parallel()
			for n := 1; ; n++ {
				tg := s.before(t)
				foreign := read(t, tg.logOf(epsilon))
				out, err := alone(nil, s.job, tg, n).CombinedOutput()
				var exit *exec.ExitError
				if err == nil {
					t.Logf("%d calls", n-1)
					return
				}
				if !errors.As(err, &exit) || exit.Exited() {
					t.Fatalf("call %d: %v: %s", n, err, out)
				}
				what := fmt.Sprintf("killed before call %d", n)
				s.holds(t, what, tg, foreign)
				s.finishes(t, what, tg, n)
			}
		})
	}
}

// TestInterrupted: a sync that is told to stop, at each of its calls, stops in
// between two sessions and says so.
func TestInterrupted(t *testing.T) {
	for _, s := range scenes {
		t.Run(s.job, func(t *testing.T) {
			t.Parallel()
			for n := 1; ; n += 5 {
				tg := s.before(t)
				foreign := read(t, tg.logOf(epsilon))
				ctx, cancel := context.WithCancel(t.Context())
				calls := 0
				err := jobs[s.job](ctx, tg.through(func(fsys fsx.WriteFS) fsx.WriteFS {
					return fsxtest.NewMutating(fsys, func(fsxtest.Call) {
						if calls++; calls == n {
							cancel()
						}
					}, nil)
				}))
				cancel()
				if calls < n {
					must(t, err)
					return
				}
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				what := fmt.Sprintf("interrupted at call %d", n)
				s.holds(t, what, tg, foreign)
				s.finishes(t, what, tg, n)
			}
		})
	}
}

// TestTwoAtOnce: while one run has the lock another is told so; of several
// processes none breaks what another does.
func TestTwoAtOnce(t *testing.T) {
	tg := prepared(t)
	_, done, err := tg.create()
	must(t, err)
	before := contents(t, tg.root)
	if err := syncAll(t.Context(), tg, grown); !errors.Is(err, fsx.ErrLocked) {
		t.Errorf("a second sync: %v", err)
	}
	if _, err := tg.Rollback(t.Context(), ""); !errors.Is(err, fsx.ErrLocked) {
		t.Errorf("a rollback beside a sync: %v", err)
	}
	if contents(t, tg.root) != before {
		t.Error("a log was touched")
	}
	must(t, done())

	var all gosync.WaitGroup
	for range 4 {
		all.Go(func() {
			if out, err := alone(nil, "sync", tg, 0).CombinedOutput(); err != nil && !strings.Contains(string(out), "held by another process") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	foreign := read(t, tg.logOf(epsilon))
	scenes[0].holds(t, "four at once", tg, foreign)
	scenes[0].finishes(t, "four at once", tg, 1)
	runs, err := filepath.Glob(filepath.Join(tg.home(), archiveDir, "*.json"))
	must(t, err)
	if len(runs) != 2 { // that of prepared, and one
		t.Errorf("%d runs wrote a manifest", len(runs)-1)
	}
}
