package document

import (
	"bufio"
	"fmt"

	"rollbook/internal/interchange"
	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// rolloutFacts are what is known of a file of rollout lines that is no rollout:
// the lines are taken as they stand, without assembling a thread
// (docs/format/documents.md D8).
type rolloutFacts struct {
	id, cwd, provider string
	users, answers    bool // events show what was said
}

// maxFacts is how many lines the first look goes over at most.
const maxFacts = 10_000_000

// facts looks at the whole file for what its lines depend on.
func (r *reader) facts() (*rolloutFacts, error) {
	if r.rollout != nil {
		return r.rollout, nil
	}
	f := &rolloutFacts{}
	see := func(text []byte) {
		var env rollout.Envelope
		if rollout.Scan(text, &env) == rollout.NoFault && env.Object && env.Payload.IsObject() {
			f.see(rollout.Decode(&env, text))
		}
	}
	if isDocument(r.opt.Name) {
		r.rollout = f // items are looked at one by one: what comes first decides
		return f, nil
	}
	in, err := r.open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	b := bufio.NewReaderSize(in, bufferSize)
	var long []byte
	for range maxFacts {
		text, n, _, err := readLine(b, r.limit(), &long)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			break
		}
		see(text)
	}
	r.rollout = f
	return f, nil
}

func (f *rolloutFacts) see(p rollout.Payload) {
	switch p := p.(type) {
	case *rollout.SessionMeta:
		if f.id == "" {
			f.id = p.ID
		}
		if f.cwd == "" {
			f.cwd = p.CWD
		}
		f.provider = p.ModelProvider
	case *rollout.UserMessageEvent:
		f.users = true
	case *rollout.AgentMessageEvent:
		f.answers = true
	case *rollout.ItemCompleted:
		switch p.Item.(type) {
		case *rollout.UserMessage:
			f.users = true
		case *rollout.AssistantMessage:
			f.answers = true
		}
	}
}

// rolloutLine makes an entry of a line as rollouts have it.
func (r *reader) rolloutLine(text []byte, env *rollout.Envelope) (*Entry, error) {
	f, err := r.facts()
	if err != nil {
		return nil, err
	}
	p := rollout.Decode(env, text)
	f.see(p)
	if ic, ok := p.(*rollout.ItemCompleted); ok {
		p = ic.Item
	}
	if u, ok := p.(*rollout.Unknown); ok {
		r.note(interchange.UnknownRecord, fmt.Sprintf("type %.40q is not known", u.Name))
		return nil, nil
	}
	e := r.begin(Rollout)
	e.ThreadID, e.Project, e.Provider = f.id, f.cwd, f.provider
	if !r.said(e, f, p) {
		return nil, nil
	}
	at, ok := timeOf(env.Timestamp)
	if !ok {
		r.note(interchange.InvalidTimestamp, "not a time between 1970 and 2100")
		return nil, nil
	}
	e.Event.Time = at
	if e.Event.Kind != transcript.Usage && messageText(&e.Event) == "" && e.Event.Tool == "" {
		r.note(interchange.Empty, "")
		return nil, nil
	}
	return r.finish(e), nil
}

// said makes the event of a payload; false where it has none, which is counted.
func (r *reader) said(e *Entry, f *rolloutFacts, p rollout.Payload) bool {
	ev := &e.Event
	switch p := p.(type) {
	case *rollout.UserMessageEvent:
		ev.Kind, ev.Text = transcript.User, p.Message.String()
		e.words()
	case *rollout.UserMessage:
		ev.Kind, ev.Text = transcript.User, p.Content.Text()
		e.words()
	case *rollout.AgentMessageEvent:
		ev.Kind, ev.Text = transcript.Assistant, p.Message.String()
	case *rollout.AssistantMessage:
		ev.Kind, ev.Text = transcript.Assistant, p.Content.Text()
	case *rollout.Message:
		return r.message(e, f, p)
	case *rollout.ToolCall:
		e.Response = true
		ev.Kind, ev.Tool, ev.Namespace, ev.CallID, ev.Arguments = transcript.ToolCall, p.Name, p.Namespace, p.CallID, p.Input()
		if ev.Tool == "" {
			ev.Tool = "unknown"
		}
	case *rollout.TokenCount:
		return r.tokens(e, p)
	default:
		return false
	}
	return true
}

// message takes a message item: where events show what was said, it repeats one
// or is context.
func (r *reader) message(e *Entry, f *rolloutFacts, m *rollout.Message) bool {
	e.Response = true
	e.Event.Text = m.Content.Text()
	switch {
	case m.Role == "user" && f.users:
		r.counts.MirroredUsers++
		r.counts.MirroredResponses++
		return false
	case m.Role == "assistant" && f.answers:
		r.counts.MirroredResponses++
		return false
	case m.Role == "user":
		e.Event.Kind = transcript.User
		e.words()
	case m.Role == "assistant":
		e.Event.Kind = transcript.Assistant
	default:
		r.counts.Context++
		return false
	}
	return true
}

// tokens takes a running total.
func (r *reader) tokens(e *Entry, p *rollout.TokenCount) bool {
	if !p.Info.OK {
		r.counts.UsageWithoutInfo++
		return false
	}
	t := p.Info.Total
	if !t.Input.OK || !t.Output.OK || !t.Total.OK || t.Input.Value < 0 || t.CachedInput.Value > t.Input.Value || t.ReasoningOutput.Value > t.Output.Value {
		r.note(interchange.InvalidUsage, "counters that cannot be right")
		return false
	}
	e.Snapshot, e.NoCached, e.NoReasoning = true, !t.CachedInput.OK, !t.ReasoningOutput.OK
	e.Event.Kind = transcript.Usage
	e.Event.Usage = &transcript.TokenUsage{Input: t.Input.Value, CachedInput: t.CachedInput.Value, Output: t.Output.Value,
		ReasoningOutput: t.ReasoningOutput.Value, Total: t.Total.Value}
	return true
}
