package export

import "strings"

// maxSpans is how long a line may be that has code spans: finding where each of
// them ends takes time.
const maxSpans = 16 << 10

// inline gives a line of a log's Markdown with everything escaped that could do
// harm. Code spans that begin and end on the line stay as they are; backticks
// that pair with none are escaped, so that no reader pairs them otherwise.
func inline(s string) string {
	var b strings.Builder
	inlineTo(&b, s, cutsCode(s))
	return b.String()
}

// inlineTo is inline for a part of a line; tables says that the line may be one
// of a table, so that code spans with a bar in them are none.
func inlineTo(b *strings.Builder, s string, tables bool) {
	for i := 0; i < len(s); {
		n := 1
		switch c := s[i]; c {
		case '`':
			n = span(b, s[i:], tables)
		case '\\':
			n = backslash(b, s[i:])
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '$': // opens a formula for some readers
			b.WriteString("\\$")
		case '!':
			if b.WriteByte(c); strings.HasPrefix(s[i+1:], "[") { // an image
				b.WriteString("\\[")
				n = 2
			}
		case ']':
			if harmful(s[i+1:]) {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		case '~':
			if n = runLen(s[i:]); n < 3 {
				b.WriteString(s[i : i+n])
			} else { // a fence
				b.WriteString(strings.Repeat("\\~", n))
			}
		default:
			b.WriteByte(c)
		}
		i += n
	}
}

// runLen is how often the first byte of s stands at its beginning.
func runLen(s string) int {
	n := 1
	for n < len(s) && s[n] == s[0] {
		n++
	}
	return n
}

// spanLen is the length of the code span that s begins with, or 0: it ends at
// the next run of as many backticks.
func spanLen(s string) int {
	open := runLen(s)
	if len(s) > maxSpans {
		return 0
	}
	for i := open; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		n := runLen(s[i:])
		if i += n; n == open {
			return i
		}
	}
	return 0
}

// span writes a code span, or backticks that open none, and gives how many
// bytes it took.
func span(b *strings.Builder, s string, tables bool) int {
	open, n := runLen(s), spanLen(s)
	marks := strings.Repeat("\\`", open)
	switch {
	case n == 0:
		b.WriteString(marks)
		return open
	case tables && strings.Contains(s[:n], "|"):
		b.WriteString(marks)
		inlineTo(b, s[open:n-open], tables)
		b.WriteString(marks)
	default:
		b.WriteString(s[:n])
	}
	return n
}

// cutsCode reports whether a line has a code span with a bar, which would end
// the span if the line were one of a table, and code that must not be let out.
func cutsCode(s string) bool {
	if !strings.Contains(s, "|") {
		return false
	}
	bar, risk := false, false
	for i := 0; i < len(s); {
		n := 1
		switch s[i] {
		case '\\':
			if n = 2; strings.HasPrefix(s[i+1:], "`") {
				n = 1 + runLen(s[i+1:])
			}
		case '`':
			if n = spanLen(s[i:]); n == 0 {
				n = runLen(s[i:])
				break
			}
			code := s[i : i+n]
			bar = bar || strings.Contains(code, "|")
			risk = risk || strings.ContainsAny(code, "<&[]$~")
		}
		i += n
	}
	return bar && risk
}

// backslash writes a backslash and what it escapes, and gives how many bytes it
// took.
func backslash(b *strings.Builder, s string) int {
	if len(s) == 1 {
		b.WriteByte('\\')
		return 1
	}
	switch s[1] {
	case '`':
		n := runLen(s[1:])
		b.WriteString(strings.Repeat("\\`", n))
		return 1 + n
	case '<', '>', '&', '$', '~', '[', ']', '\n':
		b.WriteString(map[byte]string{'<': "&lt;", '>': "&gt;", '&': "&amp;"}[s[1]])
		if strings.IndexByte("<>&", s[1]) < 0 {
			b.WriteString(s[:2])
		}
		return 2
	}
	if s[1] < 0x80 {
		b.WriteString(s[:2])
		return 2
	}
	b.WriteByte('\\')
	return 1
}

// harmful reports whether the bracket that ends before s must not end a link:
// s would define a reference, or lead to a script.
func harmful(s string) bool {
	if strings.HasPrefix(s, ":") {
		return true
	}
	target, ok := strings.CutPrefix(s, "(")
	if !ok {
		return false
	}
	target = strings.ToLower(strings.ReplaceAll(strings.TrimLeft(target, " \t"), "\\", ""))
	for _, scheme := range []string{"javascript:", "vbscript:", "data:"} {
		if strings.HasPrefix(target, scheme) {
			return true
		}
	}
	return false
}
