package dsh

import (
	"context"
	"errors"
	"iter"

	"rollbook/internal/transcript"
)

// maxLate is how many bytes of results are held before their place.
const maxLate = 16 << 20

// A plan is what a first reading of the events tells of those that come late:
// results behind the end of their call's step, and ends of turns behind the
// start of the next one. Most threads need none.
type plan struct {
	events func() iter.Seq2[*transcript.Event, error]
	ctx    context.Context
	err    error // of the first reading

	ends   []Reason            // of the turns, by number from 1
	late   map[int]*lateResult // by the call's number
	loaded int                 // bytes at hand
}

type lateResult struct {
	seq int // of its event
	ev  *transcript.Event
}

// planned reads the events ahead, once.
func (c *converter) planned() *plan {
	if c.plan == nil {
		c.plan = &plan{ctx: c.ctx, late: make(map[int]*lateResult), events: c.events}
		c.plan.err = c.plan.read()
	}
	return c.plan
}

// read goes through the events as the converter does, and writes nothing.
func (p *plan) read() error {
	var l layout
	ids := newCallIDs()
	open := make(map[int]bool)    // calls of the step without a result
	turns := make(map[string]int) // the latest turn of an id
	inTurn, said, id := false, false, ""
	closeStep := func() {
		for number := range open {
			p.late[number] = &lateResult{}
		}
		clear(open)
		l = layout{}
	}
	enter := func(k part) {
		if l.closes(k) {
			closeStep()
		}
		if !inTurn {
			inTurn, said, id = true, false, ""
			p.ends = append(p.ends, Completed)
		}
		l.take(k)
		said = said || k == textPart
	}
	for ev, err := range p.events() {
		if err == nil {
			err = p.ctx.Err()
		}
		if err != nil {
			return err
		}
		switch k, ok := partOf(ev); {
		case ev.Kind == transcript.TurnStart:
			closeStep()
			inTurn, said, id = true, false, ev.TurnID
			p.ends = append(p.ends, Completed)
			turns[ev.TurnID] = len(p.ends)
		case ev.Kind == transcript.TurnEnd:
			if ev.Last != "" && !said && inTurn && id == ev.TurnID {
				enter(textPart)
			}
			if n, ok := turns[ev.TurnID]; ok {
				p.ends[n-1] = reasonOf(ev)
				delete(turns, ev.TurnID)
			}
		case ev.Kind == transcript.ToolResult:
			number, ok := ids.result(ev.CallID)
			if !ok {
				enter(callPart)
				number = ids.call(ev.CallID)
				ids.result(ev.CallID)
			}
			if late := p.late[number]; late != nil {
				late.seq = ev.Seq
				p.keep(late, ev)
			} else {
				l.sent = true
			}
			delete(open, number)
		case k == callPart && ok && ids.awaits(ev):
		case ok:
			enter(k)
			if k == callPart {
				open[ids.call(ev.CallID)] = true
			}
		}
	}
	closeStep()
	return nil
}

// partOf tells which part of a step an event becomes.
func partOf(ev *transcript.Event) (part, bool) {
	switch ev.Kind {
	case transcript.User:
		words, wrapped := transcript.Unwrap(ev.Text)
		return userPart, !wrapped || words != "" || len(ev.Images) > 0
	case transcript.Assistant:
		return textPart, ev.Text != "" || len(ev.Images) > 0
	case transcript.Reasoning:
		return reasoningPart, true
	case transcript.ToolCall:
		return callPart, true
	case transcript.Notice:
		return textPart, ev.Status == "plan" || ev.Status == "agent_message" && ev.Text != ""
	}
	return 0, false
}

// keep holds a late result, if there is room for it.
func (p *plan) keep(late *lateResult, ev *transcript.Event) {
	if p.loaded > 0 && p.loaded+len(ev.Output)+len(ev.Record) > maxLate {
		return
	}
	p.loaded += len(ev.Output) + len(ev.Record)
	kept := *ev
	late.ev = &kept
}

// endOf is how a turn ends whose end is still to come.
func (p *plan) endOf(turn int) Reason {
	if turn > len(p.ends) {
		return Completed
	}
	return p.ends[turn-1]
}

// result gives the late result of a call, and forgets it; nil where there is
// none.
func (p *plan) result(call int) (*transcript.Event, error) {
	late := p.late[call]
	if p.err != nil || late == nil || late.seq == 0 {
		return nil, p.err
	}
	if late.ev == nil {
		if err := p.load(call); err != nil {
			return nil, err
		}
	}
	delete(p.late, call)
	p.loaded -= len(late.ev.Output) + len(late.ev.Record)
	return late.ev, nil
}

// load reads the events again for late results that there was no room for,
// that of the call and those after it.
func (p *plan) load(call int) error {
	wanted := make(map[int]*lateResult)
	first := p.late[call]
	for _, late := range p.late {
		if late.ev == nil && late.seq > 0 {
			wanted[late.seq] = late
		}
	}
	for ev, err := range p.events() {
		if err != nil {
			return err
		}
		late := wanted[ev.Seq]
		switch {
		case late == first && late != nil:
			kept := *ev
			first.ev = &kept
			p.loaded += len(ev.Output) + len(ev.Record)
		case late != nil && ev.Kind == transcript.ToolResult:
			p.keep(late, ev)
		}
		if first.ev != nil && p.loaded > maxLate {
			break
		}
	}
	if first.ev == nil {
		return errLateGone
	}
	return nil
}

var errLateGone = errors.New("a result that was there is gone")
