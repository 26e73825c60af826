//go:build unix

package bundle

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rollbook/internal/confine"
	"rollbook/internal/fsx"
	"rollbook/internal/fsx/fsxtest"
)

// worked makes a folder with the files that three targets start from.
func worked(t testing.TB) (dir string, targets []target) {
	t.Helper()
	dir = t.TempDir()
	writeMode(t, filepath.Join(dir, "mod.sh"), []byte("one\n"), execMode)
	writeMode(t, filepath.Join(dir, "sub/gone"), []byte("gone\n"), plainMode)
	writeMode(t, filepath.Join(dir, "other"), []byte("other\n"), plainMode)
	return dir, []target{
		{Path: "mod.sh", Base: hashOf([]byte("one\n")), Result: hashOf([]byte("two\n")), baseMode: execMode, resultMode: plainMode, content: []byte("two\n")},
		{Path: "new/deep/added", Result: hashOf([]byte("added\n")), resultMode: execMode, content: []byte("added\n")},
		{Path: "sub/gone", Base: hashOf([]byte("gone\n")), baseMode: plainMode},
	}
}

func openWork(t testing.TB, dir string) confine.Writable {
	t.Helper()
	w, err := confine.OpenWritable(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func unlocked(string) error { return nil }

// runStage does what apply does once everything is checked.
func runStage(fsys fsx.LinkFS, targets []target) error {
	s, err := newStage(fsys, targets, unlocked)
	if err != nil {
		return err
	}
	return s.finish(s.install(context.Background()))
}

func TestStage(t *testing.T) {
	dir, targets := worked(t)
	if err := runStage(openWork(t, dir), targets); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"mod.sh": "-rw------- two\n", "new": "drwx------ ", "new/deep": "drwx------ ", "new/deep/added": "-rwx------ added\n"}
	got := tree(t, dir)
	for name, w := range want {
		if got[name] != w {
			t.Errorf("%s is %q, want %q", name, got[name], w)
		}
	}
	if len(got) != 7 || got["sub/gone"] != "" {
		t.Errorf("the folder holds %q", got)
	}
}

// B19: whatever call fails, the originals are back or everything is in place; and
// a later run finishes what this one could not.
func TestStageFaults(t *testing.T) {
	for n := 1; ; n++ {
		dir, targets := worked(t)
		before := tree(t, dir)
		failing := fsxtest.NewFailing(openWork(t, dir), n)
		err := runStage(failing, targets)
		call, failed := failing.Failed()
		if !failed {
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d calls", n-1)
			return
		}
		after := tree(t, dir)
		for name := range after {
			if strings.HasPrefix(name, stagingPrefix) {
				if _, err := recoverStage(openWork(t, dir), strings.Split(name, "/")[0]); err != nil {
					t.Fatalf("%v failed: recovery: %v", call, err)
				}
				after = tree(t, dir)
				break
			}
		}
		switch applied := after["mod.sh"] == "-rw------- two\n"; {
		case !applied && !maps.Equal(after, before):
			t.Fatalf("%v failed (%v): the folder holds %q, want %q", call, err, after, before)
		case applied && (len(after) != 7 || after["new/deep/added"] == "" || after["sub/gone"] != ""):
			t.Fatalf("%v failed (%v): the folder holds %q", call, err, after)
		case !applied && err == nil:
			t.Fatalf("%v failed, and nobody said so", call)
		}
	}
}

// B19: a run that ends between any two calls leaves what a later one puts right,
// also when that one is cut off too.
func TestStageCut(t *testing.T) {
	for n := 1; ; n++ {
		dir, targets := worked(t)
		before := tree(t, dir)
		cut := func(k int, run func(fsx.LinkFS) error) bool {
			left := k
			stop := errors.New("cut")
			defer func() {
				if r := recover(); r != nil && r != any(stop) {
					panic(r)
				}
			}()
			run(fsxtest.NewMutating(openWork(t, dir), func(fsxtest.Call) {
				if left--; left < 0 {
					panic(stop) // every later call too: nothing is tidied up
				}
			}, nil))
			return left >= 0
		}
		if cut(n, func(fsys fsx.LinkFS) error { return runStage(fsys, targets) }) {
			t.Logf("%d calls", n)
			return
		}
		for k := 1; ; k++ {
			dirs, err := leftStages(openWork(t, dir))
			if err != nil {
				t.Fatal(err)
			}
			if len(dirs) == 0 || cut(k, func(fsys fsx.LinkFS) error {
				_, err := recoverStage(fsys, dirs[0])
				if err != nil {
					t.Errorf("cut after %d calls: recovery: %v", n, err)
				}
				return err
			}) {
				break
			}
		}
		after := tree(t, dir)
		if applied := after["mod.sh"] == "-rw------- two\n"; !applied && !maps.Equal(after, before) || applied && len(after) != 7 {
			t.Fatalf("cut after %d calls: the folder holds %q", n, after)
		}
	}
}

// What somebody wrote meanwhile is never lost, and the original is named.
func TestStageConflict(t *testing.T) {
	dir, targets := worked(t)
	s, err := newStage(openWork(t, dir), targets, unlocked)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.install(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.Done = false
	if err := s.save(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "mod.sh")
	if err := errors.Join(os.Remove(name), os.WriteFile(name, []byte("mine\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	_, err = recoverStage(openWork(t, dir), s.dir)
	wantError(t, err, "somebody wrote it since; the original is "+s.dir+"/old-1")
	got := tree(t, dir)
	if got["mod.sh"] != "-rw------- mine\n" || got[s.dir+"/old-1"] == "" || got["sub/gone"] != "-rw-r--r-- gone\n" || got["new"] != "" {
		t.Errorf("the folder holds %q", got)
	}
}

// A folder that only looks like ours is not touched.
func TestRecoverRefuses(t *testing.T) {
	for name, journal := range map[string]string{
		"path":    `{"version":1,"done":false,"targets":[{"path":"../x","old":"old-1"}],"folders":[]}`,
		"staged":  `{"version":1,"done":false,"targets":[{"path":"x","old":"../x"}],"folders":[]}`,
		"version": `{"version":2,"done":true,"targets":[],"folders":[]}`,
		"unknown": `{"version":1,"done":true,"targets":[],"folders":[],"more":1}`,
		"broken":  `{"version":1,`,
		"foreign": `{"version":1,"done":true,"targets":[],"folders":[]}`,
	} {
		dir := t.TempDir()
		stage := filepath.Join(dir, stagingPrefix+"1-1")
		if err := os.Mkdir(stage, 0o700); err != nil {
			t.Fatal(err)
		}
		os.WriteFile(filepath.Join(stage, journalName), []byte(journal), 0o600)
		os.WriteFile(filepath.Join(stage, "mine"), nil, 0o600)
		before := tree(t, dir)
		if _, err := recoverStage(openWork(t, dir), stagingPrefix+"1-1"); err == nil {
			t.Errorf("%s: no error", name)
		}
		if after := tree(t, dir); !maps.Equal(after, before) {
			t.Errorf("%s: the folder holds %q, want %q", name, after, before)
		}
	}
}

// checkTarget refuses whatever is not as the change wants it.
func TestCheckTarget(t *testing.T) {
	dir, targets := worked(t)
	for i := range targets {
		if err := checkTarget(openWork(t, dir), &targets[i]); err != nil {
			t.Errorf("%s: %v", targets[i].Path, err)
		}
	}
	if err := errors.Join(
		os.MkdirAll(filepath.Join(dir, "repo/.git"), 0o700),
		os.Symlink("sub", filepath.Join(dir, "link")),
		os.Symlink("nowhere", filepath.Join(dir, "dangling"))); err != nil {
		t.Fatal(err)
	}
	base := targets[2]
	for _, tt := range []struct {
		path, base, mode, word string
	}{
		{"sub/absent", base.Base, plainMode, "is missing"},
		{"other", base.Base, plainMode, "is not what the change starts from"},
		{"sub/gone", base.Base, execMode, "has the mode 100644"},
		{"sub", base.Base, plainMode, "is no regular file"},
		{"link/gone", base.Base, plainMode, "lies behind the link link"},
		{"other", "", "", "is there already"},
		{"dangling", "", "", "is there already"},
		{"other/x", "", "", "lies below other, which is no folder"},
		{"repo/x", "", "", "a repository of its own"},
		{"OTHER", "", "", "differs from OTHER in case only"},
		{"Sub/x", "", "", "differs from Sub in case only"},
	} {
		err := checkTarget(openWork(t, dir), &target{Path: tt.path, Base: tt.base, baseMode: tt.mode})
		if err == nil || !strings.Contains(err.Error(), tt.word) {
			t.Errorf("%s: error %v, want one with %q", tt.path, err, tt.word)
		}
	}
}
