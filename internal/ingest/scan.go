package ingest

import (
	"context"
	"errors"

	"rollbook/internal/discover"
	"rollbook/internal/query"
	"rollbook/internal/store"
	"rollbook/internal/transcript"
)

// A Scanned is an event of a walk over files, as an import would store it. It is
// reused: copy what is to be kept.
type Scanned struct {
	Event   *transcript.Event // Source.File is relative to Root
	Info    *store.RowInfo
	Root    string
	Title   string
	Project string
	Orphan  bool // the thread's parent is not among the files
}

// Document is the event as a query looks at it.
func (sc *Scanned) Document() *query.Document {
	ev, at := sc.Event, sc.Info
	d := &query.Document{Text: store.TextOf(ev), Role: store.RoleOf(ev).String(), Kind: ev.Kind.String(), Project: at.Project, Thread: at.Thread,
		File: sc.Root + "/" + ev.Source.File, Time: at.Time, Image: len(ev.Images) > 0, Change: len(ev.Changes) > 0,
		Error: ev.IsError != nil && *ev.IsError || at.Flags&store.IsError != 0, Natural: at.Flags&store.Natural != 0, Inherited: ev.Inherited, Orphan: sc.Orphan}
	if d.Project == "" {
		d.Project = sc.Project
	}
	if ev.Kind == transcript.ToolCall || ev.Kind == transcript.ToolResult {
		d.Tool = store.ToolOf(ev)
	}
	if !store.Searched(d.Kind) {
		d.Kind = "" // turns and token counts are in no index
	}
	return d
}

// Scan walks over what lies at the paths as an import does, without a store and
// without limits for files and records, and hands over each event. What could not
// be read is in the summary. Where yield gives an error, Scan ends with it.
func Scan(ctx context.Context, paths []string, opt Options, yield func(*Scanned) error) (*Summary, error) {
	opt.MaxFile, opt.MaxRecords = None, None
	r := newRun(opt, Known{Sources: map[string]*store.Source{}, Threads: map[string]*store.Thread{}})
	for _, name := range paths {
		if err := r.scan(ctx, name, yield); err != nil {
			return r.summary, err
		}
	}
	return r.summary, nil
}

func (r *run) scan(ctx context.Context, name string, yield func(*Scanned) error) error {
	rt, err := r.open(ctx, name)
	if err != nil {
		return err
	}
	defer rt.close()
	jobs := rt.jobs()
	r.total(rt, jobs)
	for _, j := range jobs {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		var found *findings
		if j.thread != nil {
			rd := r.newReading(rt, j.thread, verdict{action: Add}, nil)
			err, found = rd.scan(ctx, yield), &rd.own
		} else {
			rd := &docReading{run: r, rt: rt, doc: j.doc, key: rt.abs(j.doc.path), v: verdict{action: Add}}
			err, found = rd.scan(yield), &rd.own
		}
		r.keep(found.take())
		r.found.take()
		if stop := (*stopError)(nil); errors.As(err, &stop) {
			return stop.err
		}
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			r.refuse(verdict{code: FileUnread, why: err.Error()}, j.path(), "")
		}
	}
	return nil
}

// A stopError is what yield wants to end with.
type stopError struct{ err error }

func (e *stopError) Error() string { return e.err.Error() }

func (rd *reading) scan(ctx context.Context, yield func(*Scanned) error) error {
	if err := rd.open(ctx); err != nil {
		return err
	}
	meta := rd.meta()
	var held heldCalls
	s := Scanned{Root: rd.rt.home.Path(), Title: meta.Title, Project: meta.Project, Orphan: rd.orphan()}
	for ev, err := range rd.read.Thread.Events {
		if err != nil {
			return err
		}
		if rd.seq = ev.Seq; ev.Kind == transcript.TurnStart {
			rd.turn++
		}
		e, at, ok := rd.prepare(ev, rd.keys[ev.Source.File])
		if !ok {
			continue
		}
		s.Event, s.Info = &e, &at
		if err := held.pass(&s, yield); err != nil {
			return &stopError{err}
		}
	}
	return held.flush(yield)
}

// A heldCalls keeps calls until their result tells whether they failed.
type heldCalls struct{ byID map[string]Scanned }

// mostHeld bounds the calls whose result is still to come.
const mostHeld = 10_000

func (h *heldCalls) pass(s *Scanned, yield func(*Scanned) error) error {
	id := s.Event.CallID
	switch {
	case id == "":
	case s.Event.Kind == transcript.ToolCall:
		if len(h.byID) >= mostHeld {
			if err := h.flush(yield); err != nil {
				return err
			}
		}
		ev, at := *s.Event, *s.Info
		c := *s
		c.Event, c.Info = &ev, &at
		if h.byID == nil {
			h.byID = make(map[string]Scanned)
		}
		h.byID[id] = c
		return nil
	case s.Event.Kind == transcript.ToolResult:
		c, ok := h.byID[id]
		if !ok {
			break
		}
		delete(h.byID, id)
		if failed := s.Event.IsError; failed != nil && *failed {
			c.Info.Flags |= store.IsError
		}
		if err := yield(&c); err != nil {
			return err
		}
	}
	return yield(s)
}

// flush gives the calls that have no result.
func (h *heldCalls) flush(yield func(*Scanned) error) error {
	for id, c := range h.byID {
		delete(h.byID, id)
		if err := yield(&c); err != nil {
			return &stopError{err}
		}
	}
	return nil
}

// orphan reports whether the thread took something over from a parent that is
// not here.
func (rd *reading) orphan() bool {
	m := &rd.read.Thread.Meta
	if m.ForkedFrom == "" && m.ParentID == "" {
		return false
	}
	return len(rd.rt.lib.Refs(m.ForkedFrom))+len(rd.rt.lib.Refs(m.ParentID)) == 0
}

func (rd *docReading) scan(yield func(*Scanned) error) error {
	if err := rd.open(); err != nil {
		return err
	}
	var held heldCalls
	s := Scanned{Root: rd.rt.home.Path()}
	for en, err := range rd.read.Entries {
		if err != nil {
			return err
		}
		if en.Thread != nil {
			continue
		}
		rd.seq++
		at := rd.prepare(en)
		at.Time = en.Event.Time
		s.Event, s.Info, s.Project = &en.Event, &at, en.Project
		s.Title = ""
		if t, ok := rd.titles()[en.ThreadID]; ok && t.Text != "" {
			s.Title = t.Text
		}
		if s.Project == "" && rd.rt.known != nil && rd.rt.known.State != nil {
			s.Project = rd.rt.known.State.Threads[en.ThreadID].Cwd
		}
		if err := held.pass(&s, yield); err != nil {
			return &stopError{err}
		}
	}
	return held.flush(yield)
}

func (rd *docReading) titles() map[string]discover.Title {
	if rd.rt.known == nil {
		return nil
	}
	return rd.rt.known.Titles
}
