package bundle

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"rollbook/internal/fsx"
)

// codeBundle writes a bundle of version 2 with a patch and two new files.
func codeBundle(t testing.TB) string {
	t.Helper()
	dir := newCheckout(t, map[string]string{"a": "one\n", "b": "x\n"})
	put(t, dir, map[string]string{"a": "two\n", "c": "new\n", "d": "newer\n"})
	return write(t, prepare(t, withCode(t, dir, "a", "b", "c", "d")))
}

func verifyError(t testing.TB, dir string) error {
	t.Helper()
	_, err := Verify(t.Context(), fsx.OS, dir)
	return err
}

// edit replaces text in a file of a bundle, which must hold it.
func edit(t testing.TB, dir, name, from, to string) {
	t.Helper()
	at := filepath.Join(dir, name)
	data, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), from) {
		t.Fatalf("%s does not hold %q", name, from)
	}
	if err := os.WriteFile(at, []byte(strings.Replace(string(data), from, to, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// rehash gives the manifest the hash that a file has now.
func rehash(t testing.TB, dir, name string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	v, err := os.ReadFile(filepath.Join(dir, ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	i := bytes.Index(v, []byte(`"path": "`+name+`",`))
	j := i + bytes.Index(v[i:], []byte(`"sha256": "`)) + len(`"sha256": "`)
	copy(v[j:], hashOf(data))
	if err := os.WriteFile(filepath.Join(dir, ManifestName), v, 0o600); err != nil {
		t.Fatal(err)
	}
}

// V1, B4 to B16: whatever is wrong with a bundle, verify says so.
func TestVerifyRefuses(t *testing.T) {
	manifest := func(from, to string) func(string) {
		return func(dir string) { edit(t, dir, ManifestName, from, to) }
	}
	whole := codeBundle(t)
	for _, tt := range []struct {
		name, word string
		change     func(dir string)
	}{
		{"wrong hash", "does not have the hash", func(dir string) { edit(t, dir, HandoffName, "# Handoff", "# handoff") }},
		{"longer", "does not have the hash", func(dir string) { edit(t, dir, HistoryName, "{", "{ ") }},
		{"duplicate payload", "is listed twice", manifest(`"path": "files/0004.txt",`, `"path": "files/0003.txt",`)},
		{"unlisted file", "extra: is not listed", func(dir string) { put(t, dir, map[string]string{"extra": ""}) }},
		{"unlisted new file", "files/0009.txt: is not listed", func(dir string) { put(t, dir, map[string]string{"files/0009.txt": ""}) }},
		{"unlisted folder", "sub: is not listed", func(dir string) { os.Mkdir(filepath.Join(dir, "sub"), 0o700) }},
		{"missing file", "HANDOFF.md: is missing", func(dir string) { os.Remove(filepath.Join(dir, HandoffName)) }},
		{"missing new file", "files/0003.txt: is missing", func(dir string) { os.Remove(filepath.Join(dir, "files/0003.txt")) }},
		{"missing manifest", "no bundle, or an incomplete one", func(dir string) { os.Remove(filepath.Join(dir, ManifestName)) }},
		{"unknown key", `"more" is not known`, manifest(`"format_version": 2,`, `"format_version": 2, "more": 1,`)},
		{"unknown key within", `source: "more" is not known`, manifest(`"agent":`, `"more": 1, "agent":`)},
		{"key in other case", `"Redaction" is not known`, manifest(`"redaction": "pending-review"`, `"redaction": "pending-review", "Redaction": ""`)},
		{"missing key", `project: "dirty" is missing`, manifest(",\n    \"dirty\": true", "")},
		{"missing key of a change", `changes[0]: "base_mode" is missing`, manifest(",\n      \"base_mode\": \"100644\"", "")},
		{"duplicate key", "duplicate object member name", manifest(`"format_version": 2,`, `"format_version": 2, "format_version": 2,`)},
		{"duplicate key within", "duplicate object member name", manifest(`"agent": "codex",`, `"agent": "codex", "agent": "codex",`)},
		{"version 99", "format version 99 is not known", manifest(`"format_version": 2`, `"format_version": 99`)},
		{"version text", "not a whole number", manifest(`"format_version": 2`, `"format_version": "2"`)},
		{"version 1 with the keys of 2", `"changes" is not known`, manifest(`"format_version": 2`, `"format_version": 1`)},
		{"no JSON", "not an object", manifest("{", "x{")},
		{"text behind", "manifest.json:", func(dir string) { edit(t, dir, ManifestName, "\n}", "\n}x") }},
		{"date", "is no RFC 3339 time", manifest("2026-09-24T12", "2026-09-31T12")},
		{"no agent", "source.agent: is empty", manifest(`"codex"`, `""`)},
		{"null agent", "source.agent: not a string", manifest(`"codex"`, `null`)},
		{"redaction", `redaction: "done"`, manifest("pending-review", "done")},
		{"code state", "code_state", manifest("changes-included", "base-reference")},
		{"code state not known", "code_state", manifest("changes-included", "some")},
		{"base commit", "project.base_commit", manifest(`"base_commit": "`, `"base_commit": "A`)},
		{"no base commit", "project.base_commit", func(dir string) {
			m := manifestOf(t, dir)
			m.Project.BaseCommit = nil
			setManifest(t, dir, m)
		}},
		{"mode", `the mode "100600"`, manifest(`"base_mode": "100644"`, `"base_mode": "100600"`)},
		{"kind", `the kind "move"`, manifest(`"kind": "modify"`, `"kind": "move"`)},
		{"hash of an addition", "do not fit the kind add", func(dir string) {
			m := manifestOf(t, dir)
			m.Changes[1].BaseSHA256 = m.Changes[1].ResultSHA256
			setManifest(t, dir, m)
		}},
		{"path of a change", "is not selected", manifest(`"path": "a",`, `"path": "e",`)},
		{"path out of it", "holds \"..\"", func(dir string) {
			m := manifestOf(t, dir)
			m.SelectedPaths[0] = "../a"
			setManifest(t, dir, m)
		}},
		{"selected twice", "are one", func(dir string) { selectPaths(t, dir, "a", "a", "b", "c", "d") }},
		{"case clash", "are one", func(dir string) { selectPaths(t, dir, "A", "a", "b", "c", "d") }},
		{"prefix clash", "lies in the path", func(dir string) { selectPaths(t, dir, "a", "a/x", "b", "c", "d") }},
		{"not sorted", "not sorted", func(dir string) { selectPaths(t, dir, "b", "a", "c", "d") }},
		{"none selected", "no path is selected", func(dir string) { selectPaths(t, dir) }},
		{"payload of nobody", "belongs to 0 changes", func(dir string) {
			m := manifestOf(t, dir)
			m.Changes = m.Changes[:2]
			setManifest(t, dir, m)
		}},
		{"purpose", "the purpose of HANDOFF.md", manifest(`"purpose": "entrypoint"`, `"purpose": "history"`)},
		{"path of a payload", "is no file of a bundle", manifest(`"path": "HANDOFF.md"`, `"path": "../HANDOFF.md"`)},
		{"number of a payload", "is no file of a bundle", manifest(`"path": "files/0003.txt"`, `"path": "files/3.txt"`)},
		{"upper-case hash", "sha256 is not", func(dir string) {
			m := manifestOf(t, dir)
			m.Files[0].SHA256 = strings.ToUpper(m.Files[0].SHA256)
			setManifest(t, dir, m)
		}},
		{"large manifest", "manifest.json: holds", func(dir string) { edit(t, dir, ManifestName, "\n}", strings.Repeat(" ", maxManifest)+"\n}") }},
		{"large patch", "changes.patch: holds", func(dir string) { os.Truncate(filepath.Join(dir, PatchName), maxPatch+1) }},
		{"large new file", "files/0003.txt: holds", func(dir string) { os.Truncate(filepath.Join(dir, "files/0003.txt"), maxNewFile+1) }},
		{"large history", "history.jsonl: holds", func(dir string) { os.Truncate(filepath.Join(dir, HistoryName), maxContext+1) }},
		{"tampered patch", "version does not have the hash", func(dir string) {
			edit(t, dir, PatchName, "+two\n", "+2\n")
			rehash(t, dir, PatchName)
		}},
		{"another spelling", "not a patch in the form of a bundle", func(dir string) {
			edit(t, dir, PatchName, "@@ -1,1 +1,1 @@", "@@ -1 +1 @@")
			rehash(t, dir, PatchName)
		}},
		{"tampered new file", "version does not have the hash", func(dir string) {
			edit(t, dir, "files/0003.txt", "new", "old")
			rehash(t, dir, "files/0003.txt")
		}},
		{"history that is no JSON", "line 1 is no JSON object", func(dir string) {
			edit(t, dir, HistoryName, "{", "{,")
			rehash(t, dir, HistoryName)
		}},
		{"history with a list", "line 6 is no JSON object", func(dir string) {
			appendText(t, dir, HistoryName, "[]\n")
			rehash(t, dir, HistoryName)
		}},
		{"history with an empty line", "line 6 is no JSON object", func(dir string) {
			appendText(t, dir, HistoryName, "\n")
			rehash(t, dir, HistoryName)
		}},
		{"not UTF-8", "is not UTF-8", func(dir string) {
			appendText(t, dir, HandoffName, "\xff")
			rehash(t, dir, HandoffName)
		}},
		{"cut UTF-8", "is not UTF-8", func(dir string) {
			appendText(t, dir, HandoffName, "\xe2\x82")
			rehash(t, dir, HandoffName)
		}},
		{"linked payload", "is no regular file", func(dir string) { relink(t, dir, HandoffName) }},
		{"linked manifest", "is no regular file", func(dir string) { relink(t, dir, ManifestName) }},
		{"linked files", "files: is no folder", func(dir string) { relink(t, dir, FilesName) }},
	} {
		if strings.HasPrefix(tt.name, "linked") && runtime.GOOS == "windows" {
			continue
		}
		dir := filepath.Join(t.TempDir(), "bundle")
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		tt.change(dir)
		if err := verifyError(t, dir); err == nil || !strings.Contains(err.Error(), tt.word) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.word)
		}
	}
}

func manifestOf(t testing.TB, dir string) *Manifest {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	m, err := DecodeManifest(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func setManifest(t testing.TB, dir string, m *Manifest) {
	t.Helper()
	data, err := m.Encode()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, ManifestName), data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func selectPaths(t testing.TB, dir string, paths ...string) {
	t.Helper()
	m := manifestOf(t, dir)
	m.SelectedPaths = append([]string{}, paths...)
	setManifest(t, dir, m)
}

func appendText(t testing.TB, dir, name, text string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// relink puts a file elsewhere and a link in its place.
func relink(t testing.TB, dir, name string) {
	t.Helper()
	at, to := filepath.Join(dir, name), filepath.Join(t.TempDir(), "moved")
	if err := errors.Join(os.Rename(at, to), os.Symlink(to, at)); err != nil {
		t.Fatal(err)
	}
}

// V1: the bundle itself must be a folder and no link.
func TestVerifyRoot(t *testing.T) {
	dir := codeBundle(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{link, link + "/"} {
		wantError(t, verifyError(t, name), "is a link, not a folder")
	}
	wantError(t, verifyError(t, filepath.Join(dir, HandoffName)), "is no folder")
	if err := verifyError(t, dir+"/"); err != nil {
		t.Error(err)
	}
}

// B3, B4: a manifest is read back as it was written, and one that is cut anywhere
// is none.
func TestManifestTruncated(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(codeBundle(t), ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	m, err := DecodeManifest(data)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := m.Encode(); err != nil || !bytes.Equal(again, data) || bytes.HasSuffix(data, []byte("\n")) {
		t.Errorf("%v: written again\n%s\nwas\n%s", err, again, data)
	}
	for n := range len(data) {
		if _, err := DecodeManifest(data[:n]); err == nil {
			t.Errorf("%d of %d bytes are a manifest", n, len(data))
		}
	}
}

func FuzzDecodeManifest(f *testing.F) {
	for _, dir := range []string{codeBundle(f), write(f, prepareText(f, basic))} {
		data, err := os.ReadFile(filepath.Join(dir, ManifestName))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"format_version":1,"files":[{"path":""}],"changes":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := DecodeManifest(data)
		if err != nil {
			return
		}
		again, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		n, err := DecodeManifest(again)
		if err != nil {
			t.Fatalf("%v of %s", err, again)
		}
		if third, _ := n.Encode(); !bytes.Equal(third, again) {
			t.Errorf("%s\nand then\n%s", again, third)
		}
		m.check()
	})
}

// checkLines is what a history file goes through, cut into writes of n bytes.
func checkLines(data []byte, n int) error {
	var lines lineChecker
	var utf utf8Checker
	for len(data) > 0 {
		k := min(n, len(data))
		if _, err := utf.Write(data[:k]); err != nil {
			return err
		}
		if _, err := lines.Write(data[:k]); err != nil {
			return err
		}
		data = data[k:]
	}
	return errors.Join(utf.close(), lines.close())
}

// However a history is cut into reads, the answer is the same, and it is that of
// another decoder.
func FuzzHistory(f *testing.F) {
	f.Add([]byte(basic))
	f.Add([]byte("{}\n{\"a\":\"\xe2\x82\xac\"}"))
	f.Add([]byte("{}\n\n"))
	f.Add([]byte("\xf0\x9f\x98"))
	f.Fuzz(func(t *testing.T, data []byte) {
		whole := checkLines(data, max(len(data), 1)) == nil
		for _, n := range []int{1, 2, 3, 7} {
			if (checkLines(data, n) == nil) != whole {
				t.Errorf("in writes of %d bytes the answer is another one than %t", n, whole)
			}
		}
		want := true
		for line := range bytes.Lines(data) {
			d := jsontext.NewDecoder(bytes.NewReader(line), jsontext.AllowDuplicateNames(true))
			v, err := d.ReadValue()
			object := err == nil && v.Kind() == '{'
			_, err = d.ReadToken()
			want = want && object && errors.Is(err, io.EOF)
		}
		if want != whole {
			t.Errorf("%q: answer %t, want %t", data, whole, want)
		}
	})
}

// A history that is cut anywhere but behind a line is refused.
func TestHistoryTruncated(t *testing.T) {
	data := []byte(historyOf(t, basic))
	for n := range len(data) {
		ok := n == 0 || data[n-1] == '\n' || data[n] == '\n'
		if err := checkLines(data[:n], 5); (err == nil) != ok {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// When a bundle was made is read as the times of a rollout are (B5).
func TestCreatedAt(t *testing.T) {
	file := rolloutFile(t, meta("s")+say("user", "x"))
	for made, want := range map[string]bool{
		"2026-01-01t00:00:00.5z":    true,
		"2026-01-01T00:00:60+02:00": true,
		"2026-01-01T1:00:00Z":       false,
		"2026-01-01T00:00:00,5Z":    false,
		"2026-01-01T00:00:00+24:00": false,
	} {
		p := prepare(t, optionsFor(file))
		dir := write(t, p)
		edit(t, dir, ManifestName, p.Manifest.CreatedAt, made)
		if _, err := Verify(t.Context(), fsx.OS, dir); (err == nil) != want {
			t.Errorf("%s: %v", made, err)
		}
	}
}
