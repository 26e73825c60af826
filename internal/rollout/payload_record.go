package rollout

// A WorldState is what Codex told the model of its surroundings: all of it, or
// what changed since.
type WorldState struct {
	base
	Full  Opt[bool]
	State Raw
}

func (w *WorldState) set(d *dec, key []byte) bool {
	switch string(key) {
	case "full":
		w.Full = d.bool()
	case "state":
		w.State = d.of('{')
	default:
		return false
	}
	return true
}

// A TokenUsage counts the tokens of a response, a turn or a thread. What the
// record does not say is not zero but absent.
type TokenUsage struct {
	Input, CachedInput, CacheWriteInput, Output, ReasoningOutput, Total Opt[int64]

	OK bool // there is a usage at all
}

func (u *TokenUsage) set(d *dec, key []byte) bool {
	switch string(key) {
	case "input_tokens":
		u.Input = d.int()
	case "cached_input_tokens":
		u.CachedInput = d.int()
	case "cache_write_input_tokens":
		u.CacheWriteInput = d.int()
	case "output_tokens":
		u.Output = d.int()
	case "reasoning_output_tokens":
		u.ReasoningOutput = d.int()
	case "total_tokens":
		u.Total = d.int()
	default:
		return false
	}
	return true
}

// A TokenUsageRecord says what one response used, and with it its turn and the
// thread so far; from 0.154.
type TokenUsageRecord struct {
	base
	ResponseID, SessionID, ThreadID, TurnID, RootTurnID string

	Usage, TurnUsage, ThreadUsage TokenUsage
}

func (u *TokenUsageRecord) set(d *dec, key []byte) bool {
	switch string(key) {
	case "response_id":
		u.ResponseID = d.str()
	case "session_id":
		u.SessionID = d.str()
	case "thread_id":
		u.ThreadID = d.str()
	case "turn_id":
		u.TurnID = d.str()
	case "root_turn_id":
		u.RootTurnID = d.str()
	case "usage":
		u.Usage.OK = into(d, &u.Usage)
	case "turn_token_usage":
		u.TurnUsage.OK = into(d, &u.TurnUsage)
	case "thread_token_usage":
		u.ThreadUsage.OK = into(d, &u.ThreadUsage)
	default:
		return false
	}
	return true
}

// An InterAgent is a text that one agent sent to others.
type InterAgent struct {
	base
	ID, Author, Recipient string
	OtherRecipients       Texts
	Content               Text
	Encrypted             bool // there is encrypted content
	TriggerTurn           Opt[bool]
}

func (a *InterAgent) set(d *dec, key []byte) bool {
	switch string(key) {
	case "id":
		a.ID = d.str()
	case "author":
		a.Author = d.str()
	case "recipient":
		a.Recipient = d.str()
	case "other_recipients":
		a.OtherRecipients = Texts(d.of('['))
	case "content":
		a.Content = d.text()
	case "encrypted_content":
		a.Encrypted = d.text().OK()
	case "trigger_turn":
		a.TriggerTurn = d.bool()
	default:
		return false
	}
	return true
}

// An InterAgentMetadata says whether the agent message at its side starts a
// turn.
type InterAgentMetadata struct {
	base
	TriggerTurn Opt[bool]
}

func (a *InterAgentMetadata) set(d *dec, key []byte) bool {
	if string(key) != "trigger_turn" {
		return false
	}
	a.TriggerTurn = d.bool()
	return true
}

// A RetainedContext is a copy of something said, kept for later checks.
type RetainedContext struct {
	base
	What            string // "verified_answer" …
	TurnID, CallID  string
	AcceptanceOrder Opt[int64]
	Questions       Raw // of a verified answer: a list of {question, answer}
}

func (c *RetainedContext) set(d *dec, key []byte) bool {
	switch string(key) {
	case "type":
		c.What = d.str()
	case "turn_id":
		c.TurnID = d.str()
	case "call_id":
		c.CallID = d.str()
	case "acceptance_order":
		c.AcceptanceOrder = d.int()
	case "questions":
		c.Questions = d.of('[')
	default:
		return false
	}
	return true
}

// A SecurityRiskScore is a score for Codex's own use.
type SecurityRiskScore struct{ base }

func (s *SecurityRiskScore) set(*dec, []byte) bool { return false }

// A RealtimeItem is a mark or a transcript piece of a voice session.
type RealtimeItem struct {
	base
	ID, SessionID string
	What          string // "realtime_session_started", "transcript_segment" …
	Transcript
}

// A Transcript is a piece of what was spoken.
type Transcript struct {
	Role string // user or assistant
	Text Text
}

func (t *Transcript) set(d *dec, key []byte) bool {
	switch string(key) {
	case "role":
		t.Role = d.str()
	case "text":
		t.Text = d.text()
	default:
		return false
	}
	return true
}

func (r *RealtimeItem) set(d *dec, key []byte) bool {
	switch string(key) {
	case "id":
		r.ID = d.str()
	case "realtime_session_id":
		r.SessionID = d.str()
	case "type":
		r.What = d.str()
	case "data":
		into(d, &r.Transcript)
	default:
		return false
	}
	return true
}
