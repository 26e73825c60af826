package assemble

import (
	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// tokens follows the counters of a thread.
type tokens struct {
	total    transcript.TokenUsage // of the latest token_count
	counted  bool                  // there was one
	recorded transcript.TokenUsage // of a token_usage_record whose token_count is still to come
}

// tokenRecord sends the usage of one request (from 0.150).
func (e *emitter) tokenRecord(p *rollout.TokenUsageRecord) {
	if !p.Usage.OK {
		return
	}
	e.tokens.recorded = usageOf(p.Usage)
	e.usage(e.tokens.recorded)
}

// tokenCount sends the usage of one request, unless the record before it did or
// the running total stands still: then the event only repeats the last one.
// All parts are compared, for one of them alone may be missing.
func (e *emitter) tokenCount(p *rollout.TokenCount) {
	if !p.Info.OK {
		return
	}
	total, last := usageOf(p.Info.Total), usageOf(p.Info.Last)
	repeat := e.tokens.counted && total == e.tokens.total
	e.tokens.total, e.tokens.counted = total, true
	mirrored := last == e.tokens.recorded && !last.IsZero()
	e.tokens.recorded = transcript.TokenUsage{}
	if repeat || mirrored || last.IsZero() {
		return
	}
	e.usage(last)
}

func (e *emitter) usage(u transcript.TokenUsage) {
	ev := e.event(transcript.Usage, transcript.Recorded)
	ev.Usage, ev.Model = &u, e.model
	e.send()
}

func usageOf(u rollout.TokenUsage) transcript.TokenUsage {
	return transcript.TokenUsage{Input: u.Input.Value, CachedInput: u.CachedInput.Value, Output: u.Output.Value,
		ReasoningOutput: u.ReasoningOutput.Value, Total: u.Total.Value}
}
