package assemble

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/discover"
)

var callIDs = regexp.MustCompile(`"call_([0-9a-f]{6})`)

// pool are lines of every dialect, and those that say something of what stands
// before them, in the order in which a thread would hold them.
func pool() (all []string) {
	for i, text := range seeds() {
		// Each dialect's ids are its own, so that turns and calls of one are not
		// those of another.
		for line := range bytes.Lines(text) {
			all = append(all, callIDs.ReplaceAllString(strings.TrimSuffix(string(line), "\n"), fmt.Sprintf(`"call_%d$1`, i)))
		}
	}
	search := func(action string) string {
		return `"action":{"type":"search","query":"` + action + `"}`
	}
	for _, turn := range []string{"a1", "b2", "c3", "d4"} {
		all = append(all, started(turn), line("turn_context", `"turn_id":"`+turn+`","model":"m`+turn+`","cwd":"/x"`), userItem("ask "+turn), userEvent("ask "+turn),
			shownItem(turn, `"type":"UserMessage","content":[{"type":"text","text":"ask `+turn+`"}]`),
			callLine("c"+turn, "x", "{}"), shownItem(turn, fmt.Sprintf(command, "c"+turn, "completed", "x", 0)), outputLine("c"+turn, `"1"`),
			shownItem(turn, fmt.Sprintf(command, "exec-"+turn, "completed", "x", 0)), shownItem(turn, fmt.Sprintf(command, "ca1", "completed", "x", 0)),
			answerEvent("A "+turn), shownItem(turn, `"type":"AgentMessage","content":[{"type":"Text","text":"A `+turn+`"}]`), answerItem("A "+turn),
			event(`"type":"web_search_end","call_id":"ws`+turn+`","query":"q",`+search(turn)), item(`"type":"web_search_call",`+search(turn)),
			event(`"type":"exec_command_end","call_id":"c`+turn+`","turn_id":"`+turn+`","exit_code":1`), event(`"type":"exec_command_end","call_id":"c`+turn+`","exit_code":1`),
			countedTokens(turn), completed(turn), event(`"type":"turn_aborted","reason":"interrupted"`))
	}
	other := strings.ReplaceAll(meta(""), lineThread, "019cb000-0000-7000-8000-0000000000ff")
	return append(all, meta(""), meta(`,"memory_mode":"x"`), strings.Replace(meta(""), `"source":"cli"`, `"source":{"subagent":"review"}`, 1), other,
		event(`"type":"thread_rolled_back","num_turns":1`), event(`"type":"thread_rolled_back","num_turns":2`), event(`"type":"thread_rolled_back","num_turns":9`),
		userItem("<skill>x"), userEvent("<skill>x"), answerItem("<skill>x"), outputLine("", `"1"`), item(`"type":"function_call","name":"x"`), "{", "", "[]", "\xff",
		event(`"type":"thread_name_updated","thread_name":"n"`), line("compacted", `"message":"sum"`), event(`"type":"context_compacted"`),
		event(`"type":"agent_reasoning","text":"think"`), item(`"type":"reasoning","summary":[{"type":"summary_text","text":"think"}]`),
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"bare"}]}`, `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"bare"}]}`)
}

func countedTokens(turn string) string {
	n := turn[1:]
	return count(n+"0", n, n, n, n+"5")
}

// FuzzGoingOn takes records in any order, and reads them in pieces: whatever they
// are, what was read before a mark and what is read from it on is what one reading
// gives, or the mark is refused.
func FuzzGoingOn(f *testing.F) {
	all := pool()
	order := func(from, n int) (b []byte) {
		for i := range n {
			b = append(b, byte((from+i)>>8), byte(from+i))
		}
		return b
	}
	for from := 0; from < len(all); from += 7 {
		f.Add(order(from, 60), uint16(from*31), uint16(from*57))
	}
	f.Fuzz(func(t *testing.T, order []byte, first, second uint16) {
		text := []byte(meta("") + "\n")
		for i := 0; i+1 < len(order); i += 2 {
			text = append(append(text, all[(int(order[i])<<8+int(order[i+1]))%len(all)]...), '\n')
		}
		a, b := int(first)%(len(text)+1), int(second)%(len(text)+1)
		checkPieces(t, text, min(a, b), max(a, b))
	})
}

// checkPieces reads a rollout up to each cut and whole, going on each time, and
// compares. It gives how often reading went on.
func checkPieces(t testing.TB, text []byte, cuts ...int) (c counted) {
	t.Helper()
	ref := discover.Ref{Path: "rollout.jsonl", ID: lineThread}
	var held stored
	for i, cut := range append(cuts, len(text)) {
		l := New(memory(text[:cut]), []discover.Ref{ref}, nil, nil)
		had := held.mark != nil
		held.take(t, l, lineThread, text[:cut])
		var whole stored
		whole.take(t, l, lineThread, text[:cut])
		held.same(t, fmt.Sprintf("cut %d, at byte %d, resumed %t", i, cut, held.resumed), &whole)
		if had {
			c.add(held.resumed)
		}
	}
	return c
}

// FuzzMark decodes anything: a mark that is accepted is encoded again as it was,
// and reading from it ends well, whatever it says.
func FuzzMark(f *testing.F) {
	for _, text := range seeds() {
		l := New(memory(text), []discover.Ref{{Path: "rollout.jsonl", ID: lineThread}}, nil, nil)
		r, _, _ := reading(f, l, lineThread, ReadOptions{})
		if m := r.Mark(); m != nil {
			b, err := m.MarshalBinary()
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	text := seeds()[3]
	f.Fuzz(func(t *testing.T, b []byte) {
		m := new(Mark)
		if m.UnmarshalBinary(b) != nil {
			return
		}
		again, err := m.MarshalBinary()
		if err != nil {
			return // what was short with escapes may be longer without
		}
		n := new(Mark)
		if err := n.UnmarshalBinary(again); err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		l := New(memory(text), []discover.Ref{{Path: "rollout.jsonl", ID: lineThread}}, nil, nil)
		r, err := l.Read(t.Context(), lineThread, ReadOptions{From: m})
		if err != nil {
			return
		}
		for _, err := range r.Thread.Events {
			if err != nil {
				t.Fatal(err)
			}
		}
		r.Mark()
	})
}

// TestGoingOnShuffled reads pieces of threads put together at random, as
// FuzzGoingOn does, in runs that keep what belongs together.
func TestGoingOnShuffled(t *testing.T) {
	all := pool()
	var c counted
	for seed := range uint64(1000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var text []byte
		if rng.IntN(8) > 0 {
			text = []byte(meta("") + "\n")
		}
		for range 2 + rng.IntN(12) {
			from := rng.IntN(len(all))
			for _, line := range all[from:min(len(all), from+1+rng.IntN(14))] {
				if rng.IntN(12) > 0 {
					text = append(append(text, line...), '\n')
				}
			}
		}
		var cuts []int
		for range 4 {
			cut := rng.IntN(len(text) + 1)
			if rng.IntN(4) > 0 {
				cut = bytes.LastIndexByte(text[:cut], '\n') + 1
			}
			cuts = append(cuts, cut)
		}
		slices.Sort(cuts)
		of := checkPieces(t, text, cuts...)
		c.all, c.resumed = c.all+of.all, c.resumed+of.resumed
	}
	t.Logf("went on: %v", c)
	if c.resumed < c.all/5 {
		t.Errorf("went on only %v times", c)
	}
}
