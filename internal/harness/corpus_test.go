package harness_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rollbook/internal/cli"
	"rollbook/internal/corpustest"
	"rollbook/internal/dsh"
	"rollbook/internal/harness"
	"rollbook/internal/harness/harnesstest"
)

// liveAll has the runtime continue the sessions of every way of converting, not
// only of the one whose wire is compared. scripts/judges.sh sets it where no other
// judge does that.
const liveAll = "ROLLBOOK_LIVE_ALL"

// perBatch is how many homes the runtime is given at once: it slows down with the
// number of sessions that it went on with.
const perBatch = 40

// TestCorpus (D7): every session of every home, in each way of converting, passes
// the harness's own codec, validators and image store; its runtime lists, loads,
// resumes and continues them, and what a provider then gets is what was said.
func TestCorpus(t *testing.T) {
	in := harnesstest.Install(t)
	homes := append(codexHomes(t, corpustest.Dir(t)), filepath.Join("..", "..", "examples", "home"))
	for name, flags := range map[string][]string{
		"whole":    {"--full-history", "--max-text-chars", "0"},
		"window":   nil,
		"full":     {"--full-history"},
		"reverted": {"--keep-rolled-back"},
		"outputs":  {"--max-tool-output", "200"},
		"texts":    {"--max-text-chars", "2000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sessions := 0
			for n, batch := range slices.Collect(slices.Chunk(homes, perBatch)) {
				root := filepath.Join(t.TempDir(), fmt.Sprint(n), "sessions")
				for _, home := range batch {
					convertHome(t, home, root, flags)
				}
				sessions += judged(t, in, root)
				switch {
				case name == "whole":
					compareWire(t, in, root, batch)
				case os.Getenv(liveAll) != "":
					continued(t, in, root)
				}
			}
			if sessions < len(homes)/2 {
				t.Errorf("%d sessions of %d homes", sessions, len(homes))
			}
			t.Logf("%d sessions", sessions)
		})
	}
}

// codexHomes gives every Codex home below a folder.
func codexHomes(t *testing.T, dir string) (homes []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "home" {
			homes = append(homes, path)
			return fs.SkipDir
		}
		return err
	})
	if err != nil || len(homes) == 0 {
		t.Fatal(homes, err)
	}
	return homes
}

// run runs one command line in this process.
func run(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := cli.Env{Stdout: &stdout, Stderr: &stderr, Now: time.Now, Getenv: func(name string) string {
		return map[string]string{"HOME": "/home/ada"}[name] // for threads that record no folder
	}}
	code = cli.Run(t.Context(), env, args)
	if code != 0 && code != 2 {
		t.Fatalf("rollbook %s: exit code %d: %s", strings.Join(args, " "), code, stderr.Bytes())
	}
	return stdout.String(), code
}

// convertHome converts all threads of a home, with their images.
func convertHome(t *testing.T, home, root string, flags []string) {
	t.Helper()
	out, _ := run(t, append([]string{"dsh", "convert", "--json", "--codex-root", home, "--archived", "--since-hours", "900000",
		"--images", "own", "--out", root, "--dsh-home", filepath.Dir(root)}, flags...)...)
	if out == "" {
		return // no thread but sub-agents
	}
	var report struct {
		Sessions []struct{ Thread, Outcome, Reason string }
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	for _, s := range report.Sessions {
		if s.Outcome != "converted" && s.Outcome != "unchanged" && !strings.Contains(s.Reason, "no_recorded_id") {
			t.Errorf("%s: %s: %s %s", home, s.Thread, s.Outcome, s.Reason)
		}
	}
}

// judged asks the harness's own validators, and gives the number of sessions.
func judged(t *testing.T, in harness.Install, root string) (n int) {
	t.Helper()
	for v, err := range in.Verify(t.Context(), root, filepath.Dir(root)) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if len(v.Faults) > 0 || filepath.Base(v.Path) != dsh.LogName {
			t.Errorf("%s: %v", v.Path, v.Faults)
		}
	}
	return n
}

// continued has the runtime go on with every session.
func continued(t *testing.T, in harness.Install, root string) []harnesstest.Session {
	t.Helper()
	sessions := harnesstest.Live(t, in, root, filepath.Dir(root))
	for _, s := range sessions {
		if s.Problem != "" || !slices.Equal(s.Steps, []string{"listed", "loaded", "resumed", "continued"}) {
			t.Errorf("%s: %v, then %s", s.ID, s.Steps, s.Problem)
		}
	}
	return sessions
}

// compareWire holds what the provider got to what export says was said.
func compareWire(t *testing.T, in harness.Install, root string, homes []string) {
	t.Helper()
	said := make(map[string][]string)
	aside := make(map[string]map[string]bool)
	for _, home := range homes {
		normalized(t, home, said)
		plansAndAgents(t, home, aside)
	}
	for _, s := range continued(t, in, root) {
		id := strings.TrimPrefix(s.ID, "session-")
		got := wireTexts(t, s.Messages, aside[id])
		if want := said[id]; !slices.Equal(got, want) {
			t.Errorf("%s: the provider got\n%s\nwant\n%s", s.ID, numberedLines(got), numberedLines(want))
		}
	}
}

func numberedLines(texts []string) string {
	var b strings.Builder
	for i, text := range texts {
		fmt.Fprintf(&b, "%4d %.300q\n", i, text)
	}
	return b.String()
}

// normalized gathers the texts of user and assistant, by thread, in order.
func normalized(t *testing.T, home string, said map[string][]string) {
	t.Helper()
	out, _ := run(t, "export", home, "--format", "normalized")
	for line := range strings.Lines(out) {
		var m struct {
			Thread string `json:"thread_id"`
			Role   string
			Text   string
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		if (m.Role == "user" || m.Role == "assistant") && m.Text != "" {
			said[m.Thread] = append(said[m.Thread], m.Role+" "+m.Text)
		}
	}
}

// plansAndAgents gathers what a session says besides: plans, and messages between
// agents, which export gives as notices.
func plansAndAgents(t *testing.T, home string, aside map[string]map[string]bool) {
	t.Helper()
	out, _ := run(t, "export", home, "--format", "events")
	for line := range strings.Lines(out) {
		var ev struct {
			Thread string `json:"thread_id"`
			Kind   string
			Status string
			Text   string
		}
		if err := json.Unmarshal([]byte(line), &ev); err != nil {
			t.Fatal(err)
		}
		if ev.Kind == "notice" && (ev.Status == "plan" || ev.Status == "agent_message") {
			if aside[ev.Thread] == nil {
				aside[ev.Thread] = make(map[string]bool)
			}
			aside[ev.Thread][bare(ev.Text)] = true
		}
	}
}

// bare is the text of a plan, without what is put round it.
func bare(text string) string {
	text = strings.TrimPrefix(strings.TrimSpace(text), "<proposed_plan>")
	return strings.TrimSpace(strings.TrimSuffix(text, "</proposed_plan>"))
}

// ofResult is what the harness's adapter writes above the images of a tool result,
// which a provider takes from a user only.
const ofResult = "Attached image(s) from tool result:"

// wireTexts gives what the provider got before our prompt: the texts of user and
// assistant, without what is no message of the thread.
func wireTexts(t *testing.T, messages []harnesstest.Message, aside map[string]bool) (texts []string) {
	t.Helper()
	for _, m := range messages {
		text := textOf(t, m.Content)
		if m.Role == "user" && strings.HasPrefix(text, harnesstest.Prompt) {
			return texts
		}
		if m.Role != "user" && m.Role != "assistant" || text == "" || strings.HasPrefix(text, "[Codex import:") || text == ofResult || aside[bare(text)] {
			continue
		}
		texts = append(texts, m.Role+" "+text)
	}
	t.Error("the prompt was not sent")
	return texts
}

// textOf gives the text of a content: a string, or parts.
func textOf(t *testing.T, content json.RawMessage) string {
	t.Helper()
	var text string
	if len(content) == 0 || string(content) == "null" || json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct{ Type, Text string }
	if err := json.Unmarshal(content, &parts); err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		text += p.Text
	}
	return text
}
