package export

import (
	"io"
	"strings"

	"rollbook/internal/term"
	"rollbook/internal/transcript"
)

// TextOptions say how a thread looks as text.
type TextOptions struct {
	Options
	Width int // columns to wrap to; 0 wraps nothing
	Style term.Style
}

// Text writes threads as text. Each line begins with two columns that tell what
// it is: "▌" the person's words, "$" a command, "→" another tool, "±" a patch,
// "│" what it put out, "∴" reasoning, "┊" context, "◦" and "!" notices, "└" what
// a turn came to; the model's answers have none.
type Text struct {
	w       io.Writer
	o       TextOptions
	written bool
}

var _ transcript.Sink = (*Text)(nil)

// NewText writes to w, which needs no buffer.
func NewText(w io.Writer, o TextOptions) *Text { return &Text{w: w, o: o} }

// Write writes one thread, event by event. What came before an error of the
// thread is written.
func (x *Text) Write(t *transcript.Thread) error {
	p := &textPage{out: out{w: x.w}, o: x.o, s: x.o.Style, project: t.Project}
	if x.written {
		p.line()
	}
	x.written = true
	return walk(t, x.o.Options, p)
}

const (
	gutter    = 2   // columns before each line's text
	maxProse  = 100 // columns of running text: longer lines are hard to read
	pipeRule  = 80  // columns of a rule where no width is given
	pipeClip  = 400 // columns of a line that is shown in short there
	shortHead = 4   // lines of a command that are shown in short
	shortBody = 6   // lines of output that are
)

// A textPage writes one thread.
type textPage struct {
	out
	o       TextOptions
	s       term.Style
	project string
	begun   bool // something was written
	tight   bool // the block before is one line of a call: the next may follow at once
}

// room is how many columns a line's text may take; 0 means any number.
func (p *textPage) room() int {
	if p.o.Width <= 0 {
		return 0
	}
	return max(p.o.Width-gutter, 20)
}

func (p *textPage) proseRoom() int { return min(p.room(), maxProse) }

// clipRoom is the room for a line that is shown in short.
func (p *textPage) clipRoom() int {
	if r := p.room(); r > 0 {
		return r
	}
	return pipeClip
}

// block begins a block: a blank line before it, unless it and the block before
// are both single lines of calls.
func (p *textPage) block(tight bool) {
	if p.begun && !(tight && p.tight) {
		p.line()
	}
	p.begun, p.tight = true, false
}

// at writes where a block comes from.
func (p *textPage) at(place string) {
	if p.o.Places && place != "" {
		p.line(p.s.Dim(oneLine(place)))
	}
}

func (p *textPage) head(t *transcript.Thread) {
	title := clip(t.Title, max(p.clipRoom(), 20))
	if title == "" {
		title = "(no title)"
	}
	p.line(p.s.Bold(title))
	p.line()
	const column = 11
	for _, r := range headRows(t, &p.o.Options) {
		label := term.Pad(r.label, column)
		for _, value := range r.values {
			width := 0
			if p.o.Width > 0 && !r.exact {
				width = max(p.o.Width-column, 20)
			}
			wrapLine(oneLine(value), width, func(piece string) {
				if r.bad {
					piece = p.s.Yellow(piece)
				}
				p.line(p.s.Dim(label), piece)
				label = term.Pad("", column)
			})
		}
	}
	p.begun = true
	p.flush()
}

// rule draws a line across with words in it.
func (p *textPage) rule(mark string, facts []string, bad bool) {
	width := p.o.Width
	if width <= 0 {
		width = pipeRule
	}
	words := clip(strings.Join(facts, " · "), max(width-8, 20))
	left, right := strings.Repeat(mark, 2)+" ", " "+strings.Repeat(mark, max(width-4-term.Width(words), 2))
	paint := p.s.Bold
	if bad {
		paint = p.s.Yellow
	}
	p.line(p.s.Dim(left), paint(words), p.s.Dim(right))
}

func (p *textPage) turn(tn *turn) {
	p.block(false)
	p.rule("━", turnFacts(tn, p.o.zone()), tn.rolledBack)
	p.flush()
}

func (p *textPage) goesOn(tn *turn) {
	p.block(false)
	p.rule("─", []string{turnFacts(tn, p.o.zone())[0] + " goes on"}, false)
}

func (p *textPage) foot(tn *turn) {
	bad, facts := footFacts(tn)
	hidden := hiddenText(tn)
	if bad == "" && hidden == "" && len(facts) == 0 {
		return
	}
	p.block(false)
	if hidden != "" {
		p.wrapped(p.s.Dim("┊ "), hidden, p.s.Dim)
	}
	if bad != "" {
		p.wrapped(p.s.Yellow("! "), oneLine(bad), p.s.Yellow)
	}
	if len(facts) > 0 {
		p.wrapped(p.s.Dim("└ "), strings.Join(facts, " · "), p.s.Dim)
	}
	p.flush()
}

func (p *textPage) marked(line int, at where) {
	p.block(false)
	p.line(p.s.Yellow(markText(line, at)))
	p.begun = false // no blank line before what it marks
}

func (p *textPage) end(s *summary) {
	p.block(false)
	p.rule("━", []string{"end"}, false)
	p.wrapped(p.s.Dim("└ "), strings.Join(endFacts(s), " · "), p.s.Dim)
	if p.o.Diff {
		p.changed(&s.files)
	}
	p.flush()
}

// event writes what is neither call nor result.
func (p *textPage) event(ev *transcript.Event) {
	p.block(false)
	p.at(placeText(ev.Source))
	switch ev.Kind {
	case transcript.User:
		p.user(ev)
	case transcript.Assistant:
		p.prose(p.origin(ev), ev.Text)
	case transcript.Reasoning:
		p.reasoning(ev)
	case transcript.Compaction:
		p.compaction(ev)
	case transcript.Context:
		p.context(ev)
	case transcript.Notice:
		p.notice(ev)
	}
	p.images(ev.Images)
	p.flush()
}

// origin writes how a text came about where that is not as usual, and gives
// the gutter of an answer.
func (p *textPage) origin(ev *transcript.Event) string {
	if ev.Origin != transcript.Recorded {
		p.line("  ", p.s.Dim("("+ev.Origin.String()+")"))
	}
	return "  "
}

func (p *textPage) user(ev *transcript.Event) {
	text := ev.Text
	if !p.o.All {
		text, _ = transcript.Unwrap(text)
	}
	bar := p.s.Cyan("▌") + " "
	if strings.TrimSpace(text) == "" && len(ev.Images) == 0 {
		p.line(bar, p.s.Dim(noWords))
		return
	}
	p.prose(bar, text)
}

// noWords stands for an empty prompt.
const noWords = "(no words)"

func (p *textPage) reasoning(ev *transcript.Event) {
	first := p.s.Dim("∴ ")
	for _, line := range textLines(ev.Text) {
		p.wrapped(first, expandTabs(plainTitle(line)), p.s.Dim)
		first = "  "
	}
}

// plainTitle is a line without the marks that make all of it bold, as the
// titles of reasoning summaries are.
func plainTitle(line string) string {
	if inner, ok := strings.CutPrefix(line, "**"); ok {
		if inner, ok = strings.CutSuffix(inner, "**"); ok && !strings.Contains(inner, "**") {
			return inner
		}
	}
	return line
}

func (p *textPage) compaction(ev *transcript.Event) {
	const mark = "context compacted"
	switch {
	case ev.Text == "":
		p.line(p.s.Dim("⋯ "), p.s.Dim(mark+"; its summary is not in the log"))
	case p.o.All:
		p.line(p.s.Dim("⋯ "), p.s.Dim(mark))
		p.prose("  ", ev.Text)
	default:
		p.line(p.s.Dim("⋯ "), p.s.Dim(clip(mark+": "+excerpt(ev.Text), p.clipRoom())))
	}
}

func (p *textPage) context(ev *transcript.Event) {
	p.line(p.s.Dim("┊ "), p.s.Dim(oneLine(joined("context", ev.Role))))
	for _, line := range textLines(ev.Text) {
		wrapLine(expandTabs(line), p.proseRoom(), func(piece string) { p.line(p.s.Dim("┊ "), p.s.Dim(piece)) })
	}
}

func (p *textPage) images(images []transcript.Image) {
	for i := range images {
		p.wrapped(p.s.Dim("▣ "), oneLine(imageText(&images[i])), p.s.Dim)
	}
}

// notice writes a mark of one line; what somebody wrote follows in full.
func (p *textPage) notice(ev *transcript.Event) {
	name := noticeName(ev.Status)
	sign, paint := "◦ ", p.s.Dim
	switch ev.Status {
	case "error", "gap":
		sign, paint = "! ", p.s.Yellow
	case "tool_end":
		p.toolEnd(ev)
		return
	case "plan", "review", "agent_message":
		p.line(paint(sign), paint(oneLine(name)))
		p.prose("  ", strings.TrimPrefix(ev.Text, name+": "))
		return
	}
	line, more := firstLine(ev.Text)
	if line = joinedBy(name, ": ", line); more {
		line += " " + term.Ellipsis
	}
	p.wrapped(paint(sign), oneLine(line), paint)
}

// wrapped writes a line in pieces; the first one has the gutter given, the
// others none.
func (p *textPage) wrapped(first, line string, paint func(string) string) {
	wrapLine(line, p.proseRoom(), func(piece string) {
		p.line(first, paint(piece))
		first = "  "
	})
}

// prose writes running text as Markdown is read in a terminal: code and tables
// as they are, everything else wrapped, each line on its own and lists and
// quotes with their indentation. Each line has the gutter.
func (p *textPage) prose(gutter, text string) {
	fence := ""
	for _, line := range textLines(text) {
		line = p.tabs(line)
		run, isMark := isFence(line)
		switch {
		case fence != "":
			if closesFence(line, fence) {
				fence = ""
			}
			p.line(gutter, line)
		case isMark:
			fence = run
			p.line(gutter, line)
		case strings.HasPrefix(strings.TrimLeft(line, " "), "|"):
			p.line(gutter, line)
		case headingMarks(line) > 0:
			wrapLine(line, p.proseRoom(), func(piece string) { p.line(gutter, p.s.Bold(piece)) })
		default:
			p.paragraph(gutter, line)
		}
	}
}

// paragraph writes a line of running text.
func (p *textPage) paragraph(gutter, line string) {
	room := p.proseRoom()
	if room == 0 {
		p.line(gutter, line)
		return
	}
	head, next := leadOf(line)
	if term.Width(head) > room/2 {
		head, next = "", ""
	}
	rest := line[len(head):]
	if rest == "" {
		p.line(gutter, head)
		return
	}
	wrapLine(rest, room-term.Width(head), func(piece string) {
		p.line(gutter, head, piece)
		head = next
	})
}
