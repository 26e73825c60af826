package document

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"rollbook/internal/ledger"
)

// line is a rollout line of that second.
func line(second int, kind, payload string) string {
	return fmt.Sprintf(`{"timestamp":"2026-02-01T10:00:%02dZ","type":%q,"payload":%s}`, second, kind, payload)
}

// item is a message item.
func item(role, text string) string {
	return fmt.Sprintf(`{"type":"message","role":%q,"content":[{"type":"input_text","text":%q}]}`, role, text)
}

// TestRolloutLines takes lines as rollouts have them in a file that is none (D8).
func TestRolloutLines(t *testing.T) {
	const meta = `{"id":"r","cwd":"/p","model_provider":"o"}`
	const pre, prov = ` r in="/p" `, ` provider="o"`
	for _, tt := range []struct {
		name  string
		lines []string
		want  []string
		count ledger.Counts
	}{
		{"events make items copies", []string{
			line(0, "response_item", item("user", "<environment_context>x")),
			line(1, "response_item", item("user", "hi")),
			line(2, "event_msg", `{"type":"user_message","message":"hi"}`),
			line(3, "response_item", item("user", "only an item")),
			line(4, "event_msg", `{"type":"agent_message","message":"yes"}`),
			line(5, "response_item", item("assistant", "yes")),
			line(6, "response_item", item("developer", "be nice")),
			line(7, "response_item", item("system", "be nice")),
			line(8, "session_meta", meta),
		}, []string{
			"3" + pre + `user 2026-02-01T10:00:02Z natural text="hi"` + prov,
			"5" + pre + `assistant 2026-02-01T10:00:04Z text="yes"` + prov,
		}, ledger.Counts{MirroredUsers: 2, MirroredResponses: 3, Context: 3}},
		{"turn items do so too", []string{
			line(0, "session_meta", meta),
			line(1, "response_item", item("user", "hi")),
			line(2, "event_msg", `{"type":"item_completed","turn_id":"t","item":{"type":"UserMessage","content":[{"type":"text","text":"hi"}]}}`),
			line(3, "event_msg", `{"type":"item_completed","turn_id":"t","item":{"type":"AgentMessage","content":[{"type":"Text","text":"yes"}]}}`),
			line(4, "response_item", item("assistant", "yes")),
		}, []string{
			"3" + pre + `user 2026-02-01T10:00:02Z natural text="hi" turn="t"` + prov,
			"4" + pre + `assistant 2026-02-01T10:00:03Z text="yes" turn="t"` + prov,
		}, ledger.Counts{MirroredUsers: 1, MirroredResponses: 2}},
		{"items alone", []string{
			line(0, "session_meta", meta),
			line(1, "response_item", item("user", "# AGENTS.md instructions for /p")),
			line(2, "response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"<skill>x"},{"type":"input_text","text":"hi"}]}`),
			line(3, "response_item", item("assistant", "yes")),
			line(4, "response_item", `{"type":"custom_tool_call","name":"exec","call_id":"c","input":"run()"}`),
			line(5, "response_item", `{"type":"function_call","call_id":"d","arguments":"{}"}`),
			line(6, "response_item", `{"type":"function_call_output","call_id":"d","output":"x"}`),
			line(7, "response_item", `{"type":"reasoning","summary":[]}`),
			line(8, "compacted", `{"message":"x"}`),
			line(9, "response_item", `{"type":"local_shell_call","call_id":"e","action":{"type":"exec","command":["ls"]}}`),
		}, []string{
			"2" + pre + `user 2026-02-01T10:00:01Z response text="# AGENTS.md instructions for /p"` + prov,
			"3" + pre + `user 2026-02-01T10:00:02Z natural response text="hi"` + prov,
			"4" + pre + `assistant 2026-02-01T10:00:03Z response text="yes"` + prov,
			"5" + pre + `tool_call 2026-02-01T10:00:04Z response tool="exec" call="c" args="run()"` + prov,
			"6" + pre + `tool_call 2026-02-01T10:00:05Z response tool="unknown" call="d" args="{}"` + prov,
			"10" + pre + `tool_call 2026-02-01T10:00:09Z response tool="local_shell" call="e" args="[\"ls\"]"` + prov,
		}, ledger.Counts{}},
		{"recorded kinds judge the blocks", []string{
			line(0, "session_meta", meta),
			line(1, "response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"<skill>typed"},{"type":"input_text","text":"put in"}],"metadata":{"content_item_kinds":["user.text","generic.note"]}}`),
		}, []string{"2" + pre + `user 2026-02-01T10:00:01Z natural response text="<skill>typed"` + prov}, ledger.Counts{}},
		{"nothing is known", []string{
			line(1, "event_msg", `{"type":"brand_new_event"}`),
			line(2, "mystery", `{}`),
			line(3, "response_item", `{"type":"brand_new_item"}`),
			line(4, "event_msg", `{"type":"user_message","message":""}`),
			`{"type":"event_msg","payload":{"type":"user_message","message":"hi"}}`,
			`{"timestamp":null,"ts":1769940005,"type":"event_msg","payload":{"type":"user_message","message":"hi"}}`,
		}, []string{`6 stem user 2026-02-01T10:00:05Z natural text="hi"`}, ledger.Counts{UnknownEvents: 3, Empty: 1, InvalidTimestamps: 1}},
		{"whose file it is", []string{
			line(0, "session_meta", `{"id":"r"}`),
			line(0, "session_meta", `{"id":"other","cwd":"/other","model_provider":"x"}`),
			line(0, "session_meta", meta),
			line(0, "session_meta", `{"id":"r","cwd":"/later"}`),
			line(1, "event_msg", `{"type":"agent_message","message":"yes"}`),
			`{` + at + `,"role":"assistant","text":"of the same file"}`,
			`{"thread_id":"n","project":"/q",` + at + `,"role":"assistant","text":"of another"}`,
		}, []string{
			"5" + pre + `assistant 2026-02-01T10:00:01Z text="yes"` + prov,
			"6" + pre + `assistant 2026-01-02T03:04:05Z text="of the same file"`,
			`7 n in="/q" assistant 2026-01-02T03:04:05Z text="of another"`,
		}, ledger.Counts{}},
		{"names may be escaped", []string{
			`{` + at + `,"role":"assistant","text":"before"}`,
			`{"type":"session\u005fmeta","p\u0061yload":` + meta + `}`,
		}, []string{"1" + pre + `assistant 2026-01-02T03:04:05Z text="before"`}, ledger.Counts{}},
		{"counters", []string{
			line(0, "session_meta", meta),
			line(1, "turn_context", `{"turn_id":"t1","model":"m1","cwd":"/one"}`),
			line(2, "turn_context", `{"turn_id":"t2","model":"m2","cwd":"/two"}`),
			line(3, "event_msg", `{"type":"token_count","info":null}`),
			line(4, "event_msg", `{"type":"token_count","info":{"total_token_usage":{"input_tokens":5,"cached_input_tokens":2,"output_tokens":3,"reasoning_output_tokens":1,"total_tokens":8}}}`),
			line(5, "event_msg", `{"type":"token_count","info":{"total_token_usage":{"input_tokens":5,"cached_input_tokens":6,"output_tokens":3,"total_tokens":8}}}`),
			line(6, "event_msg", `{"type":"token_count","info":{}}`),
			line(7, "token_usage_record", `{"response_id":"x","thread_id":"q","turn_id":"t1","usage":{"input_tokens":5,"output_tokens":3,"total_tokens":8}}`),
			line(8, "token_usage_record", `{"response_id":"x","turn_id":"t9","usage":{"input_tokens":5,"output_tokens":3,"total_tokens":8}}`),
			line(9, "token_usage_record", `{"turn_id":"t1","usage":{"input_tokens":5,"output_tokens":3,"total_tokens":8}}`),
			line(10, "token_usage_record", `{"response_id":"x","turn_id":"t1","usage":{"input_tokens":5.0,"output_tokens":3,"total_tokens":8}}`),
		}, []string{
			`5 r in="/two" usage 2026-02-01T10:00:04Z provider="o" model="m2" 5/2/3/1/8 snapshot`,
			`8 q in="/one" usage 2026-02-01T10:00:07Z turn="t1" provider="o" response_id="x" model="m1" 5/0/3/0/8 no-cached no-reasoning`,
			`9 r in="/p" usage 2026-02-01T10:00:08Z turn="t9" provider="o" response_id="x" 5/0/3/0/8 no-cached no-reasoning`,
		}, ledger.Counts{UsageWithoutInfo: 1, InvalidUsage: 4}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.count.Lines = int64(len(tt.lines))
			res := read("a.jsonl", strings.Join(tt.lines, "\n")+"\n", Options{})
			check(t, "entry", res.entries, tt.want)
			if res.counts != tt.count || res.place != nil || res.err != nil {
				t.Errorf("counted %+v\nwant    %+v\nplace %v, %v", res.counts, tt.count, res.place, res.err)
			}
			doc := read("a.json", "["+strings.Join(tt.lines, ",\n")+"]", Options{})
			if len(doc.entries) != len(tt.want) || doc.counts != tt.count {
				t.Errorf("as a document: %d entries, %+v", len(doc.entries), doc.counts)
			}
		})
	}
}

// TestRolloutLinesAreReadWhole goes on with no file whose new lines tell of the
// old ones (D8, D9).
func TestRolloutLinesAreReadWhole(t *testing.T) {
	old := say("a") + "\n"
	place := read("a.jsonl", old, Options{}).place
	for _, more := range []string{
		line(0, "session_meta", `{"id":"r"}`),
		line(1, "event_msg", `{"type":"agent_message","message":"yes"}`),
		say("b") + "\n" + line(0, "session_meta", `{"id":"r"}`),
	} {
		res := read("a.jsonl", old+more+"\n", Options{From: place})
		if !errors.Is(res.err, ErrWhole) {
			t.Errorf("%s: %v", more, res.err)
		}
		if res := read("a.jsonl", old+more+"\n", Options{}); res.err != nil || res.place != nil {
			t.Errorf("read whole: %v, place %v", res.err, res.place)
		}
	}
}
