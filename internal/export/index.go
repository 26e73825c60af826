package export

import (
	"io"
	"strconv"
	"time"

	"rollbook/internal/term"
	"rollbook/internal/transcript"
)

// An Entry is a thread in a list of those that were written beside it.
type Entry struct {
	Meta *transcript.Meta
	File string // name of its page, beside the list
	Lost int    // findings in its files by which something was lost
}

// An Index lists the threads of a folder. Begin comes first, then Add for each
// of them, then End; they return the first error of the writer.
type Index interface {
	Begin(total int) error
	Add(e Entry) error
	End() error
}

// NewMarkdownIndex lists threads as Markdown.
func NewMarkdownIndex(w io.Writer, zone *time.Location) Index {
	return &mdIndex{mdWriter: mdWriter{out: out{w: w}}, zone: zone}
}

type mdIndex struct {
	mdWriter
	zone *time.Location
}

func (x *mdIndex) Begin(total int) error {
	x.put("# ", many(total, "thread"))
	x.put()
	x.put("| thread | project | when | turns | lost |")
	x.put("|---|---|---|--:|--:|")
	x.flush()
	return x.err()
}

func (x *mdIndex) Add(e Entry) error {
	x.put("| [", mdPlain(clip(wordsOf(e.Meta), maxTitle)), "](", e.File, ") | ", mdPlain(e.Meta.Project), " | ",
		period(e.Meta.Created, e.Meta.Updated, x.zone), " | ", term.FormatCount(int64(e.Meta.Counts.Turns)), " | ", lostText(e.Lost), " |")
	x.flush()
	return x.err()
}

func (x *mdIndex) End() error {
	x.flush()
	return x.err()
}

func lostText(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// NewHTMLIndex lists threads as a page like those of HTML.
func NewHTMLIndex(w io.Writer, zone *time.Location) Index {
	return &htmlIndex{htmlWriter: htmlWriter{out: out{w: w}}, zone: zone}
}

type htmlIndex struct {
	htmlWriter
	zone *time.Location
}

func (x *htmlIndex) Begin(total int) error {
	title := many(total, "thread")
	x.top(title, "", "")
	x.raw(`<main id="thread" class="wide"><header class="head"><h1>`)
	x.text(title)
	x.raw("</h1></header>\n<table class=\"threads\"><thead><tr><th scope=\"col\">thread</th><th scope=\"col\">project</th><th scope=\"col\">when</th>" +
		"<th scope=\"col\" class=\"num\">turns</th><th scope=\"col\" class=\"num\">lost</th></tr></thead><tbody>\n")
	x.flush()
	return x.err()
}

func (x *htmlIndex) Add(e Entry) error {
	x.raw(`<tr><td><a href="`)
	x.text(e.File)
	x.raw(`">`)
	x.text(wordsOf(e.Meta))
	x.raw(`</a></td><td>`)
	x.text(oneLine(e.Meta.Project))
	x.raw(`</td><td class="when">`)
	x.text(period(e.Meta.Created, e.Meta.Updated, x.zone))
	x.raw(`</td><td class="num" data-label="turns">`)
	x.text(term.FormatCount(int64(e.Meta.Counts.Turns)))
	if e.Lost > 0 {
		x.raw(`</td><td class="num bad" data-label="lost">`)
		x.text(lostText(e.Lost))
	} else {
		x.raw(`</td><td class="num">`)
	}
	x.raw("</td></tr>\n")
	x.flush()
	return x.err()
}

func (x *htmlIndex) End() error {
	x.raw("</tbody></table></main>\n")
	x.close()
	return x.err()
}
