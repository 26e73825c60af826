package dsh

import "errors"

// dimensions, attachment and the blocks are the shapes of docs/format/dsh.md,
// "Blocks" (V12).
var (
	dimensions = object(members{"width": positive, "height": positive})
	attachment = object(members{
		"attachmentId": nonEmpty, "mediaType": oneOf("image/png", "image/jpeg", "image/webp", "image/gif"),
		"bytes": count, "width": positive, "height": positive, "name?": text, "originalDimensions?": dimensions,
	})
)

var blockRules map[string]rule

func init() {
	texts := object(members{"type": text, "text": text})
	blockRules = map[string]rule{
		"text":      texts,
		"reasoning": texts,
		"image":     object(members{"type": text, "attachment": attachment}),
		"tool-call": object(members{"type": text, "id": nonEmpty, "name": nonEmpty, "arguments": text}),
		// Which kinds a nested block may have is not asked.
		"tool-result": object(members{"type": text, "toolCallId": nonEmpty, "content": blocks, "isError?": boolean}),
	}
}

// block is one part of a message. Other kinds of blocks, files too, need a name
// and are not looked into.
func block(v value, seq int64) error { return choice("type", blockRules, named("type"))(v, seq) }

func blocks(v value, seq int64) error { return list(block)(v, seq) }

// sources are the shapes of who a message comes from (V12), but for sessions
// that refer to others.
var sources = map[string]rule{
	"user":   object(members{"kind": text, "rpcId?": nonEmpty, "clientTimeZone?": nonEmpty}),
	"plugin": pluginSource,
	"model":  object(members{"kind": text, "provider": nonEmpty, "model": nonEmpty, "replayState?": anything}),
	"tool":   object(members{"kind": text, "callId": nonEmpty}),
	"agent-instructions": object(members{
		"kind": text, "form": oneOf("instructions"), "baseline?": yes, "baselineIdentity?": nonEmpty,
		"changes": list(object(members{"action": oneOf("set", "replace", "remove"), "scope": text, "path": text, "digest?": text})),
	}),
	"session-reference": object(members{
		"kind": text, "form": oneOf("recall"), "version": exactly(1),
		"references": both(list(reference), filled, inOrder, distinct(func(v value) string { return v.get("sessionId").text })),
	}),
	"team-message":     object(members{"kind": text, "teamId": nonEmpty, "messageId": nonEmpty, "senderId": nonEmpty, "senderName": text}),
	"goal":             object(members{"kind": text, "goalId": nonEmpty, "revision": positive, "round": positive}),
	"skill-invocation": object(members{"kind": text, "name": nonEmpty, "form": oneOf("instructions")}),
	"skill-catalog": object(members{
		"kind": text, "form": oneOf("catalog"), "update?": yes,
		"entries": list(object(members{"name": nonEmpty, "description": text})),
	}),
	"coordinator":      relay,
	"subagent-report":  relay,
	"subagent-settled": object(members{"kind": text, "form": oneOf("notice"), "summary": text, "senderSessionId": nonEmpty}),
	"webhook": object(members{
		"kind": text, "provider": nonEmpty, "source": nonEmpty, "deliveryId": nonEmpty, "ruleId": nonEmpty,
		"form": oneOf("notice"), "summary": text,
	}),
}

var relay = object(members{"kind": text, "form": oneOf("relay"), "senderSessionId": nonEmpty})

// origin is where a message may come from: a kind that is not known needs a name
// and nothing else.
var origin = choice("kind", sources, named("kind"))

var pluginShape = object(members{
	"kind": text, "plugin": nonEmpty, "form?": oneOf("instructions", "catalog", "snapshot", "notice", "relay", "recall"),
	"sections?": anything, "summary?": anything,
})

var compactShape = object(members{
	"kind": text, "plugin": nonEmpty, "form?": oneOf("instructions", "catalog", "snapshot", "notice", "relay", "recall"),
	"sections?": anything, "summary?": anything, "compactionId": nonEmpty, "sourceCommandId?": nonEmpty,
})

var snapshotSections = list(object(members{"name": nonEmpty, "text": text}))

func pluginSource(v value, seq int64) error {
	shape := pluginShape
	if v.get("plugin").is("compact") {
		shape = compactShape
	}
	if err := shape(v, seq); err != nil {
		return err
	}
	if !v.get("form").exists() {
		return nil // then neither of the two is looked at
	}
	if sections := v.get("sections"); v.get("form").is("snapshot") {
		if err := snapshotSections(sections, seq); err != nil {
			return within("sections", err)
		}
	} else if sections.exists() {
		return errors.New("has sections, which only a snapshot has")
	}
	if summary := v.get("summary"); v.get("form").is("notice") {
		if err := text(summary, seq); err != nil {
			return within("summary", err)
		}
	} else if summary.exists() {
		return errors.New("has a summary, which only a notice has")
	}
	return nil
}

var referenceShape = object(members{
	"sessionId": nonEmpty, "label": text, "capturedThroughSeq": orNull(count), "capturedFormatVersion?": between(1, 2),
	"compacted": boolean, "originalMessages": count, "retainedMessages": count, "omittedMessages": count,
	"omittedBytes": count, "truncated": boolean, "inputIndex": count,
})

// reference is one session that a recall is taken from.
func reference(v value, seq int64) error {
	if err := both(referenceShape, optional("capturedFormatVersion", count))(v, seq); err != nil {
		return err
	}
	number := func(name string) float64 { return v.get(name).num }
	switch {
	case number("retainedMessages") > number("originalMessages"),
		number("omittedMessages") != number("originalMessages")-number("retainedMessages"):
		return errors.New("has counts of messages that do not add up")
	case (v.get("truncated").kind == 't') != (number("omittedMessages") > 0 || number("omittedBytes") > 0):
		return errors.New("says wrongly whether it is truncated")
	}
	return nil
}

// inOrder: references carry their own position.
func inOrder(v value, _ int64) error {
	for i, item := range v.list {
		if item.get("inputIndex").num != float64(i) {
			return errors.New("must each have its position as inputIndex")
		}
	}
	return nil
}

// optional applies a rule to a member that is there.
func optional(name string, r rule) rule {
	return func(v value, seq int64) error {
		if m := v.get(name); m.exists() {
			if err := r(m, seq); err != nil {
				return within(name, err)
			}
		}
		return nil
	}
}

// message is the shape of a message with the role and, where kind is not empty,
// that kind of source.
func message(role rule, kind string) rule {
	from := rule(origin)
	if kind != "" {
		from = both(func(v value, _ int64) error {
			if !v.get("kind").is(kind) {
				return errors.New("must be of the kind " + kind)
			}
			return nil
		}, origin)
	}
	return object(members{"id": nonEmpty, "role": role, "content": blocks, "source": from})
}

var (
	userMessage      = message(oneOf("user"), "")
	assistantMessage = message(oneOf("assistant"), "model")
	anyMessage       = message(oneOf("system", "user", "assistant"), "")
	systemMessage    = message(oneOf("system"), "plugin")
	toolMessage      = both(message(oneOf("user"), "tool"), func(v value, _ int64) error {
		content := v.get("content").list
		if len(content) != 1 || !content[0].get("type").is("tool-result") || content[0].get("toolCallId").text != v.get("source").get("callId").text {
			return errors.New("must hold exactly one tool-result, of the call that its source names")
		}
		return nil
	})
)
