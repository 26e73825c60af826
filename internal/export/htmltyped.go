package export

import (
	"strings"

	"rollbook/internal/term"
)

// typed writes what a person typed: as it stands, but for blocks of code, which
// get their form.
func (p *htmlPage) typed(s string) {
	s = strings.Trim(term.Safe(s, term.Block), "\n")
	for s != "" {
		before, run, rest, found := cutFence(s)
		if before = strings.TrimRight(before, "\n"); strings.TrimSpace(before) != "" {
			p.raw(`<div class="typed">`)
			p.escape(strings.TrimLeft(before, "\n"))
			p.raw("</div>")
		}
		if !found {
			return
		}
		s = p.fenced(run, rest)
	}
}

// cutFence cuts a text before the first line that opens a block of code: run is
// its mark, and rest begins with what stands behind the mark.
func cutFence(s string) (before, run, rest string, found bool) {
	for at := 0; at < len(s); {
		line, _, _ := strings.Cut(s[at:], "\n")
		if run, ok := isFence(line); ok {
			_, rest, _ := strings.Cut(s[at:], run)
			return s[:at], run, rest, true
		}
		at += len(line) + 1
	}
	return s, "", "", false
}

// fenced writes a block of code and gives what follows it. A block without an
// end reaches to the end of the text.
func (p *htmlPage) fenced(run, s string) (rest string) {
	info, body, _ := strings.Cut(s, "\n")
	end := len(body)
	rest = ""
	for at := 0; at < len(body); {
		line, _, _ := strings.Cut(body[at:], "\n")
		if closesFence(line, run) {
			end, rest = at, body[min(at+len(line)+1, len(body)):]
			break
		}
		at += len(line) + 1
	}
	p.openBlock(info)
	p.escape(body[:end])
	p.raw("</pre>")
	return rest
}
