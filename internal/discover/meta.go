package discover

import (
	"fmt"
	"slices"
	"strings"

	"rollbook/internal/rollout"
)

// The longest id and the longest other text that are kept, in bytes.
const (
	maxID   = 256
	maxText = 4 << 10
)

// fill takes over what the Ref does not have yet.
func (h *head) fill(line int, m *rollout.SessionMeta) {
	r := &h.ref
	spawn := m.Source.Spawn
	for _, field := range []struct {
		to   *string
		from string
	}{
		{&r.SessionID, m.SessionID},
		{&r.ParentID, orElse(m.ParentThreadID, spawn.ParentThreadID)},
		{&r.ForkedFrom, m.ForkedFromID},
		{&r.Cwd, m.CWD},
		{&r.Source, sourceName(m.Source)},
		{&r.ThreadSource, m.ThreadSource},
		{&r.AgentNickname, orElse(m.AgentNickname, spawn.AgentNickname)},
		{&r.AgentRole, orElse(m.AgentRole, spawn.AgentRole)},
		{&r.AgentPath, orElse(m.AgentPath, spawn.AgentPath)},
		{&r.Originator, m.Originator},
		{&r.Version, m.CLIVersion},
		{&r.Provider, m.ModelProvider},
		{&r.HistoryMode, m.HistoryMode},
	} {
		if *field.to == "" {
			*field.to = h.bounded(field.from)
		}
	}
	if r.Depth == 0 && spawn.Depth.OK && spawn.Depth.Value > 0 && spawn.Depth.Value < 1<<30 {
		r.Depth = int(spawn.Depth.Value)
	}
	if r.Created.IsZero() {
		r.Created = timeOf(m.Timestamp)
	}
	if r.MetaLine == line {
		r.ForkOrdinal, r.SubagentStart = ordinal(m.ForkedFromEnd), ordinal(m.OwnFrom)
		r.Base = h.base(m)
	}
	if odd := used(m.Odd()); len(odd) > 0 {
		h.note(line, InvalidMetadata, "of another kind than known: "+strings.Join(odd, ", "))
	}
}

// base takes history_base. One that is there but does not say which file is
// still a base: what comes before this file is then missing, not empty.
func (h *head) base(m *rollout.SessionMeta) *Base {
	recorded := h.env.Payload.Get("history_base")
	if recorded == nil || recorded.IsNull() {
		return nil
	}
	b := &Base{ThreadID: m.HistoryBase.ThreadID, EndOrdinal: -1, EndByte: -1}
	if n := ordinal(m.HistoryBase.End); n != nil {
		b.EndOrdinal = *n
	}
	if n := ordinal(m.HistoryBase.EndByte); n != nil {
		b.EndByte = *n
	}
	if len(b.ThreadID) > maxID {
		b.ThreadID = ""
	}
	if b.ThreadID == "" || b.EndOrdinal < 0 || b.EndByte < 0 {
		h.note(h.ref.MetaLine, InvalidMetadata, fmt.Sprintf("history_base does not say where the history before this file ends: %.200s", recorded))
	}
	return b
}

// ordinal is a count that cannot be negative, or nil.
func ordinal(n rollout.Opt[int64]) *int64 {
	if !n.OK || n.Value < 0 {
		return nil
	}
	return &n.Value
}

// bounded gives a text as it is kept: one that is absurdly long is none.
func (h *head) bounded(s string) string {
	if len(s) > maxText {
		h.note(h.ref.MetaLine, InvalidMetadata, fmt.Sprintf("text of %d bytes, more than the limit of %d", len(s), maxText))
		return ""
	}
	return s
}

// used gives the fields that a Ref is made of.
func used(odd []string) []string {
	return slices.DeleteFunc(slices.Clone(odd), func(field string) bool {
		top, _, _ := strings.Cut(field, ".")
		switch top {
		case "id", "session_id", "parent_thread_id", "forked_from_id", "forked_from_ordinal_exclusive", "cwd", "source", "thread_source",
			"agent_nickname", "agent_role", "agent_path", "originator", "cli_version", "model_provider", "history_mode", "timestamp",
			"subagent_history_start_ordinal":
			return false
		}
		return true
	})
}

// sourceName spells a source in one word (spec of Ref.Source). What is not a
// plain word is unknown.
func sourceName(s rollout.Source) string {
	switch name := strings.ToLower(s.Name); name {
	case "mcp", "appserver", "app-server":
		return "app_server"
	case "subagent":
		switch s.SubAgent {
		case "thread_spawn", "review", "compact", "memory_consolidation":
			return "subagent:" + s.SubAgent
		}
		return "subagent:other:" + word(s.SubAgent)
	case "custom":
		if s.Custom != "" {
			return "custom:" + word(s.Custom)
		}
		return "custom"
	case "":
		return ""
	default:
		return word(name)
	}
}

// word gives s where it is a short word without anything but letters, digits
// and .-_, and "unknown" for anything else.
func word(s string) string {
	plain := len(s) > 0 && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
	if !plain {
		return "unknown"
	}
	return s
}
