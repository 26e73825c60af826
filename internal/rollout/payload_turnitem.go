package rollout

import (
	"iter"
	"time"
)

// Most structs of this file serve an event of older versions and the turn item
// that took its place: Type tells which one it is. ID is the event's call_id
// or the turn item's id.

// A UserMessage turn item is a prompt as Codex showed it.
type UserMessage struct {
	base
	ID, ClientID string
	Content      Blocks
}

func (m *UserMessage) set(d *dec, key []byte) bool {
	switch string(key) {
	case "id":
		m.ID = d.str()
	case "client_id":
		m.ClientID = d.str()
	case "content":
		m.Content = Blocks(d.of('['))
	default:
		return false
	}
	return true
}

// An AssistantMessage is the turn item AgentMessage: an answer as Codex showed
// it.
type AssistantMessage struct {
	base
	ID, Phase string
	Cited     bool // see AgentMessageEvent
	Content   Blocks
}

func (m *AssistantMessage) set(d *dec, key []byte) bool {
	switch string(key) {
	case "id":
		m.ID = d.str()
	case "phase":
		m.Phase = d.str()
	case "memory_citation":
		m.Cited = !d.raw().IsNull()
	case "content":
		m.Content = Blocks(d.of('['))
	default:
		return false
	}
	return true
}

// A ReasoningItem is the turn item Reasoning.
type ReasoningItem struct {
	base
	ID      string
	Summary Texts
	Raw     Texts
}

func (r *ReasoningItem) set(d *dec, key []byte) bool {
	switch string(key) {
	case "id":
		r.ID = d.str()
	case "summary_text":
		r.Summary = Texts(d.of('['))
	case "raw_content":
		r.Raw = Texts(d.of('['))
	default:
		return false
	}
	return true
}

// A Plan is a plan that the model proposed (F21).
type Plan struct {
	base
	ID   string
	Text Text
}

func (p *Plan) set(d *dec, key []byte) bool {
	switch string(key) {
	case "id":
		p.ID = d.str()
	case "text":
		p.Text = d.text()
	default:
		return false
	}
	return true
}

// A CommandExecution is a command that ran, and what it put out.
type CommandExecution struct {
	base
	ID, TurnID string // TurnID of the event; an item's stands around it
	ProcessID  string
	Command    Texts
	CWD        string // a path, or a file: URL in the turn item (F24)
	Source     string // agent, userShell …
	Status     string
	ExitCode   Opt[int64]
	Duration   Opt[time.Duration]
	Output     Text // aggregated_output; cut by newer versions (F22)
	Stdout     Text
	Stderr     Text
	Formatted  Text // as the model got it
}

func (c *CommandExecution) set(d *dec, key []byte) bool {
	switch string(key) {
	case "id", "call_id":
		c.ID = d.str()
	case "turn_id":
		c.TurnID = d.str()
	case "process_id":
		c.ProcessID = d.str()
	case "command":
		c.Command = Texts(d.of('['))
	case "cwd":
		c.CWD = d.str()
	case "source":
		c.Source = d.str()
	case "status":
		c.Status = d.str()
	case "exit_code":
		c.ExitCode = d.int()
	case "duration":
		c.Duration = d.duration()
	case "aggregated_output":
		c.Output = d.text()
	case "stdout":
		c.Stdout = d.text()
	case "stderr":
		c.Stderr = d.text()
	case "formatted_output":
		c.Formatted = d.text()
	default:
		return false
	}
	return true
}

// A FileChange is a patch that was applied, or was not.
type FileChange struct {
	base
	ID, TurnID string
	Status     string
	Success    Opt[bool] // of the event
	Changes    Changes
	Stdout     Text
	Stderr     Text
}

func (c *FileChange) set(d *dec, key []byte) bool {
	switch string(key) {
	case "id", "call_id":
		c.ID = d.str()
	case "turn_id":
		c.TurnID = d.str()
	case "status":
		c.Status = d.str()
	case "success":
		c.Success = d.bool()
	case "changes":
		c.Changes = Changes(d.of('{'))
	case "stdout":
		c.Stdout = d.text()
	case "stderr":
		c.Stderr = d.text()
	default:
		return false
	}
	return true
}

// Changes are the files of a patch, by path.
type Changes Raw

// A Change is what a patch does to one file.
type Change struct {
	Path     Text
	Type     string // add, delete, update
	Content  Text   // of add and delete
	Diff     Text   // of update: a unified diff
	MovePath string
	Odd      bool // a field is of another kind than known
}

// All gives the files in the order in which they stand.
func (l Changes) All() iter.Seq[Change] {
	return func(yield func(Change) bool) {
		for w := Raw(l).Object(); ; {
			path, v, ok := w.Next()
			if !ok {
				return
			}
			var c Change
			d := dec{b: v}
			c.Odd = !into(&d, &c) || len(d.odd) > 0
			c.Path = Text(path)
			if !yield(c) {
				return
			}
		}
	}
}

func (c *Change) set(d *dec, key []byte) bool {
	switch string(key) {
	case "type":
		c.Type = d.str()
	case "content":
		c.Content = d.text()
	case "unified_diff":
		c.Diff = d.text()
	case "move_path":
		c.MovePath = d.str()
	default:
		return false
	}
	return true
}

// An MCPToolCall is a call to a tool of an MCP server, and its result.
type MCPToolCall struct {
	base
	ID, TurnID string
	MCPInvocation
	Status   string
	Result   MCPResult
	Error    Text // the call failed before there was a result
	Duration Opt[time.Duration]
}

// An MCPInvocation says what was called.
type MCPInvocation struct {
	Server, Tool string
	Arguments    Raw // any value
}

// An MCPResult is what an MCP tool gave back.
type MCPResult struct {
	OK         bool // there is a result at all
	Content    Blocks
	Structured Raw
	IsError    Opt[bool]
}

func (c *MCPToolCall) set(d *dec, key []byte) bool {
	switch string(key) {
	case "id", "call_id":
		c.ID = d.str()
	case "turn_id":
		c.TurnID = d.str()
	case "invocation":
		into(d, &c.MCPInvocation)
	case "status":
		c.Status = d.str()
	case "result":
		if c.typ == EventMCPToolCallEnd {
			d.object(c.setOutcome)
		} else {
			c.Result.OK = into(d, &c.Result)
		}
	case "error":
		c.Error = d.textIn("message")
	case "duration":
		c.Duration = d.duration()
	default:
		return c.MCPInvocation.set(d, key)
	}
	return true
}

// setOutcome takes the event's result: one of Ok, a result, and Err, a text.
func (c *MCPToolCall) setOutcome(d *dec, key []byte) bool {
	switch string(key) {
	case "Ok":
		c.Result.OK = into(d, &c.Result)
	case "Err":
		c.Error = d.text()
	default:
		return false
	}
	return true
}

func (i *MCPInvocation) set(d *dec, key []byte) bool {
	switch string(key) {
	case "server":
		i.Server = d.str()
	case "tool":
		i.Tool = d.str()
	case "arguments":
		i.Arguments = d.raw()
	default:
		return false
	}
	return true
}

func (r *MCPResult) set(d *dec, key []byte) bool {
	switch string(key) {
	case "content":
		r.Content = Blocks(d.of('['))
	case "structuredContent":
		r.Structured = d.raw()
	case "isError":
		r.IsError = d.bool()
	default:
		return false
	}
	return true
}

// A DynamicToolCall is a call to a tool of the client. The response event and
// the turn item hold the result, the request event does not.
type DynamicToolCall struct {
	base
	ID, TurnID      string
	Namespace, Tool string
	Status          string
	Arguments       Raw // any value
	Success         Opt[bool]
	Content         Blocks
	Error           Text
	Duration        Opt[time.Duration]
}

func (c *DynamicToolCall) set(d *dec, key []byte) bool {
	switch string(key) {
	case "id", "call_id", "callId":
		c.ID = d.str()
	case "turn_id", "turnId":
		c.TurnID = d.str()
	case "namespace":
		c.Namespace = d.str()
	case "tool":
		c.Tool = d.str()
	case "status":
		c.Status = d.str()
	case "arguments":
		c.Arguments = d.raw()
	case "success":
		c.Success = d.bool()
	case "content_items":
		c.Content = Blocks(d.of('['))
	case "error":
		c.Error = d.text()
	case "duration":
		c.Duration = d.duration()
	default:
		return false
	}
	return true
}

// A HookPrompt is text that a hook gave to the model.
type HookPrompt struct {
	base
	ID        string
	Fragments Blocks // blocks without a type, whose text is set
}

func (h *HookPrompt) set(d *dec, key []byte) bool {
	switch string(key) {
	case "id":
		h.ID = d.str()
	case "fragments":
		h.Fragments = Blocks(d.of('['))
	default:
		return false
	}
	return true
}

// A Sleep says that the model waited.
type Sleep struct {
	base
	ID         string
	DurationMS Opt[int64]
}

func (s *Sleep) set(d *dec, key []byte) bool {
	switch string(key) {
	case "id":
		s.ID = d.str()
	case "duration_ms":
		s.DurationMS = d.int()
	default:
		return false
	}
	return true
}

// An Extension is the turn item of an extension of Codex.
type Extension struct {
	base
	ID string
}

func (e *Extension) set(d *dec, key []byte) bool {
	if string(key) != "id" {
		return false
	}
	e.ID = d.str()
	return true
}
