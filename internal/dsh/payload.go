package dsh

import (
	"errors"
	"math"
	"strings"
	"time"
)

// payloads are the shapes of what the harness's events say, by type
// (docs/format/dsh.md, V11). What only its own plugins write is here too: a log
// that the harness went on with holds it.
var payloads = map[string]rule{
	"agent-preset/selected": object(members{"agentPreset": text}),
	"agent/inbox/spliced": object(members{
		"target": oneOf("next-turn", "next-step"), "start": count, "inserted": list(userMessage),
		"removedCount?": count, "outcome?": oneOf("canceled"),
	}),
	"approval/asked":    object(members{"id": nonEmpty, "toolName": nonEmpty, "callId?": nonEmpty, "reason?": text}),
	"approval/decided":  object(members{"id": nonEmpty, "outcome": oneOf("allowed-once", "rejected", "cancelled", "unavailable")}),
	"approval/policy":   object(members{"policy": oneOf("ask", "never"), "source?": delegation}),
	"assistant/attempt": object(members{"turn": anything, "step": anything, "stream": anything}),
	"assistant/message": object(members{
		"turn": count, "step": count, "message": assistantMessage, "stream": anything, "usage?": usage, "interrupted?": yes,
	}),
	"command/done": object(members{"commandId": nonEmpty, "kind": oneOf("success", "error"), "text?": text, "sourceEventSeq?": earlier}),
	"command/run": object(members{
		"commandId": nonEmpty, "name": nonEmpty, "args?": text, "source": object(members{"kind": oneOf("user")}),
	}),
	"compaction/end":   object(members{"compactionId": nonEmpty, "turn": orNull(count), "sourceCommandId?": nonEmpty, "error?": text}),
	"compaction/prune": both(object(members{"shadowedRange": span, "shadowedSeqs": seqs, "shadowedTokenCount": count}), shadowed),
	"compaction/start": object(members{"compactionId": nonEmpty, "turn": orNull(count), "sourceCommandId?": nonEmpty}),
	"compaction/summary": both(object(members{
		"compactionId": nonEmpty, "summary": blocks, "shadowedRange": span, "shadowedSeqs": seqs, "shadowedTokenCount": count,
		"provider": nonEmpty, "model": nonEmpty, "sourceCommandId?": nonEmpty, "maxTokens?": count, "usage?": usage,
		"rawOutput?": blocks, "llmStreamCall?": yes,
	}), shadowed, needs("llmStreamCall", "rawOutput")),
	"feedback/record": object(members{"text": nonEmpty}),
	"goal/change":     goalChange,
	"hook/invoked": object(members{
		"turn": count, "point": nonEmpty, "dialect": oneOf("claude-code", "codex"), "handlerId": nonEmpty, "matcher?": text,
	}),
	"hook/result": object(members{
		"turn": count, "point": nonEmpty, "handlerId": nonEmpty, "decision": nonEmpty, "durationMs": notNegative,
		"exitCode?": integer, "stderrSummary?": text,
	}),
	"llm/retry": both(object(members{
		"retryId": nonEmpty, "turn": count, "step": count, "provider": nonEmpty, "mode": oneOf("normal", "always"),
		"policyKey": nonEmpty, "retry": positive, "delayMs": between(0, 1<<31-1), "failure": failure, "maxRetries?": positive,
	}), retryMode),
	"llm/retry-started": object(members{"retryId": nonEmpty, "turn": count, "step": count, "retry": positive}),
	"model/selection":   object(members{"provider": nonEmpty, "model": nonEmpty, "reasoningEffort?": nonEmpty}),
	"permission/preset": object(members{"preset": nonEmpty}),
	"plan/mode":         object(members{"active": boolean}),
	"request/context":   object(members{"provider": nonEmpty, "model": nonEmpty, "contextWindow?": positive}),
	"request/header": object(members{
		"header": requestHeader, "reason": oneOf("initial", "resume", "change", "series"), "startsSeries?": yes,
	}),
	"sandbox/mode":    object(members{"mode": oneOf("read-only", "workspace-write", "danger-full-access"), "source?": delegation}),
	"schedule/change": scheduleChange,
	"session-log-deepseek/delivery-accepted": both(object(members{
		"sessionId": anything, "throughSeq": anything, "sessionFormatVersion?": count,
	}), delivery),
	"session/end-seed": object(members{"inherited?": anything}),
	"session/title":    object(members{"title": nonEmpty, "messageSeqs": citations, "source": titleSource}),
	"session/title-llm-request": object(members{
		"titleProvider": nonEmpty, "messageSeqs": both(citations, filled), "route": route, "system": text,
		"messages": list(anyMessage), "maxTokens": positive,
	}),
	"step/end":            object(members{"turn": count, "step": count}),
	"step/start":          object(members{"turn": count, "step": count}),
	"subagent/descriptor": descriptor,
	"subagent/model-selection-policy": object(members{
		"allowedModels": both(list(route), filled, distinct(func(v value) string { return v.get("provider").text + "\x00" + v.get("model").text })),
	}),
	"system/message": object(members{"turn": positive, "step": positive, "message": systemMessage}),
	"team/member": object(members{"version": exactly(1), "teamId": nonEmpty, "member": object(members{
		"id": nonEmpty, "name": text, "description": text, "provider": text, "context": oneOf("fresh", "fork"),
		"phase": oneOf("provisioning", "active", "failed"), "error?": text,
	})}),
	"team/message/delivered": object(members{"version": exactly(1), "teamId": nonEmpty, "messageId": nonEmpty, "targetId": nonEmpty}),
	"team/message/queued": object(members{"version": exactly(1), "teamId": nonEmpty, "message": object(members{
		"id": nonEmpty, "senderId": nonEmpty, "senderName": text, "targetId": nonEmpty, "delivery": oneOf("quiet", "wakeup"), "content": blocks,
	})}),
	"team/task": object(members{"version": exactly(1), "teamId": nonEmpty, "task": object(members{
		"id": nonEmpty, "revision": positive, "subject": text, "description": text,
		"status": oneOf("pending", "in_progress", "completed", "deleted"), "blockedBy": list(nonEmpty), "writeScopes": list(text), "ownerId?": nonEmpty,
	})}),
	"todo/write": object(members{"todos": list(object(members{"content": text, "status": oneOf("pending", "in_progress", "completed")}))}),
	"tool-workflow/agent-end": object(members{
		"runId": nonEmpty, "seq": positive, "outcome": oneOf("completed", "failed", "cancelled"),
	}),
	"tool-workflow/agent-start": object(members{"runId": nonEmpty, "seq": positive, "label": text, "childId": nonEmpty, "phase?": text}),
	"tool-workflow/run-end":     object(members{"runId": nonEmpty, "stopReason": oneOf("completed", "cancelled", "error")}),
	"tool-workflow/run-start":   object(members{"runId": nonEmpty, "name": nonEmpty}),
	"tool/call":                 object(members{"turn": count, "step": count, "callId": nonEmpty, "name": nonEmpty, "arguments": text}),
	"tool/code-dispatch": object(members{
		"rootCallId": nonEmpty, "parentCallId": nonEmpty, "subCallId": nonEmpty, "name": nonEmpty,
		"arguments": anything, "isError": boolean, "content": blocks,
	}),
	"tool/code-dispatch-start": object(members{
		"rootCallId": nonEmpty, "parentCallId": nonEmpty, "subCallId": nonEmpty, "name": nonEmpty, "arguments": anything,
	}),
	"tool/result": both(object(members{
		"turn": count, "step": count, "message": toolMessage, "meta?": anything,
		"error?": object(members{"name": nonEmpty, "code": nonEmpty}),
	}), resultError),
	"turn/end":     object(members{"turn": count, "reason": turnEnd}),
	"turn/start":   object(members{"turn": count}),
	"user/message": userMessage,
	"web/deepseek-search-llm-request": object(members{
		"endpoint": nonEmpty, "apiVersion": nonEmpty, "body": object(members{
			"model": nonEmpty, "max_tokens": positive,
			"messages": single(object(members{"role": oneOf("user"), "content": single(object(members{"type": oneOf("text"), "text": text}))})),
			"tools":    single(object(members{"type": oneOf("web_search_20250305"), "name": oneOf("web_search"), "max_uses": positive})),
		}),
	}),
}

var (
	delegation  = oneOf("delegation")
	notNegative = between(0, math.MaxFloat64)
	route       = object(members{"provider": nonEmpty, "model": nonEmpty})
	usage       = object(members{
		"inputTokens": count, "outputTokens": count, "totalTokens?": count, "cacheReadTokens?": count, "cacheWriteTokens?": count, "reasoningTokens?": count,
	})
	failure = object(members{
		"message": nonEmpty, "code": nonEmpty, "status?": both(integer, between(100, 599)),
		"providerRetryAfterMs?": both(finite, func(v value, _ int64) error {
			if v.num <= 0 {
				return errors.New("must be more than 0")
			}
			return nil
		}), "requestId?": nonEmpty,
	})
	kindAlone = object(members{"kind": text})
	turnEnd   = choice("kind", map[string]rule{
		"completed": kindAlone, "blocked": kindAlone, "max-tokens": kindAlone, "interrupted": kindAlone,
		"aborted": object(members{"kind": text, "reason": choice("kind", map[string]rule{
			"hook": object(members{"kind": text, "reason": text}),
		}, object(members{"kind": oneOf("user", "parent", "disposed", "legacy")}))}),
		"error": object(members{"kind": text, "error": failure}),
	}, named("kind"))
	titleSource = choice("kind", map[string]rule{
		"provider": object(members{"kind": text, "provider": nonEmpty, "model?": route}),
	}, object(members{"kind": oneOf("fallback", "user")}))

	seqs      = both(citations, filled)
	span      = object(members{"start": earlier, "end": earlier})
	citations = both(list(earlier), func(v value, _ int64) error {
		seen := make(map[float64]bool, len(v.list))
		for _, item := range v.list {
			if seen[item.num] {
				return errors.New("names an event twice")
			}
			seen[item.num] = true
		}
		return nil
	})
)

// shadowed: the range is that of the list.
func shadowed(v value, _ int64) error {
	list, r := v.get("shadowedSeqs").list, v.get("shadowedRange")
	if list[0].num != r.get("start").num || list[len(list)-1].num != r.get("end").num {
		return errors.New("shadowedRange must be the ends of shadowedSeqs")
	}
	return nil
}

// needs: one member wants another.
func needs(name, other string) rule {
	return func(v value, _ int64) error {
		if v.get(name).exists() && !v.get(other).exists() {
			return errors.New(name + " wants " + other)
		}
		return nil
	}
}

func retryMode(v value, _ int64) error {
	most := v.get("maxRetries")
	switch {
	case v.get("mode").is("normal") && (!most.exists() || v.get("retry").num > most.num):
		return errors.New("must have maxRetries, not below retry")
	case v.get("mode").is("always") && most.exists():
		return errors.New("must have no maxRetries")
	}
	return nil
}

// deliveryFormat is the format whose markers of delivery are looked into: the
// harness holds format 3 to the shapes of format 2.
const deliveryFormat = 2

// delivery: a marker of another format is not looked into.
func delivery(v value, seq int64) error {
	if v.get("sessionFormatVersion").num != deliveryFormat {
		return nil
	}
	return both(optional("sessionId", nonEmpty), optional("throughSeq", earlier))(v, seq)
}

// resultError: only a result that is an error tells of one (V10).
func resultError(v value, _ int64) error {
	if v.get("error").exists() && v.get("message").get("content").list[0].get("isError").kind != 't' {
		return errors.New("tells of an error, but the result is none")
	}
	return nil
}

var requestHeader = both(object(members{
	"config": object(members{
		"provider": nonEmpty, "model": nonEmpty, "reasoningEffort?": nonEmpty, "temperature?": finite, "maxTokens?": positive, "stop?": list(text),
	}),
	"adapterDefaults?": both(object(members{"reasoningEffort?": yes, "maxTokens?": yes}), notEmpty),
	"tools?":           both(list(object(members{"name": nonEmpty, "description": text, "parameters": record})), notEmpty),
}), func(v value, _ int64) error {
	for _, name := range v.get("adapterDefaults").names {
		if !v.get("config").get(name).exists() {
			return errors.New("adapterDefaults names " + name + ", which config has not")
		}
	}
	return nil
})

// notEmpty is a member that is left out where it would be empty (V14).
func notEmpty(v value, _ int64) error {
	if len(v.list) == 0 {
		return errors.New("must be left out where it is empty")
	}
	return nil
}

var (
	goalRef      = object(members{"id": nonEmpty, "revision": positive})
	goalSnapshot = both(object(members{
		"id": nonEmpty, "revision": positive, "objective": nonEmpty, "phase": oneOf("active", "paused", "blocked", "complete"),
		"maxGoalRounds": positive, "blockedReason?": object(members{"code": nonEmpty, "message": nonEmpty}),
	}), func(v value, _ int64) error {
		if v.get("phase").is("blocked") != v.get("blockedReason").exists() {
			return errors.New("must have a blockedReason exactly where it is blocked")
		}
		return nil
	})
	goalChange = choice("operation", map[string]rule{
		"clear": object(members{"kind": oneOf("goal/change"), "version": exactly(1), "operation": text, "cleared": goalRef, "clearedAt": count}),
	}, object(members{
		"kind": oneOf("goal/change"), "version": exactly(1), "operation": oneOf("create", "edit", "pause", "resume", "complete", "block"),
		"goal": goalSnapshot, "roundsStarted": count, "createdAt": count, "updatedAt": count,
	}))

	scheduleID = both(nonEmpty, func(v value, _ int64) error {
		if strings.TrimFunc(v.text, blank) != v.text {
			return errors.New("must not begin or end with a blank")
		}
		return nil
	})
	schedule = choice("kind", map[string]rule{
		"after": object(members{"id": scheduleID, "kind": text, "prompt": nonEmpty, "scheduledAt": instant, "afterSeconds": positive}),
		"at":    object(members{"id": scheduleID, "kind": text, "prompt": nonEmpty, "scheduledAt": instant}),
		"every": object(members{"id": scheduleID, "kind": text, "prompt": nonEmpty, "scheduledAt": instant, "everySeconds": both(count, between(300, maxSafe))}),
	}, nil)
	scheduleChange = choice("operation", map[string]rule{
		"create":   object(members{"version": exactly(1), "operation": text, "schedule": schedule}),
		"delete":   object(members{"version": exactly(1), "operation": text, "id": scheduleID}),
		"dispatch": object(members{"version": exactly(1), "operation": text, "id": scheduleID, "acceptedAt?": instant}),
	}, nil)

	continuable = both(object(members{
		"mode": text, "version": exactly(3), "provider": nonEmpty, "label": nonEmpty, "agentProvider?": nonEmpty, "agentModel?": nonEmpty,
		"agentReasoningEffort?": nonEmpty, "persona?": nonEmpty,
		"toolFilter?": both(object(members{"allow?": list(nonEmpty), "deny?": list(nonEmpty)}), notEmpty),
	}), func(v value, _ int64) error {
		if v.get("agentProvider").exists() != v.get("agentModel").exists() {
			return errors.New("must have agentProvider and agentModel together")
		}
		return nil
	})
	descriptor = choice("mode", map[string]rule{
		"one-shot":    object(members{"mode": text, "version": exactly(3), "provider": nonEmpty, "label?": text}),
		"continuable": continuable,
	}, nil)
)

// instant is a time as JavaScript writes it.
func instant(v value, _ int64) error {
	const layout = "2006-01-02T15:04:05.000Z"
	if t, err := time.Parse(layout, v.text); v.kind != '"' || err != nil || t.Format(layout) != v.text || strings.HasPrefix(v.text, "0000") {
		return errors.New("must be a time such as 2006-01-02T15:04:05.000Z")
	}
	return nil
}

// blank is what JavaScript's trim takes away.
func blank(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\v', '\f', '\r', 0xa0, 0xfeff, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000:
		return true
	}
	return 0x2000 <= r && r <= 0x200a
}
