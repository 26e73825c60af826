package history

import (
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"time"

	"rollbook/internal/diag"

	"github.com/go-json-experiment/json/jsontext"
)

// A Prompt is one row of history.jsonl: what a person typed in the terminal,
// pasted text in full. Prompts of exec and of other clients are never there.
type Prompt struct {
	ThreadID string
	Time     time.Time // UTC; Codex keeps whole seconds
	Text     string
	Line     int   // of the row, from 1
	Offset   int64 // byte where the line starts
}

// DefaultLine is the longest row kept where a Limits says nothing else: the
// import's limit of 8 MiB (docs/format/history.md).
const DefaultLine = 8 << 20

// Limits bounds what is held. The zero value means the default.
type Limits struct {
	Line int // longest row kept, in bytes, its line feed included
}

type promptRow struct {
	ThreadID string         `json:"session_id"`
	Time     jsontext.Value `json:"ts"`
	Text     *string        `json:"text"`
}

// Prompts reads a history.jsonl row by row. A row without an id or a text, or
// whose ts is no time between 1970 and 2100, is reported and left out; a null
// text counts as none. An error, of reading, comes last.
func Prompts(r io.Reader, limits Limits, report func(diag.Diagnostic)) iter.Seq2[Prompt, error] {
	if limits.Line == 0 {
		limits.Line = DefaultLine
	}
	tell := reporter(report)
	return func(yield func(Prompt, error) bool) {
		stopped := false
		err := each(r, limits.Line, tell, func(l line, row *promptRow) bool {
			at, timed := epoch(row.Time)
			switch {
			case row.ThreadID == "" || len(row.ThreadID) > maxID:
				tell.at(l, InvalidRecord, "no usable session_id")
			case row.Text == nil:
				tell.at(l, InvalidRecord, "no text")
			case !timed:
				tell.at(l, InvalidTimestamp, fmt.Sprintf("ts %.40s", row.Time))
			default:
				stopped = !yield(Prompt{row.ThreadID, at, *row.Text, l.no, l.offset}, nil)
			}
			return !stopped
		})
		if err != nil && !stopped {
			yield(Prompt{}, err)
		}
	}
}

// epoch reads seconds, or above 1e11 milliseconds, since 1970, spelt as a
// number or as a string that holds one.
func epoch(v jsontext.Value) (time.Time, bool) {
	digits := string(v)
	if v.Kind() == '"' {
		b, err := jsontext.AppendUnquote(nil, v)
		if err != nil {
			return time.Time{}, false
		}
		digits = string(b)
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.IsNaN(n) {
		return time.Time{}, false
	}
	if n <= 1e11 {
		n *= 1000
	}
	at := time.UnixMilli(int64(math.Max(-1, math.Min(n, 1e15)))).UTC()
	return at, n >= 0 && at.Year() <= 2100
}
