package cli

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"rollbook/internal/diag"
	"rollbook/internal/store"
	"rollbook/internal/term"
)

// dbRunReport is what db info --run --json prints.
type dbRunReport struct {
	SchemaVersion int         `json:"schema_version"`
	Database      string      `json:"database"`
	Run           dbRunJSON   `json:"run"`
	Diagnostics   []dbFinding `json:"diagnostics"`
}

type dbFinding struct {
	Code    diag.Code `json:"code"`
	File    *string   `json:"file"`
	Line    *int      `json:"line"`
	Item    *int      `json:"item"`
	Offset  int64     `json:"offset"`
	Message string    `json:"message"`
	Count   int64     `json:"count"`
	Source  *string   `json:"source"`
}

// mostFindings is how many findings of a run are shown.
const mostFindings = 100_000

// dbRun says what one import did and found.
func (e *Env) dbRun(r *store.Reader, path string, id int64, asJSON bool) error {
	run, err := r.Run(id)
	switch {
	case err != nil:
		return err
	case run == nil:
		return withHint(fmt.Errorf("%s: there is no import %d", path, id), "the latest are listed by: rollbook db info")
	}
	if asJSON {
		return e.writeRunJSON(r, path, run)
	}
	w := bufio.NewWriter(e.Stdout) // each text is made safe below
	fmt.Fprintf(w, "import %d  %s  %s  %s\n", run.ID, term.FormatTime(run.Started, e.now().Location()), run.State, term.Safe(strings.Join(run.Roots, " "), term.OneLine))
	var counts strings.Builder
	writeCounts(&counts, &run.Counts, e.style())
	fmt.Fprint(w, counts.String())
	n := 0
	for d, err := range r.Findings(run.ID) {
		if err != nil {
			return errors.Join(err, w.Flush())
		}
		if n++; n == 1 {
			fmt.Fprint(w, "\nwhat could not be read, or was left out\n")
		}
		if n > mostFindings {
			fmt.Fprintf(w, "  ... and more; all of them: rollbook db info --run %d --json\n", run.ID)
			break
		}
		fmt.Fprintf(w, "  %s\n", term.Safe(findingLine(d), term.OneLine))
	}
	if n == 0 {
		fmt.Fprint(w, "\nnothing was lost or left out\n")
	}
	return w.Flush()
}

func findingLine(d store.Diagnostic) string {
	line := d.String()
	if d.Item > 0 {
		line += fmt.Sprintf(" (item %d)", d.Item)
	}
	if d.Count > 1 {
		line += fmt.Sprintf(" (%s times)", term.FormatCount(d.Count))
	}
	return line
}

func (e *Env) writeRunJSON(r *store.Reader, path string, run *store.Run) error {
	report := dbRunReport{SchemaVersion: 1, Database: path, Run: runJSON(run), Diagnostics: []dbFinding{}}
	for d, err := range r.Findings(run.ID) {
		if err != nil {
			return err
		}
		f := dbFinding{Code: d.Code, Offset: d.Offset, Message: d.Message, Count: d.Count}
		f.File, f.Line, f.Item, f.Source = unlessZero(d.File), unlessZero(d.Line), unlessZero(d.Item), unlessZero(d.Source)
		report.Diagnostics = append(report.Diagnostics, f)
	}
	return e.writeJSON(report)
}

// unlessZero gives a pointer for JSON, nil for the zero value.
func unlessZero[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
