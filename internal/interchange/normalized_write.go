package interchange

import (
	"io"

	"rollbook/internal/transcript"
)

// unassigned stands for the project of a thread that has none.
const unassigned = "unassigned"

// NormalizedOptions says what a NormalizedWriter takes in.
type NormalizedOptions struct {
	// All also writes injected context of the user's role, as natural false.
	All bool
}

// A NormalizedWriter writes threads in the normalized format
// (docs/format/interchange.md, "normalized").
type NormalizedWriter struct {
	out encoder
	opt NormalizedOptions
}

var _ transcript.Sink = (*NormalizedWriter)(nil)

// NewNormalizedWriter writes to w, which needs no buffer.
func NewNormalizedWriter(w io.Writer, opt NormalizedOptions) *NormalizedWriter {
	return &NormalizedWriter{encoder{w: w}, opt}
}

// Write writes one line for each message and tool call of the thread. It ranges
// over the events once, and has written everything when it returns. What came
// before an error of the thread is written.
func (w *NormalizedWriter) Write(t *transcript.Thread) error {
	return w.out.events(t, w.event)
}

// event writes the line of an event, if it has one.
func (w *NormalizedWriter) event(t *transcript.Thread, ev *transcript.Event) {
	switch ev.Kind {
	case transcript.User:
		words, wrapped := transcript.Unwrap(ev.Text)
		if wrapped && words == "" { // nobody's words: as good as injected
			w.injected(t, ev)
			return
		}
		w.line(t, ev, "user", words, true)
	case transcript.Context:
		if ev.Role == "" || ev.Role == "user" {
			w.injected(t, ev)
		}
	case transcript.Assistant:
		w.line(t, ev, "assistant", ev.Text, false)
	case transcript.ToolCall:
		w.line(t, ev, "tool", ev.Arguments, false)
	}
}

func (w *NormalizedWriter) injected(t *transcript.Thread, ev *transcript.Event) {
	if w.opt.All {
		w.line(t, ev, "user", ev.Text, false)
	}
}

func (w *NormalizedWriter) line(t *transcript.Thread, ev *transcript.Event, role, text string, natural bool) {
	o := &w.out
	o.lit(`{"thread_id":`)
	o.str(t.ID)
	o.lit(`,"timestamp":`)
	o.time(ev.Time)
	o.lit(`,"role":"`)
	o.lit(role)
	o.lit(`","text":`)
	o.str(text)
	o.lit(`,"project":`)
	if t.Project == "" {
		o.lit(`"` + unassigned + `"`)
	} else {
		o.str(t.Project)
	}
	if role == "tool" {
		o.lit(`,"tool":`)
		o.text(qualified(ev.Namespace, ev.Tool))
	}
	o.lit(`,"turn_id":`)
	o.text(ev.TurnID)
	if role == "user" {
		o.lit(`,"natural":`)
		o.bool(natural)
	}
	o.lit(`,"inherited":`)
	o.bool(ev.Inherited)
	o.lit(`,"origin":"`)
	o.lit(ev.Origin.String())
	o.lit(`","source":`)
	o.source(ev.Source)
	o.lit("}\n")
	if len(o.buf) >= flushAt {
		o.flush()
	}
}

// qualified gives a tool's name with its namespace before it.
func qualified(namespace, tool string) string {
	if namespace == "" {
		return tool
	}
	return namespace + "." + tool
}
