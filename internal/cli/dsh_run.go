package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"rollbook/internal/activity"
	"rollbook/internal/dsh"
)

// A conversion is what became of one thread.
type conversion struct {
	thread  activity.Thread
	report  dsh.Report
	refused string     // why there is no session
	fault   *dsh.Fault // the check that it did not pass: a fault of ours
	bytes   int64
	outcome string // what was done with it
	reason  string
}

// ok reports whether there is a session.
func (c *conversion) ok() bool { return c.refused == "" && c.fault == nil }

// why says why there is no session.
func (c *conversion) why() string {
	if c.fault != nil {
		return "verification failed: " + c.fault.Error()
	}
	return c.refused
}

// A converter converts the threads of a harvest.
type converter struct {
	e       *Env
	o       *dshOptions
	h       *harvest
	images  dsh.Admitter // nil: images become placeholders
	scratch string
}

func (e *Env) newConverter(o *dshOptions, h *harvest, images imageStore) (*converter, error) {
	scratch, err := e.scratchDir()
	if err != nil {
		return nil, err
	}
	if err := e.outsideCodex(h, scratch); err != nil {
		return nil, err
	}
	c := &converter{e: e, o: o, h: h, scratch: scratch}
	if images != nil { // not a nil store in an interface
		c.images = images
	}
	return c, nil
}

// each converts every thread, the oldest first, and has use take the log, where
// it passed our own checks. A thread that cannot be read or that fails costs only
// itself; an error is one of the whole run.
func (c *converter) each(ctx context.Context, use func(*conversion, io.WriterTo) error) ([]*conversion, error) {
	var all []*conversion
	bar := c.e.progress("convert", int64(len(c.h.threads)), "threads")
	for _, t := range slices.Backward(c.h.threads) {
		got, err := c.one(ctx, t, use)
		if err != nil {
			return all, err
		}
		all = append(all, got)
		bar.Add(1)
	}
	c.e.bar.Done()
	return all, nil
}

// one converts a thread, checks the log, and has use take it.
func (c *converter) one(ctx context.Context, t activity.Thread, use func(*conversion, io.WriterTo) error) (*conversion, error) {
	got := &conversion{thread: t, refused: t.Refused}
	if got.refused != "" {
		return got, nil
	}
	log := &spool{dir: c.scratch}
	err := c.convert(ctx, got, log)
	if err == nil && got.ok() {
		err = use(got, log)
	}
	if closeErr := log.Close(); err == nil {
		err = closeErr
	}
	return got, err
}

// convert writes the session of a thread to a spool and checks it. What cannot be
// converted is refused.
func (c *converter) convert(ctx context.Context, got *conversion, log *spool) error {
	t, err := c.h.session(ctx, got.thread.ID, c.o)
	if err == nil {
		opt := dsh.Options{MaxTextChars: c.o.maxText, MaxToolOutput: c.o.maxOutput, Images: c.images}
		if home := c.e.getenv("HOME"); filepath.IsAbs(home) {
			opt.Folder = home // Codex recorded none before 0.36, and the harness does not go on without one
		}
		got.report, err = dsh.Convert(ctx, t, opt, log)
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		got.refused = err.Error()
		return nil
	}
	r, err := log.reader()
	if err != nil {
		return err
	}
	got.bytes = log.size
	_, got.fault, err = dsh.CheckLog(r, log.size)
	return err
}

// again converts a thread once more and writes the log, for publish.
func (c *converter) again(ctx context.Context, t activity.Thread, w io.Writer) (*conversion, error) {
	got, err := c.one(ctx, t, func(_ *conversion, log io.WriterTo) error {
		_, err := log.WriteTo(w)
		return err
	})
	if err == nil && !got.ok() {
		err = fmt.Errorf("%s", got.why())
	}
	return got, err
}
