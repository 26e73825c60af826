package sessions

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/zstd"
)

// volume makes a path with a leading slash absolute on every system.
var volume = func() string {
	if runtime.GOOS == "windows" {
		return "C:"
	}
	return ""
}()

// project is where the fixtures were made.
var project = volume + "/synthetic/project"

func row(typ, payload string) string {
	return `{"timestamp":"2026-09-24T12:00:00Z","type":"` + typ + `","payload":` + payload + "}\n"
}

func meta(id, cwd string) string {
	return row("session_meta", `{"id":"`+id+`","cwd":"`+cwd+`","cli_version":"synthetic"}`)
}

func turn(cwd string) string { return row("turn_context", `{"turn_id":"t","cwd":"`+cwd+`"}`) }

func msg(text string) string {
	return row("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"`+text+`"}]}`)
}

// log is a whole rollout of two records and one event.
func log(id, cwd string) string { return meta(id, cwd) + msg("SAID") }

// files maps names below a root, with slashes, to contents. A name that ends in
// a slash is a folder.
type files map[string]string

func (f files) write(t testing.TB) (root string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f.writeTo(t, root)
	return root
}

func (f files) writeTo(t testing.TB, root string) {
	t.Helper()
	for name, text := range f {
		full := filepath.Join(root, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(full, 0o700))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(full), 0o700))
		must(t, os.WriteFile(full, []byte(text), 0o600))
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func symlink(t testing.TB, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Skip(err) // Windows without the right to make links
	}
}

func compress(t testing.TB, text string) string {
	t.Helper()
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	must(t, err)
	return string(z.EncodeAll([]byte(text), nil))
}

// options are those of the contract for a root and the project.
func options(root string) Options {
	return Options{Root: root, Project: project, Budgets: DefaultBudgets}
}

func list(t testing.TB, o Options) *Report {
	t.Helper()
	report, err := List(t.Context(), o)
	must(t, err)
	return report
}

// render gives the report as JSON. It holds every report to its form.
func render(t testing.TB, r *Report) string {
	t.Helper()
	var out bytes.Buffer
	must(t, r.Write(t.Context(), &out))
	text, found := strings.CutSuffix(out.String(), "\n")
	if !found {
		t.Error("no line feed at the end")
	}
	indented := jsontext.Value(text)
	must(t, indented.Format(jsontext.WithIndent("  ")))
	if string(indented) != text {
		t.Errorf("written\n%s\nwant\n%s", text, indented)
	}
	return out.String()
}

// below gives a path of a report below its root, with slashes.
func below(t testing.TB, r *Report, path string) string {
	t.Helper()
	rel, err := filepath.Rel(r.Root, path)
	must(t, err)
	return filepath.ToSlash(rel)
}

// listed gives the sessions of a report as "path id", found its diagnostics as
// "path code".
func listed(t testing.TB, r *Report) (out []string) {
	for _, s := range r.Sessions {
		out = append(out, below(t, r, s.Path)+" "+s.SessionID)
	}
	return out
}

func diagnosed(t testing.TB, r *Report) (out []string) {
	for _, d := range r.Diagnostics {
		out = append(out, below(t, r, d.Path)+" "+string(d.Code))
	}
	return out
}

// reads gives the diagnostics of a session as "code line block".
func reads(s Session) (out []string) {
	for d := range s.Diagnostics() {
		out = append(out, fmt.Sprint(d.Code, d.Line, d.Block))
	}
	return out
}

// expect compares a report with what it should list and find.
func expect(t testing.TB, r *Report, inspected int, sessions, diagnostics []string) {
	t.Helper()
	if r.FilesInspected != inspected {
		t.Errorf("%d files inspected, want %d", r.FilesInspected, inspected)
	}
	if got := listed(t, r); !slices.Equal(got, sessions) {
		t.Errorf("sessions\n%q, want\n%q", got, sessions)
	}
	if got := diagnosed(t, r); !slices.Equal(got, diagnostics) {
		t.Errorf("diagnostics\n%q, want\n%q", got, diagnostics)
	}
	if r.Partial() != (len(diagnostics) > 0) {
		t.Errorf("partial: %t", r.Partial())
	}
	render(t, r)
}

// snapshot is a tree with its bytes, modes and times.
func snapshot(t testing.TB, root string) (out []string) {
	t.Helper()
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		line := fmt.Sprint(path, info.Mode(), info.ModTime().UnixNano())
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += string(text)
		}
		out = append(out, line)
		return nil
	}))
	return out
}
