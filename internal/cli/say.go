package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"rollbook/internal/term"
)

// The three kinds of lines on standard error, and the only ones.

// warnf writes a warning line: the command goes on, but something is not as it
// should be. The text is one line, lower case, without a full stop.
func (e *Env) warnf(format string, args ...any) {
	e.say("warning:", e.errStyle().Yellow, fmt.Sprintf(format, args...))
}

// hintf writes a hint line: what the reader can do next.
func (e *Env) hintf(format string, args ...any) {
	e.say("hint:", e.errStyle().Cyan, fmt.Sprintf(format, args...))
}

// sayError writes the error line, where the error has words, and its hints.
func (e *Env) sayError(cmd *cobra.Command, err error) {
	if hasWords(err) {
		e.say("error:", e.errStyle().Red, err.Error())
	}
	hints := hintsOf(err)
	if ee, ok := errors.AsType[*exitError](err); ok && ee.code == exitUsage && len(hints) == 0 {
		hints = []string{usageHint(cmd)}
	}
	for _, h := range hints {
		e.hintf("%s", h)
	}
}

// hasWords reports whether an error says more than its exit code.
func hasWords(err error) bool {
	ee, ok := errors.AsType[*exitError](err)
	return err != nil && (!ok || ee.err != nil)
}

// helpHint gives the command line that shows the help of cmd.
func helpHint(cmd *cobra.Command) string {
	if cmd == nil || !cmd.HasParent() {
		return "rollbook help"
	}
	return cmd.CommandPath() + " --help"
}

// say writes one line in one call. What it cannot write it cannot tell either.
func (e *Env) say(kind string, paint func(string) string, text string) {
	e.bar.Clear()
	io.WriteString(e.Stderr, "rollbook: "+paint(kind)+" "+term.Safe(text, term.OneLine)+"\n")
}
