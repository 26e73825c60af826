// Command rollbook works on a person's Codex history. See docs/cli.md.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"rollbook/internal/cli"
	"rollbook/internal/confine"
)

// memoryLimit is soft, and leaves room below the 256 MiB that any command may
// take (docs/cli.md).
const memoryLimit = 200 << 20

// gcPercent lets the heap grow to five times what is alive before it is
// collected, within the limit: a stream of records leaves much garbage and
// keeps little.
const gcPercent = 400

func main() {
	os.Exit(wire(cli.Run))
}

// wire runs the command with the real streams, environment and signals.
func wire(run func(context.Context, cli.Env, []string) int) int {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends at once

	// With a handler a closed pipe is an error of the write, not the end of the
	// process before it has tidied up. Programs we start get the default back.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	return run(ctx, cli.Env{
		Stdin:  os.Stdin,
		Stdout: os.Stdout,
		Stderr: os.Stderr,
		Getenv: os.Getenv,
		Now:    time.Now,

		Restrict: confine.Restrict,
	}, os.Args[1:])
}
