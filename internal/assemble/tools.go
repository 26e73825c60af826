package assemble

import (
	"fmt"
	"strings"
	"time"

	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// An ending is what a completion says of a call.
type ending struct {
	tool, namespace, arguments string
	dir, status, item          string // of a session

	output   string
	exit     *int
	duration *time.Duration
	isError  *bool
	changes  []transcript.FileChange
	images   []transcript.Image

	at transcript.Event // place, time and marks of the record
}

// noOutput is the text of a result that is made for a call whose output is not
// in the log.
const noOutput = "no output of this call is recorded"

// noCall is the name of a call that is made for an output whose call is not in
// the log.
const noCall = "unknown"

// webSearch pairs web searches that have no id (before 0.147) with the event
// before them, which has one, by what was searched.
type webSearch struct {
	id     string
	action string
	n      int32 // the event's record
	blind  bool  // an event before the mark that reading began at waits for its call
}

// A callName is the id that a record's call goes by.
type callName struct {
	id    string
	role  role
	event int32 // the record that the id was taken from, if it is another one
	made  bool  // the record has none: it is named by its place
	blind bool  // the id may stand before the mark that reading began at
}

// callName gives the call of a payload, also where its id must be taken from the
// record before or made.
func (w *webSearch) callName(rec record, p rollout.Payload) (c callName, ok bool) {
	c.id, c.role, ok = callID(p)
	search, is := p.(*rollout.WebSearch)
	if item, done := p.(*rollout.ItemCompleted); done {
		search, is = item.Item.(*rollout.WebSearch)
	}
	if is {
		action := actionKey(search.Action)
		switch {
		case c.role == isEnd:
			*w = webSearch{id: c.id, action: action, n: rec.n}
		case !ok && w.action == action && w.id != "":
			c.id, c.event, ok = w.id, w.n, true
			w.id = ""
		case !ok:
			c.blind = w.blind
		}
	}
	if !ok && isCallOrOutput(p) {
		c.id, c.made = fmt.Sprintf("%s@%d.%d", p.Type(), rec.Line, rec.Offset), true
		return c, true
	}
	return c, ok
}

func isCallOrOutput(p rollout.Payload) bool {
	switch p.Type() {
	case rollout.ItemFunctionCall, rollout.ItemCustomToolCall, rollout.ItemLocalShellCall, rollout.ItemToolSearchCall,
		rollout.ItemWebSearchCall, rollout.ItemImageGenerationCall, rollout.ItemFunctionCallOutput,
		rollout.ItemCustomToolCallOutput, rollout.ItemToolSearchOutput:
		return true
	}
	return false
}

func actionKey(a rollout.WebAction) string {
	return a.Type + "\x00" + a.Query.String() + "\x00" + a.URL.String() + "\x00" + a.Pattern.String()
}

// tool gives the events of a call, an output or a completion. It reports false
// for other payloads.
func (e *emitter) tool(p rollout.Payload) bool {
	c, ok := e.search.callName(e.rec, p)
	if !ok {
		return false
	}
	id, r := c.id, c.role
	i := e.sv.calls.find(r, e.rec.n)
	if i < 0 {
		e.fragment(p)
		return true // an earlier completion of a call that has a later one, or a record that grew since the survey
	}
	k := &e.sv.calls.all[i]
	e.unnamed = c.made && e.sv.session
	defer func() { e.unnamed = false }()
	switch r {
	case isCall:
		e.call(id, i, k, p)
	case isOutput:
		e.output(id, i, k, p.(*rollout.ToolOutput))
	default:
		e.ending(id, i, k, p)
	}
	return true
}

// call sends a call, and its result where no later record holds one.
func (e *emitter) call(id string, i int32, c *call, p rollout.Payload) {
	ev := e.event(transcript.ToolCall, transcript.Recorded)
	ev.CallID = id
	var images []transcript.Image
	shellCall := ""
	switch p := p.(type) {
	case *rollout.ToolCall:
		ev.Tool, ev.Namespace, ev.Arguments, ev.ItemID = orElse(p.Name, p.Type().String()), p.Namespace, p.Input(), p.ID
		if e.sv.session {
			ev.Tool, ev.Arguments = p.Name, orElse(ev.Arguments, argumentsOf(e.rec.Envelope.Payload))
		}
	case *rollout.LocalShellCall:
		ev.Tool, ev.Arguments, ev.ItemID = "local_shell", string(p.Action.Command), p.ID
		if e.sv.session {
			shellCall = otherShell(e.rec)
		}
	case *rollout.WebSearch:
		ev.Tool, ev.Arguments, ev.ItemID = "web_search", webText(p), p.ID
	case *rollout.ImageGeneration:
		ev.Tool, ev.Arguments, ev.ItemID = "image_generation", p.Prompt.String(), p.ID
		images = e.generated(p)
	}
	e.ev.ItemType = orElse(shellCall, e.itemType(p))
	e.send()
	switch {
	case e.visible(c.output):
	case len(images) > 0:
		ev := e.event(transcript.ToolResult, transcript.Recorded)
		ev.CallID, ev.Images = id, images
		e.send()
	case e.endings[i] != nil:
		e.endingResult(id, e.endings[i], transcript.Recovered)
		delete(e.endings, i)
	case e.visible(c.end) && c.end > e.rec.n:
	default:
		e.madeResult(id, noOutput)
	}
}

func (e *emitter) madeResult(id, text string) {
	ev := e.event(transcript.ToolResult, transcript.Synthetic)
	ev.CallID, ev.Output = id, text
	e.send()
}

// output sends a result, with what a completion before it said.
func (e *emitter) output(id string, i int32, c *call, p *rollout.ToolOutput) {
	if !e.visible(c.call) {
		ev := e.event(transcript.ToolCall, transcript.Synthetic)
		ev.CallID, ev.Tool, ev.Namespace = id, orElse(p.Name, noCall), p.Namespace
		e.send()
	}
	text := p.Output.String()
	if !p.Output.OK() {
		text = e.blocksText(p.Blocks)
	}
	if len(p.Tools) > 0 && text == "" {
		text = string(p.Tools)
	}
	found := readOutput(text)
	ev := e.event(transcript.ToolResult, transcript.Recorded)
	ev.CallID, ev.Output, ev.ItemID = id, found.text, p.ID
	ev.ExitCode, ev.Duration, ev.IsError = found.exit, found.duration, found.isError
	ev.Images = e.images(p.Blocks)
	if end := e.endings[i]; end != nil {
		delete(e.endings, i)
		enrich(ev, end)
		if e.sv.session && ev.Output == "" && len(ev.Images) == 0 {
			ev.Output = end.output // spec: dsh, 8: the text of the output wins where it has one
		}
	}
	if e.sv.session {
		if c.failed && c.end > e.rec.n { // the completion behind it says so
			ev.IsError = &c.failed
		}
		ev.Outcome = orElse(p.Status, ev.Outcome)
		ev.ItemType, ev.Record = e.itemType(p), otherOutput(e.rec.Envelope.Payload)
	}
	e.send()
}

func enrich(ev *transcript.Event, end *ending) {
	if end.exit != nil {
		ev.ExitCode = end.exit
	}
	if end.duration != nil {
		ev.Duration = end.duration
	}
	if end.isError != nil {
		ev.IsError = end.isError
	}
	ev.Changes, ev.Outcome = end.changes, end.status
}

// ending takes a completion. Before the output of its call it is kept for
// it; in place of an output it is the result; without a call it is both; and
// behind the output it is a notice, for then it says more than the model was
// told (F17: commands in the background).
func (e *emitter) ending(id string, i int32, c *call, p rollout.Payload) {
	end := e.readEnding(p)
	end.isError = failure(p)
	if e.sv.session {
		if end.output == "" {
			end.output = e.fragments[i]
		}
		delete(e.fragments, i)
		end.dir, end.status = completion(p)
		end.item = e.itemType(p)
		end.arguments = orElse(asRecorded(p, e.rec.Envelope.Payload), end.arguments)
	}
	end.at = *e.event(transcript.ToolResult, transcript.Recorded)
	switch {
	case !e.visible(c.call) && !e.visible(c.output):
		ev := e.event(transcript.ToolCall, transcript.Recorded)
		ev.CallID, ev.Tool, ev.Namespace, ev.Arguments = id, end.tool, end.namespace, end.arguments
		ev.ItemType, ev.Dir = end.item, end.dir
		e.send()
		e.endingResult(id, end, transcript.Recorded)
	case len(e.endings) < maxEndings && (c.call > e.rec.n && e.visible(c.call) || c.output > e.rec.n && e.visible(c.output)):
		e.keepEnding(i, end)
	case !e.visible(c.output) && c.call < e.rec.n:
		if p.Type() == rollout.TurnItemWebSearch || p.Type() == rollout.EventWebSearchEnd || p.Type() == rollout.TurnItemImageGeneration || p.Type() == rollout.EventImageGenerationEnd {
			if e.resultSent(c) {
				return
			}
		}
		e.endingResult(id, end, transcript.Recovered)
	default:
		ev := e.event(transcript.Notice, transcript.Recorded)
		ev.Status, ev.CallID, ev.Text = "tool_end", id, end.output
		enrich(ev, end)
		e.send()
	}
}

// fragment keeps what a completion says that a later one takes the place of, in a
// session: parts of an output one behind the other, else the last text.
func (e *emitter) fragment(p rollout.Payload) {
	i := e.sv.calls.of(e.rec.n)
	if !e.sv.session || i < 0 || len(e.fragments) >= maxEndings {
		return
	}
	text := e.readEnding(p).output
	if _, part := p.(*rollout.Fragment); part {
		text = e.fragments[i] + text
	}
	if text == "" || len(text) > maxEndingText {
		return
	}
	if e.fragments == nil {
		e.fragments = make(map[int32]string)
	}
	e.fragments[i] = text
}

// resultSent reports whether a call that carries its own result was sent with
// it already.
func (e *emitter) resultSent(c *call) bool {
	return c.call != 0 && c.call < e.rec.n && c.end != e.rec.n
}

// maxEndings bounds the completions that wait for outputs. One more is not kept
// for its output but sent as it is.
const maxEndings = 256

// maxEndingText is how long a text may be that is kept for an output without one.
const maxEndingText = 64 << 10

func (e *emitter) keepEnding(i int32, end *ending) {
	end.arguments = "" // the call has its own
	if e.visible(e.sv.calls.all[i].output) {
		end.images = nil // so has the output
		if !e.sv.session || len(end.output) > maxEndingText {
			end.output = ""
		}
	}
	e.endings[i] = end
}

func (e *emitter) endingResult(id string, end *ending, origin transcript.Origin) {
	if end.output == "" && end.exit == nil && end.changes == nil && end.images == nil && end.isError == nil {
		e.madeResult(id, noOutput)
		return
	}
	e.ev = end.at
	e.ev.Origin, e.ev.CallID, e.ev.Output, e.ev.Images = origin, id, end.output, end.images
	enrich(&e.ev, end)
	e.send()
}

// webText says what was searched, as the recorded JSON would.
func webText(p *rollout.WebSearch) string {
	a := p.Action
	switch a.Type {
	case "open_page":
		return a.URL.String()
	case "find_in_page":
		return a.Pattern.String() + " in " + a.URL.String()
	}
	if !a.Query.Empty() {
		return a.Query.String()
	}
	if queries := a.Queries.Strings(); len(queries) > 0 {
		return strings.Join(queries, "\n")
	}
	return p.Query.String()
}
