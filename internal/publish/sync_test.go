package publish

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rollbook/internal/dsh"
)

// TestSync: the first run installs, the second touches nothing (P4), a thread
// that grew is refreshed in place behind a backup, and the state knows it all.
func TestSync(t *testing.T) {
	tg := newTarget(t).patient()
	p, err := tg.Plan(t.Context(), candidates(t, alpha, beta, gamma), false)
	must(t, err)
	if _, err := os.Stat(tg.home()); err == nil {
		t.Error("a plan made the home")
	}
	if !p.Changes() {
		t.Error("a plan that installs changes nothing")
	}
	first := sync(t, tg, false, alpha, beta, gamma)
	for i, th := range []thread{alpha, beta, gamma} {
		if e := first.Entries[i]; e.Outcome != Installed || read(t, tg.logOf(th)) != bytesOf(t, th) {
			t.Errorf("%+v", e)
		}
	}
	if n := leftovers(t, tg); n != nil {
		t.Errorf("left over: %v", n)
	}
	before := contents(t, tg.home())
	again := sync(t, tg, true, alpha, beta, gamma)
	if got := describe(again.Entries); strings.Count(got, "unchanged") != 3 || again.RunID != "" || contents(t, tg.home()) != before {
		t.Errorf("again: %s", got)
	}

	sibling := filepath.Join(filepath.Dir(tg.logOf(alpha)), "notes.txt")
	write(t, sibling, "mine")
	grown := alpha.said("And in this one?")
	third := sync(t, tg, false, grown, beta)
	e := third.Entries[0]
	if e.Outcome != Refreshed || e.Forced || read(t, tg.logOf(alpha)) != bytesOf(t, grown) || read(t, e.Backup) != bytesOf(t, alpha) || read(t, sibling) != "mine" {
		t.Errorf("%+v", e)
	}
	want := map[string]string{}
	for _, th := range []thread{grown, beta, gamma} {
		want[th.key()] = th.candidate(t).Digest.String()
	}
	if got := stateOf(t, tg); len(got) != 3 || got[alpha.key()] != want[alpha.key()] || got[gamma.key()] != want[gamma.key()] {
		t.Errorf("state %v, want %v", got, want)
	}
	if n := leftovers(t, tg); n != nil {
		t.Errorf("left over: %v", n)
	}
	modes(t, tg)
}

// modes: everything is for its owner alone.
func modes(t *testing.T, tg *Target) {
	t.Helper()
	for line := range strings.Lines(contents(t, tg.home())) {
		if f := strings.Fields(line); f[1] != "drwx------" && f[1] != "-rw-------" && f[0] != "." {
			t.Errorf("mode: %s", line)
		}
	}
}

// TestFiles: state, manifests and list have the form of the page.
func TestFiles(t *testing.T) {
	tg := newTarget(t)
	first := sync(t, tg, false, alpha)
	if !runID.MatchString(first.RunID) || !strings.HasPrefix(first.RunID, "20260302090") {
		t.Errorf("run %s", first.RunID)
	}
	d := alpha.candidate(t).Digest.String()
	wantState := `{"version":1,"sessions":{"` + alpha.key() + `":{"bodySha256":"` + d + `","importedAt":"2026-03-02T09:01:00.123Z"}}}`
	same(t, filepath.Join(tg.home(), stateName), wantState)
	wantFirst := `{"version":2,"createdAt":"2026-03-02T09:01:00.123Z","liveRoot":"` + tg.root + `","runId":"` + first.RunID +
		`","remove":[{"key":"` + alpha.key() + `","newBodySha256":"` + d + `"}],"restore":[]}`
	same(t, first.Manifest, wantFirst)
	same(t, filepath.Join(tg.home(), latestName), wantFirst)
	if got := read(t, filepath.Join(tg.home(), listName)); got != filepath.Join(tg.root, alpha.key())+"\n" {
		t.Errorf("list %q", got)
	}
	grown := alpha.said("more")
	second := sync(t, tg, false, grown)
	backup := filepath.Join(tg.home(), backupDir, second.RunID, alpha.key(), dsh.LogName)
	same(t, filepath.Join(tg.home(), archiveDir, second.RunID+".json"), `{"version":2,"createdAt":"2026-03-02T09:02:00.123Z","liveRoot":"`+tg.root+
		`","runId":"`+second.RunID+`","remove":[],"restore":[{"key":"`+alpha.key()+`","backupLog":"`+backup+`","previousBodySha256":"`+d+
		`","newBodySha256":"`+grown.candidate(t).Digest.String()+`"}]}`)
	same(t, first.Manifest, wantFirst)
	if got := read(t, filepath.Join(tg.home(), listName)); got != "" {
		t.Errorf("list %q", got)
	}
}

// same compares a file with JSON, member for member and in order.
func same(t *testing.T, name, want string) {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	must(t, enc.Encode(json.RawMessage(want)))
	if got := read(t, name); got != b.String() {
		t.Errorf("%s\n%s, want\n%s", filepath.Base(name), got, b.String())
	}
}

// TestOutcomes is docs/sync.md, "What becomes of a session", case by case: each
// prepares an installed alpha, which has grown since.
func TestOutcomes(t *testing.T) {
	grown := alpha.said("more")
	pictured := alpha
	pictured.image = true
	bare := grown
	bare.skipped = 2
	lone := func(th thread) func(*testing.T, *Target) thread {
		return func(*testing.T, *Target) thread { return th }
	}
	dir := func(tg *Target) string { return filepath.Dir(tg.logOf(alpha)) }
	for _, c := range []struct {
		name        string
		installed   thread
		prepare     func(t *testing.T, tg *Target) thread
		want, force string // what describe gives without and with force
	}{
		{"grown", alpha, lone(grown), "refreshed", "refreshed"},
		{"same", alpha, lone(alpha), "unchanged", "unchanged"},
		{"gone", alpha, func(t *testing.T, tg *Target) thread { must(t, os.RemoveAll(dir(tg))); return grown }, "installed", "installed"},
		{"empty folder", alpha, func(t *testing.T, tg *Target) thread { must(t, os.Remove(tg.logOf(alpha))); return grown }, "installed", "installed"},
		{"cut short", alpha, func(t *testing.T, tg *Target) thread {
			must(t, os.Rename(tg.logOf(alpha), filepath.Join(dir(tg), stagedLog)))
			return grown
		}, "installed", "installed"},
		{"a folder with something else", alpha, func(t *testing.T, tg *Target) thread {
			must(t, os.Rename(tg.logOf(alpha), filepath.Join(dir(tg), "session.jsonl.zstd")))
			return grown
		}, "left alone: the folder has no session.v3.jsonl.zstd, but session.jsonl.zstd", ""},
		{"no folder", alpha, func(t *testing.T, tg *Target) thread {
			must(t, os.RemoveAll(dir(tg)))
			write(t, dir(tg), "a file")
			return grown
		}, "left alone: HOME/sessions/--srv-demo--/session-" + alpha.id + " is not a folder", ""},
		{"the log is a folder", alpha, func(t *testing.T, tg *Target) thread {
			must(t, os.Remove(tg.logOf(alpha)))
			must(t, os.Mkdir(tg.logOf(alpha), 0o700))
			return grown
		}, "left alone: the log is a folder", ""},
		{"damaged", alpha, func(t *testing.T, tg *Target) thread { write(t, tg.logOf(alpha), "no log"); return grown },
			"left alone: unreadable: frame 1: compressed stream: byte 0: no frame starts here", ""},
		{"trailing byte", alpha, func(t *testing.T, tg *Target) thread {
			write(t, tg.logOf(alpha), bytesOf(t, alpha)+"x")
			return grown
		}, "left alone: unreadable", ""},
		{"torn", alpha, func(t *testing.T, tg *Target) thread {
			text := bytesOf(t, alpha)
			write(t, tg.logOf(alpha), text[:len(text)-1])
			return grown
		}, "left alone: unreadable", ""},
		{"state lost", alpha, func(t *testing.T, tg *Target) thread {
			must(t, os.Remove(filepath.Join(tg.home(), stateName)))
			return alpha
		}, "adopted", "adopted"},
		{"state lost, grown", alpha, func(t *testing.T, tg *Target) thread {
			must(t, os.Remove(filepath.Join(tg.home(), stateName)))
			return grown
		}, "left alone: no importer ownership record", "refreshed: forced: no importer ownership record"},
		{"stale state", alpha, func(t *testing.T, tg *Target) thread {
			name := filepath.Join(tg.home(), stateName)
			write(t, name, strings.ReplaceAll(read(t, name), alpha.candidate(t).Digest.String(), strings.Repeat("0", 64)))
			return grown
		}, "left alone: rewritten after the import", "refreshed: forced: rewritten after the import"},
		{"rewritten", alpha, func(t *testing.T, tg *Target) thread {
			write(t, tg.logOf(alpha), bytesOf(t, alpha.said("by hand")))
			return grown
		}, "left alone: rewritten after the import", "refreshed: forced: rewritten after the import"},
		{"continued", alpha, func(t *testing.T, tg *Target) thread { must(t, goOn(tg.logOf(alpha), 2)); return grown },
			"left alone: continued in DSH (3 frames, 2 turns)", "refreshed: forced: continued in DSH (3 frames, 2 turns)"},
		{"continued, not grown", alpha, func(t *testing.T, tg *Target) thread {
			must(t, goOn(tg.logOf(alpha), 2))
			must(t, goOn(tg.logOf(alpha), 3))
			return alpha
		}, "left alone: continued in DSH (4 frames, 3 turns)", "refreshed: forced: continued in DSH (4 frames, 3 turns)"},
		{"continued in a newer format", alpha, func(t *testing.T, tg *Target) thread {
			write(t, filepath.Join(dir(tg), "session.v4.jsonl.zstd"), "newer")
			return grown
		}, "left alone: continued in DSH (session.v4.jsonl.zstd lies beside it)", "refreshed: forced: continued in DSH (session.v4.jsonl.zstd lies beside it)"},
		{"open in DSH", alpha, func(t *testing.T, tg *Target) thread {
			write(t, filepath.Join(dir(tg), "session.lock"), "")
			return grown
		}, "left alone: DSH has the session open (session.lock)", "left alone: DSH has the session open (session.lock)"},
		{"images", pictured, lone(bare), "left alone: the installed log has images, and this conversion leaves out 2", "left alone: the installed log has images, and this conversion leaves out 2"},
		{"no images there", alpha, lone(bare), "refreshed", "refreshed"},
		{"in another project", alpha, func(t *testing.T, tg *Target) thread {
			must(t, os.Rename(filepath.Dir(dir(tg)), filepath.Join(tg.root, "--elsewhere--")))
			return grown
		}, "left alone: the same session lies in --elsewhere--, and DSH refuses a root with one twice", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, force := range []bool{false, true} {
				tg := newTarget(t)
				sync(t, tg, false, c.installed, beta)
				th := c.prepare(t, tg)
				before := contents(t, tg.root)
				want := c.want
				if force && c.force != "" {
					want = c.force
				}
				res := sync(t, tg, force, th, gamma)
				got := strings.ReplaceAll(describe(res.Entries[:1]), tg.home(), "HOME")
				if want = strings.ReplaceAll("session-"+alpha.id+" "+want, "/", string(filepath.Separator)); !strings.HasPrefix(got, want) || len(got) > len(want)+1 && !strings.HasSuffix(want, "unreadable") {
					t.Errorf("force %v: %s, want %s", force, got, want)
				}
				e := res.Entries[0]
				if changesLog(e.Outcome) != (before != contents(t, tg.root)) && !changesLog(res.Entries[1].Outcome) {
					t.Errorf("force %v: %s, but the logs say otherwise", force, e.Outcome)
				}
				if changesLog(e.Outcome) && read(t, tg.logOf(alpha)) != bytesOf(t, th) {
					t.Errorf("force %v: the log is not the new one", force)
				}
				if res.Entries[1].Outcome != Installed {
					t.Errorf("the sibling is %s", res.Entries[1].Outcome)
				}
			}
		})
	}
}

// TestRefused: what is no session is left alone, and the others go on.
func TestRefused(t *testing.T) {
	tg := newTarget(t)
	good := alpha.candidate(t)
	twin := alpha
	twin.cwd = "/somewhere/else"
	keys := []string{"", "a", "a/b/c", "../x", "a/..", "./a", "a/", "/a", "a b/c", "a\\b/c", "a/" + strings.Repeat("x", 256), ".rollbook-x.tmp/a", "a/.rollbook-x.tmp"}
	cs := []Candidate{good, twin.candidate(t), {Key: beta.key()}, {Key: gamma.key(), Converted: good.Converted, Refused: "no_recorded_id"}}
	for _, key := range keys {
		bad := good
		bad.Key = key
		cs = append(cs, bad)
	}
	p, err := tg.Plan(t.Context(), cs, true)
	must(t, err)
	want := []string{"", "another thread of this run has the same session", "no digest", "no_recorded_id"}
	for i, e := range p.Entries[1:] {
		if e.Outcome != LeftAlone || e.Reason == "" || i+1 < len(want) && e.Reason != want[i+1] {
			t.Errorf("%q: %s %s", e.Key, e.Outcome, e.Reason)
		}
	}
	res, err := tg.Apply(t.Context(), p)
	must(t, err)
	if res.Entries[0].Outcome != Installed || read(t, tg.logOf(alpha)) != bytesOf(t, alpha) {
		t.Errorf("%+v", res.Entries[0])
	}
}

// TestStateIsKept: entries of others stay, whatever they hold, and a state that
// cannot be understood stops everything.
func TestStateIsKept(t *testing.T) {
	tg := newTarget(t)
	name := filepath.Join(tg.home(), stateName)
	write(t, name, `{"version":1,"sessions":{"--x--/old":{"bodySha256":"`+strings.Repeat("a", 64)+`","importedAt":"2025","more":[1]},"odd":7}}`)
	sync(t, tg, false, alpha)
	got := read(t, name)
	for _, want := range []string{`"more": [`, `"odd": 7`, alpha.key()} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	for _, bad := range []string{"", "{", `{"version":2,"sessions":{}}`, `[]`, `{"sessions":{}}`} {
		write(t, name, bad)
		before := contents(t, tg.home())
		res := sync(t, tg, true, alpha, beta)
		if res.Entries[0].Key != "<metadata>" || res.Entries[1].Outcome == Adopted || res.Entries[2].Outcome != LeftAlone || contents(t, tg.home()) != before {
			t.Errorf("%q: %s", bad, describe(res.Entries))
		}
	}
}
