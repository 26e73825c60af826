package interchange

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rollbook/internal/diag"
	"rollbook/internal/transcript"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

const nHead = `{"thread_id":"n","timestamp":"2026-01-01T12:00:00Z","role":`

// TestNormalizedLines reads single lines; a code stands for a lost line.
func TestNormalizedLines(t *testing.T) {
	user := func(text string) NormalizedRecord {
		return NormalizedRecord{ThreadID: "n", Event: transcript.Event{Kind: transcript.User, Time: noon, Text: text}}
	}
	with := func(r NormalizedRecord, change func(*NormalizedRecord)) NormalizedRecord { change(&r); return r }
	tool := func(name, args string) NormalizedRecord {
		return NormalizedRecord{ThreadID: "n", Event: transcript.Event{Kind: transcript.ToolCall, Time: noon, Tool: name, Arguments: args}}
	}
	tests := []struct {
		line string
		want any // NormalizedRecord or diag.Code
		also diag.Code
	}{
		{nHead + `"user","text":"hi"}`, user("hi"), ""},
		{nHead + `"user","text":"   "}`, user("   "), ""},
		{nHead + `"assistant","text":"hi"}`, with(user("hi"), func(r *NormalizedRecord) { r.Event.Kind = transcript.Assistant }), ""},
		{nHead + `"user","text":"hi","project":"/home/ada/x"}`, with(user("hi"), func(r *NormalizedRecord) { r.Project = "/home/ada/x" }), ""},
		{nHead + `"user","text":"hi","project":"unassigned"}`, user("hi"), ""},
		{nHead + `"user","text":"hi","project":null,"tool":"grep"}`, user("hi"), ""},
		{nHead + `"user","text":"hi","project":7}`, user("hi"), OmittedFields},

		{nHead + `"user","content":"hi"}`, user("hi"), ""},
		{nHead + `"user","text":null,"content":"hi"}`, user("hi"), ""},
		{nHead + `"user","text":"hi","content":"no"}`, user("hi"), ""},
		{nHead + `"user","text":"","content":"no"}`, Empty, ""},
		{nHead + `"user","text":7,"content":"no"}`, Empty, ""},
		{nHead + `"user","text":{"a":1}}`, Empty, ""},
		{nHead + `"user"}`, Empty, ""},
		{nHead + `"tool","tool":"","text":""}`, Empty, ""},
		{nHead + `"user","content":[{"type":"text","text":"a"},{"type":"image","url":"x"},{"type":"input_text","text":"b"},{"type":"output_text","text":"c"},{"text":"d"},"e",{"type":"text"},{"type":"text","text":7},{"type":"image","text":"f"}]}`, user("a\nb\nc\nd"), ""},
		{nHead + `"user","content":[]}`, Empty, ""},

		{nHead + `"tool","tool":"grep","text":"pattern"}`, tool("grep", "pattern"), ""},
		{nHead + `"tool","tool":"grep"}`, tool("grep", ""), ""},
		{nHead + `"tool","text":"x"}`, tool("", "x"), ""},
		{nHead + `"tool","tool":"a.b","text":{"k": ["v",1]}}`, tool("a.b", `{"k": ["v",1]}`), ""},

		{strings.Replace(nHead, "thread_id", "session_id", 1) + `"user","text":"hi"}`, user("hi"), ""},
		{nHead + `"user","text":"hi","session_id":"s"}`, user("hi"), ""},
		{nHead + `"user","text":"hi","session_id":7}`, InvalidField, ""},
		{`{"ts":1767268800,"role":"user","text":"hi"}`, with(user("hi"), func(r *NormalizedRecord) { r.ThreadID = "" }), ""},

		{nHead + `"user","text":"hi","natural":true}`, with(user("hi"), func(r *NormalizedRecord) { r.Judged = true }), ""},
		{nHead + `"user","text":"hi","natural":false}`, with(user("hi"), func(r *NormalizedRecord) {
			r.Judged, r.Event.Kind, r.Event.Role = true, transcript.Context, "user"
		}), ""},
		{nHead + `"user","text":"hi","natural":"no"}`, user("hi"), OmittedFields},
		{nHead + `"user","text":"hi","turn_id":"u","inherited":true,"origin":"recovered","source":{"file":"a","line":3,"offset":9}}`,
			with(user("hi"), func(r *NormalizedRecord) {
				r.Event.TurnID, r.Event.Inherited, r.Event.Origin = "u", true, transcript.Recovered
				r.Event.Source = transcript.Source{File: "a", Line: 3, Offset: 9}
			}), ""},
		{nHead + `"user","text":"hi","origin":"web","source":null,"model":"m"}`, user("hi"), ""},
		{nHead + `"user","text":"hi","source":"web"}`, user("hi"), OmittedFields},
		{nHead + `"user","text":"hi","source":{"file":7}}`, user("hi"), OmittedFields},
		{nHead + `"user","text":"hi","inherited":1,"turn_id":7,"origin":{}}`, user("hi"), OmittedFields},
		{nHead + `"user","text":"hi","mood":"good"}`, user("hi"), OmittedFields},
		{nHead + `"user","text":"a\udc00"}`, user("a\ufffd"), RepairedText},
		{nHead + "\"tool\",\"tool\":\"x\",\"text\":{\"a\":\"\xff\"}}", tool("x", "{\"a\":\"\ufffd\"}"), RepairedText},

		{nHead + `"system","text":"hi"}`, UnknownRecord, ""},
		{nHead + `null,"text":"hi"}`, UnknownRecord, ""},
		{nHead + `1,"text":"hi"}`, UnknownRecord, ""},
		{`{"type":"new_format"}`, UnknownRecord, ""},
		{`{"session_id":"n","ts":1,"text":"hi"}`, UnknownRecord, ""},
		{`not json`, InvalidJSON, ""},
		{`[1, 2]`, InvalidRecord, ""},
		{`{"thread_id":"n","timestamp":"nonsense","role":"user","text":""}`, InvalidTimestamp, ""},
		{`{"thread_id":"n","role":"user","text":"hi"}`, InvalidTimestamp, ""},
		{`{"thread_id":"n","timestamp":null,"role":"user","text":"hi","origin":"recorded"}`, InvalidTimestamp, ""},
		{`{"thread_id":"n","timestamp":null,"role":"user","text":"hi","origin":"recorded","source":null}`,
			with(user("hi"), func(r *NormalizedRecord) { r.Event.Time = time.Time{} }), ""},
		{`{"thread_id":"n","timestamp":"nonsense","ts":1,"role":"user","text":"hi"}`, InvalidTimestamp, ""},
		{`{"thread_id":"n","created_at":1767268800,"role":"user","text":"hi"}`, user("hi"), ""},
		{`{"thread_id":"n","timestamp":null,"ts":null,"created_at":1767268800,"role":"user","text":"hi"}`, user("hi"), ""},
		{`{"thread_id":"n","created_at":1,"ts":2,"timestamp":1767268800000,"role":"user","text":"hi"}`, user("hi"), ""},
	}
	for _, tt := range tests {
		list, found := readNormalized(t, strings.NewReader(tt.line+"\n"), Options{})
		if code, lost := tt.want.(diag.Code); lost {
			if len(list) != 0 || len(found) != 1 || found[0].Code != code {
				t.Errorf("%s\n got %v %v, want %s", tt.line, list, found, code)
			}
			continue
		}
		if len(list) != 1 {
			t.Errorf("%s: %d records, %v", tt.line, len(list), found)
			continue
		}
		want := tt.want.(NormalizedRecord)
		want.Position.Line = 1
		if diff := cmp.Diff(want, list[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.line, diff)
		}
		if tt.also == "" && len(found) > 0 || tt.also != "" && (len(found) != 1 || found[0].Code != tt.also) {
			t.Errorf("%s: %v, want %q", tt.line, found, tt.also)
		}
	}
}

func TestUsageLines(t *testing.T) {
	const head = `{"type":"usage","thread_id":"n","timestamp":"2026-01-01T12:00:00Z","provider":"openai","model":"gpt-5","response_id":"r","usage":`
	tests := []struct {
		line      string
		usage     transcript.TokenUsage
		cached    bool // counted
		reasoning bool
		lost      diag.Code
	}{
		{head + `{"input":5,"cached_input":3,"output":2,"reasoning_output":1,"total":7}}`, transcript.TokenUsage{Input: 5, CachedInput: 3, Output: 2, ReasoningOutput: 1, Total: 7}, true, true, ""},
		{head + `{"input_tokens":5,"cached_input_tokens":5,"output_tokens":2,"reasoning_output_tokens":2,"total_tokens":7}}`, transcript.TokenUsage{Input: 5, CachedInput: 5, Output: 2, ReasoningOutput: 2, Total: 7}, true, true, ""},
		{head + `{"input":5,"output":2,"total":7}}`, transcript.TokenUsage{Input: 5, Output: 2, Total: 7}, false, false, ""},
		{head + `{"input":0,"output":0,"total":9007199254740991,"cached_input":null,"reasoning_output":0}}`, transcript.TokenUsage{Total: maxCounter}, false, true, ""},
		{head + `{"input":5,"output":2}}`, transcript.TokenUsage{}, false, false, InvalidUsage},
		{head + `{"input":5,"total":7}}`, transcript.TokenUsage{}, false, false, InvalidUsage},
		{head + `{"output":5,"total":7}}`, transcript.TokenUsage{}, false, false, InvalidUsage},
		{head + `{"input":5,"output":2,"total":9007199254740992}}`, transcript.TokenUsage{}, false, false, InvalidUsage},
		{head + `{"input":5,"output":2,"total":-7}}`, transcript.TokenUsage{}, false, false, InvalidUsage},
		{head + `{"input":5,"output":2,"total":7.0}}`, transcript.TokenUsage{}, false, false, InvalidUsage},
		{head + `{"input":5,"output":2,"total":"7"}}`, transcript.TokenUsage{}, false, false, InvalidUsage},
		{head + `{"input":5,"output":2,"total":true}}`, transcript.TokenUsage{}, false, false, InvalidUsage},
		{head + `{"input":5,"output":2,"total":7,"cached_input":6}}`, transcript.TokenUsage{}, false, false, InvalidUsage},
		{head + `{"input":5,"output":2,"total":7,"reasoning_output":3}}`, transcript.TokenUsage{}, false, false, InvalidUsage},
		{head + `null}`, transcript.TokenUsage{}, false, false, InvalidUsage},
		{head + `[]}`, transcript.TokenUsage{}, false, false, InvalidUsage},
		{strings.Replace(head, `"r"`, `""`, 1) + `{"input":5,"output":2,"total":7}}`, transcript.TokenUsage{}, false, false, InvalidUsage},
		{strings.Replace(head, `"r"`, `null`, 1) + `{"input":5,"output":2,"total":7}}`, transcript.TokenUsage{}, false, false, InvalidUsage},
		{strings.Replace(head, `"r"`, `"`+strings.Repeat("é", 201)+`"`, 1) + `{"input":5,"output":2,"total":7}}`, transcript.TokenUsage{}, false, false, InvalidUsage},
		{strings.Replace(head, `"2026-01-01T12:00:00Z"`, `"x"`, 1) + `{"input":5,"output":2,"total":7}}`, transcript.TokenUsage{}, false, false, InvalidTimestamp},
	}
	for _, tt := range tests {
		list, found := readNormalized(t, strings.NewReader(tt.line), Options{})
		if tt.lost != "" {
			if len(list) != 0 || len(found) != 1 || found[0].Code != tt.lost {
				t.Errorf("%s\n got %v %v, want %s", tt.line, list, found, tt.lost)
			}
			continue
		}
		want := []NormalizedRecord{{
			Position: diag.Position{Line: 1}, ThreadID: "n", Provider: "openai", NoCached: !tt.cached, NoReasoning: !tt.reasoning,
			Event: transcript.Event{Kind: transcript.Usage, Time: noon, Model: "gpt-5", ItemID: "r", Usage: &tt.usage},
		}}
		if diff := cmp.Diff(want, list); diff != "" || len(found) > 0 {
			t.Errorf("%s: %v (-want +got):\n%s", tt.line, found, diff)
		}
	}
}

func TestParseTime(t *testing.T) {
	utc := func(y int, m time.Month, d, h, min, s, ms int) time.Time {
		return time.Date(y, m, d, h, min, s, ms*1e6, time.UTC)
	}
	for in, want := range map[string]time.Time{
		"2026-01-01T12:00:00Z":             noon,
		"2026-01-01T12:00:00z":             noon,
		" 2026-01-01T12:00:00Z\n":          noon,
		"2026-01-01t12:00:00Z":             noon,
		"2026-01-01 12:00:00":              noon,
		"2026-01-01T12:00:00":              noon,
		"2026-01-01T12:00":                 noon,
		"2026-01-01T12:00Z":                noon,
		"2026-01-01T20:00:00+08:00":        noon,
		"2026-01-01T20:00:00+0800":         noon,
		"2026-01-01T20:00:00+08":           noon,
		"2026-01-01T06:30:00-05:30":        noon,
		"20260101T120000Z":                 noon,
		"20260101T120000":                  noon,
		"2026-01-01":                       utc(2026, 1, 1, 0, 0, 0, 0),
		"2026-01-01T12:00:00.123456789Z":   utc(2026, 1, 1, 12, 0, 0, 123),
		"2026-01-01T12:00:00,5Z":           utc(2026, 1, 1, 12, 0, 0, 500),
		"2026-01-01 12:00:00.999999+00:00": utc(2026, 1, 1, 12, 0, 0, 999),
		"1767268800":                       noon,
		"1767268800.5":                     utc(2026, 1, 1, 12, 0, 0, 500),
		"1767268800.1239":                  utc(2026, 1, 1, 12, 0, 0, 123),
		"1767268800123":                    utc(2026, 1, 1, 12, 0, 0, 123),
		"1.7672688e9":                      noon,
		"0":                                utc(1970, 1, 1, 0, 0, 0, 0),
		"4133980799":                       utc(2100, 12, 31, 23, 59, 59, 0),
		"1970-01-01":                       utc(1970, 1, 1, 0, 0, 0, 0),
		"2100-12-31T23:59:59.999Z":         utc(2100, 12, 31, 23, 59, 59, 999),
	} {
		if got, ok := parseTime(in); !ok || !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("parseTime(%q) = %v, %v, want %v", in, got, ok, want)
		}
	}
	for _, in := range []string{
		"", "nonsense", "None", "NaN", "Inf", "0x10", "-1", "4133980800", "1e300", "-1e300", "1767268800000000",
		"2200-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "2101-01-01T00:00:00Z", "2100-12-31T23:59:59-01:00",
		"2026-13-01", "2026-02-30", "2026-01-01T25:00:00Z", "2026-01-01T12:00:00ZZ", "2026-01-01X12:00:00", "01/02/2026", "+", "...",
	} {
		if got, ok := parseTime(in); ok {
			t.Errorf("parseTime(%q) = %v, want none", in, got)
		}
	}
	for in, ok := range map[string]bool{"1767268800": true, "1767268800.25": true, "1767268800123": true, "-5": false, "1e999": false} {
		line := `{"thread_id":"n","timestamp":` + in + `,"role":"user","text":"x"}`
		if list, _ := readNormalized(t, strings.NewReader(line), Options{}); (len(list) == 1) != ok {
			t.Errorf("timestamp %s: read %v, want %v", in, !ok, ok)
		}
	}
	for _, in := range []string{"true", "[1]", "{}", `"-"`} {
		line := `{"thread_id":"n","timestamp":` + in + `,"role":"user","text":"x"}`
		if list, found := readNormalized(t, strings.NewReader(line), Options{}); len(list) != 0 || found[0].Code != InvalidTimestamp {
			t.Errorf("timestamp %s: %v %v, want it refused", in, list, found)
		}
	}
}

// TestMixedFile reads a file with something wrong on most lines.
func TestMixedFile(t *testing.T) {
	in := "\ufeffnot json\n\n" +
		nHead + `"user","text":"Plan it"}` + "\r\n" +
		`{"type":"new_format"}` + "\n[1, 2]\n" +
		`{"thread_id":"n","timestamp":"nonsense","role":"user","text":"x"}` + "\n" +
		nHead + `"user","text":""}` + "\n" +
		nHead + `"user","text":"a` + "\u2028\u0085" + `c"}` + "\n" +
		nHead + `"assistant","tex`
	list, found := readNormalized(t, strings.NewReader(in), Options{File: "f"})
	want := []string{
		"f:1 invalid_json", "f:4 unknown_record", "f:5 invalid_record",
		"f:6 invalid_timestamp", "f:7 empty", "f:9 incomplete_final_line",
	}
	if diff := cmp.Diff(want, found.strings()); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
	if len(list) != 2 || list[0].Position.Line != 3 || list[1].Position.Line != 8 || list[1].Event.Text != "a\u2028\u0085c" {
		t.Errorf("read %v", list)
	}
}
