package export

import (
	"strings"

	"github.com/rivo/uniseg"

	"rollbook/internal/term"
)

// wrapLine cuts a line, which is safe and has no newline, into pieces of at most
// width columns. It cuts where lines may be broken (spaces, between CJK
// characters, by the rules of Unicode), and within a word only where the word
// is wider than a line. Spaces at a cut are left out. A width of 0 cuts nothing.
func wrapLine(line string, width int, yield func(piece string)) {
	if width <= 0 || len(line) <= width {
		yield(line)
		return
	}
	if isASCII(line) {
		wrapASCII(line, width, yield)
		return
	}
	wrapUnicode(line, width, yield)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func wrapASCII(line string, width int, yield func(string)) {
	for len(line) > width {
		cut := strings.LastIndexByte(line[:width+1], ' ')
		if cut <= 0 || strings.TrimLeft(line[:cut], " ") == "" {
			cut = width // a word wider than the line
		}
		yield(strings.TrimRight(line[:cut], " "))
		line = strings.TrimLeft(line[cut:], " ")
	}
	if line != "" {
		yield(line)
	}
}

func wrapUnicode(line string, width int, yield func(string)) {
	start, at, used := 0, 0, 0 // of the piece, of the character, columns of the piece
	cut, cutUsed := 0, 0       // where the piece may end, and its columns there
	for rest, state := line, -1; rest != ""; {
		cluster, next, bounds, newState := uniseg.StepString(rest, state)
		w := bounds >> uniseg.ShiftWidth
		for used+w > width && used > 0 && cluster != " " {
			if cut == start {
				cut, cutUsed = at, used
			}
			yield(strings.TrimRight(line[start:cut], " "))
			start, used, cutUsed = cut, used-cutUsed, 0
		}
		used += w
		at += len(cluster)
		if bounds&uniseg.MaskLine != uniseg.LineDontBreak {
			cut, cutUsed = at, used
		}
		rest, state = next, newState
	}
	if piece := strings.TrimRight(line[start:], " "); piece != "" {
		yield(piece)
	}
}

// hardWrap cuts a line into pieces of exactly width columns, as a terminal
// would, so that no space is lost.
func hardWrap(line string, width int, yield func(piece string)) {
	if width <= 0 || len(line) <= width {
		yield(line)
		return
	}
	if isASCII(line) {
		for ; len(line) > width; line = line[width:] {
			yield(line[:width])
		}
		yield(line)
		return
	}
	start, at, used := 0, 0, 0
	for rest, state := line, -1; rest != ""; {
		cluster, next, w, newState := uniseg.FirstGraphemeClusterInString(rest, state)
		if used+w > width && used > 0 {
			yield(line[start:at])
			start, used = at, 0
		}
		used += w
		at += len(cluster)
		rest, state = next, newState
	}
	yield(line[start:])
}

// tabStop is how far apart terminals set tabs.
const tabStop = 8

// expandTabs replaces tabs by spaces up to the next stop, so that a text can be
// measured and moved to the right.
func expandTabs(line string) string {
	if !strings.Contains(line, "\t") {
		return line
	}
	var b strings.Builder
	column := 0
	for {
		part, rest, found := strings.Cut(line, "\t")
		b.WriteString(part)
		if !found {
			return b.String()
		}
		column += term.Width(part)
		n := tabStop - column%tabStop
		b.WriteString("        "[:n])
		column += n
		line = rest
	}
}

// leadOf gives what a Markdown line begins with, spaces, quote marks or a list
// mark, and what the lines that go on with it begin with, so that lists and
// quotes keep their shape.
func leadOf(line string) (lead, next string) {
	rest := strings.TrimLeft(line, " ")
	if strings.HasPrefix(rest, ">") {
		rest = strings.TrimLeft(rest, "> ")
		lead = line[:len(line)-len(rest)]
		return lead, lead
	}
	lead = line[:len(line)-len(rest)+markerLen(rest)]
	return lead, strings.Repeat(" ", term.Width(lead))
}

// markerLen is the length of the list mark that a line begins with, its spaces
// included; 0 where there is none.
func markerLen(s string) int {
	n := 0
	switch {
	case s == "":
		return 0
	case s[0] == '-' || s[0] == '*' || s[0] == '+' || strings.HasPrefix(s, "•"):
		n = 1
		if s[0] >= 0x80 {
			n = len("•")
		}
	default:
		digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
		if digits == 0 || digits > 9 || digits == len(s) || s[digits] != '.' && s[digits] != ')' {
			return 0
		}
		n = digits + 1
	}
	if n >= len(s) || s[n] != ' ' {
		return 0
	}
	spaces := len(s[n:]) - len(strings.TrimLeft(s[n:], " "))
	return n + spaces
}
