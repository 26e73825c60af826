package discover

import (
	"testing"
	"time"

	"rollbook/internal/rollout"
)

const (
	idA = "01a22dc6-d599-7220-8d97-ef7ee0bd247b"
	idB = "01a22dc6-aeee-7890-ac26-c8b971b5eaf2"
	idC = "01a22dc6-b051-7823-9dbf-f63a959804f3"
)

// TestParseName holds C50, C51 and C63: the id is the uuid in the name, and what
// follows an underscore is the segment's.
func TestParseName(t *testing.T) {
	at := time.Date(2026, 11, 30, 18, 45, 35, 0, time.UTC)
	for name, want := range map[string]Name{
		"rollout-2026-11-30T18-45-35-" + idA + ".jsonl":                          {ThreadID: idA, FileTime: at},
		"rollout-2026-11-30T18-45-35-" + idA + ".jsonl.zst":                      {ThreadID: idA, FileTime: at},
		"rollout-2026-11-30T18-45-35-" + idA + "_" + idB + ".jsonl":              {ThreadID: idA, SegmentID: idB, FileTime: at},
		"rollout-2026-11-30T18-45-35-" + idA + "_" + idB + ".JSONL.ZST":          {ThreadID: idA, SegmentID: idB, FileTime: at},
		"rollout-" + idA + ".jsonl":                                              {ThreadID: idA},
		"rollout-2026-02-30T18-45-35-" + idA + ".jsonl":                          {},
		"rollout-2026-11-30T18-45-35-" + idA[:35] + ".jsonl":                     {FileTime: at},
		"rollout-2026-11-30T18-45-35-" + idA + "_copy.jsonl":                     {FileTime: at},
		"rollout-2026-11-30T18-45-35-6BACC564-f6ee-4ea9-b16d-176fd61e5e25.jsonl": {ThreadID: "6BACC564-f6ee-4ea9-b16d-176fd61e5e25", FileTime: at},
		"rollout-2026-11-30T18-45-35-01a22dc6-d599-7220-8d97-ef7ee0bd247g.jsonl": {FileTime: at},
		"rollout-": {}, "rollout-.jsonl": {}, "": {}, "x-" + idA + ".jsonl": {}, idA + ".jsonl": {},
	} {
		if got := ParseName(name); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestCandidateName(t *testing.T) {
	for name, want := range map[string]bool{
		"rollout-x.jsonl": true, "rollout-x.jsonl.zst": true, "a.JSONL": true, "a.jsonl.ZST": true,
		"a.json": false, ".jsonl": false, ".jsonl.zst": false, "a.zst": false, "a.jsonl.gz": false, "jsonl": false, "rollout-x": false,
		"credentials.jsonl": false, ".credentials.jsonl.zst": false, ".env.jsonl": false,
	} {
		if got := candidateName(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func TestImportName(t *testing.T) {
	for name, want := range map[string]bool{
		"a.json": true, "X.JSON": true, "a.jsonl": true, "a.JSONL": true, "a.jsonl.zst": true, "history.jsonl": true,
		"a.json.zst": false, "a.txt": false, "a": false, ".json": false, "auth.json": false, "Config.JSON": false, "credentials.json": false, ".env.json": false,
	} {
		if got := ImportName(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func TestDeniedName(t *testing.T) {
	for name, want := range map[string]bool{
		"auth.json": true, "AUTH.json": true, "config.toml": true, "config.json": true, ".env": true, ".env.local": true, ".ENV.x": true,
		"credentials": true, "credentials.json": true, ".credentials.json": true, "Credentials.yaml": true,
		"auth.jsonl": false, "env": false, "environment.jsonl": false, "history.jsonl": false, "credentials-of.jsonl": false, "state_5.sqlite": false,
	} {
		if got := DeniedName(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// TestProjectKey holds C64 and C65.
func TestProjectKey(t *testing.T) {
	for _, same := range [][]string{
		{`C:\Users\Ada\shop`, `c:\users\ada\shop`, `C:/Users/Ada/shop/`, `\\?\C:\Users\ada\shop`},
		{`\\server\share\x`, `\\SERVER\share\X\`, `\\?\UNC\server\share\x`},
		{"/home/ada/shop", "/home/ada/shop/"},
		{"/", "//"},
		{"", "/home/ada/Documents/Codex/2026-03-02/fix-the-build", `C:\Users\Ada\Documents\Codex\2026-03-02\x`, "/Users/ada/Documents/Codex/2026-03-03", "Documents/Codex/2026-03-02/x/"},
	} {
		for _, cwd := range same {
			if got, want := ProjectKey(cwd), ProjectKey(same[0]); got != want {
				t.Errorf("%q: %q, want %q", cwd, got, want)
			}
		}
	}
	seen := map[string]string{}
	for _, cwd := range []string{"", "/home/ada/Shop", "/home/ada/shop", "/mnt/c/Users/Ada", "/mnt/c/users/ada", `C:\`, "c", "/", ".",
		"/home/ada/Documents/Codex", "/home/ada/Documents/Codex/tools/x", "/home/ada/Documents/Codex/2026-03-02/x/y", "/home/ada/MyDocuments/Codex/2026-03-02/x"} {
		key := ProjectKey(cwd)
		if other, ok := seen[key]; ok {
			t.Errorf("%q and %q have the same key %q", cwd, other, key)
		}
		seen[key] = cwd
	}
}

func TestSourceName(t *testing.T) {
	for _, tt := range []struct {
		source rollout.Source
		want   string
	}{
		{rollout.Source{}, ""},
		{rollout.Source{Name: "cli"}, "cli"},
		{rollout.Source{Name: "VSCode"}, "vscode"},
		{rollout.Source{Name: "exec"}, "exec"},
		{rollout.Source{Name: "mcp"}, "app_server"},
		{rollout.Source{Name: "appServer"}, "app_server"},
		{rollout.Source{Name: "unknown"}, "unknown"},
		{rollout.Source{Name: "a sentence\x1b[2J"}, "unknown"},
		{rollout.Source{Name: "custom", Custom: "atlas"}, "custom:atlas"},
		{rollout.Source{Name: "custom", Custom: "../x y"}, "custom:unknown"},
		{rollout.Source{Name: "subagent", SubAgent: "review"}, "subagent:review"},
		{rollout.Source{Name: "subagent", SubAgent: "thread_spawn"}, "subagent:thread_spawn"},
		{rollout.Source{Name: "subagent", SubAgent: "guardian"}, "subagent:other:guardian"},
		{rollout.Source{Name: "subagent"}, "subagent:other:unknown"},
	} {
		if got := sourceName(tt.source); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.source, got, tt.want)
		}
	}
}
