package store

import (
	"rollbook/internal/transcript"
)

// slotLength is the length of a slot, in milliseconds: no time zone of these
// days is off by less than a quarter of an hour.
const slotLength = 900_000

type slotKey struct{ thread, slot int64 }

// A slot is what happened in a thread within a quarter of an hour. Copies do not
// count: neither what a fork took over, nor mirrors, nor what we made up.
type slot struct {
	messages, users, prompts, promptChars, assistants, calls, failed int64
	requests, input, cached, output, reasoning, total                int64
}

func (s *slot) add(o slot, sign int64) {
	s.messages += sign * o.messages
	s.users += sign * o.users
	s.prompts += sign * o.prompts
	s.promptChars += sign * o.promptChars
	s.assistants += sign * o.assistants
	s.calls += sign * o.calls
	s.failed += sign * o.failed
	s.requests += sign * o.requests
	s.input += sign * o.input
	s.cached += sign * o.cached
	s.output += sign * o.output
	s.reasoning += sign * o.reasoning
	s.total += sign * o.total
}

// slotOf says what an event adds to its slot.
func slotOf(kind transcript.Kind, flags Flag, chars int, u *Usage) (s slot) {
	if flags&(Inherited|Mirror|Synthetic) != 0 {
		return slot{}
	}
	switch kind {
	case transcript.User:
		s.messages, s.users = 1, 1
		if flags&Natural != 0 {
			s.prompts, s.promptChars = 1, int64(chars)
		}
	case transcript.Assistant:
		s.messages, s.assistants = 1, 1
	case transcript.ToolCall:
		s.messages, s.calls = 1, 1
	case transcript.ToolResult:
		if flags&IsError != 0 {
			s.failed = 1
		}
	case transcript.Usage:
		if u != nil && u.Kind != UsageSnapshot {
			s.requests, s.input, s.cached, s.output, s.reasoning, s.total = 1, u.Input, u.CachedInput, u.Output, u.ReasoningOutput, u.Total
		}
	}
	return s
}

// count adds what an event says to its slot, or takes it away.
func (w *Writer) count(thread, id int64, s slot, sign int64) {
	if s == (slot{}) {
		return
	}
	slots := w.slots
	if w.snap != nil {
		slots = w.snap.slots // they go with it
	}
	key := slotKey{thread, (id >> timeShift) / slotLength}
	sum := slots[key]
	sum.add(s, sign)
	slots[key] = sum
}

// flushSlots brings the table up to date.
func (w *Writer) flushSlots() error {
	for key, s := range w.slots {
		if s == (slot{}) {
			continue
		}
		err := w.exec(`INSERT INTO slots VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET messages = messages + excluded.messages, users = users + excluded.users, prompts = prompts + excluded.prompts,
			prompt_chars = prompt_chars + excluded.prompt_chars, assistants = assistants + excluded.assistants, calls = calls + excluded.calls,
			failed = failed + excluded.failed, requests = requests + excluded.requests, input = input + excluded.input, cached = cached + excluded.cached,
			output = output + excluded.output, reasoning = reasoning + excluded.reasoning, total = total + excluded.total`,
			key.thread, key.slot, s.messages, s.users, s.prompts, s.promptChars, s.assistants, s.calls, s.failed,
			s.requests, s.input, s.cached, s.output, s.reasoning, s.total)
		if err == nil {
			err = w.exec(`DELETE FROM slots WHERE thread = ? AND slot = ? AND messages = 0 AND failed = 0 AND requests = 0`, key.thread, key.slot)
		}
		if err != nil {
			return err
		}
	}
	clear(w.slots)
	return nil
}
