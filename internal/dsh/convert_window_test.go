package dsh

import (
	"strings"
	"testing"

	"rollbook/internal/assemble"
	"rollbook/internal/rolltest"
)

func snapshotLine(summary string, entries ...string) string {
	return recordLine("compacted", `"message":`+jsonQuote(summary)+`,"replacement_history":[`+strings.Join(entries, ",")+`]`)
}

func entry(role, text string) string {
	return `{"type":"message","role":"` + role + `","content":[{"type":"` + map[string]string{"user": "input_text", "assistant": "output_text", "developer": "input_text"}[role] + `","text":` + jsonQuote(text) + `}]}`
}

// TestWindow is that the default is what the model sees: from the last compaction
// on, its snapshot first.
func TestWindow(t *testing.T) {
	l := ofLines(t, metaLine(""), promptLine("one"), answerLine("first"), callLine("c", "shell", "{}"), outputLine("c", strings.Repeat("long ", 500)),
		snapshotLine("the story so far", entry("user", "one"), entry("user", "the story so far"), entry("developer", "x"), `{"type":"compaction","encrypted_content":"y"}`),
		eventLine(`"type":"context_compacted"`), promptLine("two"), answerLine("second"))
	s := sessionOf(t, l, assemble.SessionOptions{}, Options{})
	expectSaid(t, s, "u: one", "u: the story so far", "u: two", "a: second")
	if s.Recovered != 2 || s.Skipped != 2 || s.Windowed != 1 {
		t.Errorf("report %+v", s.Report)
	}
	if title, _ := s.titles(); title != "one" {
		t.Errorf("title %q", title)
	}
	whole := sessionOf(t, l, full, Options{})
	expectSaid(t, whole, "u: one", "a: first", "c: shell {}", "r: "+strings.Repeat("long ", 500), "u: two", "a: second")
	if whole.Recovered != 0 || whole.Windowed != 0 || whole.ContextTokens <= s.ContextTokens || whole.Header.Cwd != s.Header.Cwd || s.Header.Cwd == "" {
		t.Errorf("report %+v", whole.Report)
	}
}

// TestWindowOfSummary is the same of old compactions, which have a summary alone.
func TestWindowOfSummary(t *testing.T) {
	home := rolltest.NewHome(6)
	r := home.New(rolltest.V101, rolltest.Meta{Agents: "rules"})
	r.Turn("one").Assistant("first").TurnComplete()
	r.Compacted("the gist of it")
	r.Turn("two").Assistant("second").TurnComplete()
	s := sessionOf(t, built(t, home), assemble.SessionOptions{}, Options{})
	said := s.said()
	if len(said) < 3 || !strings.Contains(said[0], "the gist of it") || said[len(said)-1] != "a: second" || strings.Contains(strings.Join(said, ""), "first") {
		t.Errorf("said %q", said)
	}
	if title, _ := s.titles(); title != "two" {
		t.Errorf("title %q", title)
	}
}

// TestRecovered is that what only a snapshot has comes at its place, once.
func TestRecovered(t *testing.T) {
	lost := snapshotLine("", entry("user", "lost"), entry("user", "lost"), entry("assistant", "lost answer"), entry("user", "one"))
	l := ofLines(t, metaLine(""), promptLine("one"), answerLine("first"), lost, promptLine("two"), lost, promptLine("three"))
	s := sessionOf(t, l, full, Options{})
	expectSaid(t, s, "u: one", "a: first", "u: lost", "u: lost", "a: lost answer", "u: two", "u: three")
	if s.Recovered != 3 {
		t.Errorf("%d recovered", s.Recovered)
	}
	// A message that was shortened to fit, or joined anew, is no other message.
	long := strings.Repeat("a long prompt ", 100)
	s = sessionOf(t, ofLines(t, metaLine(""), promptLine(long), promptLine("two  blocks"), answerLine("a"),
		snapshotLine("", entry("user", long[:300]+"…250 tokens truncated…"+long[1000:]), entry("user", "two\nblocks"))), full, Options{})
	if s.Recovered != 0 {
		t.Errorf("said %q", s.said())
	}
	s = sessionOf(t, ofLines(t, metaLine(""), userWithImages("see [Image #1]", "data:image/png;base64,"+pixel), answerLine("a"),
		snapshotLine("", entry("user", "<image name=[Image #1]>\n</image>\nsee [Image #1]"))), full, Options{})
	if s.Recovered != 0 {
		t.Errorf("said %q", s.said())
	}
	// What was rolled back does not come back.
	s = sessionOf(t, ofLines(t, metaLine(""), promptLine("one"), promptLine("gone"), eventLine(`"type":"thread_rolled_back","num_turns":1`),
		snapshotLine("", entry("user", "one"), entry("user", "gone")), promptLine("two")), full, Options{})
	expectSaid(t, s, "u: one", "u: two")
}

// TestRecoveredImage is that an image of a snapshot comes with it.
func TestRecoveredImage(t *testing.T) {
	image := `{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,` + pixel + `"}]}`
	s := sessionOf(t, ofLines(t, metaLine(""), promptLine("one"), snapshotLine("", image, image), promptLine("two"), snapshotLine("", image)), full, Options{})
	const placeholder = "u: [Codex import: image omitted; attachment sha256:431ced6916a2a21a156e38701afe55bbd7f88969fbbfc56d7fe099d47f265460]"
	expectSaid(t, s, "u: one", placeholder, placeholder, "u: two")
}

// TestPlans is that a plan is one message of the assistant, whichever records
// hold it.
func TestPlans(t *testing.T) {
	const plan = "a: <proposed_plan>\n# Plan\n- paint\n</proposed_plan>"
	item := turnItemLine(`"type":"Plan","id":"p","text":"# Plan\n- paint\n"`)
	message := itemLine(`"type":"message","role":"assistant","content":[{"type":"output_text","text":"<proposed_plan>\n# Plan\n- paint\n</proposed_plan>"}]`)
	start := eventLine(`"type":"task_started","turn_id":"t1"`)
	for name, lines := range map[string][]string{"both": {item, message}, "the item alone": {item}} {
		t.Run(name, func(t *testing.T) {
			s := sessionOf(t, ofLines(t, append([]string{metaLine(""), start, promptLine("plan it")}, lines...)...), full, Options{})
			expectSaid(t, s, "u: plan it", plan)
		})
	}
}

// TestAgentMessages is that what agents wrote to each other is kept as far as it
// can be read.
func TestAgentMessages(t *testing.T) {
	message := func(content string) string {
		return itemLine(`"type":"agent_message","author":"/root","recipient":"/root/a","content":[` + content + `]`)
	}
	s := sessionOf(t, ofLines(t, metaLine(""), promptLine("go"), message(`{"type":"input_text","text":"please look"},{"type":"encrypted_content","encrypted_content":"x"}`),
		message(`{"type":"encrypted_content","encrypted_content":"x"}`)), full, Options{})
	expectSaid(t, s, "u: go", "a: please look")
	if s.Encrypted != 1 {
		t.Errorf("%d encrypted", s.Encrypted)
	}
}

// TestReasoning is that summaries come once and raw reasoning never.
func TestReasoning(t *testing.T) {
	s := sessionOf(t, ofLines(t, metaLine(""), promptLine("go"), eventLine(`"type":"agent_reasoning","text":"**Thinking**"`),
		eventLine(`"type":"agent_reasoning_raw_content","text":"secret thoughts"`),
		itemLine(`"type":"reasoning","summary":[{"type":"summary_text","text":"**Thinking**"}],"content":[{"type":"reasoning_text","text":"secret thoughts"}],"encrypted_content":"gAAAA"`),
		answerLine("done")), full, Options{})
	expectSaid(t, s, "u: go", "t: **Thinking**", "a: done")
	if strings.Contains(string(s.log), "secret") || s.Reasoning != 1 {
		t.Errorf("report %+v", s.Report)
	}
}
