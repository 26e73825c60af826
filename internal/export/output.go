package export

import (
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// sgr are the sequences by which programs colour their output.
var sgr = regexp.MustCompile("\x1b\\[[0-9;:]*m")

// uncoloured is a tool's output without colours: they are no part of what was
// said, and shown as escapes they hide it.
func uncoloured(s string) string {
	if !strings.Contains(s, "\x1b[") {
		return s
	}
	return sgr.ReplaceAllString(s, "")
}

// headerKeys begin the lines that Codex puts before an output.
var headerKeys = [...]string{"Chunk ID: ", "Wall time", "Process exited with code ", "Process running with session ID ",
	"Original token count: ", "Exit code: ", "Script completed", "Script failed", "Script running", "Total output lines: "}

// withoutHeader is an output without the lines that Codex puts before it
// (docs/format/rollout.md, F19): what they say stands in the outcome. rest is
// what only they say, that the process still runs.
func withoutHeader(output string) (body, rest string) {
	header, body, ok := strings.Cut(output, "Output:\n")
	if !ok {
		header, ok = strings.CutSuffix(output, "Output:")
		body = ""
	}
	if !ok || header == "" || len(header) > 400 {
		return output, ""
	}
	for line := range strings.Lines(header) {
		line = strings.TrimRight(line, "\n")
		if line != "" && !isHeader(line) {
			return output, ""
		}
		if id, ok := strings.CutPrefix(line, "Process running with session ID "); ok {
			rest = "still running as " + id
		}
	}
	return body, rest
}

func isHeader(line string) bool {
	for _, key := range headerKeys {
		if strings.HasPrefix(line, key) {
			return true
		}
	}
	return false
}

// blockTexts opens an output that is a JSON list of text blocks, as MCP servers
// give it.
func blockTexts(output string) string {
	text := strings.TrimSpace(output)
	if !strings.HasPrefix(text, "[{") {
		return output
	}
	dec := newDecoder(text)
	if _, err := dec.ReadToken(); err != nil {
		return output
	}
	var texts []string
	for dec.PeekKind() == '{' {
		value, err := dec.ReadValue()
		if err != nil {
			return output
		}
		text, ok := blockText(value)
		if !ok {
			return output
		}
		texts = append(texts, text)
	}
	if dec.PeekKind() != ']' || len(texts) == 0 {
		return output
	}
	return strings.Join(texts, "\n")
}

// blockText gives the text of {"type":"text","text":…} and of nothing else.
func blockText(value jsontext.Value) (text string, ok bool) {
	fields, _ := readObject(string(value))
	isText := false
	for _, f := range fields {
		s, isString := stringOf(f.value)
		switch f.name {
		case "type":
			isText = s == "text"
		case "text":
			text, ok = s, isString
		}
	}
	return text, ok && isText
}

// firstLines cuts a text to its first n lines, and tells how many are left. A
// single line that would be left is kept.
func firstLines(text string, n int) (lines []string, more int) {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return nil, 0
	}
	rest := text
	for len(lines) < n && rest != "" {
		line, after, found := strings.Cut(rest, "\n")
		lines = append(lines, line)
		if rest = after; !found {
			return lines, 0
		}
	}
	if !strings.Contains(rest, "\n") {
		return append(lines, rest), 0
	}
	return lines, strings.Count(rest, "\n") + 1
}
