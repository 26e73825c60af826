package document

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"rollbook/internal/transcript"
)

// The words that count for a stage of work and for a habit of asking, as far as
// the example is concerned.
var (
	stages = map[string][]string{
		"goal":    {"goal", "requirement", "build"},
		"plan":    {"plan", "scope", "design"},
		"execute": {"implement", "run", "deliver", "deploy"},
		"verify":  {"test", "verify", "evidence", "confirm"},
		"iterate": {"continue", "improve", "revise"},
		"reflect": {"retrospective", "summary", "report"},
	}
	habits = map[string][]string{
		"continue":   {"continue", "go on"},
		"help":       {"help me"},
		"need":       {"i need", "give me"},
		"look":       {"take a look", "inspect"},
		"how":        {"how"},
		"please":     {"please"},
		"again":      {"again", "retry"},
		"why":        {"why"},
		"optimize":   {"optimise", "optimize", "improve"},
		"direct":     {"directly"},
		"verify":     {"test", "verify", "confirm"},
		"constraint": {"only", "must", "do not"},
		"plan":       {"plan", "design"},
		"format":     {"output", "format"},
		"reflect":    {"retrospective", "summary", "report"},
	}
	priority = []string{"reflect", "verify", "plan", "execute", "goal", "iterate"}
)

// hits gives the keys of which the text holds a word.
func hits(table map[string][]string, text string) []string {
	spaced := " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' }), " ") + " "
	var keys []string
	for key, words := range table {
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(spaced, " "+w+" ") }) {
			keys = append(keys, key)
		}
	}
	return keys
}

// TestExample holds the example to what an analysis of it is known to give.
func TestExample(t *testing.T) {
	text, err := os.ReadFile("../../examples/normalized.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read(opener(string(text)), Options{Name: "normalized.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	kinds, months, stage, habit := map[transcript.Kind]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	primary, evidence := map[string][]string{}, map[string][]int{}
	var lengths []int
	for e, err := range r.Entries {
		if err != nil {
			t.Fatal(err)
		}
		if kinds[e.Event.Kind]++; e.Event.Kind != transcript.User {
			continue
		}
		if !e.Natural {
			t.Errorf("line %d is not natural", e.Position.Line)
		}
		months[e.Event.Time.Format("2006-01")]++
		lengths = append(lengths, utf8.RuneCountInString(e.Event.Text))
		found := hits(stages, e.Event.Text)
		for _, k := range found {
			stage[k]++
		}
		for _, k := range hits(habits, e.Event.Text) {
			habit[k]++
		}
		first := slices.IndexFunc(priority, func(k string) bool { return slices.Contains(found, k) })
		if first < 0 {
			t.Fatalf("line %d has no stage", e.Position.Line)
		}
		primary[e.ThreadID] = append(primary[e.ThreadID], priority[first])
		evidence[e.ThreadID] = append(evidence[e.ThreadID], e.Position.Line)
	}
	if r.Counts.Lines != 21 || !maps.Equal(kinds, map[transcript.Kind]int{transcript.User: 9, transcript.Assistant: 9, transcript.ToolCall: 3}) {
		t.Errorf("%d lines, %v", r.Counts.Lines, kinds)
	}
	if want := map[string]int{"2026-01": 3, "2026-05": 3, "2026-09": 3}; !maps.Equal(months, want) {
		t.Errorf("months %v", months)
	}
	if slices.Sort(lengths); lengths[4] != 12 || lengths[8] > 20 {
		t.Errorf("lengths %v", lengths)
	}
	if want := map[string]int{"goal": 3, "plan": 3, "execute": 3, "verify": 3, "iterate": 3}; !maps.Equal(stage, want) {
		t.Errorf("stages %v", stage)
	}
	if want := map[string]int{"verify": 3, "plan": 3}; !maps.Equal(habit, want) {
		t.Errorf("words %v", habit)
	}
	for thread, want := range map[string][]int{"example-a": {1, 3, 6}, "example-b": {8, 10, 13}, "example-c": {15, 17, 20}} {
		if !slices.Equal(primary[thread], []string{"plan", "execute", "verify"}) || !slices.Equal(evidence[thread], want) {
			t.Errorf("%s: %v in lines %v", thread, primary[thread], evidence[thread])
		}
	}
}
