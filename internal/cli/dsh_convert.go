package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"rollbook/internal/confine"
	"rollbook/internal/dsh"
	"rollbook/internal/fsx"
	"rollbook/internal/publish"
)

func newDSHConvert(e *Env, o *dshOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "convert",
		Short: "write threads as sessions into a folder of your own",
		Long: `Converts threads and writes their sessions below --out, which is a sessions root
of its own: <project>/<session>/session.v3.jsonl.zstd. Nothing is installed; see
sync for that. --dry-run converts and checks all the same, and writes nothing.

A session begins where the model's view of its thread does, at the last
compaction; --full-history brings the rest. Images go to the store of
--dsh-home; without it they become placeholders, and are counted.

A log that is already there is written anew only where it is still as a
conversion left it, or with --force.`,
		Example: `  rollbook dsh convert --out /tmp/sessions --dry-run
  rollbook dsh convert --out /tmp/s --since-hours 72 --full-history
  rollbook dsh convert --session 01a0a41f --out h/sessions --dsh-home h`,
		Args:        operands(),
		Annotations: dshExits(o.seed, "written; also where no thread was chosen", "2   written, but something was lost, refused or left alone"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.out == "" && !o.dryRun {
				return usageErrorf("--out is missing")
			}
			return e.dshConvert(cmd.Context(), o)
		},
	}
	set := cmd.Flags()
	set.StringVar(&o.out, "out", "", "write the sessions below this `DIR`")
	o.selection(e, cmd, set)
	o.conversion(e, cmd, set)
	set.StringVar(&o.home, "dsh-home", "", "put images into the store of this home of the harness")
	set.BoolVarP(&o.dryRun, "dry-run", "n", false, "convert and check, and write nothing")
	set.BoolVar(&o.force, "force", false, "also replace logs that are no longer as a conversion left them")
	set.BoolVar(&o.json, "json", false, "print one JSON object")
	return cmd
}

// dshExits gives the exit codes of a command that converts, under either name.
func dshExits(seed bool, done, partial string) map[string]string {
	if seed {
		return exits("0   "+done+"; some sessions may have been refused",
			"1   no thread was chosen, a session did not pass, or it could not be done",
			"2   the command line was wrong")
	}
	return exits("0   "+done, "1   could not be done", partial, "64  the command line was wrong", "130 interrupted")
}

func (e *Env) dshConvert(ctx context.Context, o *dshOptions) error {
	h, err := e.harvest(ctx, o)
	if err != nil {
		return err
	}
	defer h.Close()
	if len(h.threads) == 0 {
		return e.nothing(o, h)
	}
	home := ""
	if o.home != "" {
		if home, err = e.absPath(o.home); err != nil {
			return err
		}
	}
	out := &sink{dryRun: o.dryRun, force: o.force}
	if o.out != "" {
		target, err := publish.NewTarget(e.path(o.out))
		if err != nil {
			return err
		}
		out.root = target.Root()
	}
	if err := e.outsideCodex(h, out.root, home); err != nil {
		return err
	}
	images, err := e.openImages(ctx, o, home, o.dryRun)
	if err != nil {
		return err
	}
	c, err := e.newConverter(o, h, images)
	if err == nil {
		err = e.convertTo(ctx, c, out)
	}
	if images != nil {
		err = errors.Join(err, images.Close())
	}
	return err
}

func (e *Env) convertTo(ctx context.Context, c *converter, out *sink) error {
	all, err := c.each(ctx, out.take)
	if err == nil {
		err = out.close()
	}
	if err != nil {
		return err
	}
	if c.o.json {
		err = e.writeJSON(dshJSON(c.o, out.root, all))
	} else {
		err = e.dshTable(all)
	}
	if err != nil {
		return err
	}
	return e.dshEnd(c, all)
}

func dshJSON(o *dshOptions, root string, all []*conversion) dshReport {
	r := dshReport{SchemaVersion: dshSchema, Root: root, DryRun: o.dryRun, Sessions: []dshSession{}}
	for _, c := range all {
		r.Sessions = append(r.Sessions, newDSHSession(c))
	}
	return r
}

// dshEnd warns of what was refused and lost, and gives the error of the command.
func (e *Env) dshEnd(c *converter, all []*conversion) error {
	refused, failed, lossy := 0, 0, false
	for _, got := range all {
		lossy = lossy || got.report.ImagesSkipped > 0 && !c.o.noImages || got.outcome == leftAlone
		if got.ok() {
			continue
		}
		refused++
		if got.fault != nil {
			failed++
		}
		e.warnf("thread %s: refused: %s", got.thread.ID, got.why())
	}
	err := e.told(c.o, c.h)
	switch {
	case failed > 0:
		return fmt.Errorf("%s did not pass our own checks, a fault of rollbook", plural(failed, "session", "sessions"))
	case err != nil || c.o.seed:
		return err
	case refused > 0 || lossy:
		return errPartial
	}
	return nil
}

// leftAlone is the outcome of a log that is not replaced.
const leftAlone = string(publish.LeftAlone)

// A sink takes the sessions of convert.
type sink struct {
	root          string // empty: none is named
	dryRun, force bool
	fsys          *confine.Writable
}

// take writes one log, unless the one that is there is not to be replaced.
func (s *sink) take(c *conversion, log io.WriterTo) error {
	c.outcome = "converted"
	if s.dryRun {
		return nil
	}
	if s.fsys == nil {
		if err := fsx.MkdirAll(fsx.OS, s.root); err != nil {
			return err
		}
		w, err := confine.OpenWritable(s.root)
		if err != nil {
			return err
		}
		s.fsys = &w
	}
	name := dsh.SessionPath(c.report.Header)
	same, reason, err := s.there(name, c.report.Digest)
	switch {
	case err == nil && same:
		c.outcome = string(publish.Unchanged)
		return nil
	case err == nil && reason != "" && !s.force:
		c.outcome, c.reason = leftAlone, reason
		return nil
	}
	if err == nil {
		err = fsx.MkdirAll(s.fsys, path.Dir(name))
	}
	if err == nil {
		err = fsx.WriteFile(s.fsys, name, 0o600, func(w io.Writer) error {
			_, err := log.WriteTo(w)
			return err
		})
	}
	if err != nil {
		c.refused = fmt.Sprintf("%s: %v", filepath.FromSlash(name), err)
	}
	return nil
}

// there looks at a log that is there: the same, or why it is not to be replaced.
func (s *sink) there(name string, want dsh.Digest) (same bool, reason string, err error) {
	f, err := s.fsys.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, "", nil
	}
	if err != nil {
		return false, "", err
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return false, "", err
	}
	info, err := dsh.Probe(f, stat.Size())
	switch {
	case err != nil:
		return false, "the log that is there is damaged: " + err.Error(), nil
	case info.Frames > 2:
		return false, fmt.Sprintf("the log that is there was continued (%d frames)", info.Frames), nil
	}
	return info.Digest == want && info.Frames == 2, "", nil
}

func (s *sink) close() error {
	if s.fsys == nil {
		return nil
	}
	return s.fsys.Close()
}
