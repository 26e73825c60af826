package bundle

import (
	"fmt"
	"strconv"

	"rollbook/internal/diag"
)

// maxEach is how often a code is listed place by place. One that occurs more
// often has one entry, so that no manifest grows with the rollout (B11).
const maxEach = 20

// An omissionList collects what a bundle leaves out, in order.
type omissionList struct {
	entries []omission
	counts  map[string]*span
}

type omission struct {
	code, text string
	line       int
}

// A span counts the entries of one code.
type span struct {
	count       int
	first, last int // lines; 0 is none
}

// add adds a code at a line and block, 0 for none.
func (l *omissionList) add(code string, line, block int) {
	if l.counts == nil {
		l.counts = make(map[string]*span)
	}
	s := l.counts[code]
	if s == nil {
		s = new(span)
		l.counts[code] = s
	}
	if s.count++; s.count <= maxEach {
		l.entries = append(l.entries, omission{code, fmt.Sprintf("%s (line %s, block %s)", code, orNone(line), orNone(block)), line})
	}
	if line > 0 {
		if s.first == 0 {
			s.first = line
		}
		s.last = line
	}
}

// texts gives the entries: each place of a code, or one entry for all of them.
func (l *omissionList) texts() []string {
	var out []string
	said := make(map[string]bool)
	for _, e := range l.entries {
		s := l.counts[e.code]
		if s.count <= maxEach {
			out = append(out, e.text)
		} else if !said[e.code] {
			said[e.code] = true
			out = append(out, fmt.Sprintf("%s: %d (lines %d-%d)", e.code, s.count, s.first, s.last))
		}
	}
	return out
}

func orNone(n int) string {
	if n == 0 {
		return "n/a"
	}
	return strconv.Itoa(n)
}

// brief gives the codes in the order in which they came up, each once, with what
// it means.
func (l *omissionList) brief() []string {
	var out []string
	said := make(map[string]bool)
	for _, e := range l.entries {
		if said[e.code] {
			continue
		}
		said[e.code] = true
		s := l.counts[e.code]
		where := fmt.Sprintf("line %d", s.first)
		if s.last > s.first {
			where = fmt.Sprintf("%s, lines %d to %d", plural(s.count, "time"), s.first, s.last)
		} else if s.first == 0 {
			where = "the file as a whole"
		}
		out = append(out, fmt.Sprintf("%s (%s): %s", e.code, where, meanings[diag.Code(e.code)]))
	}
	return out
}

// excludedLines names the excluded lines, of which there are few.
func (f *facts) excludedLines() []string {
	var out []string
	for _, e := range f.excluded.entries {
		out = append(out, "line "+strconv.Itoa(e.line))
	}
	return out
}
