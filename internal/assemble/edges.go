package assemble

import (
	"time"

	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// turnEdges sends the ends and starts of turns that a record brings. Where no
// mark is recorded (before 0.101, or in a killed turn) they are made here.
// A turn outside the view ends the one before it, and has no edges of its own.
func (e *emitter) turnEdges(p rollout.Payload, closed int, seen bool) {
	if last := len(e.turns.all) - 1; last > e.begun {
		if _, marked := p.(*rollout.TurnStarted); marked || !seen {
			e.flush()
		}
		// A user item that waits for the event at hand belongs behind the
		// start of the turn that the event opens.
		e.held.kept = true
		e.endOpenTurn(last)
		e.begun = last
		e.shown.clear()
		clear(e.reasons)
		e.compactions = 0
		if e.turns.all[last].sent = !seen; seen {
			e.take(last)
			e.startTurn(last)
		}
		e.held.kept = false
	}
	if closed >= 0 && seen && !e.turns.all[closed].sent {
		e.endTurn(p, closed)
	}
}

func (e *emitter) startTurn(i int) {
	t := &e.turns.all[i]
	origin := transcript.Synthetic
	if t.marked {
		origin = transcript.Recorded
	}
	ev := e.event(transcript.TurnStart, origin)
	ev.TurnID, ev.Model = t.id, e.sv.turns.all[i].model
	e.send()
}

// endTurn sends the recorded end of a turn.
func (e *emitter) endTurn(p rollout.Payload, i int) {
	t := &e.turns.all[i]
	t.sent = true
	ev := e.event(transcript.TurnEnd, transcript.Recorded)
	ev.TurnID = t.id
	switch p := p.(type) {
	case *rollout.TurnComplete:
		ev.Status, ev.Duration = "completed", millis(p.DurationMS)
		if p.Error.OK {
			ev.Status, ev.Text = "failed", p.Error.Message.String()
		}
	case *rollout.TurnAborted:
		ev.Status, ev.Text, ev.Duration = "aborted", p.Reason, millis(p.DurationMS)
	}
	if e.sv.session {
		ev.Last = first(e.rec.Envelope.Payload, "last_agent_message", "lastAgentMessage", "message")
	}
	e.send()
}

// endOpenTurn makes the end of the turn that was begun last, if it has none
// and the survey saw none: it was killed, is still being written, or is of a
// time without marks.
func (e *emitter) endOpenTurn(next int) { // next is the turn that begins, or their number at the end
	i := e.begun
	if i < 0 || e.turns.all[i].sent {
		return
	}
	t := &e.sv.turns.all[i]
	if t.marked && t.end != 0 && next < len(e.turns.all) {
		return // two turns at once: its end is still to come
	}
	e.turns.all[i].sent = true
	status := "open"
	switch {
	case t.aborted:
		status = "aborted"
	case !t.marked && t.answers+t.items > 0:
		status = "completed"
	}
	ev := e.event(transcript.TurnEnd, transcript.Synthetic)
	ev.TurnID, ev.Status = t.id, status
	if !e.last.IsZero() {
		ev.Source, ev.Time = e.last, e.lastTime
	}
	e.send()
}

func millis(n rollout.Opt[int64]) *time.Duration {
	if !n.OK || n.Value < 0 || n.Value > int64(100*365*24*time.Hour/time.Millisecond) {
		return nil
	}
	d := time.Duration(n.Value) * time.Millisecond
	return &d
}
