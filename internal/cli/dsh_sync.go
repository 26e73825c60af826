package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"rollbook/internal/dsh"
	"rollbook/internal/publish"
	"rollbook/internal/term"
)

func newDSHSync(e *Env, o *dshOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "install and refresh sessions in the harness",
		Long: `Converts threads and installs their sessions where the harness finds them. What
becomes of each is planned first; --dry-run prints the plan and writes nothing.

  installed    it was not there
  refreshed    the thread went on, and the log is still as it was installed:
               it is replaced, and the old one kept as a backup
  unchanged    nothing is written; adopted is the same, where it was not known
  left alone   the harness went on with it, somebody changed it, or it is not
               ours

--force also replaces what is left alone, behind a backup. A run that changed
something writes a manifest, by which rollback takes it back. Run it as often as
you like, also by the clock: of two runs at once one says so and ends.`,
		Example: `  rollbook dsh sync --dry-run
  rollbook dsh sync --since-hours 168
  rollbook dsh sync --session 01a0a41f --full-history`,
		Args:        operands(),
		Annotations: dshExits(o.seed, "done; also where nothing had changed, or no thread was chosen", "2   done, but something was lost, refused or left alone"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.dshSync(cmd.Context(), o)
		},
	}
	set := cmd.Flags()
	o.selection(e, cmd, set)
	o.conversion(e, cmd, set)
	o.target(e, cmd, set)
	set.BoolVarP(&o.dryRun, "dry-run", "n", false, "print the plan, and write nothing")
	set.BoolVar(&o.force, "force", false, "also replace logs that are not, or no longer, ours")
	set.BoolVar(&o.json, "json", false, "print one JSON object")
	return cmd
}

func (e *Env) dshSync(ctx context.Context, o *dshOptions) error {
	root, err := e.sessionsRoot(o)
	if err != nil {
		return err
	}
	target, err := publish.NewTarget(root)
	if err != nil {
		return err
	}
	home, err := e.dshHome(o)
	if err != nil {
		return err
	}
	h, err := e.harvest(ctx, o)
	if err != nil {
		return err
	}
	defer h.Close()
	if len(h.threads) == 0 {
		return e.nothing(o, h)
	}
	if err := e.outsideCodex(h, target.Root(), filepath.Dir(target.Root()), home); err != nil {
		return err
	}
	s := &syncing{e: e, o: o, h: h, home: home, target: target}
	err = s.run(ctx)
	return errors.Join(err, s.close())
}

// A syncing is one run of sync.
type syncing struct {
	e      *Env
	o      *dshOptions
	h      *harvest
	home   string
	target *publish.Target
	images imageStore // of the run itself; opened when a log is written
	writer *converter
}

func (s *syncing) run(ctx context.Context) error {
	planner, all, plan, err := s.plan(ctx)
	if err != nil {
		return err
	}
	s.h.told = true
	entries, manifest := plan.Entries, ""
	var failed error
	if !s.o.dryRun {
		res, err := s.target.Apply(ctx, plan)
		s.e.bar.Done()
		if res == nil {
			return err
		}
		entries, manifest, failed = res.Entries, res.Manifest, err
	}
	if err := s.say(all, entries, manifest); err != nil {
		return errors.Join(failed, err)
	}
	if failed != nil {
		return failed
	}
	return s.end(planner, all, entries)
}

// plan converts every thread once, to nowhere, and compares with what is there.
func (s *syncing) plan(ctx context.Context) (*converter, []*conversion, *publish.Plan, error) {
	images, err := s.e.openImages(ctx, s.o, s.home, true)
	if err != nil {
		return nil, nil, nil, err
	}
	c, err := s.e.newConverter(s.o, s.h, images)
	var all []*conversion
	if err == nil {
		all, err = c.each(ctx, func(*conversion, io.WriterTo) error { return nil })
	}
	if images != nil {
		err = errors.Join(err, images.Close())
	}
	if err != nil {
		return nil, nil, nil, err
	}
	var candidates []publish.Candidate
	for _, got := range all {
		if got.ok() {
			candidates = append(candidates, s.candidate(got))
		}
	}
	plan, err := s.target.Plan(ctx, candidates, s.o.force)
	return c, all, plan, err
}

func (s *syncing) candidate(got *conversion) publish.Candidate {
	return publish.Candidate{
		Key:       dsh.SessionDir(got.report.Header),
		Converted: converted(got),
		Write: func(ctx context.Context, w io.Writer) (publish.Converted, error) {
			if err := s.open(ctx); err != nil {
				return publish.Converted{}, err
			}
			again, err := s.writer.again(ctx, got.thread, w)
			if err != nil {
				return publish.Converted{}, err
			}
			got.report, got.bytes = again.report, again.bytes
			return converted(again), nil
		},
	}
}

func converted(c *conversion) publish.Converted {
	return publish.Converted{Digest: c.report.Digest, ImagesSkipped: c.report.ImagesSkipped}
}

// open opens the image store, when the first log is written.
func (s *syncing) open(ctx context.Context) (err error) {
	if s.writer != nil {
		return nil
	}
	if s.images, err = s.e.openImages(ctx, s.o, s.home, false); err != nil {
		return err
	}
	s.writer, err = s.e.newConverter(s.o, s.h, s.images)
	return err
}

func (s *syncing) close() error {
	if s.images == nil {
		return nil
	}
	return s.images.Close()
}

// say prints what was planned or done.
func (s *syncing) say(all []*conversion, entries []publish.Entry, manifest string) error {
	byKey := make(map[string]publish.Entry, len(entries))
	var others []publish.Entry // <metadata>
	for _, entry := range entries {
		byKey[entry.Key] = entry
	}
	keys := make(map[string]bool, len(all))
	for _, c := range all {
		if c.ok() {
			key := dsh.SessionDir(c.report.Header)
			keys[key] = true
			c.outcome, c.reason = string(byKey[key].Outcome), byKey[key].Reason
		}
	}
	for _, entry := range entries {
		if !keys[entry.Key] {
			others = append(others, entry)
		}
	}
	if s.o.json {
		report := dshJSON(s.o, s.target.Root(), all)
		report.Manifest = manifest
		for _, entry := range others {
			report.Sessions = append(report.Sessions, dshSession{Conversation: entry.Key, Outcome: string(entry.Outcome), Reason: entry.Reason, RefusedImages: []refusedImages{}, Repairs: []repair{}})
		}
		return s.e.writeJSON(report)
	}
	if err := s.e.dshTable(all); err != nil {
		return err
	}
	return s.sayPlan(all, others, byKey, manifest)
}

func (s *syncing) sayPlan(all []*conversion, others []publish.Entry, byKey map[string]publish.Entry, manifest string) error {
	title := "in "
	if s.o.dryRun {
		title = "planned, nothing is written: in "
	}
	fmt.Fprintf(s.e.Stdout, "\n%s%s\n", title, term.Safe(s.target.Root(), term.OneLine))
	count := make(map[publish.Outcome]int)
	line := func(outcome publish.Outcome, name, reason string) {
		count[outcome]++
		if reason != "" {
			reason = ": " + reason
		}
		fmt.Fprintf(s.e.Stdout, "  %s  %s\n", term.Pad(string(outcome), 10), term.Safe(name+reason, term.OneLine))
	}
	for _, entry := range others {
		line(entry.Outcome, entry.Key, entry.Reason)
	}
	for _, c := range all {
		if c.ok() {
			entry := byKey[dsh.SessionDir(c.report.Header)]
			reason := entry.Reason
			if entry.Forced {
				reason = fmt.Sprintf("%s (%s, %s)", reason, plural(entry.Frames, "frame", "frames"), plural(entry.Turns, "turn", "turns"))
			}
			line(entry.Outcome, entry.Key, reason)
		}
	}
	if manifest != "" {
		fmt.Fprintf(s.e.Stdout, "rollback: rollbook dsh rollback --into %s --manifest %s\n", plainWord(s.target.Root()), plainWord(manifest))
	}
	return nil
}

// end gives the error of the run.
func (s *syncing) end(c *converter, all []*conversion, entries []publish.Entry) error {
	bad, alone := 0, 0
	for _, entry := range entries {
		switch entry.Outcome {
		case publish.Failed:
			bad++
			s.e.warnf("%s: %s", entry.Key, entry.Reason)
		case publish.LeftAlone:
			alone++
		}
	}
	err := s.e.dshEnd(c, all)
	switch {
	case bad > 0 && s.o.seed:
		return errors.Join(err, fmt.Errorf("%s could not be published", plural(bad, "session", "sessions")))
	case err == nil && bad+alone > 0 && !s.o.seed:
		return errPartial
	}
	return err
}
