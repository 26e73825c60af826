package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rollbook/internal/bundle"
	"rollbook/internal/fsx"
)

type prepareOptions struct {
	target, project, worktree string
	preview                   bool
	output, launch            string
}

func newPrepareResumeCommand(e *Env) *cobra.Command {
	var o prepareOptions
	cmd := &cobra.Command{
		Use:   "prepare-resume BUNDLE --target claude|codex --project DIR",
		Short: "say how another agent goes on from a bundle",
		Long: `Verifies the bundle, compares it with the project, and prints as JSON what there
is to be minded and which commands lead to an agent that goes on with the work:
the last one starts it with a prompt that tells it where the bundle is and how
to treat it. No word of the bundle is in the prompt. Nothing is changed or
started; --output writes the prompt to a new file besides.

--worktree DIR plans a new worktree of the base commit instead of the checkout.

--launch starts the agent in this terminal, with the confirmation that --preview
printed. It is refused unless starting the agent is the only step that is left
and nothing changed since.`,
		Example: `  rollbook prepare-resume handoff --target codex --project . --preview
  rollbook prepare-resume handoff --target claude --project . --output prompt.md`,
		GroupID: groupShare,
		Args:    operands("BUNDLE"),
		Annotations: exits(
			"0   prepared; with --launch: the agent ended well",
			"1   the bundle is not valid, or this cannot be prepared or started",
			"2   prepared, and there is something to be minded: see attention",
			"4   the agent was started and failed",
			"64  the command line was wrong"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd.Flags()); err != nil {
				return err
			}
			return e.prepareResume(cmd.Context(), args[0], o)
		},
	}
	set := cmd.Flags()
	choiceVar(cmd, set, &o.target, "target", "", "the agent to go on with", bundle.Claude, bundle.Codex)
	set.StringVar(&o.project, "project", "", "the `DIR` to work in")
	set.StringVar(&o.worktree, "worktree", "", "plan a new worktree at this `DIR`, which must not exist")
	set.BoolVar(&o.preview, "preview", false, "write nothing")
	set.StringVarP(&o.output, "output", "o", "", "write the prompt to this new `FILE`")
	set.StringVar(&o.launch, "launch", "", "start the agent, on the confirmation that --preview printed")
	onceOnly(set, "target", "project", "worktree", "preview", "output", "launch")
	return cmd
}

func (o *prepareOptions) check(set *pflag.FlagSet) error {
	for _, name := range []string{"target", "project"} {
		if set.Lookup(name).Value.String() == "" {
			return usageErrorf("--%s is missing", name)
		}
	}
	for _, name := range []string{"worktree", "output"} {
		if set.Changed(name) && set.Lookup(name).Value.String() == "" {
			return usageErrorf("--%s: an empty name is none", name)
		}
	}
	switch launch := set.Changed("launch"); {
	case launch && o.output == "":
		return usageErrorf("--launch wants --output, the file for the prompt")
	case o.preview == (o.output != ""):
		return usageErrorf("want one of --preview and --output")
	case launch && (len(o.launch) != 16 || strings.Trim(o.launch, "0123456789abcdef") != ""):
		return usageErrorf("--launch wants the 16 digits of the confirmation that --preview printed")
	}
	return nil
}

func (e *Env) prepareResume(ctx context.Context, name string, o prepareOptions) error {
	v, err := e.verify(ctx, name)
	if err != nil {
		return err
	}
	r := &bundle.Resume{Bundle: v, Git: e.git(), Target: o.target}
	for _, p := range []struct {
		to   *string
		name string
	}{{&v.Dir, v.Dir}, {&r.Project, o.project}, {&r.Worktree, o.worktree}, {&r.Prompt, o.output}} {
		if p.name != "" {
			if *p.to, err = e.absPath(p.name); err != nil {
				return err
			}
		}
	}
	if home, ok := e.codexHome(""); ok {
		if err := e.outside(home, o.output); err != nil {
			return err
		}
	}
	rep, err := r.Report(ctx)
	if err != nil {
		return err
	}
	if o.launch != "" {
		if err := rep.Launchable(o.launch); err != nil {
			return err
		}
	}
	if o.output != "" {
		err := fsx.CreateNew(fsx.OS, r.Prompt, 0o600, func(w io.Writer) error {
			_, err := io.WriteString(w, rep.Prompt)
			return err
		})
		if err != nil {
			return err
		}
	}
	if o.launch != "" {
		return e.launchAgent(rep)
	}
	if err := e.writeJSON(rep); err != nil {
		return err
	}
	if len(rep.Attention) > 0 {
		return errPartial
	}
	return nil
}

// launchAgent starts the agent on the person's own terminal, waits for it, and prints
// the report.
func (e *Env) launchAgent(rep *bundle.ResumeReport) error {
	step := rep.Launch()
	cmd := exec.Command(step.Argv[0], step.Argv[1:]...)
	cmd.Dir = step.Cwd
	cmd.Stdin, cmd.Stdout, cmd.Stderr = e.given.stdin, e.given.stdout, e.given.stderr
	err := cmd.Start()
	if err == nil {
		rep.Launched = true
		err = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code >= 0 { // a signal leaves none
			rep.LaunchExitCode = &code
		}
	}
	if werr := e.writeJSON(rep); werr != nil {
		return werr
	}
	exit, failed := errors.AsType[*exec.ExitError](err)
	switch {
	case failed:
		return launchError(fmt.Errorf("%s: %w", filepath.Base(step.Argv[0]), exit))
	case err != nil:
		return withHint(fmt.Errorf("%s could not be started: %w", step.Argv[0], err), "the prompt is in "+*rep.PromptFile)
	}
	return nil
}
