package dsh

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rollbook/internal/assemble"
	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/rolltest"
	"rollbook/internal/transcript"
)

// all of the active view, and that with what was taken back.
var (
	full     = assemble.SessionOptions{Full: true}
	withBack = assemble.SessionOptions{Full: true, RolledBack: true}
)

// openThreads opens a home as the command line does.
func openThreads(t testing.TB, dir string) *assemble.Library {
	t.Helper()
	home, err := discover.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { home.Close() })
	report := func(diag.Diagnostic) {}
	refs, err := home.Refs(context.Background(), report)
	if err != nil {
		t.Fatal(err)
	}
	titles, err := home.Titles(context.Background(), report)
	if err != nil {
		t.Fatal(err)
	}
	return assemble.New(home, refs, titles, report)
}

// A convertedSession is what a thread was converted to.
type convertedSession struct {
	Report
	log    []byte
	events []sessionEvent
}

type sessionEvent struct {
	Type            string
	Seq             int
	Time            int64
	SurfaceOp       string
	SourceEventSeqs []int
	Data            eventData
}

type eventData struct {
	Turn, Step             int
	ID, CallID             string
	Name, Arguments, Title string
	MessageSeqs            []int
	Reason, Source         struct{ Kind string }
	Content                []eventBlock
	Message                struct {
		ID      string
		Source  struct{ Kind, Provider, Model, CallID string }
		Content []eventBlock
	}
}

type eventBlock struct {
	Type, Text, ID, Name, Arguments, ToolCallID string
	IsError                                     bool
	Content                                     []eventBlock
	Attachment                                  struct {
		AttachmentID, MediaType string
		Width, Height, Bytes    int
		OriginalDimensions      *struct{ Width, Height int }
	}
}

// converted converts a thread, checks the session as dsh verify does, and reads
// it. It is converted twice: the same thread gives the same bytes.
func converted(t testing.TB, th *transcript.Thread, opt Options) convertedSession {
	t.Helper()
	var s convertedSession
	var out, again bytes.Buffer
	var err error
	if s.Report, err = Convert(context.Background(), th, opt, &out); err != nil {
		t.Fatal(err)
	}
	if _, err := Convert(context.Background(), th, opt, &again); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Error("converted twice, the session has other bytes")
	}
	s.log = out.Bytes()
	c, fault, err := check(bytes.NewReader(s.log), int64(len(s.log)), func(value) {})
	if err != nil || fault != nil {
		t.Errorf("%s: the session does not verify: %v, %v", th.ID, fault, err)
	}
	if c.info.Frames != 2 || c.info.Digest != s.Digest || c.info.Events != s.Records || c.info.Turns != s.Turns || c.info.ID != s.Header.ID {
		t.Errorf("the report says %+v, the log is %+v", s.Report, c.info)
	}
	var m meter
	var p parser
	if _, err := walkLog(bytes.NewReader(s.log), int64(len(s.log)), func(n int, line []byte) error {
		if n == 1 {
			return nil
		}
		var ev sessionEvent
		if err := json.Unmarshal(line, &ev); err != nil {
			return err
		}
		v, err := p.parse(line)
		m.event(int64(ev.Seq), v)
		s.events = append(s.events, ev)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if m.tokens != s.ContextTokens {
		t.Errorf("the report says %d tokens, the log has %d", s.ContextTokens, m.tokens)
	}
	return s
}

// sessionOf converts the one thread of a home.
func sessionOf(t testing.TB, l *assemble.Library, view assemble.SessionOptions, opt Options) convertedSession {
	t.Helper()
	ids := l.IDs()
	if len(ids) != 1 {
		t.Fatalf("%d threads", len(ids))
	}
	return sessionOfThread(t, l, ids[0], view, opt)
}

func sessionOfThread(t testing.TB, l *assemble.Library, id string, view assemble.SessionOptions, opt Options) convertedSession {
	t.Helper()
	th, err := l.Session(context.Background(), id, view)
	if err != nil {
		t.Fatal(err)
	}
	return converted(t, th, opt)
}

// built writes a home and opens it.
func built(t testing.TB, home *rolltest.Home) *assemble.Library {
	t.Helper()
	return openThreads(t, home.Temp(t))
}

// ofLines makes a home of one rollout of those lines.
func ofLines(t testing.TB, lines ...string) *assemble.Library {
	t.Helper()
	dir := t.TempDir()
	writeRollout(t, dir, "rollout-2026-03-02T09-00-00-"+lineThread+".jsonl", lines...)
	return openThreads(t, dir)
}

func writeRollout(t testing.TB, dir, name string, lines ...string) {
	t.Helper()
	put(t, filepath.Join(dir, "sessions", "2026", "03", "02", name), []byte(strings.Join(lines, "\n")+"\n"))
}

const lineThread = "019cb000-0000-7000-8000-000000000001"

func metaLine(more string) string {
	return `{"timestamp":"2026-03-02T09:00:00.000Z","type":"session_meta","payload":{"id":"` + lineThread + `","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/home/ada/work","originator":"codex_cli_rs","cli_version":"0.140.0","source":"cli","model_provider":"openai"` + more + `}}`
}

func recordLine(typ, payload string) string {
	return `{"timestamp":"2026-03-02T09:00:05.000Z","type":"` + typ + `","payload":{` + payload + `}}`
}

func itemLine(payload string) string  { return recordLine("response_item", payload) }
func eventLine(payload string) string { return recordLine("event_msg", payload) }

func promptLine(text string) string {
	return eventLine(`"type":"user_message","message":` + jsonQuote(text))
}

func answerLine(text string) string {
	return eventLine(`"type":"agent_message","message":` + jsonQuote(text))
}

func turnItemLine(item string) string {
	return eventLine(`"type":"item_completed","thread_id":"` + lineThread + `","turn_id":"t1","item":{` + item + `}`)
}

// said gives the texts of the session as the model is given them: "u: …" for a
// prompt, "a: …" for an answer, "c: name arguments" for a call, "r: …" for a
// result and "e: …" for one that failed, "i: …" for an image.
func (s *convertedSession) said() (all []string) {
	add := func(sort string, blocks []eventBlock) {
		for _, b := range blocks {
			switch b.Type {
			case "text":
				all = append(all, sort+b.Text)
			case "reasoning":
				all = append(all, "t: "+b.Text)
			case "image":
				all = append(all, "i: "+b.Attachment.MediaType)
			case "tool-call":
				all = append(all, "c: "+b.Name+" "+b.Arguments)
			}
		}
	}
	for _, ev := range s.events {
		switch ev.Type {
		case "user/message":
			add("u: ", ev.Data.Content)
		case "assistant/message":
			add("a: ", ev.Data.Message.Content)
		case "tool/result":
			r := ev.Data.Message.Content[0]
			add(map[bool]string{false: "r: ", true: "e: "}[r.IsError], r.Content)
		}
	}
	return all
}

// types gives the types of the events behind the first three.
func (s *convertedSession) types() string {
	var all []string
	for _, ev := range s.events[3:] {
		all = append(all, ev.Type)
	}
	return strings.Join(all, " ")
}

func (s *convertedSession) ends() (all []string) {
	for _, ev := range s.events {
		if ev.Type == "turn/end" {
			all = append(all, ev.Data.Reason.Kind)
		}
	}
	return all
}

func (s *convertedSession) titles() (title string, seqs []int) {
	for _, ev := range s.events {
		if ev.Type == "session/title" {
			title, seqs = ev.Data.Title, ev.Data.MessageSeqs
		}
	}
	return title, seqs
}

func expectSaid(t testing.TB, s convertedSession, want ...string) {
	t.Helper()
	if got := strings.Join(s.said(), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the session says\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func storeAt(dir string) string { return filepath.Join(dir, "attachments", "v1") }

func mustRead(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
