package discover

import (
	"strings"
	"time"
)

// A Ref is one rollout file and what its head, its tail and its name say of it.
// What is not recorded is zero.
type Ref struct {
	Path string // relative to the root, slashes forward
	Name        // what the file's name says

	// ID is the thread's: that of the first session_meta, whatever the name
	// says, and that of the name only where no session_meta can be read. It is
	// never empty.
	ID        string
	Unsaid    bool   // ID is the name's: no record says it
	SessionID string // the root thread's; not the thread's own in a sub-agent
	ParentID  string // of a sub-agent: the thread that started it

	// ForkedFrom is the thread that this one was forked from. Before 0.90 only
	// the copied session_meta tells, which is the second record
	// (docs/format/rollout.md F6).
	ForkedFrom  string
	ForkOrdinal *int64 // forked_from_ordinal_exclusive
	// CopiedFrom is the thread of the first session_meta in the head that is
	// not this thread's own: lines of that thread are copied into this file.
	CopiedFrom    string
	Base          *Base  // where the history before this file is; nil for none
	SubagentStart *int64 // subagent_history_start_ordinal: what lies before is inherited

	Cwd           string // as first recorded; later spellings are aliases
	Source        string // cli, vscode, exec, app_server, custom:…, subagent:thread_spawn, subagent:review, subagent:other:guardian …, unknown
	ThreadSource  string // as recorded: user, subagent …
	AgentNickname string
	AgentRole     string
	AgentPath     string
	Depth         int // of a sub-agent, from 1
	Originator    string
	Version       string // cli_version
	Provider      string
	HistoryMode   string // legacy, paginated; empty before 0.145

	Bare      bool // of the bare era: no envelope, no times (F1)
	MetaLine  int  // line of the first session_meta or bare header; 0 for none in the head
	MetaCount int  // how many the head holds

	Created time.Time // when the thread began, by its session_meta, else by the file's name
	First   time.Time // of the first record that has a time
	Last    time.Time // of the last record that has one; never the file's own time

	Archived   bool // lies in archived_sessions
	Compressed bool
	Size       int64 // on disk
	ModTime    time.Time
	Stamp      FileStamp // as it was listed

	// FirstLineProblem is why Codex itself could not load the file, as far as
	// its head tells: one of the Problem constants, or empty.
	FirstLineProblem string
}

// Why Codex itself would not show a thread, as far as the head of its file
// tells (docs/format/rollout.md, "hidden threads").
const (
	ProblemNoMeta     = "no-meta"
	ProblemUnreadable = "first-line-unreadable"
	ProblemText       = "bom-or-bad-utf8"
)

// A Base says which part of which file comes before this one (F5).
type Base struct {
	ThreadID   string // FileID of the base; empty where history_base is there but does not say
	EndOrdinal int64  // the first ordinal that does not belong to it; -1 where it is not recorded
	EndByte    int64  // its offset in the decompressed base; -1 where it is not recorded
}

// FileID is what a Base calls this file: the segment's id where the file is a
// segment, else the thread's.
func (r *Ref) FileID() string {
	if r.SegmentID != "" {
		return r.SegmentID
	}
	return r.ID
}

// Subagent reports whether another thread started this one. Only a structured
// source tells: a fork by a person is none.
func (r *Ref) Subagent() bool { return strings.HasPrefix(r.Source, "subagent:") }

// A Name is what the name of a rollout says: rollout-<time>-<thread>.jsonl, with
// _<segment> after the thread where a revert began the file, and .zst at the
// end where it is compressed.
type Name struct {
	ThreadID  string
	SegmentID string
	// FileTime is the local time of the machine that wrote the file, put down
	// as if it were UTC: the zone is not recorded.
	FileTime time.Time
}

// ParseName reads a file's base name; what it does not have stays empty.
func ParseName(base string) (n Name) {
	rest, ok := strings.CutPrefix(stem(base), prefix)
	if !ok {
		return n
	}
	const layout = "2006-01-02T15-04-05"
	if len(rest) > len(layout) && rest[len(layout)] == '-' {
		if at, err := time.Parse(layout, rest[:len(layout)]); err == nil {
			n.FileTime, rest = at, rest[len(layout)+1:]
		}
	}
	thread, segment, _ := strings.Cut(rest, "_")
	if isUUID(thread) && (segment == "" || isUUID(segment)) {
		n.ThreadID, n.SegmentID = thread, segment
	}
	return n
}

const prefix = "rollout-"

// stem is a name without .jsonl and .zst.
func stem(base string) string {
	base, _ = cutSuffix(base, ".zst")
	base, _ = cutSuffix(base, ".jsonl")
	return base
}

// candidateName reports whether a file is looked into at all: *.jsonl and
// *.jsonl.zst, in any case of letters, but not a denied name.
func candidateName(base string) bool {
	text, _ := cutSuffix(base, ".zst")
	name, ok := cutSuffix(text, ".jsonl")
	return ok && name != "" && !DeniedName(base)
}

// ImportName reports whether a single file of that name can be imported: besides
// what a search finds also *.json.
func ImportName(base string) bool {
	name, ok := cutSuffix(base, ".json")
	return candidateName(base) || ok && name != "" && !DeniedName(base)
}

func cutSuffix(s, suffix string) (string, bool) {
	if n := len(s) - len(suffix); n >= 0 && strings.EqualFold(s[n:], suffix) {
		return s[:n], true
	}
	return s, false
}

// DeniedName reports whether a file of that name is never opened, wherever it
// lies and whoever names it: it may hold credentials or settings.
func DeniedName(base string) bool {
	name := strings.ToLower(base)
	switch name {
	case "auth.json", "config.toml", "config.json", ".env":
		return true
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(name, "."), ".")
	return strings.HasPrefix(name, ".env.") || first == "credentials"
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F':
		default:
			return false
		}
	}
	return true
}
