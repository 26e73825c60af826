package ingest

import (
	"context"

	"rollbook/internal/store"
)

// Recall gives what a store holds already.
func Recall(r *store.Reader) (Known, error) {
	sources, err := r.Sources()
	if err != nil {
		return Known{}, err
	}
	threads, err := r.Threads()
	return Known{sources, threads}, err
}

// Plan says what Run would do, and changes nothing. Where the limit for records
// would stop it cannot be told without reading.
func Plan(ctx context.Context, known Known, paths []string, opt Options) (*Summary, error) {
	r := newRun(opt, known)
	for _, name := range paths {
		if err := r.plan(ctx, name); err != nil {
			return r.summary, err
		}
	}
	return r.summary, nil
}

func (r *run) plan(ctx context.Context, name string) error {
	rt, err := r.open(ctx, name)
	if err != nil {
		return err
	}
	defer rt.close()
	sum := Root{Path: rt.chosen(), Kind: rt.kind(), Actions: make(map[Action]int)}
	for _, j := range rt.jobs() {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		v, err := r.decide(rt, j)
		if err != nil {
			v = verdict{action: Skip, code: FileUnread, why: err.Error()}
		}
		if v.action == Skip {
			r.refuse(v, j.path(), "")
		}
		sum.Actions[v.action]++
	}
	r.summary.Roots = append(r.summary.Roots, sum)
	r.found.take()
	return nil
}

// decide decides about a thread or a document.
func (r *run) decide(rt *root, j job) (verdict, error) {
	if j.thread == nil {
		return r.judgeDocument(rt, j.doc)
	}
	return r.judgeThread(rt, j.thread)
}

func (j job) path() string {
	if j.doc != nil {
		return j.doc.path
	}
	return j.thread.last().Path
}
