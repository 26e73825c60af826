// Package transcript is the model in the middle: threads and their events, as
// every reader makes them and every sink takes them.
//
// It holds no bytes of a rollout and knows no format; what an event came from is
// a Source, a place that leads back to the record (invariant R4).
package transcript

import (
	"io"
	"iter"
	"time"
)

// A View says which of a thread's records become events (docs/format/rollout.md,
// "The three views").
type View uint8

const (
	// Active is what Codex itself shows: newest segment and what it builds on,
	// rollbacks and reverts applied, one event per message.
	Active View = iota
	// Physical is every record of every file of the thread, in file order.
	Physical
	// Model is what the model would be sent next: the active view from the last
	// compaction on.
	Model
)

// String gives the view's name as the command line spells it.
func (v View) String() string { return [...]string{"active", "physical", "model"}[v] }

// ParseView is the reverse of String.
func ParseView(s string) (View, bool) {
	for _, v := range []View{Active, Physical, Model} {
		if s == v.String() {
			return v, true
		}
	}
	return Active, false
}

// An Origin says how an event's text came about.
type Origin uint8

const (
	Recorded  Origin = iota // the text of the record that normally carries it
	Recovered               // the usual record is missing; another one carries it
	Synthetic               // made by us, to keep calls and results in balance or to mark a gap
)

// String gives the origin's name as the line formats spell it.
func (o Origin) String() string { return [...]string{"recorded", "recovered", "synthetic"}[o] }

// A Kind says what an event is (docs/format/interchange.md).
type Kind uint8

const (
	TurnStart Kind = iota
	TurnEnd
	User
	Assistant
	Reasoning // summaries only
	ToolCall
	ToolResult
	Compaction
	Context // injected by Codex or a client, not said by the person
	Notice  // error, abort, rollback, review, plan ...
	Usage   // token counts of one request
)

var kindNames = [...]string{"turn_start", "turn_end", "user", "assistant", "reasoning", "tool_call", "tool_result", "compaction", "context", "notice", "usage"}

// String gives the kind's name as the line formats spell it.
func (k Kind) String() string { return kindNames[k] }

// ParseKind is the reverse of String.
func ParseKind(s string) (Kind, bool) {
	for k, name := range kindNames {
		if s == name {
			return Kind(k), true
		}
	}
	return 0, false
}

// A Source is the place of a record.
type Source struct {
	File   string // relative to the root that was read, slashes forward
	Line   int    // physical line, from 1
	Offset int64  // byte where the line starts, after decompression
}

// IsZero reports whether there is no place, as in a synthetic event.
func (s Source) IsZero() bool { return s == Source{} }

// An Event is one thing that happened in a thread. Which fields are set follows
// from its kind; a field that the log does not have is zero or nil.
type Event struct {
	Seq        int // from 1 within the thread and view
	Kind       Kind
	Time       time.Time // UTC; zero where the log has none
	TurnID     string
	Origin     Origin
	Inherited  bool // a fork took it over from its parent
	RolledBack bool // hidden by a rollback or revert (physical view only)
	Source     Source

	Role   string // of a context event: user or developer
	Text   string // message, reasoning summary, compaction summary, notice, context
	Phase  string // commentary, final_answer; as recorded
	ItemID string // id of the item, where recorded; of usage, that of the response
	Status string // of a turn_end: completed, aborted, failed, open; of a notice: its sort (error, abort, rollback, review, plan, goal, name, gap ...)

	Tool      string // name as recorded; a namespace stands apart
	Namespace string
	CallID    string // as recorded; made by us where there is none
	Arguments string // the recorded text
	Output    string // readable text of a result
	IsError   *bool
	ExitCode  *int
	Duration  *time.Duration

	Images []Image
	Usage  *TokenUsage
	Model  string // that answered, where known: turn_start and usage

	Changes []FileChange // of a tool_result: files that it changed

	// What a session of another program needs besides; only its reader sets it.
	Unnamed  bool   // of a tool_call and its result: the record has no CallID
	ItemType string // of a tool_call, and of its output: type of the record that it was taken from
	Last     string // of a turn_end: the last answer, as the record repeats it
	Record   string // of a tool_result: the record's payload, where its output is told in another form than Codex's
	Dir      string // of a tool_call: folder that the command ran in
	Outcome  string // of a tool_result: status of the output or the completion, as recorded
	Snapshot bool   // the text stands in the replacement history of a compaction only
	Skipped  int    // of a compaction: entries of that history that are no messages
}

// An Image was part of a message or result. Its bytes are never held.
type Image struct {
	MediaType string
	Bytes     int64  // decoded size
	SHA256    string // of the decoded bytes, hex; empty where the log holds no bytes (a path, a remote address)
	Width     int    // pixels, 0 where not known
	Height    int
	Name      string // a recorded path or label
	Declared  string // media type as recorded, where the data is of another one; only the reader of a session tells
	// Open reads the image again from the log; nil where the log holds no bytes.
	Open func() (io.ReadCloser, error)
}

// A FileChange says what a patch did to a file.
type FileChange struct {
	Path  string
	Kind  string // add, update, delete
	Moved string // new path, where the file was moved
	Diff  string // unified diff, or the content of an added or deleted file
}

// TokenUsage counts the tokens of one request.
type TokenUsage struct {
	Input, CachedInput, Output, ReasoningOutput, Total int64
}

// IsZero reports whether nothing was counted.
func (u TokenUsage) IsZero() bool { return u == TokenUsage{} }

// A State says how a thread stands at its end.
type State string

const (
	Complete State = "complete"
	Open     State = "open"    // its last turn has no end
	Damaged  State = "damaged" // a gap or a loss
)

// Counts are over the whole view.
type Counts struct {
	Turns, UserMessages, AssistantMessages, ToolCalls int
	Bytes                                             int64 // of all files of the thread, on disk
	Files                                             int
}

// A Meta is what is known of a thread besides its events.
type Meta struct {
	ID          string
	Title       string
	TitleSource string // state_db, index, event, prompt; empty where there is no title
	Project     string // working folder as first recorded; empty where none is
	Source      string // cli, vscode, exec, app_server, subagent:thread_spawn, subagent:review ...
	Originator  string
	Provider    string
	Models      []string // in order of first use
	Versions    []string // cli_version, in order of first use
	Created     time.Time
	Updated     time.Time // last activity, from records
	ParentID    string    // of a sub-agent
	ForkedFrom  string
	SessionID   string // the root thread's id, where recorded
	Archived    bool
	Segments    []string // files of the active view, oldest first, relative to the root
	Files       []string // all files of the thread
	State       State
	Counts      Counts
	Losses      int // lines that could not be read, and gaps
}

// LeftOut are turns that are not in the view; only the reader of a session
// counts them.
type LeftOut struct {
	RolledBack int // a rollback or revert took them away
	Windowed   int // they came before the last compaction
}

// A Thread is its meta and, once, its events in order.
type Thread struct {
	Meta
	View    View
	LeftOut LeftOut
	// Events may be ranged over any number of times; each time the files are
	// read again. The event is reused: copy what is to be kept. An error ends
	// the sequence.
	Events iter.Seq2[*Event, error]
}

// A Sink takes threads one at a time.
type Sink interface {
	Write(t *Thread) error
}
