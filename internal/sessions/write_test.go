package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/diag"
)

func TestWrite(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("other names")
	}
	root := files{
		"\"q\"\t<é>\u2028.jsonl": row("session_meta", `{"id":"\u00e9\u2028<\"\\\u0001\n","cwd":"/p","cli_version":"\/1"}`) +
			row("session_meta", `{"id":"\u00e9\u2028<\"\\\u0001\n","cwd":"/p","cli_version":"0.1\u007f"}`) + msg("x"),
		"b.jsonl": meta("b", "/p"),
		"c.jsonl": "",
	}.write(t)
	o := options(root)
	o.Project = "/p"
	want := `{
  "agent": "codex",
  "discovery_version": 1,
  "root": "ROOT",
  "project": "/p",
  "partial": true,
  "files_inspected": 3,
  "compatibility": "unverified",
  "sessions": [
    {
      "path": "ROOT/\"q\"\t<é>` + "\u2028" + `.jsonl",
      "session_id": "é` + "\u2028" + `<\"\\\u0001\n",
      "observed_versions": [
        "/1",
        "0.1` + "\x7f" + `"
      ],
      "state": "partial",
      "record_count": 3,
      "event_count": 1,
      "diagnostics": [
        {
          "code": "unverified_compatibility",
          "line": null,
          "block": null
        },
        {
          "code": "repeated_session_metadata",
          "line": 2,
          "block": null
        }
      ]
    },
    {
      "path": "ROOT/b.jsonl",
      "session_id": "b",
      "observed_versions": [
        "synthetic"
      ],
      "state": "empty",
      "record_count": 1,
      "event_count": 0,
      "diagnostics": [
        {
          "code": "unverified_compatibility",
          "line": null,
          "block": null
        }
      ]
    }
  ],
  "diagnostics": [
    {
      "path": "ROOT/\"q\"\t<é>` + "\u2028" + `.jsonl",
      "code": "partial_file"
    },
    {
      "path": "ROOT/c.jsonl",
      "code": "missing_project_metadata"
    }
  ]
}
`
	want = strings.ReplaceAll(strings.ReplaceAll(want, "ROOT", root), "\t", `\t`)
	if got := render(t, list(t, o)); got != want {
		t.Errorf("written\n%s\nwant\n%s", got, want)
	}

	want = `{
  "agent": "codex",
  "discovery_version": 1,
  "root": "/r",
  "project": null,
  "partial": false,
  "files_inspected": 0,
  "compatibility": "unverified",
  "sessions": [],
  "diagnostics": []
}
`
	if got := render(t, &Report{Root: "/r"}); got != want {
		t.Errorf("written\n%s\nwant\n%s", got, want)
	}
}

// TestWriteMuch: more than one buffer, and versions that are not there.
func TestWriteMuch(t *testing.T) {
	text := row("session_meta", `{"id":"a","cwd":"`+project+`"}`) + strings.Repeat("1\nx\n", 5000)
	r := list(t, options(files{"a.jsonl": text}.write(t)))
	var out struct {
		Sessions []struct {
			ObservedVersions []string `json:"observed_versions"`
			Diagnostics      []struct {
				Code  string
				Line  *int
				Block *int
			}
		}
	}
	must(t, json.Unmarshal([]byte(render(t, r)), &out))
	s := out.Sessions[0]
	if len(s.Diagnostics) != 10_001 || s.ObservedVersions == nil || len(s.ObservedVersions) != 0 {
		t.Fatalf("%d diagnostics, versions %q", len(s.Diagnostics), s.ObservedVersions)
	}
	for i, d := range s.Diagnostics[1:] {
		if *d.Line != i+2 || d.Block != nil || d.Code != []string{"invalid_record", "invalid_json"}[i%2] {
			t.Fatalf("diagnostic %d: %+v", i+1, d)
		}
	}
}

type full struct{ left int }

var errFull = errors.New("full")

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteFails(t *testing.T) {
	text := meta("a", project) + strings.Repeat("x\n", 5000)
	r := list(t, options(files{"a.jsonl": text}.write(t)))
	for _, room := range []int{0, 100_000} {
		if err := r.Write(t.Context(), &full{room}); err != errFull {
			t.Errorf("room for %d: %v", room, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Write(ctx, io.Discard); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// TestPathsAreOfTheRoot: paths are absolute, also for a root that is relative.
func TestPathsAreOfTheRoot(t *testing.T) {
	root := files{"d/a.jsonl": log("a", project), "d/b.jsonl": ""}.write(t)
	t.Chdir(root)
	r := list(t, options("d"))
	if want := filepath.Join(root, "d", "a.jsonl"); r.Sessions[0].Path != want {
		t.Errorf("session at %q, want %q", r.Sessions[0].Path, want)
	}
	if want := filepath.Join(root, "d", "b.jsonl"); r.Diagnostics[0].Path != want {
		t.Errorf("diagnostic at %q, want %q", r.Diagnostics[0].Path, want)
	}
}

// TestDocsCodes: docs/cli.md has each code once.
func TestDocsCodes(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "cli.md"))
	must(t, err)
	_, section, _ := strings.Cut(string(page), "\n## sessions\n")
	section, _, _ = strings.Cut(section, "\n## ")
	_, table, _ := strings.Cut(section, "\n| code | meaning |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var got []diag.Code
	for row := range strings.Lines(table) {
		got = append(got, diag.Code(strings.Split(row, "`")[1]))
	}
	want := []diag.Code{
		DirectoryUnreadable, EntryUnreadable, FileUnreadable, MissingProjectMetadata, InvalidProjectMetadata,
		ConflictingProjectMetadata, MissingSessionMetadata, ConflictingSessionMetadata, SymlinkSkipped, NonRegularFile,
		NonUTF8Path, DepthLimit, EntryLimit, FileCountLimit, FileSizeLimit, TotalByteLimit, PartialFile,
	}
	if !slices.Equal(got, want) {
		t.Errorf("docs/cli.md has %q, want %q", got, want)
	}
}
