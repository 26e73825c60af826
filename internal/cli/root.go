package cli

import (
	"github.com/spf13/cobra"
)

// A constructor makes one command. It is called for each run.
type constructor func(*Env) *cobra.Command

// commands has a line for each command; docs/cli.md has a row for each.
var commands = []constructor{
	newApplyCommand,
	newCompletionCommand,
	newDBCommand,
	newDSHCommand,
	newExportCommand,
	newHelpCommand,
	newImportCommand,
	newImportCodexCommand,
	newInspectCommand,
	newManCommand,
	newPrepareResumeCommand,
	newSearchCommand,
	newSessionsCommand,
	newShowCommand,
	newThreadsCommand,
	newVerifyCommand,
	newVersionCommand,
}

// Groups of commands in the order of the help text.
const (
	groupRead  = "read"
	groupStore = "store"
	groupShare = "share"
	groupSelf  = "self"
)

var groups = []*cobra.Group{
	{ID: groupRead, Title: "Read a history"},
	{ID: groupStore, Title: "Import, search and analyse"},
	{ID: groupShare, Title: "Export, hand over and convert"},
	{ID: groupSelf, Title: "About rollbook"},
}

const rootLong = `rollbook works on a person's Codex history: the logs (rollouts) that Codex
writes, one or more for each thread. It only reads Codex's files, uses no
network, and says what it could not read and where.

Data goes to standard output. Errors, warnings and hints go to standard error.`

// newRoot builds the whole tree of commands for one run.
func newRoot(e *Env, list []constructor) *cobra.Command {
	root := &cobra.Command{
		Use:               "rollbook",
		Short:             "read, check, search and convert a Codex history",
		Long:              rootLong,
		Version:           versionOf(buildInfo()).Version,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { e.helpErr = e.help(cmd) })
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(groups...)
	addColorFlag(e, root)
	for _, construct := range list {
		root.AddCommand(construct(e))
	}
	if help, _, err := root.Find([]string{"help"}); err == nil {
		root.SetHelpCommand(help)
	}
	e.prepare(root)
	return root
}

// prepare makes every command say when it starts, so that errors before that
// count as errors of usage, and gives commands that only hold others a way to
// refuse.
func (e *Env) prepare(cmd *cobra.Command) {
	if cmd.HasSubCommands() && cmd.RunE == nil {
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = refuse
	}
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	run := cmd.RunE
	cmd.RunE = func(c *cobra.Command, args []string) error {
		e.started = true
		return run(c, args)
	}
	for _, c := range cmd.Commands() {
		e.prepare(c)
	}
}

// refuse is what a command does that only holds others.
func refuse(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(cmd, args[0])
	}
	return usageErrorf("no command given")
}

// flagError answers a flag that cannot be parsed. Behind a command that does
// not exist, the command is what is wrong.
func flagError(cmd *cobra.Command, err error) error {
	if cmd.HasSubCommands() && cmd.Flags().NArg() > 0 {
		return unknownCommand(cmd, cmd.Flags().Arg(0))
	}
	return asUsageError(err)
}

// unknownCommand says which commands are near, as command lines to type.
func unknownCommand(parent *cobra.Command, name string) error {
	err := usageErrorf("unknown command %q", name)
	if parent.HasParent() {
		err = usageErrorf("unknown command %q for %q", name, parent.CommandPath())
	}
	var hints []string
	for _, near := range nearest(name, parent.Commands()) {
		hints = append(hints, parent.CommandPath()+" "+near)
	}
	return withHint(err, append(hints, helpHint(parent))...)
}
