package dsh

import (
	"regexp"
	"slices"
	"testing"
)

// TestMessageIDs (spec: dsh, 8): a message has the id of its item, and what another
// message has gets ~2; what has none, and each result, gets one made of the thread
// and its place.
func TestMessageIDs(t *testing.T) {
	say := func(id, role, kind, text string) string {
		return itemLine(`"type":"message","id":"` + id + `","role":"` + role + `","content":[{"type":"` + kind + `","text":"` + text + `"}]`)
	}
	lines := []string{metaLine(""), say("m", "user", "input_text", "one"), say("m", "assistant", "output_text", "two"), say("m", "user", "input_text", "three"),
		callLine("c", "shell", `{}`), outputLine("c", "out")}
	s := sessionOf(t, ofLines(t, lines...), full, Options{})
	expectSaid(t, s, "u: one", "a: two", "u: three", "c: shell {}", "r: out")
	var ids []string
	for _, ev := range s.events {
		switch ev.Type {
		case "user/message":
			ids = append(ids, ev.Data.ID)
		case "assistant/message", "tool/result", "system/message":
			ids = append(ids, ev.Data.Message.ID)
		}
	}
	made := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$`)
	for i, id := range ids {
		if made.MatchString(id) {
			ids[i] = "made"
		}
	}
	if want := []string{"made", "m", "m~2", "m~3", "made", "made"}; !slices.Equal(ids, want) {
		t.Errorf("ids %q, want %q", ids, want)
	}
}

// TestCallIDs: a call without an id gets one, a second result of a call becomes a
// call of its own.
func TestCallIDs(t *testing.T) {
	s := sessionOf(t, ofLines(t, metaLine(""), promptLine("go"), callLine("c", "shell", `{}`), outputLine("c", "first"), outputLine("c", "second"),
		itemLine(`"type":"function_call","name":"bare","arguments":"{}"`), itemLine(`"type":"function_call_output","output":"of the bare one"`)), full, Options{})
	expectSaid(t, s, "u: go", "c: shell {}", "r: first", "c: codex_additional_tool_result {}", "r: second", "c: bare {}", "r: of the bare one")
	var ids []string
	for _, ev := range s.events {
		if ev.Type == "tool/call" {
			ids = append(ids, ev.Data.CallID)
		}
	}
	if want := []string{"c", "c-additional-result", "codex-call-1"}; !slices.Equal(ids, want) {
		t.Errorf("ids %q, want %q", ids, want)
	}
}

// TestTextOfCompletion (spec: dsh, 8): of an output without a text that of the
// completion before it is taken; else its own wins.
func TestTextOfCompletion(t *testing.T) {
	end := func(id string) string {
		return eventLine(`"type":"exec_command_end","call_id":"` + id + `","command":["ls"],"aggregated_output":"of the end","exit_code":0`)
	}
	s := sessionOf(t, ofLines(t, metaLine(""), promptLine("go"), callLine("a", "shell", `{}`), end("a"), outputLine("a", ""),
		callLine("b", "shell", `{}`), end("b"), outputLine("b", "of the output")), full, Options{})
	expectSaid(t, s, "u: go", "c: shell {}", "r: of the end", "c: shell {}", "r: of the output")
}

// TestCompletions (spec: dsh, 8): keys of completions in other spellings, in other
// layers, in parts, and behind the output.
func TestCompletions(t *testing.T) {
	for _, tt := range []struct {
		name   string
		lines  []string
		result string
	}{
		{"callId", []string{eventLine(`"type":"exec_command_end","callId":"c","exitCode":7,"aggregatedOutput":"no"`)}, "e: no"},
		{"item_id", []string{eventLine(`"type":"exec_command_end","item_id":"c","exit_code":7,"stdout":"no"`)}, "e: no"},
		{"nested", []string{eventLine(`"type":"exec_command_end","data":{"call_id":"c","exit_code":0,"stdout":"yes"}`)}, "r: yes"},
		{"parts", []string{eventLine(`"type":"exec_command_output_delta","call_id":"c","delta":"one "`), eventLine(`"type":"exec_command_output_delta","call_id":"c","delta":"two"`),
			eventLine(`"type":"exec_command_end","call_id":"c","exit_code":0`)}, "r: one two"},
		{"parts alone", []string{eventLine(`"type":"output_chunk","callId":"c","chunk":"one"`)}, "r: one"},
		{"parts and the whole", []string{eventLine(`"type":"exec_command_output_delta","call_id":"c","delta":"part"`), eventLine(`"type":"exec_command_end","call_id":"c","exit_code":0,"stdout":"whole"`)}, "r: whole"},
		{"behind the output", []string{outputLine("c", "said"), eventLine(`"type":"exec_command_end","call_id":"c","exit_code":3,"stdout":"x"`)}, "e: said"},
		{"behind the output, well", []string{outputLine("c", "said"), eventLine(`"type":"exec_command_end","call_id":"c","exit_code":0,"stdout":"x"`)}, "r: said"},
		{"output with callId", []string{itemLine(`"type":"function_call_output","callId":"c","output":"said"`)}, "r: said"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := sessionOf(t, ofLines(t, append([]string{metaLine(""), promptLine("go"), callLine("c", "shell", `{}`)}, tt.lines...)...), full, Options{})
			expectSaid(t, s, "u: go", "c: shell {}", tt.result)
		})
	}
}
