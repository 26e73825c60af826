package cli

import (
	"bytes"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
	"time"

	"rollbook/internal/discover"
	"rollbook/internal/listing"
	"rollbook/internal/term"
	"rollbook/internal/transcript"
)

// writeListing writes the threads that are wanted. It returns them, and how many
// more there are with --all.
func (e *Env) writeListing(l *listing.Listing, f listing.Filter, o threadsOptions) (shown []*listing.Thread, more int, err error) {
	if o.tree {
		nodes := l.Families(f)
		return threadsOf(nodes), 0, e.writeThreadTable(l, nodes)
	}
	shown, more = l.Select(f)
	switch {
	case o.json:
		err = e.writeJSON(l.JSON(shown, more))
	case o.long:
		err = e.writeLong(l, shown)
	default:
		nodes := make([]listing.Node, len(shown))
		for i, t := range shown {
			nodes[i].Thread = t
		}
		err = e.writeThreadTable(l, nodes)
	}
	return shown, more, err
}

func threadsOf(nodes []listing.Node) []*listing.Thread {
	threads := make([]*listing.Thread, len(nodes))
	for i, n := range nodes {
		threads[i] = n.Thread
	}
	return threads
}

// A threadColumn is a column of the table of threads.
type threadColumn struct {
	title string
	right bool
	from  int // the narrowest terminal that has it; a pipe has all
	paint func(term.Style, string) string
	cell  func(*threadRow) string
}

// The widths from which on a terminal has room for more columns.
const (
	narrow   = 60
	wide     = 120
	wider    = 140
	pipeOnly = maxColumns + 1
)

// threadColumns are the columns before the title. On a terminal state and hidden
// stand behind it.
var threadColumns = []threadColumn{
	{"active", false, 0, term.Style.Dim, func(r *threadRow) string { return r.time(r.Updated) }},
	{"created", false, pipeOnly, nil, func(r *threadRow) string { return r.time(r.Created) }},
	{"id", false, 0, term.Style.Cyan, (*threadRow).id},
	{"project", false, narrow, nil, (*threadRow).project},
	{"source", false, wide, nil, (*threadRow).source},
	{"turns", true, wide, term.Style.Dim, func(r *threadRow) string { return strconv.Itoa(r.Counts.Turns) }},
	{"messages", true, wider, term.Style.Dim, func(r *threadRow) string { return strconv.Itoa(messages(r.Thread)) }},
	{"tools", true, wide, term.Style.Dim, func(r *threadRow) string { return strconv.Itoa(r.Counts.ToolCalls) }},
	{"size", true, wide, term.Style.Dim, (*threadRow).size},
	{"files", true, pipeOnly, nil, func(r *threadRow) string { return strconv.Itoa(r.Counts.Files) }},
	{"state", false, pipeOnly, nil, func(r *threadRow) string { return string(r.State) }},
	{"hidden", false, pipeOnly, nil, func(r *threadRow) string { return hiddenBy(r.Thread) }},
	{"parent", false, pipeOnly, nil, func(r *threadRow) string { return r.ParentID }},
	{"forked from", false, pipeOnly, nil, func(r *threadRow) string { return r.ForkedFrom }},
	{"title from", false, wider, term.Style.Dim, func(r *threadRow) string { return r.TitleSource }},
}

// A threadTable writes threads as a table: on a terminal in lines that fit it,
// with the more columns the wider it is; into a pipe with all of them, whole.
type threadTable struct {
	e      *Env
	style  term.Style
	width  int // of the terminal; 0 is a pipe
	prefix int // bytes of ids that are enough
	cols   []threadColumn
	widths []int
	room   int // for what stands behind the columns; no end in a pipe
	line   []byte
}

// A threadRow is what the cells of a row are made of.
type threadRow struct {
	listing.Node
	*threadTable
	cells []cell
}

// A cell is a text that is safe, and how many columns it takes.
type cell struct {
	text  string
	width int
}

func newCell(text string) cell {
	text = term.Safe(text, term.OneLine)
	return cell{text, term.Width(text)}
}

func (e *Env) writeThreadTable(l *listing.Listing, nodes []listing.Node) error {
	if len(nodes) == 0 {
		return nil
	}
	t := &threadTable{e: e, style: e.style(), width: e.width(), prefix: l.Prefix(threadsOf(nodes)), room: math.MaxInt}
	for _, c := range threadColumns {
		if t.width == 0 || c.from <= t.width {
			t.cols = append(t.cols, c)
			t.widths = append(t.widths, term.Width(c.title))
		}
	}
	rows, cells := make([]threadRow, len(nodes)), make([]cell, len(nodes)*len(t.cols))
	for i, n := range nodes {
		rows[i] = threadRow{Node: n, threadTable: t, cells: cells[i*len(t.cols):][:len(t.cols)]}
		rows[i].fill()
	}
	if t.width > 0 {
		t.room = t.width - columnGap*len(t.cols)
		for _, w := range t.widths {
			t.room -= w
		}
	}
	if err := t.header(); err != nil {
		return err
	}
	for i := range rows {
		if err := rows[i].write(); err != nil {
			return err
		}
	}
	return nil
}

// fill makes the cells of a row.
func (r *threadRow) fill() {
	for i, c := range r.cols {
		r.cells[i] = newCell(c.cell(r))
		r.widths[i] = max(r.widths[i], r.cells[i].width)
	}
}

func (r *threadRow) write() error {
	for i, cell := range r.cells {
		r.put(i, cell, r.cols[i].paint)
	}
	title := term.Safe(r.title(), term.OneLine)
	if r.width == 0 {
		return r.end(title, nil, "", "")
	}
	state, hidden := r.notes()
	return r.end(title, nil, joined(", ", state, hidden), joined(", ", r.paintState(state), r.style.Yellow(hidden)))
}

func (t *threadTable) header() error {
	for i, c := range t.cols {
		t.put(i, newCell(c.title), term.Style.Bold)
	}
	notes := "state, why hidden"
	if t.width == 0 || len("title")+columnGap+len(notes) > t.room {
		notes = ""
	}
	return t.end("title", t.style.Bold, notes, t.style.Bold(notes))
}

const (
	columnGap = 2
	blanks    = "                                                                "
)

// put appends a cell and the gap behind it.
func (t *threadTable) put(i int, c cell, paint func(term.Style, string) string) {
	pad, text := t.widths[i]-c.width, c.text
	if paint != nil && t.style.On() {
		text = paint(t.style, text)
	}
	if t.cols[i].right {
		t.pad(pad)
		pad = 0
	}
	t.line = append(t.line, text...)
	t.pad(pad + columnGap)
}

func (t *threadTable) pad(n int) {
	for ; n > 0; n -= len(blanks) {
		t.line = append(t.line, blanks[:min(n, len(blanks))]...)
	}
}

// end appends the title, and at the right edge the notes, and writes the line.
// Title and notes share what the columns leave: few threads have notes, and all
// others need the room for their titles.
func (t *threadTable) end(title string, paint func(string) string, notes, painted string) error {
	room := t.room
	if notes != "" && t.width > 0 {
		room = max(room-columnGap-term.Width(notes), 0)
	}
	if t.width > 0 {
		title = term.Truncate(title, room)
	}
	pad := 0
	if notes != "" {
		pad = room - term.Width(title) + columnGap
	}
	if paint != nil {
		title = paint(title)
	}
	t.line = append(t.line, title...)
	t.pad(pad)
	t.line = append(t.line, painted...)
	t.line = append(bytes.TrimRight(t.line, " "), '\n')
	_, err := t.e.Stdout.Write(t.line)
	t.line = t.line[:0]
	return err
}

func (r *threadRow) time(t time.Time) string {
	text := term.FormatTime(t, r.e.now().Location())
	if r.width > 0 && r.width < wide && len(text) > 10 {
		return text[:10] // the day
	}
	return text
}

func (r *threadRow) id() string {
	if r.width == 0 {
		return r.ID
	}
	return r.ID[:min(r.prefix, len(r.ID))]
}

// project gives the name of the folder, or into a pipe all of its path.
func (r *threadRow) project() string {
	if r.width == 0 {
		return r.Project
	}
	name := r.Project
	if discover.WindowsPath(name) {
		name = strings.ReplaceAll(name, `\`, "/")
	}
	if name = path.Base(name); name == "." {
		return ""
	}
	return term.Truncate(term.Safe(name, term.OneLine), 16)
}

func (r *threadRow) source() string {
	if r.width > 0 && r.Kind != listing.Main {
		return string(r.Kind)
	}
	return r.Source
}

func (r *threadRow) size() string {
	if r.width == 0 {
		return strconv.FormatInt(r.Counts.Bytes, 10)
	}
	return term.HumanSize(r.Counts.Bytes)
}

// leastTitle is how much of the room the notes leave to the title.
const leastTitle = 12

// notes gives what is not as usual: the state, and the codes. Where room is
// short it gives the first of them, and how many more.
func (r *threadRow) notes() (state, hidden string) {
	if r.State != transcript.Complete {
		state = string(r.State)
	}
	hidden = hiddenBy(r.Thread)
	if r.room-columnGap-term.Width(joined(", ", state, hidden)) >= leastTitle {
		return state, hidden
	}
	switch n := len(r.Why); {
	case state != "" && n > 0:
		return fmt.Sprintf("%s +%d", state, n), ""
	case n > 1:
		return "", fmt.Sprintf("%s +%d", r.Why[0], n-1)
	}
	return state, hidden
}

func (t *threadTable) paintState(state string) string {
	if strings.HasPrefix(state, string(transcript.Damaged)) {
		return t.style.Red(state)
	}
	return t.style.Green(state)
}

// hiddenBy lists the codes of a thread.
func hiddenBy(t *listing.Thread) string {
	all := make([]string, len(t.Why))
	for i, c := range t.Why {
		all[i] = string(c)
	}
	return strings.Join(all, ", ")
}

func messages(t *listing.Thread) int { return t.Counts.UserMessages + t.Counts.AssistantMessages }

// title gives the title behind the lines of the tree.
func (r *threadRow) title() string {
	var b strings.Builder
	for i, last := range r.Last {
		below := i == len(r.Last)-1
		switch {
		case below && last:
			b.WriteString("└─ ")
		case below:
			b.WriteString("├─ ")
		case last:
			b.WriteString("   ")
		default:
			b.WriteString("│  ")
		}
	}
	b.WriteString(titleOf(r.Thread))
	return b.String()
}

// titleOf gives what a thread is called, and a sub-agent's name with it.
func titleOf(t *listing.Thread) string {
	switch {
	case t.Title != "" && t.Agent.Nickname != "":
		return t.Agent.Nickname + ": " + t.Title
	case t.Title != "":
		return t.Title
	case t.Agent.Nickname != "":
		return t.Agent.Nickname
	case t.Kind != listing.Main:
		return "(" + string(t.Kind) + ")"
	}
	return "(no title)"
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return term.FormatCount(int64(n)) + " " + many
}
