//go:build !windows

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"rollbook/internal/cli"
)

// TestMain lets this test binary be the program: with ROLLBOOK_TEST_AS it runs
// the real one, or one of the commands below behind the real wiring.
func TestMain(m *testing.M) {
	as := map[string]func(context.Context, cli.Env, []string) int{
		"rollbook": cli.Run,
		"waiting":  waiting,
		"stubborn": stubborn,
		"limit":    limit,
	}
	if run, ok := as[os.Getenv("ROLLBOOK_TEST_AS")]; ok {
		os.Exit(wire(run))
	}
	os.Exit(m.Run())
}

// waiting ends when it is told to, with a code of its own.
func waiting(ctx context.Context, env cli.Env, _ []string) int {
	fmt.Fprintln(env.Stdout, "ready")
	<-ctx.Done()
	return 77
}

// stubborn hears the first Ctrl-C and goes on.
func stubborn(ctx context.Context, env cli.Env, _ []string) int {
	fmt.Fprintln(env.Stdout, "ready")
	<-ctx.Done()
	fmt.Fprintln(env.Stdout, "heard")
	select {}
}

// limit prints the soft memory limit.
func limit(_ context.Context, env cli.Env, _ []string) int {
	fmt.Fprintln(env.Stdout, debug.SetMemoryLimit(-1))
	return 0
}

// program starts this binary as one of those in TestMain.
func program(t *testing.T, as string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), "ROLLBOOK_TEST_AS="+as, "GOMEMLIMIT=")
	return cmd
}

// start returns when the program has written its first line.
func start(t *testing.T, cmd *exec.Cmd) *bufio.Reader {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	wantLine(t, lines, "ready\n")
	return lines
}

func wantLine(t *testing.T, r *bufio.Reader, want string) {
	t.Helper()
	if got, err := r.ReadString('\n'); got != want {
		t.Fatalf("got line %q, %v, want %q", got, err, want)
	}
}

func TestSignalsEndCleanly(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd := program(t, "waiting")
		start(t, cmd)
		cmd.Process.Signal(sig)
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 77 {
			t.Errorf("%v: exit code %d, want the command's own 77", sig, code)
		}
	}
}

func TestSecondSignalEndsAtOnce(t *testing.T) {
	cmd := program(t, "stubborn")
	lines := start(t, cmd)
	cmd.Process.Signal(os.Interrupt)
	wantLine(t, lines, "heard\n")
	// The handler goes away beside the command, so the next may come too early.
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		io.Copy(io.Discard, lines)
	}()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for done := false; !done; {
		select {
		case <-ended:
			done = true
		case <-again.C:
			cmd.Process.Signal(os.Interrupt)
		}
	}
	cmd.Wait()
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGINT {
		t.Errorf("ended as %v, want by the interrupt itself", cmd.ProcessState)
	}
}

// A closed pipe ends the program quietly, by its own decision.
func TestClosedPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	var talk bytes.Buffer
	cmd := program(t, "rollbook", "completion", "bash")
	cmd.Stdout, cmd.Stderr = w, &talk
	cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 141 || talk.Len() > 0 {
		t.Errorf("exit code %d, stderr %q, want 141 and nothing", code, talk.String())
	}
}

func TestRealStreams(t *testing.T) {
	var talk bytes.Buffer
	cmd := program(t, "rollbook", "version", "--color", "sometimes")
	cmd.Stderr = &talk
	out, _ := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); code != 64 || len(out) > 0 || !strings.HasPrefix(talk.String(), "rollbook: error: ") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, talk.String())
	}
	cmd = program(t, "rollbook", "help")
	cmd.Env = append(cmd.Env, "CLICOLOR_FORCE=1", "NO_COLOR=", "TERM=xterm")
	out, err := cmd.Output()
	if err != nil || !bytes.Contains(out, []byte("\x1b[1mUsage:")) {
		t.Errorf("the environment does not reach the command: %v, %q", err, out)
	}
}

func TestMemoryLimit(t *testing.T) {
	for set, want := range map[string]string{"": "209715200\n", "150MiB": "157286400\n"} {
		cmd := program(t, "limit")
		cmd.Env = append(cmd.Env, "GOMEMLIMIT="+set)
		if out, err := cmd.Output(); string(out) != want || err != nil {
			t.Errorf("GOMEMLIMIT=%q: limit %q, %v, want %q", set, out, err, want)
		}
	}
}

// A command that waits for standard input is interrupted too.
func TestInterruptWhileReadingStdin(t *testing.T) {
	var out, talk bytes.Buffer
	cmd := program(t, "rollbook", "inspect", "-")
	cmd.Stdout, cmd.Stderr = &out, &talk
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// More than a pipe holds: when it is written, the command is reading.
	line := `{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{}}` + "\n"
	if _, err := io.WriteString(in, strings.Repeat(line, 20_000)); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || out.Len() > 0 || talk.String() != "rollbook: error: interrupted\n" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out.String(), talk.String())
	}
}
