package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"rollbook/internal/confine"
	"rollbook/internal/dsh"
	"rollbook/internal/harness"
	"rollbook/internal/term"
)

func newDSHVerify(e *Env, o *dshOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify SESSIONS_ROOT",
		Short: "check sessions as the harness does",
		Long: `Checks every session below a sessions root: frames, header, events, turns,
steps, calls and their results, the system head, where the log lies, its modes,
and the images in the store. A session that passes is listed, resumed and
continued by the harness. A folder without a session is a failure.

--harness also asks the harness's own code: its codec and validators of format 3
and its image store, where they are installed (DSH_CODEX_IMPORT_DSH_ROOT names
folders from which its packages can be resolved). Where they are not, a warning
says that they were not asked. Nothing is written.`,
		Example: `  rollbook dsh verify ~/.dsh/sessions
  rollbook dsh verify /tmp/sessions --harness --json`,
		Args: operands("SESSIONS_ROOT"),
		Annotations: exits("0   every session passes", "1   a session does not pass, there is none, or the folder cannot be read",
			"2   every session passes, but the harness could not be asked", "64  the command line was wrong"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.dshVerify(cmd.Context(), args[0], o)
		},
	}
	if o.seed {
		cmd.Annotations = exits("0   every session passes", "1   a session does not pass", "2   there is none, or the command line was wrong")
	}
	set := cmd.Flags()
	set.BoolVar(&o.harness, "harness", false, "also ask the harness's own validators")
	set.StringVar(&o.home, "dsh-home", "", "the home whose store has the images, instead of the folder around the sessions root")
	set.BoolVar(&o.json, "json", false, "print one JSON object")
	return cmd
}

// A dshVerdict is one log in the report of verify.
type dshVerdict struct {
	Path    string     `json:"path"`
	ID      string     `json:"id"`
	Pass    bool       `json:"pass"`
	Frames  int        `json:"frames"`
	Events  int        `json:"events"`
	Turns   int        `json:"turns"`
	Faults  []dshFault `json:"faults"`
	Harness string     `json:"harness"` // passed, failed, or not asked
}

type dshFault struct {
	Check   string `json:"check"`
	Line    int    `json:"line,omitzero"`
	Message string `json:"message"`
}

// Values of dshVerdict.Harness.
const (
	harnessNotAsked = "not asked"
	harnessPassed   = "passed"
	harnessFailed   = "failed"
)

func (e *Env) dshVerify(ctx context.Context, operand string, o *dshOptions) error {
	root, store, err := e.openSessions(operand, o.home)
	if err != nil {
		return e.noSessions(o, err)
	}
	defer root.Close()
	at := dsh.Root{FS: root, Path: root.Path()}
	home := filepath.Dir(root.Path())
	if o.home != "" {
		if home, err = e.absPath(o.home); err != nil {
			return err
		}
	}
	if store != nil {
		defer store.Close()
		at.Store = store
	}
	var list []dshVerdict
	for v, err := range dsh.Verify(at) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		list = append(list, newVerdict(v, err))
	}
	if len(list) == 0 {
		return e.noSessions(o, fmt.Errorf("%s: no session below it", operand))
	}
	var asked error
	if o.harness {
		asked = e.askHarness(ctx, root.Path(), home, list)
	}
	return e.sayVerdicts(o, list, asked)
}

// noSessions is the error of verify where there is nothing to verify.
func (e *Env) noSessions(o *dshOptions, err error) error {
	if o.seed {
		return &exitError{exitPartial, err}
	}
	return err
}

// openSessions opens a sessions root, and the image store of its home or of the
// home that is named, if there is one.
func (e *Env) openSessions(operand, home string) (root, store *confine.Root, err error) {
	root, err = confine.OpenRoot(e.path(operand))
	if err != nil {
		return nil, nil, err
	}
	dir := filepath.Dir(root.Path())
	if home != "" {
		dir = e.path(home)
	}
	store, err = confine.OpenRoot(filepath.Join(dir, "attachments", "v1"))
	if err != nil {
		store = nil
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		} else {
			root.Close()
		}
	}
	return root, store, err
}

func newVerdict(v dsh.Verdict, err error) dshVerdict {
	d := dshVerdict{Path: v.Path, ID: v.Info.ID, Frames: v.Info.Frames, Events: v.Info.Events, Turns: v.Info.Turns, Faults: []dshFault{}, Harness: harnessNotAsked}
	for _, f := range v.Faults {
		d.Faults = append(d.Faults, dshFault{string(f.Check), f.Line, f.Message})
	}
	if err != nil {
		d.Faults = append(d.Faults, dshFault{"readable", 0, err.Error()})
	}
	d.Pass = len(d.Faults) == 0
	return d
}

// askHarness adds what the harness's own code says.
func (e *Env) askHarness(ctx context.Context, root, home string, list []dshVerdict) error {
	at := make(map[string]*dshVerdict, len(list))
	for i := range list {
		at[list[i].Path] = &list[i]
	}
	for v, err := range e.harnessInstall().Verify(ctx, root, home) {
		if err != nil {
			return err
		}
		d := at[v.Path]
		if d == nil {
			return fmt.Errorf("the harness sees a session that we do not: %s", v.Path)
		}
		d.Harness = harnessPassed
		names := make([]string, 0, len(v.Faults))
		for name := range v.Faults {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			d.Harness, d.Pass = harnessFailed, false
			d.Faults = append(d.Faults, dshFault{"harness: " + name, 0, v.Faults[name]})
		}
	}
	return nil
}

func (e *Env) sayVerdicts(o *dshOptions, list []dshVerdict, asked error) error {
	failed := 0
	for _, d := range list {
		if !d.Pass {
			failed++
		}
	}
	if err := e.writeVerdicts(o, list, failed); err != nil {
		return err
	}
	if _, missing := errors.AsType[*harness.MissingError](asked); missing {
		e.warnf("the harness's own validators were not asked: %v", asked)
		e.hintf("name folders from which its packages can be resolved: DSH_CODEX_IMPORT_DSH_ROOT=DIR")
	} else if asked != nil {
		e.warnf("the harness's own validators did not come to an end: %v", asked)
	}
	switch {
	case failed > 0:
		return fmt.Errorf("%s of %d did not pass", plural(failed, "session", "sessions"), len(list))
	case asked != nil && o.seed:
		return &exitError{exitFailure, nil}
	case asked != nil:
		return errPartial
	}
	return nil
}

func (e *Env) writeVerdicts(o *dshOptions, list []dshVerdict, failed int) error {
	if o.json {
		return e.writeJSON(struct {
			SchemaVersion int          `json:"schema_version"`
			Sessions      []dshVerdict `json:"sessions"`
			Failed        int          `json:"failed"`
		}{dshSchema, list, failed})
	}
	style := e.style()
	for _, d := range list {
		word := style.Green("PASS")
		if !d.Pass {
			word = style.Red("FAIL")
		}
		note := ""
		if d.Harness != harnessNotAsked {
			note = ", harness " + d.Harness
		}
		fmt.Fprintf(e.Stdout, "%s %s (%s, %s%s)\n", word, term.Safe(orElse(d.ID, d.Path), term.OneLine),
			plural(d.Frames, "frame", "frames"), plural(d.Events, "event", "events"), note)
		for _, f := range d.Faults {
			line := ""
			if f.Line > 0 {
				line = fmt.Sprintf("line %d: ", f.Line)
			}
			fmt.Fprintf(e.Stdout, "     %s: %s%s\n", f.Check, line, term.Safe(f.Message, term.OneLine))
		}
	}
	_, err := fmt.Fprintf(e.Stdout, "%d of %d pass\n", len(list)-failed, len(list))
	return err
}
