package sessions

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/corpustest"
	"rollbook/internal/fsx"
	"rollbook/internal/inspect"
)

// reading is what inspect says of one file on its own.
type reading struct {
	recorder
	rep *inspect.Report
}

func inspectFile(t testing.TB, name string) *reading {
	t.Helper()
	src, err := inspect.Open(fsx.OS, name, inspect.DefaultLimits)
	must(t, err)
	defer src.Close()
	var r reading
	r.reset(1 << 30)
	r.rep, err = inspect.Run(t.Context(), src, &r.recorder)
	must(t, err)
	return &r
}

// same compares a listed session with a reading of its file.
func same(t testing.TB, s *Session) {
	t.Helper()
	want := inspectFile(t, s.Path)
	if ids := want.rep.SessionIDs; len(ids) != 1 || ids[0] != s.SessionID {
		t.Errorf("%s: session %q, inspect says %q", s.Path, s.SessionID, ids)
	}
	if s.State != want.rep.State || s.Records != want.rep.Records || s.Events != want.rep.Events ||
		!slices.Equal(s.ObservedVersions, want.rep.ObservedVersions) {
		t.Errorf("%s: %+v, inspect says %+v", s.Path, s, want.rep)
	}
	if got := slices.Collect(s.Diagnostics()); len(got) != want.rep.Diagnostics || !slices.Equal(got, slices.Collect(want.take().all())) {
		t.Errorf("%s: %d diagnostics, inspect has %d", s.Path, len(got), want.rep.Diagnostics)
	}
}

// TestCorpus lists the folder "sessions" of every home: each rollout is listed
// as inspect reads it, or there is a diagnostic that says why not.
func TestCorpus(t *testing.T) {
	roots, err := filepath.Glob(filepath.Join(corpustest.Dir(t), "*", "*", "home", "sessions"))
	must(t, err)
	var inspected, listed, others int
	for _, root := range roots {
		r := list(t, Options{Root: root, Budgets: DefaultBudgets})
		out := render(t, r)
		if out != render(t, list(t, Options{Root: root, Budgets: DefaultBudgets})) {
			t.Errorf("%s: two runs differ", root)
		}
		told := map[string]bool{}
		for i := range r.Sessions {
			same(t, &r.Sessions[i])
			told[r.Sessions[i].Path] = true
			listed++
		}
		for _, d := range r.Diagnostics {
			switch d.Code {
			case PartialFile:
			case MissingProjectMetadata, MissingSessionMetadata, ConflictingProjectMetadata, ConflictingSessionMetadata:
				told[d.Path] = true
				others++
			default:
				t.Errorf("%s: %s", d.Path, d.Code)
			}
		}
		inspected += r.FilesInspected
		if len(told) != r.FilesInspected {
			t.Errorf("%s: %d files, %d told of", root, r.FilesInspected, len(told))
		}
		byProject(t, r)
	}
	t.Logf("%d homes, %d files, %d listed, %d not", len(roots), inspected, listed, others)
	if len(roots) < 200 || inspected < 300 || listed < inspected/2 || listed+others != inspected {
		t.Errorf("%d homes, %d files, %d listed, %d not", len(roots), inspected, listed, others)
	}
}

// byProject: the listings of each project together are that of all of them.
func byProject(t *testing.T, all *Report) {
	projects := map[string]bool{}
	for _, s := range all.Sessions {
		projects[inspectFile(t, s.Path).rep.ProjectPaths[0]] = true
	}
	var parts []string
	for p := range projects {
		r := list(t, Options{Root: all.Root, Project: p, Budgets: DefaultBudgets})
		parts = append(parts, listed(t, r)...)
		if !slices.Equal(diagnosed(t, r), diagnosed(t, all)) {
			t.Errorf("%s: diagnostics depend on the project", all.Root)
		}
	}
	slices.Sort(parts)
	want := listed(t, all)
	slices.Sort(want)
	if !slices.Equal(parts, want) {
		t.Errorf("%s: by project %q, all %q", all.Root, parts, want)
	}
}

// TestEveryPrefix: however a file is cut, it is listed as inspect reads it, or
// a diagnostic says why not.
func TestEveryPrefix(t *testing.T) {
	for name, text := range map[string]string{
		"a.jsonl":     meta("a", project) + turn(project) + row("event_msg", "{}") + msg("é") + "broken\n",
		"a.jsonl.zst": compress(t, log("a", project)+strings.Repeat(msg("more"), 3)),
	} {
		root := files{}.write(t)
		seen := map[string]bool{}
		for n := range len(text) + 1 {
			must(t, os.WriteFile(filepath.Join(root, name), []byte(text[:n]), 0o600))
			r := list(t, options(root))
			render(t, r)
			for i := range r.Sessions {
				same(t, &r.Sessions[i])
			}
			if len(r.Sessions) == 0 && len(r.Diagnostics) == 0 || r.FilesInspected != 1 {
				t.Fatalf("%s, %d bytes: nothing said", name, n)
			}
			seen[fmt.Sprint(len(r.Sessions), diagnosed(t, r))] = true
		}
		if len(seen) < 3 {
			t.Errorf("%s: only %v", name, seen)
		}
	}
}
