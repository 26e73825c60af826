package term

import "golang.org/x/term"

// descriptor is what *os.File has.
type descriptor interface{ Fd() uintptr }

// IsTerminal reports whether the stream is a terminal. Anything without a file
// descriptor is none.
func IsTerminal(stream any) bool {
	f, ok := stream.(descriptor)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Columns returns the width of the terminal in columns, or 0 if the stream is
// no terminal or does not tell.
func Columns(stream any) int {
	columns, _ := size(stream)
	return columns
}

// Rows returns the height of the terminal in lines, or 0 if the stream is no
// terminal or does not tell.
func Rows(stream any) int {
	_, rows := size(stream)
	return rows
}

func size(stream any) (columns, rows int) {
	f, ok := stream.(descriptor)
	if !ok {
		return 0, 0
	}
	columns, rows, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0, 0
	}
	return columns, rows
}
