package edit

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"rollbook/internal/rolltest"
)

// head is what the lines of a rollout have in common.
type head struct {
	Timestamp *time.Time
	Ordinal   *int
}

// stamp is how Codex writes a time.
const stamp = "2006-01-02T15:04:05.000Z"

// A turn writes lines behind others, in their dialect.
type turn struct {
	at      time.Time
	bare    bool
	ordinal int // of the next line; -1 for none
	id      string
	text    []byte
}

// AppendTurn appends a usual turn to a plain rollout of any size: a prompt, a
// command with its output, an answer, which are three messages. n tells one turn
// from another: "prompt n" and "answer n" begin the texts. Of the file only its
// end is read.
func AppendTurn(name string, n int) error {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	t, err := behind(f, n)
	if err == nil {
		t.usual(n)
		_, err = f.Write(t.text)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("append a turn to %s: %w", name, err)
	}
	return nil
}

// behind looks at the last line, to go on as the file does.
func behind(f *os.File, n int) (*turn, error) {
	line, err := lastLine(f)
	if err != nil {
		return nil, err
	}
	var last head
	if err := json.Unmarshal(line, &last); err != nil {
		return nil, err
	}
	t := &turn{bare: last.Timestamp == nil, ordinal: -1, id: fmt.Sprintf("01a40000-0000-7000-8000-%012d", n)}
	if last.Timestamp != nil {
		t.at = last.Timestamp.Add(time.Minute)
	}
	if last.Ordinal != nil {
		t.ordinal = *last.Ordinal + 1
	}
	return t, nil
}

func (t *turn) usual(n int) {
	prompt, answer := fmt.Sprintf("prompt %d, what does the build say?", n), fmt.Sprintf("answer %d, it says that all is well.", n)
	call := fmt.Sprintf("call_%d", n)
	t.event(rolltest.O{"type", "task_started", "turn_id", t.id, "model_context_window", 258400})
	t.item(said("user", "input_text", prompt))
	if t.ordinal >= 0 {
		t.completed(userItem("u"+call, prompt))
	} else {
		t.event(rolltest.O{"type", "user_message", "message", prompt, "images", rolltest.A{}})
	}
	t.item(rolltest.O{"type", "function_call", "name", "shell", "arguments", `{"command":["bash","-lc","make"]}`, "call_id", call})
	t.item(rolltest.O{"type", "function_call_output", "call_id", call, "output", "ok"})
	if t.ordinal >= 0 {
		t.completed(agentItem("m"+call, answer))
	} else {
		t.event(rolltest.O{"type", "agent_message", "message", answer})
	}
	t.item(said("assistant", "output_text", answer))
	t.event(rolltest.O{"type", "task_complete", "turn_id", t.id, "last_agent_message", answer})
}

func said(role, part, text string) rolltest.O {
	return rolltest.O{"type", "message", "role", role, "content", rolltest.A{rolltest.O{"type", part, "text", text}}}
}

func userItem(id, text string) rolltest.O {
	return rolltest.O{"type", "UserMessage", "id", id, "content", rolltest.A{rolltest.O{"type", "text", "text", text}}}
}

func agentItem(id, text string) rolltest.O {
	return rolltest.O{"type", "AgentMessage", "id", id, "content", rolltest.A{rolltest.O{"type", "Text", "text", text}}}
}

func (t *turn) completed(item rolltest.O) {
	t.event(rolltest.O{"type", "item_completed", "turn_id", t.id, "item", item})
}

// event writes an event; a bare file has none.
func (t *turn) event(payload rolltest.O) {
	if !t.bare {
		t.record("event_msg", payload)
	}
}

func (t *turn) item(payload rolltest.O) {
	if t.bare {
		t.text = append(t.text, payload.String()+"\n"...)
		return
	}
	t.record("response_item", payload)
}

func (t *turn) record(typ string, payload rolltest.O) {
	t.at = t.at.Add(time.Second)
	o := rolltest.O{"timestamp", t.at.UTC().Format(stamp), "ordinal", rolltest.If(t.ordinal >= 0, t.ordinal), "type", typ, "payload", payload}
	if t.ordinal >= 0 {
		t.ordinal++
	}
	t.text = append(t.text, o.String()+"\n"...)
}
