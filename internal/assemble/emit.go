package assemble

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"time"

	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// An emitter is the second pass: it reads the records again and gives events.
type emitter struct {
	l     *Library
	sv    *survey
	view  transcript.View
	yield func(*transcript.Event, error) bool

	ev       transcript.Event // reused
	seq      int
	stop     bool
	rec      record            // at hand
	time     time.Time         // of it
	span     *span             // of the record before
	last     transcript.Source // of the record before, and its time
	lastTime time.Time
	turns    *turns
	begun    int // index of the turn whose start was sent last; -1 for none
	search   webSearch
	places   places // of images

	held        held
	shown       shownTexts
	reasons     map[uint64]int // summaries that an event gave, not yet seen in an item
	seed        maphash.Seed
	endings     map[int32]*ending // completions whose output is still to come
	compactions int               // compacted records whose event is still to come
	tokens      tokens
	model       string
	footings    []footing        // how it stood where later readings may go on
	heard       heard            // of a session
	fragments   map[int32]string // what came before the completions of calls, in a session
	unnamed     bool             // the record at hand is of a call without an id, in a session
}

// events gives the events of a thread that was surveyed. What was appended
// since is left alone; any other change of its files is an error, for the survey
// then says nothing of them. What it returns has given all of them, or is nil.
func (l *Library) events(ctx context.Context, sv *survey, view transcript.View, yield func(*transcript.Event, error) bool) *emitter {
	e := &emitter{l: l, sv: sv, view: view, yield: yield, turns: newTurns(), begun: -1,
		reasons: make(map[uint64]int), seed: maphash.MakeSeed(), endings: make(map[int32]*ending)}
	e.shown.seed = e.seed
	e.begin(sv.from)
	spans := append([]span(nil), sv.spans...)
	var failed error
	lost := func(s *span, err error) {
		if s.lost == "" { // it could be read a moment ago
			failed = fmt.Errorf("%s: %w", s.ref.Path, err)
		}
	}
	last := int32(0)
	for rec, err := range l.records(ctx, spans, sv.prints.known, lost) {
		if err == nil && failed == nil && !sv.prints.same(rec.n, rec.Text) {
			err = fmt.Errorf("%s: %w", rec.span.ref.Path, ErrChanged)
		}
		if err = cmp.Or(failed, err); err != nil {
			yield(nil, err)
			return nil
		}
		e.record(rec)
		if last = rec.n; e.stop {
			return nil
		}
	}
	if failed == nil && last < sv.records {
		failed = fmt.Errorf("thread %s: %w", sv.id, ErrChanged)
	}
	if failed != nil {
		yield(nil, failed)
		return nil
	}
	if e.finish(); e.stop {
		return nil
	}
	return e
}

func (e *emitter) visible(n int32) bool { return e.sv.visible(e.view, n) }

func (e *emitter) record(rec record) {
	e.rec, e.time = rec, time.Time{}
	if rec.Kind == rollout.Item {
		e.time = recordTime(&rec.Envelope)
	}
	if rec.span != e.span {
		e.span = rec.span
		if rec.span.gap != "" && e.visible(rec.n) {
			e.notice("gap", rec.span.gap, transcript.Synthetic)
		}
	}
	if rec.Kind != rollout.Item {
		return
	}
	typ := rec.Envelope.RecordType()
	seen := e.visible(rec.n)
	if !seen && !followed(typ) && !e.l.alias {
		return
	}
	switch typ {
	case rollout.RecordWorldState, rollout.ItemGhostSnapshot, rollout.RecordBareState, rollout.RecordSessionMeta, rollout.EventAgentReasoningRaw:
		return
	}
	payload := e.l.decode(rec)
	e.remember(payload)
	closed := e.turns.follow(rec.n, payload, e.callTurn(payload))
	e.beginItemTurn(payload)
	if e.held.waiting() && rec.n-e.held.n > heldFor {
		e.flush()
	}
	e.turnEdges(payload, closed, seen)
	if !seen {
		return
	}
	e.payload(payload)
	e.last, e.lastTime = e.source(), e.time
}

// followed reports whether records of a type say something of turns, so that
// those outside the view are needed too.
func followed(t rollout.RecordType) bool {
	switch t {
	case rollout.EventTurnStarted, rollout.EventTurnComplete, rollout.EventTurnAborted, rollout.RecordTurnContext,
		rollout.EventUserMessage, rollout.EventAgentMessage, rollout.EventItemCompleted, rollout.ItemFunctionCallOutput, rollout.ItemCustomToolCallOutput,
		rollout.ItemToolSearchOutput, rollout.ItemMessage, rollout.EventThreadRolledBack, rollout.ItemWebSearchCall, rollout.EventWebSearchEnd:
		return true
	}
	return false
}

func (e *emitter) callTurn(p rollout.Payload) int {
	if _, ok := p.(*rollout.ToolOutput); !ok {
		return -1
	}
	if i := e.sv.calls.find(isOutput, e.rec.n); i >= 0 {
		return int(e.sv.calls.all[i].turn)
	}
	return -1
}

// beginItemTurn opens a turn at a user item in a thread without events.
func (e *emitter) beginItemTurn(p rollout.Payload) {
	if _, ok := p.(*rollout.ThreadRolledBack); ok {
		e.turns.current = -1 // as the survey does
	}
	if !e.sv.itemsOnly {
		return
	}
	if m, ok := p.(*rollout.Message); ok && m.Role == "user" {
		if _, natural := naturalText(m); natural {
			e.turns.said(e.rec.n)
			e.turns.touch(e.rec.n)
		}
	}
}

// payload gives the events of one payload.
func (e *emitter) payload(p rollout.Payload) {
	switch p := p.(type) {
	case *rollout.Message:
		e.message(p)
	case *rollout.UserMessageEvent:
		e.userEvent(p)
	case *rollout.AgentMessageEvent:
		e.answer(p.Message.String(), p.Phase, "")
	case *rollout.Reasoning:
		e.reasoning(p)
	case *rollout.ReasoningEvent:
		e.reasoningEvent(p)
	case *rollout.ItemCompleted:
		e.turnItem(p.Item)
	case *rollout.Compacted:
		e.compacted(p)
	case *rollout.ContextCompacted:
		e.contextCompacted()
	case *rollout.TokenCount:
		e.tokenCount(p)
	case *rollout.TokenUsageRecord:
		e.tokenRecord(p)
	case *rollout.TurnContext:
		e.model = orElse(p.Model, e.model)
	default:
		if !e.tool(p) {
			e.noticeOf(p)
		}
	}
}

// turnItem gives the events of an item_completed event.
func (e *emitter) turnItem(p rollout.Payload) {
	switch p := p.(type) {
	case *rollout.UserMessage:
		e.userItem(p)
	case *rollout.AssistantMessage:
		e.answer(p.Content.Text(), p.Phase, p.ID)
	case *rollout.ReasoningItem:
		e.reasoningItem(p)
	case *rollout.ContextCompacted:
		e.contextCompacted()
	default:
		if !e.tool(p) {
			e.noticeOf(p)
		}
	}
}

func (e *emitter) source() transcript.Source {
	return transcript.Source{File: e.rec.span.ref.Path, Line: e.rec.Line, Offset: e.rec.Offset}
}

// event begins an event of the record at hand.
func (e *emitter) event(kind transcript.Kind, origin transcript.Origin) *transcript.Event {
	e.ev = transcript.Event{Kind: kind, Origin: origin, Source: e.source(), Time: e.time, Unnamed: e.unnamed}
	if e.sv.session {
		e.ev.Model = e.model
	}
	e.mark(e.rec.n)
	return &e.ev
}

// mark says of the event what its record's place says.
func (e *emitter) mark(n int32) {
	if at := e.turns.at(); at != nil {
		e.ev.TurnID = at.id
	}
	e.ev.Inherited = e.sv.inherited.has(n)
	e.ev.RolledBack = (e.view == transcript.Physical || e.sv.keep) && e.sv.rolled.has(n)
}

// send gives the event to whoever ranges over the thread. What waits to be
// paired goes first, so that events keep the order of their records.
func (e *emitter) send() {
	if e.held.waiting() && !e.held.kept {
		now := e.ev
		e.flush()
		e.ev = now
	}
	if e.stop {
		return
	}
	e.seq++
	e.ev.Seq = e.seq
	e.stop = !e.yield(&e.ev, nil)
}

// text sends an event that is a text.
func (e *emitter) text(kind transcript.Kind, origin transcript.Origin, text string) {
	e.event(kind, origin).Text = text
	e.send()
}

func (e *emitter) notice(status, text string, origin transcript.Origin) {
	ev := e.event(transcript.Notice, origin)
	ev.Status, ev.Text = status, text
	e.send()
}

func (e *emitter) finish() {
	e.flush()
	if e.rec.Record != nil && !e.stop {
		e.endOpenTurn(len(e.turns.all))
	}
}
