package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
)

// TestMain lets this test binary stand in for rollbook in the scripts, also
// under another name, and for a rollbook with one command more on a terminal.
func TestMain(m *testing.M) {
	program := func() { os.Exit(Run(context.Background(), realEnv(), os.Args[1:])) }
	testscript.Main(m, map[string]func(){
		"rollbook":      program,
		"memory-bee":    program,
		"rollbook-slow": slowProgram,
		"dsh":           dshPeer,
	})
}

// realEnv is what the program's main passes on.
func realEnv() Env {
	return Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Now: time.Now}
}

// TestScripts runs testdata/script/*.txtar: scripts for each command, with its
// output, its talk and its exit code. Beside the usual commands they have
// "exits CODE PROGRAM [ARG...]", which is exec with the exit code wanted.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": scriptExits,
		},
	})
}

func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code program [args...]")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// slowProgram is rollbook with the command "slow", which works with a progress
// bar until it is interrupted.
func slowProgram() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	env := realEnv()
	env.Now = stepping()
	os.Exit(run(ctx, env, os.Args[1:], []constructor{newSlowCommand}))
}

func newSlowCommand(e *Env) *cobra.Command {
	return &cobra.Command{Use: "slow", RunE: func(cmd *cobra.Command, _ []string) error {
		bar := e.progress("reading", 1<<40, "")
		tick := time.NewTicker(10 * time.Millisecond)
		for {
			select {
			case <-cmd.Context().Done():
				return cmd.Context().Err()
			case <-tick.C:
				bar.Add(1 << 20)
			}
		}
	}}
}
