package export

import (
	"fmt"
	"time"

	"rollbook/internal/transcript"
)

// A page takes what is shown of a thread, in reading order. Text and Markdown
// are pages; the walker decides what they get.
type page interface {
	head(t *transcript.Thread)
	turn(tn *turn)                // a turn begins
	goesOn(tn *turn)              // what follows is of a turn that began before
	event(ev *transcript.Event)   // messages, reasoning, compactions, context, notices
	call(c *call)                 // a call, with its result unless that is still to come
	result(c *call)               // the result of a call that was shown before
	marked(line int, where where) // where the line that was asked for lies
	foot(tn *turn)                // the turn ends
	end(s *summary)
	err() error // why nothing more can be written
}

// where says how a marked line lies to what is shown next.
type where uint8

const (
	nowhere where = iota
	here          // it is the record of what follows
	before        // it lies before what follows, and nothing is shown of it
	behind        // it lies behind all that was shown
)

// A summary is what the turns that were shown come to.
type summary struct {
	turns int
	calls int
	usage transcript.TokenUsage
	time  time.Duration // of the turns; their pauses are not counted
	files changedFiles
}

// A walker goes over a thread's events once and gives a page what the options
// choose of them.
type walker struct {
	o     Options
	page  page
	turns *tracker
	calls callQueue
	shown *turn // whose beginning was written last
	sum   summary
	file  string // that Options.Around is about
	found bool   // its line was marked
}

// walk writes one thread to a page.
func walk(t *transcript.Thread, o Options, p page) error {
	w := &walker{o: o, page: p, turns: newTracker(), sum: summary{files: newChangedFiles(t.Project)}}
	if o.Around.Line > 0 {
		turns, file, err := around(t, o.Around)
		if err != nil {
			return fmt.Errorf("thread %s: %w", t.ID, err)
		}
		w.o.Turns, w.file = turns, file
	}
	p.head(t)
	for ev, err := range t.Events {
		if err != nil {
			w.flush(len(w.calls.held))
			p.end(&w.sum)
			return fmt.Errorf("thread %s: %w", t.ID, err)
		}
		if !w.take(ev) || p.err() != nil {
			break
		}
	}
	w.flush(len(w.calls.held))
	if w.file != "" && !w.found {
		p.marked(o.Around.Line, behind)
	}
	p.end(&w.sum)
	return p.err()
}

// take takes one event. It reports false where no more of them is wanted.
func (w *walker) take(ev *transcript.Event) bool {
	w.turns.step(ev)
	tn := w.turns.at
	wanted := w.wanted(tn)
	switch {
	case ev.Kind == transcript.ToolResult:
		w.result(ev)
	case ev.Kind == transcript.ToolCall && wanted:
		w.hold(ev)
	case ev.Kind == transcript.ToolCall:
		w.calls.skip(ev)
	case wanted:
		w.other(ev, tn)
	default:
		return !w.o.Turns.ended(tn.number) || w.calls.pending() || w.turns.pending(w.o.Turns)
	}
	return true
}

func (w *walker) wanted(tn *turn) bool { return w.o.Turns.Has(tn.number) }

// begin writes the beginning of a turn, once, or that it goes on.
func (w *walker) begin(tn *turn) {
	switch {
	case w.shown == tn:
	case tn.begun:
		w.page.goesOn(tn)
	case tn.number > 0:
		tn.begun = true
		w.sum.turns++
		w.page.turn(tn)
	}
	w.shown = tn
}

// other takes an event that is neither call nor result.
func (w *walker) other(ev *transcript.Event, tn *turn) {
	switch ev.Kind {
	case transcript.TurnStart:
		w.flush(len(w.calls.held))
		w.begin(tn)
		w.mark(w.whereIs(ev))
		return
	case transcript.Usage:
		addUsage(&tn.usage, ev.Usage)
		addUsage(&w.sum.usage, ev.Usage)
		return
	case transcript.TurnEnd:
		w.finish(ev, tn)
		return
	case transcript.Context:
		if !w.o.All {
			tn.hide(ev)
			return
		}
	case transcript.Assistant:
		if ev.Text == "" && len(ev.Images) == 0 {
			return // Codex shows none of these either
		}
	case transcript.User:
		if words, wrapped := transcript.Unwrap(ev.Text); wrapped && !w.o.All {
			if tn.hiddenBytes += len(ev.Text) - len(words); words == "" && len(ev.Images) == 0 {
				tn.hidden++
				return
			}
		}
	}
	w.flush(len(w.calls.held))
	w.begin(tn)
	w.mark(w.whereIs(ev))
	w.page.event(ev)
}

func (tn *turn) hide(ev *transcript.Event) {
	tn.hidden++
	tn.hiddenBytes += len(ev.Text)
}

// finish writes the end of a turn.
func (w *walker) finish(ev *transcript.Event, tn *turn) {
	if tn.footed {
		return
	}
	tn.footed = true
	w.flush(len(w.calls.held))
	w.begin(tn)
	w.mark(w.whereIs(ev))
	w.sum.time += tn.duration
	w.page.foot(tn)
}

// whereIs tells how the line that was asked for lies to an event.
func (w *walker) whereIs(ev *transcript.Event) where {
	switch {
	case w.file == "" || w.found || ev.Source.File != w.file || ev.Source.Line < w.o.Around.Line:
		return nowhere
	case ev.Source.Line == w.o.Around.Line:
		w.found = true
		return here
	}
	w.found = true
	return before
}

func (w *walker) mark(at where) {
	if at != nowhere {
		w.page.marked(w.o.Around.Line, at)
	}
}
