//go:build unix

package discover

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadsOf: of a home only what Codex keeps threads in is named, of another
// folder only what a search finds, and never a link or a denied name.
func TestReadsOf(t *testing.T) {
	many := files{"auth.json": ""}
	for i := range mostNamed + 1 {
		many[fmt.Sprintf("%d.jsonl", i)] = ""
	}
	for name, tt := range map[string]struct {
		files files
		at    string
		read  []string
	}{
		"home": {files{"sessions/a.jsonl": "", "archived_sessions/": "", "history.jsonl": "", "session_index.jsonl": "", "auth.json": "", "config.toml": "", "logs/x.jsonl": "",
			"state_5.sqlite": "", "state_5.sqlite-wal": "", "state_5.sqlite.bak": "", "state_x.sqlite": ""},
			"", []string{"state_5.sqlite", "state_5.sqlite-wal", "sessions", "archived_sessions", "history.jsonl", "session_index.jsonl"}},
		"home of links": {files{"sessions": "-> ../out", "archived_sessions": "-> ../out", "history.jsonl": "-> auth.json", "session_index.jsonl": "-> auth.json", "state_5.sqlite": "-> auth.json", "auth.json": "", "x.jsonl": ""},
			"", []string{"x.jsonl"}},
		"searched home": {files{"sessions/": "", "a/b.jsonl": "", "a/.env": "", "state_1.sqlite": ""}, "", []string{"a/b.jsonl", "state_1.sqlite", "sessions"}},
		"folder": {files{"a/b.jsonl": "", "a/b.jsonl.zst": "", "a/auth.json": "", "credentials.jsonl": "", "tmp/x.jsonl": "", "a/l.jsonl": "-> b.jsonl"},
			"", []string{"a/b.jsonl", "a/b.jsonl.zst"}},
		"file":          {files{"a/b.jsonl": "", "a/c.jsonl": ""}, "a/b.jsonl", []string{"b.jsonl"}},
		"a great many":  {many, "", []string{"."}},
		"nothing there": {files{"a/": ""}, "", nil},
	} {
		h := open(t, filepath.Join(tt.files.write(t), filepath.FromSlash(tt.at)))
		list, read, err := h.Reads(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for i := range read {
			if read[i], err = filepath.Rel(h.Path(), read[i]); err != nil {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff(tt.read, read); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if d := cmp.Diff([]string{h.Path()}, list); d != "" {
			t.Errorf("%s lists: %s", name, d)
		}
	}
}
