package dsh

// A Header is the first line of a session.
type Header struct {
	ID          string // session-<thread>
	CreatedAt   int64  // milliseconds since 1970, not below 0
	Cwd         string // absolute; empty: the session has none
	AgentPreset string // empty: none is named
}

// An Event is one line after the header. Its seq is given by the Writer.
type Event struct {
	Time int64 // milliseconds since 1970
	Data Data
}

// Data is what an event says: one of the structs of this file, each named after
// the type on its line (docs/format/dsh.md, "Events").
type Data interface {
	kind() string
	encode(e *encoder)
}

// A PermissionPreset, a SandboxMode and an ApprovalPolicy open a session; they
// inform, and the harness that goes on uses its own.
type (
	PermissionPreset struct{ Preset string }
	SandboxMode      struct{ Mode string }
	ApprovalPolicy   struct{ Policy string }
)

// Turns count from 1, steps from 1 within each turn.
type (
	TurnStart struct{ Turn int }
	TurnEnd   struct {
		Turn   int
		Reason Reason
	}
	StepStart struct{ Turn, Step int }
	StepEnd   struct{ Turn, Step int }
)

// A Reason says why a turn ended.
type Reason string

const (
	Completed   Reason = "completed"
	Interrupted Reason = "interrupted"
)

// A SystemHead is the protected first message of the surface, without content:
// the harness puts its own prompt there when it goes on. It comes directly
// after the first step/start (docs/format/dsh.md, D6).
type SystemHead struct {
	Turn, Step int
	ID         string
}

// A UserMessage is what a person said. It has no turn and no step of its own.
type UserMessage struct {
	ID      string
	Content []Block
}

// An AssistantMessage is what a model said, and which calls it made.
type AssistantMessage struct {
	Turn, Step      int
	ID              string
	Provider, Model string
	Content         []Block
}

// A ToolCall repeats a Call block of the assistant message before it, in id,
// name and arguments.
type ToolCall struct {
	Turn, Step      int
	ID              string
	Name, Arguments string
}

// A ToolResult answers the call of ID CallID whose tool/call event has the seq
// CallSeq.
type ToolResult struct {
	Turn, Step int
	ID         string
	CallID     string
	CallSeq    int
	Content    []Block
	IsError    bool
}

// A Title names the session: given by a user or, with the seqs of the user
// messages that it is taken from, made up.
type Title struct {
	Title    string
	Messages []int // empty: given by a user
}

func (PermissionPreset) kind() string { return "permission/preset" }
func (SandboxMode) kind() string      { return "sandbox/mode" }
func (ApprovalPolicy) kind() string   { return "approval/policy" }
func (TurnStart) kind() string        { return "turn/start" }
func (TurnEnd) kind() string          { return "turn/end" }
func (StepStart) kind() string        { return "step/start" }
func (StepEnd) kind() string          { return "step/end" }
func (SystemHead) kind() string       { return "system/message" }
func (UserMessage) kind() string      { return "user/message" }
func (AssistantMessage) kind() string { return "assistant/message" }
func (ToolCall) kind() string         { return "tool/call" }
func (ToolResult) kind() string       { return "tool/result" }
func (Title) kind() string            { return "session/title" }

// A Block is one part of a message: Text, Reasoning, Image or Call.
type Block interface{ encode(e *encoder) }

// Text is readable text, Reasoning the summary of what a model thought.
type (
	Text      struct{ Text string }
	Reasoning struct{ Text string }
)

// A Call is a tool call as the provider gets it; a ToolCall event repeats it.
type Call struct{ ID, Name, Arguments string }

// An Image refers to an object of the attachment store.
type Image struct {
	ID            string // sha256:<hex>
	MediaType     string // image/png, image/jpeg, image/webp or image/gif
	Width, Height int
	Bytes         int64
	Name          string // empty: none
	// OriginalWidth and OriginalHeight are what it had before it was made
	// smaller; 0: it was not.
	OriginalWidth, OriginalHeight int
}
