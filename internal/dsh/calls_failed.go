package dsh

import (
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"rollbook/internal/transcript"
)

// failedStates are the states of a call that say that it failed, folded.
var failedStates = stateSet("failed", "failure", "error", "errored", "cancelled", "canceled", "incomplete", "timeout", "timedout",
	"aborted", "interrupted", "rejected", "declined", "denied", "refused", "expired", "killed", "terminated")

// goodStates are those of an item of Codex's own that do not.
var goodStates = stateSet("completed", "complete", "success", "succeeded", "inprogress", "running", "queued", "pending", "started", "streaming")

func stateSet(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}

// foldState spells a state without case, blanks, "_" and "-".
func foldState(s string) string {
	if len(s) > 64 {
		return s
	}
	return strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(s))
}

// failedResult reports whether a call failed, as far as Codex recorded it: by
// its exit code, its status, or what its output says where nothing else does.
func failedResult(item string, ev *transcript.Event) bool {
	if ev.IsError != nil && *ev.IsError || ev.ExitCode != nil && *ev.ExitCode != 0 {
		return true
	}
	if state := foldState(ev.Outcome); failedStates[state] || state != "" && shownByItem(item) && !goodStates[state] {
		return true
	}
	return ev.IsError == nil && saysFailed(ev.Output, maxFailedDepth) || saysFailed(ev.Record, maxFailedDepth)
}

// shownByItem reports whether a call is known from an item of Codex's own, whose
// states are all known.
func shownByItem(item string) bool {
	switch item {
	case "CommandExecution", "FileChange", "McpToolCall", "DynamicToolCall", "WebSearch", "ImageGeneration", "CollabAgentToolCall":
		return true
	}
	return false
}

// maxFailedDepth is how deep an output is searched for what it says of itself.
const maxFailedDepth = 6

// failedKeys are the keys that tell, as they stand in JSON.
var failedKeys = [...]string{`"status"`, `"success"`, `"error"`, `"exit_code"`, `"exitCode"`, `\"`}

// saysFailed reports whether an output that is a JSON object says that the call
// failed.
func saysFailed(output string, depth int) bool {
	s := strings.TrimLeft(output, " \t\r\n")
	if depth == 0 || !strings.HasPrefix(s, "{") {
		return false
	}
	for i, key := range failedKeys {
		if strings.Contains(s, key) {
			break
		}
		if i == len(failedKeys)-1 {
			return false
		}
	}
	d := jsontext.NewDecoder(strings.NewReader(s), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	failed, ok := objectFailed(d, depth)
	if !ok {
		return false
	}
	_, err := d.ReadToken()
	return failed && err == io.EOF // nothing follows
}

// objectFailed reads an object. ok is false where it is broken.
func objectFailed(d *jsontext.Decoder, depth int) (failed, ok bool) {
	if _, err := d.ReadToken(); err != nil {
		return false, false
	}
	for d.PeekKind() != '}' {
		key, err := d.ReadToken()
		if err != nil {
			return false, false
		}
		told, ok := memberFailed(d, key.String(), depth)
		if !ok {
			return false, false
		}
		failed = failed || told
	}
	_, err := d.ReadToken()
	return failed, err == nil
}

func memberFailed(d *jsontext.Decoder, key string, depth int) (failed, ok bool) {
	switch key {
	case "output", "result", "item", "event", "data", "metadata":
		switch d.PeekKind() {
		case '{':
			if depth > 1 {
				return objectFailed(d, depth-1)
			}
		case '"':
			t, err := d.ReadToken()
			return err == nil && saysFailed(t.String(), depth-1), err == nil
		}
	case "status", "success", "error", "exit_code", "exitCode":
		if k := d.PeekKind(); k != '{' && k != '[' {
			t, err := d.ReadToken()
			return err == nil && tokenFailed(key, t), err == nil
		}
		return key == "error", d.SkipValue() == nil
	}
	return false, d.SkipValue() == nil
}

func tokenFailed(key string, t jsontext.Token) bool {
	switch key {
	case "status":
		return t.Kind() == '"' && failedStates[foldState(t.String())]
	case "success":
		return t.Kind() == 'f'
	case "error":
		return t.Kind() != 'n'
	}
	if t.Kind() != '0' {
		return false
	}
	n, err := t.Float()
	return err != nil || n != 0
}
