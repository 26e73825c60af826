package assemble

import (
	"hash/maphash"

	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// maxReasons bounds the summaries of a turn that wait for their items.
const maxReasons = 1024

// reasoningEvent sends a summary that an event shows.
func (e *emitter) reasoningEvent(p *rollout.ReasoningEvent) {
	e.summary(p.Text.String())
}

// reasoningItem sends the summaries of a Reasoning turn item.
func (e *emitter) reasoningItem(p *rollout.ReasoningItem) {
	for _, s := range p.Summary.All() {
		e.summary(s.String())
	}
}

func (e *emitter) summary(text string) {
	if text == "" {
		return
	}
	if len(e.reasons) < maxReasons {
		e.reasons[maphash.String(e.seed, text)]++
	}
	e.text(transcript.Reasoning, transcript.Recorded, text)
}

// reasoning sends the summaries of a reasoning item that no event showed.
func (e *emitter) reasoning(p *rollout.Reasoning) {
	for _, b := range p.Summary.All() {
		text := b.Text.String()
		if b.Kind != rollout.BlockText || text == "" {
			continue
		}
		key := maphash.String(e.seed, text)
		if n := e.reasons[key]; n > 1 {
			e.reasons[key] = n - 1
			continue
		} else if n == 1 {
			delete(e.reasons, key)
			continue
		}
		e.text(transcript.Reasoning, transcript.Recorded, text)
	}
}
