package dsh

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"rollbook/internal/assemble"
	"rollbook/internal/rolltest"
	"rollbook/internal/transcript"
)

// TestConvertShape is the order of events: the head directly after the first
// step/start, calls behind their message, results behind their calls, a step for
// each answer.
func TestConvertShape(t *testing.T) {
	home := rolltest.NewHome(1)
	r := home.New(rolltest.V140, rolltest.Meta{Cwd: "/srv/demo", Model: "gpt-5.5"})
	r.Turn("what is here?").Reasoning("**Looking**").Shell("ls", "README.md\n", 0).Assistant("A README.").TurnComplete()
	r.Turn("thanks").Assistant("Welcome.").TurnComplete()
	s := sessionOf(t, built(t, home), full, Options{})
	want := "turn/start step/start system/message user/message assistant/message tool/call tool/result step/end " +
		"step/start assistant/message step/end turn/end " +
		"turn/start step/start user/message assistant/message step/end turn/end session/title"
	if got := s.types(); got != want {
		t.Errorf("events\n%s\nwant\n%s", got, want)
	}
	if s.Header.ID != "session-"+r.ID || s.Header.Cwd != "/srv/demo" {
		t.Errorf("header %+v", s.Header)
	}
	for _, ev := range s.events {
		switch ev.Type {
		case "assistant/message":
			if src := ev.Data.Message.Source; src.Provider != "openai" || src.Model != "gpt-5.5" {
				t.Errorf("source %+v", src)
			}
		case "tool/result":
			if call := s.events[ev.SourceEventSeqs[0]]; call.Type != "tool/call" || call.Data.CallID != ev.Data.Message.Source.CallID {
				t.Errorf("result of %+v", call)
			}
		}
	}
	if s.Turns != 2 || s.Prompts != 2 || s.Reasoning != 1 || s.Tools != 1 || s.Synthesized != 1 || s.Failed != 0 || s.Repaired != 0 {
		t.Errorf("report %+v", s.Report)
	}
}

// TestConvertEmpty is that a session has a step, and so a head, whatever the
// thread holds.
func TestConvertEmpty(t *testing.T) {
	for name, lines := range map[string][]string{
		"nothing":       {metaLine("")},
		"an empty turn": {metaLine(""), eventLine(`"type":"task_started","turn_id":"t1"`), eventLine(`"type":"task_complete","turn_id":"t1"`)},
	} {
		t.Run(name, func(t *testing.T) {
			s := sessionOf(t, ofLines(t, lines...), assemble.SessionOptions{}, Options{})
			if got, want := s.types(), "turn/start step/start system/message step/end turn/end"; got != want {
				t.Errorf("events %s, want %s", got, want)
			}
		})
	}
	s := sessionOf(t, ofLines(t, metaLine(""),
		eventLine(`"type":"task_started","turn_id":"t1"`), eventLine(`"type":"task_complete","turn_id":"t1"`),
		eventLine(`"type":"task_started","turn_id":"t2"`), promptLine("hello")), assemble.SessionOptions{}, Options{})
	if got, want := s.types(), "turn/start step/start system/message step/end turn/end turn/start step/start user/message step/end turn/end session/title"; got != want {
		t.Errorf("events %s, want %s", got, want)
	}
}

// TestTurnEnds are the reasons of turn/end.
func TestTurnEnds(t *testing.T) {
	turn := func(id, end string) []string {
		lines := []string{eventLine(`"type":"task_started","turn_id":"` + id + `"`), promptLine("prompt of " + id), answerLine("answer to " + id)}
		if end != "" {
			lines = append(lines, eventLine(end))
		}
		return lines
	}
	all := slices.Concat([]string{metaLine("")},
		turn("t1", `"type":"task_complete","turn_id":"t1"`),
		turn("t2", `"type":"turn_aborted","turn_id":"t2","reason":"interrupted"`),
		turn("t3", `"type":"task_complete","turn_id":"t3","error":{"message":"no"}`),
		turn("t4", ""))
	s := sessionOf(t, ofLines(t, all...), assemble.SessionOptions{}, Options{})
	if got, want := s.ends(), []string{"completed", "interrupted", "interrupted", "completed"}; !slices.Equal(got, want) {
		t.Errorf("ends %q, want %q", got, want)
	}
}

// TestLastAnswer is that a turn without a text of the assistant takes that of its
// end.
func TestLastAnswer(t *testing.T) {
	start, end := eventLine(`"type":"task_started","turn_id":"t1"`), eventLine(`"type":"task_complete","turn_id":"t1","last_agent_message":"fin"`)
	for _, c := range []struct {
		name   string
		middle []string
		want   []string
	}{
		{"none", nil, []string{"a: fin"}},
		{"one", []string{answerLine("said")}, []string{"a: said"}},
		{"a call with a late result", []string{callLine("c", "x", "{}")}, []string{"c: x {}", "a: fin", "r: late"}},
	} {
		lines := append([]string{metaLine(""), start, promptLine("go")}, c.middle...)
		lines = append(lines, end)
		if len(c.want) > 2 {
			lines = append(lines, outputLine("c", "late"))
		}
		t.Run(c.name, func(t *testing.T) {
			s := sessionOf(t, ofLines(t, lines...), full, Options{})
			expectSaid(t, s, append([]string{"u: go"}, c.want...)...)
			if s.Repaired != 0 || len(s.ends()) != 1 {
				t.Errorf("report %+v", s.Report)
			}
		})
	}
}

// TestTurnsAtOnce is that two processes in one file do not lose how the first
// turn ended.
func TestTurnsAtOnce(t *testing.T) {
	s := sessionOf(t, ofLines(t, metaLine(""),
		eventLine(`"type":"task_started","turn_id":"a"`), promptLine("one"),
		eventLine(`"type":"task_started","turn_id":"b"`), promptLine("two"),
		eventLine(`"type":"task_complete","turn_id":"a"`), answerLine("done"),
		eventLine(`"type":"turn_aborted","turn_id":"b","reason":"interrupted"`)), full, Options{})
	if got, want := s.ends(), []string{"completed", "interrupted"}; !slices.Equal(got, want) {
		t.Errorf("ends %q, want %q", got, want)
	}
}

// TestRolledBack is that what was taken back is left out and counted, or stands
// at its place, interrupted, and says so.
func TestRolledBack(t *testing.T) {
	home := rolltest.NewHome(2)
	r := home.New(rolltest.V140, rolltest.Meta{})
	r.Turn("one").Assistant("first").TurnComplete()
	r.Turn("two").Assistant("second").TurnComplete()
	r.RolledBack(1)
	r.Turn("three").Assistant("third").TurnComplete()
	l := built(t, home)
	s := sessionOf(t, l, full, Options{})
	expectSaid(t, s, "u: one", "a: first", "u: three", "a: third")
	if s.RolledBack != 1 {
		t.Errorf("%d turns left out", s.RolledBack)
	}
	s = sessionOf(t, l, withBack, Options{})
	expectSaid(t, s, "u: one", "a: first", "u: [Codex import: this turn was rolled back]\ntwo", "a: second", "u: three", "a: third")
	if got, want := s.ends(), []string{"completed", "interrupted", "completed"}; !slices.Equal(got, want) || s.RolledBack != 0 {
		t.Errorf("ends %q, want %q; %d left out", got, want, s.RolledBack)
	}
}

// TestReverted is the same of reverts, which leave turns in older files.
func TestReverted(t *testing.T) {
	home := rolltest.NewHome(3)
	r := home.New(rolltest.V171, rolltest.Meta{})
	r.Turn("one").Assistant("first").TurnComplete()
	r.Turn("two").Assistant("second").TurnComplete()
	again := r.Revert(1)
	again.Turn("three").Assistant("third").TurnComplete()
	last := again.Revert(1)
	last.Turn("four").Assistant("fourth").TurnComplete()
	l := built(t, home)
	s := sessionOf(t, l, full, Options{})
	expectSaid(t, s, "u: one", "a: first", "u: four", "a: fourth")
	if s.RolledBack != 2 || s.Segments < 2 {
		t.Errorf("%d turns left out, %d segments", s.RolledBack, s.Segments)
	}
	const mark = "u: [Codex import: this turn was rolled back]\n"
	s = sessionOf(t, l, withBack, Options{})
	expectSaid(t, s, "u: one", "a: first", mark+"two", "a: second", mark+"three", "a: third", "u: four", "a: fourth")
	if got, want := s.ends(), []string{"completed", "interrupted", "interrupted", "completed"}; !slices.Equal(got, want) {
		t.Errorf("ends %q, want %q", got, want)
	}
}

// TestFork is that a fork is a session of its own with its whole view.
func TestFork(t *testing.T) {
	for _, v := range []rolltest.Version{rolltest.V140, rolltest.V171} {
		home := rolltest.NewHome(4)
		r := home.New(v, rolltest.Meta{})
		r.Turn("one").Assistant("first").TurnComplete()
		r.Turn("two").Assistant("second").TurnComplete()
		fork := r.Fork(rolltest.All)
		fork.Turn("three").Assistant("third").TurnComplete()
		l := built(t, home)
		s := sessionOfThread(t, l, fork.ID, full, Options{})
		expectSaid(t, s, "u: one", "a: first", "u: two", "a: second", "u: three", "a: third")
		if s.Header.ID != "session-"+fork.ID {
			t.Errorf("id %s", s.Header.ID)
		}
	}
}

// TestHeaderOf are the members of the header, also where the log has odd ones.
func TestHeaderOf(t *testing.T) {
	for _, c := range []struct {
		name, cwd, folder, want string
		created                 time.Time
		at                      int64
	}{
		{name: "as recorded", cwd: "/srv/a b", created: time.UnixMilli(1767225600123), want: "/srv/a b", at: 1767225600123},
		{name: "a relative folder", cwd: "work", folder: "/root", created: time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC)},
		{name: "no folder", folder: "/root", want: "/root"},
		{name: "none at all"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := HeaderOf(&transcript.Meta{ID: "x", Project: c.cwd, Created: c.created}, c.folder)
			if h.ID != "session-x" || h.Cwd != c.want || h.CreatedAt != c.at {
				t.Errorf("header %+v", h)
			}
		})
	}
}

// TestModels are the names of who answered: of the turn, of the thread, ours.
func TestModels(t *testing.T) {
	context := func(model string) string {
		return recordLine("turn_context", `"turn_id":"t1","cwd":"/","model":"`+model+`"`)
	}
	models := func(s convertedSession) (all []string) {
		for _, ev := range s.events {
			if ev.Type == "assistant/message" {
				all = append(all, ev.Data.Message.Source.Provider+"/"+ev.Data.Message.Source.Model)
			}
		}
		return all
	}
	s := sessionOf(t, ofLines(t, metaLine(""), context("gpt-a"), promptLine("one"), answerLine("1"), context("gpt-b"), answerLine("2"), promptLine("two"), answerLine("3")),
		full, Options{})
	if got, want := models(s), []string{"openai/gpt-a", "openai/gpt-b", "openai/gpt-b"}; !slices.Equal(got, want) {
		t.Errorf("models %q, want %q", got, want)
	}
	s = sessionOf(t, ofLines(t, strings.Replace(metaLine(""), `"model_provider":"openai"`, `"model_provider":"azure"`, 1), context(""), promptLine("one"), answerLine("1")), full, Options{})
	if got, want := models(s), []string{"azure/codex"}; !slices.Equal(got, want) {
		t.Errorf("models %q, want %q", got, want)
	}
	s = sessionOf(t, ofLines(t, strings.Replace(metaLine(""), `,"model_provider":"openai"`, ``, 1), promptLine("one"), answerLine("1")), full, Options{})
	if got, want := models(s), []string{"openai/codex"}; !slices.Equal(got, want) {
		t.Errorf("models %q, want %q", got, want)
	}
}

// TestConvertGivesUp is that an error of the thread, of the writer or a cancelled
// context ends a conversion.
func TestConvertGivesUp(t *testing.T) {
	l := ofLines(t, metaLine(""), promptLine("one"))
	th, err := l.Session(context.Background(), lineThread, full)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Convert(ctx, th, Options{}, new(strings.Builder)); err == nil {
		t.Error("a cancelled conversion ended well")
	}
	for n := range 6 {
		if _, err := Convert(context.Background(), th, Options{}, &failing{left: n * 40}); err == nil {
			t.Errorf("after %d bytes the writer failed, and the conversion ended well", n*40)
		}
	}
}

type failing struct{ left int }

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, context.DeadlineExceeded
	}
	return len(p), nil
}
