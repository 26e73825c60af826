package dsh

import (
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// flushAt is how much is gathered before it is written.
const flushAt = 32 << 10

// An encoder writes JSON as the harness does: members in a fixed order, no
// blanks, no escape that is not needed. A text of any length is written in
// pieces, so a line is never held whole.
type encoder struct {
	w   io.Writer
	buf []byte
	err error // the first
}

func (e *encoder) lit(s string) {
	e.buf = append(e.buf, s...)
	if len(e.buf) >= flushAt {
		e.flush()
	}
}

func (e *encoder) int(n int64) { e.buf = strconv.AppendInt(e.buf, n, 10) }

// str writes s as a JSON string. What is no UTF-8 becomes U+FFFD.
func (e *encoder) str(s string) {
	e.lit(`"`)
	for s != "" {
		n := whole(s)
		at := len(e.buf)
		// Each piece comes in quotes, which are taken away again. The error
		// only tells of what was replaced.
		quoted, _ := jsontext.AppendQuote(e.buf, s[:n])
		copy(quoted[at:], quoted[at+1:])
		e.buf = quoted[:len(quoted)-2]
		e.lit("")
		s = s[n:]
	}
	e.lit(`"`)
}

// whole is how many bytes of s make the next piece: it ends between two runes.
func whole(s string) int {
	if len(s) <= flushAt {
		return len(s)
	}
	n := flushAt
	for n > flushAt-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

func (e *encoder) flush() {
	if e.err == nil {
		_, e.err = e.w.Write(e.buf)
	}
	e.buf = e.buf[:0]
}

func (e *encoder) header(h Header) {
	e.lit(`{"type":"session","version":3,"id":`)
	e.str(h.ID)
	e.lit(`,"createdAt":`)
	e.int(h.CreatedAt)
	if h.Cwd != "" {
		e.lit(`,"cwd":`)
		e.str(h.Cwd)
	}
	e.lit(`,"isSeeded":false,"delegationDepth":0`)
	if h.AgentPreset != "" {
		e.lit(`,"agentPreset":`)
		e.str(h.AgentPreset)
	}
	e.lit("}\n")
}

func (e *encoder) event(seq int, ev *Event) {
	e.lit(`{"type":"`)
	e.lit(ev.Data.kind())
	e.lit(`","seq":`)
	e.int(int64(seq))
	e.lit(`,"time":`)
	e.int(ev.Time)
	e.lit(`,"data":{`)
	ev.Data.encode(e)
	e.lit(`}`)
	if s, ok := ev.Data.(surfacer); ok {
		s.surface(e)
	}
	e.lit("}\n")
}

// A surfacer is Data of an event on the surface: what the model is given. It
// writes the members of the line that say so.
type surfacer interface{ surface(e *encoder) }

func (SystemHead) surface(e *encoder)       { e.appended() }
func (UserMessage) surface(e *encoder)      { e.appended() }
func (AssistantMessage) surface(e *encoder) { e.appended() }

func (d ToolResult) surface(e *encoder) {
	e.appended()
	e.lit(`,"sourceEventSeqs":[`)
	e.int(int64(d.CallSeq))
	e.lit(`]`)
}

func (e *encoder) appended() { e.lit(`,"surfaceOp":"append"`) }

func (d PermissionPreset) encode(e *encoder) { e.member("preset", d.Preset) }
func (d SandboxMode) encode(e *encoder)      { e.member("mode", d.Mode) }
func (d ApprovalPolicy) encode(e *encoder)   { e.member("policy", d.Policy) }

func (d TurnStart) encode(e *encoder) { e.turn(d.Turn) }
func (d StepStart) encode(e *encoder) { e.step(d.Turn, d.Step) }
func (d StepEnd) encode(e *encoder)   { e.step(d.Turn, d.Step) }

func (d TurnEnd) encode(e *encoder) {
	e.turn(d.Turn)
	e.lit(`,"reason":{`)
	e.member("kind", string(d.Reason))
	e.lit(`}`)
}

// headPlugin is who owns the system head.
const headPlugin = "@deepseek-ai/dsh-system-prompt"

func (d SystemHead) encode(e *encoder) {
	e.step(d.Turn, d.Step)
	e.lit(`,"message":{`)
	e.member("id", d.ID)
	e.lit(`,"role":"system","source":{"kind":"plugin","plugin":"` + headPlugin + `"},"content":[]}`)
}

func (d UserMessage) encode(e *encoder) {
	e.member("id", d.ID)
	e.lit(`,"role":"user","source":{"kind":"user"},"content":`)
	e.blocks(d.Content)
}

func (d AssistantMessage) encode(e *encoder) {
	e.step(d.Turn, d.Step)
	e.lit(`,"message":{`)
	e.member("id", d.ID)
	e.lit(`,"role":"assistant","source":{"kind":"model",`)
	e.member("provider", d.Provider)
	e.lit(`,`)
	e.member("model", d.Model)
	e.lit(`},"content":`)
	e.blocks(d.Content)
	e.lit(`},"stream":[]`)
}

func (d ToolCall) encode(e *encoder) {
	e.step(d.Turn, d.Step)
	e.lit(`,`)
	e.member("callId", d.ID)
	e.lit(`,`)
	e.member("name", d.Name)
	e.lit(`,`)
	e.member("arguments", d.Arguments)
}

func (d ToolResult) encode(e *encoder) {
	e.step(d.Turn, d.Step)
	e.lit(`,"message":{`)
	e.member("id", d.ID)
	e.lit(`,"role":"user","source":{"kind":"tool",`)
	e.member("callId", d.CallID)
	e.lit(`},"content":[{"type":"tool-result",`)
	e.member("toolCallId", d.CallID)
	e.lit(`,"content":`)
	e.blocks(d.Content)
	e.lit(`,"isError":` + strconv.FormatBool(d.IsError) + `}]}`)
}

func (d Title) encode(e *encoder) {
	e.member("title", d.Title)
	e.lit(`,"messageSeqs":[`)
	for i, seq := range d.Messages {
		if i > 0 {
			e.lit(`,`)
		}
		e.int(int64(seq))
	}
	kind := "fallback"
	if len(d.Messages) == 0 {
		kind = "user"
	}
	e.lit(`],"source":{"kind":"` + kind + `"}`)
}

func (b Text) encode(e *encoder) { e.lit(`{"type":"text",`); e.member("text", b.Text); e.lit(`}`) }
func (b Reasoning) encode(e *encoder) {
	e.lit(`{"type":"reasoning",`)
	e.member("text", b.Text)
	e.lit(`}`)
}

func (b Call) encode(e *encoder) {
	e.lit(`{"type":"tool-call",`)
	e.member("id", b.ID)
	e.lit(`,`)
	e.member("name", b.Name)
	e.lit(`,`)
	e.member("arguments", b.Arguments)
	e.lit(`}`)
}

func (b Image) encode(e *encoder) {
	e.lit(`{"type":"image","attachment":{`)
	e.member("attachmentId", b.ID)
	e.lit(`,`)
	e.member("mediaType", b.MediaType)
	e.size(b.Width, b.Height)
	e.lit(`,"bytes":`)
	e.int(b.Bytes)
	if b.Name != "" {
		e.lit(`,`)
		e.member("name", b.Name)
	}
	if b.OriginalWidth > 0 {
		e.lit(`,"originalDimensions":{"width":`)
		e.int(int64(b.OriginalWidth))
		e.lit(`,"height":`)
		e.int(int64(b.OriginalHeight))
		e.lit(`}`)
	}
	e.lit(`}}`)
}

func (e *encoder) size(width, height int) {
	e.lit(`,"width":`)
	e.int(int64(width))
	e.lit(`,"height":`)
	e.int(int64(height))
}

// member writes "name":"value"; names need no escape.
func (e *encoder) member(name, value string) {
	e.lit(`"`)
	e.lit(name)
	e.lit(`":`)
	e.str(value)
}

func (e *encoder) turn(turn int) {
	e.lit(`"turn":`)
	e.int(int64(turn))
}

func (e *encoder) step(turn, step int) {
	e.turn(turn)
	e.lit(`,"step":`)
	e.int(int64(step))
}

func (e *encoder) blocks(list []Block) {
	e.lit(`[`)
	for i, b := range list {
		if i > 0 {
			e.lit(`,`)
		}
		b.encode(e)
	}
	e.lit(`]`)
}
