package sessions

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/inspect"
)

// The cases D1 to D14 of the contract; D9 to D11 are in unix_test.go, D12 and D13
// are scripts of the command line.

// TestD1SameIDInTwoFiles: an id may stand in several files; names of folders say nothing.
func TestD1SameIDInTwoFiles(t *testing.T) {
	root := files{
		"2026/09/24/session.jsonl": log("one", project),
		"2026/09/24/copy.jsonl":    log("one", project),
		"workers/worker.jsonl":     log("two", project),
		"project/session.jsonl":    log("other", volume+"/synthetic/elsewhere"),
	}.write(t)
	before := snapshot(t, root)
	r := list(t, options(root))
	expect(t, r, 4, []string{"2026/09/24/copy.jsonl one", "2026/09/24/session.jsonl one", "workers/worker.jsonl two"}, nil)
	for _, s := range r.Sessions {
		if s.Records != 2 || s.Events != 1 || s.State != inspect.Read || !slices.Equal(s.ObservedVersions, []string{"synthetic"}) {
			t.Errorf("%s: %+v", s.Path, s)
		}
		if got := reads(s); !slices.Equal(got, []string{"unverified_compatibility0 0"}) {
			t.Errorf("%s: %q", s.Path, got)
		}
	}
	out := render(t, r)
	for _, word := range []string{"SAID", "elsewhere", "branch", "subagent", "cwd", "title", "size", "time"} {
		if strings.Contains(out, word) {
			t.Errorf("the report has %q", word)
		}
	}
	if !slices.Equal(snapshot(t, root), before) {
		t.Error("the tree was changed")
	}
}

func TestD2ProjectIsOneFolder(t *testing.T) {
	parent := volume + "/synthetic/parent/../project/./"
	root := files{
		"a.jsonl":                   log("a", parent),
		"synthetic/project/b.jsonl": meta("b", volume+"/synthetic/other") + msg(project+" PROJECT"),
		"c.jsonl":                   log("c", project+"/sub"),
		"d.jsonl":                   log("d", project+"-worktree"),
		"e.jsonl":                   log("e", volume+"/synthetic/Project"),
		"f.jsonl":                   log("f", volume+"/synthetic"),
	}.write(t)
	expect(t, list(t, options(root)), 6, []string{"a.jsonl a"}, nil)
	o := options(root)
	o.Project = parent
	if r := list(t, o); len(r.Sessions) != 1 || r.Project != filepath.Clean(project) {
		t.Errorf("project %q: %q", r.Project, listed(t, r))
	}
}

func TestD3NothingThere(t *testing.T) {
	expect(t, list(t, options(files{}.write(t))), 0, nil, nil)
	root := files{"a.jsonl": log("a", volume+"/synthetic/other")}.write(t)
	expect(t, list(t, options(root)), 1, nil, nil)
	for name, want := range map[string]error{
		filepath.Join(root, "missing"): os.ErrNotExist,
		filepath.Join(root, "a.jsonl"): nil,
		"":                             nil,
	} {
		if _, err := List(t.Context(), options(name)); err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("root %q: %v", name, err)
		}
	}
	o := options(root)
	o.Project = "relative"
	if _, err := List(t.Context(), o); err == nil {
		t.Error("a relative project was taken")
	}
}

func TestD4NoSureProjectOrSession(t *testing.T) {
	root := files{
		"empty.jsonl":       "",
		"no-cwd.jsonl":      row("session_meta", `{"id":"a"}`) + msg("LEAK"),
		"relative.jsonl":    meta("a", "synthetic/project") + msg("LEAK"),
		"blank.jsonl":       meta("a", "") + turn(project) + msg("LEAK"),
		"two-cwds.jsonl":    meta("a", project) + turn(volume+"/synthetic/other") + msg("LEAK"),
		"both.jsonl":        meta("a", project) + turn(volume+"/synthetic/other") + turn("relative"),
		"two-ids.jsonl":     meta("a", project) + meta("b", project) + msg("LEAK"),
		"no-header.jsonl":   turn(project) + msg("LEAK"),
		"no-id.jsonl":       meta("", project) + msg("LEAK"),
		"claude.jsonl":      `{"type":"user","sessionId":"LEAK","cwd":"` + project + `","message":{"role":"user","content":"LEAK"}}` + "\n",
		"same-twice.jsonl":  meta("ok", project) + turn(project+"/.") + meta("ok", project),
		"white-space.jsonl": " \n\n",
	}.write(t)
	r := list(t, options(root))
	expect(t, r, 12, []string{"same-twice.jsonl ok"}, []string{
		"blank.jsonl invalid_project_metadata",
		"both.jsonl invalid_project_metadata",
		"claude.jsonl missing_project_metadata",
		"claude.jsonl partial_file",
		"empty.jsonl missing_project_metadata",
		"no-cwd.jsonl missing_project_metadata",
		"no-header.jsonl missing_session_metadata",
		"no-header.jsonl partial_file",
		"no-id.jsonl missing_session_metadata",
		"no-id.jsonl partial_file",
		"relative.jsonl invalid_project_metadata",
		"same-twice.jsonl partial_file",
		"two-cwds.jsonl conflicting_project_metadata",
		"two-ids.jsonl conflicting_session_metadata",
		"two-ids.jsonl partial_file",
		"white-space.jsonl missing_project_metadata",
	})
	if out := render(t, r); strings.Contains(out, "LEAK") {
		t.Error("the report holds text of a log")
	}
}

func TestD5NoEventNeeded(t *testing.T) {
	root := files{
		"header.jsonl": meta("a", project),
		"turn.jsonl":   row("session_meta", `{"id":"b"}`) + turn(project) + msg("x"),
	}.write(t)
	r := list(t, options(root))
	expect(t, r, 2, []string{"header.jsonl a", "turn.jsonl b"}, nil)
	if s := r.Sessions[0]; s.Events != 0 || s.State != inspect.Empty {
		t.Errorf("header only: %+v", s)
	}
}

func TestD6PartialFiles(t *testing.T) {
	root := files{
		"mine.jsonl":  meta("a", project) + row("event_msg", `{"type":"x"}`) + `{"type":`,
		"other.jsonl": log("b", volume+"/synthetic/other") + "broken\n",
	}.write(t)
	r := list(t, options(root))
	expect(t, r, 2, []string{"mine.jsonl a"}, []string{"mine.jsonl partial_file", "other.jsonl partial_file"})
	want := []string{"unverified_compatibility0 0", "omitted_event_msg2 0", "incomplete_final_line3 0"}
	if got := reads(r.Sessions[0]); !slices.Equal(got, want) {
		t.Errorf("diagnostics %q, want %q", got, want)
	}
}

func TestD7Depth(t *testing.T) {
	root := files{
		"0.jsonl":         log("0", project),
		"a/1.jsonl":       log("1", project),
		"a/b/2.jsonl":     log("2", project),
		"a/b/c/3.jsonl":   log("3", project),
		"a/b/c/d/4.jsonl": log("4", project),
		"a/b/c/empty/":    "",
		"a/0.txt":         log("5", project),
	}.write(t)
	expect(t, list(t, options(root)), 4,
		[]string{"0.jsonl 0", "a/1.jsonl 1", "a/b/2.jsonl 2", "a/b/c/3.jsonl 3"},
		[]string{"a/b/c/d depth_limit", "a/b/c/empty depth_limit"})
}

func TestD8Budgets(t *testing.T) {
	one := log("same", project)
	root := files{"a.jsonl": one, "b.jsonl": one}.write(t)
	for _, tt := range []struct {
		name      string
		budget    func(*Budgets)
		inspected int
		want      string // all diagnostics, with the name of a file left out
	}{
		{"entries", func(b *Budgets) { b.Entries = 1 }, 1, ". entry_limit"},
		{"files", func(b *Budgets) { b.Files = 1 }, 1, "*.jsonl file_count_limit"},
		{"total", func(b *Budgets) { b.TotalBytes = int64(len(one)) }, 1, "*.jsonl total_byte_limit"},
		{"total, less", func(b *Budgets) { b.TotalBytes = int64(len(one)) - 1 }, 0, "*.jsonl total_byte_limit"},
		{"file", func(b *Budgets) { b.FileBytes = 1 }, 0, "*.jsonl file_size_limit *.jsonl file_size_limit"},
		{"file, less", func(b *Budgets) { b.FileBytes = int64(len(one)) - 1 }, 0, "*.jsonl file_size_limit *.jsonl file_size_limit"},
		{"all just enough", func(b *Budgets) { *b = Budgets{2, 2, int64(len(one)), 2 * int64(len(one)), len(one), 1} }, 2, ""},
	} {
		o := options(root)
		tt.budget(&o.Budgets)
		r := list(t, o)
		got := regexp.MustCompile(`\b[ab]\.jsonl`).ReplaceAllString(strings.Join(diagnosed(t, r), " "), "*.jsonl")
		if r.FilesInspected != tt.inspected || len(r.Sessions) != tt.inspected || got != tt.want {
			t.Errorf("%s: %d inspected, %q, %q", tt.name, r.FilesInspected, listed(t, r), got)
		}
	}
	for i, zero := range []func(*Budgets){
		func(b *Budgets) { b.Entries = 0 }, func(b *Budgets) { b.Files = 0 }, func(b *Budgets) { b.FileBytes = 0 },
		func(b *Budgets) { b.TotalBytes = 0 }, func(b *Budgets) { b.LineBytes = 0 }, func(b *Budgets) { b.Depth = 0 },
		func(b *Budgets) { b.Entries = -1 },
	} {
		o := options(root)
		zero(&o.Budgets)
		if _, err := List(t.Context(), o); err != ErrBudgets {
			t.Errorf("budget %d: %v", i, err)
		}
	}
}

func TestD8LongLine(t *testing.T) {
	root := files{"a.jsonl": meta("a", project) + msg(strings.Repeat("x", 1024))}.write(t)
	o := options(root)
	o.Budgets.LineBytes = 512
	r := list(t, o)
	expect(t, r, 1, []string{"a.jsonl a"}, []string{"a.jsonl partial_file"})
	if got := reads(r.Sessions[0]); !slices.Equal(got, []string{"unverified_compatibility0 0", "line_limit2 0"}) {
		t.Errorf("diagnostics %q", got)
	}
}

func TestD14MixedAndLinked(t *testing.T) {
	root := files{
		"a/b/c/visible.jsonl":    log("visible", project),
		"a/b/c/d/too-deep.jsonl": log("deep", project),
		"mixed.jsonl":            log("one", project) + log("two", project),
	}.write(t)
	symlink(t, "mixed.jsonl", filepath.Join(root, "link"))
	expect(t, list(t, options(root)), 2, []string{"a/b/c/visible.jsonl visible"}, []string{
		"a/b/c/d depth_limit",
		"link symlink_skipped",
		"mixed.jsonl conflicting_session_metadata",
		"mixed.jsonl partial_file",
	})
	expect(t, list(t, options(filepath.Join(root, "a"))), 2,
		[]string{"b/c/d/too-deep.jsonl deep", "b/c/visible.jsonl visible"}, nil)
}

// TestTwoRuns: the same tree gives the same bytes.
func TestTwoRuns(t *testing.T) {
	tree := files{}
	for _, name := range []string{"z", "m", "a", "q/q", "q/a", "q/b/c", "b"} {
		tree[name+".jsonl"] = log(name, project) + "broken\n"
	}
	root := tree.write(t)
	first := render(t, list(t, options(root)))
	if second := render(t, list(t, options(root))); first != second {
		t.Errorf("first\n%s\nthen\n%s", first, second)
	}
	if !bytes.Contains([]byte(first), []byte(`"partial": true`)) {
		t.Error("not partial")
	}
}
