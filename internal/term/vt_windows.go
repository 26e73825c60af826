package term

import "golang.org/x/sys/windows"

// AcceptsEscapes reports whether the terminal acts on ANSI escape sequences,
// and asks an older Windows console to do so.
func AcceptsEscapes(stream any) bool {
	f, ok := stream.(descriptor)
	if !ok {
		return false
	}
	var mode uint32
	if err := windows.GetConsoleMode(windows.Handle(f.Fd()), &mode); err != nil {
		return false
	}
	const vt = windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING
	return mode&vt != 0 || windows.SetConsoleMode(windows.Handle(f.Fd()), mode|vt) == nil
}
