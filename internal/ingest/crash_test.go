package ingest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rollbook/internal/fsx/fsxtest"
	"rollbook/internal/store"
)

// The test binary imports, instead of testing, where this is set.
const importVariable = "ROLLBOOK_TEST_IMPORT"

func TestMain(m *testing.M) {
	if args := os.Getenv(importVariable); args != "" {
		if err := importAlone(strings.Split(args, "\n")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// importAlone is what a process of its own does: the database, then paths.
func importAlone(args []string) error {
	if err := fsxtest.LimitRoom(os.Getenv(fsxtest.RoomVariable)); err != nil {
		return err
	}
	ctx := context.Background()
	w, err := store.OpenWriter(ctx, args[0])
	if err != nil {
		return err
	}
	if _, err := Run(ctx, w, args[1:], Options{Started: begun}); err != nil {
		return errors.Join(err, w.Close())
	}
	if err := w.IndexOutputs(ctx, nil); err != nil {
		return errors.Join(err, w.Close())
	}
	return w.Close()
}

// alone starts a process that imports.
func alone(t testing.TB, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), append(env, importVariable+"="+strings.Join(args, "\n"))...)
	return cmd
}

// snapshots gives what the store holds of each stream.
func snapshots(dump string) map[string]string {
	parts := make(map[string]*strings.Builder)
	for l := range strings.Lines(dump) {
		cells := strings.SplitN(l, "\t", 4)
		if cells[0] != `"event"` {
			continue
		}
		if parts[cells[2]] == nil {
			parts[cells[2]] = &strings.Builder{}
		}
		parts[cells[2]].WriteString(l)
	}
	all := make(map[string]string)
	for k, b := range parts {
		all[k] = b.String()
	}
	return all
}

// TestKilled: an import that is killed at any time leaves a store that opens, is
// whole, and holds of each thread what it held before or what is there now; the
// next import makes it what it would have been (S1).
func TestKilled(t *testing.T) {
	kills := 200
	if testing.Short() {
		kills = 20
	}
	home := generated(t, 16)
	older := newStore(t)
	run1(t, older, Options{}, home)
	oldDump := dump(t, older)
	old := snapshots(oldDump)
	for i, name := range rollouts(t, home) { // each of three in another way
		switch {
		case strings.HasSuffix(name, ".zst"):
		case i%3 == 0:
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			write(t, name, strings.ReplaceAll(string(text), "request", "REQUEST"))
		case i%3 == 1:
			appendTo(t, name, line("01T10:00:01", "event_msg", `{"type":"agent_message","message":"one more"}`))
		}
	}
	write(t, filepath.Join(home, "sessions", "more.jsonl"), say(1, "hello")+say(2, "again"))
	fresh := newStore(t)
	run1(t, fresh, Options{}, home)
	newDump := dump(t, fresh)
	now := snapshots(newDump)

	// How long does it take?
	began := time.Now()
	db := copyStore(t, older)
	if out, err := alone(t, nil, db, home).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	whole := time.Since(began)
	sameDump(t, "not killed", dump(t, db), newDump)

	rng := rand.New(rand.NewPCG(1, 2))
	ended, mixed := 0, 0
	for n := range kills {
		db := copyStore(t, older)
		cmd := alone(t, nil, db, home)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rng.Int64N(int64(whole))))
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if cmd.Wait() == nil {
			ended++
			whole = whole * 95 / 100 // this machine is faster now than it was
		}
		isOld, isNew := 0, 0
		for key, text := range snapshots(contents(t, db)) {
			switch text {
			case old[key]:
				isOld++
			case now[key]:
				isNew++
			default:
				t.Fatalf("stream %s is neither what it was nor what it is now", key)
			}
		}
		if isOld > 0 && isNew > len(now)-len(old) {
			mixed++
		}
		if n%8 == 0 { // the rest of it costs more than the import
			run1(t, db, Options{}, home)
			sameDump(t, "after the next import", dump(t, db), newDump)
		}
		os.RemoveAll(filepath.Dir(filepath.Dir(db)))
	}
	t.Logf("%d of %d had ended before they were killed, %d were killed between two threads", ended, kills, mixed)
	if ended > kills*3/4 {
		t.Errorf("%d of %d imports had ended before they were killed", ended, kills)
	}
}

// copyStore copies a store that nobody has open.
func copyStore(t testing.TB, db string) string {
	t.Helper()
	text, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, "data", "rollbook.db")
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, to, string(text))
	return to
}

// TestTwoAtOnce: of two imports one is told that the other is running, and
// readers see the store all the time.
func TestTwoAtOnce(t *testing.T) {
	home := generated(t, 10)
	db := newStore(t)
	run1(t, db, Options{}, home)
	w, err := store.OpenWriter(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := store.OpenWriter(t.Context(), db); !errors.Is(err, store.ErrBusy) {
		t.Errorf("a second writer: %v", err)
	}
	s, err := w.Replace("x", nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	if n := messagesIn(t, db); n == 0 {
		t.Error("a reader sees nothing while a snapshot is open")
	}
	if err := s.Abandon(); err != nil {
		t.Fatal(err)
	}
}

// TestInterrupted: what was read whole before the interruption is kept, and the
// store is whole.
func TestInterrupted(t *testing.T) {
	home := generated(t, 40)
	db := newStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	w, err := store.OpenWriter(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Run(ctx, w, []string{home}, Options{Started: begun, Progress: &interrupter{cancel: cancel, after: 600_000}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dump(t, db)
	r, err := store.OpenReader(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	runs, err := r.Runs(1)
	if err != nil || len(runs) != 1 || runs[0].State != "interrupted" {
		t.Errorf("%+v %v", runs, err)
	}
	if n := messagesIn(t, db); n == 0 {
		t.Error("nothing of what was read is kept")
	}
	run1(t, db, Options{}, home)
	fresh := newStore(t)
	run1(t, fresh, Options{}, home)
	sameDump(t, "after the next import", dump(t, db), dump(t, fresh))
}

// An interrupter ends an import after so many bytes.
type interrupter struct {
	cancel context.CancelFunc
	after  int64
	n      int64
}

func (i *interrupter) SetTotal(int64) {}
func (i *interrupter) Add(n int64) {
	if i.n += n; i.n > i.after {
		i.cancel()
	}
}
