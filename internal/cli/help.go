package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rollbook/internal/term"
)

// An envVar is a variable that rollbook reads, for help and docs/cli.md.
type envVar struct{ name, meaning string }

var envVars = []envVar{
	{"CODEX_HOME", "the Codex home that commands read, unless --home names one"},
	{"DSH_HOME", "the home of the DeepSeek Harness, unless --dsh-home names one"},
	{"DSH_TUI_SESSION_ROOT", "its sessions root, unless --into names one"},
	{"DSH_CODEX_IMPORT_DSH_ROOT", "folders from which the harness's packages can be resolved"},
	{"DSH_CODEX_IMPORT_DSH_BIN", "its program, instead of dsh on the PATH"},
	{"DSH_CODEX_IMPORT_TMP_ROOT", "where dsh keeps a session too long for memory while it converts"},
	{"ROLLBOOK_DATA", "the folder of rollbook's own data"},
	{"XDG_DATA_HOME", "where that folder is otherwise: rollbook below it"},
	{"NO_COLOR", "set and not empty: no colour, unless --color always"},
	{"CLICOLOR_FORCE", "set and not 0: colour even where no terminal is"},
	{"TERM", "dumb: no colour and no progress bar"},
	{"COLUMNS", "the width to fit tables, help and threads into"},
	{"PAGER", "what show starts on a terminal instead of less -FRX"},
	{"LESS", "options of less; FRX where it is not set"},
	{"GOMEMLIMIT", "replaces the soft memory limit of 200 MiB"},
	{"GOGC", "replaces 400, the percentage by which the heap may grow before it is collected"},
}

func newHelpCommand(e *Env) *cobra.Command {
	return &cobra.Command{
		Use:         "help [COMMAND...]",
		Short:       "show what a command does and how",
		Long:        "Shows the help text of rollbook or of one command, as --help does.",
		Example:     "  rollbook help\n  rollbook help version",
		GroupID:     groupSelf,
		Annotations: exits("0 shown", "64 there is no such command"),

		ValidArgsFunction: completeCommands,
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := findCommand(cmd.Root(), args)
			if err != nil {
				return err
			}
			return e.writeHelp(target)
		},
	}
}

// findCommand walks from root down the names. Each name must be a command.
func findCommand(root *cobra.Command, names []string) (*cobra.Command, error) {
	at := root
	for _, name := range names {
		next := childOf(at, name)
		if next == nil {
			return nil, unknownCommand(at, name)
		}
		at = next
	}
	return at, nil
}

func childOf(cmd *cobra.Command, name string) *cobra.Command {
	for _, c := range cmd.Commands() {
		if c.Name() == name || c.HasAlias(name) {
			return c
		}
	}
	return nil
}

// completeCommands completes the names of commands as arguments.
func completeCommands(cmd *cobra.Command, args []string, start string) ([]string, cobra.ShellCompDirective) {
	at, err := findCommand(cmd.Root(), args)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, c := range at.Commands() {
		if !c.Hidden && strings.HasPrefix(c.Name(), start) {
			names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// help answers --help. Behind a command that does not exist it is an error.
func (e *Env) help(cmd *cobra.Command) error {
	if cmd.HasSubCommands() && cmd.Flags().NArg() > 0 {
		return unknownCommand(cmd, cmd.Flags().Arg(0))
	}
	return e.writeHelp(cmd)
}

func (e *Env) writeHelp(cmd *cobra.Command) error {
	h := helpText{style: e.style(), width: e.helpWidth()}
	h.command(cmd)
	_, err := io.WriteString(e.Stdout, h.b.String())
	return err
}

// helpWidth is the width for texts that people read line by line.
func (e *Env) helpWidth() int {
	if w := e.width(); w > 0 {
		return max(w, 40)
	}
	return 80
}

// A helpText collects the sections of a help text.
type helpText struct {
	b     strings.Builder
	style term.Style
	width int
}

func (h *helpText) command(cmd *cobra.Command) {
	h.b.WriteString(longOf(cmd) + "\n")
	h.section("Usage", "  "+useLine(cmd)+"\n")
	if len(cmd.Aliases) > 0 {
		h.section("Also called", "  "+strings.Join(cmd.Aliases, ", ")+"\n")
	}
	for _, g := range cmd.Groups() {
		h.commands(g.Title, cmd, func(c *cobra.Command) bool { return c.GroupID == g.ID })
	}
	h.commands("Commands", cmd, func(c *cobra.Command) bool { return c.GroupID == "" })
	if cmd.Example != "" {
		h.section("Examples", cmd.Example+"\n")
	}
	h.flags("Flags", cmd.NonInheritedFlags())
	h.flags("Flags of every command", cmd.InheritedFlags())
	h.section("Exit codes", exitTable(cmd))
	if !cmd.HasParent() {
		h.variables()
	}
}

func (h *helpText) section(title, body string) {
	h.b.WriteString("\n" + h.style.Bold(title+":") + "\n" + body)
}

func (h *helpText) commands(title string, parent *cobra.Command, in func(*cobra.Command) bool) {
	var b strings.Builder
	for _, c := range parent.Commands() {
		if !c.Hidden && in(c) {
			b.WriteString("  " + term.Pad(c.Name(), parent.NamePadding()) + "  " + c.Short + "\n")
		}
	}
	if b.Len() > 0 {
		h.section(title, b.String())
	}
}

func (h *helpText) flags(title string, set *pflag.FlagSet) {
	if set.HasAvailableFlags() {
		h.section(title, set.FlagUsagesWrapped(h.width))
	}
}

func (h *helpText) variables() {
	var b strings.Builder
	for _, v := range envVars {
		b.WriteString("  " + term.Pad(v.name, 25) + "  " + v.meaning + "\n")
	}
	h.section("Environment", b.String())
}

func longOf(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return strings.TrimSpace(cmd.Long)
	}
	return cmd.Short
}

// useLine is how a command is called.
func useLine(cmd *cobra.Command) string {
	if cmd.HasSubCommands() {
		return cmd.CommandPath() + " COMMAND [flags]"
	}
	return cmd.UseLine()
}

// exitTable shows the exit codes of a command.
func exitTable(cmd *cobra.Command) string {
	var b strings.Builder
	for _, c := range exitsOf(cmd) {
		fmt.Fprintf(&b, "  %-3d  %s\n", c.code, c.meaning)
	}
	return b.String()
}
