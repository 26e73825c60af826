package export

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"rollbook/internal/transcript"
)

func TestDescribe(t *testing.T) {
	for _, tt := range []struct {
		namespace, tool, arguments string
		want                       action
	}{
		{"", "shell", `{"command":["bash","-lc","ls -la"],"workdir":"/tmp","timeout_ms":1}`, action{text: "ls -la", dir: "/tmp"}},
		{"", "shell", `{"command":["git","commit","-m","a b","it's"]}`, action{text: `git commit -m 'a b' 'it'\''s'`}},
		{"", "shell_command", `{"command":"go test ./..."}`, action{text: "go test ./..."}},
		{"", "exec_command", `{"cmd":"ls","yield_time_ms":10000}`, action{text: "ls"}},
		{"", "exec_command", `["/bin/zsh","-c","echo hi"]`, action{text: "echo hi"}},
		{"", "exec_command", `["powershell.exe","-Command","dir"]`, action{text: "dir"}},
		{"", "local_shell", `["ls","",""]`, action{text: "ls '' ''"}},
		{"", "exec_command", "{not json", action{name: "exec_command", text: "{not json"}},
		{"", "exec_command", `{"cmd":5}`, action{name: "exec_command", text: "cmd=5", details: []field{{"cmd", "5"}}}},
		{"", "exec_command", `{"cmd":"ls"`, action{name: "exec_command", text: `{"cmd":"ls"`}},
		{"", "exec_command", `["a",1]`, action{name: "exec_command", text: `["a",1]`}},
		{"", "exec_command", `[]`, action{name: "exec_command", text: `[]`}},
		{"", "exec_command", "", action{name: "exec_command"}},
		{"", "exec", "text(1);", action{name: "exec", text: "text(1);"}},
		{"mcp__docs", "lookup", `{"q":"a b","n":1}`, action{name: "docs.lookup", text: `q="a b", n=1`, details: []field{{"q", `"a b"`}, {"n", "1"}}}},
		{"", "mcp__echo__say", "{}", action{name: "echo.say"}},
		{"multi_agent_v1", "wait", `{"ids":["x"]}`, action{name: "multi_agent_v1.wait", text: `ids=["x"]`, details: []field{{"ids", `["x"]`}}}},
		{"", "", "", action{name: "tool"}},
		{"", "apply_patch", "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch", action{name: "apply_patch", patch: []transcript.FileChange{{Path: "a", Kind: "add", Diff: "x\n"}}}},
		{"", "apply_patch", `{"input":"*** Begin Patch\n*** Delete File: a\n*** End Patch"}`, action{name: "apply_patch", patch: []transcript.FileChange{{Path: "a", Kind: "delete"}}}},
		{"", "apply_patch", `{"/a":{"type":"update","unified_diff":"@@\n-x\n+y\n","move_path":"/b"}}`, action{name: "apply_patch", patch: []transcript.FileChange{{Path: "/a", Kind: "update", Moved: "/b", Diff: "@@\n-x\n+y\n"}}}},
		{"", "apply_patch", `{"a":{"b":1}}`, action{name: "apply_patch", text: `{"a":{"b":1}}`}},
		{"", "apply_patch", "no patch", action{name: "apply_patch", text: "no patch"}},
		{"", "shell", `{"command":["bash","-lc","apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nEOF"]}`,
			action{text: "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nEOF", patch: []transcript.FileChange{{Path: "a", Kind: "add", Diff: "x\n"}}}},
	} {
		got := describe(&transcript.Event{Namespace: tt.namespace, Tool: tt.tool, Arguments: tt.arguments})
		if got.details == nil {
			got.details = tt.want.details[:0:0]
		}
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(action{}, field{})); diff != "" {
			t.Errorf("%s%s(%s) (-want +got):\n%s", tt.namespace, tt.tool, tt.arguments, diff)
		}
	}
}

func TestParsePatch(t *testing.T) {
	const patch = "*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n@@ func main() {\n-\told\n+\tnew\n+++ two\n\n*** End of File\n*** Add File: c.txt\n+one\n+\n+three\n*** Delete File: d.txt\r\n*** End Patch\nEOF"
	want := []transcript.FileChange{
		{Path: "a.go", Kind: "update", Moved: "b.go", Diff: "@@ func main() {\n-\told\n+\tnew\n+++ two\n\n"},
		{Path: "c.txt", Kind: "add", Diff: "one\n\nthree\n"},
		{Path: "d.txt", Kind: "delete"},
	}
	got := parsePatch("apply_patch <<EOF\n" + patch)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantStats := []fileStat{
		{path: "a.go", kind: "update", moved: "b.go", added: 2, removed: 1, patches: 1},
		{path: "c.txt", kind: "add", added: 3, patches: 1},
		{path: "d.txt", kind: "delete", patches: 1},
	}
	if diff := cmp.Diff(wantStats, statsOf(got), cmp.AllowUnexported(fileStat{})); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
	for n := range patch { // cut anywhere: what is there is taken, nothing panics
		parsePatch(patch[:n])
	}
	for _, none := range []string{"", "*** Begin Patch", "*** Begin Patch\nx", "*** Add File: a\n+x"} {
		if got := parsePatch(none); got != nil {
			t.Errorf("parsePatch(%q) = %v, want none", none, got)
		}
	}
}

func TestCountDiff(t *testing.T) {
	for diff, want := range map[string][2]int{
		"":                                    {0, 0},
		"@@ -1 +1,2 @@\n-a\n+b\n+++ c\n":      {2, 1},
		"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n": {0, 1},
		"--- a\n+++ b\n":                      {0, 0},
	} {
		if added, removed := countDiff(diff); added != want[0] || removed != want[1] {
			t.Errorf("countDiff(%q) = %d, %d, want %v", diff, added, removed, want)
		}
	}
}

func TestApplied(t *testing.T) {
	for _, tt := range []struct {
		result *transcript.Event
		want   bool
	}{
		{nil, false},
		{&transcript.Event{IsError: ref(false)}, true},
		{&transcript.Event{IsError: ref(true), ExitCode: ref(0)}, false},
		{&transcript.Event{ExitCode: ref(1)}, false},
		{&transcript.Event{ExitCode: ref(0)}, true},
		{&transcript.Event{Output: "Success. Updated the following files:\nA x\n"}, true},
		{&transcript.Event{Output: "apply_patch verification failed: no such file"}, false},
		{&transcript.Event{Changes: []transcript.FileChange{{Path: "x"}}}, true},
		{&transcript.Event{Origin: transcript.Synthetic, Output: "no output of this call is recorded"}, false},
	} {
		if got := applied(tt.result); got != tt.want {
			t.Errorf("applied(%+v) = %v", tt.result, got)
		}
	}
}

func TestBelow(t *testing.T) {
	for _, tt := range []struct{ dir, path, want string }{
		{"/home/ada/shop", "/home/ada/shop/a/b.go", "a/b.go"},
		{"/home/ada/shop/", "/home/ada/shop/a", "a"},
		{"/home/ada/shop", "/home/ada/shopping/a", "/home/ada/shopping/a"},
		{"/home/ada/shop", "/home/ada/shop", "/home/ada/shop"},
		{"/home/ada/shop", "/home/ada/shop/", "/home/ada/shop/"},
		{"/home/ada/shop", "a.go", "a.go"},
		{"", "/a", "/a"},
		{`C:\ada`, `C:\ada\x.go`, "x.go"},
	} {
		if got := below(tt.dir, tt.path); got != tt.want {
			t.Errorf("below(%q, %q) = %q, want %q", tt.dir, tt.path, got, tt.want)
		}
	}
}

func TestWithoutHeader(t *testing.T) {
	for _, tt := range []struct{ output, body, rest string }{
		{"plain\n", "plain\n", ""},
		{"Exit code: 0\nWall time: 0 seconds\nOutput:\nx\n", "x\n", ""},
		{"Exit code: 1\nWall time: 0 seconds\nTotal output lines: 9\nOutput:\nx\n", "x\n", ""},
		{"Chunk ID: a\nWall time: 1 seconds\nProcess exited with code 0\nOriginal token count: 1\nOutput:\nx\nOutput:\ny", "x\nOutput:\ny", ""},
		{"Wall time: 1 seconds\nProcess running with session ID 4\nOutput:\n", "", "still running as 4"},
		{"Script completed\nWall time 0.1 seconds\nOutput:\n", "", ""},
		{"Wall time: 1 seconds\nOutput:", "", ""},
		{"Output:\nx", "Output:\nx", ""},
		{"my words\nOutput:\nx", "my words\nOutput:\nx", ""},
		{"", "", ""},
	} {
		body, rest := withoutHeader(tt.output)
		if body != tt.body || rest != tt.rest {
			t.Errorf("withoutHeader(%q) = %q, %q, want %q, %q", tt.output, body, rest, tt.body, tt.rest)
		}
	}
}

func TestBlockTexts(t *testing.T) {
	for in, want := range map[string]string{
		`[{"type":"text","text":"a"},{"text":"b","type":"text"}]`: "a\nb",
		`[{"type":"image","data":"x"}]`:                           `[{"type":"image","data":"x"}]`,
		`[{"type":"text","text":1}]`:                              `[{"type":"text","text":1}]`,
		`[{"type":"text","text":"a"}`:                             `[{"type":"text","text":"a"}`,
		`[]`:                                                      `[]`,
		"text":                                                    "text",
	} {
		if got := blockTexts(in); got != want {
			t.Errorf("blockTexts(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestUncoloured(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                          "plain",
		"\x1b[1;31mred\x1b[0m \x1b[mend": "red end",
		"\x1b[38;5;1mx":                  "x",
		"\x1b[2J\x1b]0;t\a":              "\x1b[2J\x1b]0;t\a", // shown as escapes later
	} {
		if got := uncoloured(in); got != want {
			t.Errorf("uncoloured(%q) = %q, want %q", in, got, want)
		}
	}
}
