package export

import (
	"strings"

	"rollbook/internal/term"
)

// mdPlain writes text so that Markdown shows it as it stands, on one line: no
// character of it has a meaning, and none becomes HTML.
func mdPlain(text string) string { return mdEscapes.Replace(oneLine(text)) }

var mdEscapes = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", "\\", "\\\\", "`", "\\`", "*", "\\*",
	"_", "\\_", "[", "\\[", "]", "\\]", "|", "\\|", "~", "\\~", "$", "\\$", "#", "\\#")

// htmlPlain writes text for a place within HTML of ours.
func htmlPlain(text string) string { return htmlEscapes.Replace(oneLine(text)) }

var htmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// codeSpan writes text as code within a line of ours.
func codeSpan(text string) string {
	text = oneLine(text)
	if text == "" {
		return ""
	}
	marks := strings.Repeat("`", longestRun(text)+1)
	if text[0] == '`' || text[len(text)-1] == '`' || text[0] == ' ' {
		text = " " + text + " "
	}
	return marks + text + marks
}

// longestRun is the length of the longest run of backticks.
func longestRun(s string) int {
	longest, run := 0, 0
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

// An mdWriter writes Markdown. Every block of code stands behind a blank line
// and at the margin (of the quote, where prefix is "> "), which is where every
// reader takes it for one, and its fence is longer than any run of backticks in
// it. So what is code here is code everywhere, and only there, and in code
// spans, the text of a log stands as it is.
type mdWriter struct {
	out
	prefix string // of each line: "" or "> "
	filled bool   // the last line is not blank
}

// put writes a line.
func (m *mdWriter) put(parts ...string) {
	m.filled = strings.Join(parts, "") != ""
	if !m.filled {
		m.line(m.prefix)
		return
	}
	m.buf = append(m.buf, m.prefix...)
	for _, part := range parts {
		m.buf = append(m.buf, part...)
	}
	m.buf = append(m.buf, '\n')
	if len(m.buf) >= flushAt {
		m.flush()
	}
}

// gap writes a blank line, unless one was just written.
func (m *mdWriter) gap() {
	if m.filled {
		m.put()
	}
}

// code writes a block of code. A language that is no plain word is left out.
func (m *mdWriter) code(lang string, lines []string) {
	if strings.Trim(strings.ToLower(lang), "abcdefghijklmnopqrstuvwxyz0123456789+#-_.") != "" {
		lang = ""
	}
	run := 2
	for _, line := range lines {
		run = max(run, longestRun(line))
	}
	fence := strings.Repeat("`", run+1)
	m.gap()
	m.put(fence, lang)
	for _, line := range lines {
		m.put(line)
	}
	m.put(fence)
	m.put()
}

// prose writes a log's text that is Markdown, or may be. Its blocks of code are
// written anew; everything else keeps its meaning, except for what could reach
// out of the text: HTML, definitions of references, and images, which would be
// loaded. Its headings become smaller than ours. breaks keeps the ends of
// lines, as of what a person typed.
func (m *mdWriter) prose(text string, breaks bool) {
	lines := textLines(text)
	m.gap()
	for i := 0; i < len(lines); i++ {
		if run, ok := isFence(lines[i]); ok {
			i = m.fenced(lines, i, run)
			continue
		}
		end := ""
		if breaks && i+1 < len(lines) && strings.TrimSpace(lines[i]) != "" && strings.TrimSpace(lines[i+1]) != "" {
			end = "  "
		}
		m.put(m.text(lines[i]), end)
	}
	m.gap()
}

// fenced writes the block of code that line i opens, and gives the line that
// ends it. A block without an end reaches to the end of the text.
func (m *mdWriter) fenced(lines []string, i int, run string) int {
	head, info, _ := strings.Cut(lines[i], run)
	if strings.Trim(head, " >") != "" { // a list mark
		m.gap() // else it could make a heading of the line before
		m.put(strings.TrimRight(head, " "))
	}
	start := i + 1
	for i++; i < len(lines) && !closesFence(lines[i], run); i++ {
	}
	lang, _, _ := strings.Cut(strings.TrimSpace(info), " ")
	m.code(lang, dedent(lines[start:i], head))
	return i
}

// dedent takes off lines of code what stands before their fence, as far as they
// have it.
func dedent(lines []string, head string) []string {
	indent, marks := term.Width(head), " "
	if strings.Contains(head, ">") {
		marks = " >"
	}
	code := make([]string, len(lines))
	for i, line := range lines {
		n := 0
		for n < min(indent, len(line)) && strings.IndexByte(marks, line[n]) >= 0 {
			n++
		}
		code[i] = line[n:]
	}
	return code
}

// text gives a line that is not in a block of code.
func (m *mdWriter) text(line string) string {
	lead := mdLead(line)
	rest := line[len(lead):]
	if marks := headingMarks(rest); marks > 0 {
		return lead + strings.Repeat("#", min(marks+3, 6)) + inline(rest[marks:])
	}
	switch bare := strings.TrimSpace(line[len(leadSpace(line)):]); {
	case m.filled && bare != "" && (strings.Trim(bare, "=") == "" || strings.Trim(bare, "-") == ""):
		return leadSpace(line) + "\\" + bare // it would make a heading of the line before
	case strings.HasPrefix(rest, "[") && strings.Contains(rest, "]:"):
		return lead + "\\" + inline(rest) // it would define a reference, and not be seen
	}
	return lead + inline(rest)
}

// mdLead is what stands before the words of a line: spaces, quote marks, list
// marks.
func mdLead(line string) string {
	rest := line
	for {
		rest = rest[len(leadSpace(rest)):]
		n := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		switch {
		case n > 0 && n < 10 && n < len(rest) && (rest[n] == '.' || rest[n] == ')'):
			n++
		case n == 0 && rest != "" && strings.IndexByte("-*+", rest[0]) >= 0:
			n = 1
		default:
			return line[:len(line)-len(rest)]
		}
		if n == len(rest) || rest[n] != ' ' && rest[n] != '\t' {
			return line[:len(line)-len(rest)]
		}
		rest = rest[n:]
	}
}

// leadSpace is the white space and the quote marks that a line begins with.
func leadSpace(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " \t>"))]
}

// headingMarks counts the marks of a heading, 0 where a line is none.
func headingMarks(s string) int {
	n := len(s) - len(strings.TrimLeft(s, "#"))
	if n > 6 || n < len(s) && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n
}
