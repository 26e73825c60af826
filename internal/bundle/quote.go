package bundle

import (
	"strings"
	"unicode/utf8"

	"rollbook/internal/inspect"
	"rollbook/internal/rollout"
	"rollbook/internal/term"
	"rollbook/internal/transcript"
)

// maxQuote is how many characters HANDOFF.md quotes of a text.
const maxQuote = 1200

// maxBrief is how many it gives of a further request.
const maxBrief = 160

// maxInline is how many it quotes of a name.
const maxInline = 200

// isRequest reports whether a person typed the text: a user's, neither blank nor
// put there by Codex (docs/format/rollout.md).
func isRequest(e *inspect.Event) bool {
	if e.Role != inspect.User || e.Kind != inspect.Text {
		return false
	}
	text, _ := e.Text.Text()
	return strings.TrimSpace(text) != "" && !transcript.Injected(text)
}

func quoteOf(v rollout.Raw, at place, most int) *quote {
	text, _ := v.Text()
	text, cut := clip(text, most)
	return &quote{strings.Clone(text), cut, at}
}

// clip gives the first n characters of a text, and whether there were more.
func clip(s string, n int) (string, bool) {
	for i := range s {
		if n == 0 {
			return s[:i], true
		}
		n--
	}
	return s, false
}

// fenced gives a text as a block of code that it cannot leave: the fence is longer
// than any run of backquotes in it, and what would move a cursor is escaped.
func fenced(text string) string {
	text = term.Safe(text, term.Block)
	fence := strings.Repeat("`", max(3, longestRun(text)+1))
	end := "\n"
	if strings.HasSuffix(text, "\n") {
		end = ""
	}
	return fence + "text\n" + text + end + fence + "\n"
}

// inline gives a name as code within a line.
func inline(name string) string {
	name, cut := clip(name, maxInline)
	name = term.Safe(name, term.OneLine)
	if cut {
		name += "…"
	}
	fence := strings.Repeat("`", longestRun(name)+1)
	if name == "" || strings.HasPrefix(name, "`") || strings.HasSuffix(name, "`") {
		name = " " + name + " "
	}
	return fence + name + fence
}

// longestRun gives the length of the longest run of backquotes.
func longestRun(s string) (longest int) {
	run := 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// plainLine gives an entry of a list as one line in which nothing is markup.
func plainLine(s string) string {
	s, cut := clip(s, maxQuote)
	s = term.Safe(s, term.OneLine)
	var b strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf && strings.ContainsRune("\\`*_[]<>#|!&~", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	if cut {
		b.WriteString("…")
	}
	return b.String()
}
