package inspect

import (
	"bytes"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/corpustest"
	"rollbook/internal/fsx"
	"rollbook/internal/zstdio"
)

// explained says for every diagnostic of the corpus why the contract has it:
// the code, the object that it is about, and after a colon the keys or types.
// What Codex wrote undamaged is lost for no other reason.
const explained = `
invalid_record bare: header state message reasoning function_call function_call_output local_shell_call
line_limit
missing_session_metadata behind line_limit
repeated_session_metadata

omitted_fields envelope: ordinal metadata
omitted_fields session_meta: account_scoped agent_nickname base_instructions context_window dynamic_tools forked_from_id forked_from_ordinal_exclusive git history_base history_mode instructions memory_mode model_provider multi_agent_version originator parent_thread_id runtime_workspace_roots session_id source thread_source timestamp
omitted_fields turn_context: approval_policy approvals_reviewer collaboration_mode comp_hash current_date developer_instructions disabled_plugin_ids effort final_output_json_schema model multi_agent_version permission_profile personality realtime_active root_turn_id sandbox_policy summary timezone truncation_policy user_instructions workspace_roots
omitted_fields compacted: compaction_response_id first_window_id guardian_history latest_token_usage_record previous_window_id replacement_history replacement_history_metadata resume_metadata retained_context window_id window_number
omitted_fields response_item/message: internal_chat_message_metadata_passthrough status
omitted_fields response_item/message output_text: annotations
omitted_fields response_item/function_call: internal_chat_message_metadata_passthrough status
omitted_fields response_item/function_call_output: internal_chat_message_metadata_passthrough
omitted_fields response_item/custom_tool_call: internal_chat_message_metadata_passthrough status
omitted_fields response_item/custom_tool_call_output: internal_chat_message_metadata_passthrough

omitted_event_msg: agent_message agent_reasoning agent_reasoning_raw_content context_compacted entered_review_mode exited_review_mode image_generation_end item_completed mcp_tool_call_end patch_apply_end task_complete task_started thread_goal_updated thread_rolled_back thread_settings_applied token_count turn_aborted user_message web_search_end
omitted_reasoning
omitted_item: additional_tools ghost_snapshot image_generation_call local_shell_call tool_search_call tool_search_output web_search_call
omitted_block response_item/message: input_image
omitted_block response_item/function_call_output: input_image
compaction: compacted
unknown_record: retained_context token_usage_record world_state
`

// TestCorpus reads every rollout of the corpus. Each report agrees with the
// oracle, and each of its diagnostics with the table.
func TestCorpus(t *testing.T) {
	reasons := make(map[string]bool)
	states := make(map[string]int)
	for _, path := range corpustest.Rollouts(t) {
		got, err := openRead(fsx.OS, path, DefaultLimits)
		if err != nil {
			t.Error(err)
			continue
		}
		text := plainText(t, path)
		rep := checkReading(t, got, text)
		states[rep.State]++
		if info := must(os.Stat(path)); rep.SnapshotBytes != info.Size() {
			t.Errorf("snapshot of %d bytes, want %d", rep.SnapshotBytes, info.Size())
		}
		maps.Copy(reasons, checkOracle(t, rep, text, DefaultLimits).reasons)
		if t.Failed() {
			t.Fatal(path)
		}
	}
	if states["read"] != 0 || states["empty"] != 0 || states["partial"] != 387 {
		t.Errorf("states %v", states)
	}
	table := make(map[string]bool)
	for line := range strings.Lines(explained) {
		about, words, _ := strings.Cut(strings.TrimSpace(line), ":")
		if about != "" && words == "" {
			table[about] = true
		}
		for _, word := range strings.Fields(words) {
			table[about+": "+word] = true
		}
	}
	for _, r := range slices.Sorted(maps.Keys(reasons)) {
		if !table[r] {
			t.Errorf("not explained: %s", r)
		}
		delete(table, r)
	}
	for _, r := range slices.Sorted(maps.Keys(table)) {
		t.Errorf("explained and not seen: %s", r)
	}
}

// plainText gives a rollout's text, decompressed.
func plainText(t *testing.T, path string) string {
	t.Helper()
	data := must(os.ReadFile(path))
	if !zstdio.IsFrame(data) {
		return string(data)
	}
	z := must(zstdio.NewReader(bytes.NewReader(data)))
	defer z.Close()
	return string(must(io.ReadAll(z)))
}
