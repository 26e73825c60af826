package assemble

import (
	"context"
	"fmt"
	"slices"

	"rollbook/internal/diag"
	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// A Summary is what one reading of a thread tells without its events.
type Summary struct {
	transcript.Meta // of the active view

	// Name and Prompt are what ChooseTitle makes a title of, where the home's
	// own lists have none.
	Name, Prompt string
	// UserEvent says that some event shows a user message: Codex lists no
	// thread without one.
	UserEvent bool
	// SourceRecorded says that Source is in the log: files before 0.45 have
	// none.
	SourceRecorded bool
}

// Summarize reads a thread once, and the older files of one that was reverted
// once more. Several goroutines may call it, each with a report of its own.
//
// see takes what the records of the thread's own files hold, in file order, but
// for records of which the survey needs nothing (reasoning, token counts): also
// turns that were rolled back or reverted, but nothing that was inherited. The
// payload is valid until see returns. see and report may be nil.
func (l *Library) Summarize(ctx context.Context, id string, see func(rollout.Payload), report func(diag.Diagnostic)) (*Summary, error) {
	g := l.threads[id]
	if g == nil {
		return nil, fmt.Errorf("thread %s: not found", id)
	}
	one := len(g.files) == 1
	reader := l.with(report, nil)
	if one {
		reader.see = see
	}
	sv, err := reader.survey(ctx, g, reader.chain(g))
	if err == nil && !one && see != nil {
		_, err = l.with(nil, see).walk(ctx, g, g.physical(), nil)
	}
	if err != nil {
		return nil, err
	}
	return &Summary{
		Meta: reader.meta(g, sv, transcript.Active), Name: firstLine(sv.facts.name), Prompt: sv.facts.prompt,
		UserEvent: sv.userEvents, SourceRecorded: sv.meta.Source.Name != "",
	}, nil
}

// Sources returns the names of the files that Summarize reads of a thread: its
// own, oldest first, then those of other threads that its history is based on.
// Where they and their refs are what they were, so is the Summary.
func (l *Library) Sources(id string) []string {
	g := l.threads[id]
	if g == nil {
		return nil
	}
	names := make([]string, 0, len(g.files))
	for _, ref := range g.files {
		names = append(names, ref.Path)
	}
	if g.current.Base == nil {
		return names
	}
	for _, s := range l.with(nil, nil).chain(g) {
		if !slices.Contains(names, s.ref.Path) {
			names = append(names, s.ref.Path)
		}
	}
	return names
}

// with returns the library with other ways to report and to see.
func (l *Library) with(report func(diag.Diagnostic), see func(rollout.Payload)) *Library {
	if report == nil {
		report = func(diag.Diagnostic) {}
	}
	other := *l
	other.report, other.see = report, see
	return &other
}
