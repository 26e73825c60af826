package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"rollbook/internal/fsx"
	"rollbook/internal/sessions"
	"rollbook/internal/term"
)

// seedSessions is the name under which --project is required.
const seedSessions = "sessions-codex"

func newSessionsCommand(e *Env) *cobra.Command {
	var root, project string
	cmd := &cobra.Command{
		Use:     "sessions --root DIR",
		Aliases: []string{seedSessions},
		Short:   "list the rollouts below a folder that belong to a project",
		Long: `Inspects the rollouts (.jsonl and .jsonl.zst) in a folder and up to three
folders below it, and lists those that belong to a project: all their records
name just that folder and one session. What could not be looked at or told is a
diagnostic, and makes the listing partial. The report is JSON.

No folder is searched but the one that --root names, and no link below it is
followed. --project is exactly that folder, not those below it; it need not
exist. Without it every project is listed; under the name sessions-codex it is
required.

The output holds original text of the logs, such as ids, versions and the names
of files, and may hold secrets. The listing redacts nothing, and is no
permission to share. It is not an atomic snapshot either: a file that changes
while it is read is reported, but edits that keep size and modification time
can escape.`,
		Example: `  rollbook sessions --root ~/.codex/sessions --project .
  rollbook sessions --root ~/.codex/sessions`,
		GroupID: groupRead,
		Args:    operands(),
		Annotations: exits(
			"0   listed; also where nothing belongs to the project",
			"1   root or project could not be used",
			"2   listed, but partial: see the diagnostics",
			"64  the command line was wrong"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case root == "":
				return usageErrorf("--root is missing")
			case project == "" && (cmd.CalledAs() == seedSessions || cmd.Flags().Changed("project")):
				return usageErrorf("--project is missing")
			}
			return e.sessions(cmd.Context(), root, project)
		},
	}
	cmd.Flags().StringVar(&root, "root", "", "look in and below this `DIR`, which may be a link")
	cmd.Flags().StringVar(&project, "project", "", "only what belongs to this `DIR` itself")
	onceOnly(cmd.Flags(), "root", "project")
	return cmd
}

// sessions lists the rollouts below root; an empty project means every one.
func (e *Env) sessions(ctx context.Context, root, project string) error {
	if project != "" {
		dir, err := e.workDir()
		if err == nil {
			project, err = sessions.Project(dir, project)
		}
		if err != nil {
			return err
		}
	}
	bar := e.progress("sessions", 0, "")
	report, err := sessions.List(ctx, sessions.Options{
		Root:    e.path(root),
		Project: project,
		Budgets: sessions.DefaultBudgets,
		Wrap:    func(fsys fsx.FS) fsx.FS { return watchedFS{fsys, bar} },
	})
	if err != nil {
		return err
	}
	if err := report.Write(ctx, e.safeStdout(term.JSON)); err != nil {
		return err
	}
	if report.Partial() {
		return errPartial
	}
	return nil
}

// workDir gives the folder that relative names start at, as the system calls it
// and not as $PWD does, which may lead over links: Codex does the same where it
// writes down its folder.
func (e *Env) workDir() (string, error) {
	if e.Dir != "" {
		return filepath.Abs(e.Dir)
	}
	dir, err := syscall.Getwd()
	if err != nil {
		return "", fmt.Errorf("current folder: %w", err)
	}
	return dir, nil
}
