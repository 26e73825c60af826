//go:build !windows

package term

// AcceptsEscapes reports whether the terminal acts on ANSI escape sequences.
// Terminals outside Windows do, unless TERM says otherwise.
func AcceptsEscapes(stream any) bool { return IsTerminal(stream) }
