package dsh

// A callState follows tool calls from block to event to result (D5). An id
// counts for the whole session, a call must end in its step.
type callState struct {
	all  idSet
	open map[string]*call // of the open step
}

type call struct {
	number  int32    // of the session, from 0
	print   [16]byte // of name and arguments
	started bool
}

// advertise takes the call blocks of an assistant message.
func (s *callState) advertise(content value) *Fault {
	for _, b := range content.list {
		if !b.get("type").is("tool-call") {
			continue
		}
		id := b.get("id").text
		if !s.all.add(id) {
			return faultf(CheckTools, "the call id %.100q is used twice", id)
		}
		if s.open == nil {
			s.open = make(map[string]*call)
		}
		s.open[id] = &call{number: int32(len(s.all) - 1), print: hashOf(b.get("name").text, b.get("arguments").text)}
	}
	return nil
}

// start takes a tool/call event, which repeats its block.
func (s *callState) start(data value) *Fault {
	id := data.get("callId").text
	c := s.open[id]
	switch {
	case c == nil:
		return faultf(CheckTools, "tool/call %.100q has no block in an assistant message of its step", id)
	case c.started:
		return faultf(CheckTools, "tool/call %.100q comes twice", id)
	case c.print != hashOf(data.get("name").text, data.get("arguments").text):
		return faultf(CheckTools, "tool/call %.100q has another name or other arguments than its block", id)
	}
	c.started = true
	return nil
}

// result takes a tool/result: the first of a started call of the open step.
func (c *checker) result(e logEvent) *Fault {
	id := e.data.get("message").get("source").get("callId").text
	if !e.append {
		return faultf(CheckTools, "tool/result %.100q replaces another: a call has one result", id)
	}
	if !c.turn.at(e.data) {
		return faultf(CheckTurns, "tool/result is not in the open turn and step")
	}
	call := c.calls.open[id]
	if call == nil || !call.started {
		return faultf(CheckTools, "tool/result %.100q answers no started call of its step", id)
	}
	c.wire.put(e.seq, wireNode{kind: result, first: call.number})
	delete(c.calls.open, id)
	return nil
}

// unresolved: a step ends with no call without a result.
func (s *callState) unresolved(what string) *Fault {
	for id := range s.open {
		return faultf(CheckTools, "the %s ends before the result of the call %.100q", what, id)
	}
	return nil
}

// A compaction is the one that is open (V16).
type compaction struct {
	open       bool
	id         string
	command    value
	turn       int64 // 0: none was open
	summarized bool
	crossed    bool // a turn began or ended in it; a restart makes that good
}

// cross notes that a turn begins or ends.
func (c *compaction) cross() { c.crossed = c.crossed || c.open }

// owner checks that data belongs to the open compaction.
func (c *compaction) owner(data value, kind string) *Fault {
	same := c.command.exists() == data.get("sourceCommandId").exists() && c.command.text == data.get("sourceCommandId").text
	if !c.open || !data.get("compactionId").is(c.id) || !same {
		return faultf(CheckRefs, "%s belongs to no open compaction", kind)
	}
	return nil
}

func (c *checker) compacted(e logEvent) *Fault {
	kind := e.kind
	if kind == "compaction/start" {
		return c.startCompaction(e.data)
	}
	if kind != "compaction/prune" {
		if fault := c.compact.owner(e.data, kind); fault != nil {
			return fault
		}
		if c.compact.turn != c.turn.open {
			return faultf(CheckTurns, "%s is not in the turn of its start", kind)
		}
	}
	if kind == "compaction/end" {
		return c.endCompaction(e.data)
	}
	if kind == "compaction/summary" {
		if c.compact.summarized {
			return faultf(CheckRefs, "compaction/summary comes twice")
		}
		c.compact.summarized = true
	}
	return c.shadows(e)
}

// turnOf is the member turn, 0 where it is null.
func turnOf(data value) int64 {
	n, _ := data.get("turn").count()
	return n
}

func (c *checker) startCompaction(data value) *Fault {
	switch {
	case c.compact.open:
		return faultf(CheckRefs, "compaction/start within a compaction")
	case turnOf(data) != c.turn.open || data.get("turn").kind != 'n' && c.turn.open == 0:
		return faultf(CheckTurns, "compaction/start names another turn than the open one")
	}
	c.compact = compaction{open: true, id: data.get("compactionId").text, command: data.get("sourceCommandId"), turn: c.turn.open}
	return nil
}

func (c *checker) endCompaction(data value) *Fault {
	switch {
	case turnOf(data) != c.compact.turn || (data.get("turn").kind == 'n') != (c.compact.turn == 0):
		return faultf(CheckTurns, "compaction/end names another turn than its start")
	case c.compact.crossed:
		return faultf(CheckTurns, "a turn begins or ends within a compaction")
	case !data.get("error").exists() && !c.compact.summarized:
		return faultf(CheckRefs, "compaction/end without a summary and without an error")
	}
	c.compact = compaction{}
	return nil
}

// shadows checks that shadowedSeqs are a part of the surface, without the head.
func (c *checker) shadows(e logEvent) *Fault {
	list := e.data.get("shadowedSeqs").list
	start, _ := list[0].count()
	end, _ := list[len(list)-1].count()
	n := 0
	same := c.surface.span(start, end, func(seq int64) bool {
		named, _ := list[n].count()
		n++
		return named == seq && (n < len(list) || seq == end)
	})
	if !same || n != len(list) {
		return faultf(CheckRefs, "%s: shadowedSeqs are no part of the surface", e.kind)
	}
	for _, v := range list {
		if seq, _ := v.count(); seq == c.head {
			return faultf(CheckHead, "%s takes the system head away", e.kind)
		}
	}
	return nil
}

// A refState follows what names something by an id of its own.
type refState struct {
	commands idSet
	notCited bits               // commands, which a command's end must not cite
	chains   map[[16]byte]chain // retries by turn, step, provider and policy
	retryIDs idSet
	planned  map[[16]byte][2]int64 // turn and step of a retry, by its id and number
	began    idSet
	roots    map[[16]byte][16]byte // the outermost call of a nested one
	nested   map[[16]byte]*nestedCall
}

type chain struct {
	retry int64
	id    string
}

type nestedCall struct {
	print   [16]byte
	settled bool
}

func (r *refState) command(e logEvent) *Fault {
	id := e.data.get("commandId").text
	r.notCited.set(e.seq)
	if e.kind == "command/run" {
		if !r.commands.add(id) {
			return faultf(CheckRefs, "the command id %.100q is used twice", id)
		}
		return nil
	}
	if !r.commands.has(id) {
		return faultf(CheckRefs, "command/done %.100q has no command/run", id)
	}
	if cited := e.data.get("sourceEventSeq"); cited.exists() {
		if seq, _ := cited.count(); !e.data.get("kind").is("success") || r.notCited.has(seq) {
			return faultf(CheckRefs, "command/done %.100q cites what it cannot", id)
		}
	}
	return nil
}
