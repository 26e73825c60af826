package dsh

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
)

// TestCheckCut: a log cut anywhere is refused.
func TestCheckCut(t *testing.T) {
	head, body, _ := strings.Cut(exampleText, "\n")
	log := frames(t, head+"\n", body)
	for n := range log {
		_, fault, err := CheckLog(bytes.NewReader(log[:n]), int64(n))
		if err != nil || fault == nil || fault.Check != CheckFrames {
			t.Errorf("cut at %d: %v, %v", n, fault, err)
		}
	}
}

// TestCheckLinesCut: no log without its last lines passes as long as a turn is
// open in it, and none panics.
func TestCheckLinesCut(t *testing.T) {
	text := turn2(exampleText, newHead, header, answer)
	lines := strings.SplitAfter(text, "\n")
	for n := 2; n < len(lines); n++ {
		part := strings.Join(lines[:n], "")
		open := strings.Count(part, `"turn/start"`) > strings.Count(part, `"turn/end"`)
		if fault := verifyText(t, part); (fault != nil) != open {
			t.Errorf("%d lines: %v", n, fault)
		}
	}
}

func FuzzCheckLog(f *testing.F) {
	log, _ := write(f, exampleHeader, exampleEvents())
	f.Add(log)
	f.Fuzz(func(t *testing.T, log []byte) {
		info, fault, err := CheckLog(bytes.NewReader(log), int64(len(log)))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := probe(log); fault == nil && (err != nil || got != info) {
			t.Fatalf("verified as %+v, probed as %+v, %v", info, got, err)
		}
	})
}

// FuzzCheckText finds its way to the rules: the text needs no frames.
func FuzzCheckText(f *testing.F) {
	f.Add(exampleText)
	f.Add(turn2(exampleText, newHead, header, retry, again, answer, start, stop))
	f.Add(goOn(exampleText, run, done, begin, summary(6, 9, "[6,7,9]"), checkpoint(6, 9, "k"), end))
	f.Fuzz(func(t *testing.T, text string) {
		c := newChecker(func(value) {})
		var m meter
		var p parser
		for n, line := range strings.Split(text, "\n") {
			if v, err := p.parse([]byte(line)); err == nil && n > 0 {
				m.event(int64(n-1), v)
			}
			if line != "" && c.line(n+1, []byte(line)) != nil {
				return
			}
		}
		c.end()
		if m.tokens < 0 {
			t.Fatalf("%d tokens", m.tokens)
		}
	})
}

// TestCheckMemory: what a checker keeps is some bytes per event, not the text.
func TestCheckMemory(t *testing.T) {
	const turns = 3000
	base := heap()
	c := newChecker(func(value) {})
	n := 0
	feed := func(text string) {
		for line := range strings.Lines(text) {
			n++
			if err := c.line(n, []byte(line)); err != nil {
				t.Fatal(err)
			}
		}
	}
	var text strings.Builder
	e := encoder{w: &text}
	e.header(exampleHeader)
	seq := 0
	add := func(d Data) {
		e.event(seq, &Event{0, d})
		seq++
	}
	long := strings.Repeat("x", 2000)
	for turn := 1; turn <= turns; turn++ {
		id := strings.Repeat("0", 20) + string(rune('a'+turn%26)) + strings.Repeat("z", turn/26)[:min(turn/26, 8)] + string(rune(0x4e00+turn))
		add(TurnStart{turn})
		add(StepStart{turn, 1})
		if turn == 1 {
			add(SystemHead{1, 1, "head"})
		}
		add(UserMessage{"u" + id, []Block{Text{long}}})
		add(AssistantMessage{turn, 1, "a" + id, "p", "m", []Block{Text{long}, Call{id, "n", long}}})
		add(ToolCall{turn, 1, id, "n", long})
		add(ToolResult{turn, 1, "r" + id, id, seq - 1, []Block{Text{long}}, false})
		add(StepEnd{turn, 1})
		add(TurnEnd{turn, Completed})
		e.flush()
		feed(text.String())
		text.Reset()
	}
	if fault := c.end(); fault != nil {
		t.Fatal(fault)
	}
	if per := (heap() - base) / int64(seq); per > 200 {
		t.Errorf("%d bytes an event", per)
	}
	runtime.KeepAlive(c)
}

func heap() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}
