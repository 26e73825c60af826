package term

import (
	"fmt"
	"strings"
	"testing"
)

func threads() []Column {
	return []Column{{Title: "ID"}, {Title: "SIZE", Right: true}, {Title: "TITLE", Flex: true}}
}

func render(t *testing.T, width int, style Style, cols []Column, rows ...[]string) string {
	t.Helper()
	var b strings.Builder
	table := NewTable(&b, width, style, cols...)
	for _, r := range rows {
		if err := table.Row(r...); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTable(t *testing.T) {
	rows := [][]string{{"a1", "12", "short"}, {"b22", "1,234", "日本語 and a long title"}, {"c", "", ""}}
	tests := []struct {
		name  string
		width int
		want  string
	}{
		{"as long as it likes", 0, "ID    SIZE  TITLE\na1      12  short\nb22  1,234  日本語 and a long title\nc\n"},
		{"fits", 40, "ID    SIZE  TITLE\na1      12  short\nb22  1,234  日本語 and a long title\nc\n"},
		{"cut", 24, "ID    SIZE  TITLE\na1      12  short\nb22  1,234  日本語 and …\nc\n"},
		{"never below eight columns", 5, "ID    SIZE  TITLE\na1      12  short\nb22  1,234  日本語 …\nc\n"},
	}
	for _, tt := range tests {
		if got := render(t, tt.width, Style{}, threads(), rows...); got != tt.want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestTableWithoutRows(t *testing.T) {
	if got := render(t, 80, Style{}, threads()); got != "" {
		t.Errorf("got %q, want nothing", got)
	}
}

func TestTableCellsAreSafe(t *testing.T) {
	got := render(t, 80, Style{}, threads(), []string{"a", "1", "x\x1b[2J\ny"})
	if want := "ID  SIZE  TITLE\na      1  x\\x1b[2J\\ny\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTableColours(t *testing.T) {
	style := NewStyle(true)
	cols := []Column{{Title: "N", Right: true, Paint: style.Dim}, {Title: "T"}}
	got := render(t, 0, style, cols, []string{"10", "x"})
	if want := "\x1b[1m N\x1b[0m  \x1b[1mT\x1b[0m\n\x1b[2m10\x1b[0m  x\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The table holds 1000 rows at most; what comes after streams, in the same
// columns, and the flexible one may use the room that is left.
func TestTableStreams(t *testing.T) {
	var b strings.Builder
	table := NewTable(&b, 30, Style{}, threads()...)
	for i := range tableSettle {
		if i > 0 && b.Len() > 0 {
			t.Fatalf("row %d was written before the widths are known", i)
		}
		table.Row("id", fmt.Sprint(1), "t")
	}
	before := b.Len()
	if before == 0 {
		t.Fatalf("%d rows are held", tableSettle)
	}
	table.Row("id", "2", strings.Repeat("x", 50))
	if got, want := b.String()[before:], "id     2  "+strings.Repeat("x", 19)+"…\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTableWriteError(t *testing.T) {
	table := NewTable(fullDisk{}, 0, Style{}, threads()...)
	if err := table.Row("a"); err != nil {
		t.Errorf("held row: %v", err)
	}
	if err := table.Flush(); err != errFull {
		t.Errorf("Flush = %v, want %v", err, errFull)
	}
}

func TestStyleOff(t *testing.T) {
	var s Style
	for _, got := range []string{s.Bold("x"), s.Dim("x"), s.Red("x"), s.Green("x"), s.Yellow("x"), s.Cyan("x")} {
		if got != "x" {
			t.Errorf("got %q, want the text alone", got)
		}
	}
	if got := NewStyle(true).Red(""); got != "" {
		t.Errorf("empty text became %q", got)
	}
}
