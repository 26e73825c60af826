package inspect

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rollbook/internal/corpustest"
)

// Each of these is the second line of a file, and what the report says of it
// (spec/inspect.md 2.3 gates 6 to 12).
var recordTests = []struct {
	name, line string
	want       []string // without "@2"
	texts      []string
}{
	{"envelope key", `{"timestamp":"` + rowTime + `","type":"compacted","payload":{"message":"m"},"ordinal":1,"metadata":{}}`,
		[]string{"omitted_fields", "compaction"}, []string{"m"}},
	{"envelope key and payload key", `{"timestamp":"` + rowTime + `","type":"compacted","payload":{"message":"m","b":1,"c":2},"ordinal":1}`,
		[]string{"omitted_fields", "compaction", "omitted_fields"}, []string{"m"}},
	{"all at once, in order", `{"x":1,"type":"turn_context","payload":{"turn_id":1,"cli_version":2,"cwd":3,"phase":4,"namespace":5,"name":6,"call_id":7,"id":8}}`,
		[]string{"omitted_fields", "invalid_timestamp", "invalid_metadata", "invalid_metadata", "invalid_metadata", "invalid_metadata",
			"invalid_metadata", "invalid_metadata", "invalid_metadata", "invalid_metadata", "omitted_fields"}, nil},
	{"metadata null", row("turn_context", `{"turn_id":null,"cwd":null}`), nil, nil},
	{"metadata of an unknown record", row("new", `{"id":[],"name":{},"phase":true,"call_id":"c"}`),
		[]string{"invalid_metadata", "invalid_metadata", "invalid_metadata", "unknown_record"}, nil},
	{"metadata of an event_msg", row("event_msg", `{"type":"x","phase":0}`), []string{"invalid_metadata", "omitted_event_msg"}, nil},
	{"the last of two keys counts", row("response_item", `{"type":"reasoning","type":"message","role":"x","role":"user","content":3,"content":[{"type":"x","type":"input_text","text":1,"text":"last"}]}`),
		nil, []string{"last"}},
	{"the last of two payloads counts", `{"timestamp":1,"timestamp":"` + rowTime + `","type":"session_meta","type":"compacted","payload":{"x":1},"payload":{"message":"m"}}`,
		[]string{"compaction"}, []string{"m"}},
	{"keys know their case", row("response_item", `{"type":"message","role":"user","Content":[],"content":[{"type":"input_text","text":"a"}]}`),
		[]string{"omitted_fields"}, []string{"a"}},
	{"keys may be escaped", row("response_item", `{"t\u0079pe":"mess\u0061ge","role":"\u0075ser","c\u006fntent":[{"typ\u0065":"input\u005ftext","te\u0078t":"a"}]}`),
		nil, []string{"a"}},

	{"turn_context without turn_id", row("turn_context", `{}`), nil, nil},
	{"event_msg without type", row("event_msg", `{}`), []string{"omitted_event_msg"}, nil},
	{"type in capitals", row("Event_msg", `{}`), []string{"unknown_record"}, nil},
	{"empty type", row("", `{}`), []string{"unknown_record"}, nil},

	{"compacted", row("compacted", `{"message":"m"}`), []string{"compaction"}, []string{"m"}},
	{"compacted, empty message", row("compacted", `{"message":""}`), []string{"compaction"}, []string{""}},
	{"compacted, no message", row("compacted", `{"replacement_history":[]}`), []string{"compaction", "omitted_fields", "invalid_checkpoint"}, nil},
	{"compacted, null message", row("compacted", `{"message":null}`), []string{"compaction", "invalid_checkpoint"}, nil},
	{"compacted with a type", row("compacted", `{"type":"t","message":"m"}`), []string{"compaction", "omitted_fields"}, []string{"m"}},

	{"no item type", row("response_item", `{}`), []string{"omitted_item"}, nil},
	{"numeric item type", row("response_item", `{"type":1}`), []string{"omitted_item"}, nil},
	{"item type in capitals", row("response_item", `{"type":"Message"}`), []string{"omitted_item"}, nil},
	{"local_shell_call", row("response_item", `{"type":"local_shell_call","call_id":"c","action":{}}`), []string{"omitted_item"}, nil},
	{"reasoning", row("response_item", `{"type":"reasoning","summary":[],"content":[{"type":"input_text","text":"a"}],"encrypted_content":"x"}`), []string{"omitted_reasoning"}, nil},
	{"compaction item", row("response_item", `{"type":"compaction","encrypted_content":"x","more":1}`), []string{"compaction"}, nil},

	{"message without role", row("response_item", `{"type":"message","content":[{"type":"input_text","text":"a"}]}`), []string{"unknown_role"}, nil},
	{"message of a tool", row("response_item", `{"type":"message","role":"tool","extra":1,"content":[]}`), []string{"omitted_fields", "unknown_role"}, nil},
	{"message with text for content", row("response_item", `{"type":"message","role":"user","content":"a"}`), []string{"invalid_content"}, nil},
	{"message with an object for content", row("response_item", `{"type":"message","role":"user","content":{"type":"input_text","text":"a"}}`), []string{"invalid_content"}, nil},
	{"message without content", row("response_item", `{"type":"message","role":"user"}`), []string{"invalid_content"}, nil},
	{"message with null content", row("response_item", `{"type":"message","role":"user","content":null}`), []string{"invalid_content"}, nil},
	{"message with space for content", row("response_item", `{"type":"message","role":"user","content":[ ]}`), []string{"invalid_content"}, nil},
	{"message with a name", row("response_item", `{"type":"message","role":"user","name":"n","content":[{"type":"input_text","text":"a"}]}`), []string{"omitted_fields"}, []string{"a"}},
	{"message with phase null", row("response_item", `{"type":"message","role":"user","phase":null,"id":null,"content":[{"type":"input_text","text":""}]}`), nil, []string{""}},

	{"blocks", row("response_item", `{"type":"message","role":"user","content":[`+strings.Join([]string{
		`{"type":"input_text","text":"1"}`, `3`, `null`, `"text"`, `[]`, `{}`, `{"type":"text","text":"x"}`,
		`{"type":"input_text"}`, `{"type":"output_text","text":null}`, `{"type":"output_text","text":"10","annotations":[],"logprobs":[]}`,
		`{"type":"input_text","extra":1}`, `{"type":1,"text":"x"}`, `{"type":"input_image","image_url":"x"}`, `{"text":"x"}`, ` { "text" : "15" , "type" : "output_text" } `,
	}, ",")+`]}`),
		[]string{"omitted_block/2", "omitted_block/3", "omitted_block/4", "omitted_block/5", "omitted_block/6", "omitted_block/7",
			"invalid_block/8", "invalid_block/9", "omitted_fields/10", "omitted_fields/11", "invalid_block/11", "omitted_block/12", "omitted_block/13", "omitted_block/14"},
		[]string{"1", "10", "15"}},

	{"function_call", row("response_item", `{"type":"function_call","call_id":"c","name":"n","arguments":"{not json"}`), nil, []string{"{not json"}},
	{"function_call, empty strings", row("response_item", `{"type":"function_call","call_id":"","name":"","arguments":""}`), nil, []string{""}},
	{"function_call with input", row("response_item", `{"type":"function_call","call_id":"c","name":"n","input":"i"}`), []string{"omitted_fields", "invalid_tool_call"}, nil},
	{"function_call with an object", row("response_item", `{"type":"function_call","call_id":"c","name":"n","arguments":{}}`), []string{"invalid_tool_call"}, nil},
	{"function_call without anything", row("response_item", `{"type":"function_call","call_id":1}`), []string{"invalid_metadata", "invalid_tool_call"}, nil},
	{"function_call with a phase", row("response_item", `{"type":"function_call","call_id":"c","name":"n","phase":"p","arguments":"a"}`), []string{"omitted_fields"}, []string{"a"}},
	{"custom_tool_call", row("response_item", `{"type":"custom_tool_call","status":"completed","call_id":"c","name":"n","input":"i"}`), []string{"omitted_fields"}, []string{"i"}},
	{"custom_tool_call with arguments", row("response_item", `{"type":"custom_tool_call","call_id":"c","name":"n","arguments":"a"}`), []string{"omitted_fields", "invalid_tool_call"}, nil},

	{"output", row("response_item", `{"type":"function_call_output","call_id":"c","output":"o"}`), nil, []string{"o"}},
	{"output without call_id", row("response_item", `{"type":"custom_tool_call_output","output":"o"}`), []string{"missing_call_id"}, []string{"o"}},
	{"output with call_id null", row("response_item", `{"type":"custom_tool_call_output","call_id":null,"output":[]}`), []string{"missing_call_id", "invalid_content"}, nil},
	{"no output", row("response_item", `{"type":"function_call_output","call_id":"c"}`), []string{"invalid_content"}, nil},
	{"output an object", row("response_item", `{"type":"function_call_output","call_id":"c","output":{"content":"x","success":true}}`), []string{"invalid_content"}, nil},
	{"output with success", row("response_item", `{"type":"function_call_output","call_id":"c","output":"o","success":true}`), []string{"omitted_fields"}, []string{"o"}},
	{"output in blocks", row("response_item", `{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"1"},{"type":"encrypted_content"},{"type":"input_text","text":"3"}]}`),
		[]string{"omitted_block/2"}, []string{"1", "3"}},
}

func TestRecords(t *testing.T) {
	for _, tt := range recordTests {
		t.Run(tt.name, func(t *testing.T) {
			rep := inspectString(t, lines(meta("s"), tt.line))
			var want []string
			for _, c := range tt.want {
				code, block, _ := strings.Cut(c, "/")
				if block != "" {
					block = "/" + block
				}
				want = append(want, code+"@2"+block)
			}
			wantCodes(t, rep, want...)
			if d := cmp.Diff(tt.texts, rep.texts()); d != "" {
				t.Errorf("texts (-want +got):\n%s", d)
			}
			if len(rep.Records) != 2 {
				t.Errorf("%d records, want 2", len(rep.Records))
			}
		})
	}
}

// A checkpoint has no tool and no phase, whatever its payload says; any other
// event has what its payload says.
func TestEventMembers(t *testing.T) {
	rep := inspectString(t, lines(
		meta("s"),
		row("compacted", `{"type":"t","id":"i","message":"m","phase":"p","call_id":"c","name":"n","namespace":"ns"}`),
		row("response_item", `{"type":"message","id":"i","role":"user","phase":"p","call_id":"c","name":"n","namespace":"ns","content":[{"type":"input_text","text":"a"}]}`),
		row("response_item", `{"type":"function_call_output","id":"i","phase":"p","call_id":"c","name":"n","namespace":"ns","output":"a"}`),
	))
	for i, want := range []string{"null null null null", `"p" "c" "n" "ns"`, `"p" "c" "n" "ns"`} {
		e := rep.Events[i]
		if got := show(e.Phase) + " " + show(e.ToolID) + " " + show(e.ToolName) + " " + show(e.ToolNamespace); got != want {
			t.Errorf("event %d has %s, want %s", i+1, got, want)
		}
		if show(e.Source.ID) != `"i"` || e.Source.ItemType == nil {
			t.Errorf("event %d stands at %+v", i+1, e.Source)
		}
	}
}

// schemaTreatment is how the report treats the variants of types in the schema
// of Codex's app-server.
var schemaTreatment = map[string]map[string]string{
	"ResponseItem": {
		"message":                 "events by block",
		"function_call":           "event",
		"function_call_output":    "event or events by block",
		"custom_tool_call":        "event",
		"custom_tool_call_output": "event or events by block",
		"reasoning":               "omitted_reasoning",
		"compaction":              "compaction",
		"compaction_trigger":      "compaction",
		"context_compaction":      "compaction",
		"additional_tools":        "omitted_item",
		"agent_message":           "omitted_item",
		"configuration_update":    "omitted_item",
		"image_generation_call":   "omitted_item",
		"local_shell_call":        "omitted_item",
		"other":                   "omitted_item",
		"tool_search_call":        "omitted_item",
		"tool_search_output":      "omitted_item",
		"web_search_call":         "omitted_item",
	},
	"ContentItem": {
		"input_text":  "event",
		"output_text": "event",
		"input_image": "omitted_block",
		"input_audio": "omitted_block",
	},
	"FunctionCallOutputContentItem": {
		"input_text":        "event",
		"input_image":       "omitted_block",
		"input_audio":       "omitted_block",
		"encrypted_content": "omitted_block",
	},
	"FunctionCallOutputBody": {
		"string": "event",
		"array":  "events by block",
	},
}

// TestSchemas reads the schemas of two versions: each variant has a treatment
// in the table, and the report treats it so.
func TestSchemas(t *testing.T) {
	for _, version := range []string{"0.156.1", "0.171.0"} {
		text := must(os.ReadFile(filepath.Join(corpustest.Schemas(t), version, "codex_app_server_protocol.schemas.json")))
		var schema struct {
			Definitions struct {
				V2 map[string]any `json:"v2"`
			} `json:"definitions"`
		}
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		for name, treatment := range schemaTreatment {
			definition, ok := schema.Definitions.V2[name].(map[string]any)
			if !ok {
				t.Errorf("%s: no %s", version, name)
				continue
			}
			variants := variantsOf(definition)
			if len(variants) < 2 {
				t.Errorf("%s: %s has the variants %v", version, name, variants)
			}
			for _, v := range variants {
				if treatment[v] == "" {
					t.Errorf("%s: %s %s has no treatment", version, name, v)
				}
			}
		}
	}
	for variant, want := range schemaTreatment["ResponseItem"] {
		rep := inspectString(t, lines(meta("s"), row("response_item",
			`{"type":"`+variant+`","role":"user","call_id":"c","name":"n","arguments":"a","input":"a","output":"a","content":[{"type":"input_text","text":"a"}]}`)))
		got := "event"
		if len(rep.Events) == 0 {
			got = string(rep.Diagnostics[len(rep.Diagnostics)-1].Code)
		}
		if got != want && !strings.HasPrefix(want, got+" ") && !strings.HasPrefix(want, got+"s ") {
			t.Errorf("%s gives %s, want %s", variant, got, want)
		}
	}
	for _, name := range []string{"ContentItem", "FunctionCallOutputContentItem"} {
		for variant, want := range schemaTreatment[name] {
			item := `{"type":"message","role":"user","content":[{"type":"` + variant + `","text":"a"}]}`
			if name != "ContentItem" {
				item = `{"type":"function_call_output","call_id":"c","output":[{"type":"` + variant + `","text":"a"}]}`
			}
			rep := inspectString(t, lines(meta("s"), row("response_item", item)))
			got := "event"
			if len(rep.Events) == 0 {
				got = string(rep.Diagnostics[1].Code)
			}
			if got != want {
				t.Errorf("%s %s gives %s, want %s", name, variant, got, want)
			}
		}
	}
}

// variantsOf gives the tags of a oneOf or anyOf: the constant of "type", or the
// JSON type where there is none.
func variantsOf(definition map[string]any) []string {
	names := make(map[string]bool)
	for _, key := range []string{"oneOf", "anyOf"} {
		list, _ := definition[key].([]any)
		for _, alternative := range list {
			alternative := alternative.(map[string]any)
			properties, _ := alternative["properties"].(map[string]any)
			tag, _ := properties["type"].(map[string]any)
			enum, _ := tag["enum"].([]any)
			if len(enum) == 0 {
				names[alternative["type"].(string)] = true
			}
			for _, name := range enum {
				names[name.(string)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}
