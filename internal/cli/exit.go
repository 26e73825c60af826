package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// Exit codes are part of the output contract (docs/cli.md).
const (
	exitOK        = 0
	exitFailure   = 1
	exitPartial   = 2
	exitFindings  = 3
	exitLaunch    = 4
	exitUsage     = 64
	exitInterrupt = 130
	exitPipe      = 141
)

type exitCode struct {
	code    int
	meaning string
}

// exitCodes says what each code means, for help and for docs/cli.md.
var exitCodes = []exitCode{
	{exitOK, "done; also when a search or a list found nothing"},
	{exitFailure, "could not do it"},
	{exitPartial, "done, but some input was lost or refused"},
	{exitFindings, "possible secrets were found"},
	{exitLaunch, "a launched program failed"},
	{exitUsage, "the command line was wrong"},
	{exitInterrupt, "interrupted (Ctrl-C, SIGTERM)"},
	{exitPipe, "the reader of standard output went away, as in \"| head\""},
}

// annotationExits names the annotation with the exit codes of a command.
const annotationExits = "exit codes"

// exits is the annotation that says what the exit codes of a command mean
// there, as in exits("0 shown", "64 there is no such command").
func exits(lines ...string) map[string]string {
	return map[string]string{annotationExits: strings.Join(lines, "\n")}
}

// exitsOf gives the exit codes of a command: its own, or all of them where it
// names none, as rollbook itself does.
func exitsOf(cmd *cobra.Command) []exitCode {
	text := cmd.Annotations[annotationExits]
	if text == "" {
		return exitCodes
	}
	var list []exitCode
	for line := range strings.Lines(text) {
		number, meaning, _ := strings.Cut(strings.TrimSpace(line), " ")
		code, err := strconv.Atoi(number)
		if err != nil {
			panic(fmt.Sprintf("exit codes of %s: %q is no code", cmd.CommandPath(), number))
		}
		list = append(list, exitCode{code, strings.TrimSpace(meaning)})
	}
	return list
}

// An exitError ends the command with a code other than 1.
type exitError struct {
	code int
	err  error // nil: the code says it all, nothing is printed
}

func (e *exitError) Error() string {
	if e.err == nil {
		return "exit code " + strconv.Itoa(e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

var (
	// errPartial: the work is done and its output written, but some input was
	// lost or refused. The command has said what by then.
	errPartial error = &exitError{code: exitPartial}
	// errFindings: possible secrets stand in the way, and the output says where.
	errFindings error = &exitError{code: exitFindings}
)

// usageErrorf says what is wrong with the command line.
func usageErrorf(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// launchError says that a program started for the person failed.
func launchError(err error) error { return &exitError{exitLaunch, err} }

// asUsageError makes an error one of usage, unless it has a code already.
func asUsageError(err error) error {
	if _, ok := errors.AsType[*exitError](err); ok {
		return err
	}
	return &exitError{exitUsage, err}
}

// annotationUsageExit names the annotation of a command whose usage errors end
// with another code than 64, because the program whose name it keeps does so.
// It holds for the commands below it too.
const annotationUsageExit = "usage exit code"

// annotationUsageLine names the annotation of a command whose usage errors show
// this line, for the commands below it too.
const annotationUsageLine = "usage line"

// usageHint is what to say behind a usage error.
func usageHint(cmd *cobra.Command) string {
	for c := cmd; c != nil; c = c.Parent() {
		if line, ok := c.Annotations[annotationUsageLine]; ok {
			return line
		}
	}
	return helpHint(cmd)
}

// codeOf returns the exit code for an error of the command, which may be nil.
func codeOf(cmd *cobra.Command, err error) int {
	ee, ok := errors.AsType[*exitError](err)
	if !ok {
		return exitFailure
	}
	if ee.code == exitUsage {
		return usageCode(cmd)
	}
	return ee.code
}

func usageCode(cmd *cobra.Command) int {
	for c := cmd; c != nil; c = c.Parent() {
		if text, ok := c.Annotations[annotationUsageExit]; ok {
			if code, err := strconv.Atoi(text); err == nil {
				return code
			}
		}
	}
	return exitUsage
}

// A hintedError carries what the reader can do about it.
type hintedError struct {
	err   error
	hints []string
}

func (e *hintedError) Error() string { return e.err.Error() }
func (e *hintedError) Unwrap() error { return e.err }

// withHint attaches hints to an error, each a line of its own: a command to
// type, or a short sentence without a capital and a full stop.
func withHint(err error, hints ...string) error {
	if err == nil {
		return nil
	}
	return &hintedError{err, hints}
}

// hintsOf collects the hints along the chain of an error, the outermost first.
func hintsOf(err error) []string {
	var hints []string
	for {
		h, ok := errors.AsType[*hintedError](err)
		if !ok {
			return hints
		}
		hints = append(hints, h.hints...)
		err = h.err
	}
}
