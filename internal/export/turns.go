package export

import (
	"time"

	"rollbook/internal/transcript"
)

// A turn is what is known of one while its events are read.
type turn struct {
	number     int // from 1; 0 is what lies before the first one
	id         string
	model      string
	inherited  bool
	rolledBack bool

	start, last   time.Time
	duration      time.Duration // as recorded, else between the first and the last record; 0 where not known
	begun, footed bool          // its beginning and its end were written
	ended         bool
	status        string // of its end, as in transcript.Event
	why           string // an error, or why it was stopped
	usage         transcript.TokenUsage
	calls         int
	hidden        int // events of context that are not shown
	hiddenBytes   int
}

// A tracker numbers the turns of a thread and tells to which one an event
// belongs: the one that was begun last, unless the event names another one
// that has no end yet (two processes may have written one file).
type tracker struct {
	at   *turn
	n    int
	open map[string]*turn
}

// maxOpen bounds the turns that are held without an end. A killed turn never
// gets one.
const maxOpen = 64

func newTracker() *tracker {
	return &tracker{at: new(turn), open: make(map[string]*turn)}
}

// step takes each event in order; tracker.at is the event's turn then.
func (t *tracker) step(ev *transcript.Event) {
	if ev.Kind == transcript.TurnStart {
		t.begin(ev)
		return
	}
	if other := t.open[ev.TurnID]; ev.TurnID != "" && other != nil {
		t.at = other
	}
	if !ev.Time.IsZero() && ev.Origin != transcript.Synthetic { // what we made has the time of a later record
		if t.at.start.IsZero() {
			t.at.start = ev.Time
		}
		t.at.last = ev.Time
	}
	if ev.Kind == transcript.TurnEnd {
		t.end(ev)
	}
}

func (t *tracker) begin(ev *transcript.Event) {
	t.n++
	t.at = &turn{number: t.n, id: ev.TurnID, model: ev.Model, inherited: ev.Inherited, rolledBack: ev.RolledBack,
		start: ev.Time, last: ev.Time}
	if ev.TurnID == "" {
		return
	}
	if len(t.open) >= maxOpen {
		clear(t.open)
	}
	t.open[ev.TurnID] = t.at
}

func (t *tracker) end(ev *transcript.Event) {
	delete(t.open, t.at.id)
	if t.at.ended {
		return
	}
	t.at.ended, t.at.status, t.at.why = true, ev.Status, ev.Text
	if ev.Duration != nil {
		t.at.duration = *ev.Duration
	} else if d := t.at.last.Sub(t.at.start); d > 0 {
		t.at.duration = d
	}
}

// pending reports whether a turn of the range has no end yet.
func (t *tracker) pending(r Turns) bool {
	for _, tn := range t.open {
		if tn != t.at && r.Has(tn.number) {
			return true
		}
	}
	return false
}

func addUsage(sum *transcript.TokenUsage, u *transcript.TokenUsage) {
	if u == nil {
		return
	}
	sum.Input += u.Input
	sum.CachedInput += u.CachedInput
	sum.Output += u.Output
	sum.ReasoningOutput += u.ReasoningOutput
	sum.Total += u.Total
}
