// Package harnesstest gives tests the real DeepSeek Harness, as scripts/harness.sh
// installs it: its validators and its image store (harness.Install), and its
// runtime, which resumes and continues every session of a folder (Live).
package harnesstest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"rollbook/internal/harness"
)

// Variable names the folder of the installation, as for scripts/harness.sh.
const Variable = "ROLLBOOK_HARNESS"

// Install gives the harness. Where it is not installed the test is skipped; in CI
// that is a failure.
func Install(tb testing.TB) harness.Install {
	tb.Helper()
	dir := os.Getenv(Variable)
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			tb.Fatal(err)
		}
		dir = filepath.Join(cache, "rollbook-harness")
	}
	in := harness.Install{Roots: []string{filepath.Join(dir, "format"), filepath.Join(dir, "runtime")}}
	for _, root := range in.Roots {
		if _, err := os.Stat(filepath.Join(root, ".installed")); err != nil {
			missing(tb, err)
		}
	}
	in.Node = filepath.Join(dir, "node", "node_modules", ".bin", "node")
	if _, err := os.Stat(in.Node); err != nil {
		if in.Node, err = exec.LookPath("node"); err != nil {
			missing(tb, err)
		}
	}
	return in
}

func missing(tb testing.TB, err error) {
	tb.Helper()
	if os.Getenv("CI") == "true" {
		tb.Fatalf("the harness is not installed, run scripts/harness.sh: %v", err)
	}
	tb.Skipf("the harness is not installed, run scripts/harness.sh: %v", err)
}

// Prompt is how the prompt begins that Live sends; the session's id follows.
const Prompt = "Continue, says the test of "

// A Session is how far the runtime came with one session.
type Session struct {
	ID       string   `json:"id"`
	Steps    []string `json:"steps"`   // of listed, loaded, resumed, continued
	Problem  string   `json:"problem"` // empty where it came to the end
	Messages []Message
	Commands []Command
}

// A Message is as the provider received it.
type Message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"` // a string, or parts
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// A Command is what a slash command came to.
type Command struct {
	Line   string
	Listed []string // all commands of the agent
	Kind   string   // success or error; empty where there is no such command
	Text   string
}

// A Plugin is one that Live loads besides; its commands are run for each session.
type Plugin struct {
	File     string   // the module
	Commands []string // lines, each with its slash
	Env      []string // ROLLBOOK_BIN, CODEX_HOME, DSH_CODEX_IMPORT_...
}

// Live has the runtime continue every session below a sessions root, with one
// prompt each, on a copy: nothing below the root is changed.
func Live(tb testing.TB, in harness.Install, sessionsRoot, dshHome string, plugins ...Plugin) []Session {
	tb.Helper()
	_, file, _, _ := runtime.Caller(0)
	here := filepath.Dir(file)
	roots, err := json.Marshal(in.Roots)
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.CommandContext(tb.Context(), in.Node, filepath.Join(here, "live.mjs"),
		filepath.Join(filepath.Dir(here), "js", "verify.mjs"), string(roots), sessionsRoot, dshHome, Prompt)
	for _, p := range plugins[:min(1, len(plugins))] {
		cmd.Args = append(cmd.Args, p.File, strings.Join(p.Commands, "\n"))
	}
	cmd.Env = []string{"PATH=" + filepath.Dir(in.Node), "TMPDIR=" + tb.TempDir()}
	for _, p := range plugins {
		cmd.Env = append(cmd.Env, p.Env...)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("%v: %s", err, stderr.Bytes())
	}
	var sessions []Session
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var s Session
		if err := dec.Decode(&s); errors.Is(err, io.EOF) {
			return sessions
		} else if err != nil {
			tb.Fatal(err)
		}
		sessions = append(sessions, s)
	}
}
