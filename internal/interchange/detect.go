package interchange

import (
	"bytes"

	"rollbook/internal/transcript"
)

// A Format is one of the two line formats.
type Format uint8

const (
	None       Format = iota // neither
	Events                   // everything that a thread holds
	Normalized               // messages and tool calls
)

// String gives the format's name as the command line spells it.
func (f Format) String() string { return [...]string{"none", "events", "normalized"}[f] }

// Detect tells the format of a file by its first bytes: that of the first line
// that is one of either. The last line of head may be cut. A line of events
// has kind, seq and thread_id; one of normalized a role or the type usage, and
// a thread or a time. Rollouts, history.jsonl and the history of a bundle are neither.
func Detect(head []byte) Format {
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	for len(head) > 0 {
		var line []byte
		line, head, _ = bytes.Cut(head, []byte("\n"))
		if f := detectLine(line); f != None {
			return f
		}
	}
	return None
}

func detectLine(line []byte) Format {
	var d decoder
	var kind, id, seq, role, usage, place, bundle bool
	d.begin(line, true)
	if d.kind() != '{' {
		return None
	}
	d.object(func(key []byte) bool {
		k := d.kind()
		switch string(key) {
		case "kind":
			kind = k == '"' && isKind(d.str())
			return k == '"'
		case "role":
			role = k == '"' && isRole(d.str())
			return k == '"'
		case "type":
			usage = k == '"' && d.str() == "usage"
			return k == '"'
		case "thread_id":
			id = k == '"'
			place = place || id
		case "seq":
			seq = k == '0'
		case "session_id", "timestamp", "ts", "created_at":
			place = place || k == '"' || k == '0'
		case "sequence", "provenance":
			bundle = true
		}
		return false
	})
	switch {
	case kind && id && seq:
		return Events
	case (role || usage) && place && !bundle:
		return Normalized
	}
	return None
}

func isKind(s string) bool {
	_, ok := transcript.ParseKind(s)
	return ok || s == kindThread
}

func isRole(s string) bool { return s == "user" || s == "assistant" || s == "tool" }
