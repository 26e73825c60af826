package document

import (
	"bytes"
	"fmt"
	"time"

	"rollbook/internal/diag"
	"rollbook/internal/interchange"
	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// take makes an entry of a line or an item; nil where it makes none.
func (r *reader) take(text []byte, over, cut bool) (*Entry, error) {
	if !over && blank(text) {
		return nil, nil
	}
	r.counts.Lines++
	if over {
		r.note(interchange.LineLimit, fmt.Sprintf("longer than the limit of %d bytes", r.opt.Line))
		return nil, nil
	}
	var env rollout.Envelope
	fault := rollout.Scan(text, &env)
	if fault == rollout.FaultUTF8 {
		text = bytes.ToValidUTF8(text, []byte("\ufffd"))
		if fault = rollout.Scan(text, &env); fault == rollout.NoFault {
			r.note(interchange.RepairedText, "")
		}
	}
	switch {
	case fault == rollout.FaultEOF && cut:
		r.note(interchange.IncompleteFinalLine, "ends inside a value")
	case fault != rollout.NoFault:
		r.note(interchange.InvalidJSON, fault.String())
	case !env.Object:
		r.note(interchange.InvalidRecord, "not an object")
	default:
		return r.object(text, &env)
	}
	return nil, nil
}

func blank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }

// members are those by which shapes are told apart.
type members struct {
	role, kind, seq, thread, sequence, provenance, session, text, ts, typ rollout.Raw
}

func readMembers(text []byte) (m members) {
	for w := rollout.Raw(text).Object(); ; {
		k, v, ok := w.Next()
		if !ok {
			return m
		}
		key, _ := k.Text()
		switch key {
		case "role":
			m.role = v
		case "kind":
			m.kind = v
		case "seq":
			m.seq = v
		case "thread_id":
			m.thread = v
		case "sequence":
			m.sequence = v
		case "provenance":
			m.provenance = v
		case "session_id":
			m.session = v
		case "text":
			m.text = v
		case "ts":
			m.ts = v
		case "type":
			m.typ = v
		}
	}
}

// object makes an entry of an object. The first shape that fits counts
// (docs/format/documents.md D3).
func (r *reader) object(text []byte, env *rollout.Envelope) (*Entry, error) {
	if env.RecordType() != rollout.RecordUnknown && env.Payload.IsObject() {
		return r.rolloutLine(text, env)
	}
	m := readMembers(text)
	switch {
	case m.kind.IsString() && isNumber(m.seq) && m.thread.IsString():
		return r.event(text), nil
	case isNumber(m.sequence) && m.kind.IsString() && m.provenance.IsString():
		return r.bundle(text), nil
	case isRole(m.role), m.typ.Is("usage"):
		return r.normalized(text), nil
	case len(m.session) > 0 && len(m.text) > 0 && len(m.ts) > 0:
		return r.history(&m), nil
	}
	r.note(interchange.UnknownRecord, "of no kind that is known")
	return nil, nil
}

func isNumber(v rollout.Raw) bool {
	return len(v) > 0 && (v[0] == '-' || v[0] >= '0' && v[0] <= '9')
}

func isRole(v rollout.Raw) bool { return v.Is("user") || v.Is("assistant") || v.Is("tool") }

// begin sets the entry up for the line or item at hand.
func (r *reader) begin(shape Shape) *Entry {
	if r.shape == None {
		r.shape = shape
	}
	e := &r.entry
	*e = Entry{Shape: shape, Item: r.item, Position: diag.Position{File: r.opt.Name, Line: r.line, Offset: r.offset}}
	if r.item > 0 {
		e.Position.Line = 0
	}
	return e
}

// finish puts the entry's place and thread into it.
func (r *reader) finish(e *Entry) *Entry {
	e.Event.Source = transcript.Source{File: r.opt.Name, Line: e.Position.Line, Offset: e.Position.Offset}
	if e.ThreadID == "" {
		e.ThreadID = r.opt.Stem
	}
	if ms := e.Event.Time.UnixMilli(); !e.Event.Time.IsZero() && !e.TimeInherited {
		if _, known := r.times[e.ThreadID]; known || len(r.times) < maxNamed {
			r.times[e.ThreadID] = ms
		}
	}
	return e
}

// inherit gives a line without a time that of the line of its thread before it.
func (r *reader) inherit(e *Entry) bool {
	if !e.Event.Time.IsZero() {
		return true
	}
	id := e.ThreadID
	if id == "" {
		id = r.opt.Stem
	}
	ms, ok := r.times[id]
	if !ok {
		r.note(interchange.InvalidTimestamp, "no time, and none before it in its thread")
		return false
	}
	e.Event.Time, e.TimeInherited = time.UnixMilli(ms).UTC(), true
	return true
}

// normalized makes an entry of a line of the normalized format.
func (r *reader) normalized(text []byte) *Entry {
	rec, code, message := r.normal.Parse(text)
	if code != "" {
		r.note(code, message)
		return nil
	}
	e := r.begin(Normalized)
	e.ThreadID, e.Project, e.Event = rec.ThreadID, rec.Project, rec.Event
	if !r.inherit(e) {
		return nil
	}
	switch e.Event.Kind {
	case transcript.Usage:
		e.Provider, e.ResponseID, e.NoCached, e.NoReasoning = rec.Provider, rec.Event.ItemID, rec.NoCached, rec.NoReasoning
	case transcript.User:
		e.words()
	case transcript.Context: // a line that says itself that nobody typed it
		e.Event.Kind, e.Event.Role = transcript.User, ""
	}
	return r.finish(e)
}

// words judges what a user said: the words of the person are taken out of a
// client's envelope, and what was injected is not theirs.
func (e *Entry) words() {
	text, wrapped := transcript.Unwrap(e.Event.Text)
	if wrapped && text == "" {
		return
	}
	e.Event.Text = text
	e.Natural = !blank([]byte(text)) && !transcript.Injected(text)
}

// history makes an entry of a line of history.jsonl.
func (r *reader) history(m *members) *Entry {
	id, ok := m.session.Text()
	if !ok || id == "" {
		r.note(interchange.InvalidField, "session_id is no text")
		return nil
	}
	at, ok := timeOf(m.ts)
	if !ok {
		r.note(interchange.InvalidTimestamp, "not a time between 1970 and 2100")
		return nil
	}
	text, _ := m.text.Text()
	if text == "" {
		r.note(interchange.Empty, "")
		return nil
	}
	e := r.begin(History)
	e.ThreadID = id
	e.Event = transcript.Event{Kind: transcript.User, Time: at, Text: text}
	e.words()
	return r.finish(e)
}

// timeOf reads a number or a text as a time.
func timeOf(v rollout.Raw) (time.Time, bool) {
	s, ok := v.Text()
	if !ok {
		if !isNumber(v) {
			return time.Time{}, false
		}
		s = string(v)
	}
	ms, ok := interchange.ParseTime(s)
	return time.UnixMilli(ms).UTC(), ok
}

// event makes an entry of a line of the events format.
func (r *reader) event(text []byte) *Entry {
	rec, code, message := r.events.Parse(text)
	if code != "" {
		r.note(code, message)
		return nil
	}
	e := r.begin(Events)
	e.ThreadID = rec.ThreadID
	if t := rec.Thread; t != nil {
		if len(r.projects) < maxNamed {
			r.projects[e.ThreadID] = t.Project
		}
		e.Thread = t
		return e
	}
	e.Project = r.projects[e.ThreadID]
	e.Event = *rec.Event
	if !r.inherit(e) {
		return nil
	}
	switch e.Event.Kind {
	case transcript.User:
		e.words()
		if e.Event.Text == "" && len(e.Event.Images) == 0 {
			r.note(interchange.Empty, "")
			return nil
		}
	case transcript.Assistant:
		if e.Event.Text == "" {
			r.note(interchange.Empty, "")
			return nil
		}
	case transcript.Usage:
		e.ResponseID = e.Event.ItemID
	}
	return r.finish(e)
}

// bundle makes an entry of an event in the history of a bundle.
func (r *reader) bundle(text []byte) *Entry {
	v := rollout.Raw(text)
	get := func(key string) string { s, _ := v.Get(key).Text(); return s }
	src := v.Get("source")
	id, _ := src.Get("session_id").Text()
	if id == "" {
		r.note(NoHistory, "source.session_id is missing: the event belongs to no thread")
		return nil
	}
	at, ok := timeOf(v.Get("timestamp"))
	e := r.begin(Bundle)
	e.ThreadID = id
	e.Event = transcript.Event{Text: get("text"), Phase: get("phase"), CallID: get("tool_id"), Tool: get("tool_name"), Namespace: get("tool_namespace")}
	e.Event.TurnID, _ = src.Get("turn_id").Text()
	if ok {
		e.Event.Time = at
	} else if !v.Get("timestamp").IsNull() || !r.inherit(e) {
		if !v.Get("timestamp").IsNull() {
			r.note(interchange.InvalidTimestamp, "not a time between 1970 and 2100")
		}
		return nil
	}
	if !bundleKind(e, get("kind"), get("role")) {
		r.note(interchange.UnknownRecord, fmt.Sprintf("kind %.40q", get("kind")))
		return nil
	}
	if messageText(&e.Event) == "" && e.Event.Tool == "" {
		r.note(interchange.Empty, "")
		return nil
	}
	return r.finish(e)
}

func messageText(ev *transcript.Event) string { return ev.Text + ev.Arguments + ev.Output }

// bundleKind sets the kind of an event of a bundle.
func bundleKind(e *Entry, kind, role string) bool {
	ev := &e.Event
	switch kind {
	case "text":
		switch role {
		case "user":
			ev.Kind = transcript.User
			e.words()
		case "assistant":
			ev.Kind = transcript.Assistant
		case "system", "developer":
			ev.Kind, ev.Role = transcript.Context, role
		default:
			return false
		}
		ev.Tool, ev.CallID = "", ""
	case "tool_call":
		ev.Kind, ev.Arguments, ev.Text = transcript.ToolCall, ev.Text, ""
	case "tool_result":
		ev.Kind, ev.Output, ev.Text = transcript.ToolResult, ev.Text, ""
	case "checkpoint":
		ev.Kind = transcript.Compaction
	default:
		return false
	}
	return true
}
