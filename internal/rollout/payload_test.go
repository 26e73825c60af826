package rollout

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestRecordType(t *testing.T) {
	for _, c := range []struct {
		line string
		want RecordType
		bare bool
	}{
		{`{"id":"t","timestamp":"x"}`, RecordBareHeader, true},
		{`{"record_type":"state"}`, RecordBareState, true},
		{`{"type":"message","role":"user"}`, ItemMessage, true},
		{`{"type":"mess\u0061ge"}`, ItemMessage, true},
		{`{"type":"strange"}`, RecordUnknown, true},
		{`{"type":7}`, RecordUnknown, true},
		{`{"timestamp":"x","type":"session_meta","payload":{}}`, RecordSessionMeta, false},
		{`{"timestamp":"x","type":"session_meta"}`, RecordSessionMeta, false},
		{`{"timestamp":"x","type":"strange","payload":{}}`, RecordUnknown, false},
		{`{"type":"message","payload":{}}`, RecordUnknown, false},
		{`{"type":"response_item","payload":{"type":"reasoning"}}`, ItemReasoning, false},
		{`{"type":"response_item","payload":{"type":"strange"}}`, ItemUnknown, false},
		{`{"type":"response_item","payload":{"type":["x"]}}`, ItemUnknown, false},
		{`{"type":"response_item"}`, ItemUnknown, false},
		{`{"type":"event_msg","payload":{"type":"message"}}`, EventUnknown, false},
		{`{"type":"event_\u006dsg","payload":{"type":"task\u005fstarted"}}`, EventTurnStarted, false},
		{`{"type":"event_msg","payload":{"type":"x","type":"error"}}`, EventError, false},
		{`[]`, RecordUnknown, false},
	} {
		var env Envelope
		if f := Scan([]byte(c.line), &env); f != NoFault {
			t.Fatalf("%s: %v", c.line, f)
		}
		if got := env.RecordType(); got != c.want {
			t.Errorf("%s: %v, want %v", c.line, got, c.want)
		}
		if got := env.Bare(); got != c.bare {
			t.Errorf("%s: bare %v, want %v", c.line, got, c.bare)
		}
	}
}

// Each name leads to its type and back, and each type is of one family.
func TestTypeNames(t *testing.T) {
	for f := range types {
		for _, r := range types[f] {
			if r.name != "" && family(f).find(Raw(`"`+r.name+`"`)) != r.typ {
				t.Errorf("%q does not lead to %v", r.name, r.typ)
			}
			if r.name != "" && r.typ.String() != r.name {
				t.Errorf("%q is called %v", r.name, r.typ)
			}
			got := [familyCount]bool{itemFamily: r.typ.IsItem(), eventFamily: r.typ.IsEvent(), turnItemFamily: r.typ.IsTurnItem()}
			got[recordFamily] = !got[itemFamily] && !got[eventFamily] && !got[turnItemFamily]
			for g := range got {
				if got[g] != (g == f) {
					t.Errorf("%v: family %d is %v", r.typ, g, got[g])
				}
			}
			if r.treat == "" {
				t.Errorf("%v has no treatment", r.typ)
			}
		}
	}
	for typ := RecordType(0); typ < typeCount; typ++ {
		if unknown := typ.String() == "unknown"; unknown != (row[typ] == nil) {
			t.Errorf("type %d: unknown %v, row %v", typ, unknown, row[typ])
		}
	}
	if got := RecordType(typeCount).String(); got != fmt.Sprintf("RecordType(%d)", typeCount) {
		t.Errorf("type beyond the last: %s", got)
	}
}

func TestUnknown(t *testing.T) {
	for _, c := range []struct {
		line string
		typ  RecordType
		name string
		raw  string
		odd  []string
	}{
		{`{"timestamp":"x","type":"strange","payload":{"a":1}}`, RecordUnknown, "strange", `{"a":1}`, nil},
		{`{"timestamp":"x","type":"response_item","payload":{"type":"new","a":1}}`, ItemUnknown, "new", `{"type":"new","a":1}`, nil},
		{`{"timestamp":"x","type":"response_item","payload":{"a":1}}`, ItemUnknown, "", `{"a":1}`, nil},
		{`{"timestamp":"x","type":"event_msg","payload":{"type":"new"}}`, EventUnknown, "new", `{"type":"new"}`, nil},
		{`{"timestamp":"x","type":"turn_context","payload":null}`, RecordTurnContext, "turn_context", `null`, []string{"payload"}},
		{`{"timestamp":"x","type":"turn_context","payload":[1]}`, RecordTurnContext, "turn_context", `[1]`, []string{"payload"}},
		{`{"timestamp":"x","type":"event_msg"}`, EventUnknown, "event_msg", ``, []string{"payload"}},
		{`{"type":"strange"}`, RecordUnknown, "strange", `{"type":"strange"}`, nil},
		{` {"timestamp":"x"}`, RecordUnknown, "", `{"timestamp":"x"}`, nil},
		{`{"timestamp":"x","id":3}`, RecordUnknown, "", `{"timestamp":"x","id":3}`, nil},
		{`{"record_type":"other"}`, RecordUnknown, "", `{"record_type":"other"}`, nil},
		{`{}`, RecordUnknown, "", `{}`, nil},
	} {
		u, ok := decodeLine(t, c.line).(*Unknown)
		if !ok {
			t.Errorf("%s: known", c.line)
			continue
		}
		if u.Type() != c.typ || u.Name != c.name || string(u.Raw) != c.raw || !slices.Equal(u.Odd(), c.odd) {
			t.Errorf("%s: %v %q %s %v", c.line, u.Type(), u.Name, u.Raw, u.Odd())
		}
	}
	ic := decodeLine(t, `{"type":"event_msg","payload":{"type":"item_completed","item":{"id":"i","type":"New"}}}`).(*ItemCompleted)
	if u, ok := ic.Item.(*Unknown); !ok || u.Type() != TurnItemUnknown || u.Name != "New" || string(u.Raw) != `{"id":"i","type":"New"}` {
		t.Errorf("unknown turn item: %#v", ic.Item)
	}
	ic = decodeLine(t, `{"type":"event_msg","payload":{"type":"item_completed","turn_id":"u","item":5}}`).(*ItemCompleted)
	if u, ok := ic.Item.(*Unknown); !ok || u.Type() != TurnItemUnknown || ic.TurnID != "u" || !slices.Equal(ic.Odd(), []string{"item"}) {
		t.Errorf("turn item that is no object: %#v", ic)
	}
	if u, ok := DecodeItem(Raw(`7`)).(*Unknown); !ok || u.Type() != ItemUnknown || string(u.Raw) != "7" {
		t.Errorf("item that is no object: %#v", u)
	}
}

// Strings are exactly what they were (docs/format/rollout.md F23, R7).
func TestExactStrings(t *testing.T) {
	for in, want := range map[string]string{
		``:                                 "",
		`plain`:                            "plain",
		`\"\\\/\b\f\n\r\t`:                 "\"\\/\b\f\n\r\t",
		`a\u0000b\u0007`:                   "a\x00b\x07",
		`\u2028\u2029` + "\u2028":          "\u2028\u2029\u2028",
		`\ud83d\ude00` + "😀":               "😀😀",
		`\ufffd` + "\ufffd":                "\ufffd\ufffd",
		`\\u0041\\`:                        `\u0041\`,
		strings.Repeat(`x\n`, 4000) + `\"`: strings.Repeat("x\n", 4000) + `"`,
	} {
		p := decodeLine(t, `{"type":"event_msg","payload":{"type":"agent_message","message":"`+in+`"}}`).(*AgentMessageEvent)
		if got := p.Message.String(); got != want || !p.Message.OK() || string(p.Message.Append(nil)) != want {
			t.Errorf("%.40s: %q, want %q", in, got, want)
		}
		m := decodeLine(t, `{"type":"message","role":"`+in+`","content":[{"type":"input_text","text":"`+in+`"},{"type":"output_text","text":"`+in+`"}]}`).(*Message)
		if m.Role != want || m.Content.Text() != want+want {
			t.Errorf("%.40s: role %q, text %q", in, m.Role, m.Content.Text())
		}
		if !p.Message.Equal(Text(`"` + in + `"`)) {
			t.Errorf("%.40s does not equal itself", in)
		}
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`"a"`, `"a"`, true}, {`"a"`, `"b"`, false}, {`"\u0061"`, `"a"`, true}, {`"\u0061"`, `"b"`, false},
		{``, `""`, true}, {``, ``, true}, {``, `"a"`, false}, {`"\n"`, `"\u000a"`, true}, {`"\n"`, `""`, false},
	} {
		if got := Text(c.a).Equal(Text(c.b)); got != c.want {
			t.Errorf("%s equals %s: %v", c.a, c.b, got)
		}
		if got := Text(c.b).Equal(Text(c.a)); got != c.want {
			t.Errorf("%s equals %s: %v", c.b, c.a, got)
		}
	}
}

// The last of several members of one name wins, whole; names are compared
// exactly, with their escapes resolved (docs/format/rollout.md R6).
func TestKeys(t *testing.T) {
	m := decodeLine(t, `{"timestamp":"x","type":"session_meta","payload":{"id":"a","ID":"b","\u0069d":"c","cwd":"/x","cwd":null,"history_base":{"thread_id":"o","end_byte_offset":4},"history_base":{"end_ordinal_exclusive":3},"git":{"branch":"b"},"git":null}}`).(*SessionMeta)
	if m.ID != "c" || m.CWD != "" || m.HistoryBase != (HistoryBase{End: Opt[int64]{3, true}}) || m.Git != (Git{}) || m.Odd() != nil {
		t.Errorf("%+v", m)
	}
	ic := decodeLine(t, `{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"Plan","text":"p","id":"i","t\u0079pe":"Sleep","duration_ms":3}}}`).(*ItemCompleted)
	if s, ok := ic.Item.(*Sleep); !ok || s.ID != "i" || s.DurationMS.Value != 3 || ic.Odd() != nil {
		t.Errorf("%+v", ic.Item)
	}
	ic = decodeLine(t, `{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"X","text":"p","type":"Plan"}}}`).(*ItemCompleted)
	if p, ok := ic.Item.(*Plan); !ok || p.Text.String() != "p" {
		t.Errorf("%+v", ic.Item)
	}
	ic = decodeLine(t, `{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"Plan"},"item":null}}`).(*ItemCompleted)
	if _, ok := ic.Item.(*Unknown); !ok || ic.Odd() != nil {
		t.Errorf("%+v", ic.Item)
	}
}

// A field of another kind than known stays zero and is named; the rest of the
// record is as it is (docs/format/rollout.md R5).
func TestOdd(t *testing.T) {
	for _, c := range []struct {
		line string
		want Payload
		odd  []string
	}{
		{`{"type":"message","role":["user"],"content":"text","phase":null}`, new(Message), []string{"role", "content"}},
		{`{"timestamp":"x","type":"session_meta","payload":{"id":1,"source":["x"],"history_base":{"end_byte_offset":1.5,"thread_id":true},"base_instructions":"b"}}`,
			new(SessionMeta), []string{"id", "source", "history_base.end_byte_offset", "history_base.thread_id", "base_instructions"}},
		{`{"timestamp":"x","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":"3"},"last_token_usage":3}}}`,
			&TokenCount{Info: TokenInfo{OK: true, Total: TokenUsage{OK: true}}}, []string{"info.total_token_usage.input_tokens", "info.last_token_usage"}},
		{`{"timestamp":"x","type":"event_msg","payload":{"type":"item_completed","turn_id":{},"item":{"type":"CommandExecution","exit_code":"1","duration":{"secs":-1},"command":"ls"}}}`,
			&ItemCompleted{}, []string{"turn_id", "item.exit_code", "item.duration", "item.command"}},
		{`{"timestamp":"x","type":"response_item","payload":{"type":"function_call","arguments":{}},"metadata":{"client_authored":1}}`,
			new(ToolCall), []string{"arguments", "metadata.client_authored"}},
		{`{"timestamp":"x","type":"response_item","payload":{"type":"other"},"metadata":[1]}`, new(OtherItem), []string{"metadata"}},
		{`{"timestamp":"x","type":"response_item","payload":{"type":"other"},"metadata":null}`, new(OtherItem), nil},
		{`{"timestamp":"x","type":"session_meta","payload":{"source":{"subagent":{"thread_spawn":{"depth":"1"}}}}}`,
			&SessionMeta{Source: Source{Name: "subagent", SubAgent: "thread_spawn"}}, []string{"source.subagent.thread_spawn.depth"}},
		{`{"timestamp":"x","type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":99999999999999999999}}`, new(ThreadRolledBack), []string{"num_turns"}},
		{`{"timestamp":"x","type":"world_state","payload":{"full":"yes","state":[]}}`, new(WorldState), []string{"full", "state"}},
	} {
		p := decodeLine(t, c.line)
		if !slices.Equal(p.Odd(), c.odd) {
			t.Errorf("%s: odd %v, want %v", c.line, p.Odd(), c.odd)
		}
		if ic, ok := p.(*ItemCompleted); ok {
			if got := ic.Item.Odd(); !slices.Equal(got, []string{"exit_code", "duration", "command"}) {
				t.Errorf("%s: item's odd %v", c.line, got)
			}
			ic.Item = nil
		}
		c.want.start(p.Type())
		c.want.(interface{ setOdd([]string) }).setOdd(p.Odd())
		if !reflect.DeepEqual(p, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.line, p, c.want)
		}
	}
	many := decodeLine(t, `{"type":"message",`+strings.Repeat(`"role":1,`, 1000)+`"phase":"p"}`).(*Message)
	if len(many.Odd()) != maxOdd || many.Phase != "p" {
		t.Errorf("%d odd fields named", len(many.Odd()))
	}
}

func (b *base) setOdd(odd []string) { b.odd = odd }

// The window's number stood in window_id in 0.140.
func TestWindowID(t *testing.T) {
	for payload, want := range map[string]Compacted{
		`"window_id":3`:                       {WindowNumber: Opt[int64]{3, true}},
		`"window_id":"w","window_number":4`:   {WindowNumber: Opt[int64]{4, true}, WindowID: "w"},
		`"window_id":null,"window_number":5`:  {WindowNumber: Opt[int64]{5, true}},
		`"window_number":6,"window_id":null`:  {WindowNumber: Opt[int64]{6, true}},
		`"message":"","window_number":"none"`: {},
	} {
		c := decodeLine(t, `{"timestamp":"x","type":"compacted","payload":{`+payload+`}}`).(*Compacted)
		if c.WindowNumber != want.WindowNumber || c.WindowID != want.WindowID {
			t.Errorf("%s: %+v %q", payload, c.WindowNumber, c.WindowID)
		}
	}
}

func TestOutputForms(t *testing.T) {
	for output, want := range map[string]struct {
		text   string
		blocks int
		odd    []string
	}{
		`"a\nb"`: {"a\nb", 0, nil},
		`""`:     {"", 0, nil},
		`null`:   {"", 0, nil},
		`[]`:     {"", 0, nil},
		`[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"u"},{"type":"input_text","text":"b"}]`: {"ab", 3, nil},
		`{"content":"x"}`: {"", 0, []string{"output"}},
		`5`:               {"", 0, []string{"output"}},
	} {
		for _, typ := range []string{"function_call_output", "custom_tool_call_output"} {
			o := decodeLine(t, `{"type":"`+typ+`","output":`+output+`}`).(*ToolOutput)
			n := 0
			for range o.Blocks.All() {
				n++
			}
			if o.Text() != want.text || n != want.blocks || o.Blocks.OK() != (output[0] == '[') || !slices.Equal(o.Odd(), want.odd) {
				t.Errorf("%s %s: %q, %d blocks, odd %v", typ, output, o.Text(), n, o.Odd())
			}
		}
	}
}

func TestToolInput(t *testing.T) {
	for line, want := range map[string]string{
		`{"type":"function_call","arguments":"{\"a\":1}"}`:                          `{"a":1}`,
		`{"type":"custom_tool_call","input":"x\n"}`:                                 "x\n",
		`{"type":"tool_search_call","arguments":{ "query" : "q" },"execution":"c"}`: `{ "query" : "q" }`,
		`{"type":"function_call"}`:                                                  "",
	} {
		if got := decodeLine(t, line).(*ToolCall).Input(); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// A block that cannot be used is told apart and does not stop the others.
func TestBlocks(t *testing.T) {
	m := decodeLine(t, `{"type":"message","content":[null,5,{"type":"input_text"},{"type":"input_text","text":7},{"text":"no type"},{"type":"novel","text":"n"},{"type":"input_text","text":"ok"}]}`).(*Message)
	type row struct {
		kind BlockKind
		typ  string
		text string
		odd  bool
		raw  string
	}
	want := []row{
		{BlockUnknown, "", "", true, `null`},
		{BlockUnknown, "", "", true, `5`},
		{BlockText, "input_text", "", false, `{"type":"input_text"}`},
		{BlockText, "input_text", "", true, `{"type":"input_text","text":7}`},
		{BlockUnknown, "", "no type", false, `{"text":"no type"}`},
		{BlockUnknown, "novel", "n", false, `{"type":"novel","text":"n"}`},
		{BlockText, "input_text", "ok", false, `{"type":"input_text","text":"ok"}`},
	}
	for i, b := range m.Content.All() {
		if got := (row{b.Kind, b.Type, b.Text.String(), b.Odd, string(b.Raw)}); got != want[i] {
			t.Errorf("block %d: %+v, want %+v", i, got, want[i])
		}
	}
	if got := m.Content.Text(); got != "ok" {
		t.Errorf("text %q", got)
	}
	for range m.Content.All() {
		break // stopping early is no fault
	}
}

func TestCollabStatus(t *testing.T) {
	for status, want := range map[string]string{
		`"running"`:            "running ",
		`{"completed":"done"}`: "completed done",
		`{"completed":null}`:   "completed ",
		`{"errored":"why"}`:    "errored why",
		`null`:                 " ",
		`{}`:                   " ",
	} {
		c := decodeLine(t, `{"type":"event_msg","payload":{"type":"collab_close_end","status":`+status+`}}`).(*CollabCall)
		if got := c.Status.Name + " " + c.Status.Message.String(); got != want || c.Odd() != nil || c.CallStatus != "" {
			t.Errorf("%s: %q, want %q; odd %v", status, got, want, c.Odd())
		}
	}
	ic := decodeLine(t, `{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"CollabAgentToolCall","status":"completed"}}}`).(*ItemCompleted)
	if c := ic.Item.(*CollabCall); c.CallStatus != "completed" || c.Status.Name != "" {
		t.Errorf("%+v", c)
	}
}

// Beside the payload stands metadata, before it or behind it.
func TestSiblingMetadata(t *testing.T) {
	payload := `"payload":{"type":"message","metadata":{"turn_id":"u"},"content":[]}`
	for _, line := range []string{
		`{"timestamp":"x","type":"response_item",` + payload + `,"metadata":{"compaction_output":true}}`,
		`{"metadata":{"compaction_output":true}, "timestamp":"x","type":"response_item",` + payload + `}`,
		` { "metadata" : 5 , "m\u0065tadata" : { "compaction_output" : true } , "type":"response_item",` + payload + ` } `,
	} {
		m := decodeLine(t, line).(*Message)
		if !m.CompactionOutput || m.ClientAuthored || m.Inherited || m.TurnID != "u" || m.Odd() != nil || m.Meta() != &m.ItemMeta {
			t.Errorf("%s: %+v", line, m)
		}
	}
}

// What a payload costs does not grow with its texts and lists
// (docs/format/rollout.md R8).
func TestPayloadMemory(t *testing.T) {
	long := strings.Repeat(`x\n`, 100_000)
	many := strings.Repeat(`{"type":"input_text","text":"x"},`, 10_000)
	for _, form := range []string{
		`{"type":"response_item","payload":{"type":"message","role":"user","content":[%s{}],"a":"%s"}}`,
		`{"type":"response_item","payload":{"type":"function_call_output","output":[%s{}],"b":"%s"}}`,
		`{"type":"compacted","payload":{"replacement_history":[%s{}],"message":"%s"}}`,
		`{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[%s{}],"id":"i","c":"%s"}}}`,
		`{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","command":[%s{}],"aggregated_output":"%s"}}}`,
	} {
		line := []byte(fmt.Sprintf(form, many, long))
		var env Envelope
		if f := Scan(line, &env); f != NoFault {
			t.Fatal(f)
		}
		if n := testing.AllocsPerRun(10, func() { Decode(&env, line) }); n > 8 {
			t.Errorf("%.60s: %v allocations", form, n)
		}
		p := Decode(&env, line)
		if n := testing.AllocsPerRun(10, func() {
			if m, ok := p.(*Message); ok {
				for range m.Content.All() {
				}
			}
		}); n > 4 {
			t.Errorf("%.60s: %v allocations to go over the blocks", form, n)
		}
	}
}
