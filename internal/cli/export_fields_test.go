package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/rolltest/sample"
)

// What is planted: a token, a login in an address, a password in JSON, a header, a
// home folder. None of them stands in this file as it is.
var fieldPlants = []string{
	"gh" + "p_Zq4mT7xWc9Lr2VbN8kHs3JfGd6PyAe",
	"postgres://app:" + "Xk7vQm2pLw9z" + "@db.test/shop",
	`{"pass` + `word": "` + "Hn5tRy8wBc3q" + `"}`,
	"Authorization: Basic " + "YWRhOkptNHhQdzlzVms3",
	"/home/" + "ada/work",
}

// fieldTraces are parts of the plants, one of each, that may stand nowhere.
var fieldTraces = []string{"Zq4mT7xW", "Xk7vQm2pLw9z", "Hn5tRy8wBc3q", "YWRhOkptNHhQ", "/ada/"}

// TestRedactEveryField plants secrets in every string of every type of record that
// the sample home has, one after the other, and in the names of members: whatever
// becomes of the record, nothing of a plant is in any format.
func TestRedactEveryField(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range sample.Home().Files() {
		if !strings.HasSuffix(f.Path, ".jsonl") || !strings.Contains(f.Path, "rollout-") {
			continue
		}
		lines := bytes.SplitAfter(f.Data, []byte("\n"))
		for i, line := range lines {
			for n, place := range places(t, line) {
				if seen[place] {
					continue
				}
				seen[place] = true
				rest := lines[i+1 : min(len(lines), i+6)] // with the result of a call
				text := slices.Concat(bytes.Join(lines[:i], nil), plantAt(t, line, n), bytes.Join(rest, nil))
				checkRedactedRollout(t, fmt.Sprintf("%s of %s:%d", place, f.Path, i+1), f.Path, text)
			}
		}
	}
	if len(seen) < 100 {
		t.Errorf("only %d fields: %v", len(seen), slices.Sorted(maps.Keys(seen)))
	}
}

func checkRedactedRollout(t *testing.T, name, path string, text []byte) {
	t.Helper()
	file := filepath.Join(t.TempDir(), filepath.Base(path))
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"events", "normalized", "md", "html"} {
		args := []string{"export", file, "--format", format, "--redact"}
		got := try(t, Env{Getenv: func(string) string { return "" }}, args)
		if got.code != exitOK && got.code != exitPartial {
			t.Errorf("%s, %s: exit code %d: %s", name, format, got.code, got.stderr)
		}
		for _, trace := range fieldTraces {
			if at := strings.Index(got.stdout, trace); at >= 0 {
				t.Errorf("%s, %s: left: %.200q", name, format, got.stdout[max(0, at-80):])
			}
			if strings.Contains(got.stderr, trace) {
				t.Errorf("%s, %s: told: %s", name, format, got.stderr)
			}
		}
	}
}

// places gives the strings of a line in order: their places.
func places(t *testing.T, line []byte) []string {
	var list []string
	walkStrings(t, line, func(place, s string) string {
		list = append(list, place)
		return s
	})
	return list
}

// plantAt plants into one string of a line.
func plantAt(t *testing.T, line []byte, n int) []byte {
	at := -1
	return walkStrings(t, line, func(place, s string) string {
		if at++; at != n {
			return s
		}
		return s + " " + strings.Join(fieldPlants, " and\n")
	})
}

// walkStrings goes over a record and puts it together again with what change makes
// of its strings.
func walkStrings(t *testing.T, line []byte, change func(place, s string) string) []byte {
	if len(bytes.TrimSpace(line)) == 0 {
		return line
	}
	var v any
	if err := json.Unmarshal(line, &v); err != nil {
		return line
	}
	place := ""
	if top, ok := v.(map[string]any); ok {
		place = fmt.Sprint(top["type"])
		if payload, ok := top["payload"].(map[string]any); ok {
			place = fmt.Sprint(place, "/", payload["type"])
		}
	}
	out, err := json.Marshal(walkValue(v, place, change))
	if err != nil {
		t.Fatal(err)
	}
	return append(out, '\n')
}

func walkValue(v any, place string, change func(place, s string) string) any {
	switch v := v.(type) {
	case string:
		return change(place, v)
	case []any:
		for i := range v {
			v[i] = walkValue(v[i], place+"[]", change)
		}
	case map[string]any:
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			inner := place + "." + name
			if strings.ContainsAny(name, "./") {
				inner = place + ".*"
			}
			out[change(inner+" (name)", name)] = walkValue(v[name], inner, change)
		}
		return out
	}
	return v
}
