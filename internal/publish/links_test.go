package publish

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func link(t testing.TB, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Skip(err) // Windows without the right to make links
	}
}

// obstacles are what may stand where a file or folder should be, each with a
// file that must stay as it is.
var obstacles = map[string]func(t *testing.T, name string){
	"link to a file": func(t *testing.T, name string) {
		to := filepath.Join(t.TempDir(), "file")
		write(t, to, "outside")
		link(t, to, name)
	},
	"link to a folder": func(t *testing.T, name string) { link(t, t.TempDir(), name) },
	"dangling link":    func(t *testing.T, name string) { link(t, filepath.Join(t.TempDir(), "nowhere"), name) },
	"folder":           func(t *testing.T, name string) { must(t, os.Mkdir(name, 0o700)) },
	"file":             func(t *testing.T, name string) { write(t, name, "something") },
}

// TestMetadataPlaces: at each place beside the sessions root, each thing that
// should not be there stops a sync and a rollback before anything is published,
// and stays as it is.
func TestMetadataPlaces(t *testing.T) {
	for _, m := range metadata {
		for what, put := range obstacles {
			if what == "folder" && m.folder || what == "file" && !m.folder {
				continue
			}
			t.Run(m.name+"/"+what, func(t *testing.T) {
				tg := newTarget(t)
				sync(t, tg, false, alpha)
				manifest := filepath.Join(t.TempDir(), "manifest.json")
				write(t, manifest, read(t, filepath.Join(tg.home(), latestName)))
				name := filepath.Join(tg.home(), m.name)
				os.RemoveAll(name)
				put(t, name)
				before := contents(t, tg.home())
				res := sync(t, tg, true, alpha.said("more"), beta)
				e := res.Entries
				if e[0].Key != "<metadata>" || e[0].Outcome != LeftAlone || !strings.HasPrefix(e[0].Reason, m.name+" is ") || e[1].Outcome != LeftAlone || e[2].Outcome != LeftAlone {
					t.Errorf("%s", describe(e))
				}
				if _, err := tg.Rollback(t.Context(), manifest); err == nil || !strings.Contains(err.Error(), m.name) {
					t.Errorf("rollback: %v", err)
				}
				if after := contents(t, tg.home()); after != before {
					t.Errorf("before\n%safter\n%s", before, after)
				}
			})
		}
	}
}

// TestSessionPlaces: a link at any part of a session's place, and whatever is no
// folder or log there, is left alone, and so is what it leads to.
func TestSessionPlaces(t *testing.T) {
	for _, part := range []string{"project", "session", "log"} {
		for what, put := range obstacles {
			if what == "folder" && part != "log" || what == "file" && part == "log" {
				continue
			}
			t.Run(part+"/"+what, func(t *testing.T) {
				tg := newTarget(t)
				name := map[string]string{
					"project": filepath.Dir(filepath.Dir(tg.logOf(alpha))), "session": filepath.Dir(tg.logOf(alpha)), "log": tg.logOf(alpha),
				}[part]
				must(t, os.MkdirAll(filepath.Dir(name), 0o700))
				put(t, name)
				before := contents(t, tg.root)
				res := sync(t, tg, true, alpha)
				if e := res.Entries[0]; e.Outcome != LeftAlone || contents(t, tg.root) != before {
					t.Errorf("%+v", e)
				}
				if res := sync(t, tg, true, alpha, gamma); res.Entries[1].Outcome != Installed {
					t.Errorf("%+v", res.Entries[1])
				}
			})
		}
	}
}

// TestRootPlaces: a sessions root, or a way to it, over a link is refused.
func TestRootPlaces(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "real")
	must(t, os.MkdirAll(filepath.Join(real, "dsh", "sessions"), 0o700))
	link(t, real, filepath.Join(dir, "link"))
	link(t, filepath.Join(dir, "nowhere"), filepath.Join(dir, "dangling"))
	link(t, filepath.Join(real, "dsh", "sessions"), filepath.Join(real, "dsh", "linked"))
	write(t, filepath.Join(dir, "file"), "")
	before := contents(t, real)
	for _, root := range []string{
		"link/dsh/sessions", "link/new/sessions", "link", "dangling", "dangling/sessions", "real/dsh/linked",
		"link/../real/dsh/sessions", "missing/../real/dsh/sessions", "file", "file/sessions",
	} {
		if tg, err := NewTarget(dir + "/" + root); err == nil {
			t.Errorf("%s is %s", root, tg.Root())
		}
	}
	for _, root := range []string{"real/dsh/sessions", "real/../real/./dsh//sessions/", "fresh/dsh/sessions"} {
		if tg, err := NewTarget(dir + "/" + root); err != nil || tg.Root() != filepath.Clean(dir+"/"+root) {
			t.Errorf("%s: %v", root, err)
		}
	}
	if _, err := NewTarget("/"); err == nil && runtime.GOOS != "windows" {
		t.Error("the root of everything")
	}
	t.Chdir(real)
	if tg, err := NewTarget("dsh/sessions"); err != nil || filepath.Base(tg.home()) != "dsh" {
		t.Errorf("a relative root: %v", err)
	}

	// A link that comes later is seen as well.
	tg := target(t, filepath.Join(dir, "later", "sessions"))
	p, err := tg.Plan(t.Context(), candidates(t, alpha), false)
	must(t, err)
	link(t, real, filepath.Join(dir, "later"))
	if res, err := tg.Apply(t.Context(), p); err == nil {
		t.Errorf("%s", describe(res.Entries))
	}
	if contents(t, real) != before {
		t.Error("something was touched")
	}

	// The sessions root itself becomes one.
	must(t, os.Mkdir(filepath.Join(dir, "late"), 0o700))
	tg = target(t, filepath.Join(dir, "late", "sessions"))
	link(t, filepath.Join(real, "dsh", "sessions"), filepath.Join(dir, "late", "sessions"))
	if p, err := tg.Plan(t.Context(), candidates(t, alpha), false); err == nil && p.Changes() {
		t.Errorf("%s", describe(p.Entries))
	}
}

// TestManifestLink: a manifest is not read over a link.
func TestManifestLink(t *testing.T) {
	tg := newTarget(t)
	res := sync(t, tg, false, alpha)
	dir := t.TempDir()
	link(t, res.Manifest, filepath.Join(dir, "manifest.json"))
	link(t, filepath.Dir(res.Manifest), filepath.Join(dir, "manifests"))
	link(t, res.Manifest, filepath.Join(tg.home(), archiveDir, "other.json"))
	must(t, os.Mkdir(filepath.Join(dir, "folder.json"), 0o700))
	for _, name := range []string{
		filepath.Join(dir, "manifest.json"), filepath.Join(dir, "manifests", filepath.Base(res.Manifest)),
		filepath.Join(tg.home(), archiveDir, "other.json"), filepath.Join(dir, "folder.json"),
	} {
		if back, err := tg.Rollback(t.Context(), name); err == nil {
			t.Errorf("%s: %s", name, undone(back))
		}
	}
	if read(t, tg.logOf(alpha)) != bytesOf(t, alpha) {
		t.Error("the log was touched")
	}
}

// TestBackupLink: a backup is not read over a link, nor written over one.
func TestBackupLink(t *testing.T) {
	tg := newTarget(t)
	sync(t, tg, false, alpha)
	grown := alpha.said("more")
	res := sync(t, tg, false, grown)
	backup := res.Entries[0].Backup
	must(t, os.Rename(backup, filepath.Join(tg.home(), "copy")))
	link(t, filepath.Join(tg.home(), "copy"), backup)
	if got := undone(rollback(t, tg, "")); !strings.Contains(got, "skipped") || read(t, tg.logOf(alpha)) != bytesOf(t, grown) {
		t.Error(got)
	}
	must(t, os.Remove(backup))
	must(t, os.Rename(filepath.Join(tg.home(), "copy"), backup))
	above := filepath.Dir(filepath.Dir(backup))
	must(t, os.Rename(above, filepath.Join(tg.home(), "moved")))
	link(t, filepath.Join(tg.home(), "moved"), above)
	if got := undone(rollback(t, tg, "")); !strings.Contains(got, "skipped") || !strings.Contains(got, "link") {
		t.Error(got)
	}
}
