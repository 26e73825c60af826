package dsh

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"rollbook/internal/zstdio"
)

// exampleHeader and exampleEvents are the whole example of docs/format/dsh.md.
var exampleHeader = Header{ID: "session-019b0000-0000-7000-8000-000000000001", CreatedAt: 1767225600000, Cwd: "/srv/demo", AgentPreset: "standard"}

func exampleEvents() []Event {
	const at = 1767225600000
	image := Image{
		ID: "sha256:431ced6916a2a21a156e38701afe55bbd7f88969fbbfc56d7fe099d47f265460", MediaType: "image/png",
		Width: 1, Height: 1, Bytes: 68,
	}
	call := Call{ID: "call_1", Name: "shell", Arguments: `{"command":["ls"]}`}
	return []Event{
		{at, PermissionPreset{"workspace-write"}},
		{at, SandboxMode{"workspace-write"}},
		{at, ApprovalPolicy{"ask"}},
		{at, TurnStart{1}},
		{at, StepStart{1, 1}},
		{at, SystemHead{Turn: 1, Step: 1, ID: "m-0"}},
		{at + 1, UserMessage{ID: "m-1", Content: []Block{Text{"What is in this picture, and in the folder?"}, image}}},
		{at + 2, AssistantMessage{
			Turn: 1, Step: 1, ID: "m-2", Provider: "openai", Model: "gpt-5-codex",
			Content: []Block{Reasoning{"**Listing the folder**"}, call},
		}},
		{at + 2, ToolCall{Turn: 1, Step: 1, ID: "call_1", Name: "shell", Arguments: `{"command":["ls"]}`}},
		{at + 3, ToolResult{Turn: 1, Step: 1, ID: "m-3", CallID: "call_1", CallSeq: 8, Content: []Block{Text{"README.md"}}}},
		{at + 3, StepEnd{1, 1}},
		{at + 4, StepStart{1, 2}},
		{at + 4, AssistantMessage{
			Turn: 1, Step: 2, ID: "m-4", Provider: "openai", Model: "gpt-5-codex",
			Content: []Block{Text{"One pixel, and a README."}},
		}},
		{at + 4, StepEnd{1, 2}},
		{at + 4, TurnEnd{1, Completed}},
		{at + 4, Title{Title: "What is in this picture, and in the folder?", Messages: []int{6}}},
	}
}

const exampleText = `{"type":"session","version":3,"id":"session-019b0000-0000-7000-8000-000000000001","createdAt":1767225600000,"cwd":"/srv/demo","isSeeded":false,"delegationDepth":0,"agentPreset":"standard"}
{"type":"permission/preset","seq":0,"time":1767225600000,"data":{"preset":"workspace-write"}}
{"type":"sandbox/mode","seq":1,"time":1767225600000,"data":{"mode":"workspace-write"}}
{"type":"approval/policy","seq":2,"time":1767225600000,"data":{"policy":"ask"}}
{"type":"turn/start","seq":3,"time":1767225600000,"data":{"turn":1}}
{"type":"step/start","seq":4,"time":1767225600000,"data":{"turn":1,"step":1}}
{"type":"system/message","seq":5,"time":1767225600000,"data":{"turn":1,"step":1,"message":{"id":"m-0","role":"system","source":{"kind":"plugin","plugin":"@deepseek-ai/dsh-system-prompt"},"content":[]}},"surfaceOp":"append"}
{"type":"user/message","seq":6,"time":1767225600001,"data":{"id":"m-1","role":"user","source":{"kind":"user"},"content":[{"type":"text","text":"What is in this picture, and in the folder?"},{"type":"image","attachment":{"attachmentId":"sha256:431ced6916a2a21a156e38701afe55bbd7f88969fbbfc56d7fe099d47f265460","mediaType":"image/png","width":1,"height":1,"bytes":68}}]},"surfaceOp":"append"}
{"type":"assistant/message","seq":7,"time":1767225600002,"data":{"turn":1,"step":1,"message":{"id":"m-2","role":"assistant","source":{"kind":"model","provider":"openai","model":"gpt-5-codex"},"content":[{"type":"reasoning","text":"**Listing the folder**"},{"type":"tool-call","id":"call_1","name":"shell","arguments":"{\"command\":[\"ls\"]}"}]},"stream":[]},"surfaceOp":"append"}
{"type":"tool/call","seq":8,"time":1767225600002,"data":{"turn":1,"step":1,"callId":"call_1","name":"shell","arguments":"{\"command\":[\"ls\"]}"}}
{"type":"tool/result","seq":9,"time":1767225600003,"data":{"turn":1,"step":1,"message":{"id":"m-3","role":"user","source":{"kind":"tool","callId":"call_1"},"content":[{"type":"tool-result","toolCallId":"call_1","content":[{"type":"text","text":"README.md"}],"isError":false}]}},"surfaceOp":"append","sourceEventSeqs":[8]}
{"type":"step/end","seq":10,"time":1767225600003,"data":{"turn":1,"step":1}}
{"type":"step/start","seq":11,"time":1767225600004,"data":{"turn":1,"step":2}}
{"type":"assistant/message","seq":12,"time":1767225600004,"data":{"turn":1,"step":2,"message":{"id":"m-4","role":"assistant","source":{"kind":"model","provider":"openai","model":"gpt-5-codex"},"content":[{"type":"text","text":"One pixel, and a README."}]},"stream":[]},"surfaceOp":"append"}
{"type":"step/end","seq":13,"time":1767225600004,"data":{"turn":1,"step":2}}
{"type":"turn/end","seq":14,"time":1767225600004,"data":{"turn":1,"reason":{"kind":"completed"}}}
{"type":"session/title","seq":15,"time":1767225600004,"data":{"title":"What is in this picture, and in the folder?","messageSeqs":[6],"source":{"kind":"fallback"}}}
`

// write gives the log of a session, and the digest that the Writer tells.
func write(t testing.TB, h Header, events []Event) ([]byte, Digest) {
	t.Helper()
	var log bytes.Buffer
	w, err := NewWriter(&log, h)
	if err != nil {
		t.Fatal(err)
	}
	for i, ev := range events {
		if seq, err := w.Append(&ev); err != nil || seq != i {
			t.Fatalf("event %d: seq %d, %v", i, seq, err)
		}
	}
	digest, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	return log.Bytes(), digest
}

// inflate gives the text of a log.
func inflate(t testing.TB, log []byte) string {
	t.Helper()
	r, err := zstdio.NewReader(bytes.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestExample holds F1, F6 and the member order of every event.
func TestExample(t *testing.T) {
	log, digest := write(t, exampleHeader, exampleEvents())
	if diff := cmp.Diff(exampleText, inflate(t, log)); diff != "" {
		t.Error(diff)
	}
	_, body, _ := strings.Cut(exampleText, "\n")
	if want := Digest(sha256.Sum256([]byte(body))); digest != want {
		t.Errorf("digest %s, want %s", digest, want)
	}
	var frames []zstdio.Frame
	for f, err := range zstdio.Frames(bytes.NewReader(log)) {
		if err != nil || !f.Checksum {
			t.Errorf("%+v, %v", f, err)
		}
		frames = append(frames, f)
	}
	if len(frames) != 2 {
		t.Errorf("%d frames", len(frames))
	}
	again, _ := write(t, exampleHeader, exampleEvents())
	if !bytes.Equal(log, again) {
		t.Error("written twice it differs")
	}
}

// TestEncodedText: long texts come through pieces whole, and nothing is escaped
// that JSON.stringify leaves alone.
func TestEncodedText(t *testing.T) {
	long := strings.Repeat("aé译😀\x01\"\\\u2028</", 20_000)
	for in, want := range map[string]string{
		"a\xffb":                 "a�b",
		"\u2028<>&\x7f":          "\u2028<>&\x7f",
		"\x00\b\t\n\f\r\x1f\"\\": `\u0000\b\t\n\f\r\u001f\"\\`,
		long:                     strings.NewReplacer("\x01", `\u0001`, `"`, `\"`, `\`, `\\`).Replace(long),
	} {
		var b bytes.Buffer
		e := encoder{w: &b}
		e.str(in)
		e.flush()
		if b.String() != `"`+want+`"` {
			t.Errorf("%.40q: %.60s", in, b.String())
		}
	}
}

// TestEncodedRest: members that the example has not.
func TestEncodedRest(t *testing.T) {
	var b bytes.Buffer
	e := encoder{w: &b}
	e.header(Header{ID: "s"})
	e.event(0, &Event{-1, &Title{Title: "t"}})
	e.event(1, &Event{0, &ToolResult{Turn: 1, Step: 1, ID: "r", CallID: "c", CallSeq: 0, IsError: true}})
	e.event(2, &Event{0, UserMessage{ID: "u", Content: []Block{Image{ID: "i", MediaType: "image/gif", Width: 2, Height: 3, Bytes: 4, Name: "n", OriginalWidth: 5, OriginalHeight: 6}}}})
	e.event(3, &Event{0, TurnEnd{1, Interrupted}})
	e.flush()
	want := `{"type":"session","version":3,"id":"s","createdAt":0,"isSeeded":false,"delegationDepth":0}
{"type":"session/title","seq":0,"time":-1,"data":{"title":"t","messageSeqs":[],"source":{"kind":"user"}}}
{"type":"tool/result","seq":1,"time":0,"data":{"turn":1,"step":1,"message":{"id":"r","role":"user","source":{"kind":"tool","callId":"c"},"content":[{"type":"tool-result","toolCallId":"c","content":[],"isError":true}]}},"surfaceOp":"append","sourceEventSeqs":[0]}
{"type":"user/message","seq":2,"time":0,"data":{"id":"u","role":"user","source":{"kind":"user"},"content":[{"type":"image","attachment":{"attachmentId":"i","mediaType":"image/gif","width":2,"height":3,"bytes":4,"name":"n","originalDimensions":{"width":5,"height":6}}}]},"surfaceOp":"append"}
{"type":"turn/end","seq":3,"time":0,"data":{"turn":1,"reason":{"kind":"interrupted"}}}
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestWriterRefuses(t *testing.T) {
	for _, h := range []Header{{}, {ID: "s", CreatedAt: -1}, {ID: "s", Cwd: "a/b"}} {
		if _, err := NewWriter(io.Discard, h); err == nil {
			t.Errorf("%+v is taken", h)
		}
	}
}

// TestWriterFails: whichever write fails, the failure is told and the log is not
// whole.
func TestWriterFails(t *testing.T) {
	whole, _ := write(t, exampleHeader, exampleEvents())
	for room := 0; room < len(whole); room += 17 {
		var log limited
		log.room = room
		w, err := NewWriter(&log, exampleHeader)
		for _, ev := range exampleEvents() {
			if err == nil {
				_, err = w.Append(&ev)
			}
		}
		if err == nil {
			_, err = w.Close()
		}
		if !errors.Is(err, errFull) {
			t.Fatalf("room for %d bytes: %v", room, err)
		}
	}
}

var errFull = errors.New("disk full")

// A limited writer takes room bytes.
type limited struct{ room int }

func (l *limited) Write(p []byte) (int, error) {
	n := min(l.room, len(p))
	l.room -= n
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

// TestStr holds our strings to those of the library.
func TestStr(t *testing.T) {
	check := func(s string) {
		t.Helper()
		e := encoder{w: io.Discard}
		e.str(s)
		want, _ := jsontext.AppendQuote(nil, s)
		if string(e.buf) != string(want) {
			t.Errorf("%q is written as %s, want %s", s, e.buf, want)
		}
	}
	for c := range 256 {
		for _, around := range []string{"", "abcdefgh", "abc"} {
			check(around + string([]byte{byte(c)}) + around)
		}
	}
	for _, s := range []string{"é€😀", "\xed\xa0\x80", "cut \xf0\x9f\x98", "a\u2028b\u0085c", strings.Repeat("x\n", 100)} {
		check(s)
	}
	rapid.Check(t, func(rt *rapid.T) { check(rapid.String().Draw(rt, "s")) })
}
