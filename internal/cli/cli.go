package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rollbook/internal/confine"
	"rollbook/internal/term"
)

// An Env is all that a command may touch of the world around it, so that a test
// can run any command in its own process.
type Env struct {
	Stdin  io.Reader
	Stdout io.Writer // data, and nothing else
	Stderr io.Writer // talk: through warnf, hintf and returned errors only
	Getenv func(string) string
	Dir    string // relative paths start here; empty means the process's own
	Now    func() time.Time
	// Restrict has the kernel refuse the process, for good, what the rules do not
	// allow. Only the program itself sets it; nil leaves it out.
	Restrict func(confine.Rules) (confine.Report, error)

	given   streams // as Run got them, for terminals and launched programs
	out     *output
	safe    map[term.Policy]*term.SafeWriter // in front of out, on a terminal
	color   string
	bar     *term.Progress
	started bool  // RunE was reached, so errors are no longer those of usage
	helpErr error // found while help was asked for
}

type streams struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// Run runs one command line, without the program's name, and returns the exit
// code (docs/cli.md). When ctx is cancelled the command ends cleanly, with 130.
func Run(ctx context.Context, env Env, args []string) int {
	return run(ctx, env, args, commands)
}

// run is Run with a list of commands of the caller's choice.
func run(ctx context.Context, env Env, args []string, list []constructor) int {
	e := env.wire(ctx)
	root := newRoot(e, list)
	root.SetArgs(args)
	cmd, err := execute(ctx, root)
	if err != nil && !e.started {
		err = asUsageError(err)
	}
	return e.finish(ctx, cmd, err)
}

// wire returns a copy of env whose streams are bounded by ctx and watched.
func (env Env) wire(ctx context.Context) *Env {
	if env.Stdin == nil {
		env.Stdin = strings.NewReader("")
	}
	env.given = streams{env.Stdin, env.Stdout, env.Stderr}
	env.out = newOutput(env.Stdout, term.IsTerminal(env.Stdout))
	e := &env
	e.out.before = func() { e.bar.Clear() }
	e.Stdin = &cancelReader{ctx: ctx, r: env.given.stdin}
	e.Stdout = e.out
	e.safe = map[term.Policy]*term.SafeWriter{}
	e.color = colorAuto
	return e
}

// execute runs the command and turns a panic into an error: Go's own exit code
// for it is 2, which here means that the work was done.
func execute(ctx context.Context, root *cobra.Command) (cmd *cobra.Command, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicError(v)
		}
	}()
	return root.ExecuteContextC(ctx)
}

func panicError(v any) error {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	var at []string
	for more := true; more && len(at) < 8; {
		var f runtime.Frame
		if f, more = frames.Next(); strings.HasPrefix(f.Function, "rollbook/") {
			at = append(at, fmt.Sprintf("%s:%d", f.Function, f.Line))
		}
	}
	return withHint(fmt.Errorf("internal error: %v", v), "a fault of rollbook, please report it with: "+strings.Join(at, " < "))
}

// finish flushes, prints what went wrong and returns the exit code.
func (e *Env) finish(ctx context.Context, cmd *cobra.Command, err error) int {
	e.bar.Done()
	if err == nil {
		err = e.helpErr
	}
	if flushErr := e.flush(); flushErr != nil && !hasWords(err) {
		err = flushErr
	}
	switch {
	case errors.Is(e.out.err, errClosedPipe):
		return exitPipe
	case err == nil:
		return exitOK
	case ctx.Err() != nil:
		if errors.Is(err, ctx.Err()) {
			err = errors.New("interrupted")
		}
		e.sayError(cmd, err)
		return exitInterrupt
	}
	e.sayError(cmd, err)
	return codeOf(cmd, err)
}

// flush writes what is held back for standard output.
func (e *Env) flush() error {
	for _, w := range e.safe {
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return e.out.flush()
}
