package rolltest

import (
	"bytes"
	"time"
)

// All keeps every turn in a Fork.
const All = -1

// Fork starts a new thread from the first keep turns of this one (All: from
// everything), at the time of this rollout's clock. A paginated fork holds only
// new lines and names its base; a legacy fork is a full copy with new times, this
// thread's session_meta among the lines, and up to V63 nothing else that tells
// its origin.
func (r *Rollout) Fork(keep int) *Rollout {
	r.need(V36, "Fork")
	r.endResponse()
	r.flushTokens()
	cut := r.cut(keep)
	m := r.childMeta()
	m.forkedFrom, m.forkedOrdinal, m.multiAgent = r.ID, cut.ordinal, "v1"
	if r.ordinals {
		m.base = &cut
	}
	fork := newRollout(r.home, r.Version, m)
	fork.Meta.Legacy, fork.itemEvents = m.Legacy, r.itemEvents
	fork.turns, fork.prompts, fork.count = kept(r.turns, keep), cut.prompts, cut.count.renewed(fork)
	fork.contextDue = keep == 0 || r.contextDue || r.Version == V101
	if r.ordinals {
		fork.settingsApplied()
		return fork
	}
	shift := fork.Size()
	fork.copyLines(r.buf[:cut.offset])
	fork.settingsApplied()
	for i := range fork.turns {
		fork.turns[i].file, fork.turns[i].offset = fork, fork.turns[i].offset+shift
	}
	return fork
}

// renewed gives the counters of a fork: its context window is its own.
func (c counters) renewed(fork *Rollout) counters {
	c.firstWindow, c.window = fork.count.firstWindow, fork.count.window
	return c
}

// Revert goes back to the first keep turns of a paginated thread: a new segment
// of the same thread, which names as its base the file that holds the last line
// kept. The thread goes on in the segment; the old file keeps the reverted turns.
func (r *Rollout) Revert(keep int) *Rollout {
	if !r.ordinals || keep < 0 || keep > len(r.turns) {
		panic("rolltest: Revert needs a paginated thread and a number of its turns")
	}
	r.endResponse()
	r.flushTokens()
	cut := r.cut(keep)
	m := r.Meta
	m.ID, m.Start, m.Seed = r.ID, r.now, r.rng.Uint64()
	m.multiAgent, m.base = "v1", &cut
	if cut.file.ID != r.ID && cut.ordinal < m.forkedOrdinal {
		m.forkedOrdinal = cut.ordinal
	}
	if keep == 0 {
		m.base = nil // the thread begins again, from ordinal 0
	}
	segment := newSegment(r, m)
	segment.turns, segment.prompts, segment.count = kept(r.turns, keep), cut.prompts, cut.count
	segment.contextDue = keep == 0
	if r.Version >= V156 {
		segment.settingsApplied()
	}
	return segment
}

func newSegment(r *Rollout, m Meta) *Rollout {
	window := r.count.firstWindow
	segment := &Rollout{
		Version: r.Version, Meta: m, ID: r.ID, home: r.home,
		rng: r.rng, now: m.Start, created: m.Start,
		ordinals: true, itemEvents: true, secret: r.secret,
	}
	segment.Segment = segment.uuid7()
	segment.count.firstWindow = window
	if r.home != nil {
		r.home.rollouts = append(r.home.rollouts, segment)
	}
	segment.begin()
	return segment
}

// cut is the place after the first keep turns.
func (r *Rollout) cut(keep int) mark {
	if keep == All || keep == len(r.turns) {
		return r.mark()
	}
	return r.turns[keep]
}

func kept(turns []mark, keep int) []mark {
	if keep == All {
		keep = len(turns)
	}
	return append([]mark(nil), turns[:keep]...)
}

// childMeta is the Meta of a thread that comes from this one.
func (r *Rollout) childMeta() Meta {
	m := r.Meta
	m.ID, m.Start, m.Seed = "", r.now, r.rng.Uint64()
	m.forkedFrom, m.forkedOrdinal, m.base, m.ownFromOrdinal = "", 0, nil, 0
	return m
}

// copyLines appends lines of another file as a copy does: with the time of now
// and, in a paginated thread, ordinals of its own.
func (r *Rollout) copyLines(lines []byte) {
	for line := range bytes.Lines(lines) {
		at := bytes.Index(line, []byte(`"type":`))
		if !bytes.HasPrefix(line, []byte(`{"timestamp":`)) || at < 0 {
			r.buf = append(r.buf, line...)
			continue
		}
		r.tick(0, 1)
		r.buf = append(r.buf, `{"timestamp":"`...)
		r.buf = r.now.AppendFormat(r.buf, stamp)
		r.buf = append(r.buf, `",`...)
		if r.ordinals {
			r.buf = append(r.buf, `"ordinal":`...)
			r.buf = appendValue(r.buf, r.ordinal)
			r.buf = append(r.buf, ',')
			r.ordinal++
		}
		r.buf = append(r.buf, line[at:]...)
	}
	r.lastLine = r.now
}

// Spawn lets the model start a sub-agent: the call in this thread, and a thread
// of its own whose first turn is open and has got the prompt (V101 on).
func (r *Rollout) Spawn(nickname, prompt string) *Rollout { return r.spawn(nickname, prompt, false) }

// SpawnWithHistory is Spawn of an agent that is told the thread so far: its file
// opens with a copy of this one, and says from which ordinal on it is its own
// (V147 on, paginated).
func (r *Rollout) SpawnWithHistory(nickname, prompt string) *Rollout {
	if !r.ordinals {
		panic("rolltest: SpawnWithHistory needs a paginated thread")
	}
	return r.spawn(nickname, prompt, true)
}

func (r *Rollout) spawn(nickname, prompt string, inherit bool) *Rollout {
	r.need(V101, "Spawn")
	args := O{"message", prompt, "fork_turns", If(inherit, "all")}
	call := r.CallIn("multi_agent_v1", "spawn_agent", args)
	r.endResponse()
	child := r.child(nickname, inherit)
	r.collab(call.ID, "spawn_agent", child, O{child.ID, "pending_init"}, prompt)
	call.Output(O{"agent_id", child.ID, "nickname", nickname}.String())
	return child.Turn(prompt)
}

func (r *Rollout) child(nickname string, inherit bool) *Rollout {
	m := r.childMeta()
	depth := 1
	for p := r; p.Meta.parent != nil; p = p.Meta.parent {
		depth++
	}
	m.parent, m.nickname, m.multiAgent = r, nickname, "v1"
	m.Source = O{"subagent", O{"thread_spawn", O{
		"parent_thread_id", r.ID,
		"depth", depth,
		"agent_path", If(r.Version >= V140, nil),
		"agent_nickname", If(r.Version >= V140, nickname),
		"agent_role", If(r.Version >= V140, nil),
	}}}
	if inherit {
		m.ownFromOrdinal = 1 + bytes.Count(r.buf, []byte("\n"))
	}
	child := newRollout(r.home, r.Version, m)
	if inherit {
		child.copyLines(r.buf)
	}
	return child
}

// collab writes the item of a call about a sub-agent (V152 on, paginated).
func (r *Rollout) collab(id, tool string, child *Rollout, states O, prompt string) {
	if !r.itemEvents || r.Version < V152 {
		return
	}
	spawned := tool == "spawn_agent"
	r.ItemCompleted(O{
		"type", "CollabAgentToolCall",
		"id", id,
		"tool", tool,
		"status", "completed",
		"sender_thread_id", r.ID,
		"receiver_thread_ids", A{child.ID},
		"receiver_agents", A{O{"thread_id", child.ID, "agent_nickname", child.Meta.nickname}},
		"prompt", If(prompt != "", prompt),
		"model", If(spawned, r.Meta.Model),
		"reasoning_effort", If(spawned, "medium"),
		"agents_states", states,
	})
}

// WaitFor lets the model wait for a sub-agent and be told its last message.
func (r *Rollout) WaitFor(child *Rollout) *Rollout {
	done := O{"completed", child.turn.last}
	call := r.CallIn("multi_agent_v1", "wait_agent", O{"timeout_ms", 30000, "targets", A{child.ID}})
	r.endResponse()
	r.now = later(r.now, child.now)
	r.collab(call.ID, "wait", child, O{child.ID, done}, "")
	call.Output(O{"status", O{child.ID, done}, "timed_out", false}.String())
	r.flushTokens()
	r.contextItem("user", "<subagent_notification>\n"+O{"agent_path", child.ID, "status", done}.String()+"\n</subagent_notification>")
	return r
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
