package rollout

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// comparer holds typed payloads against what encoding/json made of them.
type comparer struct {
	seen map[string]int // struct fields that held a value
	errs []string
}

func (c *comparer) fail(format string, args ...any) {
	c.errs = append(c.errs, fmt.Sprintf(format, args...))
}

func (c *comparer) payload(p Payload, want map[string]any) {
	for _, f := range p.Odd() {
		c.fail("odd field %s", f)
	}
	if u, ok := p.(*Unknown); ok {
		c.fail("unknown type %q", u.Name)
		return
	}
	c.fields(p.Type(), reflect.ValueOf(p).Elem(), want)
	switch p := p.(type) {
	case *ItemCompleted:
		c.payload(p.Item, want["item"].(map[string]any))
	case *Compacted:
		list, _ := want["replacement_history"].([]any)
		for i, item := range p.Replacement.All() {
			c.payload(item, list[i].(map[string]any))
		}
	}
}

// fields compares the fields of a struct, its embedded structs included.
func (c *comparer) fields(typ RecordType, v reflect.Value, want map[string]any) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name := v.Type().Name() + "." + f.Name
		if path, ok := fieldPaths[name]; ok && path == "-" {
			continue
		}
		switch {
		case f.Type == reflect.TypeFor[base]() || !f.Anonymous && !f.IsExported():
		case f.Anonymous:
			sub := want
			if path, ok := fieldPaths[name]; ok {
				got, _ := lookup(want, path).(map[string]any)
				sub = got
			}
			c.fields(typ, v.Field(i), sub)
		default:
			c.field(typ, name, v.Field(i).Interface(), lookup(want, fieldPath(typ, name)))
		}
	}
}

// field compares one value. want is nil where the key is absent or null.
func (c *comparer) field(typ RecordType, name string, got, want any) {
	if want != nil {
		c.seen[name]++
	}
	same := false
	switch got := got.(type) {
	case string:
		s, _ := want.(string)
		same = got == s
	case Text:
		s, ok := want.(string)
		same = got.String() == s && got.OK() == ok
	case bool: // there is something at all
		same = got == (want != nil)
	case Opt[int64]:
		n, ok := want.(float64)
		same = got.OK == ok && got.Value == int64(n)
	case Opt[bool]:
		b, ok := want.(bool)
		same = got.OK == ok && got.Value == b
	case Opt[time.Duration]:
		m, ok := want.(map[string]any)
		var ns time.Duration
		if ok {
			ns = time.Duration(m["secs"].(float64))*time.Second + time.Duration(m["nanos"].(float64))
		}
		same = got.OK == ok && got.Value == ns
	case Texts:
		list, ok := want.([]any)
		same = got.OK() == ok && fmt.Sprint(got.Strings()) == fmt.Sprint(stringList(list))
	case Blocks:
		c.blocks(name, got, want)
		return
	case Raw:
		var v any
		if got != nil {
			if err := json.Unmarshal(got, &v); err != nil {
				c.fail("%s: %v", name, err)
			}
		}
		same = reflect.DeepEqual(v, want)
	case Items:
		list, ok := want.([]any)
		n := 0
		for range got.All() {
			n++
		}
		same = got.OK() == ok && n == len(list)
	case Changes:
		c.changes(got, want)
		return
	case Findings:
		list, _ := want.([]any)
		for i, f := range got.All() {
			c.fields(typ, reflect.ValueOf(f), list[i].(map[string]any))
		}
		same = true
	case AgentStates:
		c.states(got, want)
		return
	case Source:
		same = sameSource(got, want)
	case Payload:
		same = want != nil
	default:
		m, _ := want.(map[string]any)
		c.fields(typ, reflect.ValueOf(got), m)
		same = true
	}
	if !same {
		c.fail("%s is %v, want %v", name, got, want)
	}
}

func (c *comparer) blocks(name string, got Blocks, want any) {
	list, ok := want.([]any)
	if got.OK() != ok {
		c.fail("%s: list %v, want %v", name, got.OK(), ok)
	}
	n := 0
	var text strings.Builder
	for i, b := range got.All() {
		n++
		if b.Odd || b.Kind == BlockUnknown && name != "HookPrompt.Fragments" {
			c.fail("%s[%d] is odd or unknown: %s", name, i, b.Raw)
		}
		m := list[i].(map[string]any)
		str := func(keys ...string) (s string) {
			for _, k := range keys {
				if v, ok := m[k].(string); ok {
					s = v
				}
			}
			return s
		}
		if b.Kind == BlockText {
			text.WriteString(str("text"))
		}
		for _, x := range [][2]string{
			{b.Type, str("type")}, {b.Text.String(), str("text")}, {b.URL.String(), str("image_url", "audio_url")}, {b.Data.String(), str("data")},
			{b.MIME, str("mimeType")}, {b.File, str("file_id")}, {b.Path, str("path")}, {b.Name, str("name")},
		} {
			if x[0] != x[1] {
				c.fail("%s[%d]: %q, want %q", name, i, x[0], x[1])
			}
		}
	}
	if n != len(list) {
		c.fail("%s: %d blocks, want %d", name, n, len(list))
	}
	if got.Text() != text.String() {
		c.fail("%s: text %q, want %q", name, got.Text(), text.String())
	}
}

func (c *comparer) changes(got Changes, want any) {
	m, _ := want.(map[string]any)
	n := 0
	for ch := range got.All() {
		n++
		w, ok := m[ch.Path.String()].(map[string]any)
		str := func(k string) string { s, _ := w[k].(string); return s }
		if !ok || ch.Odd || ch.Type != str("type") || ch.Content.String() != str("content") ||
			ch.Diff.String() != str("unified_diff") || ch.MovePath != str("move_path") {
			c.fail("change %v, want %v", ch, w)
		}
	}
	if n != len(m) {
		c.fail("%d changes, want %d", n, len(m))
	}
}

func (c *comparer) states(got AgentStates, want any) {
	m, _ := want.(map[string]any)
	n := 0
	for id, s := range got.All() {
		n++
		switch w := m[id].(type) {
		case string:
			if s.Name != w {
				c.fail("state %v, want %v", s, w)
			}
		case map[string]any:
			if w[s.Name] != s.Message.String() {
				c.fail("state %v, want %v", s, w)
			}
		default:
			c.fail("state of %q: %v", id, w)
		}
	}
	if n != len(m) {
		c.fail("%d states, want %d", n, len(m))
	}
}

// sameSource holds a source against the value that it came from.
func sameSource(s Source, want any) bool {
	switch want := want.(type) {
	case nil:
		return s == Source{}
	case string:
		return s == Source{Name: want}
	case map[string]any:
		if name, ok := want["custom"].(string); ok {
			return s == Source{Name: "custom", Custom: name}
		}
		switch sub := want["subagent"].(type) {
		case string:
			return s == Source{Name: "subagent", SubAgent: sub}
		case map[string]any:
			if other, ok := sub["other"].(string); ok {
				return s == Source{Name: "subagent", SubAgent: other}
			}
			m, ok := sub["thread_spawn"].(map[string]any)
			str := func(k string) string { s, _ := m[k].(string); return s }
			depth, _ := m["depth"].(float64)
			return ok && s == Source{Name: "subagent", SubAgent: "thread_spawn", Spawn: Spawn{
				ParentThreadID: str("parent_thread_id"), Depth: Opt[int64]{int64(depth), m["depth"] != nil},
				AgentNickname: str("agent_nickname"), AgentPath: str("agent_path"), AgentRole: str("agent_role"),
			}}
		}
	}
	return false
}

func stringList(list []any) []string {
	var all []string
	for _, v := range list {
		s, _ := v.(string)
		all = append(all, s)
	}
	return all
}

// lookup follows a path through objects; the first of several paths that leads
// to a value counts.
func lookup(v any, paths string) any {
	for path := range strings.SplitSeq(paths, "|") {
		at := v
		for key := range strings.SplitSeq(path, ".") {
			m, _ := at.(map[string]any)
			at = m[key]
		}
		if at != nil {
			return at
		}
	}
	return nil
}

// fieldPath says where in the payload a field's value stands: by the field's
// name, unless fieldPaths says otherwise.
func fieldPath(typ RecordType, name string) string {
	if path, ok := fieldPaths[typ.String()+":"+name]; ok {
		return path
	}
	if path, ok := fieldPaths[name]; ok {
		return path
	}
	_, field, _ := strings.Cut(name, ".")
	var snake bytes.Buffer
	for i, c := range field {
		if upper := 'A' <= c && c <= 'Z'; upper {
			if lowerNext := i+1 < len(field) && field[i+1] >= 'a'; i > 0 && (field[i-1] >= 'a' || lowerNext) {
				snake.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		snake.WriteRune(c)
	}
	return snake.String()
}

const passthrough = "internal_chat_message_metadata_passthrough."

// fieldPaths holds the paths of fields whose own name does not tell. "-" is
// compared elsewhere.
var fieldPaths = map[string]string{
	"SessionMeta.ForkedFromEnd":     "forked_from_ordinal_exclusive",
	"SessionMeta.OwnFrom":           "subagent_history_start_ordinal",
	"SessionMeta.MultiAgent":        "multi_agent_version",
	"SessionMeta.WindowID":          "context_window.window_id",
	"SessionMeta.BaseInstructions":  "base_instructions.text",
	"HistoryBase.End":               "end_ordinal_exclusive",
	"HistoryBase.EndByte":           "end_byte_offset",
	"TurnContext.CollaborationMode": "collaboration_mode.mode",
	"Compacted.Replacement":         "replacement_history",
	"Compacted.ResponseID":          "compaction_response_id",
	"Compacted.WindowID":            "-", // a number in one version: TestWindowID
	"Compacted.WindowNumber":        "-",
	"TokenUsageRecord.TurnUsage":    "turn_token_usage",
	"TokenUsageRecord.ThreadUsage":  "thread_token_usage",
	"TokenUsage.Input":              "input_tokens",
	"TokenUsage.CachedInput":        "cached_input_tokens",
	"TokenUsage.CacheWriteInput":    "cache_write_input_tokens",
	"TokenUsage.Output":             "output_tokens",
	"TokenUsage.ReasoningOutput":    "reasoning_output_tokens",
	"TokenUsage.Total":              "total_tokens",
	"TokenUsage.OK":                 "-",
	"InterAgent.Encrypted":          "encrypted_content",
	"RetainedContext.What":          "type",
	"RealtimeItem.SessionID":        "realtime_session_id",
	"RealtimeItem.What":             "type",
	"RealtimeItem.Transcript":       "data",

	"ItemMeta.TurnID":                  passthrough + "turn_id|metadata.turn_id",
	"ItemMeta.Kinds":                   passthrough + "content_item_kinds|metadata.content_item_kinds",
	"ItemMeta.ClientAuthored":          "-",
	"ItemMeta.CompactionOutput":        "-",
	"ItemMeta.Inherited":               "-",
	"web_search_end:ItemMeta.ID":       "call_id",
	"image_generation_end:ItemMeta.ID": "call_id",
	"Reasoning.Encrypted":              "encrypted_content",
	"Compaction.Encrypted":             "encrypted_content",
	"ToolCall.Arguments":               "arguments|input",
	"ToolOutput.Output":                "-", // TestOutputForms
	"ToolOutput.Blocks":                "-",
	"GhostSnapshot.Commit":             "ghost_commit.id",
	"ConfigurationUpdate.Effort":       "reasoning.effort",
	"ImageGeneration.Prompt":           "revised_prompt",

	"AgentMessageEvent.Cited":       "memory_citation",
	"AssistantMessage.Cited":        "memory_citation",
	"TurnMark.EndedAt":              "completed_at",
	"TurnStarted.ContextWindow":     "model_context_window",
	"TurnStarted.CollaborationMode": "collaboration_mode_kind",
	"TurnComplete.LastMessage":      "last_agent_message",
	"TurnComplete.FirstTokenMS":     "time_to_first_token_ms",
	"TurnError.Info":                "codex_error_info",
	"TurnError.OK":                  "-",
	"ThreadRolledBack.Turns":        "num_turns",
	"TokenInfo.Total":               "total_token_usage",
	"TokenInfo.Last":                "last_token_usage",
	"TokenInfo.ContextWindow":       "model_context_window",
	"TokenInfo.OK":                  "-",
	"ThreadName.Name":               "thread_name",
	"ThreadSettings.Settings":       "thread_settings",
	"Settings.ModelProvider":        "model_provider_id",
	"Settings.Effort":               "reasoning_effort",
	"Settings.CollaborationMode":    "collaboration_mode.mode",
	"ThreadGoal.ThreadID":           "threadId",
	"ThreadGoal.Goal":               "goal",

	"ReasoningItem.Summary":                     "summary_text",
	"ReasoningItem.Raw":                         "raw_content",
	"CommandExecution.ID":                       "id|call_id",
	"CommandExecution.Output":                   "aggregated_output",
	"CommandExecution.Formatted":                "formatted_output",
	"FileChange.ID":                             "id|call_id",
	"MCPToolCall.ID":                            "id|call_id",
	"mcp_tool_call_end:MCPToolCall.Result":      "result.Ok",
	"mcp_tool_call_end:MCPToolCall.Error":       "result.Err",
	"mcp_tool_call_end:MCPInvocation.Server":    "invocation.server",
	"mcp_tool_call_end:MCPInvocation.Tool":      "invocation.tool",
	"mcp_tool_call_end:MCPInvocation.Arguments": "invocation.arguments",
	"MCPToolCall.Error":                         "error.message",
	"MCPResult.OK":                              "-",
	"MCPResult.Structured":                      "structuredContent",
	"MCPResult.IsError":                         "isError",
	"DynamicToolCall.ID":                        "id|call_id|callId",
	"DynamicToolCall.TurnID":                    "turn_id|turnId",
	"DynamicToolCall.Content":                   "content_items",
	"ImageView.ID":                              "id|call_id",

	"CollabCall.ID":            "id|call_id",
	"CollabCall.Sender":        "sender_thread_id",
	"CollabCall.Receiver":      "receiver_thread_id|new_thread_id",
	"CollabCall.Receivers":     "receiver_thread_ids",
	"CollabCall.Nickname":      "receiver_agent_nickname|new_agent_nickname",
	"CollabCall.Role":          "receiver_agent_role|new_agent_role",
	"CollabCall.Effort":        "reasoning_effort",
	"CollabCall.CallStatus":    "-", // TestCollabStatus
	"CollabCall.Status":        "-",
	"CollabCall.States":        "agents_states|statuses",
	"SubAgentActivity.ID":      "id|event_id",
	"SubAgentActivity.What":    "kind",
	"SubAgentActivity.Effort":  "reasoning_effort",
	"SubAgentActivity.AtMS":    "occurred_at_ms",
	"EnteredReview.ID":         "id|item_id",
	"EnteredReview.Hint":       "user_facing_hint",
	"ExitedReview.ID":          "id|item_id",
	"ExitedReview.Output":      "review_output",
	"ReviewOutput.OK":          "-",
	"ReviewOutput.Explanation": "overall_explanation",
	"ReviewOutput.Correctness": "overall_correctness",
	"Finding.Where":            "code_location",
	"CodeLocation.Path":        "absolute_file_path",
	"CodeLocation.Lines":       "line_range",
}
