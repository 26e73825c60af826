package rollout

import "testing"

// FuzzAlias is that whatever an unknown record holds, reading it by another name
// ends well, and that the text of what comes out can be asked for.
func FuzzAlias(f *testing.F) {
	for _, payload := range []string{
		`{"type":"commandExecution","command":"ls","exitCode":1,"durationMs":3}`,
		`{"type":"file change","changes":[{"path":"a","kind":{"type":"add"},"diff":"x"},{"path":1},2]}`,
		`{"type":"Agent_Message","text":"a","content":"b"}`, `{"type":"imageGeneration","result":{"b64Json":"eA=="}}`,
		`{"type":"userMessage","content":[{"type":"text","text":"a"},1]}`, `{"type":"mcpToolCall","result":1,"error":{}}`, `{"type":"plan"}`,
	} {
		f.Add(`{"timestamp":"2026-03-02T09:00:00.000Z","type":"response_item","payload":` + payload + `}`)
		f.Add(`{"timestamp":"2026-03-02T09:00:00.000Z","type":"event_msg","payload":` + payload + `}`)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var env Envelope
		if Scan([]byte(line), &env) != NoFault {
			return
		}
		u, ok := Decode(&env, []byte(line)).(*Unknown)
		if !ok {
			return
		}
		done, ok := Alias(u).(*ItemCompleted)
		if !ok {
			return
		}
		switch item := done.Item.(type) {
		case *UserMessage:
			_ = item.Content.Text()
		case *AssistantMessage:
			_ = item.Content.Text()
		case *FileChange:
			for c := range item.Changes.All() {
				_ = c.Path.String() + c.Diff.String()
			}
		case *CommandExecution:
			_ = item.Command.Strings()
		case nil:
			t.Fatal("no item")
		}
	})
}
