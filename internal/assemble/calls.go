package assemble

import (
	"cmp"
	"hash/maphash"
	"slices"

	"rollbook/internal/rollout"
)

// A call is what the survey keeps of a tool call: the records that it, its
// output and its completion stand in; 0 for none. A completion is what Codex
// showed of the call (exec_command_end, CommandExecution ...).
type call struct {
	call, output, end int32
	first             int32 // its earliest record: also a completion that a later one took the place of
	turn              int32 // where it was made (turns.place)
	failed            bool  // a completion said so; kept for a session
}

// calls pairs a thread's calls by their ids, and finds them by their records.
type calls struct {
	seed  maphash.Seed
	all   []call
	last  map[uint64]int32 // index of the latest call of an id
	parts []callPart       // in the order of the records
}

// A callPart says to which call a record belongs.
type callPart struct{ n, call int32 }

func newCalls() *calls {
	return &calls{seed: maphash.MakeSeed(), last: make(map[uint64]int32)}
}

// A role says what a record is to a call.
type role uint8

const (
	isCall role = iota
	isOutput
	isEnd
)

// at returns the record that plays the role.
func (c *call) at(r role) *int32 {
	return [...]*int32{&c.call, &c.output, &c.end}[r]
}

// A callRecord is a record that plays a role for a call.
type callRecord struct {
	id   string
	role role
	n    int32
	turn string // that the record itself names; "" for none
	made bool   // the id is ours, by the record's place: no other record has it
}

// note files a record under its id, and gives the earliest record of the call
// that it is a part of: itself, where it opens one. A second call or output, and
// a call behind its output, opens a second call of that id, so that a repeated
// id never loses a result; of several completions the last one counts.
func (c *calls) note(rec callRecord, t *turns) (first int32) {
	key := maphash.String(c.seed, rec.id)
	place := t.place()
	i, ok := c.last[key]
	if !ok || rec.made || !c.all[i].takes(rec, place, t) {
		i = int32(len(c.all))
		c.all = append(c.all, call{first: rec.n, turn: place})
		c.last[key] = i
	}
	k := &c.all[i]
	c.parts = append(c.parts, callPart{rec.n, i})
	*k.at(rec.role) = rec.n
	if rec.role == isCall {
		k.turn = place
	}
	return k.first
}

// fails notes of the call of the latest record that it failed.
func (c *calls) fails() { c.all[c.parts[len(c.parts)-1].call].failed = true }

// takes reports whether a record of the call's id belongs to it. A completion
// comes before its call within one turn only, and one that names a turn is not
// of a call that another turn made: so whoever begins to read at the start of a
// turn knows of most records that their calls are not before it.
func (k *call) takes(rec callRecord, place int32, t *turns) bool {
	switch rec.role {
	case isOutput:
		return k.output == 0
	case isCall:
		return k.call == 0 && k.output == 0 && k.turn == place
	}
	made := t.idAt(k.turn)
	return rec.turn == "" || made == "" || made == rec.turn
}

// of returns the index of the call that record n is a part of, or -1.
func (c *calls) of(n int32) int32 {
	i, ok := slices.BinarySearchFunc(c.parts, n, func(p callPart, n int32) int { return cmp.Compare(p.n, n) })
	if !ok {
		return -1
	}
	return c.parts[i].call
}

// find returns the index of the call whose record of that role is n, or -1.
func (c *calls) find(r role, n int32) int32 {
	i := c.of(n)
	if i < 0 || *c.all[i].at(r) != n {
		return -1
	}
	return i
}

// turnOf returns the index of the turn that the latest call of the id was made
// in; less than 0 for none.
func (c *calls) turnOf(id string) int {
	i, ok := c.last[maphash.String(c.seed, id)]
	if !ok {
		return -1
	}
	return int(c.all[i].turn)
}

// callID tells which call a payload belongs to, and as what. The bool is false
// for payloads that belong to none, and for a call without an id.
func callID(p rollout.Payload) (id string, r role, ok bool) {
	switch p := p.(type) {
	case *rollout.ToolCall:
		id, r = p.CallID, isCall
	case *rollout.LocalShellCall:
		id, r = orElse(p.CallID, p.ID), isCall
	case *rollout.ToolOutput:
		id, r = p.CallID, isOutput
	case *rollout.WebSearch:
		id, r = p.ID, isEnd
		if p.Type() == rollout.ItemWebSearchCall {
			r = isCall
		}
	case *rollout.ImageGeneration:
		id, r = p.ID, isEnd
		if p.Type() == rollout.ItemImageGenerationCall {
			r = isCall
		}
	case *rollout.CommandExecution:
		id, r = p.ID, isEnd
	case *rollout.Fragment:
		id, r = p.ID, isEnd
	case *rollout.FileChange:
		id, r = p.ID, isEnd
	case *rollout.MCPToolCall:
		id, r = p.ID, isEnd
	case *rollout.DynamicToolCall:
		id, r = p.ID, isEnd
	case *rollout.ImageView:
		id, r = p.ID, isEnd
	case *rollout.CollabCall:
		id, r = p.ID, isEnd
	case *rollout.ItemCompleted:
		id, r, _ = callID(p.Item)
		if r == isOutput {
			r = isEnd // a mirror, as all turn items are
		}
	}
	return id, r, id != ""
}

// turnNamed is the turn that a completion itself says it is of.
func turnNamed(p rollout.Payload) string {
	switch p := p.(type) {
	case *rollout.CommandExecution:
		return p.TurnID
	case *rollout.FileChange:
		return p.TurnID
	case *rollout.MCPToolCall:
		return p.TurnID
	case *rollout.DynamicToolCall:
		return p.TurnID
	case *rollout.ItemCompleted:
		return p.TurnID
	}
	return ""
}

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
