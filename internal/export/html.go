package export

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"rollbook/internal/transcript"
)

// HTMLOptions say how a page is written besides what it shows.
type HTMLOptions struct {
	Options
	// Image bounds the bytes of an image that the page holds, and Images those
	// of all of them. Larger ones are named. Zero means DefaultImage and
	// DefaultImages, below zero none.
	Image, Images int64
	// Index is the name of the file that lists this page among others; empty
	// where there is none.
	Index string
}

// Images are held in memory while they are written, one at a time.
const (
	DefaultImage  = 8 << 20
	DefaultImages = 64 << 20
)

// HTML writes one thread as a page that needs nothing but itself: no network,
// and a policy by which a browser runs no script and takes no style but the two
// that this package holds.
type HTML struct {
	w       io.Writer
	o       HTMLOptions
	written bool
}

var _ transcript.Sink = (*HTML)(nil)

// NewHTML writes to w, which needs no buffer.
func NewHTML(w io.Writer, o HTMLOptions) *HTML {
	if o.Image == 0 {
		o.Image = DefaultImage
	}
	if o.Images == 0 {
		o.Images = DefaultImages
	}
	return &HTML{w: w, o: o}
}

var errOnePage = errors.New("a page of HTML holds one thread")

// Write writes the thread, event by event, and ends the page also where the
// thread ends in an error. It can be called once.
func (x *HTML) Write(t *transcript.Thread) error {
	if x.written {
		return errOnePage
	}
	x.written = true
	p := &htmlPage{o: x.o, project: t.Project, left: x.o.Images}
	p.w = x.w
	err := walk(t, x.o.Options, p)
	if p.failure == nil {
		p.close()
	}
	return errors.Join(err, p.closeErr(err))
}

// closeErr is why the end could not be written, where that is news.
func (p *htmlPage) closeErr(before error) error {
	if before != nil {
		return nil
	}
	return p.failure
}

// An htmlPage writes one thread.
type htmlPage struct {
	htmlWriter
	o       HTMLOptions
	project string
	left    int64 // bytes that images may still take
	speaker string
	open    bool // a turn's section is open
	part    stretch
	run     stretch
	toc     toc
}

// A stretch is what a browser lays out only when it comes near the window: a run
// of events within a turn, so that laying one out takes no time to speak of, and
// a part of the page, of whole turns, so that there are few that it must watch.
type stretch struct {
	events int // in the one that is open; 0: none is
	from   int // where it begins
}

const (
	maxRun       = 24
	maxRunBytes  = 48 << 10
	maxPart      = 120
	maxPartBytes = 256 << 10
)

func (p *htmlPage) head(t *transcript.Thread) {
	title := titleOf(t)
	p.top(title, p.o.Index, threadTools)
	p.raw(`<main id="thread"><header class="head"><h1>`)
	p.text(title)
	p.raw("</h1>\n<dl class=\"facts\">")
	for _, r := range headRows(t, &p.o.Options) {
		p.raw("<div")
		if r.bad {
			p.raw(` class="bad"`)
		}
		p.raw("><dt>")
		p.text(r.label)
		p.raw("</dt>")
		for _, v := range r.values {
			p.raw("<dd>")
			p.text(v)
			p.raw("</dd>")
		}
		p.raw("</div>")
	}
	p.raw("</dl></header>\n")
	p.flush()
}

// titleOf is a thread's title on one line.
func titleOf(t *transcript.Thread) string {
	if title := excerpt(t.Title); title != "" {
		return title
	}
	return "(no title)"
}

func (p *htmlPage) turn(tn *turn) {
	p.section()
	facts := turnFacts(tn, p.o.zone())
	n := strconv.Itoa(tn.number)
	p.raw(`<section class="turn" id="t`)
	p.text(n)
	p.raw(`" aria-labelledby="h`)
	p.text(n)
	p.raw(`"><h2 id="h`)
	p.text(n)
	p.raw(`"><a href="#t`)
	p.text(n)
	p.raw(`">Turn `)
	p.text(n)
	p.raw("</a>")
	if len(facts) > 1 {
		p.raw(" <small>")
		p.text(strings.Join(facts[1:], " · "))
		p.raw("</small>")
	}
	p.raw("</h2>\n")
	p.toc.turn(tn.number)
}

func (p *htmlPage) goesOn(tn *turn) {
	p.section()
	n := strconv.Itoa(tn.number)
	p.raw(`<section class="turn"><h2><a href="#t`)
	p.text(n)
	p.raw(`">Turn `)
	p.text(n)
	p.raw("</a> <small>goes on</small></h2>\n")
}

func (p *htmlPage) endSection() {
	p.endRun()
	if p.open {
		p.raw("</section>\n")
		p.open = false
	}
}

func (p *htmlPage) endRun() { p.endStretch(&p.run) }

func (p *htmlPage) endStretch(s *stretch) {
	if s.events > 0 {
		p.raw("</div>\n")
		s.events = 0
	}
}

// begin opens a run where none is, or where the last one is full.
func (p *htmlPage) begin() {
	if p.run.events >= maxRun || p.size-p.run.from > maxRunBytes {
		p.endRun()
	}
	p.inPart()
	if p.run.events == 0 {
		p.raw(`<div class="run">`)
		p.run.from = p.size
	}
	p.run.events++
	p.part.events++
}

func (p *htmlPage) inPart() {
	if p.part.events == 0 {
		p.raw(`<div class="part">`)
		p.part = stretch{1, p.size}
	}
}

// section opens a turn's section, in a new part where the last one is full.
func (p *htmlPage) section() {
	p.endSection()
	if p.part.events >= maxPart || p.size-p.part.from > maxPartBytes {
		p.endStretch(&p.part)
	}
	p.inPart()
	p.open, p.speaker = true, ""
}

func (p *htmlPage) marked(line int, at where) {
	p.begin()
	p.raw(`<p class="mark" id="marked">`)
	p.text(markText(line, at))
	p.raw("</p>")
}

func (p *htmlPage) foot(tn *turn) {
	bad, facts := footFacts(tn)
	hidden := hiddenText(tn)
	if bad == "" && hidden == "" && len(facts) == 0 {
		return
	}
	p.begin()
	p.raw(`<p class="foot">`)
	if bad != "" {
		p.raw(`<b class="bad">`)
		p.text(bad)
		p.raw("</b> ")
	}
	p.text(joinedBy(strings.Join(facts, " · "), " · ", hidden))
	p.raw("</p>\n")
	p.flush()
}

func (p *htmlPage) end(s *summary) {
	p.endSection()
	p.endStretch(&p.part)
	p.raw(`<footer class="end"><p>`)
	p.text(strings.Join(endFacts(s), " · "))
	p.raw("</p>")
	if p.o.Diff {
		p.changed(&s.files)
	}
	p.raw("</footer></main>\n")
	p.toc.write(&p.htmlWriter)
	p.flush()
}

// changed lists the files that were changed.
func (p *htmlPage) changed(c *changedFiles) {
	list := c.list()
	if len(list) == 0 {
		return
	}
	p.raw(`<table class="files"><caption>`)
	p.text(many(len(list)+c.more, "file") + " changed " + sumStats(list).counts())
	p.raw(`</caption><thead><tr><th scope="col">file</th><th scope="col">lines</th><th scope="col">patches</th></tr></thead><tbody>`)
	for i := range list {
		f := &list[i]
		p.raw("<tr><td><code>")
		p.text(f.letter() + " " + statName(p.project, f))
		p.raw("</code></td><td>")
		p.text(f.counts())
		p.raw("</td><td>")
		p.text(strconv.Itoa(f.patches))
		p.raw("</td></tr>\n")
	}
	if c.more > 0 {
		p.raw(`<tr><td colspan="3">… and more</td></tr>`)
	}
	p.raw("</tbody></table>")
}
