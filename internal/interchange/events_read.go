package interchange

import (
	"fmt"
	"io"
	"iter"
	"time"

	"rollbook/internal/diag"
	"rollbook/internal/transcript"
)

// An EventRecord is a line of the events format: either the line that opens a
// thread or an event.
type EventRecord struct {
	Position diag.Position // of the line in the file that is read
	ThreadID string

	// Thread is what a thread line says, its ID, Meta and View; Events is nil,
	// for they follow line by line. It is nil for an event.
	Thread *transcript.Thread
	// Event is nil for a thread line. Its Source is the place in the log that
	// was exported.
	Event *transcript.Event
}

// ReadEvents reads the events format (docs/format/interchange.md, "events"),
// once. A line that cannot be read goes to report and the rest is still read;
// an event may come without its thread line. The record and its event are
// reused: copy what is to be kept. An error ends the sequence.
func ReadEvents(r io.Reader, opt Options, report func(diag.Diagnostic)) iter.Seq2[*EventRecord, error] {
	p := &eventParser{}
	return records(r, opt, report, p, p.record)
}

// An eventParser makes an EventRecord of the members of a line.
type eventParser struct {
	d      *decoder
	id     string
	kind   string
	seq    bool // given
	text   bool
	bad    string // the key of a time that cannot be read
	event  transcript.Event
	thread transcript.Thread
	out    EventRecord
}

func (p *eventParser) begin(d *decoder) { *p = eventParser{d: d} }

func (p *eventParser) record(pos diag.Position) *EventRecord {
	p.out = EventRecord{Position: pos, ThreadID: p.id, Event: &p.event}
	if p.kind == kindThread {
		t := p.thread
		t.ID = p.id
		p.out.Thread, p.out.Event = &t, nil
	}
	return &p.out
}

func (p *eventParser) member(key []byte) bool {
	switch string(key) {
	case "thread_id":
		p.id = p.d.str()
	case "seq":
		p.event.Seq, p.seq = number[int](p.d)
	case "kind":
		p.kind = p.d.str()
	case "source":
		if p.d.kind() == '"' {
			p.thread.Source = p.d.str()
		} else {
			p.event.Source = p.d.source()
		}
	default:
		return p.common(string(key)) || p.content(string(key)) || p.meta(string(key))
	}
	return true
}

// common takes the keys of every event.
func (p *eventParser) common(key string) bool {
	d, ev := p.d, &p.event
	switch key {
	case "status":
		ev.Status = d.str()
	case "timestamp":
		ev.Time = p.time("timestamp")
	case "turn_id":
		ev.TurnID = d.str()
	case "origin":
		ev.Origin = d.origin()
	case "inherited":
		ev.Inherited, _ = d.bool()
	case "rolled_back":
		ev.RolledBack, _ = d.bool()
	case "role":
		ev.Role = d.str()
	case "item_id":
		ev.ItemID = d.str()
	case "model":
		ev.Model = d.str()
	default:
		return false
	}
	return true
}

// content takes the keys that events of some kind have.
func (p *eventParser) content(key string) bool {
	d, ev := p.d, &p.event
	switch key {
	case "text":
		p.text = d.kind() == '"'
		ev.Text = d.str()
	case "phase":
		ev.Phase = d.str()
	case "tool":
		ev.Tool = d.str()
	case "namespace":
		ev.Namespace = d.str()
	case "call_id":
		ev.CallID = d.str()
	case "arguments":
		ev.Arguments = d.str()
	case "output":
		ev.Output = d.str()
	case "is_error":
		ev.IsError = pointer(d.bool())
	case "exit_code":
		ev.ExitCode = pointer(number[int](d))
	case "duration_ms":
		ev.Duration = d.duration()
	case "images":
		ev.Images = d.images()
	case "usage":
		ev.Usage = d.usage()
	case "changes":
		ev.Changes = d.changes()
	default:
		return false
	}
	return true
}

// meta takes the keys of a thread line.
func (p *eventParser) meta(key string) bool {
	d, t := p.d, &p.thread
	switch key {
	case "title":
		t.Title = d.str()
	case "title_source":
		t.TitleSource = d.str()
	case "project":
		t.Project = d.str()
	case "created":
		t.Created = p.time("created")
	case "updated":
		t.Updated = p.time("updated")
	case "parent_id":
		t.ParentID = d.str()
	case "forked_from":
		t.ForkedFrom = d.str()
	case "models":
		t.Models = d.strs()
	case "cli_versions":
		t.Versions = d.strs()
	case "segments":
		t.Segments = d.strs()
	case "files":
		t.Files = d.strs()
	case "archived":
		t.Archived, _ = d.bool()
	case "counts":
		t.Counts = d.counts()
	case "originator":
		t.Originator = d.str()
	case "provider":
		t.Provider = d.str()
	case "session_id":
		t.SessionID = d.str()
	case "state":
		t.State = transcript.State(d.str())
	case "losses":
		t.Losses = size[int](d)
	case "view":
		t.View = d.view()
	default:
		return false
	}
	return true
}

// end judges the line as a whole.
func (p *eventParser) end() (diag.Code, string) {
	if p.kind == kindThread {
		return p.check()
	}
	kind, ok := transcript.ParseKind(p.kind)
	if !ok {
		return UnknownRecord, fmt.Sprintf("kind %.40q", p.kind)
	}
	p.event.Kind = kind
	if code, msg := p.check(); code != "" {
		return code, msg
	}
	switch {
	case !p.seq || p.event.Seq < 1:
		return InvalidField, "seq does not count from 1"
	case hasText(kind) && !p.text:
		return InvalidField, "text is missing"
	case (kind == transcript.ToolCall || kind == transcript.ToolResult) && p.event.CallID == "":
		return InvalidField, "call_id is missing"
	}
	return "", ""
}

// check judges what a thread line and an event have in common.
func (p *eventParser) check() (diag.Code, string) {
	switch {
	case p.d.wrong != "":
		return InvalidField, p.d.wrong
	case p.bad != "":
		return InvalidTimestamp, p.bad
	case p.id == "":
		return InvalidField, "thread_id is missing"
	}
	return "", ""
}

// hasText reports whether every event of the kind has a text.
func hasText(k transcript.Kind) bool {
	switch k {
	case transcript.User, transcript.Assistant, transcript.Context,
		transcript.Reasoning, transcript.Compaction, transcript.Notice:
		return true
	}
	return false
}

func (p *eventParser) time(key string) time.Time {
	s := p.d.stamp()
	if s.given && !s.valid && p.bad == "" {
		p.bad = key
	}
	return s.time
}
