package term

import (
	"strings"

	"github.com/rivo/uniseg"
)

// Ellipsis marks text that was cut to fit.
const Ellipsis = "…"

// Width returns how many terminal columns s takes: two for East Asian wide
// characters and emoji, none for combining marks. Control characters count
// nothing, so make s safe first.
func Width(s string) int {
	if isPlain(s) {
		return len(s)
	}
	return uniseg.StringWidth(s)
}

// Truncate cuts s to at most width columns. A cut text ends in an ellipsis and
// never in half a character.
func Truncate(s string, width int) string {
	if width <= 0 {
		return ""
	}
	if Width(s) <= width {
		return s
	}
	used, end := 0, 0
	for rest, state := s, -1; rest != ""; {
		cluster, next, w, newState := uniseg.FirstGraphemeClusterInString(rest, state)
		if used+w > width-1 {
			break
		}
		used += w
		end += len(cluster)
		rest, state = next, newState
	}
	return s[:end] + Ellipsis
}

// Pad adds spaces on the right until s takes width columns.
func Pad(s string, width int) string {
	return s + spaces(width-Width(s))
}

// PadLeft adds spaces on the left until s takes width columns.
func PadLeft(s string, width int) string {
	return spaces(width-Width(s)) + s
}

func spaces(n int) string {
	return strings.Repeat(" ", max(n, 0))
}

func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}
