package assemble

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rollbook/internal/rolltest"
	"rollbook/internal/transcript"
)

// The tests of this file take the cases in which other readers of these files
// went wrong. Their list is in cases_coverage_test.go at the root; what is not
// here is held by the test that names it.

// C04: every kind of turn item comes out as what it is, and one that is not
// known stops nothing; completion and interruption both close a turn.
func TestC04TurnItems(t *testing.T) {
	l, id := lines(t, meta(""), started("t"),
		shownItem("t", `"type":"UserMessage","id":"u","content":[{"type":"text","text":"go"}]`),
		shownItem("t", `"type":"Reasoning","id":"r","summary_text":["thinking"],"raw_content":[]`),
		shownItem("t", `"type":"AgentMessage","id":"m1","phase":"commentary","content":[{"type":"Text","text":"I look"}]`),
		shownItem("t", fmt.Sprintf(command, "c1", "completed", "out", 0)),
		shownItem("t", `"type":"FileChange","id":"c2","status":"completed","changes":{"/a.go":{"type":"add","content":"x"}}`),
		shownItem("t", `"type":"Extension","id":"e","data":{}`),
		shownItem("t", `"type":"Hologram","id":"h"`),
		shownItem("t", `"type":"AgentMessage","id":"m2","phase":"final_answer","content":[{"type":"Text","text":"Done"}]`),
		completed("t"), started("u"), shownItem("u", `"type":"UserMessage","id":"v","content":[{"type":"text","text":"more"}]`),
		event(`"type":"turn_aborted","turn_id":"u","reason":"interrupted"`))
	th, all := events(t, l, id, transcript.Active)
	equal(t, "said", said(all), []string{"u: go", "a: I look", "a: Done", "u: more"})
	equal(t, "work", work(all), []string{"call c1 exec_command recorded", `result c1 "out" recorded exit 0 error false 1s`,
		"call c2 apply_patch recorded", `result c2 "" recorded error false add /a.go`})
	ends := only(all, transcript.TurnEnd)
	if len(ends) != 2 || ends[0].Status != "completed" || ends[1].Status != "aborted" || th.State != transcript.Complete || len(only(all, transcript.Reasoning)) != 1 {
		t.Errorf("ends %+v, state %s", ends, th.State)
	}
	if phases := only(all, transcript.Assistant); phases[0].Phase != "commentary" || phases[1].Phase != "final_answer" {
		t.Errorf("phases %q, %q", phases[0].Phase, phases[1].Phase)
	}
}

// C05, C09: a thread without any event of a user message has a title: its first
// item that is not injected, within a turn.
func TestC05Title(t *testing.T) {
	l, id := lines(t, meta(""), userItem("<environment_context>x"), userItem("# AGENTS.md instructions\\n\\nx"), started("t"), userItem("<recommended_plugins> Here is a list"), userItem("fix the build"), answerItem("done"), completed("t"))
	th, all := events(t, l, id, transcript.Active)
	equal(t, "said", said(all), []string{"u: fix the build", "a: done"})
	if th.Title != "fix the build" || th.TitleSource != "prompt" {
		t.Errorf("title %q from %q", th.Title, th.TitleSource)
	}
}

// C06: a file is told by its envelope, not by its name; one of another program's
// format makes no thread.
func TestC06Format(t *testing.T) {
	home := rolltest.NewHome(71)
	home.Add("exports/mine.jsonl", []byte(text(meta(""), userEvent("hi"), answerEvent("a"))))
	home.Add("exports/other.jsonl", []byte(`{"type":"user","message":{"role":"user","content":"hi"},"uuid":"1","sessionId":"2"}`+"\n"))
	l, _ := open(t, home)
	if ids := l.IDs(); len(ids) != 1 || ids[0] != lineThread {
		t.Fatalf("threads %v", ids)
	}
	equal(t, "said", texts(t, l, lineThread), []string{"u: hi", "a: a"})
}

// C10: a title is never an identity: threads of one title, or of none, stay
// apart.
func TestC10SameTitles(t *testing.T) {
	home := rolltest.NewHome(72)
	for range 2 {
		say(home.New(rolltest.V140, rolltest.Meta{Agents: "be brief"}), "same words")
		home.New(rolltest.V140, rolltest.Meta{Agents: "be brief"}).TurnStart().TurnComplete()
	}
	l, _ := open(t, home)
	titles := map[string]int{}
	for _, id := range l.IDs() {
		th, _ := events(t, l, id, transcript.Active)
		titles[th.Title]++
	}
	if len(l.IDs()) != 4 || titles["same words"] != 2 || titles[""] != 2 {
		t.Errorf("%d threads, titles %v", len(l.IDs()), titles)
	}
}

// stamped gives a line another time.
func stamped(at, line string) string {
	return strings.Replace(strings.Replace(line, "2026-03-02T09:00:05.000Z", at, 1), `{"timestamp":"2026-03-02T09:00:00.000Z"`, `{"timestamp":"`+at+`"`, 1)
}

// C12, C13, C15, C16, C17: the history that a fork was given is stamped with the
// time of the fork. It is told from what the fork said itself by turn ids, and
// where there are none by the burst; without an event that marks the place,
// through headers of several ancestors, and also where the fork's own header
// stands again at its end. Its token counts are inherited too.
func TestC13CopiedPrefix(t *testing.T) {
	const (
		older = "019caf00-0000-7000-8000-000000000001" // turns made before the fork
		newer = "019cb001-0000-7000-8000-000000000001"
		burst = "2026-03-02T09:00:00.020Z"
		after = "2026-03-02T09:05:00.000Z"
	)
	ancestor := func(n int) string {
		return stamped(burst, strings.Replace(meta(""), lineThread, fmt.Sprintf("019caf00-0000-7000-8000-0000000000f%d", n), 1))
	}
	count := func(total, last int) string {
		return event(fmt.Sprintf(`"type":"token_count","info":{"total_token_usage":{"input_tokens":%d},"last_token_usage":{"input_tokens":%d}}`, total, last))
	}
	turn := func(id, at, user string, total int) (out []string) {
		for _, s := range []string{started(id), userItem(user), userEvent(user), answerEvent("re " + user), answerItem("re " + user), count(total, 10), completed(id)} {
			if id == "" && (strings.Contains(s, "task_started") || strings.Contains(s, "task_complete")) {
				continue
			}
			out = append(out, stamped(at, s))
		}
		return out
	}
	for _, c := range []struct {
		name  string
		lines []string
	}{
		{"forked_from_id, one parent", together([]string{meta(`,"forked_from_id":"x"`), ancestor(1)}, turn(older, burst, "theirs", 10), turn(newer, after, "mine", 20))},
		{"no forked_from_id, no turn ids", together([]string{meta(""), ancestor(1)}, turn("", burst, "theirs", 10), turn("", after, "mine", 20))},
		{"several ancestors", together([]string{meta(`,"forked_from_id":"x"`), ancestor(1), ancestor(2)}, turn(older, burst, "theirs", 10), []string{ancestor(3)}, turn(newer, after, "mine", 20))},
		{"the own header again at its end", together([]string{meta(""), ancestor(1)}, turn(older, burst, "theirs", 10), []string{stamped(burst, meta(`,"memory_mode":"on"`))}, turn(newer, after, "mine", 20))},
		{"the own turn within the burst", together([]string{meta(""), ancestor(1)}, turn(older, burst, "theirs", 10), turn(newer, burst, "mine", 20))},
		{"a turn of the parent that was left open", together([]string{meta(`,"forked_from_id":"x"`), ancestor(1)}, turn(older, burst, "theirs", 10)[:4], turn(newer, after, "mine", 20))},
	} {
		l, id := lines(t, c.lines...)
		if len(l.IDs()) != 1 || id != l.IDs()[0] {
			t.Errorf("%s: threads %v", c.name, l.IDs())
		}
		_, all := events(t, l, id, transcript.Active)
		equal(t, c.name, said(all), []string{"u: theirs", "a: re theirs", "u: mine", "a: re mine"})
		for _, ev := range all {
			theirs := strings.Contains(ev.Text, "theirs") || ev.Usage != nil && ev.Seq < len(all)/2
			if (ev.Kind == transcript.User || ev.Kind == transcript.Assistant || ev.Kind == transcript.Usage) && ev.Inherited != theirs {
				t.Errorf("%s: event %d, %q, is inherited: %v", c.name, ev.Seq, ev.Text, ev.Inherited)
			}
		}
	}
	// Equal counts of threads that have nothing to do with each other are both there.
	home := rolltest.NewHome(73)
	for range 2 {
		home.New(rolltest.V140, rolltest.Meta{}).Turn("x").Usage(rolltest.Usage{Input: 7}).Assistant("y").TurnComplete()
	}
	l, _ := open(t, home)
	for _, id := range l.IDs() {
		_, all := events(t, l, id, transcript.Active)
		if u := only(all, transcript.Usage); len(u) != 1 || u[0].Inherited || u[0].Usage.Input != 7 {
			t.Errorf("usage %+v", u)
		}
	}
}

// C21: what a compaction repeats of the context is nobody's words, also where it
// stands in one item with them.
func TestC21RepeatedContext(t *testing.T) {
	history := `{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"}]},` +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"<skill>s"},{"type":"input_text","text":"# AGENTS.md instructions for /x"},{"type":"input_text","text":"my words"}]},` +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>e"}]}`
	l, id := lines(t, meta(""), started("t"), userEvent("my words"), line("compacted", `"message":"","replacement_history":[`+history+`]`), answerEvent("a"), completed("t"))
	_, all := events(t, l, id, transcript.Model)
	equal(t, "model", said(all), []string{"u: my words", "a: a"})
	_, all = events(t, l, id, transcript.Active)
	equal(t, "active", said(all), []string{"u: my words", "a: a"})
}

// C23, C24, C25: rollbacks in a fork take its turns, then inherited ones; an
// edited prompt takes the place of the old one; a turn of two messages is one.
func TestC23Rollbacks(t *testing.T) {
	for _, v := range []rolltest.Version{rolltest.V101, rolltest.V140} {
		home := rolltest.NewHome(74)
		a := home.New(v, rolltest.Meta{})
		say(a, "one")
		say(a, "two")
		a.RolledBack(1)
		say(a, "two, edited")
		b := a.Fork(rolltest.All)
		b.Wait(5 * time.Second)
		say(b, "three")
		say(b, "four")
		b.RolledBack(1)
		b.RolledBack(2)
		b.Turn("five").User("and steer").Assistant("Answer to five").TurnComplete()
		b.RolledBack(1)
		say(b, "six")
		l, tally := open(t, home)
		equal(t, v.String()+" parent", texts(t, l, a.ID), answers("one", "two, edited"))
		equal(t, v.String()+" fork", texts(t, l, b.ID), answers("one", "six"))
		_, all := events(t, l, b.ID, transcript.Physical)
		equal(t, v.String()+" physical", said(all), append(append(answers("one", "two", "two, edited", "three", "four"), "u: five", "u: and steer", "a: Answer to five"), answers("six")...))
		if tally.Total() != 0 {
			t.Errorf("%s: %v", v, tally.Codes())
		}
	}
}

// C30, C31 as far as reading goes: what a file holds half now is whole once the
// rest is written.
func TestC30HalfWritten(t *testing.T) {
	home := rolltest.NewHome(75)
	r := home.New(rolltest.V140, rolltest.Meta{})
	call := r.Turn("go").ShellCall("make")
	half := home.Temp(t)
	call.Output("Exit code: 0\nWall time: 1 seconds\nOutput:\nok").Assistant("Done.").TurnComplete()
	whole := home.Temp(t)
	cut := t.TempDir()
	c := rolltest.NewHome(75)
	c.Add(r.Path(), r.Bytes()[:r.Size()-20])
	if err := c.Write(filepath.Join(cut, "home")); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{half: "open, synthetic", filepath.Join(cut, "home"): "damaged, recorded", whole: "complete, recorded"} {
		l, _ := openDir(t, dir)
		th, all := events(t, l, r.ID, transcript.Active)
		checkPairs(t, all)
		out := only(all, transcript.ToolResult)
		if got := string(th.State) + ", " + out[0].Origin.String(); got != want || len(out) != 1 {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// C48: a count that is sent again with a new time, and one of an earlier turn, is
// no usage.
func TestC48CountsAgain(t *testing.T) {
	count := func(at string, total, last int) string {
		return stamped(at, event(fmt.Sprintf(`"type":"token_count","info":{"total_token_usage":{"input_tokens":%d},"last_token_usage":{"input_tokens":%d}}`, total, last)))
	}
	l, id := lines(t, meta(""), started("t"), userEvent("hi"), count("2026-03-02T09:00:06.000Z", 5, 5), count("2026-03-02T09:00:07.000Z", 5, 5), completed("t"),
		count("2026-03-02T09:10:00.000Z", 5, 5), started("u"), userEvent("ho"), count("2026-03-02T09:11:00.000Z", 8, 3), completed("u"))
	_, all := events(t, l, id, transcript.Active)
	if u := only(all, transcript.Usage); len(u) != 2 || u[0].Usage.Input+u[1].Usage.Input != 8 {
		t.Errorf("usage %+v", u)
	}
}

// C54: hundreds of messages behind a duplicate ordinal are read, whatever else
// lies in the home.
func TestC54BehindDuplicate(t *testing.T) {
	home := rolltest.NewHome(76)
	r := home.New(rolltest.V171, rolltest.Meta{})
	say(r, "one")
	want := answers("one")
	for i := range 220 {
		say(r, fmt.Sprint(i))
		want = append(want, answers(fmt.Sprint(i))...)
	}
	dir := home.Temp(t)
	rewrite(t, dir, r.Path(), func(s []byte) []byte {
		return []byte(strings.Replace(string(s), `"ordinal":9,`, `"ordinal":8,`, 1))
	})
	l, tally := openDir(t, dir)
	equal(t, "said", texts(t, l, r.ID), want)
	if tally.Total() != 0 {
		t.Errorf("%v", tally.Codes())
	}
}

// C57: a guardian's thread is known by its source; what it was told comes as an
// event too, and is read. Package listing leaves it out of lists (TestHidden).
func TestC57Guardian(t *testing.T) {
	home := rolltest.NewHome(77)
	a := home.New(rolltest.V140, rolltest.Meta{})
	say(a, "one")
	words := "The following is the Codex agent history whose request action you are assessing."
	g := a.Guardian(words, "allowed")
	child := a.Turn("two").Spawn("Robin", "count")
	child.Assistant("1").TurnComplete()
	a.WaitFor(child)
	a.TurnComplete()
	l, _ := open(t, home)
	for id, want := range map[string]string{a.ID: "cli", g.ID: "subagent:other:guardian", child.ID: "subagent:thread_spawn"} {
		if th, _ := events(t, l, id, transcript.Active); th.Source != want {
			t.Errorf("source %q, want %q", th.Source, want)
		}
	}
	equal(t, "guardian", texts(t, l, g.ID), []string{"u: " + words, "a: allowed"})
}

// C59: of a review its thread shows the request and the findings, and no call
// that its files do not hold.
func TestC59Review(t *testing.T) {
	for _, v := range []rolltest.Version{rolltest.V101, rolltest.V140, rolltest.V171} {
		home := rolltest.NewHome(78)
		a := home.New(v, rolltest.Meta{})
		say(a, "one")
		review := a.Review("look at it", "git diff", "+x", "One thing.", rolltest.Finding{Title: "Off by one", Body: "B", File: "a.go", Line: 1})
		l, tally := open(t, home)
		th, all := events(t, l, a.ID, transcript.Active)
		var notes []string
		for _, n := range only(all, transcript.Notice) {
			notes = append(notes, n.Text)
		}
		if got := strings.Join(notes, "|"); !strings.Contains(got, "look at it") || !strings.Contains(got, "One thing.") || !strings.Contains(got, "Off by one") {
			t.Errorf("%s: notices %q", v, notes)
		}
		recorded := 0
		if v == rolltest.V171 { // its command stands in the thread as an item
			recorded = 1
		}
		if th.Counts.ToolCalls != recorded || tally.Total() != 0 {
			t.Errorf("%s: %d calls, want %d, %v", v, th.Counts.ToolCalls, recorded, tally.Codes())
		}
		for _, s := range said(all) {
			if strings.Contains(s, "<user_action>") {
				t.Errorf("%s: said %q", v, s)
			}
		}
		th, _ = events(t, l, review.ID, transcript.Active)
		if th.Source != "subagent:review" || th.Counts.ToolCalls != 1 {
			t.Errorf("%s: source %q, %d calls", v, th.Source, th.Counts.ToolCalls)
		}
	}
}

// C60: a turn that failed says so, and a later one that did not is not touched
// by it.
func TestC60Failed(t *testing.T) {
	l, id := lines(t, meta(""), started("t"), userEvent("hi"),
		event(`"type":"task_complete","turn_id":"t","last_agent_message":null,"error":{"message":"no quota","codex_error_info":"usage_limit_exceeded"}`),
		started("u"), userEvent("again"), answerEvent("a"), completed("u"))
	_, all := events(t, l, id, transcript.Active)
	ends := only(all, transcript.TurnEnd)
	if len(ends) != 2 || ends[0].Status != "failed" || ends[0].Text != "no quota" || ends[1].Status != "completed" || ends[1].Text != "" {
		t.Errorf("ends %+v", ends)
	}
}

// C62: messages carry the ids that the log gives them.
func TestC62ItemIDs(t *testing.T) {
	l, id := lines(t, meta(""), started("t"), shownItem("t", `"type":"UserMessage","id":"item-u","content":[{"type":"text","text":"hi"}]`),
		shownItem("t", `"type":"AgentMessage","id":"item-a","content":[{"type":"Text","text":"a"}]`), completed("t"),
		started("u"), userEvent("ho"), item(`"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"b"}]`), completed("u"))
	_, all := events(t, l, id, transcript.Active)
	if a, u := only(all, transcript.Assistant), only(all, transcript.User); u[0].ItemID != "item-u" || a[0].ItemID != "item-a" || a[1].ItemID != "msg_1" {
		t.Errorf("ids %q, %q, %q", u[0].ItemID, a[0].ItemID, a[1].ItemID)
	}
}

// C66: the folder of a thread is the first one recorded, however it is spelt
// later.
func TestC66Folder(t *testing.T) {
	windows := strings.Replace(meta(""), `/home/ada/work`, `C:\\Src\\Shop`, 1)
	l, id := lines(t, windows, started("t"), line("turn_context", `"cwd":"c:\\src\\shop","model":"m"`), userEvent("hi"), answerEvent("a"), completed("t"),
		strings.Replace(windows, `C:\\Src`, `/mnt/c/src`, 1))
	if th, _ := events(t, l, id, transcript.Active); th.Project != `C:\Src\Shop` {
		t.Errorf("project %q", th.Project)
	}
}
