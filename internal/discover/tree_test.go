package discover

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rollbook/internal/diag"

	"github.com/google/go-cmp/cmp"
)

// A tree on disk for a test: names to texts. A name that ends in a slash is a
// folder, a text that begins with "-> " a link.
type files map[string]string

func (f files) write(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "root")
	for name, text := range f {
		at := filepath.Join(dir, filepath.FromSlash(name))
		parent := filepath.Dir(at)
		if strings.HasSuffix(name, "/") {
			parent = at
		}
		if err := os.MkdirAll(parent, 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(text, "-> "); ok {
			err = os.Symlink(target, at)
		} else if parent != at {
			err = os.WriteFile(at, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// rolloutText is a short rollout of the thread.
func rolloutText(id string, lines ...string) string {
	return `{"timestamp":"2026-03-02T09:00:01.5Z","type":"session_meta","payload":{"id":"` + id + `","timestamp":"2026-03-02T09:00:00Z","cwd":"/w","originator":"codex_exec","cli_version":"0.140.0","source":"exec","model_provider":"openai"}}` + "\n" +
		strings.Join(append(lines, `{"timestamp":"2026-03-02T09:00:09Z","type":"event_msg","payload":{"type":"agent_message","message":"done"}}`), "\n") + "\n"
}

// fileName is a rollout's name as Codex makes it.
func fileName(ids ...string) string {
	return "rollout-2026-03-02T10-00-00-" + strings.Join(ids, "_") + ".jsonl"
}

// see lists a root and gives "path id" of each ref and "place code" of each
// diagnostic.
func see(t *testing.T, h *Home) (refs, found []string) {
	t.Helper()
	all, err := h.Refs(context.Background(), func(d diag.Diagnostic) { found = append(found, d.Position.String()+" "+string(d.Code)) })
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		refs = append(refs, r.Path+" "+r.ID)
	}
	return refs, found
}

func open(t testing.TB, name string) *Home {
	t.Helper()
	h, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// one lists a root with a single rollout.
func one(t *testing.T, f files, codes ...string) Ref {
	t.Helper()
	var found []string
	all, err := open(t, f.write(t)).Refs(context.Background(), func(d diag.Diagnostic) { found = append(found, string(d.Code)) })
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(codes, found); d != "" {
		t.Errorf("diagnostics: %s", d)
	}
	if len(all) != 1 {
		t.Fatalf("%d refs: %+v", len(all), all)
	}
	return all[0]
}

func TestKinds(t *testing.T) {
	a := fileName(idA)
	for _, tt := range []struct {
		name  string
		files files
		kind  Kind
		refs  []string
		found []string
	}{
		{"home", files{"sessions/2026/03/02/" + a: rolloutText(idA)}, KindHome, []string{"sessions/2026/03/02/" + a + " " + idA}, nil},
		{"home, flat sessions", files{"sessions/" + a: rolloutText(idA)}, KindHome, []string{"sessions/" + a + " " + idA}, nil},
		{"home, archived only (C33, C34)", files{"archived_sessions/" + a: rolloutText(idA)}, KindHome, []string{"archived_sessions/" + a + " " + idA}, nil},
		{"home, no rollout", files{"history.jsonl": "", "x.jsonl": rolloutText(idA)}, KindHome, nil, nil},
		{"home, a database only", files{"state_5.sqlite": "", a: rolloutText(idA)}, KindHome, []string{a + " " + idA}, nil},
		{"home, empty sessions: the folder is searched", files{"sessions/": "", a: rolloutText(idA), "session_index.jsonl": ""}, KindHome, []string{a + " " + idA}, nil},
		{"a date folder", files{"02/" + a: rolloutText(idA)}, KindFolder, []string{"02/" + a + " " + idA}, nil},
		{"exports", files{"a.jsonl": rolloutText(idA), "b/c.JSONL": rolloutText(idB), "notes.jsonl": `{"role":"user","text":"hi"}`, "x.json": rolloutText(idC), "d.jsonl": ""},
			KindFolder, []string{"a.jsonl " + idA, "b/c.JSONL " + idB}, nil},
		{"left out of a search", files{".hidden/" + a: rolloutText(idA), ".x.jsonl": rolloutText(idA), "node_modules/" + a: rolloutText(idA), "tmp/" + a: rolloutText(idA), "credentials.jsonl": rolloutText(idA)}, KindFolder, nil, nil},
		{"left out of a search only", files{"sessions/.hidden/" + a: rolloutText(idA), "sessions/tmp/" + fileName(idB): rolloutText(idB)}, KindHome,
			[]string{"sessions/.hidden/" + a + " " + idA, "sessions/tmp/" + fileName(idB) + " " + idB}, nil},
		{"a folder with a rollout's name", files{"sessions/" + a + "/" + fileName(idB): rolloutText(idB)}, KindHome, nil, []string{"sessions/" + a + " non_regular_file"}},
		{"sessions is a file", files{"sessions": "x"}, KindHome, nil, []string{"sessions non_regular_file"}},
		{"empty", files{"x/": ""}, KindFolder, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := open(t, tt.files.write(t))
			refs, found := see(t, h)
			if h.Kind != tt.kind {
				t.Errorf("kind %d", h.Kind)
			}
			if d := cmp.Diff(tt.refs, refs); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(tt.found, found); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestRootItself: the chosen folder may have a name that a search leaves out,
// and archived_sessions as a root still says that all is archived.
func TestRootItself(t *testing.T) {
	dir := files{"tmp/.x/archived_sessions/" + fileName(idA): rolloutText(idA)}.write(t)
	for _, below := range []string{"tmp/.x", "tmp/.x/archived_sessions", "tmp/.x/archived_sessions/" + fileName(idA)} {
		refs, err := open(t, filepath.Join(dir, below)).Refs(context.Background(), func(d diag.Diagnostic) { t.Error(d) })
		if err != nil || len(refs) != 1 || !refs[0].Archived {
			t.Errorf("%s: %+v, %v", below, refs, err)
		}
	}
	dir = files{"node_modules/" + fileName(idA): rolloutText(idA)}.write(t)
	if refs, found := see(t, open(t, filepath.Join(dir, "node_modules"))); len(refs) != 1 || found != nil {
		t.Errorf("%v, %v", refs, found)
	}
}

func TestSingleFile(t *testing.T) {
	dir := files{"anything.txt": rolloutText(idA), "notes.jsonl": `{"role":"user"}`, "auth.json": rolloutText(idA), "link": "-> anything.txt", "denied": "-> auth.json",
		fileName(idB): ""}.write(t)
	for name, want := range map[string]struct {
		refs  []string
		found []string
	}{
		"anything.txt": {[]string{"anything.txt " + idA}, nil},
		"link":         {[]string{"anything.txt " + idA}, nil},
		"notes.jsonl":  {},
		fileName(idB):  {[]string{fileName(idB) + " " + idB}, []string{fileName(idB) + " no_session_meta"}},
	} {
		h := open(t, filepath.Join(dir, name))
		refs, found := see(t, h)
		if h.Kind != KindFile || cmp.Diff(want.refs, refs) != "" || cmp.Diff(want.found, found) != "" {
			t.Errorf("%s: %v, %v", name, refs, found)
		}
	}
	for _, name := range []string{"auth.json", "denied", "missing"} {
		if h, err := Open(filepath.Join(dir, name)); err == nil {
			h.Close()
			t.Errorf("%s was opened", name)
		}
	}
}

// TestDuplicates: of copies of one rollout one is used and the others are
// reported (C33; plain before compressed, active before archived).
func TestDuplicates(t *testing.T) {
	a := fileName(idA)
	zst := string(compressed(t, rolloutText(idA)))
	for _, tt := range []struct {
		name  string
		files files
		used  string
		found []string
	}{
		{"active and archived", files{"sessions/2026/" + a: rolloutText(idA), "archived_sessions/" + a: rolloutText(idA)}, "sessions/2026/" + a, []string{"archived_sessions/" + a + " duplicate_file"}},
		{"plain and compressed", files{"sessions/" + a: rolloutText(idA), "sessions/" + a + ".zst": zst}, "sessions/" + a, []string{"sessions/" + a + ".zst duplicate_file"}},
		{"archived plain and active compressed", files{"archived_sessions/" + a: rolloutText(idA), "sessions/" + a + ".zst": zst}, "sessions/" + a + ".zst", []string{"archived_sessions/" + a + " duplicate_file"}},
		{"the longer of two backups", files{"x/" + a: rolloutText(idA), "y/" + a: rolloutText(idA, "{}")}, "y/" + a, []string{"x/" + a + " duplicate_file"}},
		{"an empty plain file beside the compressed", files{"sessions/" + a: "", "sessions/" + a + ".zst": zst}, "sessions/" + a + ".zst", []string{"sessions/" + a + " duplicate_file", "sessions/" + a + " no_session_meta"}},
		{"exports in one folder", files{"a.jsonl": rolloutText(idA), "a.jsonl.zst": zst}, "a.jsonl", []string{"a.jsonl.zst duplicate_file"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			refs, found := see(t, open(t, tt.files.write(t)))
			if d := cmp.Diff([]string{tt.used + " " + idA}, refs); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(tt.found, found); d != "" {
				t.Error(d)
			}
		})
	}
	refs, found := see(t, open(t, files{"x/a.jsonl": rolloutText(idA), "y/a.jsonl": rolloutText(idB)}.write(t)))
	if len(refs) != 2 || found != nil {
		t.Errorf("exports of one name in two folders: %v, %v", refs, found)
	}
}

// TestLimits: what is not looked at any more is said, and the rest is found.
func TestLimits(t *testing.T) {
	a, b := fileName(idA), fileName(idB)
	h := open(t, files{"sessions/1/2/" + a: rolloutText(idA), "sessions/1/2/3/" + b: rolloutText(idB)}.write(t))
	h.max.depth = 2
	refs, found := see(t, h)
	if cmp.Diff([]string{"sessions/1/2/" + a + " " + idA}, refs) != "" || cmp.Diff([]string{"sessions/1/2/3 depth_limit"}, found) != "" {
		t.Errorf("depth: %v, %v", refs, found)
	}
	h = open(t, files{"sessions/1/" + a: rolloutText(idA), "sessions/2/" + b: rolloutText(idB)}.write(t))
	for entries, want := range map[int]int{1: 0, 2: 1, 3: 1, 4: 2} {
		h.max.entries = entries
		refs, found := see(t, h)
		if len(refs) != want || (len(found) == 1 && strings.HasSuffix(found[0], "entry_limit")) != (entries < 4) {
			t.Errorf("%d entries: %v, %v", entries, refs, found)
		}
	}
}

func TestCancelled(t *testing.T) {
	h := open(t, files{"sessions/" + fileName(idA): rolloutText(idA)}.write(t))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := h.Refs(ctx, func(d diag.Diagnostic) { t.Error(d) }); err != context.Canceled {
		t.Error(err)
	}
	if _, err := h.Titles(ctx, func(d diag.Diagnostic) { t.Error(d) }); err != context.Canceled {
		t.Error(err)
	}
}

// TestOthers: what is no rollout but could be another format is told apart.
func TestOthers(t *testing.T) {
	dir := files{"notes.jsonl": "{}\n", "a.jsonl": rolloutText(idA)}.write(t)
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(dir, "notes.jsonl"), at, at); err != nil {
		t.Fatal(err)
	}
	_, l := list(t, dir)
	if len(l.Others) != 1 || l.Others[0].Path != "notes.jsonl" || l.Others[0].Size != 3 || !l.Others[0].ModTime.Equal(at) {
		t.Errorf("%+v", l.Others)
	}
}
