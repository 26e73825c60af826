package rollout

import "iter"

// A BareHeader is the first line of a file of the bare era
// (docs/format/rollout.md F1).
type BareHeader struct {
	base
	ID           string
	Timestamp    string
	Instructions Text
	Git          Git
}

func (h *BareHeader) set(d *dec, key []byte) bool {
	switch string(key) {
	case "id":
		h.ID = d.str()
	case "timestamp":
		h.Timestamp = d.str()
	case "instructions":
		h.Instructions = d.text()
	case "git":
		into(d, &h.Git)
	default:
		return false
	}
	return true
}

// A BareState is a line of the bare era that says nothing.
type BareState struct {
	base
	RecordType string
}

func (s *BareState) set(d *dec, key []byte) bool {
	if string(key) != "record_type" {
		return false
	}
	s.RecordType = d.str()
	return true
}

// A SessionMeta opens a file and says whose it is (F2 to F6, F8).
type SessionMeta struct {
	base
	ID             string // of the thread
	SessionID      string // of the root thread; not the thread's own in a sub-agent
	Timestamp      string // when the thread began
	CWD            string
	Originator     string
	CLIVersion     string
	Source         Source
	ThreadSource   string
	ModelProvider  string
	Git            Git
	HistoryMode    string // "legacy", "paginated", or "" before 0.145
	MemoryMode     string
	ForkedFromID   string
	ForkedFromEnd  Opt[int64] // forked_from_ordinal_exclusive
	ParentThreadID string
	HistoryBase    HistoryBase
	OwnFrom        Opt[int64] // subagent_history_start_ordinal: what is before it is inherited
	AgentNickname  string
	AgentRole      string
	AgentPath      string
	MultiAgent     string // multi_agent_version
	WindowID       string // context_window.window_id

	Instructions     Text // before 0.90
	BaseInstructions Text // from 0.90
}

func (m *SessionMeta) set(d *dec, key []byte) bool {
	switch string(key) {
	case "id":
		m.ID = d.str()
	case "session_id":
		m.SessionID = d.str()
	case "timestamp":
		m.Timestamp = d.str()
	case "cwd":
		m.CWD = d.str()
	case "originator":
		m.Originator = d.str()
	case "cli_version":
		m.CLIVersion = d.str()
	case "source":
		d.source(&m.Source)
	case "thread_source":
		m.ThreadSource = d.str()
	case "model_provider":
		m.ModelProvider = d.str()
	case "git":
		into(d, &m.Git)
	case "history_mode":
		m.HistoryMode = d.str()
	case "memory_mode":
		m.MemoryMode = d.str()
	case "instructions":
		m.Instructions = d.text()
	case "base_instructions":
		m.BaseInstructions = d.textIn("text")
	case "context_window":
		m.WindowID = d.textIn("window_id").String()
	default:
		return m.setLineage(d, key)
	}
	return true
}

func (m *SessionMeta) setLineage(d *dec, key []byte) bool {
	switch string(key) {
	case "forked_from_id":
		m.ForkedFromID = d.str()
	case "forked_from_ordinal_exclusive":
		m.ForkedFromEnd = d.int()
	case "parent_thread_id":
		m.ParentThreadID = d.str()
	case "history_base":
		into(d, &m.HistoryBase)
	case "subagent_history_start_ordinal":
		m.OwnFrom = d.int()
	case "agent_nickname":
		m.AgentNickname = d.str()
	case "agent_role":
		m.AgentRole = d.str()
	case "agent_path":
		m.AgentPath = d.str()
	case "multi_agent_version":
		m.MultiAgent = d.str()
	default:
		return false
	}
	return true
}

// A Git says where the working folder stood when the thread began.
type Git struct{ CommitHash, Branch, RepositoryURL string }

func (g *Git) set(d *dec, key []byte) bool {
	switch string(key) {
	case "commit_hash":
		g.CommitHash = d.str()
	case "branch":
		g.Branch = d.str()
	case "repository_url":
		g.RepositoryURL = d.str()
	default:
		return false
	}
	return true
}

// A HistoryBase says which part of which file comes before this one (F5).
type HistoryBase struct {
	ThreadID string // of the base's segment, where the base is one, else of its thread
	End      Opt[int64]
	EndByte  Opt[int64] // offset into the base's decompressed text
}

// OK reports whether the file has a base at all.
func (b HistoryBase) OK() bool { return b.ThreadID != "" }

func (b *HistoryBase) set(d *dec, key []byte) bool {
	switch string(key) {
	case "thread_id":
		b.ThreadID = d.str()
	case "end_ordinal_exclusive":
		b.End = d.int()
	case "end_byte_offset":
		b.EndByte = d.int()
	default:
		return false
	}
	return true
}

// A Source says which client started a thread, or which thread did (F8).
type Source struct {
	Name     string // cli, exec, vscode, mcp, unknown …; "subagent" or "custom" for the two object forms
	SubAgent string // thread_spawn, review, compact, memory_consolidation, or the name of another kind such as guardian
	Custom   string // the name of a custom source
	Spawn    Spawn  // of thread_spawn
}

// A Spawn says whose child a sub-agent's thread is.
type Spawn struct {
	ParentThreadID string
	Depth          Opt[int64]
	AgentNickname  string
	AgentPath      string
	AgentRole      string
}

// source takes a source: a name, {"subagent": …} or {"custom": name}.
func (d *dec) source(s *Source) {
	*s = Source{}
	if d.b[d.i] == '"' {
		s.Name = d.str()
		return
	}
	d.object(func(d *dec, key []byte) bool {
		switch string(key) {
		case "subagent":
			s.Name = "subagent"
			d.subAgent(s)
		case "custom":
			s.Name, s.Custom = "custom", d.str()
		default:
			return false
		}
		return true
	})
}

// subAgent takes a kind of sub-agent: a name, {"thread_spawn": …} or
// {"other": name}.
func (d *dec) subAgent(s *Source) {
	if d.b[d.i] == '"' {
		s.SubAgent = d.str()
		return
	}
	d.object(func(d *dec, key []byte) bool {
		switch string(key) {
		case "thread_spawn":
			s.SubAgent = "thread_spawn"
			into(d, &s.Spawn)
		case "other":
			s.SubAgent = d.str()
		default:
			return false
		}
		return true
	})
}

func (s *Spawn) set(d *dec, key []byte) bool {
	switch string(key) {
	case "parent_thread_id":
		s.ParentThreadID = d.str()
	case "depth":
		s.Depth = d.int()
	case "agent_nickname":
		s.AgentNickname = d.str()
	case "agent_path":
		s.AgentPath = d.str()
	case "agent_role":
		s.AgentRole = d.str()
	default:
		return false
	}
	return true
}

// A TurnContext says under which settings a turn, or before 0.108 a model
// request, runs.
type TurnContext struct {
	base
	TurnID            string // from 0.101
	RootTurnID        string
	CWD               string
	Model             string
	Effort            string
	CollaborationMode string // "default", "plan" …; from 0.90
	CurrentDate       string
	Timezone          string

	UserInstructions      Text
	DeveloperInstructions Text
}

func (c *TurnContext) set(d *dec, key []byte) bool {
	switch string(key) {
	case "turn_id":
		c.TurnID = d.str()
	case "root_turn_id":
		c.RootTurnID = d.str()
	case "cwd":
		c.CWD = d.str()
	case "model":
		c.Model = d.str()
	case "effort":
		c.Effort = d.str()
	case "collaboration_mode":
		c.CollaborationMode = d.textIn("mode").String()
	case "current_date":
		c.CurrentDate = d.str()
	case "timezone":
		c.Timezone = d.str()
	case "user_instructions":
		c.UserInstructions = d.text()
	case "developer_instructions":
		c.DeveloperInstructions = d.text()
	default:
		return false
	}
	return true
}

// A Compacted record replaces, for the model only, what came before it (F20).
type Compacted struct {
	base
	Message          Text  // the summary; "" where it is encrypted in the history
	Replacement      Items // what the model sees instead; missing in the oldest form
	WindowNumber     Opt[int64]
	WindowID         string // a number in 0.140, which is the window's number
	FirstWindowID    string
	PreviousWindowID string
	ResponseID       string // compaction_response_id
}

func (c *Compacted) set(d *dec, key []byte) bool {
	switch string(key) {
	case "message":
		c.Message = d.text()
	case "replacement_history", "replacementHistory":
		c.Replacement = Items(d.of('['))
	case "window_number":
		c.WindowNumber = d.int()
	case "window_id":
		if d.b[d.i] == '"' {
			c.WindowID = d.str()
		} else if n := d.int(); n.OK {
			c.WindowNumber = n
		}
	case "first_window_id":
		c.FirstWindowID = d.str()
	case "previous_window_id":
		c.PreviousWindowID = d.str()
	case "compaction_response_id":
		c.ResponseID = d.str()
	default:
		return false
	}
	return true
}

// Items is a list of response items.
type Items Raw

// OK reports whether there is a list at all, be it empty.
func (l Items) OK() bool { return l != nil }

// All decodes the items in order.
func (l Items) All() iter.Seq2[int, Payload] {
	return func(yield func(int, Payload) bool) {
		for i, v := range elements(Raw(l)) {
			if !yield(i, DecodeItem(v)) {
				return
			}
		}
	}
}
