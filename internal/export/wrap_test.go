package export

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"rollbook/internal/term"
)

func pieces(cut func(string, int, func(string)), line string, width int) []string {
	var all []string
	cut(line, width, func(p string) { all = append(all, p) })
	return all
}

func TestWrapLine(t *testing.T) {
	for _, tt := range []struct {
		line  string
		width int
		want  string
	}{
		{"", 10, ""},
		{"short", 10, "short"},
		{"one two three", 0, "one two three"},
		{"one two three", 8, "one two|three"},
		{"one two three", 7, "one two|three"},
		{"one two three", 6, "one|two|three"},
		{"one   two", 5, "one|two"},
		{"abcdefghij", 4, "abcd|efgh|ij"},
		{"ab cdefghij", 4, "ab|cdef|ghij"},
		{"trailing   ", 8, "trailing"},
		{"日本語の文", 4, "日本|語の|文"},
		{"日本語。次の", 6, "日本|語。次|の"}, // a full stop never begins a line
		{"été déjà vu", 8, "été déjà|vu"},
		{"👩‍👩‍👧‍👦👩‍👩‍👧‍👦 x", 3, "👩‍👩‍👧‍👦|👩‍👩‍👧‍👦|x"},
		{"日", 1, "日"},
		{"é日", 2, "é|日"},
	} {
		if got := strings.Join(pieces(wrapLine, tt.line, tt.width), "|"); got != tt.want {
			t.Errorf("wrapLine(%q, %d) = %q, want %q", tt.line, tt.width, got, tt.want)
		}
	}
}

func TestHardWrap(t *testing.T) {
	for _, tt := range []struct {
		line  string
		width int
		want  string
	}{
		{"", 10, ""},
		{"a b  c", 2, "a |b | c"},
		{"日本語", 3, "日|本|語"},
		{"é日", 2, "é|日"},
		{"ab", 0, "ab"},
	} {
		if got := strings.Join(pieces(hardWrap, tt.line, tt.width), "|"); got != tt.want {
			t.Errorf("hardWrap(%q, %d) = %q, want %q", tt.line, tt.width, got, tt.want)
		}
	}
}

// No piece is wider than asked for, unless it is one character; and nothing is
// lost but spaces at cuts.
func TestWrapProperty(t *testing.T) {
	alphabet := []string{"a", "word", " ", "  ", "日", "、", "é", "👩‍👩‍👧‍👦", "🇵🇹", "-", ".", "\u00a0", "\u0301", "ก", "א", "/", "(", "x\u200dy"}
	rapid.Check(t, func(t *rapid.T) {
		line := strings.Join(rapid.SliceOfN(rapid.SampledFrom(alphabet), 0, 40).Draw(t, "line"), "")
		width := rapid.IntRange(1, 20).Draw(t, "width")
		wrapped := pieces(wrapLine, line, width)
		for _, cut := range [][]string{wrapped, pieces(hardWrap, line, width)} {
			for _, p := range cut {
				if w := term.Width(p); w > width && w > 2 {
					t.Fatalf("%q has %d columns, want %d at most", p, w, width)
				}
			}
		}
		if got := strings.Join(pieces(hardWrap, line, width), ""); got != line {
			t.Fatalf("hardWrap makes %q of %q", got, line)
		}
		noSpace := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if got := strings.Join(wrapped, ""); noSpace(got) != noSpace(line) {
			t.Fatalf("wrapLine makes %q of %q", wrapped, line)
		}
	})
}

func TestExpandTabs(t *testing.T) {
	for in, want := range map[string]string{
		"":            "",
		"a":           "a",
		"\t":          "        ",
		"a\tb":        "a       b",
		"12345678\tx": "12345678        x",
		"日\tx":        "日      x",
		"\t\tx":       "                x",
	} {
		if got := expandTabs(in); got != want {
			t.Errorf("expandTabs(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLeadOf(t *testing.T) {
	for _, tt := range []struct{ line, lead, next string }{
		{"", "", ""},
		{"word", "", ""},
		{"  word", "  ", "  "},
		{"- item", "- ", "  "},
		{"  *   item", "  *   ", "      "},
		{"12. item", "12. ", "    "},
		{"1) item", "1) ", "   "},
		{"1.5 is no item", "", ""},
		{"-5 is no item", "", ""},
		{"1234567890. no item", "", ""},
		{"• item", "• ", "  "},
		{"> quote", "> ", "> "},
		{"> > quote", "> > ", "> > "},
		{">", ">", ">"},
		{"-", "", ""},
		{"7", "", ""},
	} {
		lead, next := leadOf(tt.line)
		if lead != tt.lead || next != tt.next {
			t.Errorf("leadOf(%q) = %q, %q, want %q, %q", tt.line, lead, next, tt.lead, tt.next)
		}
	}
}

func TestClip(t *testing.T) {
	for _, tt := range []struct {
		line    string
		columns int
		want    string
	}{
		{"short", 10, "short"},
		{"longer than that", 10, "longer th…"},
		{"日本語日本語", 5, "日本…"},
		{"a\x1b[31m", 20, `a\x1b[31m`},
		{"a\nb\tc", 20, "a b     c"},
		{strings.Repeat("x", 1000), 3, "xx…"},
		{strings.Repeat("\u0301", 1000), 3, strings.Repeat("\u0301", 12) + "…"},
		{"\xff\xfe", 20, `\xff\xfe`},
	} {
		if got := clip(tt.line, tt.columns); got != tt.want {
			t.Errorf("clip(%.20q, %d) = %q, want %q", tt.line, tt.columns, got, tt.want)
		}
	}
}

func TestFences(t *testing.T) {
	for _, tt := range []struct {
		line, run string
	}{
		{"```", "```"}, {"```go", "```"}, {"   ~~~~ x", "~~~~"}, {"- ```sh", "```"}, {"> ```", "```"}, {"10. ```", "```"},
		{"``", ""}, {"x ```", ""}, {"``` a ``` b", ""}, {"~~", ""}, {"", ""}, {"~~~ a ` b", "~~~"},
	} {
		run, ok := isFence(tt.line)
		if run != tt.run || ok != (tt.run != "") {
			t.Errorf("isFence(%q) = %q, %v, want %q", tt.line, run, ok, tt.run)
		}
	}
	for _, tt := range []struct {
		line, run string
		want      bool
	}{
		{"```", "```", true}, {"  ````  ", "```", true}, {"> ```", "```", true}, {"``", "```", false}, {"```go", "```", false}, {"~~~", "```", false}, {"", "```", false},
	} {
		if got := closesFence(tt.line, tt.run); got != tt.want {
			t.Errorf("closesFence(%q, %q) = %v", tt.line, tt.run, got)
		}
	}
}

func TestFirstLines(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    int
		want []string
		more int
	}{
		{"", 2, nil, 0},
		{"\n\n", 2, nil, 0},
		{"a", 2, []string{"a"}, 0},
		{"a\nb\n", 2, []string{"a", "b"}, 0},
		{"a\nb\nc", 2, []string{"a", "b", "c"}, 0}, // one line more is no longer than saying so
		{"a\nb\nc\nd\n", 2, []string{"a", "b"}, 2},
		{"\na\n\nb", 2, []string{"", "a"}, 2},
	} {
		got, more := firstLines(tt.text, tt.n)
		if !slices.Equal(got, tt.want) || more != tt.more {
			t.Errorf("firstLines(%q, %d) = %q, %d, want %q, %d", tt.text, tt.n, got, more, tt.want, tt.more)
		}
	}
}
