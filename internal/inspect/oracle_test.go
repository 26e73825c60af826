package inspect

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rollbook/internal/rollout"
)

// An oracle says what the report of a text must be, line by line, by decoding
// each line whole with encoding/json. It shares with the package only the
// answer to which lines are JSON (rollout.Scan) and which times are valid.
type oracle struct {
	rep     jsonReport
	session *string
	turn    *string
	unknown string // why the session is not known
	header  bool
	line    int
	reasons map[string]bool // why each diagnostic, for the corpus
}

func oracleReport(text string, limits Limits) *oracle {
	o := &oracle{reasons: make(map[string]bool)}
	o.rep = jsonReport{Agent: "codex", InspectionVersion: 1, Compatibility: "unverified",
		SessionIDs: []string{}, ObservedVersions: []string{}, ProjectPaths: []string{}, Records: []jsonSource{}, Events: []jsonEvent{}}
	o.rep.Diagnostics = []jsonDiagnostic{{Code: UnverifiedCompatibility}}
	for len(text) > 0 {
		line, rest, ended := strings.Cut(text, "\n")
		o.line++
		o.physical(line, ended, limits.Line)
		text = rest
	}
	r := &o.rep
	r.Lines = o.line
	r.State = string(Empty)
	if len(r.Diagnostics) > 1 {
		r.State = string(Partial)
	} else if len(r.Events) > 0 {
		r.State = string(Read)
	}
	for _, set := range []*[]string{&r.SessionIDs, &r.ObservedVersions, &r.ProjectPaths} {
		slices.Sort(*set)
		*set = slices.Compact(*set)
	}
	return o
}

// say files a diagnostic. Behind its code stands what it is about, and behind a
// colon the key or type: the words of the table in the corpus test.
func (o *oracle) say(block int, why string) {
	o.reasons[why] = true
	code := why[:len(why)-len(strings.TrimLeft(why, "_abcdefghijklmnopqrstuvwxyz0123456789"))]
	d := jsonDiagnostic{Code: codes[slices.Index(codeNames(), code)], Line: &[]int{o.line}[0]}
	if block > 0 {
		d.Block = &block
	}
	o.rep.Diagnostics = append(o.rep.Diagnostics, d)
}

func codeNames() (names []string) {
	for _, c := range codes {
		names = append(names, string(c))
	}
	return names
}

func (o *oracle) physical(line string, ended bool, limit int) {
	n := len(line)
	if ended {
		n++
	}
	lost := ""
	switch {
	case n > limit:
		lost = "line_limit"
	case strings.Trim(line, " \t\f\r") == "":
		return
	default:
		switch fault := rollout.Scan([]byte(line), new(rollout.Envelope)); {
		case fault == rollout.NoFault:
		case fault == rollout.FaultUTF8:
			lost = "invalid_utf8"
		case fault == rollout.FaultEOF && !ended:
			lost = "incomplete_final_line"
		default:
			lost = "invalid_json"
		}
	}
	reason := ""
	if lost == "" {
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			panic(err)
		}
		record, _ := v.(map[string]any)
		typ, isString := record["type"].(string)
		payload, isObject := record["payload"].(map[string]any)
		if isString && isObject {
			o.record(record, typ, payload)
			return
		}
		lost, reason = "invalid_record", bare(record)
	}
	o.session, o.turn, o.unknown = nil, nil, "behind "+lost
	o.say(0, lost+reason)
}

// bare names what a record without a payload is.
func bare(record map[string]any) string {
	for _, key := range []string{"record_type", "type"} {
		if name := stringAt(record, key); name != nil && record["payload"] == nil {
			return " bare: " + *name
		}
	}
	if _, ok := record["instructions"]; ok && record["payload"] == nil {
		return " bare: header"
	}
	return ""
}

// stringAt gives a member where it is a string.
func stringAt(object map[string]any, key string) *string {
	if s, ok := object[key].(string); ok {
		return &s
	}
	return nil
}

// extra says so where an object has other keys than the allowed.
func (o *oracle) extra(object map[string]any, block int, what, allowed string) {
	why := ""
	for key := range object {
		if !slices.Contains(strings.Fields(allowed), key) {
			why = "omitted_fields " + what + ": " + key
			o.reasons[why] = true
		}
	}
	if why != "" {
		o.say(block, why)
	}
}

func (o *oracle) record(record map[string]any, typ string, payload map[string]any) {
	o.extra(record, 0, "envelope", "timestamp type payload")
	timestamp := stringAt(record, "timestamp")
	if timestamp == nil || !rfc3339([]byte(*timestamp)) {
		timestamp = nil
		o.say(0, "invalid_timestamp")
	}
	for _, key := range strings.Fields("id call_id name namespace phase cwd cli_version turn_id") {
		if v := payload[key]; v != nil && stringAt(payload, key) == nil {
			o.say(0, "invalid_metadata: "+key)
		}
	}
	switch id := stringAt(payload, "id"); {
	case typ == "session_meta":
		if o.header {
			o.say(0, "repeated_session_metadata")
		}
		o.header, o.session, o.turn = true, nil, nil
		if id == nil || *id == "" {
			o.say(0, "missing_session_id")
		} else {
			o.session = id
			o.rep.SessionIDs = append(o.rep.SessionIDs, *id)
		}
		if v := stringAt(payload, "cli_version"); v != nil {
			o.rep.ObservedVersions = append(o.rep.ObservedVersions, *v)
		}
	case o.session == nil:
		o.say(0, "missing_session_metadata "+o.unknown)
	}
	if typ == "turn_context" {
		o.turn = stringAt(payload, "turn_id")
	}
	if cwd := stringAt(payload, "cwd"); cwd != nil && (typ == "turn_context" || typ == "session_meta") {
		o.rep.ProjectPaths = append(o.rep.ProjectPaths, *cwd)
	}
	source := jsonSource{Line: o.line, RecordType: typ, ItemType: stringAt(payload, "type"), ID: stringAt(payload, "id"), SessionID: o.session, TurnID: o.turn}
	o.rep.Records = append(o.rep.Records, source)
	event := jsonEvent{Timestamp: timestamp, Source: source, Provenance: "extracted", Phase: stringAt(payload, "phase"),
		ToolID: stringAt(payload, "call_id"), ToolName: stringAt(payload, "name"), ToolNamespace: stringAt(payload, "namespace")}
	switch typ {
	case "session_meta":
		o.extra(payload, 0, typ, "id cwd cli_version")
	case "turn_context":
		o.extra(payload, 0, typ, "turn_id cwd")
	case "event_msg":
		o.say(0, fmt.Sprintf("omitted_event_msg: %v", payload["type"]))
	case "compacted":
		o.say(0, "compaction: "+typ)
		o.extra(payload, 0, typ, "message")
		if text := stringAt(payload, "message"); text != nil {
			o.emit(jsonEvent{Timestamp: timestamp, Source: source, Provenance: "checkpoint"}, "system", "checkpoint", *text, 0)
		} else {
			o.say(0, "invalid_checkpoint")
		}
	case "response_item":
		o.item(event, payload)
	default:
		o.say(0, "unknown_record: "+typ)
	}
}

func (o *oracle) emit(e jsonEvent, role, kind, text string, block int) {
	e.Sequence, e.Role, e.Kind, e.Text = len(o.rep.Events)+1, role, kind, text
	if block > 0 {
		e.Source.Block = &block
	}
	o.rep.Events = append(o.rep.Events, e)
}

func (o *oracle) item(e jsonEvent, payload map[string]any) {
	typ, _ := payload["type"].(string)
	what := "response_item/" + typ
	call := "type id call_id name namespace "
	switch typ {
	case "message":
		o.extra(payload, 0, what, "type id role content phase")
		role, _ := payload["role"].(string)
		if !slices.Contains([]string{"user", "assistant", "system", "developer"}, role) {
			o.say(0, "unknown_role: "+role)
			return
		}
		o.walk(e, payload["content"], role, "text", what)
	case "function_call", "custom_tool_call":
		input := "arguments"
		if typ == "custom_tool_call" {
			input = "input"
		}
		o.extra(payload, 0, what, call+input)
		text := stringAt(payload, input)
		if text == nil || e.ToolID == nil || e.ToolName == nil {
			o.say(0, "invalid_tool_call")
			return
		}
		o.emit(e, "assistant", "tool_call", *text, 0)
	case "function_call_output", "custom_tool_call_output":
		o.extra(payload, 0, what, call+"output")
		if e.ToolID == nil {
			o.say(0, "missing_call_id")
		}
		if text := stringAt(payload, "output"); text != nil {
			o.emit(e, "tool", "tool_result", *text, 0)
			return
		}
		o.walk(e, payload["output"], "tool", "tool_result", what)
	case "compaction", "context_compaction", "compaction_trigger":
		o.say(0, "compaction: "+typ)
	case "reasoning":
		o.say(0, "omitted_reasoning")
	default:
		o.say(0, "omitted_item: "+typ)
	}
}

func (o *oracle) walk(e jsonEvent, content any, role, kind, what string) {
	list, _ := content.([]any)
	if len(list) == 0 {
		o.say(0, "invalid_content "+what)
		return
	}
	for i, v := range list {
		block, _ := v.(map[string]any)
		typ, _ := block["type"].(string)
		if typ != "input_text" && typ != "output_text" {
			o.say(i+1, "omitted_block "+what+": "+typ)
			continue
		}
		o.extra(block, i+1, what+" "+typ, "type text")
		if text := stringAt(block, "text"); text != nil {
			o.emit(e, role, kind, *text, i+1)
		} else {
			o.say(i+1, "invalid_block "+what)
		}
	}
}

// checkOracle compares a report with what the oracle says of the same text.
func checkOracle(tb testing.TB, rep *jsonReport, text string, limits Limits) *oracle {
	tb.Helper()
	o := oracleReport(text, limits)
	o.rep.SnapshotBytes = rep.SnapshotBytes // other than the text where that was compressed
	if !reflect.DeepEqual(&o.rep, rep) {
		tb.Errorf("report (-oracle +got):\n%s", cmp.Diff(&o.rep, rep))
	}
	return o
}
