//go:build unix

package bundle

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rollbook/internal/fsx"
	"rollbook/internal/fsx/fsxtest"
)

// handed makes a bundle of a changed checkout and a clone that it is to be applied
// to.
func handed(t testing.TB) (v *Verified, clone string) {
	t.Helper()
	dir := changed(t)
	v = mustVerify(t, write(t, prepare(t, withCode(t, dir, formNames()...))))
	clone = filepath.Join(t.TempDir(), "clone")
	git(t, dir, "clone", "-q", dir, clone)
	return v, clone
}

func applyTo(t testing.TB, v *Verified, dir string) *Apply {
	t.Helper()
	return &Apply{Bundle: v, Git: machineGit(t), Project: dir}
}

// checkoutTree is the files of a checkout without those of git.
func checkoutTree(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := tree(t, dir)
	maps.DeleteFunc(files, func(name, _ string) bool { return name == ".git" || strings.HasPrefix(name, ".git/") })
	return files
}

// mustBeApplied holds a checkout to the results of the changes.
func mustBeApplied(t testing.TB, dir string) {
	t.Helper()
	got := checkoutTree(t, dir)
	for name, versions := range forms {
		text, exec := strings.CutPrefix(versions[1], "*")
		want := "-rw------- " + text
		if exec {
			want = "-rwx------ " + text
		}
		if versions[1] == "-" {
			want = ""
		}
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	for name := range got {
		if strings.HasPrefix(name, ".rollbook") {
			t.Errorf("%s is left", name)
		}
	}
}

// V2: a check writes nothing, a write makes every version, and a second one is
// refused.
func TestApply(t *testing.T) {
	v, clone := handed(t)
	before, index := checkoutTree(t, clone), tree(t, filepath.Join(clone, ".git/index"))
	report, err := applyTo(t, v, clone).Check(t.Context())
	if err != nil || *report != (ApplyReport{true, false, len(forms), len(v.Manifest.Omissions), len(v.Manifest.Warnings)}) {
		t.Fatalf("%+v, %v", report, err)
	}
	if after := checkoutTree(t, clone); !maps.Equal(after, before) {
		t.Errorf("a check left %q", after)
	}
	os.RemoveAll(v.Dir) // what is verified is held
	if report, err = applyTo(t, v, filepath.Join(clone, "a")).Write(t.Context()); err != nil || !report.Written {
		t.Fatalf("%+v, %v", report, err)
	}
	mustBeApplied(t, clone)
	if after := tree(t, filepath.Join(clone, ".git/index")); !maps.Equal(after, index) {
		t.Error("the index was touched")
	}
	_, err = applyTo(t, v, clone).Write(t.Context())
	wantError(t, err, "the checkout has changes or new files")
}

// V2: what does not fit is refused, and every byte stays.
func TestApplyRefuses(t *testing.T) {
	v, clone := handed(t)
	for _, tt := range []struct {
		name, word string
		change     func(dir string)
	}{
		{"dirty", "has changes", func(dir string) { put(t, dir, map[string]string{"modified": "mine\n"}) }},
		{"untracked", "has changes", func(dir string) { put(t, dir, map[string]string{"mine": "x"}) }},
		{"staged", "has changes", func(dir string) {
			put(t, dir, map[string]string{"modified": "mine\n"})
			git(t, dir, "add", "-A")
		}},
		{"other base", "the changes start from", func(dir string) {
			put(t, dir, map[string]string{"more": "x"})
			git(t, dir, "add", "-A")
			git(t, dir, "commit", "-qm", "more")
		}},
		{"ignored collision", "is to be added, but is there already", func(dir string) {
			put(t, dir, map[string]string{".git/info/exclude": "added*\n", "added exec": "mine"})
		}},
		{"link on the way", "behind the link new", func(dir string) {
			put(t, dir, map[string]string{".git/info/exclude": "new\n"})
			os.Symlink(t.TempDir(), filepath.Join(dir, "new"))
		}},
		{"no checkout", "no checkout that git knows", func(dir string) { os.RemoveAll(filepath.Join(dir, ".git")) }},
	} {
		dir := filepath.Join(t.TempDir(), "clone")
		git(t, clone, "clone", "-q", clone, dir)
		tt.change(dir)
		before := checkoutTree(t, dir)
		for what, run := range map[string]func(context.Context) (*ApplyReport, error){"check": applyTo(t, v, dir).Check, "write": applyTo(t, v, dir).Write} {
			if _, err := run(t.Context()); err == nil || !strings.Contains(err.Error(), tt.word) {
				t.Errorf("%s, %s: error %v, want one with %q", tt.name, what, err, tt.word)
			}
		}
		if after := checkoutTree(t, dir); !maps.Equal(after, before) {
			t.Errorf("%s: the checkout holds %q, want %q", tt.name, after, before)
		}
	}
	one := mustVerify(t, write(t, prepareText(t, basic)))
	_, err := applyTo(t, one, clone).Check(t.Context())
	wantError(t, err, "carries no changes")
}

// V2: a file that changes after the check is not written over, and everything else
// is put back.
func TestApplyChangedMeanwhile(t *testing.T) {
	v, clone := handed(t)
	before := checkoutTree(t, clone)
	a := applyTo(t, v, clone)
	a.wrap = func(fsys fsx.LinkFS) fsx.LinkFS {
		return fsxtest.NewMutating(fsys, func(c fsxtest.Call) {
			if c.Op == fsxtest.Rename && strings.HasSuffix(c.Name, "/old-1") {
				put(t, clone, map[string]string{"script2*": "mine\n"})
			}
		}, nil)
	}
	_, err := a.Write(t.Context())
	wantError(t, err, "original files restored")
	before["script2"] = "-rwxr-xr-x mine\n"
	if after := checkoutTree(t, clone); !maps.Equal(after, before) {
		t.Errorf("the checkout holds %q, want %q", after, before)
	}
}

// B19: a process that is killed while it applies leaves a checkout that the next
// run puts right and applies to.
func TestApplyKilled(t *testing.T) {
	if at := os.Getenv("ROLLBOOK_TEST_APPLY"); at != "" {
		applySlowly(t, at)
		return
	}
	v, clone := handed(t)
	original := checkoutTree(t, clone)
	restored := 0
	for i := range 12 {
		dir := filepath.Join(t.TempDir(), "clone")
		git(t, clone, "clone", "-q", clone, dir)
		cmd := exec.Command(os.Args[0], "-test.run=^TestApplyKilled$", "-test.count=1")
		cmd.Env = append(os.Environ(), "ROLLBOOK_TEST_APPLY="+v.Dir+"\n"+dir)
		steps, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		readSome(steps, 30*i+1)
		cmd.Process.Kill()
		cmd.Wait()
		if len(stagesIn(dir)) > 0 {
			_, err := applyTo(t, v, dir).Check(t.Context())
			wantError(t, err, "apply --write puts the originals back first")
		}
		a := applyTo(t, v, dir)
		a.Recovered = func(r *Recovery) {
			if r.Restored {
				restored++
				if got := checkoutTree(t, dir); !maps.Equal(got, original) {
					t.Errorf("killed, recovered: the checkout holds %q, want %q", got, original)
				}
			}
		}
		if _, err := a.Write(t.Context()); err != nil && !strings.Contains(err.Error(), "has changes or new files") {
			t.Fatal(err)
		}
		mustBeApplied(t, dir)
	}
	if restored == 0 {
		t.Error("no kill fell into the middle")
	}
	t.Logf("%d of 12 kills fell into the middle", restored)
}

func stagesIn(dir string) []string {
	names, _ := filepath.Glob(filepath.Join(dir, stagingPrefix+"*"))
	return names
}

// applySlowly is what the killed process does.
func applySlowly(t *testing.T, at string) {
	bundled, dir, _ := strings.Cut(at, "\n")
	a := applyTo(t, mustVerify(t, bundled), dir)
	staged := false
	a.wrap = func(fsys fsx.LinkFS) fsx.LinkFS {
		return fsxtest.NewMutating(fsys, func(c fsxtest.Call) {
			if staged = staged || c.Op == fsxtest.Mkdir; staged {
				os.Stdout.WriteString(".")
				time.Sleep(time.Millisecond)
			}
		}, nil)
	}
	if _, err := a.Write(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Two runs at once: the second says so and touches nothing.
func TestApplyTwice(t *testing.T) {
	v, clone := handed(t)
	a := applyTo(t, v, clone)
	tried := false
	a.wrap = func(fsys fsx.LinkFS) fsx.LinkFS {
		return fsxtest.NewMutating(fsys, func(c fsxtest.Call) {
			if c.Op == fsxtest.Rename && strings.HasSuffix(c.Name, "/old-2") && !tried {
				tried = true
				_, err := applyTo(t, v, clone).Write(context.Background())
				wantError(t, err, "another apply is at work")
			}
		}, nil)
	}
	if _, err := a.Write(t.Context()); err != nil || !tried {
		t.Fatal(err, tried)
	}
	mustBeApplied(t, clone)
}

// A run that is interrupted puts everything back.
func TestApplyInterrupted(t *testing.T) {
	v, clone := handed(t)
	before := checkoutTree(t, clone)
	ctx, stop := context.WithCancel(t.Context())
	a := applyTo(t, v, clone)
	a.wrap = func(fsys fsx.LinkFS) fsx.LinkFS {
		return fsxtest.NewMutating(fsys, func(c fsxtest.Call) {
			if strings.HasSuffix(c.Name, "/old-2") {
				stop()
			}
		}, nil)
	}
	if _, err := a.Write(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if after := checkoutTree(t, clone); !maps.Equal(after, before) {
		t.Errorf("the checkout holds %q, want %q", after, before)
	}
}
