package assemble

import (
	"strings"
	"unicode/utf8"

	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// tokens follows the counters of a thread.
type tokens struct {
	total    transcript.TokenUsage // of the latest token_count
	counted  bool                  // there was one
	recorded transcript.TokenUsage // of a token_usage_record whose token_count is still to come
}

// tokenRecord sends the usage of one request (from 0.150). A store is given no
// counters that cannot be right (Read); everybody else is given what the log
// has.
func (e *emitter) tokenRecord(p *rollout.TokenUsageRecord) {
	if !p.Usage.OK || e.l.books && !validResponse(p) {
		return
	}
	e.tokens.recorded = usageOf(p.Usage)
	e.usage(e.tokens.recorded, p.ResponseID)
}

// tokenCount sends the usage of one request, unless the record before it did or
// the running total stands still: then the event only repeats the last one.
// All parts are compared, for one of them alone may be missing.
func (e *emitter) tokenCount(p *rollout.TokenCount) {
	if !p.Info.OK || e.l.books && !validCount(p) {
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
	e.usage(last, "")
}

// usage sends the usage of one request. response is its id, where that is
// known.
func (e *emitter) usage(u transcript.TokenUsage, response string) {
	ev := e.event(transcript.Usage, transcript.Recorded)
	ev.Usage, ev.Model, ev.ItemID = &u, e.model, response
	e.send()
}

func usageOf(u rollout.TokenUsage) transcript.TokenUsage {
	return transcript.TokenUsage{Input: u.Input.Value, CachedInput: u.CachedInput.Value, Output: u.Output.Value,
		ReasoningOutput: u.ReasoningOutput.Value, Total: u.Total.Value}
}

// validResponse reports whether the counters of a response can be right, and
// name it.
func validResponse(p *rollout.TokenUsageRecord) bool {
	return p.ResponseID != "" && utf8.RuneCountInString(p.ResponseID) <= maxResponseID && validUsage(p.Usage, p.Odd(), "usage")
}

// maxResponseID is the longest id of a response that counts as one, in
// characters.
const maxResponseID = 200

// validCount reports whether the counters of a token_count can be right.
func validCount(p *rollout.TokenCount) bool {
	return p.Info.OK && validUsage(p.Info.Total, p.Odd(), "info.total_token_usage") &&
		(!p.Info.Last.OK || validUsage(p.Info.Last, p.Odd(), "info.last_token_usage"))
}

// validUsage reports whether counters can be right: whole numbers, what must be
// there is, and no part is larger than what it is of. field is where they stand.
func validUsage(u rollout.TokenUsage, odd []string, field string) bool {
	const most = 1<<53 - 1
	for _, n := range []rollout.Opt[int64]{u.Input, u.CachedInput, u.Output, u.ReasoningOutput, u.Total} {
		if n.Value < 0 || n.Value > most {
			return false
		}
	}
	for _, name := range odd {
		if strings.HasPrefix(name, field) {
			return false
		}
	}
	return u.Input.OK && u.Output.OK && u.Total.OK && u.CachedInput.Value <= u.Input.Value && u.ReasoningOutput.Value <= u.Output.Value
}
