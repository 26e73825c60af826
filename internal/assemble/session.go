package assemble

import (
	"context"
	"fmt"
	"strings"

	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// SessionOptions says what of a thread becomes a session of another program.
type SessionOptions struct {
	// Full takes the whole active view; else the session begins where the model
	// view does.
	Full bool
	// RolledBack takes also what a rollback or a revert took away, each turn at
	// its place in time and marked as such.
	RolledBack bool
}

// Session surveys a thread as a session of another program takes it: the model
// view, or the active one, with what only converters ask for. Messages that
// stand in the replacement history of a compaction only come at its place.
func (l *Library) Session(ctx context.Context, id string, opt SessionOptions) (*transcript.Thread, error) {
	g := l.threads[id]
	if g == nil {
		return nil, fmt.Errorf("thread %s: not found", id)
	}
	reader := *l
	l = &reader
	l.alias = true
	spans := l.chain(g)
	if opt.RolledBack {
		spans = l.whole(g, spans)
	}
	sv, err := l.survey(ctx, g, spans)
	if err != nil {
		return nil, err
	}
	if opt.RolledBack {
		if err := l.markReverted(ctx, g, sv); err != nil {
			return nil, err
		}
		sv.findWindow()
	}
	view := transcript.Model
	if opt.Full {
		view = transcript.Active
	}
	left, err := l.leftOut(ctx, g, sv, view, opt)
	if err != nil {
		return nil, err
	}
	sv.session, sv.keep = true, opt.RolledBack
	t := &transcript.Thread{Meta: l.meta(g, sv, view), View: view}
	t.LeftOut = left
	t.Events = func(yield func(*transcript.Event, error) bool) { l.events(ctx, sv, view, yield) }
	return t, nil
}

// whole gives the spans of a chain with what reverts took away: after what is
// inherited every file of the thread, whole, in the order in which they were
// begun. A file that another one took the place of is not of the thread.
func (l *Library) whole(g *group, chain []span) []span {
	var spans []span
	gaps := make(map[string]string)
	for _, s := range chain {
		if s.inherited {
			spans = append(spans, s)
		}
		gaps[s.ref.Path] = s.gap
	}
	for _, ref := range g.files {
		if l.files[ref.FileID()] == ref {
			s := newSpan(ref)
			s.gap = gaps[ref.Path]
			spans = append(spans, s)
		}
	}
	return spans
}

// leftOut counts the turns that the view leaves out.
func (l *Library) leftOut(ctx context.Context, g *group, sv *survey, view transcript.View, opt SessionOptions) (left transcript.LeftOut, err error) {
	for i := range sv.turns.all {
		n := sv.turns.all[i].start
		if view == transcript.Model && sv.visible(transcript.Active, n) && !sv.visible(transcript.Model, n) {
			left.Windowed++
		}
	}
	if opt.RolledBack {
		return left, nil
	}
	if len(g.files) > 1 { // reverts leave turns in files, or parts of them, that the view does not read
		quiet := l.with(nil, nil)
		if sv, err = quiet.survey(ctx, g, quiet.whole(g, quiet.chain(g))); err == nil {
			err = quiet.markReverted(ctx, g, sv)
		}
		if err != nil {
			return left, err
		}
	}
	for i := range sv.turns.all {
		if sv.rolled.has(sv.turns.all[i].start) {
			left.RolledBack++
		}
	}
	return left, nil
}

// decode gives the payload of a record. A session also takes types that are
// spelled as other programs spell them.
func (l *Library) decode(rec record) rollout.Payload {
	p := rollout.Decode(&rec.Envelope, rec.Text)
	if !l.alias {
		return p
	}
	var again rollout.Payload
	if u, ok := p.(*rollout.Unknown); ok {
		again = rollout.Alias(u)
	} else if ofCall(p) && !namesCall(p) {
		again = rollout.Respell(p, rec.Envelope.Payload, namesCall)
	}
	if again != nil {
		return again
	}
	return p
}

func namesCall(p rollout.Payload) bool {
	_, _, ok := callID(p)
	return ok
}

// ofCall reports whether a payload is a call, its output or its completion.
func ofCall(p rollout.Payload) bool {
	switch p.(type) {
	case *rollout.CommandExecution, *rollout.FileChange, *rollout.MCPToolCall, *rollout.DynamicToolCall:
		return true
	}
	return isCallOrOutput(p)
}

// inlineCalls sends the calls that an assistant's message holds among its
// blocks, as other programs write them. Their results are records of their own.
func (e *emitter) inlineCalls(m *rollout.Message) {
	if !e.sv.session || m.Role != "assistant" {
		return
	}
	for _, b := range m.Content.All() {
		if b.Kind != rollout.BlockUnknown {
			continue
		}
		switch rollout.FoldName(b.Type) {
		case "tooluse", "toolcall", "functioncall":
		default:
			continue
		}
		ev := e.event(transcript.ToolCall, transcript.Recorded)
		ev.ItemType, ev.Tool, ev.CallID = "function_call", b.Name, first(b.Raw, "call_id", "callId", "tool_use_id", "id")
		args := b.Raw.Get("input")
		if args == nil {
			args = b.Raw.Get("arguments")
		}
		if text, ok := args.Text(); ok {
			ev.Arguments = text
		} else {
			ev.Arguments = orElse(string(args), "{}")
		}
		e.send()
	}
}

// first is the first of the members that is a string.
func first(object rollout.Raw, keys ...string) string {
	for _, key := range keys {
		if s, ok := object.Get(key).Text(); ok && s != "" {
			return s
		}
	}
	return ""
}

// argumentsOf are the arguments of a call that are no string, as other programs
// write them.
func argumentsOf(payload rollout.Raw) string {
	for _, key := range []string{"arguments", "input"} {
		if v := payload.Get(key); v.IsObject() || v.IsArray() {
			return string(v)
		}
	}
	return ""
}

// asRecorded is what an item did, as other programs write it: a command as one
// string, changes as a list.
func asRecorded(p rollout.Payload, payload rollout.Raw) string {
	if item := payload.Get("item"); item.IsObject() {
		payload = item
	}
	switch p.(type) {
	case *rollout.CommandExecution:
		if v := payload.Get("command"); v.IsString() {
			return string(v)
		}
	case *rollout.FileChange:
		if v := payload.Get("changes"); v.IsArray() {
			return string(v)
		}
	}
	return ""
}

// otherShell is the type of a call of a shell that is not Codex's local_shell.
func otherShell(rec record) string {
	if name, _ := rec.Envelope.PayloadType.Text(); rollout.FoldName(name) == "shellcall" {
		return "shell_call"
	}
	return ""
}

// otherOutput is the payload of an output that tells it by other members than
// Codex does, or in another form; empty for one of Codex's own.
func otherOutput(payload rollout.Raw) string {
	for w := payload.Object(); ; {
		key, value, ok := w.Next()
		if !ok {
			return ""
		}
		switch name, _ := key.Text(); name {
		case "output":
			if value.IsString() || value.IsArray() || value.IsNull() {
				continue
			}
		case "formatted_output", "aggregated_output", "aggregatedOutput", "stdout", "stderr", "result", "content", "content_items",
			"contentItems", "body", "text", "success", "error", "exit_code", "exitCode", "item", "event", "data":
		default:
			continue
		}
		return string(payload)
	}
}

// blocksText is the text of blocks of an output: for a session one line after
// the other (spec: dsh, 8), else joined with nothing, as Codex joins them.
func (e *emitter) blocksText(b rollout.Blocks) string {
	if !e.sv.session {
		return b.Text()
	}
	var lines []string
	for _, block := range b.All() {
		if block.Kind == rollout.BlockText {
			lines = append(lines, block.Text.String())
		}
	}
	return strings.Join(lines, "\n")
}

// itemType is the type of the record of a call, by which a converter names it.
func (e *emitter) itemType(p rollout.Payload) string {
	if !e.sv.session {
		return ""
	}
	return p.Type().String()
}

// completion gives of a completion what only converters ask for.
func completion(p rollout.Payload) (dir, status string) {
	switch p := p.(type) {
	case *rollout.CommandExecution:
		return p.CWD, p.Status
	case *rollout.FileChange:
		return "", p.Status
	case *rollout.MCPToolCall:
		return "", p.Status
	case *rollout.DynamicToolCall:
		return "", p.Status
	case *rollout.WebSearch:
		return "", p.Status
	case *rollout.ImageGeneration:
		return "", p.Status
	case *rollout.CollabCall:
		return "", p.CallStatus
	case *rollout.ToolOutput:
		return "", p.Status
	}
	return "", ""
}
