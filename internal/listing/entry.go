package listing

import (
	"context"
	"slices"

	"rollbook/internal/assemble"
	"rollbook/internal/diag"
	"rollbook/internal/rollout"
)

// An entry is what reading a thread gave, as the cache keeps it.
type entry struct {
	id       string
	sources  []string // the files that were read (assemble.Library.Sources)
	summary  assemble.Summary
	touched  touched
	findings []Finding
	known    bool // it came from the cache
}

// A Finding is a kind of thing that was found wrong within a thread.
type Finding struct {
	Code     diag.Code
	Count    int
	Examples []diag.Diagnostic // the first few
}

// maxExamples is how many places of each kind of finding are kept.
const maxExamples = 3

// read reads the thread.
func (e *entry) read(ctx context.Context, lib *assemble.Library) error {
	look := newLooker()
	sum, err := lib.Summarize(ctx, e.id, look.see, e.find)
	if err != nil {
		return err
	}
	e.summary, e.touched = *sum, look.touched
	e.summary.Title, e.summary.TitleSource = "", "" // chosen each time: names change without the rollouts
	return nil
}

// find takes a diagnostic.
func (e *entry) find(d diag.Diagnostic) {
	i := slices.IndexFunc(e.findings, func(f Finding) bool { return f.Code == d.Code })
	if i < 0 {
		i = len(e.findings)
		e.findings = append(e.findings, Finding{Code: d.Code})
	}
	f := &e.findings[i]
	if f.Count++; f.Count <= maxExamples {
		f.Examples = append(f.Examples, d)
	}
}

func (e *entry) found(codes ...diag.Code) bool {
	return slices.ContainsFunc(e.findings, func(f Finding) bool { return slices.Contains(codes, f.Code) })
}

// passing reports whether another reading may go better, though no file has
// changed: a file could not be opened, or reading it failed.
func (e *entry) passing() bool { return e.found(assemble.FileUnreadable, assemble.BaseUnreadable) }

// badText reports whether a line is not UTF-8, or begins with a byte order mark.
func (e *entry) badText() bool { return e.found(rollout.InvalidUTF8, rollout.RepairedText) }
