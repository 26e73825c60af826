package dsh

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"rollbook/internal/assemble"
	"rollbook/internal/rolltest"
	"rollbook/internal/transcript"
)

func callLine(id, name, args string) string {
	return itemLine(fmt.Sprintf(`"type":"function_call","call_id":%q,"name":%q,"arguments":%s`, id, name, jsonQuote(args)))
}

func outputLine(id, output string) string {
	return itemLine(fmt.Sprintf(`"type":"function_call_output","call_id":%q,"output":%s`, id, jsonQuote(output)))
}

func resultLine(members string) string {
	return itemLine(`"type":"function_call_output","call_id":"c",` + members)
}

// TestToolSearch is that the tools which a search found are listed one a line.
func TestToolSearch(t *testing.T) {
	s := sessionOf(t, ofLines(t, metaLine(""), promptLine("go"),
		itemLine(`"type":"tool_search_call","call_id":"c","arguments":{"query":"x"}`),
		itemLine(`"type":"tool_search_output","call_id":"c","tools":[{"type":"function","name":"one","description":"does it"},{"name":"two"},{"type":"namespace","name":"ns","description":"more","tools":[{"name":"three","description":"too"}]}]`)), full, Options{})
	expectSaid(t, s, "u: go", `c: tool_search {"query":"x"}`, "r: - one — does it\n- two\n- ns — more\n- three — too")
}

// TestArguments are arguments that are no string, and a call without a name.
func TestArguments(t *testing.T) {
	s := sessionOf(t, ofLines(t, metaLine(""), promptLine("go"),
		itemLine(`"type":"function_call","call_id":"a","name":"x","arguments":{"a":1}`), outputLine("a", "1"),
		itemLine(`"type":"custom_tool_call","call_id":"b","name":"y","input":{"b":1}`), itemLine(`"type":"custom_tool_call_output","call_id":"b","output":"2"`),
		itemLine(`"type":"function_call","call_id":"d","arguments":"{}"`), outputLine("d", "3")), full, Options{})
	expectSaid(t, s, "u: go", `c: x {"a":1}`, "r: 1", `c: y {"b":1}`, "r: 2", "c: tool {}", "r: 3")
}

// TestRepairs is that each call has its result, whichever half the log has.
func TestRepairs(t *testing.T) {
	s := sessionOf(t, ofLines(t, metaLine(""), promptLine("go"), outputLine("lost", "text of the output")), full, Options{})
	expectSaid(t, s, "u: go", "c: codex_orphaned_tool {}", "r: text of the output")
	if s.Repaired != 1 || len(s.Repairs) != 1 || s.Repairs[0].Line != 3 || !strings.HasPrefix(s.Repairs[0].File, "sessions/") {
		t.Errorf("repairs %+v", s.Repairs)
	}
	s = sessionOf(t, ofLines(t, metaLine(""), promptLine("go"), callLine("c1", "shell", `{}`), answerLine("stopped")), full, Options{})
	expectSaid(t, s, "u: go", "c: shell {}", "e: [Codex import: the tool call was recorded without an output]", "a: stopped")
	if s.Repaired != 1 || s.Repairs[0].Line != 3 || s.Failed != 0 {
		t.Errorf("report %+v", s.Report)
	}
}

// TestProviderTools is that calls that Codex itself does not answer are no
// repairs.
func TestProviderTools(t *testing.T) {
	s := sessionOf(t, ofLines(t, metaLine(""), promptLine("go"),
		itemLine(`"type":"tool_search_call","call_id":"c1","arguments":{"query":"x"}`),
		itemLine(`"type":"web_search_call","id":"ws_1","action":{"type":"search","query":"weather"}`)), full, Options{})
	expectSaid(t, s, "u: go", `c: tool_search {"query":"x"}`, "r: [Codex import: tool_search completed without a textual output]",
		`c: web_search {"query":"weather"}`, "r: [Codex import: web_search completed without a textual output]")
	if s.Repaired != 0 || s.Failed != 0 {
		t.Errorf("report %+v", s.Report)
	}
}

// TestSameCallID is that a repeated id gives two calls, each with its own result.
func TestSameCallID(t *testing.T) {
	s := sessionOf(t, ofLines(t, metaLine(""), promptLine("go"),
		callLine("same", "one", `{}`), outputLine("same", "first"), callLine("same", "two", `{}`), outputLine("same", "second")), full, Options{})
	expectSaid(t, s, "u: go", "c: one {}", "r: first", "c: two {}", "r: second")
	ids := make(map[string]string)
	for _, ev := range s.events {
		switch ev.Type {
		case "tool/call":
			ids[ev.Data.CallID] = ev.Data.Name
		case "tool/result":
			id := ev.Data.Message.Source.CallID
			ids[id] += " " + ev.Data.Message.Content[0].Content[0].Text
		}
	}
	if ids["same"] != "one first" || ids["same~2"] != "two second" || len(ids) != 2 {
		t.Errorf("calls %v", ids)
	}
}

// TestLateResult is that a result behind the end of its call's step stands where
// it must, and the texts keep their order.
func TestLateResult(t *testing.T) {
	s := sessionOf(t, ofLines(t, metaLine(""), promptLine("go"),
		callLine("c1", "one", `{}`), answerLine("meanwhile"), answerLine("still"), promptLine("faster!"),
		callLine("c2", "two", `{}`), outputLine("c2", "of two"), callLine("c3", "three", `{}`), outputLine("c1", "of one"), outputLine("c3", "of three")), full, Options{})
	expectSaid(t, s, "u: go", "c: one {}", "a: meanwhile", "r: of one", "a: still", "u: faster!", "c: two {}", "r: of two", "c: three {}", "r: of three")
	if s.Repaired != 0 {
		t.Errorf("repairs %+v", s.Repairs)
	}
}

// TestLateResultsLarge is that late results are read again where they are too
// many to be held.
func TestLateResultsLarge(t *testing.T) {
	lines := []string{metaLine(""), promptLine("go")}
	big := strings.Repeat("x", 6<<20)
	const n = 5
	for i := range n {
		lines = append(lines, callLine(fmt.Sprint("c", i), "tool", `{}`))
	}
	lines = append(lines, answerLine("a"), answerLine("b"))
	for i := range n {
		lines = append(lines, outputLine(fmt.Sprint("c", i), fmt.Sprint(i, big)))
	}
	s := sessionOf(t, ofLines(t, lines...), full, Options{MaxToolOutput: 1})
	if s.Tools != n || s.Truncated != n || s.Repaired != 0 {
		t.Errorf("report %+v", s.Report)
	}
	for i, text := range s.said()[2+n : 2+2*n] {
		if !strings.HasPrefix(text, fmt.Sprintf("r: %d\n", i)) {
			t.Errorf("result %d is %.20q", i, text)
		}
	}
}

// TestItemOnlyCalls are shell commands, patches and MCP calls of code mode, which
// stand in items of Codex's own: each is a call, unless a response item has it.
func TestItemOnlyCalls(t *testing.T) {
	item := func(s string) string { return turnItemLine(s) }
	s := sessionOf(t, ofLines(t, metaLine(""), eventLine(`"type":"task_started","turn_id":"t1"`), promptLine("go"),
		itemLine(`"type":"custom_tool_call","call_id":"outer","name":"exec","input":"run()"`),
		item(`"type":"CommandExecution","id":"exec-1","command":["ls","-l"],"cwd":"/srv","status":"failed","exit_code":7,"aggregated_output":"no such file"`),
		item(`"type":"FileChange","id":"exec-2","status":"completed","changes":{"/a":{"type":"add","content":"x"}}`),
		item(`"type":"McpToolCall","id":"exec-3","server":"echo","tool":"say","arguments":{"text":"hi"},"status":"completed","result":{"content":[{"type":"text","text":"hi"}]}`),
		item(`"type":"DynamicToolCall","id":"exec-4","namespace":"ui","tool":"open","arguments":{},"status":"completed","success":true,"content_items":[{"type":"inputText","text":"opened"}]`),
		itemLine(`"type":"custom_tool_call_output","call_id":"outer","output":"done"`),
		callLine("c9", "exec_command", `{"cmd":"ls"}`), outputLine("c9", "listing"),
		item(`"type":"CommandExecution","id":"c9","command":["ls"],"cwd":"/srv","status":"completed","exit_code":0,"aggregated_output":"listing"`)), full, Options{})
	expectSaid(t, s, "u: go", `c: exec "run()"`, `c: codex_command {"command":["ls","-l"],"cwd":"/srv"}`,
		"e: no such file", "r: done", `c: codex_file_change {"changes":{"/a":{"type":"add","content":"x"}}}`, "r: ",
		`c: mcp__echo__say {"text":"hi"}`, "r: hi", `c: ui__open {}`, "r: opened", `c: exec_command {"cmd":"ls"}`, "r: listing")
	if s.Failed != 1 || s.Repaired != 0 || s.Tools != 6 {
		t.Errorf("report %+v", s.Report)
	}
}

// TestOutputs are the forms of outputs: text as text, a failure as it was
// recorded.
func TestOutputs(t *testing.T) {
	for _, c := range []struct {
		name   string
		lines  []string
		failed bool
		text   string
	}{
		{"plain", []string{outputLine("c", "fine")}, false, "fine"},
		{"exit code in a header", []string{outputLine("c", "Exit code: 2\nWall time: 0 seconds\nOutput:\nno")}, true, "Exit code: 2\nWall time: 0 seconds\nOutput:\nno"},
		{"JSON with an exit code", []string{outputLine("c", `{"output":"bad","metadata":{"exit_code":3,"duration_seconds":0.1}}`)}, true, "bad"},
		{"status failed", []string{itemLine(`"type":"function_call_output","call_id":"c","status":"failed","output":"kept"`)}, true, "kept"},
		{"status in progress", []string{itemLine(`"type":"function_call_output","call_id":"c","status":"in_progress","output":"kept"`)}, false, "kept"},
		{"status with blanks", []string{itemLine(`"type":"function_call_output","call_id":"c","status":"TIME OUT","output":"kept"`)}, true, "kept"},
		{"blocks", []string{itemLine(`"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"one"},{"type":"input_text","text":"two"}]`)}, false, "one\ntwo"},
		{"success false", []string{resultLine(`"output":"kept","success":false`)}, true, "kept"},
		{"an error", []string{resultLine(`"output":"kept","error":{"message":"no"}`)}, true, "kept"},
		{"no error", []string{resultLine(`"output":"kept","error":null,"exitCode":0`)}, false, "kept"},
		{"exit_code", []string{resultLine(`"output":"kept","exit_code":3`)}, true, "kept"},
		{"exitCode", []string{resultLine(`"output":"kept","exitCode":3`)}, true, "kept"},
		{"an object with content", []string{resultLine(`"output":{"content":"no","success":false}`)}, true, "no"},
		{"an object with a body", []string{resultLine(`"output":{"body":"b","success":true}`)}, false, "b"},
		{"an object with blocks", []string{resultLine(`"output":{"content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]}`)}, false, "one\ntwo"},
		{"an object with an exit code", []string{resultLine(`"output":{"output":"o","metadata":{"exit_code":2}}`)}, true, "o"},
		{"an object of another kind", []string{resultLine(`"output":{"a":1}`)}, false, `{"a":1}`},
		{"a number", []string{resultLine(`"output":5`)}, false, "5"},
		{"blocks as JSON", []string{outputLine("c", `[{"type":"text","text":"one"},{"type":"text","text":"two"}]`)}, false, "one\ntwo"},
		{"content as JSON", []string{outputLine("c", `{"content":"hi","success":false}`)}, true, "hi"},
		{"JSON that a tool printed", []string{outputLine("c", `{"content":"hi","name":"x"}`)}, false, `{"content":"hi","name":"x"}`},
		{"stdout and stderr", []string{resultLine(`"stdout":"so","stderr":"se"`)}, false, "se"},
		{"content_items", []string{resultLine(`"content_items":[{"type":"inputText","text":"q"}]`)}, false, "q"},
		{"within an item", []string{resultLine(`"item":{"result":"deep","status":"failed"}`)}, true, "deep"},
		{"only an end event", []string{eventLine(`"type":"exec_command_end","call_id":"c","command":["x"],"exit_code":7,"aggregated_output":"shown"`)}, true, "shown"},
		{"a fragment, then its end", []string{outputLine("c", "a fragment"), eventLine(`"type":"exec_command_end","call_id":"c","command":["x"],"exit_code":0,"aggregated_output":"all of it"`)}, false, "a fragment"},
		{"nothing", []string{outputLine("c", "")}, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := sessionOf(t, ofLines(t, append([]string{metaLine(""), promptLine("go"), callLine("c", "tool", "{}")}, c.lines...)...), full, Options{})
			sort := map[bool]string{false: "r: ", true: "e: "}[c.failed]
			expectSaid(t, s, "u: go", "c: tool {}", sort+c.text)
			if (s.Failed == 1) != c.failed || s.Repaired != 0 {
				t.Errorf("report %+v", s.Report)
			}
		})
	}
}

func TestLocalShell(t *testing.T) {
	s := sessionOf(t, ofLines(t, metaLine(""), promptLine("go"),
		itemLine(`"type":"local_shell_call","call_id":"c","status":"completed","action":{"type":"exec","command":["false"]}`),
		outputLine("c", `{"output":"broken","metadata":{"exit_code":2,"duration_seconds":0.1}}`)), full, Options{})
	expectSaid(t, s, "u: go", `c: local_shell {"command":["false"]}`, "e: broken")
	s = sessionOf(t, ofLines(t, metaLine(""), promptLine("go"),
		itemLine(`"type":"shell_call","call_id":"c","action":{"commands":["ls"]}`),
		itemLine(`"type":"shell_call_output","call_id":"c","output":"listing"`)), full, Options{})
	expectSaid(t, s, "u: go", `c: shell {"command":["ls"]}`, "r: listing")
}

// TestSaysFailed is the search in outputs that are JSON.
func TestSaysFailed(t *testing.T) {
	for output, want := range map[string]bool{
		`{"status":"failed"}`:                              true,
		`{"status":"Timed-Out"}`:                           true,
		`{"status":"completed"}`:                           false,
		`{"status":"running","n":[1,{"status":"failed"}]}`: false,
		`{"success":false}`:                                true,
		`{"success":true}`:                                 false,
		`{"error":"no"}`:                                   true,
		`{"error":{"code":1}}`:                             true,
		`{"error":null}`:                                   false,
		`{"exit_code":0}`:                                  false,
		`{"exitCode":1}`:                                   true,
		`{"exit_code":"1"}`:                                false,
		`{"result":{"data":{"metadata":{"exit_code":9}}}}`: true,
		`{"output":"{\"status\":\"denied\"}"}`:             true,
		` {"other":{"status":"failed"}}`:                   false,
		`{"status":"failed"`:                               false,
		`{"status":"failed"} and text`:                     false,
		`status failed`:                                    false,
		``:                                                 false,
	} {
		if got := saysFailed(output, maxFailedDepth); got != want {
			t.Errorf("saysFailed(%s) = %v", output, got)
		}
	}
	for _, state := range strings.Fields("failed failure error errored cancelled canceled incomplete timeout timed_out aborted interrupted rejected declined denied refused expired killed terminated") {
		if !failedResult("function_call", &transcript.Event{Outcome: state}) {
			t.Errorf("%s is no failure", state)
		}
	}
	for state, want := range map[string]bool{"": false, "completed": false, "in_progress": false, "streaming": false, "odd": true, "declined": true} {
		if got := failedResult("CommandExecution", &transcript.Event{Outcome: state}); got != want {
			t.Errorf("an item that is %q failed: %v", state, got)
		}
	}
}

// TestDeepOutput is that what an output says of itself is not searched for ever.
func TestDeepOutput(t *testing.T) {
	deep := strings.Repeat(`{"result":`, 200) + `{"status":"failed"}` + strings.Repeat("}", 200)
	if saysFailed(deep, maxFailedDepth) {
		t.Error("found what is too deep")
	}
}

// TestNames are names and arguments by the record of a call.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		ev         transcript.Event
		name, args string
	}{
		{transcript.Event{ItemType: "function_call", Tool: "say", Namespace: "mcp__echo", Arguments: `not JSON`}, "say", `not JSON`},
		{transcript.Event{ItemType: "function_call"}, "tool", ``},
		{transcript.Event{ItemType: "custom_tool_call", Tool: "apply_patch", Arguments: "*** Begin\n"}, "apply_patch", `"*** Begin\n"`},
		{transcript.Event{ItemType: "CommandExecution", Tool: "exec_command", Arguments: `["a"]`, Dir: "/x"}, "codex_command", `{"command":["a"],"cwd":"/x"}`},
		{transcript.Event{ItemType: "patch_apply_end", Arguments: `{}`}, "codex_file_change", `{"changes":{}}`},
		{transcript.Event{ItemType: "mcp_tool_call_end", Namespace: "mcp__s", Tool: "t"}, "mcp__s__t", `{}`},
		{transcript.Event{ItemType: "DynamicToolCall", Tool: "t", Arguments: `{"a":1}`}, "t", `{"a":1}`},
		{transcript.Event{ItemType: "WebSearch", Arguments: "a \"b\""}, "web_search", `{"query":"a \"b\""}`},
		{transcript.Event{ItemType: "local_shell_call", Arguments: `["a"]`}, "local_shell", `{"command":["a"]}`},
		{transcript.Event{ItemType: "image_generation_call", Arguments: "a cat"}, "image_generation", `{"prompt":"a cat"}`},
		{transcript.Event{ItemType: "ImageView", Tool: "view_image", Arguments: "/a.png"}, "view_image", `{"path":"/a.png"}`},
		{transcript.Event{ItemType: "CollabAgentToolCall", Tool: "spawn_agent", Arguments: "do it"}, "spawn_agent", `{"prompt":"do it"}`},
		{transcript.Event{ItemType: "tool_search_call", Tool: "tool_search_call", Arguments: `{"q":1}`}, "tool_search", `{"q":1}`},
	} {
		if name, args := callName(&c.ev), callArguments(&c.ev); name != c.name || args != c.args {
			t.Errorf("%s: %s %s, want %s %s", c.ev.ItemType, name, args, c.name, c.args)
		}
	}
}

// TestClampedArguments is that shortened arguments are JSON, and the same in the
// block and the event.
func TestClampedArguments(t *testing.T) {
	home := rolltest.NewHome(5)
	home.New(rolltest.V140, rolltest.Meta{}).Turn("go").Shell("echo "+strings.Repeat("x", 5000), "y", 0).TurnComplete()
	s := sessionOf(t, built(t, home), assemble.SessionOptions{}, Options{MaxTextChars: 100})
	block := ""
	for _, ev := range s.events {
		switch ev.Type {
		case "assistant/message":
			block = ev.Data.Message.Content[0].Arguments
		case "tool/call":
			var text string
			if err := json.Unmarshal([]byte(ev.Data.Arguments), &text); err != nil || !strings.Contains(text, "chars trimmed during Codex import") {
				t.Errorf("arguments %.200s: %v", ev.Data.Arguments, err)
			}
			if ev.Data.Arguments != block {
				t.Error("the event and the block differ")
			}
		}
	}
	if s.Clamped != 1 || block == "" {
		t.Errorf("%d clamped", s.Clamped)
	}
}
