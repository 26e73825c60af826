package cli

import (
	"strconv"

	"github.com/spf13/cobra"

	"rollbook/internal/term"
)

// Values of --color.
const (
	colorAuto   = "auto"
	colorAlways = "always"
	colorNever  = "never"
)

func addColorFlag(e *Env, root *cobra.Command) {
	choiceVar(root, root.PersistentFlags(), &e.color, "color", colorAuto,
		"colour the output: on a terminal, always or never", colorAuto, colorAlways, colorNever)
}

// style colours text for standard output.
func (e *Env) style() term.Style { return term.NewStyle(e.colorOn(e.given.stdout)) }

// errStyle colours text for standard error.
func (e *Env) errStyle() term.Style { return term.NewStyle(e.colorOn(e.given.stderr)) }

// colorOn decides about colour on a stream. The flag beats the variables;
// NO_COLOR (no-color.org) beats CLICOLOR_FORCE.
func (e *Env) colorOn(stream any) bool {
	switch e.color {
	case colorAlways:
		return true
	case colorNever:
		return false
	}
	if e.getenv("NO_COLOR") != "" || e.getenv("TERM") == "dumb" {
		return false
	}
	if force := e.getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true
	}
	return term.AcceptsEscapes(stream)
}

func (e *Env) stdoutIsTerminal() bool { return term.IsTerminal(e.given.stdout) }

// width is how many columns tables on standard output may take; 0 means that
// nothing is cut, as in a pipe.
func (e *Env) width() int { return e.columns(e.given.stdout) }

// maxColumns bounds what COLUMNS may ask for.
const maxColumns = 10_000

func (e *Env) columns(stream any) int {
	if n, err := strconv.Atoi(e.getenv("COLUMNS")); err == nil && n > 0 && n <= maxColumns {
		return n
	}
	if n := term.Columns(stream); n > 0 {
		return n
	}
	if term.IsTerminal(stream) {
		return 80
	}
	return 0
}

// progress starts a progress bar on standard error and ends the one before. It
// returns nil, on which all methods do nothing, where standard error is no
// terminal that can redraw a line. A total of 0 is not known yet; an empty unit
// means bytes.
func (e *Env) progress(label string, total int64, unit string) *term.Progress {
	e.bar.Done()
	if !term.AcceptsEscapes(e.given.stderr) || e.getenv("TERM") == "dumb" {
		return nil
	}
	e.bar = term.NewProgress(e.given.stderr, term.ProgressOptions{
		Label: label,
		Total: total,
		Unit:  unit,
		Width: func() int { return e.columns(e.given.stderr) },
		Now:   e.now,
	})
	return e.bar
}
