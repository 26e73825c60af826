package rollout

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// samples holds one line or more of every known type, short and of our own
// making. Between them they fill every field of every payload.
var samples = strings.Split(strings.TrimSpace(`
{"id":"t1","timestamp":"2025-08-01T10:00:00.000Z","instructions":"be kind","git":{"commit_hash":"c0","branch":"main","repository_url":"https://example.org/r.git"}}
{"record_type":"state"}
{"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"hello"}]}
{"timestamp":"2026-01-02T03:04:05.678Z","ordinal":0,"type":"session_meta","payload":{"id":"t1","session_id":"t0","timestamp":"2026-01-02T03:04:05Z","cwd":"/w","originator":"o","cli_version":"0.171.0","source":{"subagent":{"thread_spawn":{"parent_thread_id":"t0","depth":1,"agent_nickname":"Ada","agent_path":"/root/a","agent_role":"r"}}},"thread_source":"subagent","model_provider":"p","git":{"commit_hash":"c","branch":"b","repository_url":"u"},"history_mode":"paginated","memory_mode":"disabled","forked_from_id":"t0","forked_from_ordinal_exclusive":7,"parent_thread_id":"t0","history_base":{"thread_id":"t0","end_ordinal_exclusive":7,"end_byte_offset":4096},"subagent_history_start_ordinal":3,"agent_nickname":"Ada","agent_role":"r","agent_path":"/root/a","multi_agent_version":"v2","context_window":{"window_id":"w1"},"instructions":"old","base_instructions":{"text":"base"}}}
{"timestamp":"t","type":"session_meta","payload":{"id":"t1","source":"exec","instructions":null}}
{"timestamp":"t","type":"session_meta","payload":{"id":"t1","source":{"subagent":"review"}}}
{"timestamp":"t","type":"session_meta","payload":{"id":"t1","source":{"subagent":{"other":"guardian"}}}}
{"timestamp":"t","type":"session_meta","payload":{"id":"t1","source":{"custom":"mine"}}}
{"timestamp":"t","type":"turn_context","payload":{"turn_id":"u1","root_turn_id":"u0","cwd":"/w","model":"m","effort":"high","collaboration_mode":{"mode":"plan","settings":{}},"current_date":"2026-01-02","timezone":"UTC","user_instructions":"x","developer_instructions":"y","sandbox_policy":{"type":"read-only"}}}
{"timestamp":"t","type":"compacted","payload":{"message":"sum","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"sum"}]},{"type":"compaction","encrypted_content":"e"}],"window_number":2,"window_id":"w2","first_window_id":"w1","previous_window_id":"w1","compaction_response_id":"r1"}}
{"timestamp":"t","type":"compacted","payload":{"message":"","replacement_history":[],"window_id":3}}
{"timestamp":"t","type":"world_state","payload":{"full":true,"state":{"model":"m"}}}
{"timestamp":"t","type":"token_usage_record","payload":{"response_id":"r","session_id":"s","thread_id":"t1","turn_id":"u1","root_turn_id":"u0","usage":{"input_tokens":10,"cached_input_tokens":4,"cache_write_input_tokens":1,"output_tokens":5,"reasoning_output_tokens":2,"total_tokens":15},"turn_token_usage":{"input_tokens":20},"thread_token_usage":{"input_tokens":30}}}
{"timestamp":"t","type":"inter_agent_communication","payload":{"id":"c1","author":"/root","recipient":"/root/a","other_recipients":["/root/b"],"content":"go","encrypted_content":"e","trigger_turn":true}}
{"timestamp":"t","type":"inter_agent_communication_metadata","payload":{"trigger_turn":false}}
{"timestamp":"t","type":"retained_context","payload":{"type":"verified_answer","turn_id":"u1","call_id":"k","acceptance_order":4,"questions":[{"question":"q","answer":"a"}]}}
{"timestamp":"t","type":"security_risk_score","payload":{"score":1}}
{"timestamp":"t","type":"realtime_item","payload":{"id":"i","realtime_session_id":"rs","type":"transcript_segment","data":{"role":"user","text":"hi"}}}
{"timestamp":"t","ordinal":9,"type":"response_item","payload":{"type":"message","id":"m1","role":"assistant","phase":"final_answer","status":"completed","content":[{"type":"output_text","text":"done","annotations":[]}],"internal_chat_message_metadata_passthrough":{"turn_id":"u1","content_item_kinds":["assistant.text"]}},"metadata":{"client_authored":true,"compaction_output":true,"inherited_user_message":true}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"data:image/png;base64,iVBO","detail":"high"},{"type":"input_image","file_id":"f1"},{"type":"input_audio","audio_url":"data:audio/wav;base64,UklG"}],"metadata":{"turn_id":"u2"}}}
{"timestamp":"t","type":"response_item","payload":{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"s1"},{"type":"summary_text","text":"s2"}],"content":[{"type":"reasoning_text","text":"raw"},{"type":"text","text":"more"}],"encrypted_content":"e"}}
{"timestamp":"t","type":"response_item","payload":{"type":"function_call","id":"f","call_id":"k1","name":"say","namespace":"mcp__echo","status":"completed","arguments":"{\"text\":\"x\"}"}}
{"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","call_id":"k1","output":"Exit code: 0\n"}}
{"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","id":"o","call_id":"k1","name":"say","namespace":"n","output":[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"data:image/png;base64,iVBO"},{"type":"encrypted_content","encrypted_content":"e"}]}}
{"timestamp":"t","type":"response_item","payload":{"type":"custom_tool_call","call_id":"k2","name":"apply_patch","status":"completed","input":"*** Begin Patch"}}
{"timestamp":"t","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"k2","name":"apply_patch","output":"ok"}}
{"timestamp":"t","type":"response_item","payload":{"type":"local_shell_call","id":"l","call_id":"k3","status":"completed","action":{"type":"exec","command":["ls","-l"],"working_directory":"/w","timeout_ms":1000,"env":null,"user":null}}}
{"timestamp":"t","type":"response_item","payload":{"type":"tool_search_call","call_id":"k4","execution":"client","status":"completed","arguments":{"query":"q","limit":3}}}
{"timestamp":"t","type":"response_item","payload":{"type":"tool_search_output","call_id":"k4","execution":"client","status":"completed","tools":[{"name":"a"}]}}
{"timestamp":"t","type":"response_item","payload":{"type":"web_search_call","id":"w","status":"completed","action":{"type":"search","query":"q","queries":["q","p"]}}}
{"timestamp":"t","type":"response_item","payload":{"type":"web_search_call","status":"completed","action":{"type":"find_in_page","url":"https://example.org","pattern":"x"}}}
{"timestamp":"t","type":"response_item","payload":{"type":"image_generation_call","id":"g","status":"completed","revised_prompt":"a cat","result":"iVBO"}}
{"timestamp":"t","type":"response_item","payload":{"type":"agent_message","id":"a","author":"/root","recipient":"/root/a","content":[{"type":"input_text","text":"task:"},{"type":"encrypted_content","encrypted_content":"e"}]}}
{"timestamp":"t","type":"response_item","payload":{"type":"ghost_snapshot","ghost_commit":{"id":"c1","parent":"c0"}}}
{"timestamp":"t","type":"response_item","payload":{"type":"compaction","id":"p","encrypted_content":"e"}}
{"timestamp":"t","type":"response_item","payload":{"type":"context_compaction"}}
{"timestamp":"t","type":"response_item","payload":{"type":"compaction_trigger"}}
{"timestamp":"t","type":"response_item","payload":{"type":"additional_tools","id":"at","role":"developer","tools":[]}}
{"timestamp":"t","type":"response_item","payload":{"type":"configuration_update","reasoning":{"effort":"low"}}}
{"timestamp":"t","type":"response_item","payload":{"type":"other"}}
{"timestamp":"t","type":"event_msg","payload":{"type":"user_message","message":"hi","kind":"plain","client_id":"c","images":["data:image/png;base64,iVBO"],"local_images":["/w/a.png"],"audio":["data:audio/wav;base64,UklG"],"local_audio":["/w/a.wav"],"text_elements":[]}}
{"timestamp":"t","type":"event_msg","payload":{"type":"agent_message","message":"hello","phase":"commentary","memory_citation":{"entries":[]}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"agent_reasoning","text":"think"}}
{"timestamp":"t","type":"event_msg","payload":{"type":"agent_reasoning_raw_content","text":"raw"}}
{"timestamp":"t","type":"event_msg","payload":{"type":"task_started","turn_id":"u1","root_turn_id":"u0","started_at":1767323045,"model_context_window":272000,"collaboration_mode_kind":"default"}}
{"timestamp":"t","type":"event_msg","payload":{"type":"task_complete","turn_id":"u1","last_agent_message":"done","started_at":1,"completed_at":3,"duration_ms":2000,"time_to_first_token_ms":100,"error":{"message":"bad","codex_error_info":"other"}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"turn_aborted","turn_id":"u1","reason":"interrupted","completed_at":3,"duration_ms":1}}
{"timestamp":"t","type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":2}}
{"timestamp":"t","type":"event_msg","payload":{"type":"context_compacted"}}
{"timestamp":"t","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":1,"total_tokens":2},"last_token_usage":{"output_tokens":1},"model_context_window":9},"rate_limits":{"primary":null}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"token_count","info":null}}
{"timestamp":"t","type":"event_msg","payload":{"type":"thread_name_updated","thread_id":"t1","thread_name":"title"}}
{"timestamp":"t","type":"event_msg","payload":{"type":"thread_settings_applied","thread_id":"t1","thread_settings":{"model":"m","model_provider_id":"p","cwd":"/w","reasoning_effort":"low","collaboration_mode":{"mode":"default"}}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"thread_goal_updated","threadId":"t1","goal":{"objective":"win","status":"active"}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"exec_command_end","call_id":"k","process_id":"12","turn_id":"u1","command":["bash","-lc","ls"],"cwd":"/w","source":"agent","stdout":"a","stderr":"b","aggregated_output":"ab","exit_code":1,"duration":{"secs":1,"nanos":500},"formatted_output":"f","status":"failed"}}
{"timestamp":"t","type":"event_msg","payload":{"type":"patch_apply_end","call_id":"k","turn_id":"u1","stdout":"o","stderr":"e","success":true,"status":"completed","changes":{"/w/a":{"type":"add","content":"x\n"},"/w/b":{"type":"update","unified_diff":"@@","move_path":"/w/c"}}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"mcp_tool_call_end","call_id":"k","turn_id":"u1","invocation":{"server":"s","tool":"t","arguments":{"a":1}},"duration":{"secs":0,"nanos":1},"result":{"Ok":{"content":[{"type":"text","text":"x"},{"type":"image","data":"iVBO","mimeType":"image/png"},{"type":"resource_link","name":"n"}],"isError":false,"structuredContent":{"x":1}}}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"mcp_tool_call_end","call_id":"k","invocation":{"server":"s","tool":"t"},"result":{"Err":"no server"}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"web_search_end","call_id":"w","query":"q","action":{"type":"open_page","url":"https://example.org"}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"view_image_tool_call","call_id":"k","path":"/w/a.png"}}
{"timestamp":"t","type":"event_msg","payload":{"type":"image_generation_end","call_id":"g","status":"completed","revised_prompt":"p","result":"iVBO","saved_path":"/w/g.png"}}
{"timestamp":"t","type":"event_msg","payload":{"type":"dynamic_tool_call_request","callId":"k","turnId":"u1","tool":"t","namespace":"n","arguments":{}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"dynamic_tool_call_response","call_id":"k","turn_id":"u1","tool":"t","content_items":[{"type":"inputText","text":"x"}],"success":false,"error":"e","duration":{"secs":1,"nanos":0}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"collab_agent_spawn_end","call_id":"k","sender_thread_id":"t1","new_thread_id":"t2","new_agent_nickname":"Bo","new_agent_role":"r","prompt":"p","model":"m","reasoning_effort":"low","status":"running"}}
{"timestamp":"t","type":"event_msg","payload":{"type":"collab_agent_interaction_end","call_id":"k","sender_thread_id":"t1","receiver_thread_id":"t2","receiver_agent_nickname":"Bo","receiver_agent_role":"r","prompt":"p","status":{"completed":"done"}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"collab_waiting_end","call_id":"k","sender_thread_id":"t1","statuses":{"t2":{"errored":"e"},"t3":"running"}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"collab_close_end","call_id":"k","sender_thread_id":"t1","receiver_thread_id":"t2","status":"shutdown"}}
{"timestamp":"t","type":"event_msg","payload":{"type":"collab_resume_end","call_id":"k","sender_thread_id":"t1","receiver_thread_id":"t2","status":{"completed":null}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"sub_agent_activity","event_id":"e","occurred_at_ms":5,"agent_thread_id":"t2","agent_path":"/root/a","kind":"started"}}
{"timestamp":"t","type":"event_msg","payload":{"type":"entered_review_mode","item_id":"i","turn_id":"u1","target":{"type":"custom","instructions":"look"},"user_facing_hint":"h"}}
{"timestamp":"t","type":"event_msg","payload":{"type":"exited_review_mode","item_id":"i","turn_id":"u1","review_output":{"overall_explanation":"fine","overall_correctness":"patch is correct","overall_confidence_score":0.5,"findings":[{"title":"t","body":"b","priority":1,"confidence_score":0.25,"code_location":{"absolute_file_path":"/w/a","line_range":{"start":1,"end":2}}}]}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"guardian_assessment","id":"g","target_item_id":"i","turn_id":"u1","status":"approved","risk_level":"low","rationale":"safe","action":{"type":"command"}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"error","message":"boom","codex_error_info":{"http_connection_failed":{"http_status_code":500}}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"undo_completed","success":true,"message":"m"}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","thread_id":"t1","turn_id":"u1","started_at_ms":1,"completed_at_ms":2,"item":{"type":"UserMessage","id":"i","client_id":"c","content":[{"type":"text","text":"hi","text_elements":[]},{"type":"image","image_url":"data:image/png;base64,iVBO"},{"type":"local_image","path":"/w/a.png"},{"type":"local_audio","path":"/w/a.wav"},{"type":"audio","audio_url":"u"},{"type":"mention","name":"n","path":"app://n"},{"type":"skill","name":"n","path":"/s"}]}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","thread_id":"t1","turn_id":"u1","item":{"type":"AgentMessage","id":"i","phase":"final_answer","memory_citation":{"entries":[]},"content":[{"type":"Text","text":"hello"}]}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"Reasoning","id":"i","summary_text":["a","b"],"raw_content":["c"]}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"Plan","id":"i","text":"1. do"}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"i","process_id":"9","command":["ls"],"cwd":"file:///w","source":"agent","status":"completed","stdout":"a","stderr":"","aggregated_output":"a","exit_code":0,"duration":{"secs":0,"nanos":7},"formatted_output":"a"}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"FileChange","id":"i","status":"completed","changes":{"/w/d":{"type":"delete","content":"x"}},"stdout":"","stderr":""}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"McpToolCall","id":"i","server":"s","tool":"t","arguments":null,"status":"failed","result":{"content":[],"isError":true,"structuredContent":null},"error":{"message":"e"},"duration":{"secs":2,"nanos":0}}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"DynamicToolCall","id":"i","namespace":"n","tool":"t","arguments":{"id":1},"status":"completed","success":true,"content_items":[{"type":"inputText","text":"x"},{"type":"inputImage","image_url":"u"},{"type":"inputAudio","audio_url":"u"}],"duration":{"secs":0,"nanos":0}}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"FunctionCallOutput","id":"i","name":"n","namespace":"s","output":"text"}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"WebSearch","id":"i","query":"q","action":{"type":"other"}}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"ImageView","id":"i","path":"file:///w/a.png"}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"ImageGeneration","id":"i","status":"completed","revised_prompt":"p","result":"iVBO","saved_path":"/w/g.png"}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"CollabAgentToolCall","id":"i","tool":"wait","status":"completed","sender_thread_id":"t1","receiver_thread_ids":["t2"],"prompt":"p","model":"m","reasoning_effort":"low","agents_states":{"t2":{"completed":"done"}}}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"SubAgentActivity","id":"i","kind":"completed","agent_thread_id":"t2","agent_path":"/root/a","model":"m","reasoning_effort":"low"}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"ContextCompaction","id":"i"}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"EnteredReviewMode","id":"i","target":{"type":"baseBranch","branch":"main","sha":"c0"},"user_facing_hint":"h"}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"ExitedReviewMode","id":"i","review_output":null}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"HookPrompt","id":"i","fragments":[{"text":"x","hookRunId":"h"}]}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"Sleep","id":"i","duration_ms":5}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"Extension","id":"i"}}}
`), "\n")

// decodeLine decodes a line that has to be valid.
func decodeLine(t testing.TB, line string) Payload {
	t.Helper()
	var env Envelope
	if f := Scan([]byte(line), &env); f != NoFault {
		t.Fatalf("%v: %s", f, line)
	}
	return Decode(&env, []byte(line))
}

// There is a sample of every known type; each decodes without an odd field to
// what a generic decoding of the line holds; and each field of each payload is
// filled by one of them.
func TestSamples(t *testing.T) {
	c := &comparer{seen: map[string]int{}}
	types := map[RecordType]bool{}
	for _, line := range samples {
		p := decodeLine(t, line)
		types[p.Type()] = true
		if ic, ok := p.(*ItemCompleted); ok {
			types[ic.Item.Type()] = true
		}
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		if payload, ok := m["payload"].(map[string]any); ok {
			m = payload
		}
		c.errs = nil
		c.payload(p, m)
		for _, e := range c.errs {
			t.Errorf("%s: %s", line, e)
		}
	}
	for typ := RecordType(0); typ < typeCount; typ++ {
		if row[typ] == nil {
			continue
		}
		if !types[typ] {
			t.Errorf("no sample of %v", typ)
		}
		c.filled(t, reflect.TypeOf(row[typ].make()).Elem())
	}
}

// filled holds that each field of the struct was filled at least once.
func (c *comparer) filled(t *testing.T, s reflect.Type) {
	for i := range s.NumField() {
		f := s.Field(i)
		name := s.Name() + "." + f.Name
		switch {
		case f.Type == reflect.TypeFor[base]() || fieldPaths[name] == "-":
		case f.Anonymous:
			c.filled(t, f.Type)
		case c.seen[name] == 0:
			t.Errorf("no sample fills %s", name)
		}
	}
}
