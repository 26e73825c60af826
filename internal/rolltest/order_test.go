package rolltest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rollbook/internal/corpustest"
	"rollbook/internal/rolltest"
)

// kinds names each line of a rollout: its types and role. Messages for the model
// that depend on what is installed (developer, AGENTS.md) are left out, raw
// reasoning too, and settings that were written several times count once.
func kinds(t *testing.T, text []byte) (names []string) {
	t.Helper()
	for line := range bytes.Lines(text) {
		var rec struct {
			Type       string
			Role       string // of a bare line
			RecordType string `json:"record_type"`
			Payload    struct {
				Type, Role string
				Item       struct{ Type string }
			}
		}
		if err := json.Unmarshal(line, &rec); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		p := rec.Payload
		name := strings.Join(strings.Fields(fmt.Sprint(rec.RecordType, " ", rec.Type, " ", rec.Role, " ", p.Type, " ", p.Role, " ", p.Item.Type)), " ")
		again := len(names) > 0 && name == "event_msg thread_settings_applied" && name == names[len(names)-1]
		if p.Role == "developer" || again || p.Type == "agent_reasoning_raw_content" || bytes.Contains(line, []byte(`"text":"# AGENTS.md`)) {
			continue
		}
		names = append(names, name)
	}
	return names
}

// TestOrder writes scenarios of the corpus again and compares which kind of line
// follows which.
func TestOrder(t *testing.T) {
	tests := []struct {
		scenario string
		versions []rolltest.Version
		meta     rolltest.Meta
		write    func(*rolltest.Rollout)
	}{
		{"shell_ok", rolltest.Versions, rolltest.Meta{Source: "exec"}, func(r *rolltest.Rollout) {
			r.Turn("list the things").Assistant("I will look.").Shell("ls", "alpha\n", 0).Assistant("There.").TurnComplete()
		}},
		{"apply_patch", []rolltest.Version{rolltest.V63, rolltest.V101, rolltest.V140}, rolltest.Meta{Source: "exec"}, func(r *rolltest.Rollout) {
			r.Turn("write notes please").Patch(patch).Patch(patch)
			r.CustomCall("apply_patch", patch).Output("apply_patch verification failed")
			r.Assistant("Wrote notes.txt.").TurnComplete()
		}},
		{"tui_history", rolltest.Versions[3:5], rolltest.Meta{}, func(r *rolltest.Rollout) {
			for range 3 {
				r.Turn("a prompt").Assistant("An answer.").TurnComplete()
			}
		}},
		{"rollback", []rolltest.Version{rolltest.V101, rolltest.V140, rolltest.V147}, rolltest.Meta{Source: "vscode", Legacy: true}, func(r *rolltest.Rollout) {
			for range 4 {
				r.Turn("a prompt").Assistant("An answer.").TurnComplete()
			}
			r.RolledBack(2).Turn("new three").Assistant("New three.").TurnComplete()
		}},
		{"compact_manual", rolltest.Versions[3:], rolltest.Meta{Source: "vscode"}, func(r *rolltest.Rollout) {
			r.Turn("turn one").Shell("echo c1", "c1\n", 0).Assistant("A1").TurnComplete()
			r.Compacted("Summary.").Turn("turn two").Assistant("A2").TurnComplete()
			r.Compacted("Summary.").Turn("turn three").Assistant("A3").TurnComplete()
		}},
		{"resume", rolltest.Versions[2:], rolltest.Meta{Source: "exec"}, func(r *rolltest.Rollout) {
			r.Turn("one").Assistant("One.").TurnComplete()
			r.Resume().Turn("two").Shell("echo two", "two\n", 0).Assistant("Two.").TurnComplete()
			r.Resume().Turn("three").Assistant("Three.").TurnComplete()
		}},
		{"reasoning", []rolltest.Version{rolltest.V36, rolltest.V63, rolltest.V101, rolltest.V140, rolltest.V156, rolltest.V171}, rolltest.Meta{Source: "exec"}, func(r *rolltest.Rollout) {
			r.Turn("think").Reasoning("one", "two").Shell("echo thought", "thought\n", 0)
			r.Reasoning("raw").Reasoning().Assistant("I thought.").TurnComplete()
		}},
		{"interrupted", []rolltest.Version{rolltest.V140}, rolltest.Meta{Source: "vscode"}, func(r *rolltest.Rollout) {
			r.Turn("long call").Assistant("Starting.").ShellCall("sleep 30").Output("aborted by user after 0.8s")
			r.Aborted()
			r.Turn("long answer").Reasoning("Hmm").Assistant("Partial.").Aborted()
			r.Turn("finally").Assistant("Normal again.").TurnComplete()
		}},
		{"review", []rolltest.Version{rolltest.V101, rolltest.V140, rolltest.V156, rolltest.V171}, rolltest.Meta{Source: "vscode"}, func(r *rolltest.Rollout) {
			r.Turn("before").Assistant("Before.").TurnComplete()
			r.Review("check", "cat f.txt", "x\n", "One bug.", rolltest.Finding{File: "f.txt"})
			r.Turn("after").Assistant("After.").TurnComplete()
		}},
		{"fork", rolltest.Versions[3:], rolltest.Meta{Source: "vscode"}, func(r *rolltest.Rollout) {
			answer := func(r *rolltest.Rollout) { r.Turn("a prompt").Assistant("An answer.").TurnComplete() }
			answer(r)
			answer(r)
			fork := r.Wait(time.Second).Fork(rolltest.All)
			answer(fork)
			answer(r)
			answer(fork.Wait(time.Second).Fork(rolltest.All))
			cut := rolltest.All // older versions know no cut
			if r.Version >= rolltest.V147 {
				cut = 1
			}
			answer(r.Wait(5 * time.Second).Fork(cut))
		}},
		{"pages", rolltest.Versions[6:], rolltest.Meta{Source: "vscode"}, func(r *rolltest.Rollout) {
			answer := func(r *rolltest.Rollout) *rolltest.Rollout {
				return r.Wait(time.Second).Turn("a prompt").Assistant("An answer.").TurnComplete()
			}
			answer(answer(answer(r)))
			second := answer(r.Revert(2))
			third := answer(answer(second.Revert(1)))
			fork := answer(third.Fork(rolltest.All))
			fork = answer(fork.Revert(1))
			answer(fork.Fork(rolltest.All))
		}},
		{"auto_compact", []rolltest.Version{rolltest.V63, rolltest.V101, rolltest.V140, rolltest.V156, rolltest.V171}, rolltest.Meta{Source: "exec"}, func(r *rolltest.Rollout) {
			r.Turn("one").Shell("echo one", "one\n", 0).Assistant("One.").TurnComplete()
			r.Resume().Turn("two").Shell("echo two", "two\n", 0).Compacted("Summary.").Assistant("On.").TurnComplete()
			r.Resume().Turn("three").Shell("echo three", "three\n", 0).Assistant("Three.").TurnComplete()
		}},
	}
	for _, test := range tests {
		for _, v := range test.versions {
			t.Run(test.scenario+"/"+v.String(), func(t *testing.T) {
				texts := scenario(t, v, test.scenario)
				home := rolltest.NewHome(1)
				test.write(home.New(v, legacyOf(test.meta, v, texts[0])))
				var ours [][]byte
				for _, f := range home.Files() {
					if strings.HasPrefix(f.Path, "sessions/") {
						ours = append(ours, f.Data)
					}
				}
				if len(ours) > len(texts) {
					t.Fatalf("%d files, Codex wrote %d", len(ours), len(texts))
				}
				for i := range ours {
					if diff := cmp.Diff(kinds(t, texts[i]), kinds(t, ours[i])); diff != "" {
						t.Errorf("file %d: lines differ (-Codex +ours):\n%s", i+1, diff)
					}
				}
			})
		}
	}
}

// scenario gives the rollouts of a scenario in the order of their names.
func scenario(t *testing.T, v rolltest.Version, name string) (texts [][]byte) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(corpustest.Dir(t), v.String(), name, "home/sessions/*/*/*/*"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no rollouts: %v", err)
	}
	for _, path := range paths {
		text, err := readRollout(path)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	return texts
}

// legacyOf takes over whether the scenario was run as a legacy thread.
func legacyOf(m rolltest.Meta, v rolltest.Version, text []byte) rolltest.Meta {
	m.Legacy = v.Paginated() && !bytes.Contains(text, []byte(`"history_mode":"paginated"`))
	return m
}
