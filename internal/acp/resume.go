package acp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// protocolVersion is that of the protocol that is spoken here.
const protocolVersion = 1

// maxPages bounds a list of sessions, maxText what is kept of an answer's text.
const (
	maxPages = 1000
	maxText  = 1 << 20
)

// A Session is one to go on with.
type Session struct{ ID, Cwd string }

// A Report says how far a session came.
type Report struct {
	Agent      string   // name and version, where it says them
	Sessions   int      // that were listed for the folder
	Options    int      // that the resumed session offers
	Steps      []string // methods that were answered, in order
	StopReason string   // of the prompt
	Text       string   // that the agent said to it
}

// Resume lists, resumes and closes a session of the agent behind in and out, and
// sends it a prompt in between where one is given. The report says how far it
// came, also with an error.
func Resume(ctx context.Context, in io.Reader, out io.Writer, s Session, prompt string) (Report, error) {
	r := resumer{ctx: ctx, session: s}
	r.conn = NewConn(in, out, r.notified)
	defer r.conn.Close()
	err := r.run(prompt)
	r.report.Text = r.text.String()
	return r.report, err
}

type resumer struct {
	ctx     context.Context
	conn    *Conn
	session Session
	report  Report
	text    strings.Builder
}

func (r *resumer) call(method string, params, result any) error {
	err := r.conn.Call(r.ctx, method, params, result)
	if err == nil {
		r.report.Steps = append(r.report.Steps, method)
	}
	return err
}

func (r *resumer) run(prompt string) error {
	if err := r.initialize(); err != nil {
		return err
	}
	if err := r.list(); err != nil {
		return err
	}
	var resumed struct {
		Options *[]jsontext.Value `json:"configOptions"`
	}
	err := r.call("session/resume", map[string]any{"sessionId": r.session.ID, "cwd": r.session.Cwd, "mcpServers": []any{}}, &resumed)
	if err != nil {
		return err
	}
	if resumed.Options == nil {
		return errors.New("session/resume: the answer has no configOptions")
	}
	r.report.Options = len(*resumed.Options)
	if prompt != "" {
		if err := r.prompt(prompt); err != nil {
			return err
		}
	}
	var closed struct{}
	return r.call("session/close", map[string]any{"sessionId": r.session.ID}, &closed)
}

func (r *resumer) initialize() error {
	var hello struct {
		Version int `json:"protocolVersion"`
		Agent   struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"agentInfo"`
	}
	err := r.call("initialize", map[string]any{
		"protocolVersion":    protocolVersion,
		"clientCapabilities": map[string]any{"fs": map[string]any{"readTextFile": false, "writeTextFile": false}, "terminal": false},
		"clientInfo":         map[string]any{"name": "rollbook", "version": "1"},
	}, &hello)
	if err != nil {
		return err
	}
	r.report.Agent = strings.TrimSpace(hello.Agent.Name + " " + hello.Agent.Version)
	if hello.Version != protocolVersion {
		return fmt.Errorf("initialize: the agent speaks version %d, not %d", hello.Version, protocolVersion)
	}
	return nil
}

// list looks for the session among those of its folder.
func (r *resumer) list() error {
	cursor := ""
	for range maxPages {
		params := map[string]any{}
		if r.session.Cwd != "" {
			params["cwd"] = r.session.Cwd
		}
		if cursor != "" {
			params["cursor"] = cursor
		}
		var page struct {
			Sessions []struct {
				ID string `json:"sessionId"`
			} `json:"sessions"`
			Next string `json:"nextCursor"`
		}
		if err := r.conn.Call(r.ctx, "session/list", params, &page); err != nil {
			return err
		}
		r.report.Sessions += len(page.Sessions)
		for _, s := range page.Sessions {
			if s.ID == r.session.ID {
				r.report.Steps = append(r.report.Steps, "session/list")
				return nil
			}
		}
		if cursor = page.Next; cursor == "" {
			return fmt.Errorf("session/list: %s is not among %d sessions; the agent reads the sessions of its own DSH_HOME", r.session.ID, r.report.Sessions)
		}
	}
	return fmt.Errorf("session/list: more than %d pages", maxPages)
}

func (r *resumer) prompt(text string) error {
	var end struct {
		StopReason string `json:"stopReason"`
	}
	r.text.Reset() // what was said before belongs to the history
	err := r.call("session/prompt", map[string]any{
		"sessionId": r.session.ID, "prompt": []any{map[string]any{"type": "text", "text": text}},
	}, &end)
	if err != nil {
		return err
	}
	r.report.StopReason = end.StopReason
	if end.StopReason != "end_turn" {
		return fmt.Errorf("session/prompt: ended with %q, not end_turn", end.StopReason)
	}
	return nil
}

// notified gathers what the agent says.
func (r *resumer) notified(method string, params jsontext.Value) {
	if method != "session/update" {
		return
	}
	var u struct {
		ID     string `json:"sessionId"`
		Update struct {
			Kind    string         `json:"sessionUpdate"`
			Content jsontext.Value `json:"content"`
		} `json:"update"`
	}
	var block struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(params, &u) != nil || u.ID != r.session.ID || u.Update.Kind != "agent_message_chunk" ||
		json.Unmarshal(u.Update.Content, &block) != nil || r.text.Len()+len(block.Text) > maxText {
		return
	}
	r.text.WriteString(block.Text)
}
