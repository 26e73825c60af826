package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"rollbook/internal/diag"
	"rollbook/internal/export"
	"rollbook/internal/transcript"
)

// Values of show --format.
const (
	formatText     = "text"
	formatMarkdown = "md"
)

// withPlaces is what --with can ask for.
const withPlaces = "file:line"

type showOptions struct {
	selector
	format  string
	view    string
	tools   string
	with    string
	around  string
	diff    bool
	all     bool
	noPager bool
}

func newShowCommand(e *Env) *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:   "show PATH|THREAD[#TURNS]",
		Short: "read a thread in the terminal or as Markdown",
		Long: `Shows one thread as people read it: what was asked, what was answered, which
tools were called and what they came to, turn by turn, with times and tokens.

PATH is a rollout, or a home or folder that holds one thread or of which
--thread picks one. Behind a # stand the turns to show: #5, #5-12, #5- or #-3.
A call and its result are never cut apart.

On a terminal a thread that is longer than the screen is shown by $PAGER, or by
less where that is found. Control characters of the log are shown as escapes,
such as \x1b; colours in the output of tools are left out.

The text holds what the log holds and may show secrets. Nothing is redacted.`,
		Example: `  rollbook show 01a0a41f --home ~/.codex
  rollbook show rollout.jsonl#5-12 --tools full
  rollbook show 01a0a41f --diff --tools none
  rollbook show rollout.jsonl --around 1204 --with file:line
  rollbook show 01a0a41f --format md > thread.md`,
		GroupID: groupRead,
		Args:    operands("PATH|THREAD"),
		Annotations: map[string]string{annotationExits: `0   shown
1   could not be read, or there is no such thread or turn
2   shown, but some input was lost: warnings say what and where
4   the pager failed
64  the command line was wrong`},
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.show(cmd.Context(), args[0], o)
		},
	}
	set := cmd.Flags()
	choiceVar(cmd, set, &o.format, "format", formatText, "what to write", formatText, formatMarkdown)
	choiceVar(cmd, set, &o.view, "view", transcript.Active.String(), "which records count",
		transcript.Active.String(), transcript.Physical.String(), transcript.Model.String())
	choiceVar(cmd, set, &o.tools, "tools", export.Short.String(), "how much of tool calls: only how many, in short, or everything",
		export.NoTools.String(), export.Short.String(), export.Full.String())
	choiceVar(cmd, set, &o.with, "with", "", "show where each event lies", withPlaces)
	set.StringVar(&o.around, "around", "", "only the turns around this line of the current file, or FILE:LINE, and mark it")
	set.BoolVar(&o.diff, "diff", false, "what patches changed in files, and a list of them at the end")
	set.BoolVar(&o.all, "all", false, "also what was injected between the person's words, and compaction summaries in full")
	set.BoolVar(&o.noPager, "no-pager", false, "do not start a pager")
	o.vars(e, set)
	return cmd
}

func (e *Env) show(ctx context.Context, operand string, o showOptions) error {
	name, turns, err := e.cutTurns(operand)
	if err != nil {
		return err
	}
	opts := export.Options{Turns: turns, All: o.all, Diff: o.diff, Places: o.with == withPlaces, Zone: e.now().Location()}
	opts.Tools, _ = export.ParseTools(o.tools)
	if o.around != "" {
		if opts.Around, err = parsePlace(o.around); err != nil {
			return err
		}
		if !turns.All() {
			return usageErrorf("--around and #%s both choose turns: give one of them", strings.TrimPrefix(operand, name+"#"))
		}
	}
	sel, err := e.choose(ctx, name, o.selector)
	if err != nil {
		return err
	}
	defer sel.Close()
	out := e.newPager(!o.noPager)
	reading, stop := out.context(ctx)
	defer stop()
	t, err := e.oneThread(reading, sel, name, o.view)
	if err != nil {
		return err
	}
	if n := turns.Begin(); !turns.All() && n > t.Counts.Turns {
		return fmt.Errorf("thread %s has no turn %d: the last one is %d", t.ID, n, t.Counts.Turns)
	}
	found := about(t, sel.tally)
	opts.Lost = lossLines(found)
	err = e.sink(out, o, opts).Write(t)
	if closeErr := out.Close(); err == nil || errors.Is(err, errPagerEnded) {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return e.tell(found)
}

// cutTurns takes the turns off an operand. A path that exists as a whole has
// none.
func (e *Env) cutTurns(operand string) (string, export.Turns, error) {
	name, text, found := cutLast(operand, "#")
	if _, err := os.Stat(e.path(operand)); !found || err == nil {
		return operand, export.Turns{}, nil
	}
	turns, err := export.ParseTurns(text)
	if err != nil {
		return "", turns, usageErrorf("%s: %w", operand, err)
	}
	return name, turns, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// parsePlace reads LINE or FILE:LINE.
func parsePlace(s string) (export.Place, error) {
	file, line, found := cutLast(s, ":")
	if !found {
		file, line = "", s
	}
	n, err := strconv.Atoi(line)
	if err != nil || n < 1 {
		return export.Place{}, usageErrorf("--around %s: want a line, counted from 1, or FILE:LINE", s)
	}
	return export.Place{File: file, Line: n}, nil
}

// oneThread gives the thread that was chosen; more than one is an error.
func (e *Env) oneThread(ctx context.Context, sel *selection, name, view string) (*transcript.Thread, error) {
	switch len(sel.ids) {
	case 0:
		return nil, fmt.Errorf("%s: no thread in it", name)
	case 1:
	default:
		return nil, withHint(usageErrorf("%s holds %d threads, and one is shown at a time", name, len(sel.ids)),
			"pick one: --thread "+sel.ids[len(sel.ids)-1])
	}
	var size int64
	for _, r := range sel.lib.Refs(sel.ids[0]) {
		size += r.Size
	}
	e.bar.SetTotal(size)
	v, _ := transcript.ParseView(view)
	t, err := sel.lib.Thread(ctx, sel.ids[0], v)
	e.bar.Done() // what follows is to be read
	return t, err
}

// about gives of what was found below a root what lies in the thread's files.
func about(t *transcript.Thread, all *diag.Tally) *diag.Tally {
	files := make(map[string]bool)
	for _, f := range slices.Concat(t.Segments, t.Files) {
		files[f] = true
	}
	found := new(diag.Tally)
	for _, code := range all.Codes() {
		examples := all.Examples(code)
		for _, d := range examples {
			if files[d.File] {
				found.Add(d)
			}
		}
		if n := found.Count(code); n > 0 && n == len(examples) {
			found.More(code, all.Count(code)-n)
		}
	}
	return found
}

// lossLines says what was lost, for the head of the thread.
func lossLines(t *diag.Tally) []string {
	const most = 5
	var lines []string
	for _, code := range t.Codes() {
		if harmless[code] {
			continue
		}
		examples := t.Examples(code)
		for _, d := range examples[:min(most, len(examples))] {
			lines = append(lines, d.String())
		}
		if n := t.Count(code); n > most {
			lines = append(lines, fmt.Sprintf("%s: %d more of these", code, n-most))
		}
	}
	return lines
}

func (e *Env) sink(w io.Writer, o showOptions, opts export.Options) transcript.Sink {
	if o.format == formatMarkdown {
		return export.NewMarkdown(w, opts)
	}
	return export.NewText(w, export.TextOptions{Options: opts, Width: e.width(), Style: e.style()})
}
