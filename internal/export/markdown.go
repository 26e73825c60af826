package export

import (
	"io"
	"strconv"
	"strings"

	"rollbook/internal/term"
	"rollbook/internal/transcript"
)

// Markdown writes threads as Markdown that forges show well: a heading for each
// turn, the person's words as quotes, answers as they are, tools folded.
type Markdown struct {
	w       io.Writer
	o       Options
	written bool
}

var _ transcript.Sink = (*Markdown)(nil)

// NewMarkdown writes to w, which needs no buffer.
func NewMarkdown(w io.Writer, o Options) *Markdown { return &Markdown{w: w, o: o} }

// Write writes one thread, event by event. What came before an error of the
// thread is written.
func (x *Markdown) Write(t *transcript.Thread) error {
	p := &mdPage{mdWriter: mdWriter{out: out{w: x.w}, filled: x.written}, o: x.o, project: t.Project}
	p.gap()
	x.written = true
	return walk(t, x.o, p)
}

// An mdPage writes one thread.
type mdPage struct {
	mdWriter
	o       Options
	project string
	speaker string // whose words were written last in this turn
}

// par writes a paragraph of ours, or another block of one line.
func (p *mdPage) par(parts ...string) {
	p.gap()
	p.put(parts...)
	p.put()
}

func (p *mdPage) head(t *transcript.Thread) {
	title := excerpt(t.Title)
	if title == "" {
		title = "(no title)"
	}
	p.par("# ", mdPlain(title))
	p.put("| | |")
	p.put("|---|---|")
	for _, r := range headRows(t, &p.o) {
		values := make([]string, len(r.values))
		for i, v := range r.values {
			if values[i] = mdPlain(v); r.bad {
				values[i] = "**" + values[i] + "**"
			}
		}
		p.put("| ", r.label, " | ", strings.Join(values, "<br>"), " |")
	}
	p.put()
	p.flush()
}

func (p *mdPage) turn(tn *turn) {
	facts := turnFacts(tn, p.o.zone())
	facts[0] = "Turn " + strconv.Itoa(tn.number)
	p.par("## ", mdPlain(strings.Join(facts, " · ")))
	p.speaker = ""
	p.flush()
}

func (p *mdPage) goesOn(tn *turn) {
	p.par("## Turn ", strconv.Itoa(tn.number), " goes on")
	p.speaker = ""
}

func (p *mdPage) foot(tn *turn) {
	bad, facts := footFacts(tn)
	if bad != "" {
		p.par("**", mdPlain(bad), "**")
	}
	if hidden := hiddenText(tn); hidden != "" {
		p.par("*", mdPlain(hidden), "*")
	}
	if len(facts) > 0 {
		p.par("*", mdPlain(strings.Join(facts, " · ")), "*")
	}
	p.flush()
}

func (p *mdPage) marked(line int, at where) {
	p.par("**", markText(line, at), "**")
}

func (p *mdPage) end(s *summary) {
	p.par("---")
	p.par("*", mdPlain(strings.Join(endFacts(s), " · ")), "*")
	if p.o.Diff {
		p.changed(&s.files)
	}
	p.flush()
}

// at writes where what follows comes from.
func (p *mdPage) at(place string) {
	if p.o.Places && place != "" {
		p.par(codeSpan(place))
	}
}

// says writes who speaks, where that changes.
func (p *mdPage) says(who string) {
	if p.speaker != who {
		p.par("**", who, "**")
	}
	p.speaker = who
}

// event writes what is neither call nor result.
func (p *mdPage) event(ev *transcript.Event) {
	switch ev.Kind {
	case transcript.User:
		p.says("User")
		p.at(placeText(ev.Source))
		p.user(ev)
	case transcript.Assistant:
		p.says("Codex")
		p.at(placeText(ev.Source))
		if ev.Origin != transcript.Recorded {
			p.par("*(", ev.Origin.String(), ")*")
		}
		p.prose(ev.Text, false)
	default:
		p.at(placeText(ev.Source))
		p.aside(ev)
	}
	p.images(ev.Images)
	p.flush()
}

func (p *mdPage) user(ev *transcript.Event) {
	text := ev.Text
	if !p.o.All {
		text, _ = transcript.Unwrap(text)
	}
	if strings.TrimSpace(text) == "" && len(ev.Images) == 0 {
		p.par("> *", noWords, "*")
		return
	}
	p.gap()
	p.prefix, p.filled = "> ", false
	p.prose(text, true)
	p.prefix, p.filled = "", true
	p.gap()
}

// aside writes what nobody says to the other: reasoning, context, marks.
func (p *mdPage) aside(ev *transcript.Event) {
	switch ev.Kind {
	case transcript.Reasoning:
		p.reasoning(ev.Text)
	case transcript.Context:
		p.fold("context · "+ev.Role, textLines(ev.Text))
	case transcript.Compaction:
		switch {
		case ev.Text == "":
			p.par("*context compacted; its summary is not in the log*")
		case p.o.All:
			p.par("*context compacted*")
			p.prose(ev.Text, false)
		default:
			p.par("*context compacted: ", mdPlain(clip(excerpt(ev.Text), pipeClip)), "*")
		}
	case transcript.Notice:
		p.notice(ev)
	}
}

// reasoning writes a summary: its title, and what follows it folded.
func (p *mdPage) reasoning(text string) {
	lines := textLines(text)
	if len(lines) == 0 {
		return
	}
	title := plainTitle(lines[0])
	if len(lines) == 1 {
		p.par("*Reasoning: ", mdPlain(title), "*")
		return
	}
	p.gap()
	p.put("<details><summary>Reasoning: ", htmlPlain(title), "</summary>")
	p.put()
	p.prose(strings.Join(lines[1:], "\n"), false)
	p.put("</details>")
	p.put()
}

// fold writes lines that stay hidden until they are asked for.
func (p *mdPage) fold(title string, lines []string) {
	p.gap()
	p.put("<details><summary>", htmlPlain(title), "</summary>")
	p.code("text", lines)
	p.put("</details>")
	p.put()
}

func (p *mdPage) notice(ev *transcript.Event) {
	name := noticeName(ev.Status)
	switch ev.Status {
	case "error", "gap":
		p.par("**", mdPlain(joinedBy(name, ": ", excerpt(ev.Text))), "**")
	case "plan", "review", "agent_message":
		p.par("**", mdPlain(strings.ToUpper(name[:1])+name[1:]), "**")
		p.prose(strings.TrimPrefix(ev.Text, name+": "), false)
		p.speaker = name
	case "tool_end":
		o, output := p.o.outcome(endedTool(ev))
		p.tool(mdTool{ranOn, o, nil, nil, output, nil})
	default:
		p.par("*", mdPlain(joinedBy(name, ": ", excerpt(ev.Text))), "*")
	}
}

func (p *mdPage) images(images []transcript.Image) {
	for i := range images {
		p.par("*Image: ", mdPlain(imageText(&images[i])), "*")
	}
}

// call writes a call, with its result unless that is still to come.
func (p *mdPage) call(c *call) {
	if p.o.Tools == NoTools && !(p.o.Diff && len(c.changes) > 0) {
		return
	}
	p.at(c.place())
	o, output := p.o.outcome(c)
	p.tool(mdTool{p.o.callTitle(p.project, c), o, p.o.callInput(c), c.changes, output, c.result})
}

// result writes a result that did not come right after its call.
func (p *mdPage) result(c *call) {
	changes := c.changes
	if c.diffed {
		changes = nil
	}
	if p.o.Tools == NoTools && !(p.o.Diff && len(changes) > 0) {
		return
	}
	p.at(placeText(c.result.Source))
	o, output := p.o.outcome(c)
	p.tool(mdTool{"result of " + resultName(c), o, nil, changes, output, c.result})
}

// callTitle says on one line what was called.
func (o *Options) callTitle(project string, c *call) string {
	switch {
	case len(c.stats) == 1:
		return "± " + statName(project, &c.stats[0]) + " " + c.stats[0].counts()
	case len(c.stats) > 1:
		return "± " + many(len(c.stats), "file") + " " + sumStats(c.stats).counts()
	case c.action.name == "":
		return "$ " + clip(excerpt(c.action.text), maxTitle)
	}
	return clip(joinedBy(c.action.name, " ", excerpt(c.action.text)), maxTitle)
}

// maxTitle is how long the title of a folded call may be.
const maxTitle = 120

// An mdTool is what is written of a call or a result.
type mdTool struct {
	title   string
	outcome outcome
	input   []string
	changes []transcript.FileChange
	output  string
	result  *transcript.Event
}

// tool writes a call or a result: its title, and the rest folded.
func (p *mdPage) tool(t mdTool) {
	diff := p.o.wantsDiff() && len(t.changes) > 0
	lines, more := p.shownOutput(t.output)
	p.gap()
	if !diff && len(t.input)+len(lines) == 0 {
		p.put(codeSpan(t.title), mdOutcome(t.outcome))
		p.put()
	} else {
		p.put("<details><summary><code>", htmlPlain(t.title), "</code>", mdOutcome(t.outcome), "</summary>")
		p.put()
		if len(t.input) > 0 {
			p.code("text", t.input)
		}
		if diff {
			p.diffs(t.changes)
		}
		if len(lines) > 0 {
			p.code("text", lines)
		}
		if more > 0 {
			p.par("*", moreLines(more), "*")
		}
		p.put("</details>")
		p.put()
	}
	if t.result != nil && p.o.Tools != NoTools {
		p.images(t.result.Images)
	}
	p.flush()
}

// mdOutcome is an outcome in words that mean nothing to Markdown or HTML.
func mdOutcome(o outcome) string {
	switch {
	case o.text == "":
		return ""
	case o.kind == failed:
		return " — <b>" + htmlPlain(o.text) + "</b>"
	}
	return " — " + htmlPlain(o.text)
}

// callInput is what a call was given, as far as its title does not say it.
func (o *Options) callInput(c *call) []string {
	text := c.action.text
	switch {
	case o.Tools == NoTools || len(c.stats) > 0:
		return nil
	case o.Tools == Full && len(c.action.details) > 0:
		var lines []string
		for _, f := range c.action.details {
			lines = append(lines, allLines(f.name+": "+f.text())...)
		}
		return lines
	case o.Tools == Full:
		var lines []string
		if !inTitle(text) {
			lines = allLines(text)
		}
		if c.action.dir != "" {
			lines = append(lines, "in "+oneLine(c.action.dir))
		}
		return lines
	case inTitle(text):
		return nil
	}
	lines, more := firstLines(text, shortHead)
	return clipAll(lines, more)
}

// inTitle reports whether a call's title says all that it was given.
func inTitle(text string) bool {
	return !strings.Contains(text, "\n") && len(text) <= maxTitle
}

// shownOutput is the output as lines: in short its first ones.
func (p *mdPage) shownOutput(output string) (lines []string, more int) {
	switch p.o.Tools {
	case NoTools:
		return nil, 0
	case Full:
		return allLines(output), 0
	}
	lines, more = firstLines(strings.TrimLeft(output, "\n"), shortBody)
	return clipAll(lines, 0), more
}

// clipAll makes lines safe and not too long.
func clipAll(lines []string, more int) []string {
	clipped := make([]string, len(lines))
	for i, line := range lines {
		clipped[i] = clipTabs(line, pipeClip)
	}
	if more > 0 {
		clipped = append(clipped, moreLines(more))
	}
	return clipped
}

func (p *mdPage) diffs(changes []transcript.FileChange) {
	for i := range changes {
		c := &changes[i]
		s := statOf(c)
		if len(changes) > 1 {
			p.par(codeSpan(s.letter()+" "+statName(p.project, &s)), " ", s.counts())
		}
		p.code("diff", diffLines(c))
	}
}

// changed lists the files that were changed.
func (p *mdPage) changed(c *changedFiles) {
	list := c.list()
	if len(list) == 0 {
		p.par("No file was changed by a patch.")
		return
	}
	p.par("**", many(len(list)+c.more, "file"), " changed** ", sumStats(list).counts())
	p.put("| | file | lines | patches |")
	p.put("|---|---|---|---|")
	for i := range list {
		f := &list[i]
		p.put("| ", f.letter(), " | ", mdPlain(statName(p.project, f)), " | ", f.counts(), " | ", strconv.Itoa(f.patches), " |")
	}
	p.put()
	if c.more > 0 {
		p.par(term.Ellipsis, " and more")
	}
}
