package assemble

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"rollbook/internal/transcript"
)

// A Mark is a place in the current file of a thread where reading can go on: the
// start of a turn, with all that later records depend on. It is made by a
// Reading and kept as bytes.
type Mark struct{ mark }

// mark is what a Mark is kept as. What is said of the thread is said of all
// before the place, but for what a later record only adds to.
type mark struct {
	Version int
	Thread  string
	File    string // FileID of the current file
	Chain   string // what the current file is based on
	Limit   int64  // longest line that was kept

	Line    int   // lines before it
	Offset  int64 // byte where it is
	Print   uint64
	Records int32 // before it, of all files of the view
	Events  int
	Counts  counts
	Open    bool // the last turn has no end
	Losses  int
	Gaps    int
	Tally   tally

	OpenTurns  int    // marked turns without an end
	Most       string // the greatest id of a turn
	User       lastShown
	Answer     lastShown
	UserEvents bool
	Markers    bool
	Outside    bool // an answer was shown outside of turns
	Standing   bool // an item outside of turns stands for itself
	Searching  bool // a web search event whose call is still to come
	Unnamed    bool // a call was made in a turn without an id, or outside of turns
	Drop       bool

	Owner string // of the file, as its first header says
	Meta  metaFacts
	Facts threadFacts

	Model    string
	Counted  bool
	Total    transcript.TokenUsage
	Recorded transcript.TokenUsage
}

// counts are those of the view.
type counts struct{ Turns, Users, Answers, Calls int }

// A lastShown is a twin without its hash.
type lastShown struct {
	N    int32
	By   family
	Item bool
}

// metaFacts are what is kept of the session_meta.
type metaFacts struct{ ID, SessionID, Timestamp, CWD, Originator, CLIVersion, Provider, Source string }

// threadFacts are facts as they are kept.
type threadFacts struct {
	Models, Versions []string
	Created, Updated time.Time
	CWD              string
	Name, Prompt     string
}

const (
	markVersion = 1
	// MaxMark is the length that an encoded mark never exceeds. A thread whose
	// names are too long for it is read whole.
	MaxMark = 8 << 10
)

// Line and Offset are the place: the line behind which reading goes on, and the
// byte.
func (m *Mark) Line() int     { return m.mark.Line }
func (m *Mark) Offset() int64 { return m.mark.Offset }

// Events and Turns say how many events, and how many starts of turns among
// them, come before the place. Those of a later reading replace all behind them.
func (m *Mark) Events() int { return m.mark.Events }
func (m *Mark) Turns() int  { return m.Counts.Turns }

// MarshalBinary encodes the mark, in at most MaxMark bytes.
func (m *Mark) MarshalBinary() ([]byte, error) {
	b, err := json.Marshal(&m.mark)
	if err != nil {
		return nil, fmt.Errorf("mark: %w", err)
	}
	if len(b) > MaxMark {
		return nil, fmt.Errorf("mark: %d bytes", len(b))
	}
	return b, nil
}

var errMark = errors.New("not a mark of this version")

// UnmarshalBinary decodes a mark. One of another version, or that cannot be, is
// an error.
func (m *Mark) UnmarshalBinary(b []byte) error {
	if len(b) > MaxMark {
		return fmt.Errorf("mark of %d bytes: %w", len(b), errMark)
	}
	var read mark
	if err := json.Unmarshal(b, &read); err != nil {
		return fmt.Errorf("mark: %w", err)
	}
	if !read.possible() {
		return errMark
	}
	m.mark = read
	return nil
}

// possible reports whether a mark that was read is one that could have been
// made.
func (m *mark) possible() bool {
	for _, n := range []int{m.Line, int(m.Records), m.Counts.Turns, m.Counts.Users, m.Counts.Answers, m.Counts.Calls, m.Losses, m.Gaps, m.OpenTurns} {
		if n < 0 || n > math.MaxInt32 {
			return false
		}
	}
	for _, n := range m.Tally.In {
		if n < 0 {
			return false
		}
	}
	return m.Version == markVersion && m.Offset > 0 && m.Events >= 0 && m.Line > 0 && m.Records > 0 && m.Records < maxRecords && m.Limit >= 0 && m.Tally.Repaired >= 0 &&
		m.User.possible(m.Records) && m.Answer.possible(m.Records)
}

func (s lastShown) possible(records int32) bool {
	return s.N >= 0 && s.N <= records && s.By <= byTurnItem
}

func (s lastShown) twin() twin {
	return twin{n: s.N, by: s.By, item: s.Item, blind: true}
}

func shownOf(w twin) lastShown { return lastShown{w.n, w.by, w.item} }
