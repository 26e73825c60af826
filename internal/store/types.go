package store

import (
	"time"

	"rollbook/internal/diag"
	"rollbook/internal/ledger"
	"rollbook/internal/transcript"
)

// A Channel says by which kind of record an event came in. Of the same message
// in several streams the one of the lowest channel is kept in sight (mirrors).
type Channel uint8

const (
	ChannelEvent    Channel = iota // what Codex showed: events and turn items
	ChannelResponse                // items that stand for themselves
	ChannelNormalized
	ChannelHistory // history.jsonl
	ChannelUsage   // token counters
)

// String gives the channel's name.
func (c Channel) String() string {
	return [...]string{"event", "response", "normalized", "history", "usage"}[c]
}

// A Role is who speaks.
type Role uint8

const (
	NoRole Role = iota
	RoleUser
	RoleAssistant
	RoleTool
	RoleOther // developer, system
)

// String gives the role's name.
func (r Role) String() string { return [...]string{"", "user", "assistant", "tool", "other"}[r] }

// A Flag marks an event.
type Flag uint16

const (
	Natural       Flag = 1 << iota // the person typed it
	Inherited                      // a fork took it over from its parent
	TimeInherited                  // the record has no time of its own
	Truncated                      // the text was cut at the limit
	Mirror                         // another stream of the thread holds the same message
	HasImage
	HasChange // changed files
	IsError   // of a result, and of its call: it failed
	Recovered // origin recovered
	Synthetic // origin synthetic
)

// A RowInfo says of an event what it does not say itself.
type RowInfo struct {
	Thread  string    // id: of an assembled stream the same for all, of a document each entry's own
	Project string    // working folder, where it is not the thread's
	Source  string    // key of the source that the record lies in
	Time    time.Time // where the event has none; zero for the event's own
	Channel Channel
	Flags   Flag
	Seq     int   // within the stream, from 1, growing
	Turn    int   // number of the turn in its thread, from 1; 0 outside of turns
	Line    int   // physical line, from 1; 0 in a JSON array
	Item    int   // place in a JSON array, from 1; else 0
	Offset  int64 // byte where the line or the item begins, after decompression
	Text    int   // longest text kept, in code points; 0 for no limit
	Usage   *Usage
}

// A Row is one event on its way into the store. It is made by Encode and Pack, on
// any goroutine, so that compressing and cutting into tokens is not the writer's
// work.
type Row struct {
	RowInfo
	Kind transcript.Kind
	Role Role
	Tool string // with its namespace before it

	model, provider string
	callID          string
	result          *callResult // of a ToolResult

	text, more string // until Pack

	body   any    // string, or []byte where it is compressed
	extra  any    // likewise; nil for none
	chars  int    // code points of the text
	tokens []byte // and markers
	length int    // of the text, in tokens
	hash   uint64
}

// Size is about how many bytes the row takes before it is packed.
func (r *Row) Size() int { return len(r.text) + len(r.more) + 300 }

// A Usage is one record of token counters.
type Usage struct {
	transcript.TokenUsage
	NoCached    bool // cached input was not counted, which is not 0
	NoReasoning bool
	ResponseID  string
	Kind        UsageKind
}

// A UsageKind says what the counters of a Usage are of.
type UsageKind uint8

const (
	UsageDelta    UsageKind = iota // one request, by the counters between two totals
	UsageResponse                  // one request, which has a response id
	UsageSnapshot                  // a running total: never summed
)

// A Source is a file that was read.
type Source struct {
	Key        string // rollout:<file id>, the absolute path of a document, upload/<name>
	Kind       string // rollout, history, normalized, events, bundle, document
	Root       string // folder that was chosen, absolute
	Path       string // relative to Root, slashes forward
	Size       int64  // on disk
	ModTime    time.Time
	ChangeTime time.Time // of the inode; zero where the system has none
	Device     uint64
	Inode      uint64 // 0 where the system has none
	Compressed bool
	Archived   bool

	TextSize int64  // bytes that were read, after decompression: up to the last whole line
	Lines    int    // that were read
	Head     uint64 // digest of the first 64 KiB of the text (see Digest)
	Tail     uint64 // digest of the 64 KiB before TextSize
	Whole    uint64 // digest of all TextSize bytes
	Adapter  int    // version of the reader; another one reads the source again
	Partial  bool   // a limit cut it
	Counts   ledger.Counts
	Resume   []byte // where reading goes on; the importer's own
	Import   int64  // the run that read it last
}

// A Thread is what is known of a thread besides its events.
type Thread struct {
	transcript.Meta
	Current string   // key of the source that the thread's reading goes on in; empty for a thread of documents
	Sources []string // keys of all sources that its events come from, oldest first
	Gaps    int      // of the chain of bases
	Partial bool     // a limit cut it
	Resume  []byte   // where assembling goes on; the importer's own
	Adapter int
}

// A Diagnostic is one finding of a run.
type Diagnostic struct {
	diag.Diagnostic
	Source string // key; empty for one of the run
	Item   int    // place in a JSON array, from 1; else 0
	Count  int64  // how many of the code the row stands for; 1 for a single one
}

// A Run is one import.
type Run struct {
	ID       int64
	Roots    []string
	Started  time.Time
	Finished time.Time // zero while it runs, and for one that was killed
	State    string    // running, done, partial, interrupted, failed
	Counts   ledger.Counts
	Version  string
}
