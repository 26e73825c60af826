package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rollbook/internal/rolltest"
	"rollbook/internal/secret/secrettest"
)

// TestRedactPlanted plants made-up secrets of every kind, in every spelling, into
// what a person says, an answer, a call and its output: nothing of them is in any
// format, and what stands round them is. A page of them as they are ends with exit
// code 3.
func TestRedactPlanted(t *testing.T) {
	plants, spellings := secrettest.Plants(1), secrettest.Spellings
	env := Env{Getenv: func(string) string { return "" }}
	for from := 0; from < len(spellings); from += 3 {
		r := rolltest.New(rolltest.V171, rolltest.Meta{})
		for _, p := range plants {
			spelled := func(i int) string { return spellings[(from+i)%len(spellings)].Of(p.Text()) }
			r.Turn("asked: " + spelled(0))
			r.Shell("printf %s "+spelled(1), "printed: "+spelled(2), 0)
			r.Assistant("answered: " + spelled(1))
			r.TurnComplete()
		}
		file := filepath.Join(t.TempDir(), "rollout-2026-08-01T12-00-00-01a0a41f-0000-7000-8000-000000000000.jsonl")
		if err := os.WriteFile(file, r.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := try(t, env, []string{"export", file, "--format", "md"}); got.code != exitFindings {
			t.Errorf("%d: exit code %d without --redact", from, got.code)
		}
		for format, words := range map[string][]string{
			"events":     {"asked: ", "printed: ", "answered: "},
			"normalized": {"asked: ", "answered: "}, // holds no outputs
			"md":         {"asked: ", "printed: ", "answered: "},
			"html":       {"asked: ", "printed: ", "answered: "},
		} {
			got := try(t, env, []string{"export", file, "--format", format, "--redact"})
			if got.code != exitOK {
				t.Errorf("%d, %s: exit code %d: %s", from, format, got.code, got.stderr)
			}
			for _, word := range words {
				if n := strings.Count(got.stdout, word); n < len(plants) {
					t.Errorf("%d, %s: %q stands %d times", from, format, word, n)
				}
			}
			for i, p := range plants {
				if left := p.Left(got.stdout + got.stderr); left != "" {
					t.Errorf("%d, %s: %q of plant %d, %s, is left", from, format, left, i, p.Kind)
				}
			}
		}
	}
}
