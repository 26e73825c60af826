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
	f, ok := stream.(descriptor)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}
