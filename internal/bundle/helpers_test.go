package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rollbook/internal/fsx"
	"rollbook/internal/inspect"
)

// basic is a rollout with one of each that a bundle keeps, 7 lines and 5 events.
const basic = `{"timestamp":"2026-09-24T12:00:00Z","type":"session_meta","payload":{"id":"synthetic-session","cwd":"/synthetic/project","cli_version":"synthetic"}}
{"timestamp":"2026-09-24T12:00:01Z","type":"turn_context","payload":{"turn_id":"synthetic-turn","cwd":"/synthetic/project"}}
{"timestamp":"2026-09-24T12:00:02Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"please do the synthetic thing"}]}}
{"timestamp":"2026-09-24T12:00:03Z","type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"be brief"}]}}
{"timestamp":"2026-09-24T12:00:04Z","type":"response_item","payload":{"type":"function_call","call_id":"call-1","name":"shell","namespace":"functions","arguments":"{}"}}
{"timestamp":"2026-09-24T12:00:05Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call-1","output":"synthetic\n"}}
{"timestamp":"2026-09-24T12:00:06Z","type":"response_item","payload":{"type":"message","role":"assistant","phase":"final_answer","content":[{"type":"output_text","text":"done"}]}}
`

// meta and say make lines of a rollout.
func meta(id string) string {
	return `{"timestamp":"2026-09-24T12:00:00Z","type":"session_meta","payload":{"id":` + quoted(id) + `,"cli_version":"synthetic"}}` + "\n"
}

func say(role, text string) string {
	return `{"timestamp":"2026-09-24T12:00:00Z","type":"response_item","payload":{"type":"message","role":"` + role + `","content":[{"type":"input_text","text":` + quoted(text) + `}]}}` + "\n"
}

func quoted(s string) string { return string(inspect.AppendQuoted(nil, s)) }

var noon = time.Date(2026, 9, 24, 12, 0, 0, 0, time.UTC)

// rollout writes a rollout and gives its name.
func rolloutFile(t testing.TB, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "rollout.jsonl")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func optionsFor(name string) Options {
	return Options{File: name, Limits: inspect.DefaultLimits, Now: noon}
}

// prepare prepares a bundle of a rollout, which must work.
func prepare(t testing.TB, o Options) *Prepared {
	t.Helper()
	p, err := Prepare(context.Background(), fsx.OS, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func prepareText(t testing.TB, text string) *Prepared {
	t.Helper()
	return prepare(t, optionsFor(rolloutFile(t, text)))
}

// write writes a bundle to a new folder and gives its name.
func write(t testing.TB, p *Prepared) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bundle")
	if err := p.Write(context.Background(), fsx.OS, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func mustVerify(t testing.TB, dir string) *Verified {
	t.Helper()
	v, err := Verify(context.Background(), fsx.OS, dir)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A previewed bundle is what WriteJSON says.
type previewed struct {
	Manifest json.RawMessage
	Handoff  string
	History  string
	Findings []Finding
	Partial  bool
	Code     *struct {
		Patch    string
		NewFiles []NewFile `json:"new_files"`
	}
}

func preview(t testing.TB, p *Prepared) previewed {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteJSON(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	var out previewed
	if err := json.Unmarshal(b.Bytes(), &out); err != nil {
		t.Fatalf("%v in %s", err, b.Bytes())
	}
	return out
}

// tree gives the files below a folder with their modes and bytes.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		data := ""
		if d.Type().IsRegular() {
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			data = string(b)
		}
		files[filepath.ToSlash(rel)] = info.Mode().String() + " " + data
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func wantError(t testing.TB, err error, word string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), word) {
		t.Errorf("error %v, want one with %q", err, word)
	}
}

// readSome reads that many bytes, or what there is.
func readSome(r io.Reader, n int) { io.ReadFull(r, make([]byte, n)) }
