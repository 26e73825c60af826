package document

import (
	"bytes"
	"fmt"
	"path"
	"strings"
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
	r.cut = cut
	if over {
		r.note(interchange.LineLimit, fmt.Sprintf("longer than the limit of %d bytes", r.opt.Line))
		return nil, nil
	}
	var env rollout.Envelope
	text, fault, done := scan(text, &env)
	if fault == rollout.NoFault && done.Code != "" {
		r.note(done.Code, done.Message)
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

// scan reads a line, once more with U+FFFD where it holds what is no text.
func scan(text []byte, env *rollout.Envelope) ([]byte, rollout.Fault, rollout.Repair) {
	fault := rollout.Scan(text, env)
	if fault == rollout.NoFault {
		return text, fault, rollout.Repair{}
	}
	mended, done := rollout.Mend(text)
	if done.Code == "" {
		return text, fault, done
	}
	return mended, rollout.Scan(mended, env), done
}

// blank reports whether a line holds nothing but ASCII white space.
func blank(text []byte) bool { return len(bytes.Trim(text, " \t\r\f")) == 0 }

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
		if bytes.IndexByte(k, '\\') >= 0 {
			s, _ := k.Text()
			k = rollout.Raw(`"` + s + `"`)
		}
		switch string(k[1 : len(k)-1]) {
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
	if isRollout(env) {
		return r.rolloutLine(text, env)
	}
	m := readMembers(text)
	switch {
	case m.kind.IsString() && isNumber(m.seq) && m.thread.IsString():
		return r.event(text)
	case isNumber(m.sequence) && m.kind.IsString() && m.provenance.IsString():
		return r.bundle(text)
	case isRole(m.role), m.typ.Is("usage"):
		return r.normalized(text)
	case !m.role.IsString() && len(m.session) > 0 && len(m.text) > 0 && len(m.ts) > 0:
		return r.history(&m)
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

// finish puts the entry's place into it, and what its thread or its file says
// where it says nothing itself.
func (r *reader) finish(e *Entry) (*Entry, error) {
	e.from = e.Event.Source.File
	e.Event.Source = transcript.Source{File: r.opt.Name, Line: e.Position.Line, Offset: e.Position.Offset}
	if e.ThreadID == "" || e.Project == "" && e.Shape == Normalized {
		f, err := r.whole()
		if err != nil {
			return nil, err
		}
		if e.ThreadID == "" {
			e.ThreadID = f.id
		}
		if e.Project == "" {
			e.Project = f.cwd
		}
	}
	if e.ThreadID == "" {
		e.ThreadID = r.opt.Stem
	}
	if !r.clock(e) {
		return nil, nil
	}
	if e.silent() {
		r.note(interchange.Empty, "")
		return nil, nil
	}
	return e, nil
}

// silent reports whether an entry of a kind that speaks says nothing.
func (e *Entry) silent() bool {
	ev := &e.Event
	switch ev.Kind {
	case transcript.User:
		return ev.Text == "" && len(ev.Images) == 0
	case transcript.Assistant:
		return ev.Text == ""
	case transcript.ToolCall, transcript.Context, transcript.Compaction:
		return e.Shape != Events && ev.Text+ev.Arguments+ev.Tool == ""
	}
	return false
}

// clock gives a line without a time that of the line of its thread before it.
func (r *reader) clock(e *Entry) bool {
	k := r.known[e.ThreadID]
	if !e.Event.Time.IsZero() {
		if k.Time = e.Event.Time.UnixMilli(); e.Shape == Normalized || e.Shape == Events || e.Shape == Bundle {
			r.remember(e.ThreadID, k)
		}
		return true
	}
	if e.Event.Time = time.UnixMilli(k.Time).UTC(); k.Time == 0 {
		var ok bool
		if e.Event.Time, ok = namedTime(e.from); !ok {
			r.note(interchange.InvalidTimestamp, "no time, and none before it in its thread")
			return false
		}
	}
	e.TimeInherited = true
	return true
}

// namedTime gives the time in the name of a rollout, which is when its thread
// began.
func namedTime(file string) (at time.Time, ok bool) {
	const layout = "2006-01-02T15-04-05"
	rest, ok := strings.CutPrefix(path.Base(file), "rollout-")
	if !ok || len(rest) < len(layout) {
		return at, false
	}
	at, err := time.Parse(layout, rest[:len(layout)])
	return at, err == nil && 1970 <= at.Year() && at.Year() <= 2100
}

// remember keeps what a line tells for others of its thread. A line without an
// end is read again.
func (r *reader) remember(id string, k Known) {
	if r.cut {
		return
	}
	if _, ok := r.known[id]; !ok && len(r.known) == maxKnown {
		clear(r.known)
	}
	r.known[id] = k
}

// words judges what a user said: the words of the person are taken out of a
// client's envelope, and what was injected is not theirs.
func (e *Entry) words() {
	e.typed()
	e.Natural = e.Natural && !transcript.Injected(e.Event.Text)
}

// typed takes what a user said for the person's, but for an envelope without
// words.
func (e *Entry) typed() {
	text, wrapped := transcript.Unwrap(e.Event.Text)
	if wrapped && text == "" {
		return
	}
	e.Event.Text = text
	e.Natural = strings.TrimSpace(text) != ""
}

// lineTime gives the time of a line: the first of its keys that is not null.
func lineTime(text []byte) (at time.Time, why string) {
	for _, key := range [...]string{"timestamp", "ts", "created_at"} {
		v := rollout.Raw(text).Get(key)
		if len(v) == 0 || v.IsNull() {
			continue
		}
		if at, ok := timeOf(v); ok {
			return at, ""
		}
		return at, "not a time between 1970 and 2100"
	}
	return at, "no time"
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
