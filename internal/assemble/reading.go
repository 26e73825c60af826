package assemble

import (
	"context"
	"fmt"
	"io"
	"math"

	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/transcript"
)

// ReadOptions says how a thread is read for a store.
type ReadOptions struct {
	// Line is the longest line that is kept, in bytes, its line feed included;
	// a longer one is a loss. 0 keeps every line that Thread keeps.
	Line int64
	// From is where to go on; nil reads everything.
	From *Mark
	// Digest is asked once for each file of the thread that is read, and what it
	// returns is given the file's text, after decompression, once and in order:
	// from the mark on where the reading goes on there. It may be nil, and so
	// may be what it returns.
	Digest func(ref *discover.Ref) io.Writer
	// Report takes what was found wrong; nil stands for the library's own.
	Report func(diag.Diagnostic)
}

// A Reading is a thread as a store takes it: the active view, and an account of
// every line of its files.
type Reading struct {
	// Thread is the active view. Where the reading was resumed, its meta is of
	// the whole thread and its events are those behind the mark.
	Thread *transcript.Thread
	// UserEvents says that some event of the thread's files shows a user
	// message: no user item is a message of its own then (F16).
	UserEvents bool
	// Files has one account for each file of the thread, oldest first, also for
	// those that the active view leaves out. Where the reading was resumed, it
	// has that of the current file alone.
	Files   []FileAccount
	Resumed bool
	Gaps    int // of the chain of bases

	// Mark gives, once the events were ranged over to their end, where the next
	// reading can go on; nil where it cannot.
	Mark func() *Mark
}

// Read reads a thread with an account of every line of its files: whole, or from
// a mark on, which may end with ErrNotResumable.
func (l *Library) Read(ctx context.Context, id string, opt ReadOptions) (*Reading, error) {
	g := l.threads[id]
	if g == nil {
		return nil, fmt.Errorf("thread %s: not found", id)
	}
	report := opt.Report
	if report == nil {
		report = l.report
	}
	reader := l.with(report, nil)
	reader.line, reader.digest, reader.books = opt.Line, opt.Digest, true
	var sv *survey
	var err error
	r := &Reading{Resumed: opt.From != nil}
	if r.Resumed {
		if sv, err = reader.resume(ctx, g, opt.From); err == nil {
			r.Files = []FileAccount{sv.account()}
		}
	} else if sv, err = reader.survey(ctx, g, reader.chain(g)); err == nil {
		r.Files, err = reader.accounts(ctx, g, sv)
	}
	if err != nil {
		return nil, err
	}
	var read *emitter
	r.UserEvents, r.Gaps = !sv.itemsOnly, sv.gaps()
	r.Thread = &transcript.Thread{Meta: reader.meta(g, sv, transcript.Active), View: transcript.Active}
	r.Thread.Events = func(yield func(*transcript.Event, error) bool) {
		read = reader.events(ctx, sv, transcript.Active, yield)
	}
	r.Mark = func() *Mark {
		if read == nil {
			return nil
		}
		return reader.mark(g, read)
	}
	return r, nil
}

// account gives the account of the current file, in a reading that went on.
func (sv *survey) account() FileAccount {
	s := &sv.spans[0]
	t := sv.books.count(sv, s.first, s.last)
	t.add(sv.from.Tally)
	return t.account(s)
}

// accounts gives an account of each file of a thread that was surveyed.
func (l *Library) accounts(ctx context.Context, g *group, sv *survey) ([]FileAccount, error) {
	spans := make(map[*discover.Ref]*span)
	for i := range sv.spans {
		spans[sv.spans[i].ref] = &sv.spans[i]
	}
	files := make([]FileAccount, 0, len(g.files))
	for _, ref := range g.files {
		var t tally
		s := spans[ref]
		if s != nil {
			t = sv.books.count(sv, s.first, s.last)
		}
		if s == nil || s.base != nil {
			rest, err := l.restOf(ctx, g, ref, s, sv.itemsOnly)
			if err != nil {
				return nil, err
			}
			t.add(rest.tally)
			s = &rest.span
		}
		files = append(files, t.account(s))
	}
	return files, nil
}

// A rest is what the active view leaves out of a file.
type rest struct {
	span  span
	tally tally
}

// restOf reads a file of which the active view holds the span above, or nothing,
// and counts what the view leaves out of it: a revert took that back.
func (l *Library) restOf(ctx context.Context, g *group, ref *discover.Ref, above *span, itemsOnly bool) (*rest, error) {
	from, lost := int64(0), false
	if above != nil {
		from, lost = above.end, above.lost != ""
	}
	if from < 0 {
		from = math.MaxInt64 // it could not be read so far
	}
	reader := *l
	reader.report = func(d diag.Diagnostic) {
		if d.Line > 0 && d.Offset >= from || d.Line == 0 && !lost {
			l.report(d)
		}
	}
	all := newSpan(ref)
	all.split = from
	sv, err := reader.walk(ctx, g, []span{all}, nil)
	if err == nil && itemsOnly {
		sv, err = reader.walk(ctx, g, sv.spans, sv)
	}
	if err != nil {
		return nil, err
	}
	r := &rest{span: sv.spans[0]}
	if r.span.behind > 0 {
		r.tally = sv.books.count(sv, r.span.behind, r.span.last)
		r.tally.revert()
	}
	return r, nil
}
