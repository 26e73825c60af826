package assemble

import (
	"time"

	"github.com/google/uuid"

	"rollbook/internal/rollout"
)

// A prefix follows the part of a file that was copied from a parent thread:
// legacy forks copy the parent's lines whole, stamped anew (F6), and so do
// sub-agents that were given the parent's history (F8).
//
// It opens with the header of another thread in the first burst of lines, or
// where the first header says that the thread was forked and no base holds its
// history. It ends with the
// thread's own first turn: a turn id is a UUIDv7, and one made after the
// thread's own id is not copied. Where turns have no ids (before 0.101) it ends
// with the burst of lines of one second; and it ends where the thread's own
// header stands again.
type prefix struct {
	id     string    // of the thread
	made   time.Time // when the thread's id was made
	from   time.Time // of the first copied line
	last   time.Time // of the record before
	open   bool
	turns  bool // a copied turn has an id
	closed bool
	below  int64 // ordinals below this are inherited; 0 for none
}

// Copying a thread is one burst of lines: real forks of 1,604 lines took 0.18 s.
// A pause, or a second since it began, ends it.
const (
	pause = 200 * time.Millisecond
	burst = time.Second
)

// tick takes every item of a file, before see does: it ends a prefix whose turns
// have no ids where the burst is over.
func (x *prefix) tick(p *pass, rec record) {
	t := recordTime(&rec.Envelope)
	if t.IsZero() {
		return
	}
	if x.open && !x.turns && !x.from.IsZero() && (t.Sub(x.from) >= burst || t.Sub(x.last) >= pause) {
		x.end(p, rec.n)
	}
	x.last = t
}

// see takes each record of a span that the survey decodes, in order.
func (x *prefix) see(p *pass, rec record, payload rollout.Payload) {
	if rec.span.inherited {
		return
	}
	if m, ok := payload.(*rollout.SessionMeta); ok {
		x.meta(p, rec, m)
	}
	if x.below > 0 {
		if o, ok := rec.Envelope.Ordinal.Int(); ok && o >= x.below {
			x.end(p, rec.n)
			x.below = 0
		}
		return
	}
	if x.open && x.over(payload) {
		x.end(p, rec.n)
	}
	if c, ok := payload.(*rollout.TurnComplete); ok && !x.open && x.own(c.TurnID) {
		x.closed = true // what was copied stands before the thread's own turns
	}
}

// copiedMeta reports whether the head of the file says of a header that it was
// copied: the thread's own stands before it, be it unreadable.
func copiedMeta(rec record, m *rollout.SessionMeta) bool {
	return m.ID != rec.span.ref.ID && m.ID == rec.span.ref.CopiedFrom
}

// meta takes a header. The first one is the thread's own.
func (x *prefix) meta(p *pass, rec record, m *rollout.SessionMeta) {
	switch {
	case x.id == "" && copiedMeta(rec, m):
		x.id, x.made = rec.span.ref.ID, idTime(rec.span.ref.ID, "")
		x.open, x.from = true, recordTime(&rec.Envelope)
		p.own = rec.n
	case x.id == "":
		x.id = m.ID
		x.made = idTime(m.ID, m.Timestamp)
		x.from = recordTime(&rec.Envelope)
		x.open = m.ForkedFromID != "" && !m.HistoryBase.OK()
		if m.OwnFrom.OK && m.OwnFrom.Value > 0 {
			x.below = m.OwnFrom.Value
		}
		p.own = rec.n + 1
	case m.ID == x.id:
		if x.open && x.turns {
			x.end(p, rec.n)
		}
	default:
		if at := recordTime(&rec.Envelope); !x.open && !x.closed && (x.from.IsZero() || at.Sub(x.from) < burst) {
			x.open, x.from = true, at
		}
	}
}

// over reports whether a payload is of the thread's own first turn.
func (x *prefix) over(payload rollout.Payload) bool {
	id := ""
	switch q := payload.(type) {
	case *rollout.TurnStarted:
		id = q.TurnID
	case *rollout.TurnContext:
		id = q.TurnID
	}
	x.turns = x.turns || !idTime(id, "").IsZero()
	return x.own(id)
}

// own reports whether the id is of a turn that was made in the thread.
func (x *prefix) own(turn string) bool {
	made := idTime(turn, "")
	return !made.IsZero() && !made.Before(x.made.Truncate(time.Millisecond))
}

// inside reports whether the record at hand is copied.
func (x *prefix) inside() bool { return x.open || x.below > 0 }

// end closes the prefix before record n.
func (x *prefix) end(p *pass, n int32) {
	if p.own < n {
		p.inherited.add(p.own, n)
	}
	p.own = n
	x.open, x.closed = false, true
}

// finish is called behind the last record of a file. A prefix that is open
// there reaches to its end: nothing was said in the thread itself.
func (x *prefix) finish(p *pass) {
	if x.open || x.below > 0 {
		x.end(p, p.records+1)
	}
}

// idTime is the time that a UUIDv7 was made at, or the given time where the id
// is none.
func idTime(id, otherwise string) time.Time {
	if u, err := uuid.Parse(id); err == nil && u.Version() == 7 {
		sec, nsec := u.Time().UnixTime()
		return time.Unix(sec, nsec).UTC().Truncate(time.Millisecond)
	}
	t, err := time.Parse(time.RFC3339Nano, otherwise)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
