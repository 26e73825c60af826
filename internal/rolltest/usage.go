package rolltest

// Usage counts the tokens of a response. Output includes Reasoning.
type Usage struct {
	Input, Cached, Output, Reasoning int
}

func (u *Usage) add(v Usage) {
	u.Input += v.Input
	u.Cached += v.Cached
	u.Output += v.Output
	u.Reasoning += v.Reasoning
}

func (u Usage) json(v Version) O {
	return O{
		"input_tokens", u.Input,
		"cached_input_tokens", u.Cached,
		"cache_write_input_tokens", If(v >= V147, 0),
		"output_tokens", u.Output,
		"reasoning_output_tokens", u.Reasoning,
		"total_tokens", u.Input + u.Output,
	}
}

// counters are what a thread counts. A revert takes them back to its cut.
type counters struct {
	total, last, turnUsage Usage
	next                   *Usage // of the response being written, set by Usage
	context                int    // tokens that the model would be sent

	sequence, sampled, inputs int // of item metadata (V171)

	compactions                 int
	firstWindow, window, before string // ids of context windows
}

func contextWindow(v Version) int {
	if v <= V36 {
		return 272000
	}
	return 258400
}

// Usage sets the token count of the response being written, or of the next one.
// Without it a count is estimated from the lengths.
func (r *Rollout) Usage(u Usage) *Rollout {
	r.count.next = &u
	return r
}

// respond begins a response of the model where none is being written.
func (r *Rollout) respond(bytes int) {
	r.outBytes += bytes
	if r.responding {
		return
	}
	r.flushTokens()
	r.responding = true
	r.turn.responses++
	r.count.sampled = r.count.sequence
	r.stateLines(2)
	if r.Version >= V36 && r.Version <= V101 {
		r.turnContext()
	}
	if r.Version == V63 || r.Version == V101 {
		r.TokenCount()
	}
}

// endResponse ends the response being written. Where its token_count stands
// differs: before the items (up to V63), before the outputs (V101) or after them.
func (r *Rollout) endResponse() {
	if !r.responding {
		return
	}
	r.responding = false
	r.account()
	switch v := r.Version; {
	case v == V20:
	case v <= V101:
		r.TokenCount()
	default:
		if v >= V156 {
			r.usageRecord()
		}
		r.tokensDue = true
	}
	for _, write := range r.held {
		write()
	}
	r.held = nil
}

func (r *Rollout) account() {
	u := Usage{Input: 900 + r.count.context, Output: 12 + r.outBytes/4}
	u.Cached = u.Input / 2
	u.Reasoning = u.Output / 4
	if r.count.next != nil {
		u = *r.count.next
	}
	r.outBytes, r.count.next = 0, nil
	r.count.last = u
	r.count.total.add(u)
	r.count.turnUsage.add(u)
}

func (r *Rollout) flushTokens() {
	if r.tokensDue {
		r.tokensDue = false
		r.TokenCount()
	}
}

// TokenCount writes a token_count event of the totals so far; with none yet its
// info is null. Codex writes them by itself: call it to repeat one.
func (r *Rollout) TokenCount() *Rollout {
	v := r.Version
	info := any(nil)
	if r.count.total.Input > 0 {
		info = O{
			"total_token_usage", r.count.total.json(v),
			"last_token_usage", r.count.last.json(v),
			"last_usage_includes_reasoning", If(v >= V171, false),
			"model_context_window", contextWindow(v),
		}
	}
	return r.Event(O{"type", "token_count", "info", info, "rate_limits", If(v >= V63, rateLimits(v))})
}

func rateLimits(v Version) O {
	return O{
		"limit_id", If(v >= V101, "codex"),
		"limit_name", If(v >= V101, nil),
		"primary", nil,
		"secondary", nil,
		"credits", nil,
		"individual_limit", If(v >= V140, nil),
		"spend_control_reached", If(v >= V147, nil),
		"plan_type", If(v >= V101, nil),
		"rate_limit_reached_type", If(v >= V140, nil),
	}
}

func (r *Rollout) usageRecord() {
	r.Record("token_usage_record", r.usageRecordPayload())
}

func (r *Rollout) usageRecordPayload() O {
	return O{
		"thread_id", r.ID,
		"turn_id", r.turn.id,
		"session_id", r.sessionID(),
		"root_turn_id", r.turn.root,
		"response_id", r.id("resp"),
		"usage", r.count.last.json(r.Version),
		"turn_token_usage", r.count.turnUsage.json(r.Version),
		"thread_token_usage", r.count.total.json(r.Version),
	}
}

// stateLines writes the lines that bare files hold between messages.
func (r *Rollout) stateLines(n int) {
	if r.Version != V20 {
		return
	}
	for range n {
		r.line(O{"record_type", "state"})
	}
}
