package assemble

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"strings"
	"testing"

	"rollbook/internal/rolltest"
	"rollbook/internal/transcript"
)

// Fact 15 and 16: a message stands in a file two or three times and is shown
// once; a real repeat is shown twice; what is injected is not the person's.
func TestMirrors(t *testing.T) {
	const turn = "t-1"
	long := "first\\nsecond"
	for _, c := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"item, event, item", []string{userItem("hi"), userEvent("hi"), answerEvent("hello"), answerItem("hello")}, []string{"u: hi", "a: hello"}},
		{"the answer's item comes late (0.34 to 0.64)", []string{userItem("hi"), userEvent("hi"), answerEvent("hello"),
			event(`"type":"token_count","info":null`), item(`"type":"reasoning","summary":[],"encrypted_content":"x"`), answerItem("hello")}, []string{"u: hi", "a: hello"}},
		{"the answer's item comes first (F17)", []string{userItem("hi"), userEvent("hi"), answerItem("hello"), answerEvent("hello")}, []string{"u: hi", "a: hello"}},
		{"a real repeat", []string{userItem("go"), userEvent("go"), answerEvent("ok"), answerItem("ok"), userItem("go"), userEvent("go"), answerEvent("ok"), answerItem("ok")},
			[]string{"u: go", "a: ok", "u: go", "a: ok"}},
		{"C01: the answer stands in an item alone", []string{userItem("hi"), userEvent("hi"), answerItem("hello")}, []string{"u: hi", "a: hello"}},
		{"C02: commentary, then the answer", []string{started(turn), userItem("hi"), userEvent("hi"),
			item(`"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"I look"}]`),
			item(`"type":"message","role":"assistant","phase":"final_answer","content":[{"type":"output_text","text":"Found"}]`), completed(turn)},
			[]string{"u: hi", "a: I look", "a: Found"}},
		{"C03: item_completed in place of events", []string{started(turn), userItem("hi"), shownItem(turn, `"type":"UserMessage","id":"u","content":[{"type":"text","text":"hi"}]`),
			shownItem(turn, `"type":"AgentMessage","id":"m","content":[{"type":"Text","text":"hello"}]`), answerItem("hello"), completed(turn)}, []string{"u: hi", "a: hello"}},
		{"both families of events in one file", []string{started(turn), userItem("hi"), userEvent("hi"), shownItem(turn, `"type":"UserMessage","id":"u","content":[{"type":"text","text":"hi"}]`),
			answerEvent("hello"), shownItem(turn, `"type":"AgentMessage","id":"m","content":[{"type":"Text","text":"hello"}]`), answerItem("hello"), completed(turn)}, []string{"u: hi", "a: hello"}},
		{"no events at all: items stand for themselves", []string{userItem("<environment_context>x</environment_context>"), userItem("hi"), answerItem("hello"), userItem("more")},
			[]string{"u: hi", "a: hello", "u: more"}},
		{"injected items have no event", []string{started(turn), userItem("# AGENTS.md instructions\\n\\nbe brief"), userItem("<environment_context>x"), userItem("hi"), userEvent("hi"), answerEvent("a"), answerItem("a"), completed(turn)},
			[]string{"u: hi", "a: a"}},
		{"a prompt that looks injected, but was typed", []string{userItem("<environment_context> what is this?"), userEvent("<environment_context> what is this?"), answerEvent("a")},
			[]string{"u: <environment_context> what is this?", "a: a"}},
		{"items put in by a client between turns are not shown", []string{started(turn), userItem("hi"), userEvent("hi"), answerEvent("a"), answerItem("a"), completed(turn), userItem("INJECTED"), answerItem("INJECTED too"),
			started("t-2"), userItem("b"), userEvent("b"), answerEvent("c"), answerItem("c"), completed("t-2")}, []string{"u: hi", "a: a", "u: b", "a: c"}},
		{"the summary of a compaction is not an answer (F20)", []string{started(turn), userItem("hi"), userEvent("hi"), answerEvent("a"), answerItem("a"), completed(turn),
			started("t-2"), answerItem("SUMMARY"), line("compacted", `"message":"SUMMARY"`), event(`"type":"context_compacted"`), completed("t-2")}, []string{"u: hi", "a: a"}},
		{"a plan is a notice (F21)", []string{started(turn), userItem("plan it"), userEvent("plan it"), shownItem(turn, `"type":"Plan","id":"p","text":"# Plan"`),
			answerItem("<proposed_plan>\\n# Plan\\n</proposed_plan>"), completed(turn)}, []string{"u: plan it"}},
		{"memory citations are cut from the event", []string{userItem("hi"), userEvent("hi"), answerEvent("hello"), answerItem("hello\\n<oai-mem-citation>x</oai-mem-citation>")}, []string{"u: hi", "a: hello"}},
		{"an aborted stream has an event and no item", []string{userItem("hi"), userEvent("hi"), answerEvent("I was going to"), event(`"type":"turn_aborted","reason":"interrupted"`)}, []string{"u: hi", "a: I was going to"}},
		{"steering: two messages in a turn", []string{started(turn), userItem("hi"), userEvent("hi"), userItem("also"), userEvent("also"), answerEvent("a"), answerItem("a"), completed(turn)}, []string{"u: hi", "u: also", "a: a"}},
		{"old events of injected context are not prompts", []string{event(`"type":"user_message","kind":"environment_context","message":"<environment_context>x"`), userItem("hi"), event(`"type":"user_message","kind":"plain","message":"hi"`), answerEvent("a")}, []string{"u: hi", "a: a"}},
		{"parts are joined with nothing", []string{item(`"type":"message","role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_text","text":"b"}]`), userEvent("ab"), answerEvent("c")}, []string{"u: ab", "a: c"}},
		{"line ends, NUL and U+2028 stay (F23, C67)", []string{userItem(long + `\u0000\u2028`), userEvent(long + `\u0000\u2028`), answerEvent("> quoted\\n\\nprose")}, []string{"u: first\nsecond\x00\u2028", "a: > quoted\n\nprose"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, id := lines(t, append([]string{meta("")}, c.lines...)...)
			_, all := events(t, l, id, transcript.Active)
			equal(t, "active", said(all), c.want)
			_, physical := events(t, l, id, transcript.Physical)
			checkPairs(t, physical)
			equal(t, "physical", said(physical), c.want)
		})
	}
}

// What a client put in is in the physical view, as context.
func TestContextIsPhysical(t *testing.T) {
	l, id := lines(t, meta(""), started("t"), userItem("hi"), userEvent("hi"), answerEvent("a"), answerItem("a"), completed("t"), userItem("put in"), answerItem("put in too"))
	_, all := events(t, l, id, transcript.Physical)
	got := only(all, transcript.Context)
	if len(got) != 2 || got[0].Text != "put in" || got[0].Role != "user" || got[1].Text != "put in too" || got[1].Role != "assistant" {
		t.Errorf("context: %+v", got)
	}
	_, all = events(t, l, id, transcript.Active)
	if got := only(all, transcript.Context); len(got) != 0 {
		t.Errorf("active context: %+v", got)
	}
}

// Case C07: several injected blocks share an item with the person's words; each
// block is judged by itself, by its recorded kind where it has one.
func TestBlocks(t *testing.T) {
	blocks := `{"type":"input_text","text":"<recommended_plugins>x</recommended_plugins>"},{"type":"input_text","text":"# AGENTS.md instructions\n\nx"},{"type":"input_text","text":"do it"}`
	l, id := lines(t, meta(""), item(`"type":"message","role":"user","content":[`+blocks+`]`), userEvent("do it"), answerEvent("done"))
	_, all := events(t, l, id, transcript.Active)
	equal(t, "said", said(all), []string{"u: do it", "a: done"})
	if got := only(all, transcript.Context); len(got) != 1 || !strings.HasPrefix(got[0].Text, "<recommended_plugins>") {
		t.Errorf("context %+v", got)
	}
	kinds := `,"internal_chat_message_metadata_passthrough":{"content_item_kinds":["agents_md.instructions","user.text"]}`
	l, id = lines(t, meta(""), item(`"type":"message","role":"user","content":[{"type":"input_text","text":"anything"},{"type":"input_text","text":"<skill> is my text"}]`+kinds), answerItem("done"))
	_, all = events(t, l, id, transcript.Active)
	equal(t, "by kind", said(all), []string{"u: <skill> is my text", "a: done"})
}

// Case C08, C09, C11: the title is the thread's name, else the first real prompt,
// out of its envelope.
func TestTitles(t *testing.T) {
	prompt := `# Context from my IDE setup:\n\n## Active file: a.go\n\n## My request for Codex:\nfix the build\nplease`
	l, id := lines(t, meta(""), userItem("# AGENTS.md instructions for /x\\n\\nbe brief"), userItem("<recommended_plugins>Here is a list"), userItem(prompt), userEvent(prompt), answerEvent("ok"))
	th, _ := events(t, l, id, transcript.Active)
	if th.Title != "fix the build" || th.TitleSource != "prompt" {
		t.Errorf("title %q from %s", th.Title, th.TitleSource)
	}
	l, id = lines(t, meta(""), userItem("hi"), userEvent("hi"), event(`"type":"thread_name_updated","thread_id":"x","thread_name":"A name"`))
	if th, _ := events(t, l, id, transcript.Active); th.Title != "A name" || th.TitleSource != "event" {
		t.Errorf("title %q from %s", th.Title, th.TitleSource)
	}
	home := rolltest.NewHome(1)
	r := home.New(rolltest.V140, rolltest.Meta{})
	r.Turn("hi").Assistant("a").TurnComplete()
	r.Name("First").Name("Second")
	lib, _ := open(t, home)
	if th, _ := events(t, lib, r.ID, transcript.Active); th.Title != "Second" || th.TitleSource != "index" {
		t.Errorf("title %q from %s", th.Title, th.TitleSource)
	}
}

// Case C19: a second header of the same thread adds what the first lacks and
// stops nothing; C43: forked_from_id alone makes no sub-agent.
func TestRepeatedHeader(t *testing.T) {
	l, id := lines(t, meta(`,"forked_from_id":"x"`), started("t"), userItem("hi"), userEvent("hi"), meta(`,"memory_mode":"off","model_provider":"openai"`), answerEvent("a"), answerItem("a"), completed("t"))
	th, all := events(t, l, id, transcript.Active)
	equal(t, "said", said(all), []string{"u: hi", "a: a"})
	if th.Provider != "openai" || th.Source != "cli" || th.State != transcript.Complete {
		t.Errorf("provider %q, source %q, state %s", th.Provider, th.Source, th.State)
	}
}

// Fact 22 and case C46: images are named by digest and can be read again.
func TestImages(t *testing.T) {
	home := rolltest.NewHome(2)
	png := square(t)
	r := home.New(rolltest.V140, rolltest.Meta{})
	r.Turn("look", rolltest.Image{PNG: png}).Assistant("A square.").TurnComplete()
	z := home.New(rolltest.V171, rolltest.Meta{})
	z.Turn("look here", rolltest.Image{PNG: png}).Assistant("A square too.").TurnComplete()
	z.Compressed = true
	l, _ := open(t, home)
	for _, id := range []string{r.ID, z.ID} {
		_, all := events(t, l, id, transcript.Active)
		img := only(all, transcript.User)[0].Images
		if len(img) != 1 || img[0].MediaType != "image/png" || img[0].Bytes != int64(len(png)) || img[0].Width == 0 {
			t.Fatalf("images %+v", img)
		}
		in, err := img[0].Open()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(in)
		if err != nil || !bytes.Equal(got, png) {
			t.Errorf("%d bytes, want %d: %v", len(got), len(png), err)
		}
	}
}

func square(t *testing.T) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
