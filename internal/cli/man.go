package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rollbook/internal/fsx"
)

func newManCommand(e *Env) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "man [COMMAND...]",
		Short: "write manual pages",
		Long: `Writes the manual page of rollbook or of one command to standard output, or
with --output the pages of all commands into a new folder.`,
		Example: `  rollbook man | man -l -
  rollbook man version
  rollbook man --output man1`,
		GroupID:     groupSelf,
		Annotations: exits("0 written", "1 the folder exists or could not be written", "64 there is no such command"),

		ValidArgsFunction: completeCommands,
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return e.writeManPage(cmd.Root(), args)
			}
			if len(args) > 0 {
				return usageErrorf("--output writes all pages, so it takes no command")
			}
			return e.writeManPages(cmd.Root(), output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write all pages into this `NEWDIR`")
	return cmd
}

func (e *Env) writeManPage(root *cobra.Command, names []string) error {
	cmd, err := findCommand(root, names)
	if err != nil {
		return err
	}
	_, err = io.WriteString(e.Stdout, manPage(cmd))
	return err
}

// writeManPages makes the folder and all pages in it, or leaves nothing.
func (e *Env) writeManPages(root *cobra.Command, dir string) (err error) {
	dir = e.path(dir)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	for _, cmd := range tree(root) {
		err := fsx.WriteFile(fsx.OS, filepath.Join(dir, manName(cmd)+".1"), 0o644, func(w io.Writer) error {
			_, err := io.WriteString(w, manPage(cmd))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// tree lists a command and all below it that help shows.
func tree(cmd *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			list = append(list, tree(c)...)
		}
	}
	return list
}

func manName(cmd *cobra.Command) string {
	return strings.ReplaceAll(cmd.CommandPath(), " ", "-")
}
