package rollout

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Alias reads a payload of an unknown type whose name is another spelling of one
// that is known: as Codex's app-server writes items ("commandExecution",
// "Agent Message"), and as other programs write turns ("turn start"). Names are
// compared without case, blanks, "_", "-", "/" and ".". An item of the
// app-server becomes an ItemCompleted, as Codex itself writes it. It gives nil
// for any other name.
//
// Codex writes no such record: whoever asks accepts what others made.
func Alias(u *Unknown) Payload {
	if !u.typ.IsItem() && !u.typ.IsEvent() || !u.Raw.IsObject() || len(u.Name) > 64 {
		return nil
	}
	name := FoldName(u.Name)
	if t, ok := turnItemAlias[name]; ok {
		item := decode(t, nil, snaked(u.Raw, t))
		done := &ItemCompleted{Item: item, TurnID: idOf(u.Raw, "turnId", "turn_id")}
		done.typ = EventItemCompleted
		return done
	}
	t, ok := itemAlias[name]
	if u.typ.IsEvent() {
		if t, ok = eventAlias[name]; !ok && (strings.Contains(name, "delta") || strings.Contains(name, "chunk")) {
			return fragment(u.Raw)
		}
	}
	if !ok {
		return nil
	}
	return decode(t, nil, snaked(u.Raw, t))
}

// A Fragment is a part of what a call gave, which was written while it ran.
type Fragment struct{ CommandExecution }

// fragment reads a part of an output; nil where it says of no call.
func fragment(object Raw) Payload {
	f := new(Fragment)
	f.start(EventExecCommandEnd)
	d := dec{b: snaked(object, EventExecCommandEnd)}
	d.object(func(d *dec, key []byte) bool {
		switch string(key) {
		case "output", "delta", "chunk", "text":
			f.Output = d.text()
			return true
		}
		return f.set(d, key)
	})
	f.finish(d.odd)
	if f.ID == "" {
		return nil
	}
	return f
}

// Respell reads again a payload of a known type which names no call: its keys may
// be spelled as in Alias, and it may stand in a member of the object. named says
// whether a payload names one; where none does it gives nil.
func Respell(p Payload, object Raw, named func(Payload) bool) Payload {
	for _, layer := range []Raw{object, object.Get("item"), object.Get("event"), object.Get("data")} {
		if !layer.IsObject() {
			continue
		}
		if again := decode(p.Type(), nil, snaked(layer, p.Type())); named(again) {
			return again
		}
	}
	return nil
}

// FoldName spells the name of a type without case and separators.
func FoldName(s string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "", "/", "", ".", "").Replace(s))
}

var turnItemAlias = map[string]RecordType{
	"usermessage": TurnItemUserMessage, "userprompt": TurnItemUserMessage, "userinput": TurnItemUserMessage,
	"agentmessage": TurnItemAgentMessage, "assistantmessage": TurnItemAgentMessage,
	"plan": TurnItemPlan, "commandexecution": TurnItemCommandExecution, "filechange": TurnItemFileChange,
	"mcptoolcall": TurnItemMCPToolCall, "dynamictoolcall": TurnItemDynamicToolCall, "websearch": TurnItemWebSearch,
	"imagegeneration": TurnItemImageGeneration, "imageview": TurnItemImageView,
}

var itemAlias = map[string]RecordType{
	"message": ItemMessage, "reasoning": ItemReasoning,
	"functioncall": ItemFunctionCall, "functioncalloutput": ItemFunctionCallOutput,
	"customtoolcall": ItemCustomToolCall, "customtoolcalloutput": ItemCustomToolCallOutput,
	"localshellcall": ItemLocalShellCall, "shellcall": ItemLocalShellCall,
	"localshellcalloutput": ItemFunctionCallOutput, "shellcalloutput": ItemFunctionCallOutput,
	"toolsearchcall": ItemToolSearchCall, "toolsearchoutput": ItemToolSearchOutput,
	"websearchcall": ItemWebSearchCall, "imagegenerationcall": ItemImageGenerationCall,
}

var eventAlias = map[string]RecordType{
	"taskstarted": EventTurnStarted, "turnstart": EventTurnStarted, "turnstarted": EventTurnStarted,
	"taskcomplete": EventTurnComplete, "taskcompleted": EventTurnComplete, "turncomplete": EventTurnComplete,
	"turncompleted": EventTurnComplete, "turnend": EventTurnComplete, "turnended": EventTurnComplete, "turnfailed": EventTurnAborted,
	"turnaborted": EventTurnAborted, "turninterrupted": EventTurnAborted, "turncancelled": EventTurnAborted, "turncanceled": EventTurnAborted,
	"threadname": EventThreadNameUpdated, "threadnameupdated": EventThreadNameUpdated, "threadtitleupdated": EventThreadNameUpdated,
	"itemcompleted": EventItemCompleted,
}

func idOf(object Raw, keys ...string) string {
	for _, k := range keys {
		if s, ok := object.Get(k).Text(); ok {
			return s
		}
	}
	return ""
}

// snaked gives the object with its keys as Codex writes them: exitCode becomes
// exit_code. Values stay as they are, but for those that the app-server gives
// another form.
func snaked(object Raw, t RecordType) Raw {
	var b bytes.Buffer
	b.WriteByte('{')
	for w := object.Object(); ; {
		key, value, ok := w.Next()
		if !ok {
			break
		}
		name, _ := key.Text()
		name = snake(name)
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		switch {
		case name == "text" && (t == TurnItemAgentMessage || t == TurnItemUserMessage), name == "message" && value.IsString() && t == TurnItemUserMessage:
			name, value = "content", wrap(`[{"type":"text","text":`, value, `}]`)
		case name == "action" && t == ItemLocalShellCall && value.Get("commands").IsArray():
			value = wrap(`{"command":`, value.Get("commands"), `}`)
		case name == "item_id" && t.IsEvent():
			name = "call_id"
		case name == "content" && value.IsString():
			value = wrap(`[{"type":"text","text":`, value, `}]`)
		case name == "command" && value.IsString():
			value = wrap(`[`, value, `]`)
		case name == "changes" && value.IsArray():
			value = changesByPath(value)
		case name == "result" && value.IsObject() && t == TurnItemImageGeneration:
			value = imageOf(value)
		case (name == "b64_json" || name == "image_b64" || name == "image_data") && t == TurnItemImageGeneration:
			name = "result"
		case name == "title" && t == EventThreadNameUpdated, name == "name" && t == EventThreadNameUpdated:
			name = "thread_name"
		}
		quoted, _ := jsontext.AppendQuote(nil, name)
		b.Write(quoted)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return Raw(b.Bytes())
}

func wrap(before string, v Raw, after string) Raw {
	return Raw(before + string(v) + after)
}

// snake spells a key with "_" before each word.
func snake(s string) string {
	var b strings.Builder
	for i, c := range []byte(s) {
		if c >= 'A' && c <= 'Z' {
			if i > 0 && s[i-1] != '_' {
				b.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return b.String()
}

// changesByPath gives a list of changes as an object: the last one of a path
// counts.
func changesByPath(list Raw) Raw {
	var b bytes.Buffer
	b.WriteByte('{')
	for w := list.Array(); ; {
		_, c, ok := w.Next()
		if !ok {
			break
		}
		path := c.Get("path")
		if !path.IsString() {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		kind := c.Get("kind")
		if kind.IsObject() {
			kind = kind.Get("type")
		}
		if !kind.IsString() {
			kind = Raw(`"update"`)
		}
		diff := c.Get("diff")
		if !diff.IsString() {
			diff = Raw(`""`)
		}
		b.WriteString(string(path) + `:{"type":` + string(kind) + `,"unified_diff":` + string(diff) + `}`)
	}
	b.WriteByte('}')
	return Raw(b.Bytes())
}

// imageOf finds the base64 text of an image in an object.
func imageOf(object Raw) Raw {
	for _, key := range []string{"b64_json", "b64Json", "image", "image_b64", "image_base64", "image_data", "imageData", "partial_image_b64", "result"} {
		if v := object.Get(key); v.IsString() {
			return v
		}
	}
	return Raw("null")
}
