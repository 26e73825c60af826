package ingest

import (
	"time"

	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/ledger"
	"rollbook/internal/store"
)

// The limits of an import, unless Options says otherwise (spec: import, 2.8).
const (
	DefaultMaxFile    = 256 << 20
	DefaultMaxLine    = 8 << 20
	DefaultMaxRecords = 250_000
	DefaultMaxText    = 100_000
)

// None, as a limit, means that there is none.
const None = 1<<63 - 1

// Options says how an import is done. A zero limit is the default.
type Options struct {
	MaxFile    int64 // bytes of a file, decompressed; a larger one is not read
	MaxLine    int64 // bytes of a line
	MaxRecords int64 // messages that a run takes in; the next run goes on
	MaxText    int64 // code points of a message

	// MessagesOnly stores what was said and which tools were called, and nothing
	// else: no outputs, no reasoning, no notices.
	MessagesOnly bool
	// Verify reads everything, also what seems unchanged.
	Verify bool

	// Cache gives the file in which what looking into a root's files gave is
	// kept; "" for none. nil keeps nothing.
	Cache   func(*discover.Home) string
	Program string    // name and version of the program
	Temp    string    // folder for private copies of state databases; "" is the system's
	Started time.Time // of the run

	Progress Progress // may be nil
}

// A Progress is told how far the work is, in bytes. A nil *term.Progress is one.
type Progress interface {
	SetTotal(n int64)
	Add(n int64)
}

type noProgress struct{}

func (noProgress) SetTotal(int64) {}
func (noProgress) Add(int64)      {}

func (o *Options) fill() {
	for _, l := range []struct {
		p   *int64
		def int64
	}{{&o.MaxFile, DefaultMaxFile}, {&o.MaxLine, DefaultMaxLine}, {&o.MaxRecords, DefaultMaxRecords}, {&o.MaxText, DefaultMaxText}} {
		if *l.p == 0 {
			*l.p = l.def
		}
	}
	if o.Progress == nil {
		o.Progress = noProgress{}
	}
}

// The codes of what an import finds beyond those of the packages that read.
const (
	FileLimit    diag.Code = "file_size_limit"   // a file is larger than MaxFile: not read, what the store holds of it stays
	LineLimit    diag.Code = "line_size_limit"   // lines over MaxLine were left out, one finding for each file
	RecordLimit  diag.Code = "record_limit"      // the run stopped at MaxRecords; the next one goes on
	TextLimit    diag.Code = "text_limit"        // messages over MaxText were cut, one finding for each file
	OtherCopy    diag.Code = "other_copy"        // another copy of the thread reaches further, or as far: this one is not taken
	Narrow       diag.Code = "history_elsewhere" // the thread builds on files that do not lie in the chosen folder, and the store knows more
	Changed      diag.Code = "changed_while_read"
	InvalidTime  diag.Code = "invalid_timestamp"
	FileUnread   diag.Code = "file_unreadable"
	MemoryUnkept diag.Code = "cache_not_written" // the next listing looks into every file again
)

// Coverage is what every import says of itself (spec: import, "Sentence by
// sentence").
const Coverage = "this is what Codex kept in these files, and no more: its settings for keeping history, deletion and other devices leave gaps " +
	"(https://developers.openai.com/codex/config-advanced)"

// A Summary says what a run did.
type Summary struct {
	Run     store.Run
	Roots   []Root
	Tally   *diag.Tally // findings of all sources
	Partial bool        // something was refused, cut or lost
	Stopped bool        // at MaxRecords: the same command goes on
	DB      string
}

// A Root is what was found at one of the paths.
type Root struct {
	Path    string // absolute, without links
	Kind    string // home, folder, file
	Actions map[Action]int
	Counts  ledger.Counts
}

// An Action says what is done with a thread or a document.
type Action string

const (
	Unchanged Action = "unchanged" // nothing is read
	Add       Action = "add"       // new: read whole
	Append    Action = "append"    // grown: read from where the last reading ended
	Replace   Action = "replace"   // changed otherwise: read whole
	Continue  Action = "continue"  // a limit cut it the last time
	Relocate  Action = "relocate"  // the same content at another place, or compressed
	Skip      Action = "skip"      // refused, with a finding
)
