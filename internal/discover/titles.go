package discover

import (
	"context"
	"strings"

	"rollbook/internal/diag"
	"rollbook/internal/history"
	"rollbook/internal/statedb"
)

// The sources of a Title.
const (
	FromStateDB = "state_db"
	FromIndex   = "index"
)

// A Title is what the home calls a thread.
type Title struct {
	Text   string
	Source string // FromStateDB or FromIndex
	// Prompt says that it is nothing but the first user message: Codex fills
	// the title with it, and some versions name a thread by it. A name from
	// another source is better.
	Prompt bool
}

// Known is what the home's own lists say of its threads. A thread is read
// without them; they may be stale.
type Known struct {
	Titles map[string]Title // by thread id
	// State is the state database; nil where there is none, or none that could
	// be read. Its rows have the archived flag and where Codex thinks the file
	// is.
	State *statedb.State
}

// Titles is Known without the rows.
func (h *Home) Titles(ctx context.Context, report func(diag.Diagnostic)) (map[string]Title, error) {
	k, err := h.Known(ctx, report)
	if err != nil {
		return nil, err
	}
	return k.Titles, nil
}

// Known reads the state database and session_index.jsonl of a home; a root that
// is none has neither. What cannot be read is a diagnostic; an error means that
// the context has ended.
//
// Of several titles of a thread the first of these counts
// (docs/format/history.md, "which name"): the name in the database, the last
// name in the index, the title in the database; but one that is only the first
// user message comes after one that is not.
func (h *Home) Known(ctx context.Context, report func(diag.Diagnostic)) (*Known, error) {
	k := &Known{Titles: make(map[string]Title)}
	if h.Kind != KindHome {
		return k, nil
	}
	var err error
	if k.State, err = statedb.Read(ctx, h.tree, statedb.Options{Temp: h.Temp}, report); err != nil {
		return nil, err
	}
	names := h.index(report)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for id, name := range names {
		k.Titles[id] = Title{Text: name.Text, Source: FromIndex}
	}
	if k.State == nil {
		return k, nil
	}
	for id, row := range k.State.Threads {
		if t := choose(row, names[id].Text); t.Text != "" {
			k.Titles[id] = t
		}
	}
	return k, nil
}

func (h *Home) index(report func(diag.Diagnostic)) map[string]history.Name {
	f := h.openIndex(indexFile, report)
	if f == nil {
		return nil
	}
	defer f.Close()
	names, err := history.Index(f, inFile(indexFile, report))
	if err != nil {
		report(about(indexFile, FileUnreadable, err.Error()))
	}
	return names
}

// choose picks a thread's title.
func choose(row statedb.Thread, indexed string) (best Title) {
	for _, t := range []Title{
		{row.Name, FromStateDB, row.NameIsPrompt},
		{indexed, FromIndex, indexed == row.FirstMessage},
		{row.Title, FromStateDB, row.TitleIsPrompt},
	} {
		if strings.TrimSpace(t.Text) != "" && (best.Text == "" || best.Prompt && !t.Prompt) {
			best = t
		}
	}
	return best
}
