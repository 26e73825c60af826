package dsh

import (
	"testing"

	"rollbook/internal/assemble"
)

// TestAppServerItems are response items as Codex's app-server spells them.
func TestAppServerItems(t *testing.T) {
	s := sessionOf(t, ofLines(t, metaLine(""), eventLine(`"type":"thread_name_updated","thread_id":"x","thread_name":"Named"`),
		itemLine(`"type":"userMessage","id":"u","content":[{"type":"text","text":"build it"}]`),
		itemLine(`"type":"plan","id":"p","text":"1. build\n"`),
		itemLine(`"type":"commandExecution","id":"c1","command":"go build","cwd":"/srv","status":"failed","exitCode":2,"aggregatedOutput":"broken"`),
		itemLine(`"type":"FILE_CHANGE","id":"c2","status":"completed","changes":[{"path":"a.go","kind":{"type":"update"},"diff":"@@"}]`),
		itemLine(`"type":"mcpToolCall","id":"c3","server":"echo","tool":"say","arguments":{"t":1},"status":"inProgress","result":{"content":[{"type":"text","text":"said"}]}`),
		itemLine(`"type":"dynamicToolCall","id":"c4","namespace":"ui","tool":"open","arguments":{},"status":"completed","success":true,"contentItems":[{"type":"inputText","text":"open"}]`),
		itemLine(`"type":"webSearch","id":"c5","query":"weather"`),
		itemLine(`"type":"imageGeneration","id":"c6","status":"completed","revisedPrompt":"a dot","result":{"b64Json":"`+pixel+`"}`),
		itemLine(`"type":"Agent Message","id":"a","text":"built"`)), full, Options{})
	expectSaid(t, s, "u: build it", "a: <proposed_plan>\n1. build\n</proposed_plan>", `c: codex_command {"command":"go build","cwd":"/srv"}`, "e: broken",
		`c: codex_file_change {"changes":[{"path":"a.go","kind":{"type":"update"},"diff":"@@"}]}`, "r: ", `c: mcp__echo__say {"t":1}`, "r: said",
		`c: ui__open {}`, "r: open", `c: web_search {"query":"weather"}`, "r: [Codex import: web_search completed without a textual output]",
		`c: image_generation {"prompt":"a dot"}`, "r: [image generated]", "r: [Codex import: image omitted; attachment sha256:431ced6916a2a21a156e38701afe55bbd7f88969fbbfc56d7fe099d47f265460]", "a: built")
	if title, from := s.titles(); title != "Named" || len(from) != 0 {
		t.Errorf("title %q of %v", title, from)
	}
}

// TestMetaTitle is that the first record of a thread may name it.
func TestMetaTitle(t *testing.T) {
	for _, key := range []string{"title", "name", "thread_name", "session_name", "preview"} {
		s := sessionOf(t, ofLines(t, metaLine(`,"`+key+`":"My  Given"`), promptLine("go")), full, Options{})
		if title, from := s.titles(); title != "My Given" || len(from) != 0 {
			t.Errorf("%s: title %q of %v", key, title, from)
		}
	}
}

// TestInlineCalls are calls among the blocks of a message.
func TestInlineCalls(t *testing.T) {
	s := sessionOf(t, ofLines(t, metaLine(""), promptLine("go"),
		itemLine(`"type":"message","role":"assistant","content":[{"type":"output_text","text":"let me see"},{"type":"toolUse","id":"c1","name":"read","input":{"path":"a"}}]`),
		outputLine("c1", "text of a"), answerLineItem("done")), full, Options{})
	expectSaid(t, s, "u: go", "a: let me see", `c: read {"path":"a"}`, "r: text of a", "a: done")
	if s.Tools != 1 || s.Repaired != 0 {
		t.Errorf("report %+v", s.Report)
	}
}

func answerLineItem(text string) string {
	return itemLine(`"type":"message","role":"assistant","content":[{"type":"output_text","text":` + jsonQuote(text) + `}]`)
}

// TestTurnAliases are marks of turns as other programs spell them.
func TestTurnAliases(t *testing.T) {
	s := sessionOf(t, ofLines(t, metaLine(""), eventLine(`"type":"turn start","turnId":"t1"`), promptLine("one"), eventLine(`"type":"turn-completed","turnId":"t1"`),
		eventLine(`"type":"Turn_Started","turn_id":"t2"`), promptLine("two"), eventLine(`"type":"turnAborted","turn_id":"t2"`)), full, Options{})
	if s.Turns != 2 || s.Prompts != 2 {
		t.Errorf("report %+v", s.Report)
	}
	if ends := s.ends(); ends[0] != "completed" || ends[1] != "interrupted" {
		t.Errorf("ends %q", ends)
	}
}

// TestAliasedHistory is the window of a compaction spelled so.
func TestAliasedHistory(t *testing.T) {
	l := ofLines(t, metaLine(""), itemLine(`"type":"User-Message","content":"one"`), itemLine(`"type":"AGENTMESSAGE","text":"first"`),
		recordLine("compacted", `"message":"","replacementHistory":[{"type":"userMessage","content":[{"type":"text","text":"kept"}]},{"type":"agentMessage","text":"answer"}]`),
		itemLine(`"type":"userMessage","content":"two"`))
	whole := sessionOf(t, l, full, Options{})
	expectSaid(t, whole, "u: one", "a: first", "u: kept", "a: answer", "u: two")
	s := sessionOf(t, l, assemble.SessionOptions{}, Options{})
	expectSaid(t, s, "u: kept", "a: answer", "u: two")
	if s.Header.Cwd == "" || s.ContextTokens >= whole.ContextTokens {
		t.Errorf("report %+v", s.Report)
	}
}
