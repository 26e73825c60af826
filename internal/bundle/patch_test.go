package bundle

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// edits are changes of every form that a patch can have.
var edits = []Edit{
	{Path: "modified", Kind: Modify, BaseMode: plainMode, ResultMode: plainMode, Texts: true, Base: []byte("a\nb\n"), ResultText: []byte("a\nc\nd\n")},
	{Path: "a/no end.txt", Kind: Modify, BaseMode: plainMode, ResultMode: plainMode, Texts: true, Base: []byte("a\nb"), ResultText: []byte("c")},
	{Path: "end added", Kind: Modify, BaseMode: plainMode, ResultMode: plainMode, Texts: true, Base: []byte("a"), ResultText: []byte("a\n")},
	{Path: "crlf", Kind: Modify, BaseMode: plainMode, ResultMode: execMode, Texts: true, Base: []byte("a\r\nb\r\n"), ResultText: []byte("a\nb\r\n")},
	{Path: "-dash", Kind: Modify, BaseMode: plainMode, ResultMode: plainMode, Texts: true, Base: []byte("--- a\n+++ b\n@@ -1 +1 @@\n\\ No newline at end of file\n"), ResultText: []byte("diff --git\n")},
	{Path: "emptied", Kind: Modify, BaseMode: plainMode, ResultMode: plainMode, Texts: true, Base: []byte("a\n"), ResultText: nil},
	{Path: "filled", Kind: Modify, BaseMode: plainMode, ResultMode: plainMode, Texts: true, Base: nil, ResultText: []byte("a\n\n\n")},
	{Path: "mode", Kind: Modify, BaseMode: execMode, ResultMode: plainMode, Base: []byte("x\n"), ResultText: []byte("x\n")},
	{Path: "deleted", Kind: Delete, BaseMode: plainMode, Texts: true, Base: []byte("a\nb")},
	{Path: "deleted empty", Kind: Delete, BaseMode: execMode, Texts: true},
}

// B14: what is written is read back, and git apply makes the same of it.
func TestPatch(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	var patch []byte
	for i := range edits {
		e := &edits[i]
		patch = appendEdit(patch, e)
		writeMode(t, filepath.Join(dir, e.Path), e.Base, e.BaseMode)
	}
	got, err := DecodePatch(patch)
	if err != nil {
		t.Fatalf("%v of\n%s", err, patch)
	}
	for i, e := range edits {
		g := got[i]
		if g.Path != e.Path || g.Kind != e.Kind || g.Texts != e.Texts || e.Texts && (!bytes.Equal(g.Base, e.Base) || !bytes.Equal(g.ResultText, e.ResultText)) {
			t.Errorf("read back %+v, want %+v", g, e)
		}
	}
	git(t, dir, "add", "-A")
	cmd := exec.Command("git", "apply", "-")
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(patch)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v: %s\n%s", err, out, patch)
	}
	for _, e := range edits {
		data, err := os.ReadFile(filepath.Join(dir, e.Path))
		if e.Kind == Delete {
			if err == nil {
				t.Errorf("%s is still there", e.Path)
			}
			continue
		}
		info, _ := os.Stat(filepath.Join(dir, e.Path))
		if err != nil || !bytes.Equal(data, e.ResultText) || (info.Mode()&0o100 != 0) != (e.ResultMode == execMode) {
			t.Errorf("%s is %q %v (%v), want %q %s", e.Path, data, info.Mode(), err, e.ResultText, e.ResultMode)
		}
	}
}

func writeMode(t testing.TB, name string, data []byte, mode string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	perm := os.FileMode(0o644)
	if mode == execMode {
		perm = 0o755
	}
	if err := os.WriteFile(name, data, perm); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, perm); err != nil {
		t.Fatal(err)
	}
}

// git runs git in a folder, apart from what the machine configures.
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
	return string(out)
}

// B14: any other spelling is refused, also one that git would take.
func TestDecodePatchRefuses(t *testing.T) {
	good := string(appendEdit(nil, &edits[0]))
	for name, patch := range map[string]string{
		"unquoted":        strings.ReplaceAll(good, `"`, ""),
		"context":         strings.Replace(good, "-a\n", " a\n", 1),
		"wrong count":     strings.Replace(good, "-1,2", "-1,3", 1),
		"short count":     strings.Replace(good, "-1,2", "-1", 1),
		"other name":      strings.Replace(good, `+++ "b/modified"`, `+++ "b/other"`, 1),
		"index line":      strings.Replace(good, "--- ", "index 1..2 100644\n--- ", 1),
		"text before":     "hello\n" + good,
		"text behind":     good + "hello\n",
		"cut":             good[:len(good)-1],
		"no change":       strings.ReplaceAll(strings.ReplaceAll(good, "+a\n+c\n+d\n", "+a\n+b\n"), "+1,3", "+1,2"),
		"header alone":    "diff --git \"a/x\" \"b/x\"\n",
		"unsafe path":     strings.ReplaceAll(good, "modified", "../x"),
		"path into .git":  strings.ReplaceAll(good, "modified", ".GIT/config"),
		"huge count":      strings.Replace(good, "-1,2", "-1,99999999999999999999", 1),
		"negative count":  strings.Replace(good, "-1,2", "-1,-2", 1),
		"two hunks":       good + strings.Join(strings.SplitAfter(good, "\n")[3:], ""),
		"mode not known":  strings.Replace(good, "--- ", "old mode 100644\nnew mode 120000\n--- ", 1) + "x",
		"carriage return": strings.ReplaceAll(good, "\n", "\r\n"),
	} {
		if e, err := DecodePatch([]byte(patch)); err == nil {
			t.Errorf("%s: read as %+v", name, e)
		}
	}
}

// A patch that is cut anywhere but between two files is refused.
func TestPatchTruncated(t *testing.T) {
	var patch []byte
	ends := map[int]bool{0: true}
	for i := range edits {
		patch = appendEdit(patch, &edits[i])
		ends[len(patch)] = true
	}
	for n := range len(patch) {
		e, err := DecodePatch(patch[:n])
		if err == nil && !ends[n] && !bytes.Equal(encodeAll(e), patch[:n]) {
			t.Errorf("cut after %d bytes, read as %d edits", n, len(e))
		}
	}
}

func encodeAll(list []Edit) (out []byte) {
	for i := range list {
		out = appendEdit(out, &list[i])
	}
	return out
}

func FuzzDecodePatch(f *testing.F) {
	for i := range edits {
		f.Add(appendEdit(nil, &edits[i]))
	}
	f.Add(encodeAll(edits))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := DecodePatch(data)
		if err == nil && !bytes.Equal(encodeAll(list), data) {
			t.Errorf("%q reads as %+v", data, list)
		}
	})
}

// Random texts go through a patch and back.
func TestPatchRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() []byte {
		b := make([]byte, r.IntN(12))
		for i := range b {
			b[i] = "ab\n\r+-\\ "[r.IntN(8)]
		}
		return b
	}
	for range 20_000 {
		e := Edit{Path: "x", Kind: Modify, BaseMode: plainMode, ResultMode: plainMode, Texts: true, Base: text(), ResultText: text()}
		if bytes.Equal(e.Base, e.ResultText) {
			continue
		}
		got, err := DecodePatch(appendEdit(nil, &e))
		if err != nil || len(got) != 1 || !bytes.Equal(got[0].Base, e.Base) || !bytes.Equal(got[0].ResultText, e.ResultText) {
			t.Fatalf("%q to %q: %v %+v", e.Base, e.ResultText, err, got)
		}
	}
}
