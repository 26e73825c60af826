package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"rollbook/internal/query"
	"rollbook/internal/search"
	"rollbook/internal/store"
	"rollbook/internal/term"
	"rollbook/internal/transcript"
)

// hits are what a search found, from the store or from files.
type hits struct {
	list   []hitLine
	total  int
	more   bool // there are more than total
	ranked int
	next   string
	facets *store.Facets
}

// A hitLine is one hit, ready to be told.
type hitLine struct {
	ID      string      `json:"id,omitempty"`
	Thread  string      `json:"thread_id"`
	Title   string      `json:"title"`
	Project *string     `json:"project"`
	Turn    *int        `json:"turn"`
	Time    time.Time   `json:"timestamp"`
	Kind    string      `json:"kind"`
	Role    string      `json:"role"`
	Tool    *string     `json:"tool"`
	File    string      `json:"file"`
	Line    *int        `json:"line"`
	Item    *int        `json:"item,omitempty"`
	Offset  int64       `json:"offset"`
	Natural *bool       `json:"natural,omitempty"`
	Snippet []hitPiece  `json:"snippet"`
	Text    string      `json:"text"`
	Before  []hitAround `json:"before,omitempty"`
	After   []hitAround `json:"after,omitempty"`

	rel string
}

type hitPiece struct {
	Text string `json:"text"`
	Hit  bool   `json:"hit"`
}

type hitAround struct {
	Time time.Time `json:"timestamp"`
	Role string    `json:"role"`
	Tool string    `json:"tool,omitempty"`
	Line int       `json:"line"`
	Text string    `json:"text"`
}

func foundIn(res *search.Result, o searchOptions) *hits {
	h := &hits{total: res.Total, more: res.More, ranked: res.Ranked, next: res.Next, facets: res.Facets}
	for i := range res.Hits {
		hit := &res.Hits[i]
		l := lineOf(&hit.Event.Event, hit.ThreadID, hit.Title, hit.Project, hit.Turn, hit.Item, hit.Role, hit.Flags, hit.Root, hit.Snippet)
		l.ID = fmt.Sprint(hit.ID)
		for _, ev := range hit.Before {
			l.Before = append(l.Before, aroundOf(ev))
		}
		for _, ev := range hit.After {
			l.After = append(l.After, aroundOf(ev))
		}
		h.list = append(h.list, l)
	}
	return h
}

func aroundOf(ev *store.Event) hitAround {
	return hitAround{ev.Time, ev.Role.String(), ev.Tool, ev.Source.Line, ev.Body()}
}

func scanned(found []search.Found, total int) *hits {
	h := &hits{total: total}
	for i := range found {
		f := &found[i]
		h.list = append(h.list, lineOf(&f.Event, f.ThreadID, f.Title, f.Project, f.Turn, f.Item, f.Role, f.Flags, f.Root, f.Snippet))
	}
	return h
}

func lineOf(ev *transcript.Event, thread, title, project string, turn, item int, role store.Role, flags store.Flag, root string, snippet []query.Piece) hitLine {
	l := hitLine{Thread: thread, Title: title, Time: ev.Time, Kind: ev.Kind.String(), Role: role.String(), rel: ev.Source.File,
		File: filepath.Join(root, filepath.FromSlash(ev.Source.File)), Offset: ev.Source.Offset, Text: store.TextOf(ev), Snippet: []hitPiece{}}
	if project != "" {
		l.Project = &project
	}
	if turn > 0 {
		l.Turn = &turn
	}
	if tool := store.ToolOf(ev); tool != "" {
		l.Tool = &tool
	}
	if item > 0 {
		l.Item = &item
	} else if ev.Source.Line > 0 {
		l.Line = &ev.Source.Line
	}
	if ev.Kind == transcript.User {
		natural := flags&store.Natural != 0
		l.Natural = &natural
	}
	for _, p := range snippet {
		l.Snippet = append(l.Snippet, hitPiece{p.Text, p.Hit})
	}
	return l
}

type searchJSON struct {
	SchemaVersion int           `json:"schema_version"`
	Total         int           `json:"total"`
	More          bool          `json:"more_than_total"` // only that many were counted
	Ranked        *int          `json:"ranked"`
	Next          *string       `json:"next"`
	Hits          []hitLine     `json:"hits"`
	Facets        *searchFacets `json:"facets,omitempty"`
}

type searchFacets struct {
	Of       int           `json:"of"`
	Roles    []store.Facet `json:"roles"`
	Tools    []store.Facet `json:"tools"`
	Projects []store.Facet `json:"projects"`
	Months   []store.Facet `json:"months"`
}

// sayHits tells what was found.
func (e *Env) sayHits(h *hits, o searchOptions, took time.Duration) error {
	if o.json {
		v := searchJSON{SchemaVersion: 1, Total: h.total, More: h.more, Hits: h.list}
		if v.Hits == nil {
			v.Hits = []hitLine{}
		}
		if o.rank {
			v.Ranked = &h.ranked
		}
		if h.next != "" {
			v.Next = &h.next
		}
		if f := h.facets; f != nil {
			v.Facets = &searchFacets{f.Of, f.Roles, f.Tools, f.Projects, f.Months}
		}
		return e.writeJSON(v)
	}
	w := &hitWriter{e: e, style: e.style(), width: e.helpWidth()}
	for i := range h.list {
		if i > 0 {
			w.b.WriteByte('\n')
		}
		w.hit(&h.list[i])
	}
	w.footer(h, o, took)
	_, err := e.Stdout.Write([]byte(w.b.String()))
	return err
}

// A hitWriter writes hits for people.
type hitWriter struct {
	e     *Env
	b     strings.Builder
	style term.Style
	width int
}

func (w *hitWriter) hit(l *hitLine) {
	who := l.Role
	if l.Kind != "user" && l.Kind != "assistant" && l.Kind != "tool_call" {
		who = strings.ReplaceAll(l.Kind, "_", " ")
	}
	if l.Tool != nil {
		who += " " + *l.Tool
	}
	head := term.FormatTime(l.Time, w.e.now().Location()) + "  " + term.Pad(term.Safe(who, term.OneLine), 9)
	about := l.Title
	if l.Project != nil {
		about = base(*l.Project) + ": " + about
	}
	about = term.Truncate(term.Safe(about, term.OneLine), max(10, w.width-term.Width(head)-2))
	fmt.Fprintf(&w.b, "%s  %s\n", w.style.Bold(head), about)
	for _, a := range l.Before {
		w.around(a)
	}
	w.snippet(l.Snippet)
	for _, a := range l.After {
		w.around(a)
	}
	place := shortID(l.Thread)
	if l.Turn != nil {
		place += fmt.Sprintf("#%d", *l.Turn)
	}
	line := ""
	switch {
	case l.Item != nil:
		line = fmt.Sprintf(" item %d", *l.Item)
	case l.Line != nil:
		line = fmt.Sprintf(":%d", *l.Line)
	}
	file := term.Safe(l.File, term.OneLine) + line
	if w.e.width() > 0 && term.Width(place+file)+4 > w.width { // the name is enough to know it by; --json has the path
		file = base(l.File) + line
	}
	fmt.Fprintf(&w.b, "  %s\n", w.style.Dim(place+"  "+file))
}

// base is the last part of a folder's path.
func base(dir string) string {
	return term.Safe(dir[strings.LastIndexAny(strings.TrimRight(dir, `/\`), `/\`)+1:], term.OneLine)
}

func shortID(id string) string {
	if len(id) == 36 {
		return id[:13]
	}
	return term.Safe(id, term.OneLine)
}

func (w *hitWriter) around(a hitAround) {
	who := a.Role
	if a.Tool != "" {
		who += " " + a.Tool
	}
	text := term.Safe(strings.Join(strings.Fields(a.Text[:min(len(a.Text), 2000)]), " "), term.OneLine)
	w.b.WriteString("  " + w.style.Dim(term.Truncate(term.Safe(who, term.OneLine)+": "+text, w.width-4)) + "\n")
}

// snippet writes the pieces in lines that fit.
func (w *hitWriter) snippet(pieces []hitPiece) {
	column := 0
	put := func(word string, hit bool) {
		n := term.Width(word)
		if column > 0 && column+n > w.width-4 {
			w.b.WriteByte('\n')
			column = 0
			word = strings.TrimLeft(word, " ")
			n = term.Width(word)
		}
		if column == 0 {
			w.b.WriteString("    ")
		}
		column += n
		if hit {
			word = w.style.Yellow(word)
		}
		w.b.WriteString(word)
	}
	for _, p := range pieces {
		text := term.Safe(p.Text, term.OneLine)
		for text != "" {
			i := strings.IndexByte(text[1:], ' ') + 1
			if i <= 0 {
				i = len(text)
			}
			put(text[:i], p.Hit)
			text = text[i:]
		}
	}
	if column > 0 {
		w.b.WriteByte('\n')
	}
}

func (w *hitWriter) footer(h *hits, o searchOptions, took time.Duration) {
	if len(h.list) == 0 {
		w.b.WriteString(w.style.Dim("nothing was found") + "\n")
		return
	}
	total := term.FormatCount(int64(h.total))
	if h.more {
		total = "more than " + total
	}
	order := "the newest first"
	if o.rank {
		order = "the best first"
		if h.more {
			order = fmt.Sprintf("the best of the newest %s first", term.FormatCount(int64(h.ranked)))
		}
	}
	fmt.Fprintf(&w.b, "\n%s\n", w.style.Dim(fmt.Sprintf("%d of %s, %s, in %s", len(h.list), total, order, term.FormatDuration(took))))
	if h.next != "" {
		fmt.Fprintf(&w.b, "%s\n", w.style.Dim("next page: --after "+h.next))
	}
	if f := h.facets; f != nil {
		w.facets(f)
	}
}

func (w *hitWriter) facets(f *store.Facets) {
	fmt.Fprintf(&w.b, "\n%s\n", w.style.Bold("of "+term.FormatCount(int64(f.Of))))
	for _, g := range []struct {
		name string
		list []store.Facet
	}{{"role", f.Roles}, {"tool", f.Tools}, {"project", f.Projects}, {"month", f.Months}} {
		for i, v := range g.list {
			name := g.name
			if i > 0 {
				name = ""
			}
			value := v.Value
			if value == "" {
				value = "(none)"
			}
			fmt.Fprintf(&w.b, "  %s  %s  %s\n", term.Pad(name, 8), term.PadLeft(term.FormatCount(int64(v.Count)), 7), term.Safe(value, term.OneLine))
		}
	}
}
