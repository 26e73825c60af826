package dsh

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"rollbook/internal/transcript"
)

// Members of the record of an output in which its text may be, in the order in
// which they are looked at (spec: dsh, 8, "Output text"): the last one that has
// any counts.
var (
	outputLayers = [...]string{"", "item", "event", "data"}
	outputKeys   = [...]string{"output", "formatted_output", "aggregated_output", "aggregatedOutput", "stdout", "stderr", "result",
		"content", "content_items", "contentItems", "body", "text"}
)

// outputText is the text of a result.
func outputText(ev *transcript.Event) string {
	text := ev.Output
	if ev.Record != "" {
		text = orElse(recordText(ev.Record), text)
	}
	if ev.ItemType == "tool_search_output" {
		return toolLines(text)
	}
	return structured(text)
}

// recordText finds the text in the record of an output that Codex did not write.
func recordText(record string) (text string) {
	object := fields(record)
	for _, layer := range outputLayers {
		at := object
		if layer != "" {
			at = fields(string(object[layer]))
		}
		for _, key := range outputKeys {
			text = orElse(valueText(at[key]), text)
		}
	}
	return text
}

// valueText is the text of a value: a string as it is, of a list that of its
// blocks, of an object what it holds as its content, else the JSON.
func valueText(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		return unquoted(v)
	case '[':
		return blocksText(v)
	case '{':
		object := fields(string(v))
		for _, key := range []string{"content", "body", "content_items", "contentItems", "output"} {
			if text := valueText(object[key]); text != "" {
				return text
			}
		}
	case 'n', 0:
		return ""
	}
	return string(v)
}

// blocksText joins the texts of blocks by lines.
func blocksText(list jsontext.Value) string {
	var items []jsontext.Value
	if json.Unmarshal(list, &items) != nil {
		return ""
	}
	var lines []string
	for _, item := range items {
		if item.Kind() == '"' {
			lines = append(lines, unquoted(item))
			continue
		}
		object := fields(string(item))
		for _, key := range []string{"text", "stdout", "stderr"} {
			if text := unquoted(object[key]); text != "" {
				lines = append(lines, text)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// structuredKeys are the members of an output that is an object and nothing but
// the envelope of a text.
var structuredKeys = stateSet("content", "content_items", "contentItems", "body", "success", "status", "is_error", "isError", "error",
	"exit_code", "exitCode", "metadata", "structuredContent", "structured_content", "_meta")

// structured gives the text of an output that is the JSON of blocks, or of an
// object that holds nothing but a text and how the call ended. What a tool
// printed as JSON stays as it is.
func structured(text string) string {
	s := strings.TrimSpace(text)
	if len(s) < 2 || s[0] != '{' && s[0] != '[' || !strings.Contains(s, `"content`) && !strings.Contains(s, `"text"`) && !strings.Contains(s, `"body"`) {
		return text
	}
	if s[0] == '[' {
		if onlyTexts(s) {
			return orElse(blocksText(jsontext.Value(s)), text)
		}
		return text
	}
	object := fields(s)
	for key := range object {
		if !structuredKeys[key] {
			return text
		}
	}
	for _, key := range []string{"content", "body", "content_items", "contentItems"} {
		if inner := object[key]; inner.Kind() == '"' || inner.Kind() == '[' {
			return orElse(valueText(inner), text)
		}
	}
	return text
}

// onlyTexts reports whether a list holds text blocks only.
func onlyTexts(list string) bool {
	var items []jsontext.Value
	if json.Unmarshal([]byte(list), &items) != nil || len(items) == 0 {
		return false
	}
	for _, item := range items {
		object := fields(string(item))
		switch foldState(unquoted(object["type"])) {
		case "text", "inputtext", "outputtext":
		default:
			return false
		}
		if object["text"].Kind() != '"' {
			return false
		}
	}
	return true
}

// toolLines gives the tools that a search found, one a line; those of a namespace
// behind it.
func toolLines(list string) string {
	var lines []string
	var add func(v jsontext.Value, depth int)
	add = func(v jsontext.Value, depth int) {
		var items []jsontext.Value
		if json.Unmarshal(v, &items) != nil || depth == 0 {
			return
		}
		for _, item := range items {
			object := fields(string(item))
			line := "- " + unquoted(object["name"])
			if about := unquoted(object["description"]); about != "" {
				line += " — " + about
			}
			if line != "- " {
				lines = append(lines, line)
			}
			add(object["tools"], depth-1)
		}
	}
	add(jsontext.Value(list), maxFailedDepth)
	return orElse(strings.Join(lines, "\n"), list)
}

// fields are the members of an object; none where it is no object.
func fields(object string) map[string]jsontext.Value {
	if !strings.HasPrefix(strings.TrimSpace(object), "{") {
		return nil
	}
	var m map[string]jsontext.Value
	if json.Unmarshal([]byte(object), &m, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return nil
	}
	return m
}

func unquoted(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	text, _ := jsontext.AppendUnquote(nil, v) // an error only tells that U+FFFD stands for what is no UTF-8
	return string(text)
}
