package rollout

import "iter"

// A CollabCall is a call by which an agent starts other agents, writes to
// them, waits for them or closes them: the turn item, or one of the events
// whose names begin with collab.
type CollabCall struct {
	base
	ID         string
	Tool       string // of the turn item: spawnAgent, sendInput, wait …
	Sender     string // thread id
	Receiver   string // thread id; of an event for one agent
	Receivers  Texts  // thread ids; of the turn item
	Nickname   string // of the receiver
	Role       string // of the receiver
	Prompt     Text
	Model      string
	Effort     string
	CallStatus string      // of the turn item
	Status     AgentStatus // of the receiver; of an event for one agent
	States     AgentStates // of all receivers
}

func (c *CollabCall) set(d *dec, key []byte) bool {
	switch string(key) {
	case "id", "call_id":
		c.ID = d.str()
	case "tool":
		c.Tool = d.str()
	case "sender_thread_id":
		c.Sender = d.str()
	case "receiver_thread_id", "new_thread_id":
		c.Receiver = d.str()
	case "receiver_thread_ids":
		c.Receivers = Texts(d.of('['))
	case "receiver_agent_nickname", "new_agent_nickname":
		c.Nickname = d.str()
	case "receiver_agent_role", "new_agent_role":
		c.Role = d.str()
	case "prompt":
		c.Prompt = d.text()
	case "model":
		c.Model = d.str()
	case "reasoning_effort":
		c.Effort = d.str()
	case "status":
		if c.typ == TurnItemCollabCall {
			c.CallStatus = d.str()
		} else {
			c.Status = d.agentStatus()
		}
	case "agents_states", "statuses":
		c.States = AgentStates(d.of('{'))
	default:
		return false
	}
	return true
}

// An AgentStatus says how far an agent is.
type AgentStatus struct {
	Name    string // pending_init, running, interrupted, completed, errored, shutdown, not_found
	Message Text   // the last answer of a completed agent, the error of an errored one
}

// agentStatus takes a status: a name, or {name: message}.
func (d *dec) agentStatus() (s AgentStatus) {
	if d.b[d.i] == '"' {
		s.Name = d.str()
		return s
	}
	d.object(func(d *dec, key []byte) bool {
		s.Name, s.Message = string(key), d.text()
		return true
	})
	return s
}

// AgentStates are the states of several agents, by thread id.
type AgentStates Raw

// All gives thread id and status in the order in which they stand.
func (l AgentStates) All() iter.Seq2[string, AgentStatus] {
	return func(yield func(string, AgentStatus) bool) {
		for w := Raw(l).Object(); ; {
			id, v, ok := w.Next()
			if !ok {
				return
			}
			d := dec{b: v}
			if !yield(name(id), d.agentStatus()) {
				return
			}
		}
	}
}

// A SubAgentActivity says that a sub-agent started, was written to, was
// interrupted or came to its end.
type SubAgentActivity struct {
	base
	ID            string // event_id of the event
	What          string // kind: started, interacted, interrupted, completed
	AgentThreadID string
	AgentPath     string
	Model         string
	Effort        string
	AtMS          Opt[int64] // occurred_at_ms of the event
}

func (a *SubAgentActivity) set(d *dec, key []byte) bool {
	switch string(key) {
	case "id", "event_id":
		a.ID = d.str()
	case "kind":
		a.What = d.str()
	case "agent_thread_id":
		a.AgentThreadID = d.str()
	case "agent_path":
		a.AgentPath = d.str()
	case "model":
		a.Model = d.str()
	case "reasoning_effort":
		a.Effort = d.str()
	case "occurred_at_ms":
		a.AtMS = d.int()
	default:
		return false
	}
	return true
}

// An EnteredReview opens a review in the thread that asked for it.
type EnteredReview struct {
	base
	ID     string // of the turn item
	TurnID string
	Target ReviewTarget
	Hint   Text // user_facing_hint
}

// A ReviewTarget says what is reviewed.
type ReviewTarget struct {
	Type         string // custom, uncommittedChanges, baseBranch, commit
	Instructions Text   // of custom
	Branch, SHA  string // of baseBranch and commit
}

func (r *EnteredReview) set(d *dec, key []byte) bool {
	switch string(key) {
	case "id", "item_id":
		r.ID = d.str()
	case "turn_id":
		r.TurnID = d.str()
	case "user_facing_hint":
		r.Hint = d.text()
	case "target":
		into(d, &r.Target)
	default:
		return false
	}
	return true
}

func (r *ReviewTarget) set(d *dec, key []byte) bool {
	switch string(key) {
	case "type":
		r.Type = d.str()
	case "instructions":
		r.Instructions = d.text()
	case "branch":
		r.Branch = d.str()
	case "sha":
		r.SHA = d.str()
	default:
		return false
	}
	return true
}

// An ExitedReview closes a review and holds what it found.
type ExitedReview struct {
	base
	ID     string // of the turn item
	TurnID string
	Output ReviewOutput
}

// A ReviewOutput is the result of a review.
type ReviewOutput struct {
	OK          bool // there is an output at all
	Explanation Text
	Correctness string
	Findings    Findings
}

func (r *ExitedReview) set(d *dec, key []byte) bool {
	switch string(key) {
	case "id", "item_id":
		r.ID = d.str()
	case "turn_id":
		r.TurnID = d.str()
	case "review_output":
		r.Output.OK = into(d, &r.Output)
	default:
		return false
	}
	return true
}

func (r *ReviewOutput) set(d *dec, key []byte) bool {
	switch string(key) {
	case "overall_explanation":
		r.Explanation = d.text()
	case "overall_correctness":
		r.Correctness = d.str()
	case "findings":
		r.Findings = Findings(d.of('['))
	default:
		return false
	}
	return true
}

// Findings are what a review found.
type Findings Raw

// A Finding is one thing that a review found.
type Finding struct {
	Title, Body Text
	Priority    Opt[int64]
	Where       CodeLocation
}

// A CodeLocation is a range of lines in a file.
type CodeLocation struct {
	Path  string
	Lines LineRange
}

// A LineRange counts lines from 1; both ends belong to it.
type LineRange struct{ Start, End Opt[int64] }

// All gives the findings in order.
func (l Findings) All() iter.Seq2[int, Finding] {
	return func(yield func(int, Finding) bool) {
		for i, v := range elements(Raw(l)) {
			var f Finding
			d := dec{b: v}
			into(&d, &f)
			if !yield(i, f) {
				return
			}
		}
	}
}

func (f *Finding) set(d *dec, key []byte) bool {
	switch string(key) {
	case "title":
		f.Title = d.text()
	case "body":
		f.Body = d.text()
	case "priority":
		f.Priority = d.int()
	case "code_location":
		into(d, &f.Where)
	default:
		return false
	}
	return true
}

func (l *CodeLocation) set(d *dec, key []byte) bool {
	switch string(key) {
	case "absolute_file_path":
		l.Path = d.str()
	case "line_range":
		into(d, &l.Lines)
	default:
		return false
	}
	return true
}

func (r *LineRange) set(d *dec, key []byte) bool {
	switch string(key) {
	case "start":
		r.Start = d.int()
	case "end":
		r.End = d.int()
	default:
		return false
	}
	return true
}
