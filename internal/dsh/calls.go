package dsh

import (
	"fmt"
	"iter"
	"strings"

	"github.com/cespare/xxhash/v2"

	"rollbook/internal/transcript"
)

// Texts that stand where Codex recorded nothing (docs/format/dsh.md, "Markers").
const (
	orphanedTool   = "codex_orphaned_tool"
	additionalTool = "codex_additional_tool_result" // of a second result of a call
	noOutput       = "[Codex import: the tool call was recorded without an output]"
	noText         = "[Codex import: %s completed without a textual output]"
	imageGenerated = "[image generated]"
)

// An openCall is a call of the step whose result is still to come.
type openCall struct {
	number int    // among all calls
	id     string // of the session
	seq    int    // of its tool/call event
	item   string // type of the record that it was taken from
	name   string
	source transcript.Source
	orphan bool // made for an output
}

// callIDs gives each call an id of its own, and finds the call that a result
// answers: the oldest one of its recorded id that has none.
type callIDs struct {
	used    used             // ids of the session
	waiting map[string][]int // numbers of calls without a result, by recorded id
	number  int
	unnamed int // calls without a recorded id
}

// used are the ids that were given away, as digests.
type used map[uint64]struct{}

func (u used) has(id string) bool {
	_, ok := u[xxhash.Sum64String(id)]
	return ok
}

// unique gives an id that nobody else has: ~2, ~3 ... stands behind one that
// somebody has.
func (u used) unique(id string) string {
	made := id
	for n := 2; u.has(made); n++ {
		made = fmt.Sprintf("%s~%d", id, n)
	}
	u[xxhash.Sum64String(made)] = struct{}{}
	return made
}

func newCallIDs() *callIDs {
	return &callIDs{used: make(used), waiting: make(map[string][]int)}
}

func (ids *callIDs) call(recorded string) (number int) {
	ids.number++
	ids.waiting[recorded] = append(ids.waiting[recorded], ids.number)
	return ids.number
}

// awaits reports whether a call was made for an output that answers one which
// is there: it stood among the blocks of a message.
func (ids *callIDs) awaits(ev *transcript.Event) bool {
	return ev.Origin == transcript.Synthetic && len(ids.waiting[ev.CallID]) > 0
}

func (ids *callIDs) result(recorded string) (number int, ok bool) {
	queue := ids.waiting[recorded]
	if len(queue) == 0 {
		return 0, false
	}
	if len(queue) == 1 {
		delete(ids.waiting, recorded)
	} else {
		ids.waiting[recorded] = queue[1:]
	}
	return queue[0], true
}

// name gives a call its id in the session: the recorded one, if there is one that
// no other call has.
func (ids *callIDs) name(recorded string) string {
	id := strings.TrimSpace(recorded)
	if id == "" {
		ids.unnamed++
		id = fmt.Sprintf("codex-call-%d", ids.unnamed)
	}
	return ids.used.unique(id)
}

// events are those of the thread. Calls without an id and results without one
// belong together in their order (spec: dsh, 8): what the reader of the thread made
// up for each of them alone is left out.
func (c *converter) events() iter.Seq2[*transcript.Event, error] {
	return func(yield func(*transcript.Event, error) bool) {
		for ev, err := range c.thread.Events {
			if err == nil && ev.Unnamed {
				if ev.Origin == transcript.Synthetic {
					continue
				}
				unnamed := *ev
				unnamed.CallID, ev = "", &unnamed
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}

// call takes a tool call: a block of the assistant's message, and an event
// behind it.
func (c *converter) call(ev *transcript.Event) error {
	if c.calls.awaits(ev) {
		return nil
	}
	if err := c.enter(callPart); err != nil {
		return err
	}
	c.model(ev)
	open := openCall{number: c.calls.call(ev.CallID), item: ev.ItemType, source: ev.Source}
	arguments := "{}"
	open.orphan = ev.Origin == transcript.Synthetic
	switch id := strings.TrimSpace(ev.CallID); {
	case !open.orphan:
		open.id, open.name, arguments = c.calls.name(id), callName(ev), c.clampArguments(callArguments(ev))
	case id != "" && c.calls.used.has(id):
		open.id, open.name = c.calls.name(id+"-additional-result"), additionalTool
	default:
		open.id, open.name = c.calls.name(id), orphanedTool
	}
	c.report.Tools++
	c.open = append(c.open, open)
	c.content = append(c.content, Call{open.id, open.name, arguments})
	return nil
}

// result takes a result. That of a call whose step is closed was written there.
func (c *converter) result(ev *transcript.Event) error {
	number, ok := c.calls.result(ev.CallID)
	if !ok {
		return c.orphan(ev)
	}
	for i := range c.open {
		if c.open[i].number != number {
			continue
		}
		if err := c.flush(); err != nil {
			return err
		}
		call := c.open[i]
		c.open = append(c.open[:i], c.open[i+1:]...)
		return c.answer(&call, ev)
	}
	return nil
}

// orphan takes a result that no call stands before.
func (c *converter) orphan(ev *transcript.Event) error {
	made := transcript.Event{Kind: transcript.ToolCall, Origin: transcript.Synthetic, CallID: ev.CallID, Source: ev.Source, Model: ev.Model}
	if err := c.call(&made); err != nil {
		return err
	}
	return c.result(ev)
}

// answer writes the result of a call.
func (c *converter) answer(call *openCall, ev *transcript.Event) error {
	if call.orphan {
		c.report.repaired(ev.Source.File, ev.Source.Line, "output without a call")
	}
	if ev.Origin == transcript.Synthetic && ev.IsError == nil && len(ev.Images) == 0 {
		return c.unanswered(call)
	}
	text := c.truncate(outputText(ev))
	if text == "" && len(ev.Images) > 0 && isImageGeneration(call.item) {
		text = imageGenerated
	}
	content, err := c.withImages(text, ev.Images)
	if err != nil {
		return err
	}
	failed := failedResult(call.item, ev)
	if failed {
		c.report.Failed++
	}
	return c.writeResult(call, content, failed)
}

// unanswered writes the result of a call whose output Codex did not record. A
// call that Codex itself answered was never lost.
func (c *converter) unanswered(call *openCall) error {
	if !answeredByCodex(call.item) {
		return c.writeResult(call, []Block{Text{fmt.Sprintf(noText, call.name)}}, false)
	}
	c.report.repaired(call.source.File, call.source.Line, fmt.Sprintf("call of %s without an output", call.name))
	return c.writeResult(call, []Block{Text{noOutput}}, true)
}

func (c *converter) writeResult(call *openCall, content []Block, failed bool) error {
	return c.write(ToolResult{Turn: c.turn.number, Step: c.step, ID: c.id(""), CallID: call.id, CallSeq: call.seq,
		Content: content, IsError: failed})
}

// lateResult writes the result of a call whose step ends before the record of
// the result.
func (c *converter) lateResult(call *openCall) error {
	ev, err := c.planned().result(call.number)
	switch {
	case err != nil:
		return err
	case ev == nil:
		return c.unanswered(call)
	}
	return c.answer(call, ev)
}
