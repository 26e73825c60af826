package secret

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Form says how a text was written, for a Residue.
type Form uint8

const (
	Plain Form = iota // text, Markdown, JSON
	HTML              // what stands between < and > is markup, which parts words
)

// A Residue is a writer that looks for secrets in what goes through it, with all
// its escapes. It holds a part of the text and no more.
type Residue struct {
	set    Set
	form   Form
	emails bool
	homes  homes
	finder finder
	buf    []byte
	base   int64 // where buf begins in what was written
	line   int   // lines before buf
	counts []Count
}

// NewResidue returns a Residue that looks for a set.
func NewResidue(set Set, form Form) *Residue { return &Residue{set: set, form: form} }

// Residue returns a Residue that looks for what the Redactor replaces: secrets,
// the home folder that it was told of, and addresses where it was to.
func (r *Redactor) Residue(form Form) *Residue {
	return &Residue{set: Redact, form: form, emails: r.options.Emails, homes: r.homes}
}

// A ResidueError tells what was left in a text, without values. The places have
// lines only.
type ResidueError struct{ Counts []Count }

func (e *ResidueError) Error() string {
	var list []string
	for _, c := range e.Counts {
		list = append(list, fmt.Sprintf("%s: %d (lines %d-%d)", c.Code, c.Count, c.First.Line, c.Last.Line))
	}
	return "possible secrets left in what was written: " + strings.Join(list, ", ")
}

// Write looks at p and at what it could not decide of before.
func (r *Residue) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		room := windowSize + lookBack + reach - len(r.buf)
		take := min(room, len(p))
		r.buf = append(r.buf, p[:take]...)
		p = p[take:]
		if take == room {
			r.look(lookBack, lookBack+windowSize)
		}
	}
	return n, nil
}

// Close looks at what is left. Its error is a *ResidueError where anything was
// found in all that was written.
func (r *Residue) Close() error {
	r.look(lookBack, len(r.buf))
	if len(r.counts) == 0 {
		return nil
	}
	slices.SortFunc(r.counts, func(a, b Count) int { return strings.Compare(a.Code, b.Code) })
	return &ResidueError{r.counts}
}

// look decides on the findings that begin before to, and drops what no later one
// needs. The first from bytes were decided on before, but for those at the very
// beginning.
func (r *Residue) look(from, to int) {
	if r.base == 0 {
		from = 0
	}
	text := string(r.buf)
	if r.form == HTML {
		text = strings.NewReplacer("<", "\n", ">", "\n").Replace(text)
	}
	r.finder.matches = r.finder.matches[:0]
	r.finder.window(text, r.set, 0, from, to)
	if r.set == Redact {
		r.finder.matches = slices.DeleteFunc(r.finder.matches, func(m match) bool { return !stands(text, m) })
	}
	if r.emails {
		r.finder.matches = append(r.finder.matches, emails(text)...)
	}
	for _, home := range r.homes {
		if n := strings.Index(text, home); n >= 0 && !tokens[byteAt(text, n+len(home))] {
			r.finder.matches = append(r.finder.matches, match{code: HomePath, from: n, start: n, end: n + len(home)})
		}
	}
	for _, m := range r.finder.sorted(r.set) {
		if m.from >= from && m.from < to {
			r.count(m.code, r.line+strings.Count(string(r.buf[:m.start]), "\n")+1)
		}
	}
	keep := max(0, to-lookBack)
	r.line += strings.Count(string(r.buf[:keep]), "\n")
	r.base += int64(keep)
	r.buf = append(r.buf[:0], r.buf[keep:]...)
}

// stands reports whether a finding is one with all escapes in and round it undone
// too. In a text that was redacted nothing is found then,
// however it was written; layer for layer something may be that only the mixture
// of its own escapes and those of the writer makes.
func stands(text string, m match) bool {
	part := text[max(0, m.from-lookBack):min(len(text), m.end+lookBack)]
	var l layer
	for range 2 * maxLayers {
		if !l.undo(part) {
			break
		}
		part = l.text
	}
	found := false
	var done []int
	redactAnchors().each(part, &done, func(match) (kept, more bool) {
		found = true
		return true, false
	})
	return found
}

func (r *Residue) count(code string, line int) {
	i := slices.IndexFunc(r.counts, func(c Count) bool { return c.Code == code })
	if i < 0 {
		i = len(r.counts)
		r.counts = append(r.counts, Count{Code: code, First: Place{Line: line}})
	}
	r.counts[i].Count++
	r.counts[i].Last.Line = line
}

// Check looks through all that a reader gives. Its error is a *ResidueError
// where anything was found.
func Check(in io.Reader, set Set, form Form) error {
	r := NewResidue(set, form)
	if _, err := io.Copy(r, in); err != nil {
		return err
	}
	return r.Close()
}
