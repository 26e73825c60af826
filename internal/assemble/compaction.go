package assemble

import (
	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// compacted sends a compaction. In the model view the first one is what the
// view begins with: what the model sees of all that came before stands in its
// replacement history.
func (e *emitter) compacted(p *rollout.Compacted) {
	e.compactions++
	summary := p.Message.String()
	if e.sv.session {
		e.snapshot(p, summary)
		return
	}
	e.text(transcript.Compaction, transcript.Recorded, summary)
	if e.view != transcript.Model || e.rec.n != e.sv.compacted {
		return
	}
	for _, item := range p.Replacement.All() {
		if m, ok := item.(*rollout.Message); ok {
			e.replaced(m, summary)
		}
	}
}

// replaced sends a message of a replacement history. Injected context is left
// out (C21 of the case list), and so is the summary, which was just sent.
func (e *emitter) replaced(m *rollout.Message, summary string) {
	kind := transcript.User
	text, ok := naturalText(m)
	switch m.Role {
	case "assistant":
		kind = transcript.Assistant
		text, ok = answerText(m)
	case "user":
	default:
		return
	}
	if !ok || text == summary {
		return
	}
	ev := e.event(kind, transcript.Recorded)
	ev.Text, ev.Phase, ev.ItemID, ev.Images = text, m.Phase, m.ID, e.images(m.Content)
	e.send()
}

// contextCompacted takes the event of a compaction. The record before it was
// sent; an event without a record stands for itself (C20).
func (e *emitter) contextCompacted() {
	if e.compactions > 0 {
		e.compactions--
		return
	}
	e.text(transcript.Compaction, transcript.Recovered, "")
}
