package interchange

import (
	"io"

	"rollbook/internal/transcript"
)

// kindThread is the kind of the line that opens a thread.
const kindThread = "thread"

// An EventsWriter writes threads in the events format
// (docs/format/interchange.md, "events").
type EventsWriter struct{ out encoder }

var _ transcript.Sink = (*EventsWriter)(nil)

// NewEventsWriter writes to w, which needs no buffer.
func NewEventsWriter(w io.Writer) *EventsWriter {
	return &EventsWriter{encoder{w: w}}
}

// Write writes the line of the thread and one line for each of its events. It
// ranges over the events once, and has written everything when it returns. What
// came before an error of the thread is written.
func (w *EventsWriter) Write(t *transcript.Thread) error {
	w.thread(t)
	return w.out.events(t, w.event)
}

// thread writes the line that opens a thread.
func (w *EventsWriter) thread(t *transcript.Thread) {
	o := &w.out
	o.lit(`{"thread_id":`)
	o.str(t.ID)
	o.lit(`,"seq":0,"kind":"` + kindThread + `","title":`)
	o.text(t.Title)
	o.lit(`,"project":`)
	o.text(t.Project)
	o.lit(`,"created":`)
	o.time(t.Created)
	o.lit(`,"updated":`)
	o.time(t.Updated)
	o.lit(`,"source":`)
	o.text(t.Source)
	o.lit(`,"parent_id":`)
	o.text(t.ParentID)
	o.lit(`,"forked_from":`)
	o.text(t.ForkedFrom)
	o.lit(`,"models":`)
	o.strs(t.Models)
	o.lit(`,"cli_versions":`)
	o.strs(t.Versions)
	o.lit(`,"segments":`)
	o.strs(t.Segments)
	o.lit(`,"archived":`)
	o.bool(t.Archived)
	o.lit(`,"counts":`)
	o.counts(t.Counts)
	o.lit(`,"title_source":`)
	o.text(t.TitleSource)
	o.lit(`,"originator":`)
	o.text(t.Originator)
	o.lit(`,"provider":`)
	o.text(t.Provider)
	o.lit(`,"session_id":`)
	o.text(t.SessionID)
	o.lit(`,"files":`)
	o.strs(t.Files)
	o.lit(`,"state":`)
	o.text(string(t.State))
	o.lit(`,"losses":`)
	o.int(int64(t.Losses))
	o.lit(`,"view":"`)
	o.lit(t.View.String())
	o.lit("\"}\n")
}

func (e *encoder) counts(c transcript.Counts) {
	e.lit(`{"turns":`)
	e.int(int64(c.Turns))
	e.lit(`,"user_messages":`)
	e.int(int64(c.UserMessages))
	e.lit(`,"assistant_messages":`)
	e.int(int64(c.AssistantMessages))
	e.lit(`,"tool_calls":`)
	e.int(int64(c.ToolCalls))
	e.lit(`,"bytes":`)
	e.int(c.Bytes)
	e.lit(`,"files":`)
	e.int(int64(c.Files))
	e.lit("}")
}

// event writes the line of an event: the keys that all have, those of its kind,
// and the further ones where the log has them.
func (w *EventsWriter) event(t *transcript.Thread, ev *transcript.Event) {
	o := &w.out
	o.lit(`{"thread_id":`)
	o.str(t.ID)
	o.lit(`,"seq":`)
	o.int(int64(ev.Seq))
	o.lit(`,"kind":"`)
	o.lit(ev.Kind.String())
	o.lit(`"`)
	if ev.Kind == transcript.TurnEnd || ev.Kind == transcript.Notice {
		o.lit(`,"status":`)
		o.text(ev.Status)
	}
	o.lit(`,"timestamp":`)
	o.time(ev.Time)
	o.lit(`,"turn_id":`)
	o.text(ev.TurnID)
	o.lit(`,"origin":"`)
	o.lit(ev.Origin.String())
	o.lit(`","inherited":`)
	o.bool(ev.Inherited)
	if t.View == transcript.Physical {
		o.lit(`,"rolled_back":`)
		o.bool(ev.RolledBack)
	}
	o.lit(`,"source":`)
	o.source(ev.Source)
	w.body(ev)
	w.further(ev)
	o.lit("}\n")
	if len(o.buf) >= flushAt {
		o.flush()
	}
}

// body writes the keys of the event's kind.
func (w *EventsWriter) body(ev *transcript.Event) {
	o := &w.out
	switch ev.Kind {
	case transcript.User, transcript.Assistant, transcript.Context:
		w.words(ev)
		o.images(ev.Images)
	case transcript.Reasoning, transcript.Compaction, transcript.Notice:
		w.words(ev)
	case transcript.ToolCall:
		o.lit(`,"tool":`)
		o.text(ev.Tool)
		o.lit(`,"namespace":`)
		o.text(ev.Namespace)
		o.lit(`,"call_id":`)
		o.str(ev.CallID)
		o.lit(`,"arguments":`)
		o.str(ev.Arguments)
	case transcript.ToolResult:
		o.lit(`,"call_id":`)
		o.str(ev.CallID)
		w.result(ev)
		o.images(ev.Images)
	case transcript.Usage:
		o.lit(`,"usage":`)
		o.usage(ev.Usage)
	}
}

func (w *EventsWriter) words(ev *transcript.Event) {
	w.out.lit(`,"text":`)
	w.out.str(ev.Text)
	w.out.lit(`,"phase":`)
	w.out.text(ev.Phase)
}

func (w *EventsWriter) result(ev *transcript.Event) {
	o := &w.out
	o.lit(`,"output":`)
	o.str(ev.Output)
	o.lit(`,"is_error":`)
	if ev.IsError != nil {
		o.bool(*ev.IsError)
	} else {
		o.lit("null")
	}
	o.lit(`,"exit_code":`)
	if ev.ExitCode != nil {
		o.int(int64(*ev.ExitCode))
	} else {
		o.lit("null")
	}
	o.lit(`,"duration_ms":`)
	if ev.Duration != nil {
		o.int(ev.Duration.Milliseconds())
	} else {
		o.lit("null")
	}
}

// further writes keys that few lines have; a line without them says nothing of
// the kind.
func (w *EventsWriter) further(ev *transcript.Event) {
	o := &w.out
	if ev.Kind == transcript.Context && ev.Role != "" {
		o.lit(`,"role":`)
		o.str(ev.Role)
	}
	if ev.ItemID != "" {
		o.lit(`,"item_id":`)
		o.str(ev.ItemID)
	}
	if ev.Model != "" {
		o.lit(`,"model":`)
		o.str(ev.Model)
	}
	if len(ev.Changes) > 0 {
		o.lit(`,"changes":`)
		o.changes(ev.Changes)
	}
}

// source appends the place of a record, or null where there is none.
func (e *encoder) source(s transcript.Source) {
	if s.IsZero() {
		e.lit("null")
		return
	}
	e.lit(`{"file":`)
	e.str(s.File)
	e.lit(`,"line":`)
	e.int(int64(s.Line))
	e.lit(`,"offset":`)
	e.int(s.Offset)
	e.lit("}")
}

// images appends what is known of each image, never its bytes.
func (e *encoder) images(list []transcript.Image) {
	e.lit(`,"images":[`)
	for i := range list {
		img := &list[i]
		if i > 0 {
			e.lit(",")
		}
		e.lit(`{"media_type":`)
		e.text(img.MediaType)
		e.lit(`,"bytes":`)
		e.count(img.Bytes)
		e.lit(`,"sha256":`)
		e.text(img.SHA256)
		e.lit(`,"width":`)
		e.count(int64(img.Width))
		e.lit(`,"height":`)
		e.count(int64(img.Height))
		if img.Name != "" {
			e.lit(`,"name":`)
			e.str(img.Name)
		}
		e.lit("}")
	}
	e.lit("]")
}

func (e *encoder) usage(u *transcript.TokenUsage) {
	if u == nil {
		e.lit("null")
		return
	}
	e.lit(`{"input":`)
	e.int(u.Input)
	e.lit(`,"cached_input":`)
	e.int(u.CachedInput)
	e.lit(`,"output":`)
	e.int(u.Output)
	e.lit(`,"reasoning_output":`)
	e.int(u.ReasoningOutput)
	e.lit(`,"total":`)
	e.int(u.Total)
	e.lit("}")
}

func (e *encoder) changes(list []transcript.FileChange) {
	e.lit("[")
	for i, c := range list {
		if i > 0 {
			e.lit(",")
		}
		e.lit(`{"path":`)
		e.str(c.Path)
		e.lit(`,"kind":`)
		e.text(c.Kind)
		e.lit(`,"moved":`)
		e.text(c.Moved)
		e.lit(`,"diff":`)
		e.text(c.Diff)
		e.lit("}")
	}
	e.lit("]")
}
