package ingest

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"rollbook/internal/discover"
)

// TestRefused: what cannot be chosen is an error that says what can, and a file
// that may hold secrets is none, whatever it is called on the way to it.
func TestRefused(t *testing.T) {
	dir := files(t, map[string]string{
		"notes.txt": "hello", "a.json.zst": "x", "auth.json": "{}", "empty/.x.jsonl": "{}", "empty/x.json": "[]", "empty/build/x.jsonl": "{}",
		"X.JSON": `[{"role":"user","text":"hi","timestamp":1790251201}]`, "y.JSONL": `{"role":"user","text":"hi","timestamp":1790251201}` + "\n",
	})
	for name, want := range map[string]error{
		"notes.txt": errFormat, "a.json.zst": errFormat, "auth.json": discover.ErrDenied, "missing": fs.ErrNotExist, "empty": errNothing,
		"X.JSON": nil, "y.JSONL": nil, "empty/build": nil, "empty/x.json": nil,
	} {
		_, err := Plan(context.Background(), Known{}, []string{filepath.Join(dir, filepath.FromSlash(name))}, Options{})
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}
