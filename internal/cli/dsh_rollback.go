package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rollbook/internal/publish"
	"rollbook/internal/term"
)

func newDSHRollback(e *Env, o *dshOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rollback",
		Short: "take back what a sync did",
		Long: `Takes back one run of sync by its manifest, the latest where none is named: what
it installed is removed, what it replaced comes back byte for byte. A session
that was continued or changed since then is skipped, and said so; one that the
run had not come to is named, and is no failure.`,
		Example: `  rollbook dsh rollback
  rollbook dsh rollback --manifest ~/.dsh/codex-import-manifest.json`,
		Args: operands(),
		Annotations: exits("0   taken back", "1   could not be done", "2   taken back, but some sessions were skipped",
			"64  the command line was wrong", "130 interrupted"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.dshRollback(cmd.Context(), o)
		},
	}
	if o.seed {
		cmd.Annotations = exits("0   taken back", "1   a session was skipped, or it could not be done", "2   the command line was wrong")
	}
	set := cmd.Flags()
	o.target(e, cmd, set)
	set.StringVar(&o.manifest, "manifest", "", "take this `FILE` instead of the latest manifest")
	set.BoolVar(&o.json, "json", false, "print one JSON object")
	return cmd
}

func (e *Env) dshRollback(ctx context.Context, o *dshOptions) error {
	root, err := e.sessionsRoot(o)
	if err != nil {
		return err
	}
	target, err := publish.NewTarget(root)
	if err != nil {
		return err
	}
	manifest := o.manifest
	if manifest != "" {
		manifest = e.path(manifest)
	}
	res, err := target.Rollback(ctx, manifest)
	if res == nil {
		return err
	}
	if sayErr := e.sayRollback(o, res); err == nil {
		err = sayErr
	}
	switch {
	case err != nil:
		return err
	case len(res.Skipped) > 0 && o.seed:
		return fmt.Errorf("%s skipped", plural(len(res.Skipped), "session was", "sessions were"))
	case len(res.Skipped) > 0:
		return errPartial
	}
	return nil
}

type dshSkipped struct {
	Key    string `json:"key"`
	Reason string `json:"reason"`
}

func (e *Env) sayRollback(o *dshOptions, r *publish.Rollback) error {
	if o.json {
		skipped := []dshSkipped{}
		for _, s := range r.Skipped {
			skipped = append(skipped, dshSkipped{s.Key, s.Reason})
		}
		return e.writeJSON(struct {
			SchemaVersion int          `json:"schema_version"`
			Manifest      string       `json:"manifest"`
			Removed       []string     `json:"removed"`
			Restored      []string     `json:"restored"`
			Skipped       []dshSkipped `json:"skipped"`
			NotInstalled  []string     `json:"notInstalled"`
			Result        string       `json:"result,omitzero"`
		}{dshSchema, r.Manifest, none(r.Removed), none(r.Restored), skipped, none(r.NotInstalled), r.Result})
	}
	var b strings.Builder
	for _, group := range []struct {
		word string
		keys []string
	}{{"removed", r.Removed}, {"restored", r.Restored}, {"not there", r.NotInstalled}} {
		for _, key := range group.keys {
			fmt.Fprintf(&b, "  %s  %s\n", term.Pad(group.word, 9), term.Safe(key, term.OneLine))
		}
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(&b, "  %s  %s\n", term.Pad("skipped", 9), term.Safe(s.Key+": "+s.Reason, term.OneLine))
	}
	fmt.Fprintf(&b, "%d removed, %d restored, %d skipped\n", len(r.Removed), len(r.Restored), len(r.Skipped))
	_, err := e.Stdout.Write([]byte(b.String()))
	return err
}

// none makes a list that JSON shows as one.
func none(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
