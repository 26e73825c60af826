package export

import (
	"errors"
	"strings"
	"testing"
	"time"

	"rollbook/internal/term"
	"rollbook/internal/transcript"
)

// A probe calls look before it gives each event.
func probe(th *transcript.Thread, look func(n int)) *transcript.Thread {
	events := th.Events
	th.Events = func(yield func(*transcript.Event, error) bool) {
		n := 0
		for ev, err := range events {
			look(n)
			n++
			if !yield(ev, err) {
				return
			}
		}
	}
	return th
}

// Each event is on the page before the next one is read, so that a long thread
// begins to show at once.
func TestTextStreams(t *testing.T) {
	events := []transcript.Event{turnStart("a"), {Kind: transcript.User, Text: "first words"}, {Kind: transcript.Assistant, Text: "second words"}, turnEnd("a")}
	wants := []string{"thread     t1", "━━ turn 1", "first words", "second words"}
	for name, sink := range map[string]func(*strings.Builder) transcript.Sink{
		"text": func(b *strings.Builder) transcript.Sink { return NewText(b, TextOptions{Width: 80}) },
		"md":   func(b *strings.Builder) transcript.Sink { return NewMarkdown(b, Options{}) },
	} {
		var b strings.Builder
		th := probe(made(events...), func(n int) {
			want := wants[n]
			if name == "md" {
				want = strings.NewReplacer("thread     ", "| thread | ", "━━ turn", "## Turn").Replace(want)
			}
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: before event %d there is no %q in %q", name, n, want, b.String())
			}
		})
		if err := sink(&b).Write(th); err != nil {
			t.Fatal(err)
		}
	}
}

// Calls without results do not pile up.
func TestHeldCallsAreBounded(t *testing.T) {
	const n = 20_000
	var w walker
	w.page, w.turns = newTape(), newTracker()
	for i := range n {
		ev := callOf(string(rune('a'+i%20))+strings.Repeat("x", i%7), "exec_command", strings.Repeat("y", 1000))
		w.take(&ev)
		if len(w.calls.held) > maxHeld || w.calls.bytes > maxHeldBytes || w.calls.count > maxWaiting {
			t.Fatalf("after %d calls: %d held, %d bytes, %d waiting", i, len(w.calls.held), w.calls.bytes, w.calls.count)
		}
	}
}

// A writer that fails ends the reading, and its error is the answer.
func TestWriteErrors(t *testing.T) {
	var events []transcript.Event
	for range 1000 {
		events = append(events, transcript.Event{Kind: transcript.Assistant, Text: "some words"})
	}
	for _, left := range []int{0, 200, 1000} {
		read := 0
		look := func(n int) { read = n }
		err := NewText(&fullWriter{left}, TextOptions{}).Write(probe(made(events...), look))
		if !errors.Is(err, errFull) || read > 100 {
			t.Errorf("text, %d bytes: %v after %d events", left, err, read)
		}
		err = NewMarkdown(&fullWriter{left}, Options{}).Write(probe(made(events...), look))
		if !errors.Is(err, errFull) || read > 100 {
			t.Errorf("md, %d bytes: %v after %d events", left, err, read)
		}
	}
}

// What came before an error of the thread is written.
func TestThreadError(t *testing.T) {
	lost := errors.New("the file is gone")
	th := made()
	th.Events = func(yield func(*transcript.Event, error) bool) {
		ev := callOf("1", "exec_command", `{"cmd":"ls"}`)
		if yield(&ev, nil) {
			yield(nil, lost)
		}
	}
	var b strings.Builder
	err := NewText(&b, TextOptions{}).Write(th)
	if !errors.Is(err, lost) || err.Error() != "thread t1: the file is gone" || !strings.Contains(b.String(), "$ ls") {
		t.Errorf("%v: %q", err, b.String())
	}
}

func TestTextBlocks(t *testing.T) {
	place := func(ev transcript.Event, line int) transcript.Event {
		ev.Source = transcript.Source{File: "a.jsonl", Line: line}
		return ev
	}
	failed := resultOf("1", "no\n")
	failed.ExitCode, failed.IsError, failed.Duration = ref(2), ref(true), ref(1500*time.Millisecond)
	recovered := resultOf("1", "yes")
	recovered.Origin, recovered.ExitCode = transcript.Recovered, nil
	patch := "*** Begin Patch\n*** Update File: /home/ada/shop/a.go\n@@\n-x\n+y\n*** End Patch"
	bad := resultOf("1", "apply_patch verification failed")
	bad.ExitCode, bad.IsError = nil, nil
	for _, tt := range []struct {
		name   string
		o      Options
		events []transcript.Event
		want   string
	}{
		{"a call alone has no blank lines", Options{}, []transcript.Event{callOf("1", "exec_command", `{"cmd":"a"}`), resultOf("1", ""), callOf("2", "exec_command", `{"cmd":"b"}`), resultOf("2", "")},
			"$ a  exit 0\n$ b  exit 0"},
		{"a failure", Options{}, []transcript.Event{callOf("1", "exec_command", `{"cmd":"a"}`), failed}, "$ a  exit 2 · 1.5s\n│ no"},
		{"recovered", Options{}, []transcript.Event{callOf("1", "exec_command", `{"cmd":"a"}`), recovered}, "$ a  ok · recovered\n│ yes"},
		{"parallel calls", Options{}, []transcript.Event{callOf("1", "exec_command", `{"cmd":"a"}`), callOf("2", "exec_command", `{"cmd":"b"}`), resultOf("2", "2"), resultOf("1", "1")},
			"$ a\n\n$ b  exit 0\n│ 2\n\n↳ $ a  exit 0\n│ 1"},
		{"a result in another turn", Options{}, []transcript.Event{turnStart("x"), callOf("1", "exec_command", `{"cmd":"a"}`), turnEnd("x"), turnStart("y"), resultOf("1", "1"), turnEnd("y")},
			"━━ turn 1 ━━━━━━━━━━━━━━━━━━━━━━━━━━\n\n$ a\n\n└ 1 tool call\n\n━━ turn 2 ━━━━━━━━━━━━━━━━━━━━━━━━━━\n\n↳ $ a (of turn 1)  exit 0\n│ 1"},
		{"the call of a result is lost", Options{}, []transcript.Event{resultOf("9", "1")}, "↳ a call not in the log  exit 0\n│ 1"},
		{"turns that overlap", Options{}, []transcript.Event{turnStart("x"), turnStart("y"), {Kind: transcript.Assistant, Text: "in x", TurnID: "x"}, {Kind: transcript.Assistant, Text: "in y", TurnID: "y"}},
			"━━ turn 1 ━━━━━━━━━━━━━━━━━━━━━━━━━━\n\n━━ turn 2 ━━━━━━━━━━━━━━━━━━━━━━━━━━\n\n── turn 1 goes on ──────────────────\n\n  in x\n\n── turn 2 goes on ──────────────────\n\n  in y"},
		{"a patch that failed", Options{}, []transcript.Event{callOf("1", "apply_patch", patch), bad}, "± a.go  +1 -1\n│ apply_patch verification failed"},
		{"a patch", Options{}, []transcript.Event{callOf("1", "apply_patch", patch), resultOf("1", "Success.")}, "± a.go  +1 -1  applied"},
		{"only changes", Options{Tools: NoTools, Diff: true}, []transcript.Event{callOf("1", "apply_patch", patch), resultOf("1", ""), callOf("2", "exec_command", "x"), resultOf("2", "y")},
			"± a.go  +1 -1  applied\n│ @@\n│ -x\n│ +y"},
		{"no tools", Options{Tools: NoTools}, []transcript.Event{turnStart(""), callOf("1", "exec_command", "x"), resultOf("1", "y"), turnEnd("")}, "━━ turn 1 ━━━━━━━━━━━━━━━━━━━━━━━━━━\n\n└ 1 tool call"},
		{"places", Options{Places: true}, []transcript.Event{place(transcript.Event{Kind: transcript.User, Text: "hi"}, 3), place(callOf("1", "exec_command", `{"cmd":"a"}`), 4), place(resultOf("1", ""), 7)},
			"a.jsonl:3\n▌ hi\n\na.jsonl:4, 7\n$ a  exit 0"},
		{"context", Options{}, []transcript.Event{turnStart(""), {Kind: transcript.Context, Text: "12345"}, {Kind: transcript.User, Text: "hi"}, turnEnd("")},
			"━━ turn 1 ━━━━━━━━━━━━━━━━━━━━━━━━━━\n\n▌ hi\n\n┊ context not shown: 1 message, 5 B"},
		{"all context", Options{All: true}, []transcript.Event{{Kind: transcript.Context, Role: "developer", Text: "be brief"}}, "┊ context · developer\n┊ be brief"},
		{"an envelope", Options{}, []transcript.Event{{Kind: transcript.User, Text: "# Context from my IDE setup:\n\n## My request:\nfix it"}}, "▌ fix it"},
		{"an empty envelope", Options{}, []transcript.Event{{Kind: transcript.User, Text: "# Context from my IDE setup:\n"}}, ""},
		{"an empty prompt", Options{}, []transcript.Event{{Kind: transcript.User}}, "▌ (no words)"},
		{"an empty answer", Options{}, []transcript.Event{{Kind: transcript.Assistant}}, ""},
		{"a recovered answer", Options{}, []transcript.Event{{Kind: transcript.Assistant, Text: "x", Origin: transcript.Recovered}}, "  (recovered)\n  x"},
		{"an image by path", Options{}, []transcript.Event{{Kind: transcript.User, Images: []transcript.Image{{Name: "/a.png"}}}}, "▣ image, /a.png"},
		{"notices", Options{}, []transcript.Event{{Kind: transcript.Notice, Status: "error", Text: "too long\nmore"}, {Kind: transcript.Notice, Status: "name", Text: "New"}, {Kind: transcript.Notice, Status: "plan", Text: "- a"}},
			"! error: too long …\n\n◦ name: New\n\n◦ plan\n  - a"},
		{"a tool that ran on", Options{}, []transcript.Event{{Kind: transcript.Notice, Status: "tool_end", Text: "begun\n", ExitCode: ref(0), IsError: ref(false)}},
			"◦ a tool that ran on has ended  exit 0\n│ begun"},
		{"a compaction", Options{}, []transcript.Event{{Kind: transcript.Compaction, Text: "so far:\n\n much"}, {Kind: transcript.Compaction}},
			"⋯ context compacted: so far: much\n\n⋯ context compacted; its summary is not in the log"},
		{"a compaction in full", Options{All: true}, []transcript.Event{{Kind: transcript.Compaction, Text: "so far:\n\n much"}}, "⋯ context compacted\n  so far:\n\n   much"},
		{"stopped", Options{}, []transcript.Event{turnStart("x"), {Kind: transcript.TurnEnd, TurnID: "x", Status: "aborted", Text: "interrupted", Duration: ref(time.Minute)}},
			"━━ turn 1 ━━━━━━━━━━━━━━━━━━━━━━━━━━\n\n! stopped · interrupted\n└ 1m 00s"},
		{"tokens", Options{}, []transcript.Event{turnStart("x"), {Kind: transcript.Usage, Usage: &transcript.TokenUsage{Input: 1200, CachedInput: 900, Output: 50}}, {Kind: transcript.Usage, Usage: &transcript.TokenUsage{Input: 2_000_000, Output: 99_960}}, turnEnd("x")},
			"━━ turn 1 ━━━━━━━━━━━━━━━━━━━━━━━━━━\n\n└ 2.0M tokens in (900 cached), 100k\n  out"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			write(t, NewText(&b, TextOptions{Options: tt.o, Width: 36}), []*transcript.Thread{made(tt.events...)})
			if got := body(b.String()); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// A thread's head says how it stands and where it comes from.
func TestHead(t *testing.T) {
	th := made()
	th.Title, th.View = "a title\x1b[31m", transcript.Physical
	th.Models, th.Provider, th.Versions, th.Source = []string{"m1", "m2"}, "p", []string{"0.1"}, "subagent:review"
	th.ParentID, th.ForkedFrom, th.Archived = "parent", "fork", true
	th.State, th.Losses = transcript.Damaged, 3
	th.Counts = transcript.Counts{Turns: 12, UserMessages: 1, Files: 9, Bytes: 2048}
	for range 9 {
		th.Files = append(th.Files, "more.jsonl")
	}
	th.Created = time.Date(2026, 3, 1, 23, 30, 0, 0, time.UTC)
	th.Updated = th.Created.Add(2 * time.Hour)
	var b strings.Builder
	o := Options{Turns: TurnsBetween(5, 0), Lost: []string{"a.jsonl:3: invalid_json"}, Zone: time.UTC}
	write(t, NewText(&b, TextOptions{Options: o, Width: 80}), []*transcript.Thread{th})
	for _, want := range []string{
		"a title\\x1b[31m\n\n", "project    /home/ada/shop\n", "when       2026-03-01 23:30 – 2026-03-02 01:30 UTC\n", "model      m1, m2 · p\n",
		"codex      0.1 · subagent:review\n", "size       12 turns, 1 prompt, 0 answers, 0 tool calls · 9 files, 2.0 KiB\n",
		"fork of    fork\n", "sub-agent  of parent · review\n", "archived   yes", "state      damaged: lines or parts that could not be read: 3\n",
		"lost       a.jsonl:3: invalid_json\n", "view       physical: ", "shown      turns from 5 on of 12\n", "thread     t1\n", "           and 2 more\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// The lines of running text keep to the width, with everything around them.
func TestTextWidth(t *testing.T) {
	for _, th := range append(sampleThreads(t, transcript.Active), wildThreads(t, transcript.Active)...) {
		for _, width := range []int{60, 80, 160} {
			code := false
			for line := range strings.Lines(text(t, width, false, Options{}, th)) {
				line = strings.TrimRight(line, "\n")
				inner := strings.TrimLeft(line, "▌ ")
				if _, ok := isFence(inner); ok {
					code = !code
				}
				exact := code || strings.HasPrefix(inner, "|") || strings.Contains(line, ".jsonl") || strings.HasPrefix(line, "project ")
				if w := term.Width(line); w > width && !exact {
					t.Errorf("%s at %d: %d columns: %q", th.ID, width, w, line)
				}
				if strings.HasSuffix(line, " ") {
					t.Errorf("%s: a line ends in a space: %q", th.ID, line)
				}
			}
		}
	}
}
