package export

import (
	"strconv"
	"strings"
	"time"

	"rollbook/internal/transcript"
)

// article opens an event: its kind for the style, its label for who does not
// see that, and an anchor. Its name is written where the speaker changes.
func (p *htmlPage) article(class markup, label string, ev *transcript.Event, named bool) {
	p.begin()
	p.raw(`<article class="ev `)
	p.raw(class)
	if ev.RolledBack {
		p.raw(" gone")
	}
	p.raw(`"`)
	p.id(ev.Seq)
	p.raw(` aria-label="`)
	p.text(label)
	p.raw(`">`)
	if named && p.speaker != label {
		p.raw(`<p class="who">`)
		p.text(label)
		p.raw("</p>")
	}
	if named {
		p.speaker = label
	}
	p.at(ev)
}

func (p *htmlPage) id(seq int) {
	if seq > 0 {
		p.raw(` id="e`)
		p.text(strconv.Itoa(seq))
		p.raw(`"`)
	}
}

// at writes an event's time as the link to it, and on request its place.
func (p *htmlPage) at(ev *transcript.Event) {
	if ev.Seq > 0 {
		clock := "#"
		if !ev.Time.IsZero() {
			clock = ev.Time.In(p.o.zone()).Format("15:04:05")
		}
		p.raw(`<a class="at" href="#e`)
		p.text(strconv.Itoa(ev.Seq))
		p.raw(`" title="`)
		p.text(joinedBy(stamp(ev.Time), " · ", "event "+strconv.Itoa(ev.Seq)))
		p.raw(`">`)
		p.text(clock)
		p.raw("</a>")
	}
	if p.o.Places {
		p.place(placeText(ev.Source))
	}
}

func (p *htmlPage) place(text string) {
	if text != "" {
		p.raw(`<p class="place"><code>`)
		p.text(text)
		p.raw("</code></p>")
	}
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

func (p *htmlPage) done() {
	p.raw("</article>\n")
	p.flush()
}

// event writes what is neither call nor result.
func (p *htmlPage) event(ev *transcript.Event) {
	switch ev.Kind {
	case transcript.User:
		p.article("user", "User", ev, true)
		p.user(ev)
	case transcript.Assistant:
		class := markup("codex")
		if ev.Phase == "commentary" {
			class = "codex aside"
		}
		p.article(class, "Codex", ev, true)
		if ev.Origin != transcript.Recorded {
			p.note(ev.Origin.String())
		}
		p.prose(ev.Text)
	case transcript.Reasoning:
		p.article("thought", "Reasoning", ev, false)
		p.reasoning(ev.Text)
	case transcript.Context:
		p.article("context", "Context", ev, false)
		p.fold("context · "+ev.Role, ev.Text)
	case transcript.Compaction:
		p.article("compaction", "Compaction", ev, false)
		p.compaction(ev.Text)
	default:
		p.notice(ev)
	}
	p.images(ev.Images)
	p.done()
}

func (p *htmlPage) user(ev *transcript.Event) {
	text := ev.Text
	if !p.o.All {
		text, _ = transcript.Unwrap(text)
	}
	if strings.TrimSpace(text) == "" {
		if len(ev.Images) == 0 {
			p.note(noWords)
		}
		return
	}
	p.toc.words(text)
	p.typed(text)
}

// note writes words of ours that stand for what is not there.
func (p *htmlPage) note(text string) {
	p.raw(`<p class="note">`)
	p.text(text)
	p.raw("</p>")
}

// reasoning writes a summary: its title, and what follows it folded.
func (p *htmlPage) reasoning(text string) {
	text = strings.TrimSpace(text)
	first, rest, more := strings.Cut(text, "\n")
	if !more || strings.TrimSpace(rest) == "" {
		p.raw(`<p class="thinks">`)
		p.text(plainTitle(first))
		p.raw("</p>")
		return
	}
	p.raw("<details><summary>")
	p.text(plainTitle(first))
	p.raw("</summary>")
	p.prose(rest)
	p.raw("</details>")
}

// fold writes a text that stays hidden until it is asked for.
func (p *htmlPage) fold(title, text string) {
	p.raw("<details><summary>")
	p.text(title)
	p.raw("</summary>")
	p.pre(text)
	p.raw("</details>")
}

func (p *htmlPage) compaction(text string) {
	switch {
	case text == "":
		p.note("context compacted; its summary is not in the log")
	case p.o.All:
		p.raw("<details><summary>context compacted</summary>")
		p.prose(text)
		p.raw("</details>")
	default:
		p.note("context compacted: " + clip(excerpt(text), pipeClip))
	}
}

func (p *htmlPage) notice(ev *transcript.Event) {
	name := noticeName(ev.Status)
	label := strings.ToUpper(name[:1]) + name[1:]
	switch ev.Status {
	case "error", "gap":
		p.article("notice bad", label, ev, false)
		p.raw(`<p class="says"><b>`)
		p.text(name)
		p.raw("</b> ")
		p.text(ev.Text)
		p.raw("</p>")
	case "plan", "review", "agent_message":
		p.article("codex", label, ev, true)
		p.prose(strings.TrimPrefix(ev.Text, name+": "))
	case "tool_end":
		p.article("tool", label, ev, false)
		o, output := p.o.outcome(endedTool(ev))
		p.tool(mdTool{title: ranOn, outcome: o, output: output})
	default:
		p.article("notice", label, ev, false)
		p.raw(`<p class="says">`)
		p.text(joinedBy(name, ": ", ev.Text))
		p.raw("</p>")
	}
}

// call writes a call, with its result unless that is still to come.
func (p *htmlPage) call(c *call) {
	if p.o.Tools == NoTools && !(p.o.Diff && len(c.changes) > 0) {
		return
	}
	p.article(toolClass(c), "Tool call", &c.ev, false)
	if r := c.result; r != nil && r.Seq > 0 {
		p.raw("<span")
		p.id(r.Seq)
		p.raw("></span>")
		if p.o.Places && r.Source != c.ev.Source {
			p.place(placeText(r.Source))
		}
	}
	o, output := p.o.outcome(c)
	p.tool(mdTool{p.o.callTitle(p.project, c), o, p.o.callInput(c), c.changes, output, c.result})
	p.done()
}

// result writes a result that did not come right after its call.
func (p *htmlPage) result(c *call) {
	changes := c.changes
	if c.diffed {
		changes = nil
	}
	if p.o.Tools == NoTools && !(p.o.Diff && len(changes) > 0) {
		return
	}
	p.article("tool late", "Tool result", c.result, false)
	if c.ev.Seq > 0 {
		p.raw(`<a class="from" href="#e`)
		p.text(strconv.Itoa(c.ev.Seq))
		p.raw(`">its call</a>`)
	}
	o, output := p.o.outcome(c)
	p.tool(mdTool{"result of " + resultName(c), o, nil, changes, output, c.result})
	p.done()
}

func toolClass(c *call) markup {
	if len(c.stats) > 0 {
		return "tool patch"
	}
	return "tool"
}

// tool writes a call or a result: its title, and the rest folded.
func (p *htmlPage) tool(t mdTool) {
	diff := p.o.wantsDiff() && len(t.changes) > 0
	output, more := p.shown(t.output)
	if !diff && len(t.input) == 0 && output == "" {
		p.raw(`<p class="line"><code>`)
		p.text(oneLine(t.title))
		p.raw("</code>")
		p.outcome(t.outcome)
		p.raw("</p>")
	} else {
		p.raw("<details><summary><code>")
		p.text(oneLine(t.title))
		p.raw("</code>")
		p.outcome(t.outcome)
		p.raw("</summary>")
		if len(t.input) > 0 {
			p.raw(`<pre class="in">`)
			for _, line := range t.input {
				p.text(line)
				p.raw("\n")
			}
			p.raw("</pre>")
		}
		if diff {
			p.diffs(t.changes)
		}
		p.pre(output)
		if more > 0 {
			p.note(moreLines(more))
		}
		p.raw("</details>")
	}
	if t.result != nil && p.o.Tools != NoTools {
		p.images(t.result.Images)
	}
}

// shown is the output as far as it is shown, and how many lines are left out.
func (p *htmlPage) shown(output string) (text string, more int) {
	switch p.o.Tools {
	case NoTools:
		return "", 0
	case Full:
		return output, 0
	}
	lines, more := firstLines(strings.TrimLeft(output, "\n"), shortBody)
	return strings.Join(clipAll(lines, 0), "\n"), more
}

func (p *htmlPage) outcome(o outcome) {
	if o.text == "" {
		return
	}
	switch o.kind {
	case failed:
		p.raw(` <b class="out bad">`)
	case good:
		p.raw(` <b class="out good">`)
	default:
		p.raw(` <b class="out">`)
	}
	p.text(o.text)
	p.raw("</b>")
}

// pre writes a text as it stands.
func (p *htmlPage) pre(text string) {
	if text != "" {
		p.openBlock("")
		p.text(text)
		p.raw("</pre>")
	}
}

func (p *htmlPage) diffs(changes []transcript.FileChange) {
	for i := range changes {
		c := &changes[i]
		s := statOf(c)
		if len(changes) > 1 {
			p.raw(`<p class="file"><code>`)
			p.text(s.letter() + " " + statName(p.project, &s))
			p.raw("</code> ")
			p.text(s.counts())
			p.raw("</p>")
		}
		p.diff(diffLines(c))
	}
}

// diff writes a diff, stretch by stretch of lines of one sort.
func (p *htmlPage) diff(lines []string) {
	p.raw(`<pre class="diff">`)
	for i := 0; i < len(lines); {
		sort := lineSort(lines[i])
		p.raw(sort)
		for ; i < len(lines) && lineSort(lines[i]) == sort; i++ {
			p.escape(lines[i])
			p.raw("\n")
		}
		p.raw("</span>")
	}
	p.raw("</pre>")
}

// lineSort opens the element for lines of a diff of one sort.
func lineSort(line string) markup {
	switch {
	case strings.HasPrefix(line, "+"):
		return `<span class="add">`
	case strings.HasPrefix(line, "-"):
		return `<span class="del">`
	case strings.HasPrefix(line, "@@"):
		return `<span class="hunk">`
	}
	return "<span>"
}
