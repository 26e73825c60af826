package rolltest

// Turn starts a turn with what a person sends.
func (r *Rollout) Turn(text string, images ...Image) *Rollout {
	return r.TurnStart().User(text, images...)
}

// TurnStart opens a turn of a person: its marker (V101 on), its settings and, in the first
// turn, the context messages. A turn that is still open stays without an end.
func (r *Rollout) TurnStart() *Rollout {
	r.endResponse()
	r.flushTokens()
	r.turns = append(r.turns, r.mark())
	r.tick(5, 40)
	r.turn = turn{id: r.uuid7(), started: r.now, open: true}
	r.turn.root, r.turn.parent = r.turn.id, ""
	if p := r.Meta.parent; p != nil {
		r.turn.root, r.turn.parent = p.turn.root, p.turn.id
	}
	r.count.turnUsage = Usage{}
	first := r.contextDue
	if first && r.Version <= V101 {
		r.writeContext()
	}
	r.taskStarted("default")
	if first && r.Version > V101 {
		r.writeContext()
	}
	if r.Version >= V140 {
		r.turnContext()
	}
	if first && r.Version >= V171 {
		r.settingsApplied()
	}
	return r
}

func (r *Rollout) taskStarted(mode string) {
	v := r.Version
	if v < V101 {
		return
	}
	r.Event(O{
		"type", "task_started",
		"turn_attribution", If(v >= V171, O{
			"turn_id", r.turn.id,
			"turn_trigger", r.trigger(),
			"parent_turn_id", orNull(r.turn.parent),
			"initiating_agent_path", nil,
			"root_turn_id", r.turn.root,
		}),
		"turn_id", r.turn.id,
		"root_turn_id", If(v >= V156, r.turn.root),
		"started_at", If(v >= V140, r.turn.started.Unix()),
		"model_context_window", contextWindow(v),
		"collaboration_mode_kind", mode,
	})
}

func (r *Rollout) trigger() any {
	switch r.Meta.Source {
	case "cli":
		return "user"
	case "exec":
		return "exec"
	default:
		return nil
	}
}

// TurnComplete ends the turn. Before V101 a turn has no end of its own: then it
// only ends the model's response.
func (r *Rollout) TurnComplete() *Rollout {
	r.endResponse()
	r.flushTokens()
	v := r.Version
	if v >= V101 {
		r.Event(O{
			"type", "task_complete",
			"root_turn_id", If(v >= V171, r.turn.root),
			"turn_id", r.turn.id,
			"last_agent_message", r.turn.last,
			"started_at", If(v >= V147, r.turn.started.Unix()),
			"completed_at", If(v >= V140, r.now.Unix()),
			"duration_ms", If(v >= V140, r.now.Sub(r.turn.started).Milliseconds()),
			"time_to_first_token_ms", If(v >= V140 && r.turn.responses > 0, 60+r.rng.IntN(900)),
		})
	}
	r.turn.open = false
	return r
}

// Aborted ends the turn as a person's interruption does (V36 on). In V36 the
// items of the response that was being written are lost with it.
func (r *Rollout) Aborted() *Rollout {
	r.need(V36, "Aborted")
	if r.Version == V36 {
		r.responding, r.held = false, nil
	}
	r.endResponse()
	r.flushTokens()
	v := r.Version
	if v >= V101 {
		r.contextItem("user", abortedText)
	}
	r.Event(O{
		"type", "turn_aborted",
		"root_turn_id", If(v >= V171, r.turn.root),
		"turn_id", If(v >= V101, r.turn.id),
		"reason", "interrupted",
		"started_at", If(v >= V147, r.turn.started.Unix()),
		"completed_at", If(v >= V140, r.now.Unix()),
		"duration_ms", If(v >= V140, r.now.Sub(r.turn.started).Milliseconds()),
	})
	r.turn.open = false
	return r
}

// RolledBack takes back the last n turns of a legacy thread: a marker only, the
// turns stay in the file.
func (r *Rollout) RolledBack(n int) *Rollout {
	r.need(V101, "RolledBack")
	r.TokenCount()
	r.Event(O{"type", "thread_rolled_back", "num_turns", n})
	first := max(0, len(r.turns)-n)
	r.prompts, r.turns = r.cut(first).prompts, r.turns[:first]
	return r
}

// ContinueAs goes on as a newer version that resumed the thread: lines get its
// shapes but stay without ordinals. With items, events are item_completed.
func (r *Rollout) ContinueAs(v Version, items bool) *Rollout {
	r.Version, r.itemEvents = v, items
	r.Meta.CLI, r.Meta.Model = v.String(), versionFacts[v].model
	return r
}

// Resume goes on as another process that resumed the thread.
func (r *Rollout) Resume() *Rollout {
	switch v := r.Version; {
	case v <= V63:
		r.count.total = Usage{} // it counts from nothing
	case v == V101:
		r.contextDue = true
	default:
		r.settingsApplied()
		if v == V156 {
			r.settingsApplied()
		}
	}
	return r
}

func (r *Rollout) mark() mark {
	n := len(r.prompts)
	return mark{file: r, ordinal: r.ordinal, offset: r.Size(), count: r.count, prompts: r.prompts[:n:n]}
}
