package interchange

import (
	"fmt"
	"io"
	"iter"
	"strings"

	"rollbook/internal/diag"
	"rollbook/internal/transcript"
)

// A NormalizedRecord is a line of the normalized format.
type NormalizedRecord struct {
	Position diag.Position // of the line in the file that is read
	ThreadID string        // empty where the line names no thread
	Project  string        // empty where the line names none, or "unassigned"

	// Judged says that the line itself tells whether a text of the user is the
	// person's (kind User) or injected (kind Context). Where it does not, the
	// kind is User, and transcript.Injected has to judge.
	Judged bool

	// Event is of kind User, Assistant, ToolCall or Context, or Usage. Its Seq
	// is 0, and a tool's name keeps its namespace before it. Its time is zero
	// only in a line that we exported from a log without times.
	Event transcript.Event

	// Of a usage line, whose response id is the event's ItemID.
	Provider    string
	NoCached    bool // cached input was not counted, which is not 0
	NoReasoning bool // the same of reasoning output
}

// ReadNormalized reads the normalized format, with the other names that a key
// may have (docs/format/interchange.md, "normalized"), once. A line that cannot
// be read goes to report and the rest is still read. The record is reused: copy
// what is to be kept. An error ends the sequence.
func ReadNormalized(r io.Reader, opt Options, report func(diag.Diagnostic)) iter.Seq2[*NormalizedRecord, error] {
	p := &normalizedParser{}
	return records(r, opt, report, p, p.record)
}

// A normalizedParser makes a NormalizedRecord of the members of a line. The
// keys of the plain format have to be right; one that only we write and that
// holds something else is another program's, and omitted.
type normalizedParser struct {
	d   *decoder
	rec NormalizedRecord

	kind, role           string
	threadID, sessionID  string
	timestamp, ts, since stamp
	text, content        words
	natural              bool
	origin, source       bool // given as we write them
	counters             counters
}

func (p *normalizedParser) begin(d *decoder) { *p = normalizedParser{d: d} }

func (p *normalizedParser) record(pos diag.Position) *NormalizedRecord {
	p.rec.Position = pos
	return &p.rec
}

func (p *normalizedParser) member(key []byte) bool {
	d := p.d
	switch string(key) {
	case "thread_id":
		p.threadID = d.str()
	case "session_id":
		p.sessionID = d.str()
	case "timestamp":
		p.timestamp = d.stamp()
	case "ts":
		p.ts = d.stamp()
	case "created_at":
		p.since = d.stamp()
	case "text":
		p.text = d.words()
	case "content":
		p.content = d.words()
	case "natural":
		p.rec.Judged = p.flag(&p.natural)
		return p.rec.Judged
	case "inherited":
		return p.flag(&p.rec.Event.Inherited)
	case "source":
		return p.ourSource(key)
	case "usage":
		p.counters = d.counters()
	default:
		return p.name(string(key))
	}
	return true
}

// name takes the keys that hold a name.
func (p *normalizedParser) name(key string) bool {
	ev := &p.rec.Event
	var to *string
	switch key {
	case "type":
		to = &p.kind
	case "role":
		to = &p.role
	case "project":
		to = &p.rec.Project
	case "tool":
		to = &ev.Tool
	case "turn_id":
		to = &ev.TurnID
	case "response_id":
		to = &ev.ItemID
	case "provider":
		to = &p.rec.Provider
	case "model":
		to = &ev.Model
	case "origin":
		return p.ourOrigin()
	default:
		return false
	}
	if k := p.d.kind(); k != '"' && k != 'n' {
		return false
	}
	*to = p.d.str()
	return true
}

// flag takes true or false and leaves anything else.
func (p *normalizedParser) flag(to *bool) bool {
	if k := p.d.kind(); k != 't' && k != 'f' {
		return false
	}
	*to, _ = p.d.bool()
	return true
}

func (p *normalizedParser) ourOrigin() bool {
	if p.d.kind() != '"' {
		return false
	}
	origin, ok := parseOrigin(p.d.str())
	p.rec.Event.Origin, p.origin = origin, ok
	return true
}

func (p *normalizedParser) ourSource(key []byte) bool {
	d := p.d
	if k := d.kind(); k != '{' && k != 'n' {
		return false
	}
	before := d.wrong
	source := d.source()
	if d.wrong != before {
		d.wrong = before
		d.skipped(key)
		return true
	}
	p.rec.Event.Source, p.source = source, true
	return true
}

// end judges the line as a whole, in the order in which the counters of an
// import want it: what it is, its time, what it says.
func (p *normalizedParser) end() (diag.Code, string) {
	usage := p.kind == "usage" && p.role == ""
	if !usage && !isRole(p.role) {
		return UnknownRecord, fmt.Sprintf("role %.40q", p.role)
	}
	if p.d.wrong != "" {
		return InvalidField, p.d.wrong
	}
	if code, msg := p.time(); code != "" {
		return code, msg
	}
	if p.rec.ThreadID = p.threadID; p.rec.ThreadID == "" {
		p.rec.ThreadID = p.sessionID
	}
	if p.rec.Project == unassigned {
		p.rec.Project = ""
	}
	if usage {
		p.rec.Event.Tool = ""
		return p.usage()
	}
	p.rec.Event.ItemID, p.rec.Event.Model, p.rec.Provider = "", "", ""
	return p.message()
}

// time takes the first time that is given.
func (p *normalizedParser) time() (diag.Code, string) {
	for _, s := range []stamp{p.timestamp, p.ts, p.since} {
		switch {
		case !s.given:
		case !s.valid:
			return InvalidTimestamp, "not a time between 1970 and 2100"
		default:
			p.rec.Event.Time = s.time
			return "", ""
		}
	}
	if p.origin && p.source {
		return "", "" // ours, from a log without times
	}
	return InvalidTimestamp, "no time"
}

// message makes the event of a message or a tool call.
func (p *normalizedParser) message() (diag.Code, string) {
	ev := &p.rec.Event
	words := p.text
	if !words.given {
		words = p.content
	}
	text := words.text
	if words.object && p.role != "tool" {
		text = ""
	}
	if text == "" && ev.Tool == "" {
		return Empty, "neither text nor a tool"
	}
	switch p.role {
	case "tool":
		ev.Kind, ev.Arguments = transcript.ToolCall, text
		return "", ""
	case "assistant":
		ev.Kind = transcript.Assistant
	case "user":
		ev.Kind = transcript.User
		if p.rec.Judged && !p.natural {
			ev.Kind, ev.Role = transcript.Context, "user"
		}
	}
	ev.Text, ev.Tool = text, ""
	return "", ""
}

// words are what a line says.
type words struct {
	text   string
	given  bool // neither absent nor null
	object bool // the text is the JSON text of an object
}

// words takes a text: a string; a list of blocks, whose texts are joined by
// newlines; an object, as a tool's arguments may be. Anything else says
// nothing.
func (d *decoder) words() words {
	switch d.kind() {
	case 'n':
		d.token()
		return words{}
	case '"':
		return words{text: d.str(), given: true}
	case '[':
		return words{text: d.blocks(), given: true}
	case '{':
		return words{text: strings.ToValidUTF8(string(d.value()), "\ufffd"), given: true, object: true}
	}
	d.value()
	return words{given: true}
}

// blocks joins the texts of the blocks of a list.
func (d *decoder) blocks() string {
	var b strings.Builder
	n := 0
	d.token()
	for d.err == nil && d.kind() != ']' {
		if d.kind() != '{' {
			d.value()
			continue
		}
		text, ok := d.block()
		if !ok {
			continue
		}
		if n++; n > 1 {
			b.WriteByte('\n')
		}
		b.WriteString(text)
	}
	d.token()
	return b.String()
}

// block gives the text of a block, if it is one of text.
func (d *decoder) block() (text string, ok bool) {
	kind := "text"
	d.object(func(key []byte) bool {
		switch {
		case d.kind() != '"':
			d.value()
		case string(key) == "type":
			kind = d.str()
		case string(key) == "text":
			text, ok = d.str(), true
		default:
			d.value()
		}
		return true
	})
	return text, ok && (kind == "text" || kind == "input_text" || kind == "output_text")
}
