package dsh

import (
	"crypto/sha256"
	"fmt"
	"path"
)

// maxEvents is how many events a log may have that is checked. The harness's own
// checks take time by the square of it, and give out far below.
const maxEvents = 1 << 21

// A checker holds the lines of one log to the format, in one pass. It keeps a
// few bytes per event and per id, none of the text.
type checker struct {
	p       parser
	header  value
	events  int64
	info    Info
	seeded  int64 // the last event that ends what was inherited; -1: none
	foreign int64 // the last marker of delivery that names another session; -1: none

	surface surface
	head    int64 // the protected system message; -1: none
	ids     idSet // of messages
	humans  bits  // user messages of a person, by seq
	turn    turnState
	calls   callState
	wire    wire
	refs    refState
	compact compaction

	image func(attachment value) // told each image that a line refers to
}

func newChecker(image func(value)) *checker {
	return &checker{seeded: -1, foreign: -1, head: -1, turn: turnState{nextTurn: 1}, image: image}
}

// line checks the next line.
func (c *checker) line(n int, line []byte) error {
	v, err := c.p.parse(line)
	if err != nil {
		return &Fault{CheckFrames, n, err.Error()}
	}
	var fault *Fault
	if n == 1 {
		fault = c.first(v)
	} else {
		fault = c.event(v)
	}
	if fault != nil {
		fault.Line = n
		return fault
	}
	return nil
}

// headerShape is V1.
var headerShape = object(members{
	"type": oneOf("session"), "version": exactly(3), "id": text, "createdAt": count, "isSeeded": boolean, "delegationDepth": count,
	"cwd?": rooted, "parentSession?": text, "origin?": oneOf("subagent"), "agentPreset?": text,
})

// rooted is an absolute path.
func rooted(v value, _ int64) error {
	if v.kind != '"' || !absolute(v.text) {
		return fmt.Errorf("must be an absolute path")
	}
	return nil
}

func (c *checker) first(v value) *Fault {
	if err := headerShape(v, 0); err != nil {
		return faultf(CheckHeader, "%v", err)
	}
	c.header, c.info.ID = v, v.get("id").text
	return nil
}

// dir is where the session must lie below a sessions root.
func (c *checker) dir() string {
	if cwd := c.header.get("cwd"); cwd.exists() {
		return path.Join(ProjectKey(cwd.text), EncodeSegment(c.info.ID))
	}
	return path.Join(noProject, EncodeSegment(c.info.ID))
}

func (c *checker) event(v value) *Fault {
	if c.events == maxEvents {
		return faultf(CheckEvent, "more than %d events, which is more than is checked", maxEvents)
	}
	e, fault := c.envelope(v)
	if fault == nil {
		fault = c.payload(e)
	}
	if fault == nil {
		fault = c.relations(e)
	}
	c.events++
	c.info.Events++
	if fault == nil {
		c.info.Images = v.images(c.image) || c.info.Images
	}
	return fault
}

// An event of a log as it was read.
type logEvent struct {
	kind    string
	seq     int64
	data    value
	known   bool // its payload is one of the harness's
	surface bool
	append  bool // surfaceOp is append
	start   int64
	end     int64 // of what it replaces
	sources []seqRange
}

// surfaceKinds are the events whose messages the model is given.
var surfaceKinds = map[string]bool{"system/message": true, "user/message": true, "assistant/message": true, "tool/result": true}

// renamed are events of format 3 whose payload came with another name in the
// formats before, by which name no event of format 3 may go.
var renamed = map[string]string{"tool/ptc-dispatch-start": "tool/code-dispatch-start", "tool/ptc-dispatch": "tool/code-dispatch"}

var retired = map[string]bool{"tool/code-dispatch-start": true, "tool/code-dispatch": true}

// envelope checks what is beside data (V2 to V4, D2).
func (c *checker) envelope(v value) (logEvent, *Fault) {
	e := logEvent{kind: v.get("type").text, seq: c.events, data: v.get("data")}
	if err := closed(v, []string{"type", "seq", "time", "data"}, inEnvelope); err != nil {
		return e, faultf(CheckEvent, "%v", err)
	}
	seq, ok := v.get("seq").count()
	_, timed := v.get("time").integer()
	ignorable := v.get("ignorable")
	switch {
	case v.get("type").kind != '"':
		return e, faultf(CheckEvent, "type must be a string")
	case !ok || seq != c.events:
		return e, faultf(CheckEvent, "seq must be %d", c.events)
	case !timed:
		return e, faultf(CheckEvent, "time must be a safe integer")
	case ignorable.exists() && ignorable.kind != 't':
		return e, faultf(CheckEvent, "ignorable must be true")
	}
	_, e.known = payloads[e.kind]
	e.surface = surfaceKinds[e.kind]
	if (!e.known || retired[e.kind]) && !ignorable.exists() {
		return e, faultf(CheckEvent, "the type %.100q is not known, and not ignorable", e.kind)
	}
	return e, c.onSurface(v, &e)
}

func inEnvelope(name string) bool {
	switch name {
	case "type", "seq", "time", "data", "surfaceOp", "sourceEventSeqs", "ignorable":
		return true
	}
	return false
}

// onSurface reads surfaceOp and sourceEventSeqs, which only a surface event has.
// (The harness's codec of format 3 lets an event pass that nobody knows and that
// has them; its runtime does not.)
func (c *checker) onSurface(v value, e *logEvent) *Fault {
	op, from := v.get("surfaceOp"), v.get("sourceEventSeqs")
	if !e.surface && (op.exists() || from.exists()) {
		return faultf(CheckSurface, "%s is not on the surface: it has no surfaceOp and no sourceEventSeqs", e.kind)
	}
	if from.exists() {
		list, fault := sourceSeqs(from, e.seq)
		if fault != nil {
			return fault
		}
		e.sources = list
	}
	switch {
	case !e.surface:
		return nil
	case !op.exists():
		return faultf(CheckSurface, "%s needs a surfaceOp", e.kind)
	case from.exists() && e.kind == "assistant/message":
		return faultf(CheckRefs, "assistant/message has no sourceEventSeqs")
	case from.exists() && len(e.sources) == 0:
		return faultf(CheckRefs, "sourceEventSeqs must not be empty")
	case op.is("append"):
		e.append = true
		return nil
	}
	if err := replaceShape(op, e.seq); err != nil {
		return faultf(CheckSurface, "surfaceOp %v", err)
	}
	e.start, _ = op.get("startSeq").count()
	e.end, _ = op.get("endSeq").count()
	return nil
}

var replaceShape = object(members{"op": oneOf("replace"), "startSeq": earlier, "endSeq": earlier})

// payload checks data alone (D3, D4, V11 to V14).
func (c *checker) payload(e logEvent) *Fault {
	if !e.known {
		return nil
	}
	if e.surface {
		m := e.message()
		if m.kind != '{' || m.get("id").kind != '"' || m.get("id").text == "" {
			return faultf(CheckID, "%s has no message id", e.kind)
		}
		if !c.ids.add(m.get("id").text) {
			return faultf(CheckID, "the message id %.100q is used twice", m.get("id").text)
		}
	}
	if e.kind == "assistant/message" {
		turn, step := positive(e.data.get("turn"), 0), positive(e.data.get("step"), 0)
		if turn != nil || step != nil || e.data.get("stream").kind != '[' {
			return faultf(CheckSettled, "assistant/message needs a turn, a step and the array stream")
		}
	}
	if err := payloads[e.kind](e.data, e.seq); err != nil {
		return faultf(CheckPayload, "%s: %v", e.kind, within("data", err))
	}
	return nil
}

// message is the message of a surface event.
func (e logEvent) message() value {
	if e.kind == "user/message" {
		return e.data
	}
	return e.data.get("message")
}

// end checks what only the whole log tells (V15, D6).
func (c *checker) end() *Fault {
	seeded := c.header.get("isSeeded").kind == 't'
	switch {
	case seeded != (c.seeded >= 0):
		return faultf(CheckRefs, "isSeeded must say whether a session/end-seed marks what was inherited")
	case c.foreign >= max(c.seeded, 0):
		return faultf(CheckRefs, "a marker of delivery names another session")
	case c.compact.crossed:
		return faultf(CheckTurns, "a turn begins or ends within a compaction")
	case c.turn.open != 0:
		return faultf(CheckEnd, "turn %d is open: the harness cannot begin the next", c.turn.open)
	case !c.surface.empty() && c.head < 0:
		return faultf(CheckHead, "the surface does not begin with a system message")
	}
	if fault := c.calls.unresolved("log"); fault != nil {
		return fault
	}
	return c.wire.check(&c.surface)
}

// An idSet holds texts by the first half of their SHA-256, so an id costs the
// same whatever its length.
type idSet map[[16]byte]struct{}

func hashOf(parts ...string) [16]byte {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return [16]byte(h.Sum(nil)[:16])
}

// add reports whether the text is new.
func (s *idSet) add(parts ...string) bool {
	k := hashOf(parts...)
	if _, ok := (*s)[k]; ok {
		return false
	}
	if *s == nil {
		*s = make(idSet)
	}
	(*s)[k] = struct{}{}
	return true
}

func (s idSet) has(parts ...string) bool {
	_, ok := s[hashOf(parts...)]
	return ok
}

// bits is a set of seqs.
type bits []uint64

func (b *bits) set(n int64) {
	for int64(len(*b)) <= n/64 {
		*b = append(*b, 0)
	}
	(*b)[n/64] |= 1 << (n % 64)
}

func (b bits) has(n int64) bool { return n/64 < int64(len(b)) && b[n/64]&(1<<(n%64)) != 0 }
