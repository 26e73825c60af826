package rollout

// A UserMessageEvent is a prompt as Codex showed it.
type UserMessageEvent struct {
	base
	Message     Text
	Kind        string // of old versions: "plain", "user_instructions", "environment_context"
	ClientID    string
	Images      Texts // data URLs or other addresses
	LocalImages Texts // paths
	Audio       Texts
	LocalAudio  Texts
}

func (m *UserMessageEvent) set(d *dec, key []byte) bool {
	switch string(key) {
	case "message":
		m.Message = d.text()
	case "kind":
		m.Kind = d.str()
	case "client_id":
		m.ClientID = d.str()
	case "images":
		m.Images = Texts(d.of('['))
	case "local_images":
		m.LocalImages = Texts(d.of('['))
	case "audio":
		m.Audio = Texts(d.of('['))
	case "local_audio":
		m.LocalAudio = Texts(d.of('['))
	default:
		return false
	}
	return true
}

// An AgentMessageEvent is an answer as Codex showed it.
type AgentMessageEvent struct {
	base
	Message Text
	Phase   string
	// Cited says that a citation of memories was cut out of the message; the
	// response item still has it.
	Cited bool
}

func (m *AgentMessageEvent) set(d *dec, key []byte) bool {
	switch string(key) {
	case "message":
		m.Message = d.text()
	case "phase":
		m.Phase = d.str()
	case "memory_citation":
		m.Cited = !d.raw().IsNull()
	default:
		return false
	}
	return true
}

// A ReasoningEvent is one reasoning summary, or raw reasoning text.
type ReasoningEvent struct {
	base
	Text Text
}

func (r *ReasoningEvent) set(d *dec, key []byte) bool {
	if string(key) != "text" {
		return false
	}
	r.Text = d.text()
	return true
}

// A TurnMark is what the events that open and close a turn share. Times are
// seconds since 1970.
type TurnMark struct {
	TurnID     string
	RootTurnID string // of the turn that a sub-agent works for
	StartedAt  Opt[int64]
	EndedAt    Opt[int64] // completed_at
	DurationMS Opt[int64]
}

func (m *TurnMark) set(d *dec, key []byte) bool {
	switch string(key) {
	case "turn_id":
		m.TurnID = d.str()
	case "root_turn_id":
		m.RootTurnID = d.str()
	case "started_at":
		m.StartedAt = d.int()
	case "completed_at":
		m.EndedAt = d.int()
	case "duration_ms":
		m.DurationMS = d.int()
	default:
		return false
	}
	return true
}

// A TurnStarted event opens a turn; from 0.101.
type TurnStarted struct {
	base
	TurnMark
	ContextWindow     Opt[int64] // in tokens
	CollaborationMode string
}

func (s *TurnStarted) set(d *dec, key []byte) bool {
	switch string(key) {
	case "model_context_window":
		s.ContextWindow = d.int()
	case "collaboration_mode_kind":
		s.CollaborationMode = d.str()
	default:
		return s.TurnMark.set(d, key)
	}
	return true
}

// A TurnComplete event closes a turn; from 0.101.
type TurnComplete struct {
	base
	TurnMark
	LastMessage  Text // the last answer once more
	FirstTokenMS Opt[int64]
	Error        TurnError
}

func (c *TurnComplete) set(d *dec, key []byte) bool {
	switch string(key) {
	case "last_agent_message":
		c.LastMessage = d.text()
	case "time_to_first_token_ms":
		c.FirstTokenMS = d.int()
	case "error":
		c.Error.OK = into(d, &c.Error)
	default:
		return c.TurnMark.set(d, key)
	}
	return true
}

// A TurnError says why a turn failed.
type TurnError struct {
	OK      bool // there is an error at all
	Message Text
	Info    Raw // codex_error_info: a name, or an object of one name
}

func (e *TurnError) set(d *dec, key []byte) bool {
	switch string(key) {
	case "message":
		e.Message = d.text()
	case "codex_error_info":
		e.Info = d.raw()
	default:
		return false
	}
	return true
}

// A TurnAborted event closes a turn that was interrupted.
type TurnAborted struct {
	base
	TurnMark // TurnID from 0.101
	Reason   string
}

func (a *TurnAborted) set(d *dec, key []byte) bool {
	if string(key) != "reason" {
		return a.TurnMark.set(d, key)
	}
	a.Reason = d.str()
	return true
}

// A ThreadRolledBack event hides the last turns before it (F7).
type ThreadRolledBack struct {
	base
	Turns Opt[int64] // num_turns
}

func (r *ThreadRolledBack) set(d *dec, key []byte) bool {
	if string(key) != "num_turns" {
		return false
	}
	r.Turns = d.int()
	return true
}

// A ContextCompacted event, or turn item, mirrors a compacted record.
type ContextCompacted struct {
	base
	ID string // of the turn item
}

func (c *ContextCompacted) set(d *dec, key []byte) bool {
	if string(key) != "id" {
		return false
	}
	c.ID = d.str()
	return true
}

// A TokenCount event gives running totals of the thread. Repeats are common:
// only an advance of a total means that something was used.
type TokenCount struct {
	base
	Info       TokenInfo
	RateLimits Raw
}

// A TokenInfo holds the totals of a TokenCount.
type TokenInfo struct {
	OK            bool // there is an info at all; null is common
	Total         TokenUsage
	Last          TokenUsage
	ContextWindow Opt[int64] // in tokens
}

func (c *TokenCount) set(d *dec, key []byte) bool {
	switch string(key) {
	case "info":
		c.Info.OK = into(d, &c.Info)
	case "rate_limits":
		c.RateLimits = d.of('{')
	default:
		return false
	}
	return true
}

func (c *TokenInfo) set(d *dec, key []byte) bool {
	switch string(key) {
	case "total_token_usage":
		c.Total.OK = into(d, &c.Total)
	case "last_token_usage":
		c.Last.OK = into(d, &c.Last)
	case "model_context_window":
		c.ContextWindow = d.int()
	default:
		return false
	}
	return true
}

// A ThreadName event gives the thread a title; seen in 0.125 to 0.128 only.
type ThreadName struct {
	base
	ThreadID string
	Name     Text
}

func (n *ThreadName) set(d *dec, key []byte) bool {
	switch string(key) {
	case "thread_id":
		n.ThreadID = d.str()
	case "thread_name":
		n.Name = d.text()
	default:
		return false
	}
	return true
}

// A ThreadSettings event says which settings hold from here on.
type ThreadSettings struct {
	base
	ThreadID string // from 0.152.1
	Settings
}

// Settings are those that a reader of history can use.
type Settings struct {
	Model             string
	ModelProvider     string
	CWD               string
	Effort            string
	CollaborationMode string
}

func (s *ThreadSettings) set(d *dec, key []byte) bool {
	switch string(key) {
	case "thread_id":
		s.ThreadID = d.str()
	case "thread_settings":
		into(d, &s.Settings)
	default:
		return false
	}
	return true
}

func (s *Settings) set(d *dec, key []byte) bool {
	switch string(key) {
	case "model":
		s.Model = d.str()
	case "model_provider_id":
		s.ModelProvider = d.str()
	case "cwd":
		s.CWD = d.str()
	case "reasoning_effort":
		s.Effort = d.str()
	case "collaboration_mode":
		s.CollaborationMode = d.textIn("mode").String()
	default:
		return false
	}
	return true
}

// A ThreadGoal event says what the thread is to reach.
type ThreadGoal struct {
	base
	ThreadID string
	Goal
}

// A Goal is what a thread is to reach.
type Goal struct {
	Objective Text
	Status    string
}

func (g *Goal) set(d *dec, key []byte) bool {
	switch string(key) {
	case "objective":
		g.Objective = d.text()
	case "status":
		g.Status = d.str()
	default:
		return false
	}
	return true
}

func (g *ThreadGoal) set(d *dec, key []byte) bool {
	switch string(key) {
	case "threadId":
		g.ThreadID = d.str()
	case "goal":
		into(d, &g.Goal)
	default:
		return false
	}
	return true
}

// A GuardianAssessment event is one step of an automatic approval.
type GuardianAssessment struct {
	base
	ID, TargetItemID, TurnID string
	Status, RiskLevel        string
	Rationale                Text
	Action                   Raw
}

func (g *GuardianAssessment) set(d *dec, key []byte) bool {
	switch string(key) {
	case "id":
		g.ID = d.str()
	case "target_item_id":
		g.TargetItemID = d.str()
	case "turn_id":
		g.TurnID = d.str()
	case "status":
		g.Status = d.str()
	case "risk_level":
		g.RiskLevel = d.str()
	case "rationale":
		g.Rationale = d.text()
	case "action":
		g.Action = d.raw()
	default:
		return false
	}
	return true
}

// An ErrorEvent is an error as Codex showed it.
type ErrorEvent struct {
	base
	TurnError
}

func (e *ErrorEvent) set(d *dec, key []byte) bool {
	e.OK = true
	return e.TurnError.set(d, key)
}

// An UndoCompleted event says that files were put back; old versions only.
type UndoCompleted struct {
	base
	Success Opt[bool]
	Message Text
}

func (u *UndoCompleted) set(d *dec, key []byte) bool {
	switch string(key) {
	case "success":
		u.Success = d.bool()
	case "message":
		u.Message = d.text()
	default:
		return false
	}
	return true
}

// An ItemCompleted event carries a turn item: what Codex shows, in paginated
// threads and here and there in others (F3). Times are milliseconds since
// 1970.
type ItemCompleted struct {
	base
	ThreadID, TurnID string
	StartedAtMS      Opt[int64]
	CompletedAtMS    Opt[int64]
	Item             Payload // never nil
}

func (c *ItemCompleted) finish(odd []string) {
	c.base.finish(odd)
	if c.Item == nil {
		c.Item = unknown(TurnItemUnknown, nil, nil)
	}
}

func (c *ItemCompleted) set(d *dec, key []byte) bool {
	switch string(key) {
	case "thread_id":
		c.ThreadID = d.str()
	case "turn_id":
		c.TurnID = d.str()
	case "started_at_ms":
		c.StartedAtMS = d.int()
	case "completed_at_ms":
		c.CompletedAtMS = d.int()
	case "item":
		if c.Item = nil; d.b[d.i] != '{' {
			d.bad()
		} else {
			c.Item = d.typed(turnItemFamily)
		}
	default:
		return false
	}
	return true
}
