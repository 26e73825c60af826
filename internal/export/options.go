package export

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Options say what of a thread is written.
type Options struct {
	Turns  Turns // only these
	Tools  Tools // how much of tool calls
	All    bool  // also what was injected, and compaction summaries in full
	Diff   bool  // what patches changed, and a list of changed files at the end
	Places bool  // file and line of each event
	// Around chooses the turns around a line of a file and marks it there; the
	// zero value chooses nothing. It cannot be joined with Turns.
	Around Place
	Zone   *time.Location // of the times shown; nil means UTC
	Lost   []string       // what could not be read, for the head of the thread
}

// A Place is a physical line of one file of a thread. Without a file it is one
// of the current file.
type Place struct {
	File string // as in transcript.Source, or the end of it
	Line int    // from 1
}

// Tools says how much of tool calls is written.
type Tools uint8

const (
	Short   Tools = iota // what was called, how it ended, the first lines of output
	Full                 // everything
	NoTools              // only how many there were
)

var toolsNames = [...]string{"short", "full", "none"}

// String gives the name as the command line spells it.
func (t Tools) String() string { return toolsNames[t] }

// ParseTools is the reverse of String.
func ParseTools(s string) (Tools, bool) {
	for t, name := range toolsNames {
		if s == name {
			return Tools(t), true
		}
	}
	return Short, false
}

// Turns is a range of a view's turns, which count from 1. The zero value is
// all of them, and what lies before the first.
type Turns struct {
	from, to int
	some     bool
}

// TurnsBetween is the range of turns from one to another, both included. A to
// below from is open: up to the last turn.
func TurnsBetween(from, to int) Turns { return Turns{from, to, true} }

var errTurns = errors.New("want turns such as 5, 5-12, 5- or -3")

// ParseTurns reads a range: 5, 5-12, 5- (to the end), -3 (from the first one).
func ParseTurns(s string) (Turns, error) {
	first, last, isRange := strings.Cut(s, "-")
	if !isRange {
		last = first
	}
	from, to := 1, 0
	var err error
	if first != "" {
		from, err = turnNumber(first)
	}
	if last != "" && err == nil {
		to, err = turnNumber(last)
	}
	switch {
	case err != nil || first == "" && last == "":
		return Turns{}, errTurns
	case to != 0 && to < from:
		return Turns{}, fmt.Errorf("turn %d comes before turn %d", to, from)
	}
	return TurnsBetween(from, to), nil
}

func turnNumber(s string) (int, error) {
	if strings.Trim(s, "0123456789") != "" {
		return 0, errTurns
	}
	n, err := strconv.Atoi(s)
	if err != nil || n == 0 {
		return 0, errTurns
	}
	return n, nil
}

// All reports whether the range leaves nothing out.
func (r Turns) All() bool { return !r.some }

// Begin is the number of the first turn of the range.
func (r Turns) Begin() int { return r.from }

// Has reports whether a turn is in the range. Turn 0 is what lies before the
// first one.
func (r Turns) Has(n int) bool {
	return !r.some || n >= r.from && (n <= r.to || r.to < r.from)
}

// ended reports whether turn n lies behind the range.
func (r Turns) ended(n int) bool { return r.some && r.to >= r.from && n > r.to }

// String gives the range in words: turn 5, turns 5 to 12, turns from 5 on.
func (r Turns) String() string {
	switch {
	case !r.some:
		return "all turns"
	case r.to < r.from:
		return fmt.Sprintf("turns from %d on", r.from)
	case r.to == r.from:
		return fmt.Sprintf("turn %d", r.from)
	}
	return fmt.Sprintf("turns %d to %d", r.from, r.to)
}
