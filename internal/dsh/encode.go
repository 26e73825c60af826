package dsh

import (
	"io"
	"strconv"
	"unicode/utf8"
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
		if len(e.buf) >= flushAt {
			e.flush()
		}
		if n := plainRun(s[:min(len(s), flushAt)]); n > 0 {
			e.lit(s[:n])
			s = s[n:]
			continue
		}
		if c := s[0]; c < utf8.RuneSelf {
			e.escape(c)
			s = s[1:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		e.buf = utf8.AppendRune(e.buf, r)
		s = s[n:]
	}
	e.lit(`"`)
}

// plainRun is how many bytes at the start of s are ASCII that JSON does not
// escape. Outputs have an escape in every line and little else, so that eight
// bytes are looked at at a time.
func plainRun(s string) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; n+8 <= len(s); n += 8 {
		x := eight(s[n:])
		quote, slash := x^ones*'"', x^ones*'\\'
		odd := x | (x - ones*0x20) | (quote - ones) | (slash - ones) // a high bit for each byte that may not be plain
		if odd&highs != 0 {
			break
		}
	}
	for n < len(s) && s[n] >= 0x20 && s[n] < utf8.RuneSelf && s[n] != '"' && s[n] != '\\' {
		n++
	}
	return n
}

// escape writes a byte of ASCII that does not stand for itself in a string.
func (e *encoder) escape(c byte) {
	const digits = "0123456789abcdef"
	switch c {
	case '"', '\\':
		e.buf = append(e.buf, '\\', c)
	case '\b':
		e.buf = append(e.buf, `\b`...)
	case '\f':
		e.buf = append(e.buf, `\f`...)
	case '\n':
		e.buf = append(e.buf, `\n`...)
	case '\r':
		e.buf = append(e.buf, `\r`...)
	case '\t':
		e.buf = append(e.buf, `\t`...)
	default:
		e.buf = append(e.buf, `\u00`...)
		e.buf = append(e.buf, digits[c>>4], digits[c&15])
	}
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
