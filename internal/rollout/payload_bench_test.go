package rollout

import (
	stdjson "encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// mixture makes lines in about the sizes and shares of a year's history: many
// short events, answers of a few KiB, some outputs of tens of KiB.
func mixture() (lines [][]byte, size int64) {
	prose := strings.Repeat(`The parser keeps one line at a time.\nIt says \"what\" and where, \u2026 then goes on. `, 40)
	code := strings.Repeat(`\tif err != nil {\n\t\treturn fmt.Errorf(\"read %s: %w\", name, err)\n\t}\n`, 60)
	add := func(typ, payload string) {
		line := fmt.Sprintf(`{"timestamp":"2026-01-02T03:04:05.678Z","ordinal":%d,"type":"%s","payload":%s}`, len(lines), typ, payload)
		lines = append(lines, []byte(line))
		size += int64(len(line)) + 1
	}
	meta := `"internal_chat_message_metadata_passthrough":{"turn_id":"019b7f00-0000-7000-8000-000000000001","content_item_kinds":["user.text"]}`
	for i := range 400 {
		text := prose[:80*(i%40+1)]
		text = text[:strings.LastIndexByte(text, ' ')]
		id := fmt.Sprintf(`"id":"msg_%04d"`, i)
		add("event_msg", `{"type":"task_started","turn_id":"019b7f00-0000-7000-8000-000000000001","started_at":1767323045,"model_context_window":272000,"collaboration_mode_kind":"default"}`)
		add("turn_context", `{"turn_id":"019b7f00-0000-7000-8000-000000000001","cwd":"/home/ada/work","approval_policy":"on-request","sandbox_policy":{"type":"workspace-write","network_access":false},"model":"m","effort":"high","summary":"auto"}`)
		add("response_item", `{"type":"message",`+id+`,"role":"user","content":[{"type":"input_text","text":"`+text+`"}],`+meta+`}`)
		add("event_msg", `{"type":"item_completed","thread_id":"t","turn_id":"019b7f00-0000-7000-8000-000000000001","item":{"type":"UserMessage",`+id+`,"content":[{"type":"text","text":"`+text+`","text_elements":[]}]},"started_at_ms":1,"completed_at_ms":2}`)
		for range 3 {
			out := code[:len(code)*(i%10+1)/10/76*76]
			add("response_item", `{"type":"function_call","id":"fc_1","name":"exec_command","arguments":"{\"cmd\":\"sed -n '1,200p' internal/rollout/scan.go\",\"workdir\":\"/home/ada/work\"}","call_id":"call_1",`+meta+`}`)
			add("response_item", `{"type":"function_call_output","call_id":"call_1","output":"Chunk ID: abc\nProcess exited with code 0\nOutput:\n`+out+`",`+meta+`}`)
			add("event_msg", `{"type":"token_count","info":{"total_token_usage":{"input_tokens":120000,"cached_input_tokens":110000,"output_tokens":4000,"reasoning_output_tokens":900,"total_tokens":124000},"last_token_usage":{"input_tokens":12000,"cached_input_tokens":11000,"output_tokens":400,"reasoning_output_tokens":90,"total_tokens":12400},"model_context_window":272000},"rate_limits":{"limit_id":"x","primary":null,"secondary":null,"credits":null}}`)
		}
		add("event_msg", `{"type":"item_completed","thread_id":"t","turn_id":"019b7f00-0000-7000-8000-000000000001","item":{"type":"AgentMessage",`+id+`,"content":[{"type":"Text","text":"`+text+`"}],"phase":"final_answer"},"started_at_ms":1,"completed_at_ms":2}`)
		add("response_item", `{"type":"message",`+id+`,"role":"assistant","content":[{"type":"output_text","text":"`+text+`"}],"phase":"final_answer",`+meta+`}`)
		add("event_msg", `{"type":"task_complete","turn_id":"019b7f00-0000-7000-8000-000000000001","last_agent_message":"`+text+`","completed_at":1767323049,"duration_ms":4000}`)
	}
	return lines, size
}

// The shapes below are what the mixture needs, for decoding by reflection.
type (
	reflectBlock struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	reflectMeta struct {
		TurnID string   `json:"turn_id"`
		Kinds  []string `json:"content_item_kinds"`
	}
	reflectUsage struct {
		Input     int64 `json:"input_tokens"`
		Cached    int64 `json:"cached_input_tokens"`
		Output    int64 `json:"output_tokens"`
		Reasoning int64 `json:"reasoning_output_tokens"`
		Total     int64 `json:"total_tokens"`
	}
	reflectItem struct {
		Type        string         `json:"type"`
		ID          string         `json:"id"`
		Role        string         `json:"role"`
		Phase       string         `json:"phase"`
		Name        string         `json:"name"`
		CallID      string         `json:"call_id"`
		Arguments   string         `json:"arguments"`
		Output      string         `json:"output"`
		Content     []reflectBlock `json:"content"`
		Passthrough reflectMeta    `json:"internal_chat_message_metadata_passthrough"`
	}
	reflectEvent struct {
		Type   string      `json:"type"`
		TurnID string      `json:"turn_id"`
		Last   string      `json:"last_agent_message"`
		Item   reflectItem `json:"item"`
		Info   struct {
			Total reflectUsage `json:"total_token_usage"`
			Last  reflectUsage `json:"last_token_usage"`
		} `json:"info"`
	}
)

// reflective decodes a payload by reflection with jsonv2.
func reflective(env *Envelope) error {
	var into any = new(reflectEvent)
	if env.RecordType().IsItem() {
		into = new(reflectItem)
	}
	return json.Unmarshal(env.Payload, into, jsontext.AllowDuplicateNames(true))
}

// texts reads each long text of the mixture once.
func texts(p Payload) int {
	switch p := p.(type) {
	case *Message:
		return len(p.Content.Text())
	case *ToolCall:
		return len(p.Input())
	case *ToolOutput:
		return len(p.Text())
	case *TurnComplete:
		return len(p.LastMessage.String())
	case *UserMessage:
		return len(p.Content.Text())
	case *AssistantMessage:
		return len(p.Content.Text())
	case *ItemCompleted:
		return texts(p.Item)
	}
	return 0
}

// BenchmarkDecode measures the decoding of payloads beside what else could be
// done with the same lines; docs/adr/0002-payload-decoding.md has the figures.
func BenchmarkDecode(b *testing.B) {
	lines, size := mixture()
	envs := make([]Envelope, len(lines))
	run := func(name string, f func(i int)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				for i := range lines {
					f(i)
				}
			}
		})
	}
	for i, line := range lines {
		if Scan(line, &envs[i]) != NoFault {
			b.Fatalf("not valid: %s", line)
		}
		if p := Decode(&envs[i], line); p.Odd() != nil {
			b.Fatalf("%v is odd: %s", p.Odd(), line)
		}
		if err := reflective(&envs[i]); err != nil {
			b.Fatal(err)
		}
	}
	run("scan", func(i int) { Scan(lines[i], &envs[i]) })
	run("decode", func(i int) { Decode(&envs[i], lines[i]) })
	run("decode_and_read", func(i int) { texts(Decode(&envs[i], lines[i])) })
	run("jsonv2", func(i int) {
		if reflective(&envs[i]) != nil {
			b.Fatal("not decoded")
		}
	})
	run("encoding_json_map", func(i int) {
		var m map[string]any
		if stdjson.Unmarshal(lines[i], &m) != nil {
			b.Fatal("not decoded")
		}
	})
}
