package gitro

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// theGit is the git of the machine, in an environment that would lead it astray.
func theGit(t testing.TB) Git {
	t.Helper()
	path, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	return Git{path, append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "GIT_DIR=/nowhere", "GIT_WORK_TREE=/nowhere", "GIT_INDEX_FILE=/nowhere")}
}

// git runs git in a folder to make what is then looked at.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	at := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// checkout makes a checkout with a commit.
func checkout(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q", "-b", "main")
	put(t, dir, "file", "one\n")
	put(t, dir, "sub/file", "two\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "one")
	return dir
}

func observe(t *testing.T, dir string) *Observation {
	t.Helper()
	return Observe(context.Background(), theGit(t), dir)
}

func want(t *testing.T, o *Observation, branch, dirty string, partial bool, codes ...string) {
	t.Helper()
	gotBranch, gotDirty := "-", "-"
	if o.Branch != nil {
		gotBranch = *o.Branch
	}
	if o.Dirty != nil {
		gotDirty = map[bool]string{true: "dirty", false: "clean"}[*o.Dirty]
	}
	if gotBranch != branch || gotDirty != dirty || o.Partial != partial || !slices.Equal(o.Codes, codes) {
		t.Errorf("branch %s, %s, partial %t, codes %q; want %s, %s, %t, %q", gotBranch, gotDirty, o.Partial, o.Codes, branch, dirty, partial, codes)
	}
}

// G1: a clean checkout, seen from a folder in it. G7: the variables that git goes
// by are not what decides.
func TestClean(t *testing.T) {
	dir := checkout(t)
	git(t, dir, "remote", "add", "origin", "https://example.org/a/b.git")
	o := observe(t, filepath.Join(dir, "sub"))
	want(t, o, "main", "clean", false)
	if o.Repo.Root != dir || *o.BaseCommit != git(t, dir, "rev-parse", "HEAD") || *o.Remote != "https://example.org/a/b.git" {
		t.Errorf("%+v", o)
	}
}

// G2: whatever is not as in the commit makes it dirty.
func TestDirty(t *testing.T) {
	for name, change := range map[string]func(dir string){
		"untracked": func(dir string) { put(t, dir, "new", "") },
		"unstaged":  func(dir string) { put(t, dir, "file", "changed\n") },
		"staged": func(dir string) {
			put(t, dir, "file", "changed\n")
			git(t, dir, "add", "file")
		},
		"deleted": func(dir string) { os.Remove(filepath.Join(dir, "file")) },
		"conflict": func(dir string) {
			git(t, dir, "checkout", "-q", "-b", "other")
			put(t, dir, "file", "theirs\n")
			git(t, dir, "commit", "-qam", "theirs")
			git(t, dir, "checkout", "-q", "main")
			put(t, dir, "file", "ours\n")
			git(t, dir, "commit", "-qam", "ours")
			cmd := exec.Command("git", "-c", "user.name=a", "-c", "user.email=a@example.org", "merge", "-q", "other")
			cmd.Dir = dir
			cmd.Run() // ends with the conflict
		},
	} {
		dir := checkout(t)
		change(dir)
		t.Run(name, func(t *testing.T) { want(t, observe(t, dir), "main", "dirty", false, RemoteAbsent) })
	}
}

// G3: a branch without a commit, and a commit without a branch.
func TestUnbornAndDetached(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	o := observe(t, dir)
	want(t, o, "main", "clean", true, HeadUnavailable, RemoteAbsent)
	dir = checkout(t)
	git(t, dir, "checkout", "-q", "--detach")
	o = observe(t, dir)
	want(t, o, "-", "clean", false, DetachedHead, RemoteAbsent)
	if o.BaseCommit == nil {
		t.Error("no commit")
	}
}

// G4, G9: no checkout, or no git.
func TestNoCheckout(t *testing.T) {
	bare := t.TempDir()
	git(t, bare, "init", "-q", "--bare")
	for _, dir := range []string{filepath.Join(t.TempDir(), "missing"), t.TempDir(), bare} {
		o := observe(t, dir)
		want(t, o, "-", "-", true, Unavailable)
		if o.Repo != nil || o.BaseCommit != nil {
			t.Errorf("%+v", o)
		}
	}
	want(t, Observe(t.Context(), Git{}, checkout(t)), "-", "-", true, Unavailable)
	want(t, Observe(t.Context(), Git{Path: "/nowhere/git"}, checkout(t)), "-", "-", true, Unavailable)
}

// G5: which addresses are given away.
func TestPublic(t *testing.T) {
	for url, want := range map[string]string{
		"https://example.org/a/b.git":      "https://example.org/a/b.git",
		"https://example.org:8443/a":       "https://example.org:8443/a",
		"ssh://example.org/a":              "ssh://example.org/a",
		"ssh://git@example.org:22/a":       "ssh://example.org:22/a",
		"git@example.org:a/b.git":          "ssh://example.org/a/b.git",
		"git@h:p":                          "ssh://h/p",
		"https://joe:pass@example.org/a":   "",
		"https://token@example.org/a":      "",
		"ssh://joe@example.org/a":          "",
		"joe@example.org:a":                "",
		"https://example.org/a?key=x":      "",
		"https://example.org/a#x":          "",
		"https://example.org/%2e":          "",
		"https://example.org/a b":          "",
		"https://example.org":              "",
		"https:///a":                       "",
		"http://example.org/a":             "",
		"git://example.org/a":              "",
		"file:///home/joe/a":               "",
		"/home/joe/a":                      "",
		"../a":                             "",
		"host:a":                           "",
		"ssh://-oProxyCommand=x/a":         "",
		"git@example.org":                  "",
		"https://example.org/ä":            "",
		"git@a/b:c":                        "",
		"ssh://git@git@example.org/a":      "",
		"https://example.org/a\nhttps://b": "",
	} {
		if got := Public(url); got != want {
			t.Errorf("Public(%q) is %q, want %q", url, got, want)
		}
	}
	dir := checkout(t)
	git(t, dir, "remote", "add", "origin", "https://joe:pass@example.org/a")
	o := observe(t, dir)
	want(t, o, "main", "clean", true, RemoteOmitted)
	if o.Remote != nil {
		t.Error(*o.Remote)
	}
}

// G8: an index that cannot be read takes the state away, and no more.
func TestCorruptIndex(t *testing.T) {
	dir := checkout(t)
	put(t, dir, ".git/index", "broken")
	o := observe(t, dir)
	want(t, o, "main", "-", true, StatusUnavailable, RemoteAbsent)
	if o.BaseCommit == nil {
		t.Error("no commit")
	}
}

// G9: a linked worktree has its own commit.
func TestWorktree(t *testing.T) {
	dir := checkout(t)
	tree := filepath.Join(t.TempDir(), "tree")
	git(t, dir, "worktree", "add", "-q", "-b", "side", tree)
	put(t, tree, "file", "side\n")
	git(t, tree, "commit", "-qam", "side")
	o := observe(t, tree)
	want(t, o, "side", "clean", false, RemoteAbsent)
	if *o.BaseCommit == git(t, dir, "rev-parse", "HEAD") {
		t.Error("the commit is that of the other worktree")
	}
}

// Submodules are not looked into, and that is said.
func TestSubmodules(t *testing.T) {
	dir := checkout(t)
	git(t, dir, "-c", "protocol.file.allow=always", "submodule", "add", "-q", checkout(t), "module")
	git(t, dir, "commit", "-qam", "module")
	want(t, observe(t, dir), "main", "-", true, SubmodulesUnknown, RemoteAbsent)
	put(t, dir, "new", "")
	want(t, observe(t, dir), "main", "dirty", true, SubmodulesUnknown, RemoteAbsent)
}

// Nothing that the repository configures is run, and nothing in it is written.
func TestNothingRuns(t *testing.T) {
	dir := checkout(t)
	ran := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho $0 >> "+ran+"\ncat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, dir, ".gitattributes", "* filter=evil\nsub/* filter=long diff=evil\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "attributes")
	for _, key := range []string{"filter.evil.clean", "filter.evil.smudge", "filter.long.process", "core.fsmonitor", "core.pager", "diff.evil.command", "diff.evil.textconv", "core.sshCommand", "core.askPass", "credential.helper"} {
		git(t, dir, "config", key, script)
	}
	git(t, dir, "config", "filter.evil.required", "true")
	for _, hook := range []string{"post-index-change", "post-checkout", "reference-transaction"} {
		at := filepath.Join(dir, ".git/hooks", hook)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte("#!/bin/sh\necho hook >> "+ran+"\n"), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	put(t, dir, "file", "one\n") // the same text with another time
	before, _ := os.ReadFile(filepath.Join(dir, ".git/index"))
	o := observe(t, dir)
	want(t, o, "main", "clean", false, RemoteAbsent)
	if text, err := os.ReadFile(ran); err == nil {
		t.Errorf("ran %s", text)
	}
	if after, _ := os.ReadFile(filepath.Join(dir, ".git/index")); string(after) != string(before) {
		t.Error("the index was written")
	}
}

// Entry, Size, Content and Conflicted tell of a file of a commit.
func TestEntries(t *testing.T) {
	dir := checkout(t)
	r, err := Open(t.Context(), theGit(t), dir)
	if err != nil {
		t.Fatal(err)
	}
	head, _ := r.Head(t.Context())
	b, err := r.Entry(t.Context(), head, "sub/file")
	if err != nil || b.Mode != "100644" {
		t.Fatalf("%+v, %v", b, err)
	}
	n, err1 := r.Size(t.Context(), b.ID)
	data, err2 := r.Content(t.Context(), b.ID)
	if n != 4 || string(data) != "two\n" || err1 != nil || err2 != nil {
		t.Errorf("%d bytes %q: %v, %v", n, data, err1, err2)
	}
	if b, err := r.Entry(t.Context(), head, "sub"); err != nil || b.Mode != "040000" {
		t.Errorf("a folder: %+v, %v", b, err)
	}
	if b, err := r.Entry(t.Context(), head, "*"); err != nil || b != (Blob{}) {
		t.Errorf("a pattern: %+v, %v", b, err)
	}
	if !r.Has(t.Context(), head) || r.Has(t.Context(), strings.Repeat("0", 40)) || r.Has(t.Context(), "HEAD") {
		t.Error("Has does not know which commits there are")
	}
	if c, err := r.Conflicted(t.Context(), "file"); c || err != nil {
		t.Errorf("conflicted %t, %v", c, err)
	}
}

// An answer is bounded, and one that is cut off by the caller ends git.
func TestBounds(t *testing.T) {
	dir := checkout(t)
	put(t, dir, "large", strings.Repeat("x", MaxOutput+1))
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "large")
	r, err := Open(t.Context(), theGit(t), dir)
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.Entry(t.Context(), "HEAD", "large")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Content(t.Context(), b.ID); !errors.Is(err, ErrTooLarge) {
		t.Errorf("error %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := r.Head(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
