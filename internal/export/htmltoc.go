package export

import (
	"strconv"
	"strings"

	"rollbook/internal/transcript"
)

// A toc is the table of the turns that a page holds. It stands at the page's
// end, so that nothing has to be read twice, and a style puts it to the side.
type toc struct {
	turns []tocTurn
	more  int // turns of which only the number is known
	last  int // number of the turn begun last
}

// A tocTurn is a turn's number and the beginning of what was asked in it.
type tocTurn struct {
	number int
	words  string
}

const (
	maxToc   = 20_000 // turns with words
	tocWords = 72     // columns
	tocPart  = 50     // turns of a list that a browser lays out at once
)

func (t *toc) turn(number int) {
	t.last = number
	if len(t.turns) >= maxToc {
		t.more++
		return
	}
	t.turns = append(t.turns, tocTurn{number: number})
}

// words notes what was asked, the first time in a turn.
func (t *toc) words(text string) {
	if n := len(t.turns); n > 0 && t.more == 0 && t.turns[n-1].words == "" {
		t.turns[n-1].words = strings.Clone(clip(excerpt(text), tocWords))
	}
}

func (t *toc) write(h *htmlWriter) {
	h.raw(`<nav id="turns" aria-label="Turns"><h2>Turns</h2><ol>`)
	for i := range t.turns {
		if i > 0 && i%tocPart == 0 {
			h.raw("</ol><ol>")
		}
		n := strconv.Itoa(t.turns[i].number)
		h.raw(`<li><a href="#t`)
		h.text(n)
		h.raw(`"><span>`)
		h.text(n)
		h.raw("</span> ")
		h.text(t.turns[i].words)
		h.raw("</a></li>\n")
	}
	h.raw("</ol>")
	if t.more > 0 {
		h.raw(`<p>and `)
		h.text(many(t.more, "turn"))
		h.raw(` more, up to <a href="#t`)
		h.text(strconv.Itoa(t.last))
		h.raw(`">turn `)
		h.text(strconv.Itoa(t.last))
		h.raw("</a></p>")
	}
	h.raw("</nav>\n")
}

// wordsOf is what a thread is about: its title, else its id.
func wordsOf(m *transcript.Meta) string {
	if title := excerpt(m.Title); title != "" {
		return title
	}
	return m.ID
}
