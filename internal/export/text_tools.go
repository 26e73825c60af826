package export

import (
	"strconv"
	"strings"

	"rollbook/internal/term"
	"rollbook/internal/transcript"
)

// call writes a call, with its result unless that is still to come.
func (p *textPage) call(c *call) {
	diff := p.o.wantsDiff() && len(c.changes) > 0
	if p.o.Tools == NoTools && !diff {
		return
	}
	outcome, output := p.o.outcome(c)
	single := p.o.Tools != Full && !diff && !p.o.Places && len(c.changes) < 2 && (c.result == nil || len(c.result.Images) == 0) &&
		strings.TrimSpace(output) == "" && !strings.Contains(c.action.text, "\n")
	p.block(single)
	p.at(c.place())
	p.callHead(c, outcome)
	if diff {
		p.diffs(c.changes)
	}
	if p.o.Tools != NoTools {
		p.output(c, output)
	}
	p.tight = single
	p.flush()
}

// result writes a result that did not come right after its call.
func (p *textPage) result(c *call) {
	diff := p.o.wantsDiff() && len(c.changes) > 0 && !c.diffed
	if p.o.Tools == NoTools && !diff {
		return
	}
	p.block(false)
	p.at(placeText(c.result.Source))
	outcome, output := p.o.outcome(c)
	p.resultHead(c, outcome)
	if diff {
		p.diffs(c.changes)
	}
	if p.o.Tools != NoTools {
		p.output(c, output)
	}
	p.flush()
}

func (p *textPage) paintOutcome(o outcome) string {
	if o.text == "" {
		return ""
	}
	paint := p.s.Dim
	switch o.kind {
	case failed:
		paint = p.s.Red
	case missing:
		paint = p.s.Yellow
	case good:
		paint = p.s.Green
	}
	return "  " + paint(oneLine(o.text))
}

// callHead writes what was called and how it ended.
func (p *textPage) callHead(c *call, o outcome) {
	a, full := &c.action, p.o.Tools == Full
	end := p.paintOutcome(o)
	switch {
	case len(c.changes) > 0:
		p.patchHead(c, o)
	case full && len(a.details) > 0:
		p.line(p.s.Cyan("→ "), p.s.Cyan(oneLine(a.name)), end)
		for _, f := range a.details {
			p.detail(f)
		}
	case full:
		p.fullCommand(c, o)
	default:
		p.shortCommand(c, o)
	}
}

// sign is the gutter of a call.
func (p *textPage) sign(a *action) string {
	if a.name == "" {
		return p.s.Cyan("$ ")
	}
	return p.s.Cyan("→ ")
}

// shortCommand writes a command or another call in a few lines, the outcome
// behind the last one.
func (p *textPage) shortCommand(c *call, o outcome) {
	room := max(p.clipRoom()-2-term.Width(o.text), 20)
	lines, more := firstLines(joinedBy(c.action.name, " ", c.action.text), shortHead)
	var rows []string
	for _, line := range lines {
		wrapLine(clip(line, shortHead*room), room, func(piece string) { rows = append(rows, piece) })
	}
	if len(rows) > shortHead+1 { // a single line more is no longer than saying so
		rows, more = rows[:shortHead], 0
		rows[shortHead-1] = clip(rows[shortHead-1], room-1) + term.Ellipsis
	}
	first, end := p.sign(&c.action), p.paintOutcome(o)
	for i, row := range rows {
		if i == len(rows)-1 && more == 0 {
			p.line(first, p.s.Cyan(row), end)
		} else {
			p.line(first, p.s.Cyan(row))
		}
		first = "  "
	}
	switch {
	case len(rows) == 0:
		p.line(first, end)
	case more > 0:
		p.line(first, p.s.Dim(moreLines(more)), end)
	}
}

// fullCommand writes a command or another call as it is, the outcome in a line
// below where it does not fit behind it.
func (p *textPage) fullCommand(c *call, o outcome) {
	first, end := p.sign(&c.action), p.paintOutcome(o)
	lines := allLines(joinedBy(c.action.name, " ", c.action.text))
	if len(lines) == 1 && term.Width(p.tabs(lines[0]))+2+term.Width(o.text) <= p.clipRoom() {
		p.line(first, p.s.Cyan(p.tabs(lines[0])), end)
		lines, end = nil, ""
	}
	for _, line := range lines {
		hardWrap(p.tabs(line), p.room(), func(piece string) {
			p.line(first, p.s.Cyan(piece))
			first = "  "
		})
	}
	if c.action.dir != "" {
		p.line("  ", p.s.Dim("in "+oneLine(c.action.dir)))
	}
	if end != "" {
		p.line(end)
	}
}

// tabs makes a line ready to be measured, where there is a width.
func (p *textPage) tabs(line string) string {
	if p.o.Width <= 0 {
		return line
	}
	return expandTabs(line)
}

// detail writes one argument of a call in full.
func (p *textPage) detail(f field) {
	lines := allLines(f.text())
	if len(lines) < 2 {
		p.full("  ", oneLine(f.name)+": ", strings.Join(lines, ""))
		return
	}
	p.line("  ", oneLine(f.name), ":")
	for _, line := range lines {
		p.full("    ", "", line)
	}
}

// full writes a line without losing anything of it.
func (p *textPage) full(lead, label, line string) {
	room := p.room()
	if room > 0 {
		room = max(room-len(lead)+gutter, 10)
	}
	hardWrap(label+p.tabs(line), room, func(piece string) { p.line(lead, piece) })
}

// patchHead writes which files a patch is about.
func (p *textPage) patchHead(c *call, o outcome) {
	stats, end := c.stats, p.paintOutcome(o)
	if len(stats) == 1 {
		room := max(p.clipRoom()-term.Width(o.text)-18, 20)
		p.line(p.s.Cyan("± "), p.s.Cyan(clip(statName(p.project, &stats[0]), room)), "  ", p.counts(&stats[0]), end)
		return
	}
	p.line(p.s.Cyan("± "), p.s.Cyan(many(len(stats), "file")), "  ", p.counts(sumStats(stats)), end)
	if p.o.wantsDiff() {
		return
	}
	for i := range stats {
		if p.o.Tools == Short && i == shortBody {
			p.line(p.s.Dim("│ "), p.s.Dim(term.Ellipsis+" "+many(len(stats)-i, "more file")))
			break
		}
		p.line(p.s.Dim("│ "), stats[i].letter(), " ", clip(statName(p.project, &stats[i]), max(p.clipRoom()-16, 20)), "  ", p.counts(&stats[i]))
	}
}

// counts are the added and removed lines, as in +3 -1.
func (p *textPage) counts(s *fileStat) string {
	return p.s.Green("+"+strconv.Itoa(s.added)) + " " + p.s.Red("-"+strconv.Itoa(s.removed))
}

// resultHead names the call that a result is of.
func (p *textPage) resultHead(c *call, o outcome) {
	end := p.paintOutcome(o)
	p.line(p.s.Cyan("↳ "), p.s.Cyan(clip(resultName(c), max(p.clipRoom()-term.Width(o.text)-2, 20))), end)
}

// output writes what a tool put out, and its images.
func (p *textPage) output(c *call, text string) {
	if c.result == nil {
		return
	}
	bar := p.s.Dim("│ ")
	if p.o.Tools == Full {
		for _, line := range allLines(text) {
			hardWrap(p.tabs(line), p.room(), func(piece string) { p.line(bar, p.s.Dim(piece)) })
		}
	} else {
		p.shortOutput(bar, text)
	}
	p.images(c.result.Images)
}

func (p *textPage) shortOutput(bar, text string) {
	lines, more := firstLines(strings.TrimLeft(text, "\n"), shortBody)
	for _, line := range lines {
		if p.o.Width > 0 {
			line = clip(strings.TrimRight(line, "\r"), p.clipRoom())
		} else {
			line = clipTabs(line, pipeClip)
		}
		p.line(bar, p.s.Dim(line))
	}
	if more > 0 {
		p.line(bar, p.s.Dim(moreLines(more)))
	}
}

func moreLines(n int) string {
	return term.Ellipsis + " " + many(n, "more line")
}

// ranOn says of a command that it ended after its call had returned.
const ranOn = "a tool that ran on has ended"

// toolEnd writes what a command came to that went on after its call returned.
func (p *textPage) toolEnd(ev *transcript.Event) {
	c := endedTool(ev)
	o, output := p.o.outcome(c)
	p.line(p.s.Dim("◦ "), p.s.Dim(ranOn), p.paintOutcome(o))
	if p.o.Tools != NoTools {
		p.output(c, output)
	}
}

// diffs writes the changes of a patch.
func (p *textPage) diffs(changes []transcript.FileChange) {
	bar := p.s.Dim("│ ")
	for i := range changes {
		c := &changes[i]
		s := statOf(c)
		if len(changes) > 1 {
			p.line(bar, p.s.Bold(s.letter()+" "+oneLine(statName(p.project, &s))), "  ", p.counts(&s))
		}
		for _, line := range diffLines(c) {
			line = p.tabs(line)
			paint := p.diffPaint(line)
			hardWrap(line, p.room(), func(piece string) { p.line(bar, paint(piece)) })
		}
	}
}

func (p *textPage) diffPaint(line string) func(string) string {
	switch {
	case strings.HasPrefix(line, "+"):
		return p.s.Green
	case strings.HasPrefix(line, "-"):
		return p.s.Red
	case strings.HasPrefix(line, "@@"):
		return p.s.Cyan
	}
	return p.s.Dim
}

// diffLines gives a change as lines of a diff: of a file that was added or
// deleted all lines are.
func diffLines(c *transcript.FileChange) []string {
	lines := allLines(c.Diff)
	sign := map[string]string{"add": "+", "delete": "-"}[c.Kind]
	if sign != "" {
		for i := range lines {
			lines[i] = sign + lines[i]
		}
	}
	return lines
}

// changed lists the files that were changed.
func (p *textPage) changed(c *changedFiles) {
	list := c.list()
	if len(list) == 0 {
		p.line("  ", "no file was changed by a patch")
		return
	}
	p.line()
	p.line("  ", p.s.Bold(many(len(list)+c.more, "file")+" changed"), "  ", p.counts(sumStats(list)))
	for i := range list {
		f := &list[i]
		patches := ""
		if f.patches > 1 {
			patches = "  " + p.s.Dim(many(f.patches, "patch"))
		}
		p.line("  ", f.letter(), " ", clip(statName(p.project, f), max(p.clipRoom()-24, 20)), "  ", p.counts(f), patches)
	}
	if c.more > 0 {
		p.line("  ", p.s.Dim(term.Ellipsis+" and more"))
	}
}
