package rollout

import "fmt"

// A RecordType says what a record, a response item, an event or a turn item
// is. Names that this package does not know give the Unknown of their family.
type RecordType uint8

const (
	// Records, by the line's own type.
	RecordUnknown RecordType = iota
	RecordBareHeader
	RecordBareState
	RecordSessionMeta
	RecordTurnContext
	RecordCompacted
	RecordWorldState
	RecordTokenUsage
	RecordInterAgent
	RecordInterAgentMetadata
	RecordRetainedContext
	RecordSecurityRiskScore
	RecordRealtimeItem

	// Response items: records of type response_item, bare lines, and the
	// elements of a compaction's replacement history.
	ItemUnknown
	ItemMessage
	ItemReasoning
	ItemFunctionCall
	ItemFunctionCallOutput
	ItemCustomToolCall
	ItemCustomToolCallOutput
	ItemLocalShellCall
	ItemToolSearchCall
	ItemToolSearchOutput
	ItemWebSearchCall
	ItemImageGenerationCall
	ItemAgentMessage
	ItemGhostSnapshot
	ItemCompaction
	ItemContextCompaction
	ItemCompactionTrigger
	ItemAdditionalTools
	ItemConfigurationUpdate
	ItemOther

	// Events: records of type event_msg.
	EventUnknown
	EventUserMessage
	EventAgentMessage
	EventAgentReasoning
	EventAgentReasoningRaw
	EventTurnStarted
	EventTurnComplete
	EventTurnAborted
	EventThreadRolledBack
	EventContextCompacted
	EventTokenCount
	EventThreadNameUpdated
	EventThreadSettings
	EventThreadGoal
	EventExecCommandEnd
	EventPatchApplyEnd
	EventMCPToolCallEnd
	EventWebSearchEnd
	EventViewImage
	EventImageGenerationEnd
	EventDynamicToolCallRequest
	EventDynamicToolCallResponse
	EventCollabSpawnEnd
	EventCollabInteractionEnd
	EventCollabWaitingEnd
	EventCollabCloseEnd
	EventCollabResumeEnd
	EventSubAgentActivity
	EventEnteredReview
	EventExitedReview
	EventGuardianAssessment
	EventError
	EventUndoCompleted
	EventItemCompleted

	// Turn items: what an item_completed event carries.
	TurnItemUnknown
	TurnItemUserMessage
	TurnItemAgentMessage
	TurnItemReasoning
	TurnItemPlan
	TurnItemCommandExecution
	TurnItemFileChange
	TurnItemMCPToolCall
	TurnItemDynamicToolCall
	TurnItemFunctionCallOutput
	TurnItemWebSearch
	TurnItemImageView
	TurnItemImageGeneration
	TurnItemCollabCall
	TurnItemSubAgentActivity
	TurnItemContextCompaction
	TurnItemEnteredReview
	TurnItemExitedReview
	TurnItemHookPrompt
	TurnItemSleep
	TurnItemExtension

	typeCount
)

// A family is a set of names that stand at the same place in a line.
type family uint8

const (
	recordFamily family = iota
	itemFamily
	eventFamily
	turnItemFamily
	familyCount
)

// unknown gives the type of a name that the family does not have.
func (f family) unknown() RecordType {
	return [familyCount]RecordType{RecordUnknown, ItemUnknown, EventUnknown, TurnItemUnknown}[f]
}

// A typeRow is one name that Codex writes: what it decodes into and what a
// reader does with it. docs/format/rollout.md shows the same table.
type typeRow struct {
	typ   RecordType
	name  string
	make  func() Payload
	treat string
}

// types holds every known type, family by family.
var types = [familyCount][]typeRow{
	recordFamily: {
		{RecordBareHeader, "", make1[BareHeader], "opens a file of the bare era: id, time, git"},
		{RecordBareState, "", make1[BareState], "noise of the bare era: known and skipped"},
		{RecordSessionMeta, "session_meta", make1[SessionMeta], "opens a file; a second one opens a copied prefix or repeats the first"},
		{RecordTurnContext, "turn_context", make1[TurnContext], "folder, model and effort of a turn"},
		{RecordCompacted, "compacted", make1[Compacted], "compaction: the summary, and what the model sees from here on"},
		{RecordWorldState, "world_state", make1[WorldState], "what Codex told the model of its surroundings: kept raw"},
		{RecordTokenUsage, "token_usage_record", make1[TokenUsageRecord], "usage of one response, of its turn and of the thread"},
		{RecordInterAgent, "inter_agent_communication", make1[InterAgent], "text from one agent to another"},
		{RecordInterAgentMetadata, "inter_agent_communication_metadata", make1[InterAgentMetadata], "whether the message before it starts a turn"},
		{RecordRetainedContext, "retained_context", make1[RetainedContext], "a copy kept for later checks: not shown"},
		{RecordSecurityRiskScore, "security_risk_score", make1[SecurityRiskScore], "a score for Codex's own use: not shown"},
		{RecordRealtimeItem, "realtime_item", make1[RealtimeItem], "a mark or a transcript piece of a voice session"},
	},
	itemFamily: {
		{ItemMessage, "message", make1[Message], "text and images; role and content kinds tell prompts from injected context"},
		{ItemReasoning, "reasoning", make1[Reasoning], "reasoning: summaries and raw text; the encrypted part stays closed"},
		{ItemFunctionCall, "function_call", make1[ToolCall], "tool call"},
		{ItemFunctionCallOutput, "function_call_output", make1[ToolOutput], "tool result"},
		{ItemCustomToolCall, "custom_tool_call", make1[ToolCall], "tool call"},
		{ItemCustomToolCallOutput, "custom_tool_call_output", make1[ToolOutput], "tool result"},
		{ItemLocalShellCall, "local_shell_call", make1[LocalShellCall], "tool call"},
		{ItemToolSearchCall, "tool_search_call", make1[ToolCall], "tool call; arguments are an object"},
		{ItemToolSearchOutput, "tool_search_output", make1[ToolOutput], "tool result; the tools found are kept raw"},
		{ItemWebSearchCall, "web_search_call", make1[WebSearch], "tool call made by the provider; no output is recorded"},
		{ItemImageGenerationCall, "image_generation_call", make1[ImageGeneration], "tool call made by the provider, with its image"},
		{ItemAgentMessage, "agent_message", make1[AgentMessage], "text from one agent to another; may be encrypted"},
		{ItemGhostSnapshot, "ghost_snapshot", make1[GhostSnapshot], "a commit that undo goes back to: not shown"},
		{ItemCompaction, "compaction", make1[Compaction], "compaction: encrypted, stays closed"},
		{ItemContextCompaction, "context_compaction", make1[Compaction], "compaction: encrypted, stays closed"},
		{ItemCompactionTrigger, "compaction_trigger", make1[Compaction], "compaction: a request for one"},
		{ItemAdditionalTools, "additional_tools", make1[AdditionalTools], "tools offered to the model: not shown"},
		{ItemConfigurationUpdate, "configuration_update", make1[ConfigurationUpdate], "a change of effort: not shown"},
		{ItemOther, "other", make1[OtherItem], "an item that Codex itself did not know: kept raw"},
	},
	eventFamily: {
		{EventUserMessage, "user_message", make1[UserMessageEvent], "what a person typed, as shown"},
		{EventAgentMessage, "agent_message", make1[AgentMessageEvent], "what the model answered, as shown"},
		{EventAgentReasoning, "agent_reasoning", make1[ReasoningEvent], "one reasoning summary"},
		{EventAgentReasoningRaw, "agent_reasoning_raw_content", make1[ReasoningEvent], "raw reasoning text"},
		{EventTurnStarted, "task_started", make1[TurnStarted], "opens a turn"},
		{EventTurnComplete, "task_complete", make1[TurnComplete], "closes a turn; repeats the last answer; may hold an error"},
		{EventTurnAborted, "turn_aborted", make1[TurnAborted], "closes a turn that was interrupted"},
		{EventThreadRolledBack, "thread_rolled_back", make1[ThreadRolledBack], "hides the last user turns before it"},
		{EventContextCompacted, "context_compacted", make1[ContextCompacted], "mirror of a compacted record"},
		{EventTokenCount, "token_count", make1[TokenCount], "running totals; repeats are common"},
		{EventThreadNameUpdated, "thread_name_updated", make1[ThreadName], "title"},
		{EventThreadSettings, "thread_settings_applied", make1[ThreadSettings], "folder, model and effort from here on"},
		{EventThreadGoal, "thread_goal_updated", make1[ThreadGoal], "notice: the goal"},
		{EventExecCommandEnd, "exec_command_end", make1[CommandExecution], "mirror of a command's result, or the only trace of it"},
		{EventPatchApplyEnd, "patch_apply_end", make1[FileChange], "mirror of a patch's result, or the only trace of it"},
		{EventMCPToolCallEnd, "mcp_tool_call_end", make1[MCPToolCall], "mirror of an MCP call and its result"},
		{EventWebSearchEnd, "web_search_end", make1[WebSearch], "mirror of a web search"},
		{EventViewImage, "view_image_tool_call", make1[ImageView], "mirror of an image view"},
		{EventImageGenerationEnd, "image_generation_end", make1[ImageGeneration], "mirror of an image generation"},
		{EventDynamicToolCallRequest, "dynamic_tool_call_request", make1[DynamicToolCall], "mirror of a call to a client's tool"},
		{EventDynamicToolCallResponse, "dynamic_tool_call_response", make1[DynamicToolCall], "mirror of a client tool's result"},
		{EventCollabSpawnEnd, "collab_agent_spawn_end", make1[CollabCall], "a sub-agent was started"},
		{EventCollabInteractionEnd, "collab_agent_interaction_end", make1[CollabCall], "a sub-agent was written to"},
		{EventCollabWaitingEnd, "collab_waiting_end", make1[CollabCall], "sub-agents were waited for"},
		{EventCollabCloseEnd, "collab_close_end", make1[CollabCall], "a sub-agent was closed"},
		{EventCollabResumeEnd, "collab_resume_end", make1[CollabCall], "a sub-agent was resumed"},
		{EventSubAgentActivity, "sub_agent_activity", make1[SubAgentActivity], "a sub-agent started, was written to or ended"},
		{EventEnteredReview, "entered_review_mode", make1[EnteredReview], "notice: a review begins; its prompt stands only here"},
		{EventExitedReview, "exited_review_mode", make1[ExitedReview], "notice: a review's findings"},
		{EventGuardianAssessment, "guardian_assessment", make1[GuardianAssessment], "notice: an automatic approval"},
		{EventError, "error", make1[ErrorEvent], "notice: an error"},
		{EventUndoCompleted, "undo_completed", make1[UndoCompleted], "notice: files were put back"},
		{EventItemCompleted, "item_completed", make1[ItemCompleted], "carries a turn item"},
	},
	turnItemFamily: {
		{TurnItemUserMessage, "UserMessage", make1[UserMessage], "what a person typed, as shown"},
		{TurnItemAgentMessage, "AgentMessage", make1[AssistantMessage], "what the model answered, as shown"},
		{TurnItemReasoning, "Reasoning", make1[ReasoningItem], "reasoning summaries and raw text"},
		{TurnItemPlan, "Plan", make1[Plan], "a proposed plan; there is no AgentMessage for it"},
		{TurnItemCommandExecution, "CommandExecution", make1[CommandExecution], "mirror of a command and its result, or the only trace of it"},
		{TurnItemFileChange, "FileChange", make1[FileChange], "mirror of a patch and its result, or the only trace of it"},
		{TurnItemMCPToolCall, "McpToolCall", make1[MCPToolCall], "mirror of an MCP call and its result"},
		{TurnItemDynamicToolCall, "DynamicToolCall", make1[DynamicToolCall], "mirror of a call to a client's tool and its result"},
		{TurnItemFunctionCallOutput, "FunctionCallOutput", make1[ToolOutput], "mirror of a tool result"},
		{TurnItemWebSearch, "WebSearch", make1[WebSearch], "mirror of a web search"},
		{TurnItemImageView, "ImageView", make1[ImageView], "mirror of an image view"},
		{TurnItemImageGeneration, "ImageGeneration", make1[ImageGeneration], "mirror of an image generation"},
		{TurnItemCollabCall, "CollabAgentToolCall", make1[CollabCall], "mirror of a call that starts, writes to or waits for sub-agents"},
		{TurnItemSubAgentActivity, "SubAgentActivity", make1[SubAgentActivity], "a sub-agent started, was written to or ended"},
		{TurnItemContextCompaction, "ContextCompaction", make1[ContextCompacted], "mirror of a compacted record"},
		{TurnItemEnteredReview, "EnteredReviewMode", make1[EnteredReview], "notice: a review begins; its prompt stands only here"},
		{TurnItemExitedReview, "ExitedReviewMode", make1[ExitedReview], "notice: a review's findings"},
		{TurnItemHookPrompt, "HookPrompt", make1[HookPrompt], "text that a hook gave to the model: injected context"},
		{TurnItemSleep, "Sleep", make1[Sleep], "the model waited: not shown"},
		{TurnItemExtension, "Extension", make1[Extension], "an item of an extension: kept raw"},
	},
}

// make1 makes a payload of the type T.
func make1[T any, P interface {
	*T
	Payload
}]() Payload {
	return P(new(T))
}

// row and byName are types, for look-up by type and by name.
var row, byName = func() (row [typeCount]*typeRow, byName [familyCount]map[string]RecordType) {
	for f := range types {
		byName[f] = make(map[string]RecordType, len(types[f]))
		for i := range types[f] {
			r := &types[f][i]
			row[r.typ] = r
			if r.name != "" {
				byName[f][r.name] = r.typ
			}
		}
	}
	return row, byName
}()

// String gives the name as Codex writes it.
func (t RecordType) String() string {
	switch t {
	case RecordUnknown, ItemUnknown, EventUnknown, TurnItemUnknown:
		return "unknown"
	case RecordBareHeader:
		return "bare header"
	case RecordBareState:
		return "bare state"
	}
	if t < typeCount {
		return row[t].name
	}
	return fmt.Sprintf("RecordType(%d)", uint8(t))
}

// IsItem, IsEvent and IsTurnItem tell the family of the type, unknown members
// included.
func (t RecordType) IsItem() bool     { return ItemUnknown <= t && t < EventUnknown }
func (t RecordType) IsEvent() bool    { return EventUnknown <= t && t < TurnItemUnknown }
func (t RecordType) IsTurnItem() bool { return TurnItemUnknown <= t && t < typeCount }

// find gives the type of the name that v spells in the family.
func (f family) find(v Raw) RecordType {
	if !v.IsString() {
		return f.unknown()
	}
	if t, ok := byName[f][string(v[1:len(v)-1])]; ok {
		return t
	}
	if s, _ := v.Text(); byName[f][s] != 0 {
		return byName[f][s]
	}
	return f.unknown()
}

// Bare reports whether the line is one of the bare era: no envelope, the item
// or header itself (docs/format/rollout.md F1).
func (env *Envelope) Bare() bool {
	return env.Object && env.Payload == nil && recordFamily.find(env.Type) == RecordUnknown &&
		!env.Type.Is("response_item") && !env.Type.Is("event_msg")
}

// RecordType says what a line holds, by its envelope alone. A bare line
// without a type is taken for a header or a state by its timestamp; Decode
// looks closer and may find it unknown.
func (env *Envelope) RecordType() RecordType {
	switch {
	case env.Type.Is("response_item"):
		return itemFamily.find(env.PayloadType)
	case env.Type.Is("event_msg"):
		return eventFamily.find(env.PayloadType)
	case env.Payload != nil || !env.Object:
		return recordFamily.find(env.Type)
	case env.Type != nil:
		if t := itemFamily.find(env.Type); t != ItemUnknown {
			return t
		}
		return recordFamily.find(env.Type)
	case env.Timestamp != nil:
		return RecordBareHeader
	}
	return RecordBareState
}
