package dsh

import "rollbook/internal/transcript"

// A turn is the one that is written, or the last one that was.
type turn struct {
	number int
	open   bool
	id     string // as recorded
	model  string
	rolled bool // a rollback or a revert took it away
	marked bool // and its first prompt says so
	said   bool // it has a text of the assistant

	ended bool // its end was recorded: it is written when the next turn begins,
	at    int64
	how   Reason // for records of a turn may come behind its end (a command in the background)
}

// A part is what a step is made of, besides results.
type part uint8

const (
	userPart part = iota
	reasoningPart
	textPart
	callPart
)

// A layout tells where a step ends: one is one answer of the model, with the
// prompts before it and the results behind it. The assistant's message is
// written with the first result or at the end of the step, so that a text that
// comes between a call and its result belongs to the same message.
type layout struct {
	step        bool // one is open
	text, calls bool // the assistant's message has them
	any         bool // or anything
	sent        bool // it is written
}

// closes reports whether the part belongs to the next step.
func (l *layout) closes(p part) bool {
	switch {
	case !l.step:
		return false
	case p == userPart:
		return l.any || l.sent
	case l.sent:
		return true
	case p == textPart:
		return l.text
	case p == reasoningPart:
		return l.text && !l.calls
	}
	return false
}

func (l *layout) take(p part) {
	l.step = true
	l.any = l.any || p != userPart
	l.text = l.text || p == textPart
	l.calls = l.calls || p == callPart
}

// enter opens the step that a part belongs to.
func (c *converter) enter(p part) error {
	if c.layout.closes(p) {
		if err := c.closeStep(); err != nil {
			return err
		}
	}
	if !c.layout.step {
		if err := c.openStep(); err != nil {
			return err
		}
	}
	c.layout.take(p)
	return nil
}

func (c *converter) startTurn(ev *transcript.Event) error {
	if c.turn.open && !c.turn.ended { // two turns at once: its end is still to come
		c.turn.how = c.planned().endOf(c.turn.number)
	}
	if err := c.closeTurn(); err != nil {
		return err
	}
	return c.openTurn(turn{id: ev.TurnID, model: ev.Model, rolled: ev.RolledBack})
}

func (c *converter) openTurn(t turn) error {
	t.number, t.open, t.how = c.turn.number+1, true, Completed
	c.turn, c.step = t, 0
	return c.write(TurnStart{t.number})
}

// endTurn keeps the end of the turn at hand. That of an earlier turn, which was
// closed when this one began, says nothing more. Where the turn has no text of
// the assistant, the one that its end repeats is (spec: dsh, 8).
func (c *converter) endTurn(ev *transcript.Event) error {
	if c.turn.open && c.turn.id == ev.TurnID {
		if ev.Last != "" && !c.turn.said {
			said := *ev
			said.Text = ev.Last
			if err := c.assistant(&said); err != nil {
				return err
			}
		}
		c.turn.ended, c.turn.at, c.turn.how = true, c.now, reasonOf(ev)
	}
	return nil
}

// reasonOf is how a turn ended. What failed was broken off as well; a turn whose
// end was not recorded is over (spec: dsh, 8).
func reasonOf(ev *transcript.Event) Reason {
	if ev.Status == "aborted" || ev.Status == "failed" || ev.RolledBack {
		return Interrupted
	}
	return Completed
}

func (c *converter) closeTurn() error {
	if !c.turn.open {
		return nil
	}
	if !c.headed { // the first turn has a step, be it for the head alone
		if err := c.openStep(); err != nil {
			return err
		}
	}
	if err := c.closeStep(); err != nil {
		return err
	}
	if c.turn.rolled {
		c.turn.how = Interrupted
	}
	at := c.now
	if c.turn.ended {
		at = max(c.turn.at, c.stepAt)
	}
	c.turn.open = false
	_, err := c.writeAt(at, TurnEnd{c.turn.number, c.turn.how})
	return err
}

// openStep opens a step, and a turn where none is open: what is said before the
// first one, or in the middle of one that the session begins in. The first step
// begins with the system head.
func (c *converter) openStep() error {
	if !c.turn.open {
		if err := c.openTurn(turn{model: c.turn.model}); err != nil {
			return err
		}
	}
	c.step++
	c.layout = layout{step: true}
	if err := c.write(StepStart{c.turn.number, c.step}); err != nil || c.headed {
		return err
	}
	c.headed = true
	return c.write(SystemHead{c.turn.number, c.step, c.id("")})
}

// closeStep writes what the step still lacks: its message, and the results of
// its calls.
func (c *converter) closeStep() error {
	if !c.layout.step {
		return nil
	}
	if err := c.flush(); err != nil {
		return err
	}
	for i := range c.open {
		if err := c.lateResult(&c.open[i]); err != nil {
			return err
		}
	}
	c.open = c.open[:0]
	c.layout = layout{}
	c.stepAt = c.now
	return c.write(StepEnd{c.turn.number, c.step})
}

// flush writes the assistant's message of the step, and its calls.
func (c *converter) flush() error {
	if c.layout.sent || len(c.content) == 0 {
		return nil
	}
	c.layout.sent = true
	if c.layout.calls && !c.layout.text {
		c.report.Synthesized++
	}
	m := AssistantMessage{Turn: c.turn.number, Step: c.step, ID: c.id(c.item),
		Provider: orElse(c.thread.Provider, "openai"), Model: c.modelName(), Content: c.content}
	if err := c.write(m); err != nil {
		return err
	}
	for _, b := range c.content {
		call, ok := b.(Call)
		if !ok {
			continue
		}
		seq, err := c.writeAt(c.now, ToolCall{c.turn.number, c.step, call.ID, call.Name, call.Arguments})
		if err != nil {
			return err
		}
		for i := range c.open {
			if c.open[i].id == call.ID {
				c.open[i].seq = seq
			}
		}
	}
	c.item = ""
	clear(c.content) // the texts are not needed any more
	c.content = c.content[:0]
	return nil
}

func (c *converter) modelName() string {
	name := c.turn.model
	if name == "" && len(c.thread.Models) > 0 {
		name = c.thread.Models[0]
	}
	return orElse(name, "codex")
}

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
