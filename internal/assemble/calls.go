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
	turn              int32 // index of the turn that it was made in; -1 for none
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

// note files record n under the id. A second call or output, and a call behind
// its output, opens a second call of that id, so that a repeated id never loses
// a result; of several completions the last one counts.
func (c *calls) note(id string, r role, n int32, turn int) {
	key := maphash.String(c.seed, id)
	i, ok := c.last[key]
	if !ok || r != isEnd && *c.all[i].at(r) != 0 || r == isCall && c.all[i].output != 0 {
		i = int32(len(c.all))
		c.all = append(c.all, call{turn: int32(turn)})
		c.last[key] = i
	}
	c.parts = append(c.parts, callPart{n, i})
	*c.all[i].at(r) = n
	if r == isCall {
		c.all[i].turn = int32(turn)
	}
}

// find returns the index of the call whose record of that role is n, or -1.
func (c *calls) find(r role, n int32) int32 {
	i, ok := slices.BinarySearchFunc(c.parts, n, func(p callPart, n int32) int { return cmp.Compare(p.n, n) })
	if !ok || *c.all[c.parts[i].call].at(r) != n {
		return -1
	}
	return c.parts[i].call
}

// turnOf returns the index of the turn that the latest call of the id was made
// in, or -1.
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

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
