package dsh

import (
	"fmt"
	"testing"
)

func callBlock(id string) string {
	return `{"type":"tool-call","id":"` + id + `","name":"n","arguments":"{}"}`
}

func says(content string) string {
	return `assistant/message {"turn":2,"step":1,"message":{"id":"a-SEQ","role":"assistant","source":{"kind":"model","provider":"p","model":"m"},"content":[` + content + `]},"stream":[]}` + onSurface
}

func calls(id string) string {
	return `tool/call {"turn":2,"step":1,"callId":"` + id + `","name":"n","arguments":"{}"}`
}

func answers(id string) string {
	return `tool/result {"turn":2,"step":1,"message":{"id":"r-SEQ","role":"user","source":{"kind":"tool","callId":"` + id + `"},"content":[{"type":"tool-result","toolCallId":"` + id + `","content":[]}]}}` + onSurface
}

const asks = `user/message {"id":"u-SEQ","role":"user","source":{"kind":"user"},"content":[{"type":"text","text":"x"}]}` + onSurface

const pictureBlock = `{"type":"image","attachment":{"attachmentId":"sha256:431ced6916a2a21a156e38701afe55bbd7f88969fbbfc56d7fe099d47f265460","mediaType":"image/png","width":1,"height":1,"bytes":68}}`

// replaces is a message in the place of those from start to end.
func replaces(start, end int) string {
	return fmt.Sprintf(`user/message {"id":"u-SEQ","role":"user","source":{"kind":"user"},"content":[]}`+"\t"+
		`"surfaceOp":{"op":"replace","startSeq":%d,"endSeq":%d},"sourceEventSeqs":[[%d,%d]]`, start, end, start, end)
}

// TestWire: what a provider is given of calls and their results.
func TestWire(t *testing.T) {
	runCases(t, exampleText, []ruleCase{
		in2("two calls", "", says(callBlock("a")+","+callBlock("b")), calls("a"), calls("b"), answers("b"), answers("a")),
		in2("call by call", "", says(callBlock("a")+","+callBlock("b")), calls("a"), answers("a"), calls("b"), answers("b")),
		in2("user between call and result", CheckTools, says(callBlock("a")), asks, calls("a"), answers("a")),
		in2("user between results", CheckTools, says(callBlock("a")+","+callBlock("b")), calls("a"), calls("b"), answers("a"), asks, answers("b")),
		in2("answer between call and result", CheckTools, says(callBlock("a")), calls("a"), says(`{"type":"text","text":"x"}`), answers("a")),
		in2("reasoning between call and result", CheckTools, says(callBlock("a")), calls("a"), says(`{"type":"reasoning","text":"x"}`), answers("a")),
		in2("nothing between call and result", "", says(callBlock("a")), calls("a"), says(``), answers("a")),
		in2("two messages with calls", CheckTools, says(callBlock("a")), says(callBlock("b")), calls("a"), calls("b"), answers("a"), answers("b")),
		in2("picture of an assistant", CheckPayload, says(pictureBlock)),
		in2("file of a user", "", `user/message {"id":"u-SEQ","role":"user","source":{"kind":"user"},"content":[{"type":"file","attachment":{"attachmentId":"x","name":"n","bytes":1}}]}`+onSurface),
		in2("own block of a user", "", `user/message {"id":"u-SEQ","role":"user","source":{"kind":"user"},"content":[{"type":"own","x":1}]}`+onSurface),
		in2("call of a user", "", `user/message {"id":"u-SEQ","role":"user","source":{"kind":"user"},"content":[`+callBlock("z")+`]}`+onSurface),
		in2("result of a user", CheckTools, `user/message {"id":"u-SEQ","role":"user","source":{"kind":"user"},"content":[{"type":"tool-result","toolCallId":"q","content":[]}]}`+onSurface),
		in2("result of an assistant", "", says(`{"type":"tool-result","toolCallId":"q","content":[]}`)),
		in2("result in a result", "", says(callBlock("a")), calls("a"), `tool/result {"turn":2,"step":1,"message":{"id":"r-SEQ","role":"user","source":{"kind":"tool","callId":"a"},"content":[{"type":"tool-result","toolCallId":"a","content":[{"type":"tool-result","toolCallId":"q","content":[]}]}]}}`+onSurface),
		in2("call in a result", "", says(callBlock("a")), calls("a"), `tool/result {"turn":2,"step":1,"message":{"id":"r-SEQ","role":"user","source":{"kind":"tool","callId":"a"},"content":[{"type":"tool-result","toolCallId":"a","content":[`+callBlock("y")+`]}]}}`+onSurface),
		in2("tool source of a user message", "", `user/message {"id":"u-SEQ","role":"user","source":{"kind":"tool","callId":"q"},"content":[]}`+onSurface),
		in2("model source of a user message", "", `user/message {"id":"u-SEQ","role":"user","source":{"kind":"model","provider":"p","model":"m"},"content":[]}`+onSurface),
		in2("goal", "", `user/message {"id":"u-SEQ","role":"user","source":{"kind":"goal","goalId":"g","revision":1,"round":1},"content":[]}`+onSurface),
		in2("arguments no json", "", says(`{"type":"tool-call","id":"a","name":"n","arguments":"no"}`), `tool/call {"turn":2,"step":1,"callId":"a","name":"n","arguments":"no"}`, answers("a")),
		in2("empty text", "", says(`{"type":"text","text":""}`)),
		in2("call compacted without its result", CheckTools, replaces(6, 7)),
		in2("call compacted with its result", "", replaces(6, 9)),
		in2("only the result compacted", CheckTools, replaces(9, 9)),
		in2("second result", CheckTools, says(callBlock("a")), calls("a"), answers("a"), answers("a")),
		in2("call twice", CheckTools, says(callBlock("a")), calls("a"), calls("a"), answers("a")),
		in2("block twice", CheckTools, says(callBlock("a")+","+callBlock("a")), calls("a"), answers("a")),
		in2("result before its call", CheckTools, says(callBlock("a")), answers("a"), calls("a")),
		in2("result replaced", CheckTools, `tool/result {"turn":1,"step":1,"message":{"id":"r-SEQ","role":"user","source":{"kind":"tool","callId":"call_1"},"content":[{"type":"tool-result","toolCallId":"call_1","content":[]}]}}`+"\t"+`"surfaceOp":{"op":"replace","startSeq":9,"endSeq":9},"sourceEventSeqs":[9]`),
		in2("not started", CheckTools, says(callBlock("a")), `tool/result {"turn":2,"step":1,"message":{"id":"interrupted-tool-result-a-SEQ","role":"user","source":{"kind":"tool","callId":"a"},"content":[{"type":"tool-result","toolCallId":"a","isError":true,"content":[{"type":"text","text":"The tool call was interrupted before the Harness recorded it as started. Retry it if it is still needed."}]}]},"error":{"name":"ToolNotStartedError","code":"TOOL_NOT_STARTED"}}`+onSurface),
	})
}
