package dsh

// A turnState follows turns and steps (V5, V6). 0 is none.
type turnState struct {
	open, step         int64
	nextTurn, nextStep int64
	provider           string // of the last request/header
}

// at reports whether data names the open turn and step.
func (t turnState) at(data value) bool {
	turn, _ := data.get("turn").integer()
	step, _ := data.get("step").integer()
	return t.open != 0 && t.step != 0 && turn == t.open && step == t.step
}

func (t *turnState) startTurn(turn int64) *Fault {
	if t.open != 0 || turn != t.nextTurn {
		return faultf(CheckTurns, "turn/start %d where turn %d is to be next, with none open", turn, t.nextTurn)
	}
	t.open, t.step, t.nextStep = turn, 0, 1
	return nil
}

func (t *turnState) endTurn(turn int64) *Fault {
	switch {
	case t.open != turn || turn == 0:
		return faultf(CheckTurns, "turn/end %d ends no open turn", turn)
	case t.step != 0:
		return faultf(CheckTurns, "turn/end %d within step %d", turn, t.step)
	}
	t.open = 0
	t.nextTurn++
	return nil
}

func (t *turnState) startStep(turn, step int64) *Fault {
	if t.open == 0 || turn != t.open || t.step != 0 || step != t.nextStep {
		return faultf(CheckTurns, "step/start %d of turn %d is not the next step of the open turn", step, turn)
	}
	t.step = step
	return nil
}

func (t *turnState) endStep() {
	t.step = 0
	t.nextStep++
}

// relations checks what an event has to do with the others.
func (c *checker) relations(e logEvent) *Fault {
	kind := e.kind
	if to := renamed[kind]; to != "" {
		kind = to
	} else if !e.known || retired[kind] {
		return nil
	}
	if e.surface {
		if fault := c.place(e); fault != nil {
			return fault
		}
	}
	switch kind {
	case "turn/start", "turn/end", "step/start", "step/end":
		return c.bracket(e)
	case "assistant/attempt", "assistant/message", "tool/call":
		if !c.turn.at(e.data) {
			return faultf(CheckTurns, "%s is not in the open turn and step", e.kind)
		}
	case "request/header", "request/context", "tool/code-dispatch-start", "tool/code-dispatch":
		if c.turn.open == 0 {
			return faultf(CheckTurns, "%s outside of a turn", e.kind)
		}
	}
	switch kind {
	case "assistant/message":
		c.wire.assistant(e, int32(len(c.calls.all)))
		return c.calls.advertise(e.data.get("message").get("content"))
	case "tool/call":
		return c.calls.start(e.data)
	case "tool/result":
		return c.result(e)
	case "user/message":
		return c.user(e)
	case "request/header":
		c.turn.provider = e.data.get("header").get("config").get("provider").text
	case "session/title", "session/title-llm-request":
		return c.title(e)
	case "session/end-seed":
		return c.endSeed(e)
	case "session-log-deepseek/delivery-accepted":
		return c.delivered(e)
	case "compaction/start", "compaction/summary", "compaction/end", "compaction/prune":
		return c.compacted(e)
	case "tool/code-dispatch-start", "tool/code-dispatch":
		return c.refs.dispatch(kind == "tool/code-dispatch", e.data)
	case "llm/retry":
		return c.refs.retry(c.turn, e.data)
	case "llm/retry-started":
		return c.refs.retried(e.data)
	case "command/run", "command/done":
		return c.refs.command(e)
	}
	return nil
}

// place puts a message on the surface (V7, V8).
func (c *checker) place(e logEvent) *Fault {
	if fault := c.guard(e); fault != nil {
		return fault
	}
	if e.append {
		c.surface.append(e.seq)
		return nil
	}
	missing := int64(-1)
	whole := c.surface.span(e.start, e.end, func(seq int64) bool {
		if !contains(e.sources, seq) {
			missing = seq
			return false
		}
		return true
	})
	switch {
	case missing >= 0:
		return faultf(CheckRefs, "%s replaces %d, which sourceEventSeqs do not name", e.kind, missing)
	case !whole:
		return faultf(CheckRefs, "%s replaces %d to %d, which is no part of the surface", e.kind, e.start, e.end)
	}
	c.surface.replace(e.seq, e.start, e.end)
	return nil
}

// guard protects the system head (D6).
func (c *checker) guard(e logEvent) *Fault {
	touches := !e.append && c.head >= 0 && (e.start == c.head || e.end == c.head)
	if e.kind != "system/message" {
		if touches {
			return faultf(CheckHead, "%s replaces the system head", e.kind)
		}
		return nil
	}
	switch {
	case !c.turn.at(e.data):
		return faultf(CheckHead, "system/message is not in an open step")
	case !c.surface.empty() && c.head < 0:
		return faultf(CheckHead, "system/message behind another message, which was the first of the surface")
	case touches && e.start != e.end:
		return faultf(CheckHead, "system/message replaces more than the system head")
	case touches, e.append && c.surface.empty():
		c.head = e.seq
	}
	return nil
}

// bracket opens and closes turns and steps.
func (c *checker) bracket(e logEvent) *Fault {
	turn, _ := e.data.get("turn").integer()
	step, _ := e.data.get("step").integer()
	switch e.kind {
	case "turn/start":
		c.compact.cross()
		c.info.Turns++
		return c.turn.startTurn(turn)
	case "step/start":
		return c.turn.startStep(turn, step)
	case "step/end":
		if !c.turn.at(e.data) {
			return faultf(CheckTurns, "step/end %d of turn %d ends no open step", step, turn)
		}
		c.turn.endStep()
		return c.calls.unresolved("step")
	}
	c.compact.cross()
	return c.turn.endTurn(turn)
}

// user notes what a person said, and holds the head of a compaction to it.
func (c *checker) user(e logEvent) *Fault {
	c.wire.user(e)
	from := e.data.get("source")
	if from.get("kind").is("user") {
		c.humans.set(e.seq)
	}
	if !e.append && from.get("kind").is("plugin") && from.get("plugin").is("compact") {
		return c.compact.owner(from, e.kind)
	}
	return nil
}

// title: what a title is taken from are messages of a person (V13).
func (c *checker) title(e logEvent) *Fault {
	cited := e.data.get("messageSeqs").list
	if e.kind == "session/title" && (len(cited) == 0) != e.data.get("source").get("kind").is("user") {
		return faultf(CheckRefs, "messageSeqs must be empty exactly where a user gave the title")
	}
	for _, v := range cited {
		if seq, _ := v.count(); !c.humans.has(seq) {
			return faultf(CheckRefs, "the title cites %d, which is no message of a person", seq)
		}
	}
	if e.kind == "session/title" {
		return nil
	}
	asked := e.data.get("messages").list
	if len(asked) != 1 || !asked[0].get("role").is("user") || !asked[0].get("source").get("kind").is("plugin") ||
		!asked[0].get("source").get("plugin").is("dsh-session-title-llm") {
		return faultf(CheckRefs, "what was asked for a title is not one message of the titling plugin")
	}
	if said := asked[0].get("content").list; len(said) != 1 || !said[0].get("type").is("text") {
		return faultf(CheckRefs, "what was asked for a title is not one text")
	}
	return nil
}

// endSeed notes where the inherited events end.
func (c *checker) endSeed(e logEvent) *Fault {
	if e.data.get("inherited").kind == 't' {
		c.seeded = e.seq
	}
	c.compact = compaction{}
	return nil
}

// delivered notes a marker of another session: only inherited ones may.
func (c *checker) delivered(e logEvent) *Fault {
	if e.data.get("sessionFormatVersion").num != deliveryFormat || e.data.get("sessionId").is(c.info.ID) {
		return nil
	}
	if !c.header.get("parentSession").exists() {
		return faultf(CheckRefs, "the marker of delivery names another session")
	}
	c.foreign = e.seq
	return nil
}
