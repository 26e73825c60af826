package document

import (
	"bytes"
	"fmt"
	"strings"

	"rollbook/internal/interchange"
	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// facts are what rollout lines tell of a file that is no rollout: its lines are
// taken as they stand, without assembling a thread (D8).
type facts struct {
	found             bool // there are rollout lines at all
	id, cwd, provider string
	owned             bool // a header was seen: it is the first one's file
	users, answers    bool // events show what was said
}

func newFacts() *facts { return new(facts) }

// A rollout line has a payload. What holds neither the word nor an escape that may
// spell it is not decoded.
var (
	payload = []byte("payload")
	escaped = []byte(`\u`)
)

// see takes a line.
func (f *facts) see(text []byte) {
	if !bytes.Contains(text, payload) && !bytes.Contains(text, escaped) {
		return
	}
	var env rollout.Envelope
	text, fault, _ := scan(text, &env)
	if fault == rollout.NoFault && isRollout(&env) {
		f.found = true
		f.payload(rollout.Decode(&env, text))
	}
}

// isRollout reports whether a line is one as rollouts have them.
func isRollout(env *rollout.Envelope) bool {
	return env.Object && env.RecordType() != rollout.RecordUnknown && env.Payload.IsObject()
}

func (f *facts) payload(p rollout.Payload) {
	switch p := p.(type) {
	case *rollout.SessionMeta:
		f.header(p)
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

// header takes a header: the first owns the file, later ones of the same thread
// add what it lacks.
func (f *facts) header(m *rollout.SessionMeta) {
	if f.owned && m.ID != f.id {
		return
	}
	f.owned, f.id = true, m.ID
	if f.cwd == "" {
		f.cwd = m.CWD
	}
	if f.provider == "" {
		f.provider = m.ModelProvider
	}
}

// whole gives the facts of the whole file. Before a Place there are none.
func (r *reader) whole() (*facts, error) {
	if r.facts != nil {
		return r.facts, nil
	}
	f, err := r.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, err := r.start(f, nil)
	if err != nil {
		return nil, err
	}
	found := newFacts()
	var long []byte
	for {
		text, n, _, err := readLine(in, r.limit(), &long)
		if err != nil {
			return nil, fmt.Errorf("first look: %w", err)
		}
		if n == 0 {
			break
		}
		found.see(bytes.TrimPrefix(text, []byte(byteOrderMark)))
	}
	if found.found && r.opt.From != nil {
		return nil, ErrWhole
	}
	r.facts = found
	return found, nil
}

// A turnContext is what a turn_context says.
type turnContext struct{ model, cwd string }

// maxContexts bounds the turns whose context is remembered at once.
const maxContexts = 10_000

func (r *reader) context(p *rollout.TurnContext) {
	r.last = turnContext{p.Model, p.CWD}
	if r.contexts == nil || len(r.contexts) == maxContexts {
		r.contexts = make(map[string]turnContext)
	}
	if p.TurnID != "" {
		r.contexts[p.TurnID] = r.last
	}
}

// rolloutLine makes an entry of a line as rollouts have it.
func (r *reader) rolloutLine(text []byte, env *rollout.Envelope) (*Entry, error) {
	f, err := r.whole()
	if err != nil {
		return nil, err
	}
	p := rollout.Decode(env, text)
	turn := ""
	if ic, ok := p.(*rollout.ItemCompleted); ok {
		p, turn = ic.Item, ic.TurnID
	}
	if u, ok := p.(*rollout.Unknown); ok {
		r.note(interchange.UnknownRecord, fmt.Sprintf("type %.40q is not known", u.Name))
		return nil, nil
	}
	e := r.begin(Rollout)
	e.ThreadID, e.Project, e.Provider, e.Event.TurnID = f.id, f.cwd, f.provider, turn
	if !r.said(e, f, p) {
		return nil, nil
	}
	at, why := lineTime(text)
	if why != "" {
		r.note(interchange.InvalidTimestamp, why)
		return nil, nil
	}
	e.Event.Time = at
	if e.Event.Kind == transcript.Usage && !r.counted(e, p, env) {
		return nil, nil
	}
	return r.finish(e)
}

// said makes the event of a payload; false where it has none.
func (r *reader) said(e *Entry, f *facts, p rollout.Payload) bool {
	ev := &e.Event
	switch p := p.(type) {
	case *rollout.UserMessageEvent:
		ev.Kind, ev.Text = transcript.User, p.Message.String()
		e.words()
	case *rollout.UserMessage:
		ev.Kind, ev.Text = transcript.User, p.Content.Text()
		e.words()
	case *rollout.AgentMessageEvent:
		ev.Kind, ev.Text, ev.Phase = transcript.Assistant, p.Message.String(), p.Phase
	case *rollout.AssistantMessage:
		ev.Kind, ev.Text, ev.Phase = transcript.Assistant, p.Content.Text(), p.Phase
	case *rollout.Message:
		return r.message(e, f, p)
	case *rollout.ToolCall:
		e.Response = true
		ev.Kind, ev.Tool, ev.Namespace, ev.CallID, ev.Arguments = transcript.ToolCall, p.Name, p.Namespace, p.CallID, p.Input()
		ev.TurnID = p.Meta().TurnID
		if ev.Tool == "" {
			ev.Tool = "unknown"
		}
	case *rollout.LocalShellCall:
		e.Response = true
		ev.Kind, ev.Tool, ev.CallID, ev.Arguments = transcript.ToolCall, "local_shell", p.CallID, string(p.Action.Command)
		ev.TurnID = p.Meta().TurnID
	case *rollout.TurnContext:
		r.context(p)
		return false
	case *rollout.TokenCount:
		if !p.Info.OK {
			r.counts.UsageWithoutInfo++
			return false
		}
		ev.Kind = transcript.Usage
	case *rollout.TokenUsageRecord:
		ev.Kind = transcript.Usage
	default:
		return false
	}
	return true
}

// message takes a message item: where events show what was said, it repeats one
// or is context.
func (r *reader) message(e *Entry, f *facts, m *rollout.Message) bool {
	ev := &e.Event
	e.Response = true
	ev.Text, ev.Phase, ev.ItemID, ev.TurnID = m.Content.Text(), m.Phase, m.Meta().ID, m.Meta().TurnID
	switch m.Role {
	case "user":
		words, ok := personsWords(m)
		switch {
		case f.users && !ok:
			r.counts.Context++
			return false
		case f.users:
			r.counts.MirroredUsers++
			r.counts.MirroredResponses++
			return false
		}
		if ev.Kind = transcript.User; ok {
			ev.Text = words
			e.typed()
		}
	case "assistant":
		if f.answers {
			r.counts.MirroredResponses++
			return false
		}
		ev.Kind = transcript.Assistant
	default:
		r.counts.Context++
		return false
	}
	return true
}

// personsWords gives the words of the person among the blocks of a user item:
// by the kinds that are recorded, else by how a block opens. It reports false
// where there are none.
func personsWords(m *rollout.Message) (words string, ok bool) {
	kinds := m.Meta().Kinds.Strings()
	var b strings.Builder
	for i, block := range m.Content.All() {
		if block.Kind != rollout.BlockText {
			continue
		}
		text := block.Text.String()
		injected := transcript.Injected(text)
		if i < len(kinds) && kinds[i] != "" && kinds[i] != "unknown" {
			injected = !strings.HasPrefix(kinds[i], "user.")
		}
		if !injected {
			b.WriteString(text)
			ok = true
		}
	}
	return b.String(), ok
}

// counted takes the counters of a line that tells of tokens.
func (r *reader) counted(e *Entry, p rollout.Payload, env *rollout.Envelope) bool {
	ev := &e.Event
	usage, turn := env.Payload.Get("info").Get("total_token_usage"), r.last
	if p, ok := p.(*rollout.TokenUsageRecord); ok {
		usage = env.Payload.Get("usage")
		ev.TurnID, e.ResponseID = p.TurnID, p.ResponseID
		if p.ThreadID != "" {
			e.ThreadID = p.ThreadID
		}
		if p.TurnID != "" {
			turn = r.contexts[p.TurnID]
		}
		if why := interchange.CheckResponseID(p.ResponseID); why != "" {
			r.note(interchange.InvalidUsage, why)
			return false
		}
	} else {
		e.Snapshot = true
	}
	u, why := interchange.ParseUsage(usage)
	if why != "" {
		r.note(interchange.InvalidUsage, why)
		return false
	}
	ev.ItemID, ev.Model, ev.Usage = e.ResponseID, turn.model, &u.TokenUsage
	e.NoCached, e.NoReasoning = u.NoCached, u.NoReasoning
	if turn.cwd != "" {
		e.Project = turn.cwd
	}
	return true
}
