package inspect

import "rollbook/internal/rollout"

// A recordType is an envelope's type.
type recordType uint8

const (
	unknownType recordType = iota
	sessionMeta
	turnContext
	eventMsg
	compacted
	responseItem
)

func recordTypeOf(v rollout.Raw) recordType {
	var buf [32]byte
	switch string(v.AppendText(buf[:0])) {
	case "session_meta":
		return sessionMeta
	case "turn_context":
		return turnContext
	case "event_msg":
		return eventMsg
	case "compacted":
		return compacted
	case "response_item":
		return responseItem
	}
	return unknownType
}

// The keys that the report has a place for, by the type of the object.
var (
	sessionMetaKeys = keySet(keyID, keyCwd, keyCLIVersion)
	turnContextKeys = keySet(keyTurnID, keyCwd)
	compactedKeys   = keySet(keyMessage)
	messageKeys     = keySet(keyType, keyID, keyRole, keyContent, keyPhase)
	callKeys        = keySet(keyType, keyID, keyCallID, keyName, keyNamespace)
	blockKeys       = keySet(keyType, keyText)
)

// treat takes what a record says, by its type (spec/inspect.md 2.3 gate 12).
func (r *run) treat(typ recordType) {
	switch typ {
	case sessionMeta:
		r.only(sessionMetaKeys)
	case turnContext:
		r.only(turnContextKeys)
	case eventMsg:
		r.diagnose(OmittedEventMsg, 0)
	case compacted:
		r.checkpoint()
	case responseItem:
		r.item()
	default:
		r.diagnose(UnknownRecord, 0)
	}
}

// item takes a response_item, by its payload's type.
func (r *run) item() {
	var buf [32]byte
	switch string(r.record.ItemType.AppendText(buf[:0])) {
	case "message":
		r.only(messageKeys)
		r.message()
	case "function_call":
		r.only(callKeys | keySet(keyArguments))
		r.call(keyArguments)
	case "custom_tool_call":
		r.only(callKeys | keySet(keyInput))
		r.call(keyInput)
	case "function_call_output", "custom_tool_call_output":
		r.only(callKeys | keySet(keyOutput))
		r.result()
	case "compaction", "context_compaction", "compaction_trigger":
		r.diagnose(Compaction, 0)
	case "reasoning":
		r.diagnose(OmittedReasoning, 0)
	default:
		r.diagnose(OmittedItem, 0)
	}
}

// only says so where the payload has other keys than these.
func (r *run) only(allowed keys) {
	if r.payload.beyond(allowed) {
		r.diagnose(OmittedFields, 0)
	}
}

// emit hands out one event of the record.
func (r *run) emit(role Role, kind Kind, text rollout.Raw, block int) {
	r.report.Events++
	if r.err != nil {
		return
	}
	e := &r.event
	e.Role, e.Kind, e.Text, e.Block = role, kind, r.spell(text), block
	r.err = r.h.Event(e)
}

// checkpoint takes a compacted record. The history that it replaces others
// with is not read: it was said once already.
func (r *run) checkpoint() {
	r.diagnose(Compaction, 0)
	r.only(compactedKeys)
	text := r.payload.text(keyMessage)
	if text == nil {
		r.diagnose(InvalidCheckpoint, 0)
		return
	}
	e := &r.event
	e.Phase, e.ToolID, e.ToolName, e.ToolNamespace = nil, nil, nil, nil
	r.emit(System, Checkpoint, text, 0)
}

func (r *run) message() {
	var buf [16]byte
	switch string(r.payload.val[keyRole].AppendText(buf[:0])) {
	case "user":
		r.blocks(r.payload.val[keyContent], User, Text)
	case "assistant":
		r.blocks(r.payload.val[keyContent], Assistant, Text)
	case "system":
		r.blocks(r.payload.val[keyContent], System, Text)
	case "developer":
		r.blocks(r.payload.val[keyContent], Developer, Text)
	default:
		r.diagnose(UnknownRole, 0)
	}
}

// call takes the call of a tool. Its input is text, whatever it spells.
func (r *run) call(input key) {
	text := r.payload.text(input)
	if text == nil || r.payload.text(keyCallID) == nil || r.payload.text(keyName) == nil {
		r.diagnose(InvalidToolCall, 0)
		return
	}
	r.emit(Assistant, ToolCall, text, 0)
}

// result takes what a tool returned. Whether it succeeded is not judged.
func (r *run) result() {
	if r.payload.text(keyCallID) == nil {
		r.diagnose(MissingCallID, 0)
	}
	if text := r.payload.text(keyOutput); text != nil {
		r.emit(Tool, ToolResult, text, 0)
		return
	}
	r.blocks(r.payload.val[keyOutput], Tool, ToolResult)
}

// blocks emits the text blocks of a list.
func (r *run) blocks(list rollout.Raw, role Role, kind Kind) {
	n := 0
	for w := list.Array(); ; {
		_, val, ok := w.Next()
		if !ok {
			break
		}
		n++
		if !r.textBlock(val) {
			r.diagnose(OmittedBlock, n)
			continue
		}
		if r.block.beyond(blockKeys) {
			r.diagnose(OmittedFields, n)
		}
		if text := r.block.text(keyText); text != nil {
			r.emit(role, kind, text, n)
		} else {
			r.diagnose(InvalidBlock, n)
		}
	}
	if n == 0 {
		r.diagnose(InvalidContent, 0)
	}
}

// textBlock reads a block and reports whether it is of a type that holds text.
func (r *run) textBlock(val rollout.Raw) bool {
	if !val.IsObject() {
		return false
	}
	r.block.read(val)
	t := r.block.val[keyType]
	return t.Is("input_text") || t.Is("output_text")
}
