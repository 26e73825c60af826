package bundle

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rollbook/internal/fsx"
	"rollbook/internal/fsx/fsxtest"
)

// E9: a name that is taken, by whatever, is left as it is.
func TestWriteRefuses(t *testing.T) {
	p := prepareText(t, basic)
	parent := t.TempDir()
	at := func(name string) string { return filepath.Join(parent, name) }
	if err := errors.Join(os.Mkdir(at("empty"), 0o700), os.WriteFile(at("file"), []byte("x"), 0o600)); err != nil {
		t.Fatal(err)
	}
	names := []string{"empty", "file"}
	if os.Symlink("nowhere", at("link")) == nil {
		names = append(names, "link")
	}
	before := tree(t, parent)
	for _, name := range names {
		if err := p.Write(t.Context(), fsx.OS, at(name)); !errors.Is(err, os.ErrExist) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := p.Write(t.Context(), fsx.OS, at("missing/bundle")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a parent that is missing: error %v", err)
	}
	if after := tree(t, parent); len(after) != len(before) {
		t.Errorf("the folder holds %q", after)
	}
}

// E13, B1: whatever call fails, a name has the whole bundle or is free, what was
// there before stays, and an error says so.
func TestWriteFaults(t *testing.T) {
	dir := newCheckout(t, map[string]string{"a": "one\n"})
	put(t, dir, map[string]string{"a": "two\n", "b": "new\n"})
	o := withCode(t, dir, "a", "b")
	p := prepare(t, o)
	for n := 1; ; n++ {
		parent := t.TempDir()
		put(t, parent, map[string]string{"mine": "x"})
		failing := fsxtest.NewFailing(fsx.OS, n)
		err := p.Write(t.Context(), failing, filepath.Join(parent, "bundle"))
		call, failed := failing.Failed()
		if !failed {
			if err != nil {
				t.Fatal(err)
			}
			mustVerify(t, filepath.Join(parent, "bundle"))
			t.Logf("%d calls", n-1)
			return
		}
		_, there := os.Lstat(filepath.Join(parent, "bundle"))
		if there == nil {
			mustVerify(t, filepath.Join(parent, "bundle"))
		}
		if err == nil && there != nil {
			t.Fatalf("%v failed, and nobody said so", call)
		}
		if got := tree(t, parent); got["mine"] == "" {
			t.Fatalf("%v failed: the folder holds %q", call, got)
		} else if there != nil && call.Op != fsxtest.Remove && len(got) != 2 {
			t.Fatalf("%v failed: the folder holds %q", call, got)
		}
	}
}

// B1: a process that is killed while it writes leaves no bundle, or the whole one;
// what it left beside is found by its name.
func TestWriteKilled(t *testing.T) {
	if at := os.Getenv("ROLLBOOK_TEST_WRITE"); at != "" {
		slow := fsxtest.NewMutating(fsx.OS, func(fsxtest.Call) {
			os.Stdout.WriteString(".")
			time.Sleep(time.Millisecond)
		}, nil)
		name, dir, _ := strings.Cut(at, "\n")
		if err := prepare(t, optionsFor(name)).Write(t.Context(), slow, dir); err != nil {
			t.Fatal(err)
		}
		return
	}
	name := rolloutFile(t, basic)
	whole, left := 0, 0
	for n := 1; n < 40; n += 3 {
		parent := t.TempDir()
		dir := filepath.Join(parent, "bundle")
		cmd := exec.Command(os.Args[0], "-test.run=^TestWriteKilled$", "-test.count=1")
		cmd.Env = append(os.Environ(), "ROLLBOOK_TEST_WRITE="+name+"\n"+dir)
		steps, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		readSome(steps, n)
		cmd.Process.Kill()
		cmd.Wait()
		if _, err := os.Lstat(dir); err == nil {
			mustVerify(t, dir)
			whole++
			continue
		}
		entries, _ := os.ReadDir(parent)
		if found := fsx.Leftovers(fsx.OS, parent); len(found) != len(entries) {
			t.Errorf("killed after %d calls: left %v, found %q", n, entries, found)
		} else if len(found) > 0 {
			left++
		}
		if err := prepare(t, optionsFor(name)).Write(t.Context(), fsx.OS, dir); err != nil {
			t.Errorf("killed after %d calls, run again: %v", n, err)
		}
		mustVerify(t, dir)
	}
	t.Logf("%d whole bundles, %d leftovers", whole, left)
	if left == 0 {
		t.Error("no kill fell into the middle")
	}
}

// B9: what verify would refuse is refused before anything is written.
func TestWriteLimits(t *testing.T) {
	o := optionsFor(rolloutFile(t, strings.Replace(meta("s"), "synthetic", strings.Repeat("x", maxManifest), 1)+say("user", "x")))
	o.Limits.Line = 4 << 20
	_, err := Prepare(t.Context(), fsx.OS, o)
	wantError(t, err, "manifest.json would hold more than")
	var b strings.Builder
	b.WriteString(meta("s"))
	line := say("user", strings.Repeat("x", 1<<19))
	for range maxContext/len(line) + 1 {
		b.WriteString(line)
	}
	o = optionsFor(rolloutFile(t, b.String()))
	o.Limits.File = 1 << 30
	_, err = Prepare(t.Context(), fsx.OS, o)
	wantError(t, err, "history.jsonl would hold more than")
}
