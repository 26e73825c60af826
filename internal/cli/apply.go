package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rollbook/internal/bundle"
)

type applyOptions struct {
	project      string
	check, write bool
}

func newApplyCommand(e *Env) *cobra.Command {
	var o applyOptions
	cmd := &cobra.Command{
		Use:   "apply BUNDLE --project CHECKOUT (--check|--write)",
		Short: "make the code changes of a bundle in a checkout",
		Long: `Verifies the bundle, and makes the changes that it carries in a checkout of the
commit that they start from. The checkout must be clean, and every file just as
in that commit; a file to be added must not be there, ignored or not. --check
says whether it fits, and writes nothing.

--write makes all of the changes or none: it keeps the original files in a
folder .rollbook-apply-… until every result is in place. Should it be cut off,
the next --write in that checkout puts the originals back first. The index is
not touched, nothing is committed, and no file of the bundle is run. The changed
files end with mode 0600 or 0700.`,
		Example: `  rollbook apply handoff --project ~/shop-api --check
  rollbook apply handoff --project ~/shop-api --write`,
		GroupID: groupShare,
		Args:    operands("BUNDLE"),
		Annotations: exits(
			"0   the changes fit, or were made",
			"1   they do not fit, the bundle is not valid, or writing failed",
			"64  the command line was wrong"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.project == "":
				return usageErrorf("--project is missing: the checkout to change")
			case o.check == o.write:
				return usageErrorf("want one of --check and --write")
			}
			return e.apply(cmd.Context(), args[0], o)
		},
	}
	set := cmd.Flags()
	set.StringVar(&o.project, "project", "", "the `CHECKOUT` to change, or a folder in it")
	set.BoolVar(&o.check, "check", false, "say whether the changes can be made")
	set.BoolVar(&o.write, "write", false, "make them")
	onceOnly(set, "project", "check", "write")
	return cmd
}

func (e *Env) apply(ctx context.Context, name string, o applyOptions) error {
	v, err := e.verify(ctx, name)
	if err != nil {
		return err
	}
	a := &bundle.Apply{Bundle: v, Git: e.git(), Project: e.path(o.project), Recovered: e.sayRecovery}
	run := a.Check
	if o.write {
		run = a.Write
	}
	report, err := run(ctx)
	if err != nil {
		return err
	}
	return e.writeJSON(report)
}

// sayRecovery tells of an apply that was cut off earlier.
func (e *Env) sayRecovery(r *bundle.Recovery) {
	what := "nothing had to be put back"
	if r.Restored {
		what = fmt.Sprintf("the originals are back (%s)", strings.Join(r.Paths, ", "))
	}
	e.warnf("an apply was cut off in this checkout: %s, and %s is removed", what, r.Dir)
}
