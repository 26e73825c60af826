//go:build !windows

package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rollbook/internal/rolltest"
)

// twoThreads is a home with a thread that is longer than the 24 lines of a
// screen, and one that is not. It gives their files.
func twoThreads(t *testing.T) (long, short string) {
	t.Helper()
	home := rolltest.NewHome(1)
	a := home.New(rolltest.V140, rolltest.Meta{})
	for range 5 {
		a.Turn("what is\nin it?").Shell("ls", "a\nb\n", 0).Assistant("The end of it is near.").TurnComplete()
	}
	b := home.New(rolltest.V20, rolltest.Meta{})
	b.Turn("hi").Assistant("Hello.").TurnComplete()
	dir := home.Temp(t)
	return filepath.Join(dir, filepath.FromSlash(a.Path())), filepath.Join(dir, filepath.FromSlash(b.Path()))
}

func TestShowPager(t *testing.T) {
	long, short := twoThreads(t)
	for _, tt := range []struct {
		name, pager, term string
		args              []string
		code              int
		want              []string
		not               []string
	}{
		{"a pager", "sed s/^/P:/", "xterm", []string{long}, 0, []string{"P:\x1b[1mwhat is", "P:\x1b[36m▌\x1b[0m what is", "5 turns · "}, []string{"\nwhat is"}},
		{"what fits needs none", "sed s/^/P:/", "xterm", []string{short}, 0, []string{"hi\x1b[0m\r\n", "Hello."}, []string{"P:"}},
		{"turned off", "sed s/^/P:/", "xterm", []string{long, "--no-pager"}, 0, []string{"5 turns · "}, []string{"P:"}},
		{"a dumb terminal", "sed s/^/P:/", "dumb", []string{long}, 0, []string{"5 turns · "}, []string{"P:", "\x1b"}},
		{"markdown", "sed s/^/P:/", "xterm", []string{long, "--format", "md"}, 0, []string{"P:# what is"}, nil},
		{"left early", "head -n 1", "xterm", []string{long}, 0, []string{"what is"}, []string{"turn 1", "error"}},
		{"it fails", "false", "xterm", []string{long}, exitLaunch, []string{"rollbook: \x1b[31merror:\x1b[0m pager false: exit status 1"}, []string{"turn 1"}},
		{"it is not there", "no-such-pager-x", "xterm", []string{long}, 0, []string{"rollbook: \x1b[33mwarning:\x1b[0m the pager cannot be started: ", "5 turns · "}, nil},
		{"nothing to show", "sed s/^/P:/", "xterm", []string{long + "#9"}, 1, []string{"has no turn 9"}, []string{"P:"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScreen(t, 80)
			getenv := func(name string) string { return map[string]string{"PAGER": tt.pager, "TERM": tt.term}[name] }
			got := try(t, Env{Stdout: s.tty, Stderr: s.tty, Getenv: getenv, Now: stepping()}, append([]string{"show"}, tt.args...))
			text := s.end()
			if got.code != tt.code {
				t.Errorf("exit code %d, want %d", got.code, tt.code)
			}
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in %q", want, text)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(text, not) {
					t.Errorf("%q is in %q", not, text)
				}
			}
		})
	}
}

// While the pager runs Ctrl-C is its business, as often as it is pressed.
func TestShowPagerCtrlC(t *testing.T) {
	long, _ := twoThreads(t)
	dir := t.TempDir()
	script, done := filepath.Join(dir, "pager"), filepath.Join(dir, "done")
	text := "#!/bin/sh\nn=0\ntrap 'n=$((n+1)); echo CAUGHT $n' INT\ncat >/dev/null\necho READY\nuntil [ -e " + done + " ]; do sleep 0.02; done\necho LEFT\n"
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("rollbook") // see TestMain
	if err != nil {
		t.Fatal(err)
	}
	s := newScreen(t, 80)
	cmd := exec.Command(program, "show", long)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.tty, s.tty, s.tty
	cmd.Env = append(os.Environ(), "TERM=xterm", "PAGER="+script)
	cmd.SysProcAttr = controllingTerminal()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	s.waitFor(t, "READY")
	s.ptmx.WriteString("\x03")
	s.waitFor(t, "CAUGHT 1")
	s.ptmx.WriteString("\x03")
	s.waitFor(t, "CAUGHT 2")
	if err := os.WriteFile(done, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %q", err, s)
	}
	if got := s.end(); !strings.HasSuffix(got, "LEFT\r\n") {
		t.Errorf("got %q", got)
	}
}

// Ctrl-C ends the reading of a thread, but not under a pager.
func TestPagerContext(t *testing.T) {
	for _, running := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		e := Env{}.wire(ctx)
		p := e.newPager(true)
		p.running.Store(running)
		reading, stop := p.context(ctx)
		cancel()
		if !running {
			<-reading.Done()
		} else if err := reading.Err(); err != nil {
			t.Errorf("under a pager: %v", err)
		}
		stop()
		<-reading.Done()
	}
}
