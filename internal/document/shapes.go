package document

import (
	"fmt"
	"strings"

	"rollbook/internal/interchange"
	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// normalized makes an entry of a line of the normalized format.
func (r *reader) normalized(text []byte) (*Entry, error) {
	rec, code, message := r.normal.Parse(text)
	if code != "" {
		r.note(code, message)
		return nil, nil
	}
	e := r.begin(Normalized)
	e.ThreadID, e.Project, e.Event = rec.ThreadID, rec.Project, rec.Event
	switch e.Event.Kind {
	case transcript.Usage:
		e.Provider, e.ResponseID, e.NoCached, e.NoReasoning = rec.Provider, rec.Event.ItemID, rec.NoCached, rec.NoReasoning
	case transcript.User:
		if rec.Judged {
			e.Natural = strings.TrimSpace(e.Event.Text) != ""
		} else {
			e.words()
		}
	case transcript.Context: // the line says itself that nobody typed it
		e.Event.Kind, e.Event.Role = transcript.User, ""
	}
	return r.finish(e)
}

// history makes an entry of a line of history.jsonl.
func (r *reader) history(m *members) (*Entry, error) {
	id, ok := m.session.Text()
	if !ok || id == "" {
		r.note(interchange.InvalidField, "session_id is no text")
		return nil, nil
	}
	at, ok := timeOf(m.ts)
	if !ok {
		r.note(interchange.InvalidTimestamp, "not a time between 1970 and 2100")
		return nil, nil
	}
	e := r.begin(History)
	e.ThreadID = id
	e.Event = transcript.Event{Kind: transcript.User, Time: at}
	e.Event.Text, _ = m.text.Text()
	e.words()
	return r.finish(e)
}

// event makes an entry of a line of the events format.
func (r *reader) event(text []byte) (*Entry, error) {
	rec, code, message := r.events.Parse(text)
	if code != "" {
		r.note(code, message)
		return nil, nil
	}
	e := r.begin(Events)
	e.ThreadID = rec.ThreadID
	if e.Thread = rec.Thread; e.Thread != nil {
		e.Project, e.Provider = e.Thread.Project, e.Thread.Provider
		k := Known{Project: e.Project, Provider: e.Provider}
		if at := e.Thread.Created; !at.IsZero() {
			k.Time = at.UnixMilli()
		}
		r.remember(e.ThreadID, k)
		return e, nil
	}
	k := r.known[e.ThreadID]
	e.Project, e.Event = k.Project, *rec.Event
	switch e.Event.Kind {
	case transcript.User:
		e.words()
	case transcript.Usage:
		e.ResponseID, e.Provider = e.Event.ItemID, k.Provider
	}
	return r.finish(e)
}

// bundle makes an entry of an event in the history of a bundle.
func (r *reader) bundle(text []byte) (*Entry, error) {
	v := rollout.Raw(text)
	get := func(key string) string { s, _ := v.Get(key).Text(); return s }
	src := v.Get("source")
	id, _ := src.Get("session_id").Text()
	if id == "" {
		r.note(NoSession, "source.session_id is missing: the event belongs to no thread")
		return nil, nil
	}
	e := r.begin(Bundle)
	e.ThreadID = id
	ev := &e.Event
	*ev = transcript.Event{Text: get("text"), Phase: get("phase"), CallID: get("tool_id"), Tool: get("tool_name"), Namespace: get("tool_namespace")}
	ev.TurnID, _ = src.Get("turn_id").Text()
	ev.ItemID, _ = src.Get("id").Text()
	if !bundleKind(e, get("kind"), get("role")) {
		r.note(interchange.UnknownRecord, fmt.Sprintf("kind %.40q, role %.40q", get("kind"), get("role")))
		return nil, nil
	}
	if at := v.Get("timestamp"); len(at) > 0 && !at.IsNull() {
		var ok bool
		if ev.Time, ok = timeOf(at); !ok {
			r.note(interchange.InvalidTimestamp, "not a time between 1970 and 2100")
			return nil, nil
		}
	}
	return r.finish(e)
}

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
