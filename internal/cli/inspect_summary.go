package cli

import (
	"fmt"
	"strings"

	"rollbook/internal/inspect"
	"rollbook/internal/term"
)

// writeSummary writes the summary of a rollout as tables for people.
func (e *Env) writeSummary(s *inspect.Summary) error {
	facts := [][]string{
		{"state", string(s.State)},
		{"compatibility", s.Compatibility},
		{"bytes on disk", term.FormatCount(s.SnapshotBytes)},
		{"sessions", few(s.SessionIDs)},
		{"versions", few(s.ObservedVersions)},
		{"projects", few(s.ProjectPaths)},
	}
	var codes [][]string
	for _, d := range s.Diagnostics {
		codes = append(codes, []string{string(d.Code), term.FormatCount(int64(d.Count))})
	}
	number := func(title string) term.Column { return term.Column{Title: title, Right: true} }
	for i, t := range []struct {
		cols []term.Column
		rows [][]string
	}{
		{[]term.Column{{Title: "rollout"}, {Title: "codex", Flex: true}}, facts},
		{[]term.Column{{Title: "type", Flex: true}, number("lines"), number("bytes"), number("events")}, summaryLines(s)},
		{[]term.Column{{Title: "diagnostic"}, number("count")}, codes},
	} {
		if i > 0 {
			fmt.Fprintln(e.Stdout)
		}
		table := term.NewTable(e.Stdout, e.width(), e.style(), t.cols...)
		for _, row := range t.rows {
			if err := table.Row(row...); err != nil {
				return err
			}
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// summaryLines gives a row for each kind of line. Lines and bytes add up to the
// last row.
func summaryLines(s *inspect.Summary) (rows [][]string) {
	add := func(name string, lines int, bytes int64, events int) {
		rows = append(rows, []string{name, term.FormatCount(int64(lines)), term.FormatCount(bytes), term.FormatCount(int64(events))})
	}
	for _, t := range s.Types {
		name := t.RecordType
		if t.ItemType != nil {
			name += "/" + *t.ItemType
		}
		add(name, t.Records, t.Bytes, t.Events)
	}
	if o := s.OtherTypes; o.Records > 0 {
		add("(other types)", o.Records, o.Bytes, o.Events)
	}
	if b := s.Blank; b.Lines > 0 {
		add("(blank)", b.Lines, b.Bytes, 0)
	}
	for _, l := range s.Lost {
		add("(lost: "+string(l.Code)+")", l.Lines, l.Bytes, 0)
	}
	add("total", s.Lines, s.Bytes, s.Events)
	return rows
}

// few lists the first of many names.
func few(names []string) string {
	const most = 3
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
