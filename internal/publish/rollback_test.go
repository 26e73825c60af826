package publish

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rollbook/internal/dsh"
)

func rollback(t testing.TB, tg *Target, manifest string) *Rollback {
	t.Helper()
	res, err := tg.Rollback(t.Context(), manifest)
	must(t, err)
	return res
}

// undone is a line for each session that a rollback had to do with.
func undone(r *Rollback) string {
	var b strings.Builder
	for _, k := range r.Removed {
		fmt.Fprintf(&b, "removed %s\n", k)
	}
	for _, k := range r.Restored {
		fmt.Fprintf(&b, "restored %s\n", k)
	}
	for _, k := range r.NotInstalled {
		fmt.Fprintf(&b, "not installed %s\n", k)
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(&b, "skipped %s: %s\n", s.Key, s.Reason)
	}
	return b.String()
}

// TestRollback: what a run installed goes, what it replaced comes back byte for
// byte (P3), is ours as before, and a second rollback touches nothing.
func TestRollback(t *testing.T) {
	tg := newTarget(t).patient()
	first := sync(t, tg, false, alpha)
	grown := alpha.said("more")
	second := sync(t, tg, false, grown, beta)
	res := rollback(t, tg, "")
	if got, want := undone(res), "removed "+beta.key()+"\nrestored "+alpha.key()+"\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if read(t, tg.logOf(alpha)) != bytesOf(t, alpha) {
		t.Error("the log is not what it was")
	}
	if _, err := os.Stat(filepath.Dir(tg.logOf(beta))); err == nil {
		t.Error("the folder of what was removed is there")
	}
	if got := stateOf(t, tg); len(got) != 1 || got[alpha.key()] != alpha.candidate(t).Digest.String() {
		t.Errorf("state %v", got)
	}
	result := read(t, filepath.Join(tg.home(), resultDir, second.RunID+".json"))
	if res.Result == "" || read(t, res.Result) != result || read(t, filepath.Join(tg.home(), latestName)) != result {
		t.Error("the result is not in the latest manifest")
	}
	var m manifest
	must(t, json.Unmarshal([]byte(result), &m))
	if m.RolledBackAt == "" || m.Result == nil || len(m.Result.Removed) != 1 || m.Result.Restored[0] != alpha.key() || m.Result.Skipped == nil || m.RunID != second.RunID {
		t.Errorf("%s", result)
	}
	if strings.Contains(read(t, second.Manifest), "rolledBackAt") {
		t.Error("the archive was edited")
	}
	modes(t, tg)

	before := contents(t, tg.home())
	if got := undone(rollback(t, tg, "")); got != "not installed "+beta.key()+"\nnot installed "+alpha.key()+"\n" {
		t.Errorf("again: %s", got)
	}
	if contents(t, tg.home()) != before {
		t.Error("a rollback of nothing touched something")
	}

	// Ours as before: it is refreshed again, and the first run can be undone.
	if e := sync(t, tg, false, grown).Entries[0]; e.Outcome != Refreshed || e.Forced {
		t.Errorf("%+v", e)
	}
	rollback(t, tg, "")
	latest := read(t, filepath.Join(tg.home(), latestName))
	if got := undone(rollback(t, tg, first.Manifest)); got != "removed "+alpha.key()+"\n" {
		t.Errorf("the first run: %s", got)
	}
	if read(t, filepath.Join(tg.home(), latestName)) != latest {
		t.Error("the latest manifest was written, which is of another run")
	}
}

// TestRollbackSkips: what is no longer what the run wrote stays, and is told.
func TestRollbackSkips(t *testing.T) {
	grown := alpha.said("more")
	dir := func(tg *Target) string { return filepath.Dir(tg.logOf(alpha)) }
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, tg *Target, res *Result)
		install string // of a run that installed
		refresh string // of a run that refreshed
	}{
		{"continued", func(t *testing.T, tg *Target, _ *Result) { must(t, goOn(tg.logOf(alpha), 3)) },
			"skipped: continued in DSH (3 frames, 3 turns)", "skipped: continued in DSH (3 frames, 3 turns)"},
		{"continued in a newer format", func(t *testing.T, tg *Target, _ *Result) {
			write(t, filepath.Join(dir(tg), "session.v12.jsonl.zstd"), "")
		}, "skipped: continued in DSH (session.v12.jsonl.zstd lies beside it)", "skipped: continued in DSH (session.v12.jsonl.zstd lies beside it)"},
		{"rewritten", func(t *testing.T, tg *Target, _ *Result) {
			write(t, tg.logOf(alpha), bytesOf(t, alpha.said("by hand")))
		}, "skipped: rewritten after the import", "skipped: rewritten after the import"},
		{"open", func(t *testing.T, tg *Target, _ *Result) { write(t, filepath.Join(dir(tg), "session.lock"), "") },
			"skipped: DSH has the session open (session.lock)", "skipped: DSH has the session open (session.lock)"},
		{"damaged", func(t *testing.T, tg *Target, _ *Result) { write(t, tg.logOf(alpha), "no log") },
			"skipped: unreadable: frame 1: compressed stream: byte 0: no frame starts here", "skipped: unreadable: frame 1: compressed stream: byte 0: no frame starts here"},
		{"gone", func(t *testing.T, tg *Target, _ *Result) { must(t, os.RemoveAll(dir(tg))) },
			"not installed", "skipped: there is no log any more"},
		{"link", func(t *testing.T, tg *Target, _ *Result) {
			must(t, os.Rename(tg.logOf(alpha), filepath.Join(tg.home(), "moved")))
			link(t, filepath.Join(tg.home(), "moved"), tg.logOf(alpha))
		}, "skipped: the log is a symbolic link", "skipped: the log is a symbolic link"},
		{"with a neighbour", func(t *testing.T, tg *Target, _ *Result) { write(t, filepath.Join(dir(tg), "notes.txt"), "mine") },
			"removed", "restored"},
		{"backup gone", func(t *testing.T, tg *Target, res *Result) {
			if res.Entries[0].Backup != "" {
				must(t, os.Remove(res.Entries[0].Backup))
			}
		}, "removed", "skipped: the backup: open HOME/codex-import-backups/RUN/" + alpha.key() + "/session.v3.jsonl.zstd: no such file or directory"},
		{"backup changed", func(t *testing.T, tg *Target, res *Result) {
			if res.Entries[0].Backup != "" {
				write(t, res.Entries[0].Backup, bytesOf(t, beta))
			}
		}, "removed", "skipped: the backup HOME/codex-import-backups/RUN/" + alpha.key() + "/session.v3.jsonl.zstd is not what was replaced"},
		{"backup continued", func(t *testing.T, tg *Target, res *Result) {
			if res.Entries[0].Backup != "" {
				must(t, goOn(res.Entries[0].Backup, 2))
			}
		}, "removed", "skipped: the backup HOME/codex-import-backups/RUN/" + alpha.key() + "/session.v3.jsonl.zstd is not what was replaced"},
		{"backup damaged", func(t *testing.T, tg *Target, res *Result) {
			if res.Entries[0].Backup != "" {
				write(t, res.Entries[0].Backup, "")
			}
		}, "removed", "skipped: the backup HOME/codex-import-backups/RUN/" + alpha.key() + "/session.v3.jsonl.zstd: the log is empty"},
		{"backup elsewhere", func(t *testing.T, tg *Target, res *Result) {
			if res.Entries[0].Backup == "" {
				return
			}
			name := filepath.Join(tg.home(), latestName)
			write(t, filepath.Join(tg.home(), "copy"), bytesOf(t, alpha))
			write(t, name, strings.ReplaceAll(read(t, name), res.Entries[0].Backup+`"`, tg.home()+"/"+backupDir+"/../copy"+`"`))
		}, "removed", "skipped: the backup HOME/codex-import-backups/../copy does not lie below HOME/codex-import-backups"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, refreshed := range []bool{false, true} {
				tg, want := newTarget(t), c.install
				if refreshed {
					want = c.refresh
					sync(t, tg, false, alpha)
				}
				res := sync(t, tg, false, grown)
				c.prepare(t, tg, res)
				before := contents(t, tg.root)
				back := rollback(t, tg, "")
				got := strings.NewReplacer(tg.home(), "HOME", res.RunID, "RUN").Replace(undone(back))
				got = strings.Replace(strings.TrimSuffix(got, "\n"), " "+alpha.key(), "", 1)
				if got != filepath.FromSlash(want) && got != want {
					t.Errorf("refreshed %v: %s, want %s", refreshed, got, want)
				}
				if strings.HasPrefix(want, "skipped") != (contents(t, tg.root) == before) && want != "not installed" {
					t.Errorf("refreshed %v: %s, but the logs say otherwise", refreshed, got)
				}
			}
		})
	}
}

// TestRollbackForced: a log that was not ours comes back as it was, frame by
// frame, and is not ours then either.
func TestRollbackForced(t *testing.T) {
	for name, prepare := range map[string]func(tg *Target) error{
		"continued": func(tg *Target) error { return goOn(tg.logOf(alpha), 2) },
		"rewritten": func(tg *Target) error {
			return os.WriteFile(tg.logOf(alpha), []byte(bytesOf(t, alpha.said("by hand"))), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			tg := newTarget(t)
			sync(t, tg, false, alpha)
			must(t, prepare(tg))
			before := read(t, tg.logOf(alpha))
			grown := alpha.said("more")
			if e := sync(t, tg, true, grown).Entries[0]; e.Outcome != Refreshed || !e.Forced || e.Frames < 2 || e.Turns != 2 {
				t.Fatalf("%+v", e)
			}
			if got := undone(rollback(t, tg, "")); got != "restored "+alpha.key()+"\n" || read(t, tg.logOf(alpha)) != before {
				t.Errorf("%s", got)
			}
			if e := sync(t, tg, false, grown).Entries[0]; e.Outcome != LeftAlone {
				t.Errorf("%+v", e)
			}
		})
	}
}

// TestRollbackManifests: what is no manifest of this root is refused whole.
func TestRollbackManifests(t *testing.T) {
	tg := newTarget(t)
	res := sync(t, tg, false, alpha)
	good := read(t, res.Manifest)
	d := alpha.candidate(t).Digest.String()
	before := contents(t, tg.root)
	name := filepath.Join(t.TempDir(), "manifest.json")
	for what, text := range map[string]string{
		"no JSON":            "{",
		"another version":    strings.Replace(good, `"version": 2`, `"version": 3`, 1),
		"without digests":    strings.Replace(good, `"newBodySha256": "`+d+`"`, `"x": 1`, 1),
		"upper-case digest":  strings.Replace(good, d, strings.ToUpper(d), 1),
		"another root":       strings.Replace(good, tg.root, filepath.Join(tg.home(), "other"), 1),
		"no root":            strings.Replace(good, tg.root, "", 1),
		"a run that is none": strings.Replace(good, res.RunID, "../../x", 1),
		"a key that is none": strings.Replace(good, alpha.key(), "../x", 1),
		"twice":              strings.Replace(good, `"restore": []`, `"restore": [{"key":"`+alpha.key()+`","newBodySha256":"`+d+`","previousBodySha256":"`+d+`","backupLog":"x"}]`, 1),
		"no backup":          strings.Replace(good, `"restore": []`, `"restore": [{"key":"a/b","newBodySha256":"`+d+`","previousBodySha256":"`+d+`"}]`, 1),
	} {
		if text == good {
			t.Fatal(what)
		}
		write(t, name, text)
		if res, err := tg.Rollback(t.Context(), name); err == nil {
			t.Errorf("%s: %s", what, undone(res))
		}
	}
	if _, err := tg.Rollback(t.Context(), filepath.Join(tg.home(), "missing.json")); err == nil {
		t.Error("no manifest, no error")
	}
	empty := newTarget(t)
	for range 2 {
		if _, err := empty.Rollback(t.Context(), ""); err == nil || !strings.HasPrefix(err.Error(), "nothing was imported into "+empty.root) {
			t.Errorf("without a manifest: %v", err)
		}
		must(t, os.MkdirAll(empty.home(), 0o700))
	}
	if names, err := os.ReadDir(empty.home()); err != nil || len(names) > 0 {
		t.Errorf("a rollback of nothing made %v", names)
	}
	if contents(t, tg.root) != before {
		t.Error("a log was touched")
	}
	write(t, name, good) // wherever it lies
	if got := undone(rollback(t, tg, name)); got != "removed "+alpha.key()+"\n" {
		t.Error(got)
	}
}

// TestRollbackList: the list of folders that older importers wrote. Without
// digests only what nobody went on with goes, and only below the list's own
// sessions root.
func TestRollbackList(t *testing.T) {
	tg := newTarget(t)
	sync(t, tg, false, alpha, beta, gamma)
	must(t, goOn(tg.logOf(beta), 2))
	write(t, tg.logOf(gamma), bytesOf(t, gamma.said("by hand")))
	outside := filepath.Join(t.TempDir(), "sessions", alpha.key())
	write(t, filepath.Join(outside, dsh.LogName), bytesOf(t, alpha))
	list := read(t, filepath.Join(tg.home(), listName))
	write(t, filepath.Join(tg.home(), listName), list+list+"\r\n"+outside+"\n"+tg.root+"\nrelative\n"+tg.root+"/../sessions/"+alpha.key()+"\n")
	must(t, os.Remove(filepath.Join(tg.home(), latestName)))
	got := strings.ReplaceAll(undone(rollback(t, tg, "")), tg.root, "ROOT")
	want := "removed " + alpha.key() + "\n" +
		"skipped " + outside + ": not a session below ROOT\nskipped ROOT: not a session below ROOT\nskipped relative: not a session below ROOT\n" +
		"skipped " + beta.key() + ": continued in DSH (3 frames, 2 turns)\nskipped " + gamma.key() + ": rewritten after the import\n"
	if got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
	if _, known := stateOf(t, tg)[alpha.key()]; known {
		t.Error("the state still knows what was removed")
	}
	if _, err := tg.Rollback(t.Context(), filepath.Join(outside, "list.txt")); err == nil {
		t.Error("no list, no error")
	}
	write(t, filepath.Join(outside, "list.txt"), list)
	if res, err := tg.Rollback(t.Context(), filepath.Join(outside, "list.txt")); err == nil {
		t.Errorf("a list of elsewhere: %s", undone(res))
	}
}
