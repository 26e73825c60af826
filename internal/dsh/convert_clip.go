package dsh

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// clamp shortens a text to what Options allows.
func (c *converter) clamp(s string) string {
	short, cut := clamp(s, c.opt.MaxTextChars)
	if cut {
		c.report.Clamped++
	}
	return short
}

// truncate shortens an output to what Options allows.
func (c *converter) truncate(s string) string {
	short, cut := truncate(s, c.opt.MaxToolOutput)
	if cut {
		c.report.Truncated++
	}
	return short
}

// clamp keeps of a text longer than limit UTF-16 units its first three quarters
// and its last one, with what is missing between them said. No rune is cut, so
// a unit less may be kept. The limit does not count what is said; 0 is none.
func clamp(s string, limit int) (string, bool) {
	total, over := longer(s, limit)
	if !over {
		return s, false
	}
	tail := limit / 4
	head := limit - tail
	first, kept := prefixUnits(s, head)
	last, more := suffixUnits(s, tail)
	kept += more
	return first + "\n\n[... middle trimmed during Codex import ...]\n\n" +
		fmt.Sprintf("[... %d of %d chars trimmed during Codex import ...]\n\n", total-kept, total) + last, true
}

// truncate keeps the first limit UTF-16 units of an output and says at its end
// how much is missing. 0 is no limit.
func truncate(s string, limit int) (string, bool) {
	total, over := longer(s, limit)
	if !over {
		return s, false
	}
	first, kept := prefixUnits(s, limit)
	return first + fmt.Sprintf("\n\n[... truncated %d of %d chars during Codex import ...]", total-kept, total), true
}

// longer reports whether s has more than limit UTF-16 units, and how many it
// has then. A text never has more units than bytes.
func longer(s string, limit int) (total int, over bool) {
	if limit <= 0 || len(s) <= limit {
		return 0, false
	}
	total = utf16Len(s)
	return total, total > limit
}

func runeUnits(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}

// prefixUnits gives the longest prefix of at most limit units, and its units.
func prefixUnits(s string, limit int) (string, int) {
	n := 0
	for i, r := range s {
		if n+runeUnits(r) > limit {
			return s[:i], n
		}
		n += runeUnits(r)
	}
	return s, n
}

// suffixUnits gives the longest suffix of at most limit units, and its units.
func suffixUnits(s string, limit int) (string, int) {
	n, i := 0, len(s)
	for i > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:i])
		if n+runeUnits(r) > limit {
			break
		}
		n += runeUnits(r)
		i -= size
	}
	return s[i:], n
}

// proposed is a plan as the model writes it.
func proposed(plan string) string {
	if strings.Contains(plan, "<proposed_plan>") {
		return plan
	}
	if !strings.HasSuffix(plan, "\n") {
		plan += "\n"
	}
	return "<proposed_plan>\n" + plan + "</proposed_plan>"
}
