package publish

import (
	"context"
	"errors"
	"io"
	"time"
)

// A Result is what a sync did.
type Result struct {
	Entries  []Entry
	RunID    string // empty: no log was written
	Manifest string // what a rollback of this run takes; empty with RunID
}

// A run is one Apply, which holds the lock.
type run struct {
	t      *tree
	id     string
	now    time.Time
	plan   *Plan
	write  []func(context.Context, io.Writer) (Converted, error) // by entry
	state  *state
	decide decider
	staged []*staged
}

// Apply does what a plan says. It looks at everything once more under the lock,
// as the time between is anybody's: what changed by then is decided anew, so the
// entries of the result may differ from those of the plan. An error is one of
// the whole run; what became of each session is in the result beside it.
func (t *Target) Apply(ctx context.Context, p *Plan) (*Result, error) {
	if !p.Changes() {
		return &Result{Entries: p.Entries}, nil
	}
	at, done, err := t.create()
	if err != nil {
		return nil, err
	}
	res, err := t.apply(ctx, at, p)
	return res, errors.Join(err, done())
}

func (t *Target) apply(ctx context.Context, at *tree, p *Plan) (*Result, error) {
	fresh, s, err := at.plan(ctx, p.candidates, p.force)
	if err != nil {
		return nil, err
	}
	if !fresh.Changes() {
		return &Result{Entries: fresh.Entries}, nil
	}
	now := t.now()
	r := &run{t: at, id: newRunID(now), now: now, plan: fresh, state: s}
	r.decide = decider{t: at, state: s, force: p.force}
	for _, c := range p.candidates { // without <metadata>, entries and candidates agree
		r.write = append(r.write, c.Write)
	}
	err = r.sync(ctx)
	res := &Result{Entries: fresh.Entries}
	if len(r.staged) > 0 {
		res.RunID, res.Manifest = r.id, at.absolute(archiveName(r.id))
	}
	return res, err
}

func (r *run) sync(ctx context.Context) error {
	r.state.settle(r.t, r.now)
	r.sweep()
	for i := range r.plan.Entries {
		if err := ctx.Err(); err != nil {
			return r.abort(err)
		}
		if changesLog(r.plan.Entries[i].Outcome) {
			r.prepare(ctx, i)
		}
	}
	for _, e := range r.plan.Entries {
		if e.Outcome == Adopted {
			r.state.record(e.Key, e.Digest, r.now)
		}
	}
	if len(r.staged) > 0 {
		return r.commit(ctx)
	}
	if !r.plan.Changes() {
		return nil // what was planned could not be staged
	}
	return r.t.writeState(r.state)
}

// sweep removes what a run that was cut short left where this one writes.
func (r *run) sweep() {
	r.t.sweep(".")
	r.t.sweep(archiveDir)
	r.t.sweep(resultDir)
	swept := make(map[string]bool)
	for _, e := range r.plan.Entries {
		if dir := r.t.project(e.Key); changesLog(e.Outcome) && !swept[dir] {
			swept[dir] = true
			r.t.sweep(dir)
		}
		if e.Outcome == Refreshed {
			r.t.sweep(r.t.dir(e.Key))
		}
	}
}

func changesLog(o Outcome) bool { return o == Installed || o == Refreshed }

// prepare stages one session, and its backup. It may come out that there is
// nothing to be done any more, or that it cannot be.
func (r *run) prepare(ctx context.Context, i int) {
	e := &r.plan.Entries[i]
	s, c, err := r.stage(ctx, i)
	if planned := r.plan.candidates[i].Converted; err == nil && c != planned {
		r.plan.candidates[i].Converted = c // the thread grew
		was := e.Outcome
		if *e = r.decide.judge(r.plan.candidates[i]); e.Outcome != was {
			if changesLog(e.Outcome) {
				*e = Entry{Key: e.Key, Outcome: LeftAlone, Digest: e.Digest, Reason: errMoved.Error()}
			}
			r.discard(s)
			return
		}
	}
	if err == nil && e.Outcome == Refreshed {
		err = r.backup(s, e)
	}
	if err != nil {
		r.discard(s)
		r.dropBackup(e)
		r.fail(i, err)
		return
	}
	r.staged = append(r.staged, s)
}

// fail records that a session could not be done, or why it is left alone.
func (r *run) fail(i int, err error) {
	e := &r.plan.Entries[i]
	e.Outcome, e.Reason = Failed, err.Error()
	if errors.Is(err, errMoved) {
		e.Outcome, e.Reason = LeftAlone, r.moved(i)
	}
}

// moved says what became of a log that is no longer what it was.
func (r *run) moved(i int) string {
	if now := r.decide.judge(r.plan.candidates[i]); now.Outcome == LeftAlone || now.Forced {
		return now.Reason
	}
	return errMoved.Error()
}

// abort gives up what was staged.
func (r *run) abort(err error) error {
	for _, s := range r.staged {
		r.discard(s)
		r.dropBackup(&r.plan.Entries[s.at])
	}
	for i, e := range r.plan.Entries {
		if changesLog(e.Outcome) || e.Outcome == Adopted {
			r.plan.Entries[i].Outcome, r.plan.Entries[i].Reason = Failed, err.Error()
		}
	}
	r.staged = nil
	return err
}

// commit writes down what is to come, and then puts each log in its place.
func (r *run) commit(ctx context.Context) error {
	m := newManifest(r.t.absolute(r.t.base), r.id, r.now)
	r.state.Pending = make(map[string]string)
	for _, s := range r.staged {
		e := r.plan.Entries[s.at]
		r.state.Pending[e.Key] = e.Digest.String()
		if e.Outcome == Installed {
			m.Remove = append(m.Remove, removal{e.Key, e.Digest.String()})
		} else {
			m.Restore = append(m.Restore, restore{e.Key, e.Backup, e.Previous.String(), e.Digest.String(), e.Forced})
		}
	}
	err := r.t.writeState(r.state)
	if err == nil {
		err = m.write(r.t)
	}
	if err != nil {
		r.state.Pending = nil
		r.t.writeState(r.state) // if it can be written: what is pending does no harm
		return r.abort(err)
	}
	for _, s := range r.staged {
		err := ctx.Err()
		if err == nil {
			err = r.place(s)
		}
		if err != nil {
			r.discard(s)
			r.fail(s.at, err)
			continue
		}
		e := r.plan.Entries[s.at]
		r.state.record(e.Key, e.Digest, r.now)
		delete(r.state.Pending, e.Key)
	}
	r.state.settle(r.t, r.now)
	return errors.Join(ctx.Err(), r.t.writeState(r.state))
}

// place looks at a session's place for the last time and puts the log there.
func (r *run) place(s *staged) error {
	e := &r.plan.Entries[s.at]
	now := r.decide.judge(r.plan.candidates[s.at])
	if now.Outcome != e.Outcome || now.Previous != e.Previous || now.Frames != e.Frames {
		return errMoved
	}
	if e.Outcome == Installed {
		return r.install(s, e.Key)
	}
	return r.replace(s, e.Key)
}
