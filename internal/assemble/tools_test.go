package assemble

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rollbook/internal/rolltest"
	"rollbook/internal/transcript"
)

// work tells calls and results in one line each.
func work(all []transcript.Event) (out []string) {
	for _, ev := range all {
		switch ev.Kind {
		case transcript.ToolCall:
			name := ev.Tool
			if ev.Namespace != "" {
				name = ev.Namespace + "." + name
			}
			out = append(out, fmt.Sprintf("call %s %s %s", ev.CallID, name, ev.Origin))
		case transcript.ToolResult:
			s := fmt.Sprintf("result %s %q %s", ev.CallID, ev.Output, ev.Origin)
			if ev.ExitCode != nil {
				s += fmt.Sprintf(" exit %d", *ev.ExitCode)
			}
			if ev.IsError != nil {
				s += fmt.Sprintf(" error %v", *ev.IsError)
			}
			if ev.Duration != nil {
				s += " " + ev.Duration.String()
			}
			for _, c := range ev.Changes {
				s += " " + c.Kind + " " + c.Path
			}
			out = append(out, s)
		case transcript.Notice:
			if ev.Status == "tool_end" {
				out = append(out, "notice "+ev.CallID+" "+ev.Text)
			}
		}
	}
	return out
}

func callLine(id, name, args string) string {
	return item(`"type":"function_call","name":"` + name + `","arguments":"` + args + `","call_id":"` + id + `"`)
}

func outputLine(id, text string) string {
	return item(`"type":"function_call_output","call_id":"` + id + `","output":` + text)
}

const command = `"type":"CommandExecution","id":"%s","command":["bash","-lc","ls"],"status":"%s","aggregated_output":"%s","exit_code":%d,"duration":{"secs":1,"nanos":0}`

// Facts 18 and 19, cases C26 to C29: calls, outputs and completions in all their
// forms come out as pairs.
func TestTools(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"plain", []string{callLine("c", "shell", "{}"), outputLine("c", `"text"`)}, []string{"call c shell recorded", `result c "text" recorded`}},
		{"JSON in a string (0.20 to 0.125)", []string{callLine("c", "shell", "{}"), outputLine("c", `"{\"output\":\"x\\n\",\"metadata\":{\"exit_code\":3,\"duration_seconds\":0.5}}"`)},
			[]string{"call c shell recorded", `result c "x\n" recorded exit 3 error true 500ms`}},
		{"header of lines (0.63 on)", []string{callLine("c", "shell_command", "{}"), outputLine("c", `"Exit code: 0\nWall time: 1.5 seconds\nOutput:\nx"`)},
			[]string{"call c shell_command recorded", `result c "Exit code: 0\nWall time: 1.5 seconds\nOutput:\nx" recorded exit 0 error false 1.5s`}},
		{"header with a chunk id", []string{callLine("c", "exec_command", "{}"), outputLine("c", `"Chunk ID: ab\nWall time: 0.2500 seconds\nProcess exited with code 1\nOriginal token count: 1\nOutput:\nx"`)},
			[]string{"call c exec_command recorded", `result c "Chunk ID: ab\nWall time: 0.2500 seconds\nProcess exited with code 1\nOriginal token count: 1\nOutput:\nx" recorded exit 1 error true 250ms`}},
		{"C26, C27: an array of blocks", []string{callLine("c", "view", "{}"), outputLine("c", `[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"https://x/y.png"},{"type":"input_text","text":"b"}]`)},
			[]string{"call c view recorded", `result c "ab" recorded`}},
		{"a call without output", []string{callLine("c", "shell", "{}")}, []string{"call c shell recorded", `result c "no output of this call is recorded" synthetic`}},
		{"an output without a call", []string{outputLine("c", `"x"`)}, []string{"call c unknown synthetic", `result c "x" recorded`}},
		{"an output before its call", []string{outputLine("c", `"x"`), callLine("c", "shell", "{}")},
			[]string{"call c unknown synthetic", `result c "x" recorded`, "call c shell recorded", `result c "no output of this call is recorded" synthetic`}},
		{"the same id twice", []string{callLine("c", "a", "{}"), outputLine("c", `"1"`), callLine("c", "b", "{}"), outputLine("c", `"2"`)},
			[]string{"call c a recorded", `result c "1" recorded`, "call c b recorded", `result c "2" recorded`}},
		{"two outputs of a call", []string{callLine("c", "a", "{}"), outputLine("c", `"1"`), outputLine("c", `"2"`)},
			[]string{"call c a recorded", `result c "1" recorded`, "call c unknown synthetic", `result c "2" recorded`}},
		{"calls in parallel", []string{callLine("c", "a", "{}"), callLine("d", "b", "{}"), outputLine("d", `"2"`), outputLine("c", `"1"`)},
			[]string{"call c a recorded", "call d b recorded", `result d "2" recorded`, `result c "1" recorded`}},
		{"C28: a patch and its end", []string{item(`"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch","call_id":"c"`),
			event(`"type":"patch_apply_end","call_id":"c","success":true,"stdout":"ok","stderr":"","changes":{"/a.go":{"type":"add","content":"x"}}`),
			item(`"type":"custom_tool_call_output","call_id":"c","output":"Success."`)},
			[]string{"call c apply_patch recorded", `result c "Success." recorded error false add /a.go`}},
		{"C29: code mode: the real work stands in items alone", []string{item(`"type":"custom_tool_call","name":"exec","input":"tools.exec_command()","call_id":"c"`),
			shownItem("t", fmt.Sprintf(command, "exec-1", "completed", "x", 0)), item(`"type":"custom_tool_call_output","call_id":"c","output":[{"type":"input_text","text":"Script failed\nWall time 0.1 seconds\nOutput:\nboom"}]`)},
			[]string{"call c exec recorded", "call exec-1 exec_command recorded", `result exec-1 "x" recorded exit 0 error false 1s`, `result c "Script failed\nWall time 0.1 seconds\nOutput:\nboom" recorded error true 100ms`}},
		{"a command that was shown and whose output was lost", []string{callLine("c", "exec_command", "{}"), shownItem("t", fmt.Sprintf(command, "c", "failed", "x", 2))},
			[]string{"call c exec_command recorded", `result c "x" recovered exit 2 error true 1s`}},
		{"a command that went on in the background (F17)", []string{callLine("c", "exec_command", "{}"), outputLine("c", `"still running"`), completed("t"), shownItem("t", fmt.Sprintf(command, "c", "completed", "all of it", 0))},
			[]string{"call c exec_command recorded", `result c "still running" recorded`, "notice c all of it"}},
		{"an MCP call with its end", []string{item(`"type":"function_call","name":"say","namespace":"mcp__echo","arguments":"{}","call_id":"c"`),
			event(`"type":"mcp_tool_call_end","call_id":"c","invocation":{"server":"echo","tool":"say","arguments":{}},"duration":{"secs":0,"nanos":5},"result":{"Ok":{"content":[{"type":"text","text":"x"}],"isError":true}}`), outputLine("c", `"x"`)},
			[]string{"call c mcp__echo.say recorded", `result c "x" recorded error true 5ns`}},
		{"a web search with its id in the event alone (0.140)", []string{event(`"type":"web_search_end","call_id":"ws","query":"q","action":{"type":"search","query":"q"}`), item(`"type":"web_search_call","status":"completed","action":{"type":"search","query":"q"}`)},
			[]string{"call ws web_search recorded", `result ws "no output of this call is recorded" synthetic`}},
		{"a picture that the model made", []string{item(`"type":"image_generation_call","id":"ig","status":"completed","revised_prompt":"p","result":"iVBORw0KGgo="`)},
			[]string{"call ig image_generation recorded", `result ig "" recorded`}},
		{"request and response of a client's tool", []string{callLine("c", "lookup", "{}"), event(`"type":"dynamic_tool_call_request","callId":"c","turnId":"t","tool":"lookup","arguments":{}`),
			event(`"type":"dynamic_tool_call_response","call_id":"c","turn_id":"t","tool":"lookup","arguments":{},"content_items":[],"success":true,"duration":{"secs":0,"nanos":1}`), outputLine("c", `"hi"`)},
			[]string{"call c lookup recorded", `result c "hi" recorded error false 1ns`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, id := lines(t, append([]string{meta(""), started("t"), userItem("hi"), userEvent("hi")}, c.lines...)...)
			_, all := events(t, l, id, transcript.Active)
			checkPairs(t, all)
			equal(t, "work", work(all), c.want)
			_, all = events(t, l, id, transcript.Physical)
			checkPairs(t, all)
		})
	}
}

// Facts 7, cases C22 to C25: rollbacks hide turns, deleting nothing; a turn with
// two messages counts once.
func TestRollbacks(t *testing.T) {
	for _, v := range []rolltest.Version{rolltest.V101, rolltest.V140} {
		home := rolltest.NewHome(1)
		r := home.New(v, rolltest.Meta{})
		for _, s := range []string{"one", "two", "three"} {
			r.Turn(s).Assistant("Answer to " + s).TurnComplete()
		}
		r.RolledBack(1)
		r.Turn("four").Assistant("Answer to four").TurnComplete()
		r.RolledBack(2)
		r.Turn("five").User("and steer").Assistant("Answer to five").TurnComplete()
		r.Turn("six").Assistant("Answer to six").TurnComplete()
		r.RolledBack(2)
		r.Turn("seven").Assistant("Answer to seven").TurnComplete()
		l, _ := open(t, home)
		equal(t, v.String(), texts(t, l, r.ID), answers("one", "seven"))
		th, all := events(t, l, r.ID, transcript.Physical)
		checkCounts(t, th, all)
		gone := 0
		for _, ev := range only(all, transcript.User) {
			if ev.RolledBack {
				gone++
			}
		}
		if gone != 6 {
			t.Errorf("%s: %d user messages are rolled back, want 6", v, gone)
		}
	}
	// More turns than there are; and a version without turn marks (0.90).
	l, id := lines(t, meta(""), userItem("one"), userEvent("one"), answerEvent("a"), event(`"type":"thread_rolled_back","num_turns":9`), userItem("two"), userEvent("two"), answerEvent("b"))
	equal(t, "all of it", texts(t, l, id), []string{"u: two", "a: b"})
	l, id = lines(t, meta(""), event(`"type":"thread_rolled_back","num_turns":1`), userItem("two"), userEvent("two"), answerEvent("b"))
	equal(t, "nothing to hide", texts(t, l, id), []string{"u: two", "a: b"})
}

// A call whose output was rolled back keeps its balance.
func TestRollbackInTheMiddleOfWork(t *testing.T) {
	l, id := lines(t, meta(""), started("a"), userItem("one"), userEvent("one"), callLine("c", "shell", "{}"), completed("a"),
		started("b"), userItem("two"), userEvent("two"), outputLine("c", `"late"`), completed("b"), event(`"type":"thread_rolled_back","num_turns":1`))
	_, all := events(t, l, id, transcript.Active)
	equal(t, "work", work(all), []string{"call c shell recorded", `result c "no output of this call is recorded" synthetic`})
}

// Fact 20, case C20: the two forms of a compaction are one; two are two.
func TestCompactions(t *testing.T) {
	compacted := line("compacted", `"message":"SUM","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"old words"}]},{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x"}]},{"type":"message","role":"user","content":[{"type":"input_text","text":"SUM"}]}]`)
	shown := event(`"type":"context_compacted"`)
	l, id := lines(t, meta(""), started("t"), userItem("hi"), userEvent("hi"), answerEvent("a"), compacted, event(`"type":"token_count","info":null`), shown, compacted, shown, answerEvent("b"), completed("t"))
	_, all := events(t, l, id, transcript.Active)
	if got := only(all, transcript.Compaction); len(got) != 2 || got[0].Text != "SUM" || got[0].Origin != transcript.Recorded {
		t.Errorf("compactions %+v", got)
	}
	_, all = events(t, l, id, transcript.Model)
	equal(t, "model view", said(all), []string{"u: old words", "a: b"})
	if got := only(all, transcript.Compaction); len(got) != 1 {
		t.Errorf("model view: %d compactions", len(got))
	}
	l, id = lines(t, meta(""), userItem("hi"), userEvent("hi"), shown)
	_, all = events(t, l, id, transcript.Active)
	if got := only(all, transcript.Compaction); len(got) != 1 || got[0].Origin != transcript.Recovered {
		t.Errorf("a compaction without its record: %+v", got)
	}
}

// Fact 15 for reasoning: summaries are sent once, whichever records hold them.
func TestReasoning(t *testing.T) {
	summary := item(`"type":"reasoning","summary":[{"type":"summary_text","text":"one"},{"type":"summary_text","text":"two"}],"encrypted_content":"x"`)
	for name, ls := range map[string][]string{
		"events, then the item": {event(`"type":"agent_reasoning","text":"one"`), event(`"type":"agent_reasoning","text":"two"`), summary},
		"the item alone":        {summary},
		"the turn item first":   {shownItem("t", `"type":"Reasoning","id":"r","summary_text":["one","two"],"raw_content":[]`), summary},
	} {
		l, id := lines(t, append([]string{meta(""), started("t"), userEvent("hi")}, ls...)...)
		_, all := events(t, l, id, transcript.Active)
		var got []string
		for _, ev := range only(all, transcript.Reasoning) {
			got = append(got, ev.Text)
		}
		equal(t, name, got, []string{"one", "two"})
	}
}

// Cases C47 to C49: a token_count that repeats the total is no usage; parts
// count, not one field alone.
func TestUsage(t *testing.T) {
	count := func(total, last string) string {
		return event(`"type":"token_count","info":{"total_token_usage":{` + total + `},"last_token_usage":{` + last + `}}`)
	}
	l, id := lines(t, meta(""), started("t"), userEvent("hi"),
		count(`"input_tokens":5,"output_tokens":1`, `"input_tokens":5,"output_tokens":1`),
		count(`"input_tokens":5,"output_tokens":1`, `"input_tokens":5,"output_tokens":1`),
		count(`"input_tokens":9,"output_tokens":1`, `"input_tokens":4`),
		event(`"type":"token_count","info":null`),
		line("token_usage_record", `"response_id":"r","usage":{"input_tokens":7,"total_tokens":7}`),
		count(`"input_tokens":16,"output_tokens":1`, `"input_tokens":7,"total_tokens":7`), completed("t"))
	_, all := events(t, l, id, transcript.Active)
	var got []string
	for _, ev := range only(all, transcript.Usage) {
		got = append(got, fmt.Sprint(ev.Usage.Input))
	}
	equal(t, "input tokens", got, []string{"5", "4", "7"})
}

// States: an open turn, a killed one, a failed one, and files without marks.
func TestStatesAndTurns(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		state transcript.State
		want  string
	}{
		{"complete", []string{started("t"), userEvent("hi"), answerEvent("a"), completed("t")}, transcript.Complete, "start t, end t completed"},
		{"open", []string{started("t"), userEvent("hi"), answerEvent("a")}, transcript.Open, "start t, end t open"},
		{"killed, then resumed", []string{started("t"), userEvent("hi"), started("u"), userEvent("go on"), answerEvent("a"), completed("u")}, transcript.Complete, "start t, end t open, start u, end u completed"},
		{"C60: failed", []string{started("t"), userEvent("hi"), event(`"type":"task_complete","turn_id":"t","last_agent_message":null,"error":{"message":"no quota","codex_error_info":"usage_limit_exceeded"}`)}, transcript.Complete, "start t, end t failed no quota"},
		{"aborted", []string{started("t"), userEvent("hi"), event(`"type":"turn_aborted","turn_id":"t","reason":"interrupted"`)}, transcript.Complete, "start t, end t aborted interrupted"},
		{"two turns at once (0.36 to 0.140)", []string{started("t"), userEvent("left"), started("u"), userEvent("right"), answerEvent("to left"), completed("t"), answerEvent("to right"), completed("u")}, transcript.Complete, "start t, start u, end t completed, end u completed"},
		{"no marks", []string{userEvent("hi"), answerEvent("a"), userEvent("more"), answerEvent("b")}, transcript.Complete, "start , end  completed, start , end  completed"},
		{"no marks, no answer", []string{userEvent("hi")}, transcript.Open, "start , end  open"},
	} {
		l, id := lines(t, append([]string{meta("")}, c.lines...)...)
		th, all := events(t, l, id, transcript.Active)
		var got []string
		for _, ev := range all {
			switch ev.Kind {
			case transcript.TurnStart:
				got = append(got, "start "+ev.TurnID)
			case transcript.TurnEnd:
				got = append(got, strings.TrimSuffix("end "+ev.TurnID+" "+ev.Status+" "+ev.Text, " "))
			}
		}
		if strings.Join(got, ", ") != c.want || th.State != c.state {
			t.Errorf("%s: %s, state %s; want %s, state %s", c.name, strings.Join(got, ", "), th.State, c.want, c.state)
		}
	}
}

// Case C38: a line that cannot be read costs itself alone, with its place.
func TestLosses(t *testing.T) {
	l, id := lines(t, meta(""), userEvent("hi"), `{"broken`, answerEvent("a"), "\xff", `null`, answerEvent("b"))
	th, all := events(t, l, id, transcript.Active)
	equal(t, "said", said(all), []string{"u: hi", "a: a", "a: b"})
	if th.Losses != 3 || th.State != transcript.Damaged {
		t.Errorf("losses %d, state %s", th.Losses, th.State)
	}
}

// Facts 1 and 17: times are those of the records, in UTC; bare lines have none.
func TestTimes(t *testing.T) {
	home := rolltest.NewHome(1)
	r := home.New(rolltest.V20, rolltest.Meta{Start: time.Date(2025, 8, 1, 10, 0, 0, 0, time.UTC)})
	r.Turn("hi").Assistant("Answer to hi").TurnComplete()
	l, _ := open(t, home)
	th, all := events(t, l, r.ID, transcript.Active)
	equal(t, "bare", said(all), answers("hi"))
	if th.Created.Year() != 2025 || !all[0].Time.IsZero() || all[1].Origin != transcript.Recorded {
		t.Errorf("created %v, first event at %v, origin %v", th.Created, all[0].Time, all[1].Origin)
	}
}

// A completion that names a turn is not of a call that another turn made, though
// the ids are the same; and one that comes before its call is of the same turn.
func TestCompletionsOfTurns(t *testing.T) {
	end := func(turn, out string) string { return shownItem(turn, fmt.Sprintf(command, "c", "completed", out, 0)) }
	for _, c := range []struct {
		name string
		text []string
		want []string
	}{
		{"late, of the turn that made the call", []string{started("a"), callLine("c", "x", "{}"), outputLine("c", `"begun"`), completed("a"), started("b"), end("a", "late"), completed("b")},
			[]string{"call c x recorded", `result c "begun" recorded`, "notice c late"}},
		{"of another turn", []string{started("a"), callLine("c", "x", "{}"), outputLine("c", `"one"`), completed("a"), started("b"), end("b", "two"), completed("b")},
			[]string{"call c x recorded", `result c "one" recorded`, "call c exec_command recorded", `result c "two" recorded exit 0 error false 1s`}},
		{"before a call of the next turn", []string{started("a"), end("a", "one"), completed("a"), started("b"), callLine("c", "x", "{}"), outputLine("c", `"two"`), completed("b")},
			[]string{"call c exec_command recorded", `result c "one" recorded exit 0 error false 1s`, "call c x recorded", `result c "two" recorded`}},
		{"before its call", []string{started("a"), end("a", "one"), callLine("c", "x", "{}"), outputLine("c", `"two"`), completed("a")},
			[]string{"call c x recorded", `result c "two" recorded exit 0 error false 1s`}},
	} {
		l, id := lines(t, append([]string{meta("")}, c.text...)...)
		_, all := events(t, l, id, transcript.Active)
		checkPairs(t, all)
		equal(t, c.name, work(all), c.want)
	}
}
