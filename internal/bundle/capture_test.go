package bundle

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/fsx"
	"rollbook/internal/gitro"
)

// machineGit is the git of the machine.
func machineGit(t testing.TB) gitro.Git {
	t.Helper()
	path, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	return gitro.Git{Path: path, Environ: append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home)}
}

// put writes files below a folder: the text after the name, a mode with it where
// the name ends in *.
func put(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		plain, exec := strings.CutSuffix(name, "*")
		mode := plainMode
		if exec {
			mode = execMode
		}
		writeMode(t, filepath.Join(dir, plain), []byte(text), mode)
	}
}

// newCheckout makes a checkout with one commit of the files.
func newCheckout(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q", "-b", "main")
	put(t, dir, files)
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "base")
	return dir
}

// withCode are the options for a bundle with code.
func withCode(t testing.TB, dir string, include ...string) Options {
	t.Helper()
	o := optionsFor(rolloutFile(t, basic))
	o.Project, o.Git, o.Include = dir, machineGit(t), include
	return o
}

// forms are files of every form that can be carried: what they were, and what
// became of them. "-" is no file.
var forms = map[string][2]string{
	"modified":      {"one\ntwo\n", "one\nthree\n"},
	"crlf":          {"one\r\ntwo\r\n", "one\r\n2\r\n"},
	"no end":        {"one", "one\ntwo"},
	"emptied":       {"one\n", ""},
	"filled":        {"", "one\n"},
	"-dash":         {"one\n", "two\n"},
	"a/deep/file":   {"one\n", "two\n"},
	"script":        {"#!/bin/sh\n", "*#!/bin/sh\n"},
	"script2":       {"*#!/bin/sh\n", "#!/bin/sh\necho\n"},
	"gone":          {"one\n", "-"},
	"gone empty":    {"", "-"},
	"dir/gone":      {"one\n", "-"},
	"new/dir/added": {"-", "added\n"},
	"added empty":   {"-", ""},
	"added exec":    {"-", "*x"},
}

func formFiles(i int) map[string]string {
	files := make(map[string]string)
	for name, versions := range forms {
		if text, exec := strings.CutPrefix(versions[i], "*"); exec {
			files[name+"*"] = text
		} else if text != "-" {
			files[name] = text
		}
	}
	return files
}

// changed makes a checkout in which every form of change was made. Some of it is
// staged, and then changed further: what counts is the disk.
func changed(t testing.TB) string {
	t.Helper()
	dir := newCheckout(t, formFiles(0))
	put(t, dir, map[string]string{"modified": "staged\n"})
	git(t, dir, "add", "modified")
	for name, versions := range forms {
		if versions[1] == "-" {
			os.Remove(filepath.Join(dir, name))
		}
	}
	os.Remove(filepath.Join(dir, "dir"))
	put(t, dir, formFiles(1))
	return dir
}

func formNames() (names []string) {
	for name := range forms {
		names = append(names, name)
	}
	return names
}

// S1 to S3: what was carried makes the same files in another checkout of the
// commit, by git apply and a copy of the new files.
func TestCodeRoundTrip(t *testing.T) {
	dir := changed(t)
	p := prepare(t, withCode(t, dir, formNames()...))
	if p.Partial || p.Manifest.CodeState != WithChanges || p.Manifest.FormatVersion != 2 || len(p.Manifest.Changes) != len(forms) {
		t.Fatalf("partial %t, manifest %+v", p.Partial, p.Manifest)
	}
	bundled := write(t, p)
	v := mustVerify(t, bundled)
	seen := preview(t, p)
	files := tree(t, bundled)
	if seen.Code == nil || files[PatchName] != "-rw------- "+seen.Code.Patch || len(seen.Code.NewFiles) != 3 || files["files"] != "drwx------ " {
		t.Errorf("previewed %+v", seen.Code)
	}
	clone := filepath.Join(t.TempDir(), "clone")
	git(t, dir, "clone", "-q", dir, clone)
	git(t, clone, "apply", filepath.Join(bundled, PatchName))
	for _, c := range v.Manifest.Changes {
		if c.Kind == Add {
			data, err := os.ReadFile(filepath.Join(bundled, c.Payload))
			if err != nil {
				t.Fatal(err)
			}
			writeMode(t, filepath.Join(clone, c.Path), data, *c.ResultMode)
		}
	}
	for name, versions := range forms {
		want, exec := strings.CutPrefix(versions[1], "*")
		data, err := os.ReadFile(filepath.Join(clone, name))
		if versions[1] == "-" {
			if err == nil {
				t.Errorf("%s is still there", name)
			}
			continue
		}
		info, _ := os.Stat(filepath.Join(clone, name))
		if err != nil || string(data) != want || (info.Mode()&0o100 != 0) != exec {
			t.Errorf("%s is %q: %v", name, data, err)
		}
	}
	if !strings.Contains(seen.Handoff, "| `a/deep/file` | modify | [changes.patch](changes.patch) |") {
		t.Errorf("HANDOFF.md\n%s", seen.Handoff)
	}
}

// S4, S7: what cannot be carried is an omission by its number, and nothing else.
func TestCodeOmissions(t *testing.T) {
	dir := newCheckout(t, map[string]string{"a binary": "x", "b latin": "x", "c large": "x", "d same": "x", "e link": "x", "f folder": "x", "g linked/file": "x", "h parent": "x",
		"i nested/file": "x", "k was binary": "\x00", "l was large": strings.Repeat("x", maxVersion+1)})
	git(t, dir, "update-index", "--add", "--cacheinfo", "120000,"+strings.TrimSpace(git(t, dir, "hash-object", "-w", "d same"))+",j was link")
	git(t, dir, "commit", "-qm", "link")
	put(t, dir, map[string]string{"a binary": "\x00", "b latin": "\xff", "c large": strings.Repeat("x", maxVersion+1), "j was link": "x", "k was binary": "x", "l was large": "x"})
	for _, name := range []string{"e link", "f folder", "g linked", "h parent"} {
		os.RemoveAll(filepath.Join(dir, name))
	}
	if err := errors.Join(os.Symlink("a binary", filepath.Join(dir, "e link")), os.Mkdir(filepath.Join(dir, "f folder"), 0o700), os.Symlink("i nested", filepath.Join(dir, "g linked")),
		os.WriteFile(filepath.Join(dir, "h parent"), nil, 0o600), os.Mkdir(filepath.Join(dir, "i nested/.git"), 0o700)); err != nil {
		t.Fatal(err)
	}
	p := prepare(t, withCode(t, dir, "a binary", "b latin", "c large", "d same", "e link", "f folder", "g linked/file", "h parent/x", "i nested/file", "j was link", "k was binary", "l was large"))
	var got []string
	for _, s := range p.Manifest.Omissions {
		if strings.HasPrefix(s, "selection ") {
			got = append(got, s)
		}
	}
	var want []string
	for i, code := range []string{binaryUnsupported, nonUTF8Unsupported, fileLimit, unchanged, symlinkUnsupported, nonRegularFile, symlinkUnsupported, nonDirectoryParent,
		nestedRepository, baseTypeUnsupported, binaryUnsupported, baseUnavailableOrMore} {
		want = append(want, fmt.Sprintf("selection %d: %s", i+1, code))
	}
	if !slices.Equal(got, want) {
		t.Errorf("omissions\n%q\nwant\n%q", got, want)
	}
	if !p.Partial || p.Manifest.CodeState != BaseReference || p.Manifest.FormatVersion != 2 {
		t.Errorf("partial %t, %+v", p.Partial, p.Manifest)
	}
	mustVerify(t, write(t, p))
}

// What did not change is no loss.
func TestCodeUnchanged(t *testing.T) {
	p := prepare(t, withCode(t, newCheckout(t, map[string]string{"same": "x"}), "same"))
	if p.Partial || p.Manifest.FormatVersion != 2 || p.Manifest.CodeState != BaseReference {
		t.Errorf("partial %t, %+v", p.Partial, p.Manifest)
	}
	mustVerify(t, write(t, p))
}

// S5: paths that are none.
func TestCodeRefuses(t *testing.T) {
	dir := newCheckout(t, map[string]string{"file": "x"})
	many := make([]string, maxSelected+1)
	for i := range many {
		many[i] = fmt.Sprintf("f%d", i)
	}
	for _, include := range [][]string{{"../file"}, {"/file"}, {".git/config"}, {"sub/.GIT/x"}, {`a\b`}, {"a//b"}, {"./file"}, {"file/"}, {"missing"}, {"fä"}, {"a\nb"}, {""},
		{strings.Repeat("x", maxPathBytes+1)}, {"file", "FILE"}, {"file", "file/x"}, many} {
		if p, err := Prepare(t.Context(), fsx.OS, withCode(t, dir, include...)); err == nil {
			p.Close()
			t.Errorf("%q was taken", include)
		}
	}
	unborn := t.TempDir()
	git(t, unborn, "init", "-q")
	put(t, unborn, map[string]string{"file": "x"})
	_, err := Prepare(t.Context(), fsx.OS, withCode(t, unborn, "file"))
	wantError(t, err, "no commit to compare")
}

// S6: together the versions stay below the limit.
func TestCodeTotal(t *testing.T) {
	dir := newCheckout(t, nil)
	files := make(map[string]string)
	var names []string
	for i := range 9 {
		name := fmt.Sprintf("f%d", i)
		names = append(names, name)
		files[name] = strings.Repeat("x", maxVersion)
	}
	put(t, dir, files)
	p := prepare(t, withCode(t, dir, names...))
	if len(p.Manifest.Changes) != 8 || !slices.Contains(p.Manifest.Omissions, "selection 9: total_limit") || !p.Partial {
		t.Errorf("%d changes, omissions %q", len(p.Manifest.Changes), p.Manifest.Omissions)
	}
	mustVerify(t, write(t, p))
}

// S9: a secret in a removed line is found, and so is one in a path or a branch.
func TestCodeFindings(t *testing.T) {
	dir := newCheckout(t, map[string]string{"a": "x", "b": "key " + token + "\n", token: "x"})
	git(t, dir, "checkout", "-q", "-b", token)
	put(t, dir, map[string]string{"a": "y", "b": "clean\n", token: "y"})
	var got []string
	for f := range prepare(t, withCode(t, dir, "a", "b", token)).Findings {
		got = append(got, fmt.Sprintf("%s %d", f.Field, f.Selection))
		if f.Line != nil || f.Block != nil {
			t.Errorf("%+v has a line", f)
		}
	}
	if want := []string{"project.branch 0", "code_selection 2", "code_selection 3"}; !slices.Equal(got, want) {
		t.Errorf("findings %q, want %q", got, want)
	}
}

// G1 to G4: what git says is in the manifest and on the page, and where it is lies
// nowhere.
func TestProject(t *testing.T) {
	dir := newCheckout(t, map[string]string{"file": "x"})
	git(t, dir, "remote", "add", "origin", "git@example.org:team/app.git")
	put(t, dir, map[string]string{"file": "y"})
	p := prepare(t, withCode(t, dir))
	m := p.Manifest
	if m.FormatVersion != 1 || m.CodeState != BaseReference || *m.Project.Remote != "ssh://example.org/team/app.git" || *m.Project.Branch != "main" ||
		*m.Project.BaseCommit != strings.TrimSpace(git(t, dir, "rev-parse", "HEAD")) || !*m.Project.Dirty || p.Partial {
		t.Errorf("%+v", m)
	}
	mustVerify(t, write(t, p))
	for _, want := range []string{"| remote (origin) | `ssh://example.org/team/app.git` |", "| branch | `main` |", "had changes since the base commit"} {
		if !strings.Contains(string(p.Handoff), want) {
			t.Errorf("HANDOFF.md does not hold %q", want)
		}
	}
	missing := filepath.Join(dir, "missing")
	p = prepare(t, withCode(t, missing))
	if !p.Partial || p.Manifest.Project != (Project{}) || p.Manifest.CodeState != CodeUnknown ||
		!slices.ContainsFunc(p.Manifest.Warnings, func(s string) bool { return strings.HasPrefix(s, gitro.Unavailable) }) {
		t.Errorf("%+v", p.Manifest)
	}
	if seen := preview(t, p); strings.Contains(string(seen.Manifest)+seen.Handoff+seen.History, dir) {
		t.Error("the path of the checkout is in the bundle")
	}
}
