package dsh

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"rollbook/internal/transcript"
)

// callName is the name of a call (docs/format/dsh.md, "Names"): as recorded,
// where the model called a tool; else that of what Codex showed of it.
func callName(ev *transcript.Event) string {
	switch ev.ItemType {
	case "CommandExecution", "exec_command_end":
		return "codex_command"
	case "FileChange", "patch_apply_end":
		return "codex_file_change"
	case "McpToolCall", "mcp_tool_call_end":
		return joinName(ev.Namespace, ev.Tool) // the namespace is mcp__<server>
	case "DynamicToolCall", "dynamic_tool_call_request", "dynamic_tool_call_response":
		return joinName(ev.Namespace, ev.Tool)
	case "web_search_call", "web_search_end", "WebSearch":
		return "web_search"
	case "local_shell_call":
		return "local_shell"
	case "shell_call":
		return "shell"
	case "tool_search_call":
		return "tool_search"
	case "image_generation_call", "image_generation_end", "ImageGeneration":
		return "image_generation"
	}
	return orElse(ev.Tool, "tool")
}

func joinName(namespace, tool string) string {
	tool = orElse(tool, "tool")
	if namespace == "" || namespace == "mcp__" {
		return tool
	}
	return strings.TrimSuffix(namespace, "__") + "__" + tool
}

func isImageGeneration(item string) bool {
	return item == "image_generation_call" || item == "image_generation_end" || item == "ImageGeneration"
}

// answeredByCodex reports whether Codex records an output of such a call, so
// that it was lost where there is none. The provider's own tools have none, nor
// has what only a completion tells of.
func answeredByCodex(item string) bool {
	switch item {
	case "", "function_call", "custom_tool_call", "local_shell_call", "shell_call":
		return true
	}
	return false
}

// callArguments are the arguments of a call, as JSON wherever it is not the
// model that wrote them.
func callArguments(ev *transcript.Event) string {
	text := ev.Arguments
	switch ev.ItemType {
	case "custom_tool_call":
		return customArguments(text)
	case "CommandExecution", "exec_command_end":
		return jsonObject(jsonMember{"command", rawOr(text, "[]")}, jsonMember{"cwd", jsonQuote(ev.Dir)})
	case "FileChange", "patch_apply_end":
		return jsonObject(jsonMember{"changes", rawOr(text, "{}")})
	case "local_shell_call", "shell_call":
		return jsonObject(jsonMember{"command", rawOr(text, "[]")})
	case "web_search_call", "web_search_end", "WebSearch":
		return jsonObject(jsonMember{"query", jsonQuote(text)})
	case "image_generation_call", "image_generation_end", "ImageGeneration":
		return jsonObject(jsonMember{"prompt", jsonQuote(text)})
	case "ImageView", "view_image_tool_call":
		return jsonObject(jsonMember{"path", jsonQuote(text)})
	case "", "function_call":
		return text
	case "McpToolCall", "mcp_tool_call_end", "DynamicToolCall", "dynamic_tool_call_request", "dynamic_tool_call_response", "tool_search_call":
		return rawOr(text, "{}")
	}
	return jsonObject(jsonMember{"prompt", jsonQuote(text)}) // work of other agents
}

// customArguments gives the input of a custom tool as JSON: the object that a
// call in JavaScript is made with, an object that is JSON already, else the text
// as a string.
func customArguments(input string) string {
	if args, ok := jsArguments(input); ok {
		return args
	}
	if s := strings.TrimSpace(input); strings.HasPrefix(s, "{") && jsontext.Value(s).IsValid() {
		return input
	}
	return jsonQuote(input)
}

// rawOr is a value that was JSON in the log, or another one where there is none.
func rawOr(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// A jsonMember is a key and a value that is JSON.
type jsonMember struct{ key, value string }

func jsonObject(members ...jsonMember) string {
	var b strings.Builder
	for i, m := range members {
		b.WriteByte("{,"[min(i, 1)])
		b.WriteString(jsonQuote(m.key))
		b.WriteByte(':')
		b.WriteString(m.value)
	}
	b.WriteByte('}')
	return b.String()
}

func jsonQuote(s string) string {
	b, _ := jsontext.AppendQuote(nil, s) // an error only tells that U+FFFD stands for what is no UTF-8
	return string(b)
}

// clampArguments shortens the arguments of a call. What is left of them is JSON
// again: a string.
func (c *converter) clampArguments(s string) string {
	short, cut := clamp(s, c.opt.MaxTextChars)
	if !cut {
		return s
	}
	c.report.Clamped++
	return jsonQuote(short)
}
