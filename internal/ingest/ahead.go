package ingest

import (
	"context"
	"sync"

	"rollbook/internal/store"
)

// An ahead surveys the threads that the store does not know while the events of
// the one before are read, so that both cores have work. What is decided about
// such a thread does not depend on those before it.
type ahead struct {
	opened chan opened
	queue  []*threadJob
}

// An opened is a thread whose survey is done.
type opened struct {
	rd  *reading
	err error
}

// surveyAhead begins to survey what is new. stop ends it, and must be called.
func (r *run) surveyAhead(ctx context.Context, rt *root, jobs []job) (stop func()) {
	var queue []*threadJob
	for _, j := range jobs {
		if t := j.thread; t != nil && r.isNew(t) && r.tooLarge(t) == nil {
			queue = append(queue, t)
		}
	}
	if len(queue) < 2 {
		return func() {}
	}
	olds := make([]*store.Thread, len(queue)) // the map that they are in changes meanwhile
	for i, t := range queue {
		olds[i] = r.known.Threads[t.id]
	}
	ctx, cancel := context.WithCancel(ctx)
	a := &ahead{opened: make(chan opened), queue: queue}
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(a.opened)
		for i, t := range queue {
			rd := r.newReading(rt, t, verdict{action: Add}, olds[i])
			select {
			case a.opened <- opened{rd, rd.open(ctx)}:
			case <-ctx.Done():
				return
			}
		}
	})
	rt.ahead = a
	return func() {
		rt.ahead = nil
		cancel()
		wg.Wait()
	}
}

// isNew reports whether no rollout has told the store of a thread.
func (r *run) isNew(t *threadJob) bool {
	st := r.known.Threads[t.id]
	return st == nil || st.Current == ""
}

// take gives the survey of a thread, if one was begun.
func (a *ahead) take(t *threadJob) (*reading, error, bool) {
	if len(a.queue) == 0 || a.queue[0] != t {
		return nil, nil, false
	}
	a.queue = a.queue[1:]
	o, ok := <-a.opened
	return o.rd, o.err, ok
}
