package dsh

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestClamp(t *testing.T) {
	const smile = "😀" // two units
	for _, c := range []struct {
		text        string
		limit       int
		head, tail  string
		lost, total int
	}{
		{strings.Repeat("a", 75) + strings.Repeat("b", 410) + strings.Repeat("c", 25), 100, strings.Repeat("a", 75), strings.Repeat("c", 25), 410, 510},
		{strings.Repeat("a", 10), 1, "a", "", 9, 10},
		{strings.Repeat(smile, 10), 8, strings.Repeat(smile, 3), smile, 12, 20},
		{strings.Repeat(smile, 10), 9, strings.Repeat(smile, 3), smile, 12, 20}, // 7 units of head would cut a rune
		{"x" + strings.Repeat(smile, 10), 12, "x" + strings.Repeat(smile, 4), smile, 10, 21},
	} {
		want := fmt.Sprintf("%s\n\n[... middle trimmed during Codex import ...]\n\n[... %d of %d chars trimmed during Codex import ...]\n\n%s", c.head, c.lost, c.total, c.tail)
		if got, cut := clamp(c.text, c.limit); got != want || !cut {
			t.Errorf("clamp(%.20q, %d) =\n%q\nwant\n%q", c.text, c.limit, got, want)
		}
	}
	for _, limit := range []int{0, 510, 1000} {
		if got, cut := clamp(strings.Repeat("é", 510), limit); cut || got != strings.Repeat("é", 510) {
			t.Errorf("cut at %d", limit)
		}
	}
}

func TestTruncate(t *testing.T) {
	if got, _ := truncate("abcdef", 4); got != "abcd\n\n[... truncated 2 of 6 chars during Codex import ...]" {
		t.Errorf("%q", got)
	}
	if got, _ := truncate("a😀b", 2); got != "a\n\n[... truncated 3 of 4 chars during Codex import ...]" {
		t.Errorf("%q", got)
	}
	million := strings.Repeat("y", 1_000_000)
	if got, cut := truncate(million, 0); cut || got != million {
		t.Error("an output was cut without a limit")
	}
}

// TestClipAny is that nothing but whole runes is kept, and that what is said of
// the rest is right.
func TestClipAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("aé€😀\n"))).Draw(t, "text")
		limit := rapid.IntRange(1, 20).Draw(t, "limit")
		total := len(utf16.Encode([]rune(text)))
		for name, cutter := range map[string]func(string, int) (string, bool){"clamp": clamp, "truncate": truncate} {
			got, cut := cutter(text, limit)
			if cut != (total > limit) || !cut && got != text || !utf8.ValidString(got) {
				t.Fatalf("%s(%q, %d) = %q, %v", name, text, limit, got, cut)
			}
			if first, _, _ := strings.Cut(got, "\n\n[... "); cut && name == "truncate" && !strings.HasPrefix(text, first) {
				t.Fatalf("%q does not begin with %q", text, first)
			}
		}
	})
}

// TestLimits is what is shortened: texts, summaries and arguments by one limit,
// results by the other; and that each is counted.
func TestLimits(t *testing.T) {
	long := strings.Repeat("long ", 100)
	l := ofLines(t, metaLine(""), promptLine(long), eventLine(`"type":"agent_reasoning","text":"`+long+`"`), answerLine(long),
		callLine("c", "shell", `{"x":"`+long+`"}`), outputLine("c", long))
	s := sessionOf(t, l, full, Options{MaxTextChars: 100})
	if s.Clamped != 4 || s.Truncated != 0 {
		t.Errorf("%d clamped, %d truncated", s.Clamped, s.Truncated)
	}
	for _, text := range s.said() {
		if strings.HasPrefix(text, "r: ") != (text == "r: "+long) {
			t.Errorf("%q", text)
		}
	}
	if s = sessionOf(t, l, full, Options{MaxToolOutput: 100}); s.Clamped != 0 || s.Truncated != 1 {
		t.Errorf("%d clamped, %d truncated", s.Clamped, s.Truncated)
	}
	if said := s.said(); !strings.HasSuffix(said[len(said)-1], "[... truncated 400 of 500 chars during Codex import ...]") {
		t.Errorf("%q", said[len(said)-1])
	}
}

func TestCleanTitle(t *testing.T) {
	for text, want := range map[string]string{
		"  two\n\twords  ":                         "two words",
		"\x1b[31mred\x1b[0m and \x1b]0;t\x07plain": "red and plain",
		"a\u202eb\u2066c\u200ed":                   "abcd",
		"bell\x07 and \x00 nul":                    "bell and nul",
		"\x1b":                                     "",
		"\x1b[":                                    "",
		"":                                         "",
		strings.Repeat("x", 80):                    strings.Repeat("x", 80),
		strings.Repeat("x", 81):                    strings.Repeat("x", 79) + "…",
		strings.Repeat("😀", 41):                    strings.Repeat("😀", 39) + "…",
	} {
		if got := cleanTitle(text); got != want {
			t.Errorf("cleanTitle(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestTitles(t *testing.T) {
	named := eventLine(`"type":"thread_name_updated","thread_id":"x","thread_name":"My thread"`)
	for _, c := range []struct {
		name  string
		lines []string
		title string
		from  []int
	}{
		{"of the first prompt", []string{promptLine("first"), answerLine("a"), promptLine("second")}, "first", []int{6}},
		{"given", []string{promptLine("first"), named}, "My thread", []int{}},
		{"behind an image", []string{eventLine(`"type":"user_message","message":"","images":["data:image/png;base64,` + pixel + `"]`), promptLine("text")}, "text", []int{11}},
		{"of an image alone", []string{eventLine(`"type":"user_message","message":"","images":["data:image/png;base64,` + pixel + `"]`)}, "[image]", []int{6}},
		{"of an envelope", []string{promptLine("# Context from my IDE setup:\n\n## My request for Codex:\nfix it")}, "fix it", []int{6}},
		{"none", []string{answerLine("a")}, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := sessionOf(t, ofLines(t, append([]string{metaLine("")}, c.lines...)...), full, Options{})
			title, from := s.titles()
			got, _ := json.Marshal(from)
			want, _ := json.Marshal(c.from)
			if title != c.title || string(got) != string(want) {
				t.Errorf("title %q of %s, want %q of %s", title, got, c.title, want)
			}
		})
	}
}

// TestInjected is that what nobody typed is left out and counted, and what was
// typed is not.
func TestInjected(t *testing.T) {
	item := func(text string) string {
		return itemLine(`"type":"message","role":"user","content":[{"type":"input_text","text":` + jsonQuote(text) + `}]`)
	}
	s := sessionOf(t, ofLines(t, metaLine(""), item("<permissions instructions>x</permissions instructions>"),
		item("# Files mentioned by the user:\n\n- a\n\n## My request for Codex:\nkeep this prompt"),
		item("# Applications mentioned by the user:\n\n- a")), full, Options{})
	expectSaid(t, s, "u: keep this prompt")
	if s.Injected != 2 {
		t.Errorf("%d injected", s.Injected)
	}
	for _, tag := range strings.Split("recommended_plugins,environment_context,permissions instructions,skill,turn_aborted,in-app-browser-context,app-context,"+
		"user_instructions,pending_input,codex_internal_context,user_shell_context,request_id,model,turn_id", ",") {
		s := sessionOf(t, ofLines(t, metaLine(""), item("<"+tag+">x"), item(" \n<"+strings.ToUpper(tag)+" a=1>x"), item("<"+tag+"ly>kept")), full, Options{})
		expectSaid(t, s, "u: <"+tag+"ly>kept")
		if s.Injected != 2 {
			t.Errorf("%s: %d injected", tag, s.Injected)
		}
	}
	s = sessionOf(t, ofLines(t, metaLine(""), item("# AGENTS.md instructions\n\nx"), item("# agents.md INSTRUCTIONS for /a\nx"), item("# AGENTS.md instructionsx")), full, Options{})
	expectSaid(t, s, "u: # AGENTS.md instructionsx")
	// An event vouches for a prompt that looks injected.
	s = sessionOf(t, ofLines(t, metaLine(""), item("<skill>mine</skill>"), promptLine("<skill>mine</skill>")), full, Options{})
	expectSaid(t, s, "u: <skill>mine</skill>")
	for _, opening := range []string{"# Files mentioned by the user:", "# Applications mentioned by the user:", "# Context from my IDE setup:", "The following is the Codex agent history"} {
		for marker, want := range map[string][]string{"## My request for Codex:\n": {"u: do it"}, "## My request:\n": {"u: do it"}, "": nil} {
			s := sessionOf(t, ofLines(t, metaLine(""), promptLine(opening+"\nstuff\n"+marker+"do it")), full, Options{})
			expectSaid(t, s, want...)
		}
	}
}
