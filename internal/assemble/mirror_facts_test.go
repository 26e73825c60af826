package assemble

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rollbook/internal/corpustest"
	"rollbook/internal/rolltest"
	"rollbook/internal/transcript"
)

// shown is a turn of both items and events.
func shown(turn, user, answer string) []string {
	return []string{started(turn), userItem(user), userEvent(user), answerEvent(answer), answerItem(answer), completed(turn)}
}

func together(parts ...[]string) (out []string) {
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// F15: what stands in an item, in an event and at the end of its turn is said
// once; what was said twice is twice there.
func TestF15Thrice(t *testing.T) {
	last := event(`"type":"task_complete","turn_id":"t","last_agent_message":"yes"`)
	l, id := lines(t, meta(""), started("t"), userItem("yes"), userEvent("yes"), answerEvent("yes"), answerItem("yes"), answerEvent("yes"), answerItem("yes"), last,
		started("u"), userItem("yes"), userEvent("yes"), event(`"type":"task_complete","turn_id":"u","last_agent_message":"yes"`))
	_, all := events(t, l, id, transcript.Active)
	equal(t, "said", said(all), []string{"u: yes", "a: yes", "a: yes", "u: yes"})
	_, all = events(t, l, id, transcript.Physical)
	equal(t, "physical", said(all), []string{"u: yes", "a: yes", "a: yes", "u: yes"})
}

// F16: which items without an event are shown.
func TestF16ItemsAlone(t *testing.T) {
	kinds := func(text, kind string) string {
		return item(`"type":"message","role":"user","content":[{"type":"input_text","text":"` + text + `"}],"internal_chat_message_metadata_passthrough":{"content_item_kinds":["` + kind + `"]}`)
	}
	injected := []string{"<environment_context>x", "# AGENTS.md instructions for /x", "<turn_aborted>x", "<user_shell_command>ls", "<user_action>x", "<skill>x", "<user_instructions>x", "  <MODEL switch>x"}
	for _, c := range []struct {
		name  string
		lines []string
		want  []string // origin, then text
	}{
		{"a user item where some event shows a user message", together([]string{userItem("put in")}, shown("t", "hi", "a")), []string{"recorded u: hi", "recorded a: a"}},
		{"a user item where none does", []string{started("t"), userItem("hi"), answerEvent("a"), completed("t")}, []string{"recovered u: hi", "recorded a: a"}},
		{"an answer's item in a turn without an answer's event", []string{started("t"), userItem("hi"), userEvent("hi"), answerItem("a"), answerItem("b"), completed("t")}, []string{"recorded u: hi", "recovered a: a", "recovered a: b"}},
		{"an answer's item in a turn with one", []string{started("t"), userEvent("hi"), answerItem("put in"), answerEvent("a"), completed("t")}, []string{"recorded u: hi", "recorded a: a"}},
		{"an answer's item in a turn with a compaction", []string{started("t"), userEvent("hi"), answerItem("SUMMARY"), line("compacted", `"message":"SUMMARY"`), completed("t")}, []string{"recorded u: hi"}},
		{"an answer's item in a turn with a review", []string{started("t"), userEvent("hi"), event(`"type":"entered_review_mode","target":{"type":"uncommittedChanges"}`), answerItem("findings"), completed("t")}, []string{"recorded u: hi"}},
		{"an answer's item between turns", together(shown("t", "hi", "a"), []string{answerItem("put in")}, shown("u", "ho", "b")), []string{"recorded u: hi", "recorded a: a", "recorded u: ho", "recorded a: b"}},
		{"an injected answer", []string{started("t"), userEvent("hi"), answerItem("<turn_aborted>x"), completed("t")}, []string{"recorded u: hi"}},
		{"what a kind calls injected", []string{kinds("plain words", "generic.turn_aborted"), kinds("<skill> is mine", "user.text")}, []string{"recovered u: <skill> is mine"}},
	} {
		l, id := lines(t, append([]string{meta("")}, c.lines...)...)
		_, all := events(t, l, id, transcript.Active)
		var got []string
		for _, ev := range all {
			if s := said([]transcript.Event{ev}); s != nil {
				got = append(got, ev.Origin.String()+" "+s[0])
			}
		}
		equal(t, c.name, got, c.want)
	}
	for _, text := range injected {
		l, id := lines(t, meta(""), started("t"), userItem(text), userItem("hi"), answerItem("a"), completed("t"))
		th, all := events(t, l, id, transcript.Active)
		equal(t, text, said(all), []string{"u: hi", "a: a"})
		if ctx := only(all, transcript.Context); len(ctx) != 1 || ctx[0].Text != text || th.Title != "hi" {
			t.Errorf("%s: context %+v, title %q", text, ctx, th.Title)
		}
	}
}

// F17: the order of an item and its event, whichever comes first; a command that
// ends after its turn; two processes that write one file.
func TestF17Order(t *testing.T) {
	late := `"type":"CommandExecution","id":"exec-9","command":["sleep","9"],"status":"completed","aggregated_output":"slept","exit_code":0`
	for _, c := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"item, event", shown("t", "hi", "a"), []string{"u: hi", "a: a"}},
		{"answer's item first", []string{started("t"), userItem("hi"), userEvent("hi"), answerItem("a"), answerEvent("a"), completed("t")}, []string{"u: hi", "a: a"}},
		{"answer's item three records later", []string{started("t"), userEvent("hi"), answerEvent("a"), event(`"type":"token_count","info":null`), item(`"type":"reasoning","summary":[]`), answerItem("a"), completed("t")}, []string{"u: hi", "a: a"}},
		{"a command ends behind its turn", together(shown("t", "hi", "a"), []string{shownItem("t", late)}, shown("u", "ho", "b")), []string{"u: hi", "a: a", "u: ho", "a: b"}},
		{"two processes", []string{started("t"), userItem("left"), started("u"), userItem("right"), userEvent("left"), userEvent("right"), answerEvent("to left"), answerEvent("to right"), answerItem("to left"), answerItem("to right"), completed("t"), completed("u")},
			[]string{"u: left", "u: right", "a: to left", "a: to right"}},
		{"two processes, calls of both", []string{started("t"), userEvent("left"), started("u"), userEvent("right"), callLine("c", "x", "{}"), callLine("d", "y", "{}"), outputLine("d", `"1"`), outputLine("c", `"2"`), answerEvent("a"), completed("u"), answerEvent("b"), completed("t")},
			[]string{"u: left", "u: right", "a: a", "a: b"}},
	} {
		l, id := lines(t, append([]string{meta("")}, c.lines...)...)
		th, got := events(t, l, id, transcript.Active)
		checkPairs(t, got)
		equal(t, c.name, said(got), c.want)
		if starts, ends := len(only(got, transcript.TurnStart)), len(only(got, transcript.TurnEnd)); starts != ends || starts != th.Counts.Turns || th.State != transcript.Complete {
			t.Errorf("%s: %d starts, %d ends, %s", c.name, starts, ends, th.State)
		}
	}
}

// F17 in files that Codex wrote: two processes resumed one thread at once, and
// every turn has one start and one end.
func TestF17Concurrent(t *testing.T) {
	for _, version := range []string{"0.36.0", "0.63.0", "0.101.0", "0.140.0"} {
		l, tally := openDir(t, filepath.Join(corpustest.Dir(t), version, "concurrent_resume", "home"))
		for _, id := range l.IDs() {
			th, all := events(t, l, id, transcript.Active)
			checkPairs(t, all)
			if starts, ends := len(only(all, transcript.TurnStart)), len(only(all, transcript.TurnEnd)); starts != ends || starts < 3 || th.Losses+tally.Total() != 0 {
				t.Errorf("%s: %d starts, %d ends, %v", version, starts, ends, tally.Codes())
			}
		}
	}
}

// F18: a call that was killed has a result that says so and is ours; an answer
// whose item is missing is what its event shows; what broke off is nowhere.
func TestF18Killed(t *testing.T) {
	for _, v := range rolltest.Versions {
		home := rolltest.NewHome(61)
		r := home.New(v, rolltest.Meta{})
		r.Turn("one").ShellCall("sleep 60")
		r.Resume().Turn("two").Assistant("Answer to two").TurnComplete()
		l, tally := open(t, home)
		_, all := events(t, l, r.ID, transcript.Active)
		equal(t, v.String(), said(all), []string{"u: one", "u: two", "a: Answer to two"})
		out := only(all, transcript.ToolResult)
		if len(out) != 1 || out[0].Origin != transcript.Synthetic || out[0].Output != noOutput || out[0].ExitCode != nil || tally.Total() != 0 {
			t.Errorf("%s: %+v, %v", v, out, tally.Codes())
		}
	}
	l, id := lines(t, meta(""), userItem("hi"), userEvent("hi"), answerEvent("I was going to"), event(`"type":"turn_aborted","reason":"interrupted"`), userItem("<turn_aborted>x"), userItem("go on"), userEvent("go on"), answerEvent("done"), answerItem("done"))
	_, got := events(t, l, id, transcript.Active)
	equal(t, "aborted (to 0.50)", said(got), []string{"u: hi", "a: I was going to", "u: go on", "a: done"})
}

// F19: a command's result and an MCP tool's name, as each version spells them.
func TestF19Spellings(t *testing.T) {
	for _, v := range rolltest.Versions {
		home := rolltest.NewHome(62)
		r := home.New(v, rolltest.Meta{})
		r.Turn("go").Shell("false", "it failed\n", 3)
		mcp := v >= rolltest.V36
		if mcp {
			r.Mcp("echo", "say", rolltest.O{"text", "x"}, "it said x")
		}
		r.Assistant("done").TurnComplete()
		l, tally := open(t, home)
		_, all := events(t, l, r.ID, transcript.Active)
		out := only(all, transcript.ToolResult)
		if len(out) == 0 || out[0].ExitCode == nil || *out[0].ExitCode != 3 || out[0].IsError == nil || !*out[0].IsError || !strings.Contains(out[0].Output, "it failed") || tally.Total() != 0 {
			t.Errorf("%s: %+v, %v", v, out, tally.Codes())
		}
		if strings.HasPrefix(out[0].Output, "{") {
			t.Errorf("%s: JSON is not opened: %s", v, out[0].Output)
		}
		if !mcp {
			continue
		}
		call := only(all, transcript.ToolCall)[1]
		name := call.Tool
		if call.Namespace != "" {
			name = strings.TrimSuffix(call.Namespace, "__") + "__" + call.Tool
		}
		if name != "mcp__echo__say" || len(out) != 2 || !strings.Contains(out[1].Output, "it said x") {
			t.Errorf("%s: %s.%s, results %+v", v, call.Namespace, call.Tool, out)
		}
	}
}

// F20: a compaction by the provider has no text; neither kind is an answer, and
// neither counts what was said a second time.
func TestF20Compactions(t *testing.T) {
	for _, v := range []rolltest.Version{rolltest.V101, rolltest.V140, rolltest.V171} {
		for _, summary := range []string{"SUMMARY", ""} {
			home := rolltest.NewHome(63)
			r := home.New(v, rolltest.Meta{})
			say(r, "one")
			r.Compacted(summary)
			say(r, "two")
			l, tally := open(t, home)
			_, all := events(t, l, r.ID, transcript.Active)
			equal(t, v.String(), said(all), answers("one", "two"))
			c := only(all, transcript.Compaction)
			if len(c) != 1 || !strings.HasSuffix(c[0].Text, summary) || summary == "" && c[0].Text != "" || tally.Total() != 0 {
				t.Errorf("%s %q: %+v, %v", v, summary, c, tally.Codes())
			}
			_, all = events(t, l, r.ID, transcript.Model)
			model := said(all)
			if len(model) < 2 || model[len(model)-2] != "u: two" || all[0].Kind != transcript.Compaction && all[1].Kind != transcript.Compaction {
				t.Errorf("%s %q: model view %q", v, summary, model)
			}
			for _, text := range model {
				if text == "a: Answer to one" || strings.Contains(text, "SUMMARY") {
					t.Errorf("%s %q: model view holds %q", v, summary, text)
				}
			}
		}
	}
}

// F21: a plan is what its event shows; prose around it is the answer.
func TestF21Plans(t *testing.T) {
	for _, v := range []rolltest.Version{rolltest.V101, rolltest.V140, rolltest.V171} {
		home := rolltest.NewHome(64)
		r := home.New(v, rolltest.Meta{})
		r.Turn("plan it").Plan("# Plan\n\n1. Do it.").TurnComplete()
		say(r, "do it")
		l, tally := open(t, home)
		_, all := events(t, l, r.ID, transcript.Active)
		equal(t, v.String(), said(all), append([]string{"u: plan it"}, answers("do it")...))
		plans := 0
		for _, ev := range only(all, transcript.Notice) {
			if ev.Status == "plan" && ev.Text == "# Plan\n\n1. Do it." {
				plans++
			}
		}
		if plans != 1 || tally.Total() != 0 {
			t.Errorf("%s: %d plans, %v", v, plans, tally.Codes())
		}
	}
	l, id := lines(t, meta(""), started("t"), userEvent("plan it"), shownItem("t", `"type":"Plan","id":"p","text":"# Plan"`), answerEvent("Here it is."),
		answerItem(`Here it is.\n<proposed_plan>\n# Plan\n</proposed_plan>`), completed("t"))
	for _, view := range []transcript.View{transcript.Active, transcript.Physical} {
		_, all := events(t, l, id, view)
		equal(t, "with prose, "+view.String(), said(all), []string{"u: plan it", "a: Here it is."})
	}
}

// F22: a prompt of a million characters and its echo, in all their copies, are
// two messages.
func TestF22Sizes(t *testing.T) {
	long := strings.Repeat("0123456789", 100_000)
	for _, v := range []rolltest.Version{rolltest.V140, rolltest.V171} {
		home := rolltest.NewHome(65)
		r := home.New(v, rolltest.Meta{})
		r.Turn(long).Mcp("docs", "get", rolltest.O{"k", "v"}, long).Assistant(long).TurnComplete()
		r.Wait(time.Second)
		l, tally := open(t, home)
		th, all := events(t, l, r.ID, transcript.Active)
		if got := said(all); len(got) != 2 || got[0] != "u: "+long || got[1] != "a: "+long || r.Size() < 5_000_000 {
			t.Errorf("%s: %d messages of %d bytes", v, len(got), r.Size())
		}
		out := only(all, transcript.ToolResult)
		if len(out) != 1 || !strings.Contains(out[0].Output, long) || len(out[0].Output) > len(long)+200 {
			t.Errorf("%s: %d results", v, len(out))
		}
		if len(th.Title) > 1000 || tally.Total() != 0 {
			t.Errorf("%s: title of %d bytes, %v", v, len(th.Title), tally.Codes())
		}
	}
}
