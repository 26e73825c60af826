package dsh

import "fmt"

// A Check is what a log is held to. The first six are numbered as on the
// format page (docs/format/dsh.md, "Checks").
type Check string

const (
	CheckFrames  Check = "D1 frames"      // frames, lines, JSON
	CheckSurface Check = "D2 surface"     // surfaceOp where it belongs, and only there
	CheckID      Check = "D3 message id"  // each message has one of its own
	CheckSettled Check = "D4 settlement"  // turn, step and stream of an assistant message
	CheckTools   Check = "D5 tool calls"  // each call has a block, an event and a result
	CheckHead    Check = "D6 system head" // the surface begins with it
	CheckHeader  Check = "header"         // the first line
	CheckEvent   Check = "event"          // type, seq, time and the members beside data
	CheckPayload Check = "payload"        // the shape of data
	CheckTurns   Check = "turns"          // turns and steps open and close in order
	CheckRefs    Check = "references"     // what events cite
	CheckEnd     Check = "end"            // the harness can go on behind it
	CheckPath    Check = "path"           // where it lies
	CheckMode    Check = "mode"           // 0600 in a folder of 0700
	CheckImages  Check = "attachments"    // the store has each image as it is referred to
)

// A Fault is one check that a log does not pass.
type Fault struct {
	Check   Check
	Line    int // of the log's text, from 1; 0: the log as a whole
	Message string
}

// Error gives "check: line 3: message".
func (f *Fault) Error() string {
	if f.Line == 0 {
		return fmt.Sprintf("%s: %s", f.Check, f.Message)
	}
	return fmt.Sprintf("%s: line %d: %s", f.Check, f.Line, f.Message)
}

func faultf(c Check, format string, args ...any) *Fault {
	return &Fault{Check: c, Message: fmt.Sprintf(format, args...)}
}
