package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"rollbook/internal/bundle"
	"rollbook/internal/fsx"
)

func newVerifyCommand(e *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "verify BUNDLE",
		Short: "check that a bundle is whole and undamaged",
		Long: `Checks a bundle that export made, or that came from somewhere: the manifest is
what the format allows, every file that it lists is there with its size and its
hash, and no other file is; the history is JSON, and code changes fit together
byte for byte. Prints the counts as JSON. Nothing is written or run.

The hashes say that nothing was damaged on the way. They do not say who made the
bundle, that it is free of secrets, or that what it tells is true.`,
		Example: `  rollbook verify handoff`,
		GroupID: groupShare,
		Args:    operands("BUNDLE"),
		Annotations: exits(
			"0   the bundle is valid",
			"1   it is not, or could not be read",
			"64  the command line was wrong"),
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := e.verify(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return e.writeJSON(v.Report())
		},
	}
}

// verify checks a bundle. An empty name is no folder, and not the current one.
func (e *Env) verify(ctx context.Context, name string) (*bundle.Verified, error) {
	if name == "" {
		return nil, errors.New("an empty name is no bundle")
	}
	return bundle.Verify(ctx, watchedFS{fsx.OS, e.progress("verify", 0, "")}, e.path(name))
}
