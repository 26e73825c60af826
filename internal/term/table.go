package term

import (
	"io"
	"strings"
)

// A Column is one column of a Table.
type Column struct {
	Title string
	Right bool // align right, as numbers are
	Flex  bool // may be cut when the line is wider than the terminal
	// Paint colours a cell that is already safe, cut and padded; nil leaves
	// it plain.
	Paint func(cell string) string
}

const (
	tableGap     = 2    // spaces between columns
	tableMinFlex = 8    // a flexible column is never cut below this width
	tableSettle  = 1000 // rows that decide the widths; later rows stream
)

// A Table writes rows in aligned columns. Cells are made safe for one line.
// Widths come from the first 1000 rows, which are held until then or until
// Flush; so memory does not grow with the number of rows.
type Table struct {
	w      io.Writer
	width  int // columns to fit into; 0 means never cut
	style  Style
	cols   []Column
	held   [][]string
	widths []int // nil until settled
}

// NewTable returns a table that fits lines into width columns, where 0 means
// that lines may be as long as they like (a pipe or a file).
func NewTable(w io.Writer, width int, style Style, cols ...Column) *Table {
	return &Table{w: w, width: width, style: style, cols: cols}
}

// Row adds a row. Missing cells are empty; cells beyond the columns panic.
func (t *Table) Row(cells ...string) error {
	row := make([]string, len(t.cols))
	for i, c := range cells {
		row[i] = Safe(c, OneLine)
	}
	if t.widths != nil {
		return t.write(row)
	}
	t.held = append(t.held, row)
	if len(t.held) < tableSettle {
		return nil
	}
	return t.settle(true)
}

// Flush writes what is held. A table without rows writes nothing, not even its
// header.
func (t *Table) Flush() error {
	if len(t.held) == 0 {
		return nil
	}
	return t.settle(false)
}

// settle fixes the widths and writes the header and the rows held so far.
func (t *Table) settle(more bool) error {
	t.widths = make([]int, len(t.cols))
	for i, c := range t.cols {
		t.widths[i] = Width(c.Title)
		for _, row := range t.held {
			t.widths[i] = max(t.widths[i], Width(row[i]))
		}
	}
	if t.width > 0 {
		t.fit(more)
	}
	if err := t.header(); err != nil {
		return err
	}
	for _, row := range t.held {
		if err := t.write(row); err != nil {
			return err
		}
	}
	t.held = nil
	return nil
}

// fit takes what is too much from the flexible columns, the last one first.
// When more rows are to come, the last flexible column gets the room left.
func (t *Table) fit(more bool) {
	total := tableGap * (len(t.cols) - 1)
	for _, w := range t.widths {
		total += w
	}
	excess := total - t.width
	for i := len(t.cols) - 1; i >= 0; i-- {
		if !t.cols[i].Flex {
			continue
		}
		if excess < 0 && !more {
			return
		}
		cut := min(excess, max(t.widths[i]-tableMinFlex, 0))
		t.widths[i] -= cut
		if excess -= cut; excess <= 0 {
			return
		}
	}
}

func (t *Table) header() error {
	var b strings.Builder
	for i, c := range t.cols {
		t.cell(&b, i, c.Title, t.style.Bold)
	}
	return t.line(&b)
}

func (t *Table) write(row []string) error {
	var b strings.Builder
	for i, c := range t.cols {
		t.cell(&b, i, row[i], c.Paint)
	}
	return t.line(&b)
}

// cell appends one cell and the gap before it. The last column is not padded
// on the right.
func (t *Table) cell(b *strings.Builder, i int, text string, paint func(string) string) {
	if i > 0 {
		b.WriteString(spaces(tableGap))
	}
	if t.cols[i].Flex && t.width > 0 {
		text = Truncate(text, t.widths[i])
	}
	switch {
	case t.cols[i].Right:
		text = PadLeft(text, t.widths[i])
	case i < len(t.cols)-1:
		text = Pad(text, t.widths[i])
	}
	if paint != nil {
		text = paint(text)
	}
	b.WriteString(text)
}

func (t *Table) line(b *strings.Builder) error {
	_, err := io.WriteString(t.w, strings.TrimRight(b.String(), " ")+"\n")
	return err
}
