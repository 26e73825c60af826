package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"rollbook/internal/rolltest"
)

// record is a line of a legacy rollout, as far as Migrate changes it.
type record struct {
	Timestamp string
	Ordinal   *int
	Type      string
	Payload   json.RawMessage
}

// Migrate writes a legacy rollout anew under its name and with its time, as codex
// migrate-rollouts does (docs/format/rollout.md F9): every line has an ordinal,
// and events of messages are items with ids of their own. Turns that were rolled
// back and copied metas are left as they are; pictures of a prompt are in its item
// of the model alone.
func Migrate(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var out []byte
	m := migration{}
	for line := range bytes.Lines(text) {
		if out, err = m.line(out, line); err != nil {
			return fmt.Errorf("migrate %s: %w", name, err)
		}
	}
	return replace(name, name, out)
}

type migration struct {
	ordinal, items int
	turn           string
}

func (m *migration) line(out, line []byte) ([]byte, error) {
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, err
	}
	if r.Timestamp == "" || r.Ordinal != nil {
		return nil, errors.New("not a legacy rollout")
	}
	payload := bytes.TrimSpace(r.Payload)
	var err error
	switch r.Type {
	case "session_meta":
		payload, err = paginated(payload)
	case "event_msg":
		payload, err = m.event(payload)
	}
	if err != nil {
		return nil, err
	}
	o := rolltest.O{"timestamp", r.Timestamp, "ordinal", m.ordinal, "type", r.Type, "payload", rolltest.JSON(payload)}
	m.ordinal++
	return append(out, o.String()+"\n"...), nil
}

// paginated sets the mode of a session_meta.
func paginated(payload []byte) ([]byte, error) {
	var mode struct {
		Mode *string `json:"history_mode"`
	}
	if err := json.Unmarshal(payload, &mode); err != nil {
		return nil, err
	}
	if mode.Mode != nil {
		return bytes.Replace(payload, []byte(`"history_mode":"legacy"`), []byte(`"history_mode":"paginated"`), 1), nil
	}
	return append(bytes.TrimSuffix(bytes.Clone(payload), []byte("}")), `,"history_mode":"paginated"}`...), nil
}

// event turns the event of a message into an item.
func (m *migration) event(payload []byte) ([]byte, error) {
	var e struct {
		Type    string
		TurnID  string `json:"turn_id"`
		Message string
	}
	if err := json.Unmarshal(payload, &e); err != nil {
		return nil, err
	}
	item := userItem
	switch e.Type {
	case "task_started":
		m.turn = e.TurnID
		return payload, nil
	case "user_message":
	case "agent_message":
		item = agentItem
	default:
		return payload, nil
	}
	m.items++
	o := rolltest.O{"type", "item_completed", "turn_id", m.turn, "item", item(fmt.Sprintf("item-%d", m.items), e.Message)}
	return []byte(o.String()), nil
}
