package ingest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/ledger"
	"rollbook/internal/store"
)

// Known is what the store holds already, by key and by thread id.
type Known struct {
	Sources map[string]*store.Source
	Threads map[string]*store.Thread
}

// A run is one import. What it reads and decides is done on the caller's
// goroutine; the store is written by another, in the same order.
type run struct {
	opt     Options
	known   Known             // nil maps until it is needed
	quiet   map[string][]byte // marks of roots, as the store remembers them
	calm    bool              // nothing was to be done until now
	summary *Summary
	left    int64 // messages that may still be taken in
	full    bool  // a message was left out because none may
	bytes   int64 // to be read, of all roots until now
	id      int64 // of the run in the store
	began   time.Time

	work   chan func(*store.Writer) error
	room   chan struct{} // taken by rows that wait
	cancel context.CancelCauseFunc
	found  findings // since the last source was handed over
}

func newRun(opt Options, known Known) *run {
	opt.fill()
	return &run{opt: opt, known: known, calm: true, began: time.Now(), left: opt.MaxRecords,
		summary: &Summary{Tally: new(diag.Tally)}}
}

// Run imports what lies at the paths, one after the other, as one run. What
// could not be read is a finding in the store and in the summary. The summary is
// given beside an error too. Where ctx ends, what was read whole until then is
// kept, and the error is that of ctx.
func Run(ctx context.Context, w *store.Writer, paths []string, opt Options) (*Summary, error) {
	quiet, err := w.Quiet()
	if err != nil {
		return nil, err
	}
	r := newRun(opt, Known{})
	r.quiet = quiet
	s := r.summary
	s.Run = store.Run{Started: opt.Started, Version: opt.Program}
	for _, name := range paths {
		abs, err := filepath.Abs(name)
		if err == nil {
			err = openable(name)
		}
		if err != nil {
			return nil, err
		}
		s.Run.Roots = append(s.Run.Roots, abs)
	}
	if s.Run.ID, err = w.StartRun(s.Run); err != nil {
		return nil, err
	}
	r.id = s.Run.ID
	err = r.beside(ctx, w, func(ctx context.Context) error { return r.roots(ctx, paths) })
	return s, errors.Join(err, r.finish(ctx, w, err))
}

// openable says why a path cannot be imported at all, before a run begins.
func openable(name string) error {
	home, err := discover.Open(name)
	if err != nil {
		return err
	}
	return home.Close()
}

// beside runs read on this goroutine and what it hands to the store on another.
func (r *run) beside(ctx context.Context, w *store.Writer, read func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.work, r.cancel = make(chan func(*store.Writer) error, 256), cancel
	r.room = make(chan struct{}, rooms)
	var wg sync.WaitGroup
	var failed error
	wg.Go(func() {
		for do := range r.work {
			if failed == nil {
				if failed = do(w); failed != nil {
					cancel(failed)
				}
			}
		}
	})
	err := read(ctx)
	close(r.work)
	wg.Wait()
	if failed != nil {
		return failed // err is then only that reading was called off
	}
	return err
}

// do hands something to the goroutine that writes.
func (r *run) do(ctx context.Context, f func(*store.Writer) error) error {
	select {
	case r.work <- f:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// finish closes the run in the store.
func (r *run) finish(ctx context.Context, w *store.Writer, err error) error {
	s := r.summary
	s.Stopped = r.full
	s.Run.Finished = s.Run.Started.Add(time.Since(r.began))
	s.Partial = s.Partial || r.full
	s.Run.State = "done"
	switch {
	case err != nil && ctx.Err() != nil:
		s.Run.State = "interrupted"
	case err != nil:
		s.Run.State = "failed"
	case s.Partial:
		s.Run.State = "partial"
	}
	if finishErr := w.FinishRun(s.Run); finishErr != nil && err == nil { // else the store itself may be what failed
		return fmt.Errorf("finish the run: %w", finishErr)
	}
	return nil
}

func (r *run) roots(ctx context.Context, paths []string) error {
	marks := make(map[string][]byte)
	for _, name := range paths {
		if err := r.root(ctx, name, marks); err != nil {
			return err
		}
	}
	return r.noteQuiet(ctx, marks)
}

// root imports one path, and adds its mark.
func (r *run) root(ctx context.Context, name string, marks map[string][]byte) error {
	rt, err := r.open(ctx, name)
	if err != nil {
		return err
	}
	defer rt.close()
	mark := rt.mark()
	marks[rt.chosen()] = mark
	sum := Root{Path: rt.chosen(), Kind: rt.kind(), Actions: make(map[Action]int)}
	if r.isQuiet(rt, mark) {
		sum.Actions[Unchanged] = rt.count()
	} else if err := r.bring(ctx, rt, &sum); err != nil {
		return err
	}
	r.summary.Roots = append(r.summary.Roots, sum)
	if err := r.flushDiags(ctx); err != nil {
		return err
	}
	if rt.memory != nil {
		if err := rt.memory.Save(); err != nil {
			r.finding(diag.Diagnostic{Position: diag.Position{File: rt.home.Path()}, Code: MemoryUnkept, Message: err.Error()})
		}
	}
	return nil
}

// bring brings what lies at a root into the store.
func (r *run) bring(ctx context.Context, rt *root, sum *Root) error {
	if err := r.recall(ctx); err != nil {
		return err
	}
	jobs := rt.jobs()
	r.total(rt, jobs)
	stop := r.surveyAhead(ctx, rt, jobs)
	defer stop()
	for _, j := range jobs {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if r.full {
			break
		}
		v, err := r.take(ctx, rt, j)
		if err != nil {
			return err
		}
		sum.Actions[v.action]++
		r.calm = r.calm && v.action == Unchanged
	}
	return r.enrichDocuments(ctx, rt)
}

// A job is a thread or a document.
type job struct {
	thread *threadJob
	doc    *docFile
}

// count gives how many jobs there are.
func (rt *root) count() int {
	n := len(rt.docs)
	if rt.lib != nil {
		n += len(rt.lib.IDs())
	}
	return n
}

// jobs gives what lies at the root: threads, oldest first, then documents.
func (rt *root) jobs() []job {
	var jobs []job
	if rt.lib != nil {
		for _, id := range rt.lib.IDs() {
			jobs = append(jobs, job{thread: newThreadJob(rt.lib, id)})
		}
	}
	for i := range rt.docs {
		jobs = append(jobs, job{doc: &rt.docs[i]})
	}
	return jobs
}

func (r *run) take(ctx context.Context, rt *root, j job) (verdict, error) {
	if j.thread != nil {
		return r.takeThread(ctx, rt, j.thread)
	}
	return r.takeDocument(ctx, rt, j.doc)
}

// total tells the progress how much there is to read, as far as stamps tell:
// threads are read twice.
func (r *run) total(rt *root, jobs []job) {
	var n int64
	for _, j := range jobs {
		if j.doc != nil {
			if src := r.known.Sources[rt.abs(j.doc.path)]; src == nil || stampOf(src) != j.doc.stamp {
				n += j.doc.stamp.Size
			}
			continue
		}
		for i := range j.thread.own {
			ref := &j.thread.own[i]
			if src := r.known.Sources[rolloutKey(ref.FileID())]; src == nil || stampOf(src) != ref.Stamp {
				n += 2 * ref.Size
			}
		}
	}
	r.bytes += n
	r.opt.Progress.SetTotal(r.bytes)
}

// finding notes what was found wrong outside of any source.
func (r *run) finding(d diag.Diagnostic) { r.note(d, "", 0) }

// note notes a finding of a source.
func (r *run) note(d diag.Diagnostic, source string, item int) {
	r.summary.Tally.Add(d)
	r.found.add(store.Diagnostic{Diagnostic: d, Source: source, Item: item, Count: 1})
}

// keep notes findings that were collected.
func (r *run) keep(list []store.Diagnostic) {
	for _, d := range list {
		r.summary.Tally.Add(d.Diagnostic)
		r.summary.Tally.More(d.Code, int(d.Count)-1)
		r.found.add(d)
	}
}

// flushDiags hands the findings since the last source to the store.
func (r *run) flushDiags(ctx context.Context) error {
	list := r.found.take()
	if len(list) == 0 {
		return nil
	}
	return r.do(ctx, func(w *store.Writer) error { return w.PutDiagnostics(list) })
}

// add adds counters to those of the run.
func (r *run) add(c ledger.Counts) { r.summary.Run.Counts.Add(c) }
