package cli

import (
	"fmt"
	"strings"

	"rollbook/internal/diag"
	"rollbook/internal/ingest"
	"rollbook/internal/ledger"
	"rollbook/internal/term"
)

// importJSON is what import --json prints.
type importJSON struct {
	SchemaVersion int             `json:"schema_version"`
	Database      string          `json:"database"`
	DryRun        bool            `json:"dry_run"`
	State         string          `json:"state"`
	Run           *int64          `json:"run"`
	Roots         []importRoot    `json:"roots"`
	Counts        *ledger.Counts  `json:"counts"`
	Diagnostics   []importFinding `json:"diagnostics"`
	Warnings      []string        `json:"warnings"`
	Continue      *string         `json:"continue"` // the command that goes on where a limit stopped
}

type importRoot struct {
	Path    string         `json:"path"`
	Kind    string         `json:"kind"`
	Actions map[string]int `json:"actions"`
}

type importFinding struct {
	Code   diag.Code     `json:"code"`
	Count  int           `json:"count"`
	Places []importPlace `json:"places"`
}

type importPlace struct {
	File    string `json:"file"`
	Line    *int   `json:"line"`
	Message string `json:"message"`
}

// sayImport says what an import did, and gives errPartial where some input was
// lost or refused.
func (e *Env) sayImport(s *ingest.Summary, o importOptions, again string) error {
	if o.json {
		if err := e.writeJSON(importReport(s, o, again)); err != nil {
			return err
		}
	} else if err := e.writeImport(s, o); err != nil {
		return err
	}
	lost := e.tell(s.Tally)
	if !o.dryRun {
		e.warnf("%s", ingest.Coverage)
	}
	if s.Stopped {
		e.warnf("stopped after %s messages (--max-records); the next run goes on", term.FormatCount(o.limits.records))
		e.hintf("%s", again) // the last line: the command that goes on
	}
	if s.Partial && lost == nil {
		return errPartial
	}
	return lost
}

func importReport(s *ingest.Summary, o importOptions, again string) importJSON {
	r := importJSON{SchemaVersion: 1, Database: s.DB, DryRun: o.dryRun, State: s.Run.State, Roots: []importRoot{}, Diagnostics: []importFinding{}, Warnings: []string{}}
	if o.dryRun {
		r.State = "planned"
	} else {
		r.Run, r.Counts = &s.Run.ID, &s.Run.Counts
		r.Warnings = append(r.Warnings, ingest.Coverage)
	}
	if s.Stopped {
		r.Continue = &again
	}
	for _, root := range s.Roots {
		actions := make(map[string]int)
		for a, n := range root.Actions {
			actions[string(a)] = n
		}
		r.Roots = append(r.Roots, importRoot{root.Path, root.Kind, actions})
	}
	for _, code := range s.Tally.Codes() {
		f := importFinding{Code: code, Count: s.Tally.Count(code), Places: []importPlace{}}
		for _, d := range s.Tally.Examples(code) {
			p := importPlace{File: d.File, Message: d.Message}
			if d.Line > 0 {
				p.Line = &d.Line
			}
			f.Places = append(f.Places, p)
		}
		r.Diagnostics = append(r.Diagnostics, f)
	}
	return r
}

// actionWords says of each action what it came to, in the order of the summary.
var actionWords = []struct {
	action     ingest.Action
	done, plan string
}{
	{ingest.Add, "new", "new"},
	{ingest.Append, "grown", "grown"},
	{ingest.Replace, "changed", "changed"},
	{ingest.Continue, "gone on with", "to be gone on with"},
	{ingest.Relocate, "moved", "moved"},
	{ingest.Unchanged, "unchanged", "unchanged"},
	{ingest.Skip, "not taken", "not to be taken"},
}

// writeImport writes the summary for people.
func (e *Env) writeImport(s *ingest.Summary, o importOptions) error {
	var b strings.Builder
	style := e.style()
	for _, root := range s.Roots {
		fmt.Fprintf(&b, "%s  %s\n", style.Bold(term.Safe(root.Path, term.OneLine)), style.Dim(root.Kind))
		var parts []string
		for _, w := range actionWords {
			word := w.done
			if o.dryRun {
				word = w.plan
			}
			if n := root.Actions[w.action]; n > 0 {
				parts = append(parts, term.FormatCount(int64(n))+" "+word)
			}
		}
		fmt.Fprintf(&b, "  %s\n", strings.Join(parts, ", "))
	}
	if !o.dryRun {
		writeCounts(&b, &s.Run.Counts, style)
		fmt.Fprintf(&b, "\ninto %s\n", term.Safe(s.DB, term.OneLine))
	}
	_, err := e.Stdout.Write([]byte(b.String()))
	return err
}

// writeCounts writes the counters that are not zero.
func writeCounts(b *strings.Builder, c *ledger.Counts, style term.Style) {
	if c.Lines == 0 {
		return
	}
	b.WriteByte('\n')
	for _, row := range countRows(c) {
		if row.n > 0 {
			fmt.Fprintf(b, "  %s  %s\n", term.PadLeft(term.FormatCount(row.n), 11), row.words)
		}
	}
}

type countRow struct {
	n     int64
	words string
}

func countRows(c *ledger.Counts) []countRow {
	return []countRow{
		{c.Files, "files read"},
		{c.Compressed, "of them compressed"},
		{c.Lines, "lines"},
		{c.Imported, "messages and tool calls"},
		{c.NonNatural, "of them in the user's role, but typed by nobody"},
		{c.Truncated, "of them cut at the limit for texts"},
		{c.MirroredUsers, "user items that an event stands for"},
		{c.MirroredResponses, "message items that repeat an event"},
		{c.Context, "items of context: injected, developer, system"},
		{c.Inherited, "records copied from a parent thread"},
		{c.RolledBack, "records taken back by a rollback or a revert"},
		{c.Subagents, "threads of sub-agents"},
		{c.InvalidJSON, "lines that are no JSON"},
		{c.UnknownEvents, "records of a kind that is not known"},
		{c.InvalidTimestamps, "records without a time that can be used"},
		{c.Oversized, "lines over the limit"},
		{c.Repaired, "lines with bytes that are no text, read with U+FFFD in their place"},
		{c.Empty, "empty records"},
		{c.InvalidUsage, "token counters that cannot be right"},
		{c.UsageWithoutInfo, "token events that count nothing"},
	}
}
