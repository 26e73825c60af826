package rolltest

// Compacted writes a compaction: within a turn that is open, or as a turn of its
// own. With a summary the model of the thread made it: the summary is also an
// assistant item without an event. With "" the service made it, and only it can
// read the result (V101 on). The prompts so far are told again as what the model
// is sent from now on (V140 on).
func (r *Rollout) Compacted(summary string) *Rollout {
	r.need(V63, "Compacted")
	alone := !r.turn.open && r.Version >= V101
	if alone {
		r.turn = turn{id: r.uuid7(), started: r.now, open: true}
		r.turn.root = r.turn.id
		r.count.turnUsage = Usage{}
		r.taskStarted("default")
	}
	started := r.now.UnixMilli()
	r.endResponse()
	r.flushTokens()
	r.summarize(summary)
	r.count.compactions++
	r.count.before, r.count.window = r.count.window, r.uuid7()
	r.Record("compacted", r.compactedPayload(summary))
	r.count.context = 200 + len(summary)/4
	r.settingsAgain(alone)
	r.compactedEvents(started)
	if !alone {
		return r
	}
	// V171 tells the context in the compaction itself.
	r.contextDue = r.Version >= V140 && r.Version < V171
	return r.TurnComplete()
}

// settingsAgain writes what the model is told anew after a compaction.
func (r *Rollout) settingsAgain(alone bool) {
	v := r.Version
	if v >= V171 || v >= V147 && !alone {
		r.Record("world_state", O{"full", true, "state", r.worldState()})
	}
	if v >= V171 || v >= V140 && !alone {
		r.turnContext()
	}
	if v >= V152 {
		r.settingsApplied()
	}
}

// summarize writes the response that made the summary.
func (r *Rollout) summarize(summary string) {
	r.tick(2000, 9000)
	if summary == "" {
		return
	}
	if r.Version >= V140 {
		r.TokenCount()
	}
	r.respond(len(summary))
	if r.Version >= V140 {
		r.message(message{
			role: "assistant", id: r.id("msg"), meta: summaryMeta, kinds: A{"unknown"},
			content: A{O{"type", "output_text", "text", summary, "annotations", If(r.Version >= V171, A{})}},
		})
	}
	r.turn.responses--
	r.endResponse()
	r.flushTokens()
	if r.Version <= V101 {
		r.TokenCount()
	}
}

func (r *Rollout) compactedPayload(summary string) O {
	v := r.Version
	text := ""
	if summary != "" {
		text = summaryPrefix + summary
	}
	numbered := v >= V147
	return O{
		"message", text,
		"replacement_history", If(v >= V140 || summary == "", r.replacement(text)),
		"retained_context", If(v >= V156, r.retained()),
		"window_number", If(numbered, r.count.compactions),
		"first_window_id", If(numbered, r.count.firstWindow),
		"previous_window_id", If(numbered, r.count.before),
		"window_id", r.windowID(),
		"compaction_response_id", If(v >= V156, r.id("resp")),
		"latest_token_usage_record", If(v >= V156, r.usageRecordPayload()),
	}
}

func (r *Rollout) windowID() any {
	switch {
	case r.Version < V140:
		return absent{}
	case r.Version == V140:
		return r.count.compactions
	default:
		return r.count.window
	}
}

// replacement is the history that the model is sent from now on.
func (r *Rollout) replacement(summary string) A {
	var history A
	for _, p := range r.prompts {
		history = append(history, r.replaced("user", p.text, p.turn, "user.text", O{"type", "user"}))
	}
	if summary == "" {
		return append(history, O{"type", "compaction", "encrypted_content", r.encrypted(120)})
	}
	return append(history, r.replaced("user", summary, r.turn.id, "compaction.summary", O{"type", "harness", "hook", false}))
}

func (r *Rollout) replaced(role, text, turnID, kind string, provenance O) O {
	v := r.Version
	return O{
		"type", "message",
		"id", If(v >= V147, r.ownID("msg")),
		"role", role,
		"content", A{O{"type", "input_text", "text", text}},
		"internal_chat_message_metadata_passthrough", If(v >= V147, O{
			"turn_id", turnID,
			"content_item_kinds", If(v >= V152, A{kind}),
			"content_item_metadata", If(v >= V171, A{O{"provenance", provenance}}),
		}),
	}
}

// retained tells the person's messages once more (V171; V156 tells that it does not).
func (r *Rollout) retained() O {
	messages := A{}
	for i, p := range r.prompts {
		messages = append(messages, If(r.Version >= V171, O{
			"revision", r.ownID("retained"),
			"order", i,
			"turn_id", p.turn,
			"message_id", r.ownID("msg"),
			"text", p.text,
			"complete", true,
		}))
	}
	return O{
		"verified_answers", A{},
		"incomplete", false,
		"user_messages", messages,
		"user_messages_incomplete", r.Version < V171,
		"next_order", r.count.inputs,
	}
}

func (r *Rollout) compactedEvents(started int64) {
	switch {
	case r.Version == V63:
		r.Event(O{"type", "agent_message", "message", "Compact task completed"})
	case r.itemEvents:
		r.TokenCount()
		r.completed(r.ID, started, O{"type", "ContextCompaction", "id", r.uuid7()})
	default:
		if r.Version >= V140 {
			r.TokenCount()
		}
		r.Event(O{"type", "context_compacted"})
	}
}

// prompt is what a person sent, kept for compactions.
type prompt struct {
	text, turn string
}

// maxPrompts bounds what a compaction tells again.
const maxPrompts = 50

// remember keeps a prompt for a compaction and the home's history.jsonl.
func (r *Rollout) remember(text string) {
	if len(r.prompts) == maxPrompts {
		r.prompts = r.prompts[1:]
	}
	r.prompts = append(r.prompts, prompt{text, r.turn.id})
	if r.home != nil && r.Meta.Source == "cli" && text != "" {
		r.home.typed(r, text)
	}
}
