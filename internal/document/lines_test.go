package document

import (
	"strings"
	"testing"
)

const at = `"timestamp":"2026-01-02T03:04:05Z"`

// TestLines holds each rule of docs/format/documents.md to a line (D3, D5, D6, D7).
func TestLines(t *testing.T) {
	const when = " 2026-01-02T03:04:05Z"
	usage := `"input":10,"output":5,"total":15`
	for _, tt := range []struct {
		name, line string
		entry      string // without the line's number; empty where there is none
		found      string // code; empty where nothing is reported
	}{
		// D3: the first shape that fits
		{"normalized", `{"thread_id":"n","project":"/p",` + at + `,"role":"user","text":"hi"}`, `n in="/p" user` + when + ` natural text="hi"`, ""},
		{"a role wins over history", `{"session_id":"n","ts":1767323045,"role":"assistant","text":"hi"}`, `n assistant` + when + ` text="hi"`, ""},
		{"history", `{"session_id":"h","ts":1767323045,"text":"hi"}`, `h user` + when + ` natural text="hi"`, ""},
		{"history with a role that is none", `{"session_id":"h","ts":1767323045,"text":"hi","role":null}`, `h user` + when + ` natural text="hi"`, ""},
		{"history with a role that is not known", `{"session_id":"h","ts":1767323045,"text":"hi","role":"system"}`, "", "unknown_record"},
		{"keys may be escaped", `{"session\u005fid":"h","ts":1767323045,"text":"hi"}`, `h user` + when + ` natural text="hi"`, ""},
		{"of keys that occur twice the last holds", `{"session_id":"g","session_id":"h","ts":1767323045,"text":"hi"}`, `h user` + when + ` natural text="hi"`, ""},
		{"events win over normalized", `{"thread_id":"e","seq":1,"kind":"assistant","role":"user",` + at + `,"origin":"recorded","text":"hi"}`, `e assistant` + when + ` role="user" text="hi"`, ""},
		{"bundle wins over normalized", `{"sequence":1,"role":"user","kind":"text","text":"hi",` + at + `,"source":{"session_id":"b","turn_id":"t"},"provenance":"extracted"}`, `b user` + when + ` natural text="hi" turn="t"`, ""},
		{"bundle is no history", `{"sequence":1,"role":"user","kind":"text","text":"hi","ts":1,"session_id":"x",` + at + `,"source":{"session_id":"b"},"provenance":"extracted"}`, `b user` + when + ` natural text="hi"`, ""},
		{"usage", `{"type":"usage","thread_id":"n",` + at + `,"response_id":"r","provider":"p","model":"m","usage":{` + usage + `}}`, `n usage` + when + ` provider="p" response_id="r" model="m" 10/0/5/0/15 no-cached no-reasoning`, ""},
		{"no known kind", `{"type":"new_format"}`, "", "unknown_record"},
		{"another role", `{"thread_id":"n",` + at + `,"role":"system","text":"hi"}`, "", "unknown_record"},
		{"no object", `[1,2]`, "", "invalid_record"},
		{"a number", `12`, "", "invalid_record"},
		{"no JSON", `not json`, "", "invalid_json"},
		{"two values", `{} {}`, "", "invalid_json"},
		{"history without a thread", `{"session_id":null,"ts":1,"text":"hi"}`, "", "invalid_field"},
		{"bundle without a thread", `{"sequence":1,"role":"user","kind":"text","text":"hi",` + at + `,"source":{"session_id":null},"provenance":"extracted"}`, "", "no_session_id"},
		{"an event of no known kind", `{"thread_id":"e","seq":1,"kind":"dream",` + at + `}`, "", "unknown_record"},

		// D5: times
		{"null falls through", `{"thread_id":"n","timestamp":null,"ts":null,"created_at":1767323045000,"role":"user","text":"hi"}`, `n user` + when + ` natural text="hi"`, ""},
		{"a number in a text", `{"session_id":"h","ts":"1767323045.25","text":"hi"}`, `h user 2026-01-02T03:04:05.25Z natural text="hi"`, ""},
		{"milliseconds", `{"session_id":"h","ts":1767323045250,"text":"hi"}`, `h user 2026-01-02T03:04:05.25Z natural text="hi"`, ""},
		{"a zone", `{"thread_id":"n","timestamp":"2026-01-02T11:04:05+08:00","role":"user","text":"hi"}`, `n user` + when + ` natural text="hi"`, ""},
		{"no zone", `{"thread_id":"n","timestamp":"2026-01-02 03:04:05","role":"user","text":"hi"}`, `n user` + when + ` natural text="hi"`, ""},
		{"a date", `{"thread_id":"n","timestamp":"2026-01-02","role":"user","text":"hi"}`, `n user 2026-01-02T00:00:00Z natural text="hi"`, ""},
		{"the first year", `{"session_id":"h","ts":0,"text":"hi"}`, `h user 1970-01-01T00:00:00Z natural text="hi"`, ""},
		{"the last year", `{"thread_id":"n","timestamp":"2100-12-31T23:59:59Z","role":"user","text":"hi"}`, `n user 2100-12-31T23:59:59Z natural text="hi"`, ""},
		{"before", `{"thread_id":"n","timestamp":"1969-12-31T23:59:59Z","role":"user","text":"hi"}`, "", "invalid_timestamp"},
		{"after", `{"thread_id":"n","timestamp":"2101-01-01","role":"user","text":"hi"}`, "", "invalid_timestamp"},
		{"truth is no time", `{"session_id":"h","ts":true,"text":"hi"}`, "", "invalid_timestamp"},
		{"an invalid time blocks", `{"thread_id":"n","timestamp":"nonsense","ts":1767323045,"role":"user","text":"hi"}`, "", "invalid_timestamp"},
		{"the time comes before the text", `{"thread_id":"n","timestamp":"nonsense","role":"user","text":""}`, "", "invalid_timestamp"},
		{"the time of history comes before its text", `{"session_id":"h","ts":"nonsense","text":""}`, "", "invalid_timestamp"},
		{"the time of a bundle comes before its text", `{"sequence":1,"role":"user","kind":"text","text":"","timestamp":"nonsense","source":{"session_id":"b"},"provenance":"extracted"}`, "", "invalid_timestamp"},
		{"ours without a time, and none before", `{"thread_id":"n","timestamp":null,"role":"user","text":"hi","origin":"recorded","source":null}`, "", "invalid_timestamp"},

		// D6: texts
		{"blocks", `{"thread_id":"n",` + at + `,"role":"user","content":[{"type":"text","text":"a"},{"type":"image","url":"x"},{"type":"input_text","text":"b"},{"text":"c"}]}`, `n user` + when + ` natural text="a\nb\nc"`, ""},
		{"a null text falls through", `{"thread_id":"n",` + at + `,"role":"user","text":null,"content":"hi"}`, `n user` + when + ` natural text="hi"`, ""},
		{"arguments that are an object", `{"thread_id":"n",` + at + `,"role":"tool","tool":"grep","text":{"a": [1]}}`, `n tool_call` + when + ` tool="grep" args="{\"a\": [1]}"`, ""},
		{"a tool without arguments", `{"thread_id":"n",` + at + `,"role":"tool","tool":"grep"}`, `n tool_call` + when + ` tool="grep"`, ""},
		{"a text without a tool", `{"thread_id":"n",` + at + `,"role":"tool","text":"x"}`, `n tool_call` + when + ` args="x"`, ""},
		{"empty", `{"thread_id":"n",` + at + `,"role":"user","text":""}`, "", ""},
		{"empty history", `{"session_id":"h","ts":1767323045,"text":null}`, "", ""},
		{"an empty prompt of events", `{"thread_id":"e","seq":1,"kind":"user",` + at + `,"origin":"recorded","text":"","images":[]}`, "", ""},
		{"a prompt that is a picture", `{"thread_id":"e","seq":1,"kind":"user",` + at + `,"origin":"recorded","text":"","images":[{"media_type":"image/png"}]}`, `e user` + when, ""},
		{"half of a surrogate pair", `{"thread_id":"n",` + at + `,"role":"user","text":"a\ud800"}`, "n user" + when + ` natural text="a` + "\ufffd" + `"`, "repaired_escape"},
		{"bytes that are no text", `{"thread_id":"n",` + at + `,"role":"user","text":"a` + "\xff" + `"}`, "n user" + when + ` natural text="a` + "\ufffd" + `"`, "repaired_text"},

		// D7: whose words
		{"white space is nobody's", `{"thread_id":"n",` + at + `,"role":"user","text":"  "}`, `n user` + when + ` text="  "`, ""},
		{"injected", `{"session_id":"h","ts":1767323045,"text":"<environment_context>x"}`, `h user` + when + ` text="<environment_context>x"`, ""},
		{"an envelope", `{"session_id":"h","ts":1767323045,"text":"# Context from my IDE setup:\n\n## My request for Codex:\nhi\n"}`, `h user` + when + ` natural text="hi"`, ""},
		{"an envelope without words", `{"session_id":"h","ts":1767323045,"text":"# Context from my IDE setup:\nx"}`, `h user` + when + ` text="# Context from my IDE setup:\nx"`, ""},
		{"the line says whose", `{"thread_id":"n",` + at + `,"role":"user","text":"hi","natural":false}`, `n user` + when + ` text="hi"`, ""},
		{"the line knows better", `{"thread_id":"n",` + at + `,"role":"user","text":"<skill>x","natural":true}`, `n user` + when + ` natural text="<skill>x"`, ""},
		{"assistants are never natural", `{"thread_id":"n",` + at + `,"role":"assistant","text":"hi","natural":true}`, `n assistant` + when + ` text="hi"`, ""},
		{"an envelope in events", `{"thread_id":"e","seq":1,"kind":"user",` + at + `,"origin":"recorded","text":"# Context from my IDE setup:\n## My request:\nhi"}`, `e user` + when + ` natural text="hi"`, ""},

		// the other kinds of events and bundles
		{"a result", `{"thread_id":"e","seq":2,"kind":"tool_result",` + at + `,"origin":"recorded","call_id":"c","output":"o"}`, `e tool_result` + when + ` call="c" out="o"`, ""},
		{"reasoning", `{"thread_id":"e","seq":2,"kind":"reasoning",` + at + `,"origin":"recorded","text":"r"}`, `e reasoning` + when + ` text="r"`, ""},
		{"context", `{"thread_id":"e","seq":2,"kind":"context",` + at + `,"origin":"recorded","text":"<skill>","role":"user"}`, `e context` + when + ` role="user" text="<skill>"`, ""},
		{"a turn", `{"thread_id":"e","seq":2,"kind":"turn_start",` + at + `,"turn_id":"t","origin":"recorded"}`, `e turn_start` + when + ` turn="t"`, ""},
		{"counters of events", `{"thread_id":"e","seq":2,"kind":"usage",` + at + `,"origin":"recorded","usage":{"input":1,"cached_input":1,"output":2,"reasoning_output":0,"total":3},"item_id":"r"}`, `e usage` + when + ` response_id="r" 1/1/2/0/3`, ""},
		{"a call of a bundle", `{"sequence":2,"role":"assistant","kind":"tool_call","text":"{}",` + at + `,"source":{"session_id":"b"},"provenance":"extracted","tool_id":"c","tool_name":"say","tool_namespace":"mcp"}`, `b tool_call` + when + ` tool="say" namespace="mcp" call="c" args="{}"`, ""},
		{"a result of a bundle", `{"sequence":3,"role":"tool","kind":"tool_result","text":"o",` + at + `,"source":{"session_id":"b"},"provenance":"extracted","tool_id":"c"}`, `b tool_result` + when + ` call="c" out="o"`, ""},
		{"a developer's text of a bundle", `{"sequence":4,"role":"developer","kind":"text","text":"o",` + at + `,"source":{"session_id":"b"},"provenance":"extracted"}`, `b context` + when + ` role="developer" text="o"`, ""},
		{"a checkpoint", `{"sequence":5,"role":"assistant","kind":"checkpoint","text":"o",` + at + `,"source":{"session_id":"b"},"provenance":"checkpoint"}`, `b compaction` + when + ` text="o"`, ""},
		{"a bundle of another kind", `{"sequence":5,"role":"assistant","kind":"dream","text":"o",` + at + `,"source":{"session_id":"b"},"provenance":"extracted"}`, "", "unknown_record"},

		// counters of tokens
		{"counters that cannot be", `{"type":"usage","thread_id":"n",` + at + `,"response_id":"r","usage":{"input":1,"cached_input":2,"output":5,"total":15}}`, "", "invalid_usage_record"},
		{"a response without an id", `{"type":"usage","thread_id":"n",` + at + `,"usage":{` + usage + `}}`, "", "invalid_usage_record"},
		{"an id of 200 characters", `{"type":"usage","thread_id":"n",` + at + `,"response_id":"` + strings.Repeat("é", 200) + `","usage":{` + usage + `}}`, `n usage` + when + ` response_id="` + strings.Repeat("é", 200) + `" 10/0/5/0/15 no-cached no-reasoning`, ""},
		{"one more", `{"type":"usage","thread_id":"n",` + at + `,"response_id":"` + strings.Repeat("é", 201) + `","usage":{` + usage + `}}`, "", "invalid_usage_record"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := read("a.jsonl", tt.line+"\n", Options{})
			if res.err != nil {
				t.Fatal(res.err)
			}
			var want, found []string
			if tt.entry != "" {
				want = []string{"1 " + tt.entry}
			}
			if tt.found != "" {
				found = []string{"1 " + tt.found}
			}
			check(t, "entry", res.entries, want)
			check(t, "finding", res.found, found)
			if res.counts.Lines != 1 {
				t.Errorf("%d lines", res.counts.Lines)
			}
			lost := res.counts
			lost.Lines, lost.Repaired = 0, 0
			if n := lost.InvalidJSON + lost.UnknownEvents + lost.InvalidTimestamps + lost.Empty + lost.InvalidUsage; (n == 1) == (tt.entry != "") {
				t.Errorf("%d entries, and counted %+v", len(res.entries), lost)
			}
		})
	}
}
