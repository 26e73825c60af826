package export

import (
	"io"
	"strings"
	"unicode/utf8"

	"rollbook/internal/term"
)

// flushAt is how many bytes are held before they are written within one event;
// at the end of each event all of them are.
const flushAt = 32 << 10

// out collects lines and writes them. After an error it drops what comes.
type out struct {
	w       io.Writer
	buf     []byte
	failure error
}

func (o *out) err() error { return o.failure }

func (o *out) flush() {
	if len(o.buf) == 0 {
		return
	}
	if o.failure == nil {
		_, o.failure = o.w.Write(o.buf)
	}
	o.buf = o.buf[:0]
}

// line writes the parts as one line, without spaces at its end.
func (o *out) line(parts ...string) {
	for i, part := range parts {
		if i == len(parts)-1 {
			part = strings.TrimRight(part, " ")
		}
		o.buf = append(o.buf, part...)
	}
	for n := len(o.buf); n > 0 && o.buf[n-1] == ' '; n = len(o.buf) {
		o.buf = o.buf[:n-1]
	}
	o.buf = append(o.buf, '\n')
	if len(o.buf) >= flushAt {
		o.flush()
	}
}

// textLines splits a text into lines, as safe as they are for a terminal, and
// without blank ones at its ends.
func textLines(text string) []string {
	text = strings.Trim(term.Safe(text, term.Block), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// allLines is textLines with the blank lines at the ends.
func allLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(term.Safe(text, term.Block), "\n"), "\n")
}

// firstLine is the first line of a text that is not blank, and whether more
// follows.
func firstLine(text string) (line string, more bool) {
	text = strings.TrimSpace(text)
	line, rest, _ := strings.Cut(text, "\n")
	return strings.TrimRight(line, "\r "), strings.TrimSpace(rest) != ""
}

// excerpt is the beginning of a text, its white space reduced to single spaces.
func excerpt(text string) string {
	const most = 2000
	if len(text) > most {
		text = text[:most] + term.Ellipsis
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
}

// clip cuts a line to so many columns, and says so by an ellipsis. The line
// need not be safe; the result is.
func clip(line string, columns int) string {
	cut := false
	if limit := 8 * max(columns, 1); len(line) > limit {
		for limit > 0 && !utf8.RuneStart(line[limit]) {
			limit--
		}
		line, cut = line[:limit], true
	}
	line = expandTabs(strings.ReplaceAll(term.Safe(line, term.Block), "\n", " "))
	clipped := term.Truncate(line, columns)
	if cut && clipped == line {
		clipped += term.Ellipsis
	}
	return clipped
}

// clipTabs is clip for where tabs may stay and lines have no width; only a line
// that is far too long is cut.
func clipTabs(line string, columns int) string {
	line = strings.TrimRight(line, "\r")
	if len(line) <= columns {
		return term.Safe(line, term.Block)
	}
	return clip(line, columns)
}

// oneLine is text that is safe on a line.
func oneLine(s string) string { return term.Safe(s, term.OneLine) }

// isFence reports whether a line opens or closes a block of code in Markdown,
// and gives the run of marks that it does so with.
func isFence(line string) (run string, ok bool) {
	rest := strings.TrimLeft(line, " >")
	rest = rest[markerLen(rest):]
	for _, mark := range []string{"`", "~"} {
		run := rest[:len(rest)-len(strings.TrimLeft(rest, mark))]
		if len(run) >= 3 && (mark == "~" || !strings.Contains(rest[len(run):], "`")) {
			return run, true
		}
	}
	return "", false
}

// closesFence reports whether a line ends the block that run opened.
func closesFence(line, run string) bool {
	rest := strings.Trim(line, " >\t")
	return len(rest) >= len(run) && strings.Trim(rest, run[:1]) == ""
}
