package acp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A peer answers as an agent did: for each method the lines that it sends, with
// ID for the id of the request. Methods without an entry are refused.
type peer map[string][]string

const resumedSession = "session-1"

func answers() peer {
	return peer{
		"initialize":      {`{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{},"resume":{},"close":{}}},"agentInfo":{"name":"dsh","version":"0.1.5"},"authMethods":[]}}`},
		"session/list":    {`{"jsonrpc":"2.0","id":ID,"result":{"sessions":[{"sessionId":"session-0","cwd":"/w"},{"sessionId":"session-1","cwd":"/w","title":"x"}]}}`},
		"session/resume":  {`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"old"}}}}`, `{"jsonrpc":"2.0","id":ID,"result":{"configOptions":[{"id":"model"},{"id":"mode"}]}}`},
		"session/prompt":  {`{"jsonrpc":"2.0","id":99,"method":"session/request_permission","params":{}}`, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"one "}}}}`, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session-0","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"no"}}}}`, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session-1","update":{"sessionUpdate":"tool_call","content":[]}}}`, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"two"}}}}`, `{"jsonrpc":"2.0","id":ID,"result":{"stopReason":"end_turn"}}`},
		"session/close":   {`{"jsonrpc":"2.0","id":ID,"result":{}}`},
		"session/another": nil,
	}
}

// serve answers until its input ends, and gives what it was sent.
func (p peer) serve(r io.Reader, w io.WriteCloser) (got []string) {
	defer w.Close()
	for lines := bufio.NewScanner(r); lines.Scan(); {
		var m struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
			Error  *struct{ Code int }
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return append(got, err.Error())
		}
		if m.Method == "" {
			got = append(got, fmt.Sprintf("answer to %s: %d", m.ID, m.Error.Code))
			continue
		}
		got = append(got, m.Method+" "+string(m.Params))
		replies, ok := p[m.Method]
		if !ok {
			replies = []string{`{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"Method not found"}}`}
		}
		for _, line := range replies {
			if line == "END" {
				return got
			}
			io.WriteString(w, strings.ReplaceAll(line, "ID", string(m.ID))+"\n")
		}
	}
	return got
}

func try(t *testing.T, p peer, prompt string) (Report, []string, error) {
	t.Helper()
	toPeer, out := io.Pipe()
	in, fromPeer := io.Pipe()
	done := make(chan []string, 1)
	go func() { done <- p.serve(toPeer, fromPeer) }()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	report, err := Resume(ctx, in, out, Session{resumedSession, "/w"}, prompt)
	in.Close()
	out.Close()
	return report, <-done, err
}

func TestResume(t *testing.T) {
	report, sent, err := try(t, answers(), "hello")
	if err != nil {
		t.Fatal(err)
	}
	want := Report{Agent: "dsh 0.1.5", Sessions: 2, Options: 2, StopReason: "end_turn", Text: "one two",
		Steps: []string{"initialize", "session/list", "session/resume", "session/prompt", "session/close"}}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{
		`initialize {"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false},"clientInfo":{"name":"rollbook","version":"1"},"protocolVersion":1}`,
		`session/list {"cwd":"/w"}`,
		`session/resume {"cwd":"/w","mcpServers":[],"sessionId":"session-1"}`,
		`session/prompt {"prompt":[{"text":"hello","type":"text"}],"sessionId":"session-1"}`,
		`answer to 99: -32601`,
		`session/close {"sessionId":"session-1"}`,
	}, sent); diff != "" {
		t.Error(diff)
	}
}

func TestNoPrompt(t *testing.T) {
	report, _, err := try(t, answers(), "")
	if err != nil || slices.Contains(report.Steps, "session/prompt") || report.Text != "old" {
		t.Errorf("%+v, %v", report, err)
	}
}

// What the peer answers otherwise is an error that names the method.
func TestRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		method string
		lines  []string
		want   string
	}{
		"no such method":   {"session/list", nil, "session/list: Method not found (-32601)"},
		"another version":  {"initialize", []string{`{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":2}}`}, "initialize: the agent speaks version 2, not 1"},
		"not listed":       {"session/list", []string{`{"jsonrpc":"2.0","id":ID,"result":{"sessions":[]}}`}, "session/list: session-1 is not among 0 sessions"},
		"no options":       {"session/resume", []string{`{"jsonrpc":"2.0","id":ID,"result":{}}`}, "session/resume: the answer has no configOptions"},
		"an error":         {"session/resume", []string{`{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"no","data":{"why":1}}}`}, `session/resume: no (-32000) {"why":1}`},
		"cancelled":        {"session/prompt", []string{`{"jsonrpc":"2.0","id":ID,"result":{"stopReason":"cancelled"}}`}, `session/prompt: ended with "cancelled", not end_turn`},
		"not JSON":         {"session/close", []string{`Warning: old node`}, "session/close: not a message"},
		"no result":        {"session/close", []string{`{"jsonrpc":"2.0","id":ID}`}, "session/close: an answer without a result"},
		"another request":  {"session/close", []string{`{"jsonrpc":"2.0","id":77,"result":{}}`}, "session/close: an answer to request 77"},
		"a result of text": {"session/list", []string{`{"jsonrpc":"2.0","id":ID,"result":"x"}`}, "session/list: "},
		"gone":             {"session/resume", []string{"END"}, "session/resume: unexpected EOF"},
	} {
		p := answers()
		p[tt.method] = tt.lines
		if tt.lines == nil {
			delete(p, tt.method)
		}
		_, _, err := try(t, p, "hello")
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}

// The session may stand on a later page.
func TestPages(t *testing.T) {
	p := answers()
	p["session/list"] = []string{`{"jsonrpc":"2.0","id":ID,"result":{"sessions":[{"sessionId":"a"}],"nextCursor":"2"}}`}
	toPeer, out := io.Pipe()
	in, fromPeer := io.Pipe()
	go func() {
		defer fromPeer.Close()
		for lines := bufio.NewScanner(toPeer); lines.Scan(); {
			var m struct {
				ID     json.RawMessage
				Method string
				Params struct{ Cursor string }
			}
			json.Unmarshal(lines.Bytes(), &m)
			list := p[m.Method]
			if m.Params.Cursor == "2" {
				list = answers()["session/list"]
			}
			for _, line := range list {
				io.WriteString(fromPeer, strings.ReplaceAll(line, "ID", string(m.ID))+"\n")
			}
		}
	}()
	report, err := Resume(t.Context(), in, out, Session{resumedSession, ""}, "")
	if err != nil || report.Sessions != 3 {
		t.Errorf("%+v, %v", report, err)
	}
	out.Close()
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in, _ := io.Pipe() // says nothing
	if _, err := Resume(ctx, in, io.Discard, Session{}, ""); err == nil || !strings.Contains(err.Error(), "context canceled") {
		t.Error(err)
	}
	if _, err := Resume(t.Context(), iotest.ErrReader(io.ErrClosedPipe), io.Discard, Session{}, ""); err == nil {
		t.Error("no error of the reader")
	}
}

// FuzzPeer: whatever a peer says, there is an answer or an error.
func FuzzPeer(f *testing.F) {
	for _, lines := range answers() {
		f.Add(strings.ReplaceAll(strings.Join(lines, "\n"), "ID", "1"))
	}
	f.Add(`{"id":1,"result":{"protocolVersion":1}}` + "\n" + `{"id":2,"result":{"sessions":[{"sessionId":"session-1"}]}}` + "\n" + `{"id":3,"result":{"configOptions":[]}}`)
	f.Fuzz(func(t *testing.T, said string) {
		report, err := Resume(t.Context(), strings.NewReader(said), io.Discard, Session{resumedSession, "/w"}, "go on")
		if err == nil && len(report.Steps) != 5 {
			t.Errorf("%+v", report)
		}
	})
}
