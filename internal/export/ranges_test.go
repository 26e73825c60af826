package export

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"rollbook/internal/transcript"
)

func TestParseTurns(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Turns
		in   []int
		out  []int
		word string
	}{
		{"5", TurnsBetween(5, 5), []int{5}, []int{0, 4, 6}, "turn 5"},
		{"5-12", TurnsBetween(5, 12), []int{5, 12}, []int{0, 4, 13}, "turns 5 to 12"},
		{"5-", TurnsBetween(5, 0), []int{5, 1000}, []int{0, 4}, "turns from 5 on"},
		{"-3", TurnsBetween(1, 3), []int{1, 3}, []int{0, 4}, "turns 1 to 3"},
		{"007", TurnsBetween(7, 7), []int{7}, []int{6}, "turn 7"},
	} {
		got, err := ParseTurns(tt.text)
		if got != tt.want || err != nil || got.String() != tt.word || got.All() {
			t.Errorf("ParseTurns(%q) = %v, %v, want %v", tt.text, got, err, tt.want)
		}
		for _, n := range tt.in {
			if !got.Has(n) {
				t.Errorf("%q has no %d", tt.text, n)
			}
		}
		for _, n := range tt.out {
			if got.Has(n) {
				t.Errorf("%q has %d", tt.text, n)
			}
		}
	}
	for _, text := range []string{"", "-", "0", "0-3", "3-0", "12-5", "1-2-3", "a", "1a", "+1", " 1", "1,2", "99999999999999999999", "-0", "--1"} {
		if got, err := ParseTurns(text); err == nil {
			t.Errorf("ParseTurns(%q) = %v, want an error", text, got)
		}
	}
	if all := (Turns{}); !all.All() || !all.Has(0) || !all.Has(99) || all.String() != "all turns" {
		t.Errorf("the zero range is %v", all)
	}
}

// A tape is a page that keeps what it is given.
type tape struct {
	out
	lines   []string // one for each thing
	calls   map[string]int
	results map[string]int
	turns   []int
}

func newTape() *tape { return &tape{calls: map[string]int{}, results: map[string]int{}} }

func (p *tape) head(*transcript.Thread)    {}
func (p *tape) turn(tn *turn)              { p.turns = append(p.turns, tn.number) }
func (p *tape) goesOn(*turn)               {}
func (p *tape) foot(tn *turn)              { p.add("foot %d %d", tn.number, tn.calls) }
func (p *tape) end(*summary)               {}
func (p *tape) marked(line int, at where)  { p.add("line %d %d", line, at) }
func (p *tape) event(ev *transcript.Event) { p.add("%d %s %s", ev.Seq, ev.Kind, ev.Status) }
func (p *tape) call(c *call) {
	p.add("%d call %s", c.ev.Seq, c.ev.CallID)
	p.calls[c.ev.CallID]++
	if c.result != nil {
		p.result(c)
	}
}
func (p *tape) result(c *call) {
	p.add("%d result %s", c.result.Seq, c.result.CallID)
	p.results[c.result.CallID]++
}
func (p *tape) add(format string, args ...any) {
	p.lines = append(p.lines, fmt.Sprintf(format, args...))
}

func record(t testing.TB, th *transcript.Thread, o Options) *tape {
	t.Helper()
	p := newTape()
	if err := walk(th, o, p); err != nil {
		t.Fatal(err)
	}
	return p
}

// balanced reports a call without its result, or the reverse.
func (p *tape) balanced() error {
	for id, n := range p.calls {
		if p.results[id] != n {
			return fmt.Errorf("%s: called %d times, with %d results", id, n, p.results[id])
		}
	}
	for id, n := range p.results {
		if p.calls[id] != n {
			return fmt.Errorf("%s: %d results of %d calls", id, n, p.calls[id])
		}
	}
	return nil
}

// Whatever turns are chosen, no call is cut from its result; and all turns one
// by one are what the whole thread is.
func TestRangesKeepCallsWhole(t *testing.T) {
	threads := sampleThreads(t, transcript.Active)
	threads = append(threads, sampleThreads(t, transcript.Physical)...)
	threads = append(threads, wildThreads(t, transcript.Active)...)
	threads = append(threads, made(lateResults()...))
	for _, th := range threads {
		whole := record(t, th, Options{})
		if err := whole.balanced(); err != nil {
			t.Fatalf("%s: %v", th.ID, err)
		}
		n := len(whole.turns)
		if th.Counts.Turns > 0 && n != th.Counts.Turns {
			t.Errorf("%s: %d turns, its head says %d", th.ID, n, th.Counts.Turns)
		}
		pieces := record(t, th, Options{Turns: TurnsBetween(0, 0)}).lines
		for from := 1; from <= n; from++ {
			for to := from; to <= n; to++ {
				p := record(t, th, Options{Turns: TurnsBetween(from, to)})
				if err := p.balanced(); err != nil {
					t.Errorf("%s#%d-%d: %v", th.ID, from, to, err)
				}
				if len(p.turns) != to-from+1 || p.turns[0] != from {
					t.Errorf("%s#%d-%d shows turns %v", th.ID, from, to, p.turns)
				}
				if from == to {
					pieces = append(pieces, p.lines...)
				}
			}
		}
		slices.Sort(pieces)
		slices.Sort(whole.lines)
		if !slices.Equal(pieces, whole.lines) {
			t.Errorf("%s: turn by turn\n%s\nwhole\n%s", th.ID, strings.Join(pieces, "\n"), strings.Join(whole.lines, "\n"))
		}
	}
}

// lateResults are turns whose calls get their results in any later turn.
func lateResults() []transcript.Event {
	events := []transcript.Event{
		turnStart("a"), callOf("1", "x", ""), callOf("2", "x", ""), callOf("3", "x", ""), resultOf("2", ""), turnEnd("a"),
		turnStart("b"), callOf("4", "x", ""), resultOf("1", ""), turnEnd("b"),
		turnStart("c"), resultOf("4", ""), turnEnd("c"),
		resultOf("3", ""), turnStart("d"), turnEnd("d"),
	}
	for i := range events {
		events[i].Seq = i + 1
	}
	return events
}

// The same over threads of any shape: turns that overlap, calls in any order,
// ids that come again.
func TestRangesProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var events []transcript.Event
		var open []string
		turns := 0
		for range rapid.IntRange(0, 60).Draw(t, "events") {
			ev := transcript.Event{Kind: transcript.Assistant, Text: "x"}
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 0:
				turns++
				ev = turnStart(fmt.Sprint("t", turns))
			case 1:
				ev = turnEnd(fmt.Sprint("t", rapid.IntRange(0, turns).Draw(t, "turn")))
			case 2, 3:
				id := fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "id"))
				open = append(open, id)
				ev = callOf(id, "x", "")
			case 4:
				if len(open) > 0 {
					i := rapid.IntRange(0, len(open)-1).Draw(t, "call")
					ev = resultOf(open[i], "")
					open = slices.Delete(open, i, i+1)
				}
			}
			ev.Seq = len(events) + 1
			events = append(events, ev)
		}
		for _, id := range open {
			ev := resultOf(id, "")
			ev.Seq = len(events) + 1
			events = append(events, ev)
		}
		from := rapid.IntRange(0, turns).Draw(t, "from")
		to := rapid.IntRange(from, turns+1).Draw(t, "to")
		p := newTape()
		if err := walk(made(events...), Options{Turns: TurnsBetween(from, to)}, p); err != nil {
			t.Fatal(err)
		}
		if err := p.balanced(); err != nil {
			t.Fatalf("#%d-%d: %v", from, to, err)
		}
	})
}

// A range is not read further than needed.
func TestRangeEndsEarly(t *testing.T) {
	read := 0
	th := made()
	th.Events = func(yield func(*transcript.Event, error) bool) {
		for i := range 1000 {
			read++
			ev := turnStart(fmt.Sprint(i))
			if i%2 == 1 {
				ev = turnEnd(fmt.Sprint(i - 1))
			}
			if !yield(&ev, nil) {
				return
			}
		}
	}
	if p := record(t, th, Options{Turns: TurnsBetween(2, 3)}); len(p.turns) != 2 || read > 8 {
		t.Errorf("turns %v, %d events were read", p.turns, read)
	}
}

func TestAround(t *testing.T) {
	place := func(ev transcript.Event, file string, line int) transcript.Event {
		ev.Source = transcript.Source{File: file, Line: line}
		return ev
	}
	say := func(text string) transcript.Event { return transcript.Event{Kind: transcript.Assistant, Text: text} }
	th := made(
		place(turnStart("a"), "old.jsonl", 2), place(say("old"), "old.jsonl", 4), place(turnEnd("a"), "old.jsonl", 5),
		place(turnStart("b"), "a.jsonl", 2), place(say("one"), "a.jsonl", 4),
		place(callOf("1", "x", ""), "a.jsonl", 6), place(resultOf("1", ""), "a.jsonl", 8), place(turnEnd("b"), "a.jsonl", 9),
		place(turnStart("c"), "a.jsonl", 12), place(say("two"), "a.jsonl", 14), place(turnEnd("c"), "a.jsonl", 15),
	)
	th.Segments = []string{"sessions/old.jsonl", "a.jsonl"}
	th.Segments[0] = "old.jsonl"
	for _, tt := range []struct {
		at    Place
		turns []int
		where string
	}{
		{Place{Line: 1}, []int{2}, "line 1 2"},
		{Place{Line: 2}, []int{2}, "line 2 1"},
		{Place{Line: 4}, []int{2}, "line 4 1"},
		{Place{Line: 5}, []int{2}, "line 5 2"},
		{Place{Line: 8}, []int{2}, "line 8 1"},
		{Place{Line: 9}, []int{2}, "line 9 1"},
		{Place{Line: 10}, []int{2, 3}, "line 10 2"},
		{Place{Line: 14}, []int{3}, "line 14 1"},
		{Place{Line: 99}, []int{3}, "line 99 3"},
		{Place{"a.jsonl", 4}, []int{2}, "line 4 1"},
		{Place{"old.jsonl", 4}, []int{1}, "line 4 1"},
		{Place{"/tmp/sessions/old.jsonl", 4}, []int{1}, "line 4 1"},
	} {
		p := record(t, th, Options{Around: tt.at})
		marks := slices.DeleteFunc(slices.Clone(p.lines), func(s string) bool { return !strings.HasPrefix(s, "line ") })
		if !slices.Equal(p.turns, tt.turns) || !slices.Equal(marks, []string{tt.where}) {
			t.Errorf("around %v: turns %v, marks %q, want %v, %q", tt.at, p.turns, marks, tt.turns, tt.where)
		}
	}
	for _, tt := range []struct {
		at   Place
		want string
	}{
		{Place{"b.jsonl", 4}, "thread t1: b.jsonl is none of its files"},
		{Place{"empty.jsonl", 4}, "thread t1: nothing is shown of empty.jsonl"},
	} {
		th.Files = append(th.Files, "empty.jsonl")
		if err := walk(th, Options{Around: tt.at}, newTape()); err == nil || err.Error() != tt.want {
			t.Errorf("around %v: %v, want %s", tt.at, err, tt.want)
		}
	}
}
