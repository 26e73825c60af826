//go:build !windows

package cli

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"github.com/spf13/cobra"

	"rollbook/internal/term"
)

// A screen is a terminal of its own and what was written to it.
type screen struct {
	tty  *os.File
	ptmx *os.File

	mu   sync.Mutex
	text bytes.Buffer
	news chan struct{} // has something when text grew, closed at the end
}

func newScreen(t *testing.T, columns uint16) *screen {
	t.Helper()
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{tty: tty, ptmx: ptmx, news: make(chan struct{}, 1)}
	t.Cleanup(func() { ptmx.Close() })
	if err := pty.Setsize(ptmx, &pty.Winsize{Rows: 24, Cols: columns}); err != nil {
		t.Fatal(err)
	}
	go s.read()
	return s
}

func (s *screen) read() {
	defer close(s.news)
	buf := make([]byte, 4096)
	for {
		n, err := s.ptmx.Read(buf)
		s.mu.Lock()
		s.text.Write(buf[:n])
		s.mu.Unlock()
		if err != nil { // Linux says EIO when the other side is closed
			return
		}
		select {
		case s.news <- struct{}{}:
		default:
		}
	}
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// waitFor returns when the text is on the screen.
func (s *screen) waitFor(t *testing.T, text string) {
	t.Helper()
	for !strings.Contains(s.String(), text) {
		if _, more := <-s.news; !more {
			t.Fatalf("no %q on the terminal: %q", text, s)
		}
	}
}

// end closes our side of the terminal and returns all that was written to it.
func (s *screen) end() string {
	s.tty.Close()
	for range s.news {
	}
	return s.String()
}

const clearLine = "\r\x1b[K"

func working(e *Env) *cobra.Command {
	return &cobra.Command{Use: "do", RunE: func(*cobra.Command, []string) error {
		bar := e.progress("reading", 10<<20, "")
		bar.Add(5 << 20)
		e.warnf("half way")
		bar.Add(1 << 20)
		_, err := io.WriteString(e.Stdout, "data\n")
		return err
	}}
}

func TestProgressOnTerminal(t *testing.T) {
	s := newScreen(t, 100)
	got := try(t, Env{Stderr: s.tty, Now: stepping()}, []string{"do", "--color", "never"}, working)
	text := s.end()
	if got != (result{0, "data\n", ""}) {
		t.Errorf("got %+v", got)
	}
	// The bar goes away before the warning, comes again, and goes at the end.
	parts := strings.Split(text, clearLine)
	if len(parts) != 3 || parts[2] != "" {
		t.Fatalf("want two bars, each cleared: %q", text)
	}
	if !strings.HasPrefix(parts[0], "\rreading  50% [") || !strings.Contains(parts[0], "5.0 MiB / 10.0 MiB  5.2 MB/s  ETA 1.0s") {
		t.Errorf("first bar %q", parts[0])
	}
	if !strings.HasPrefix(parts[1], "rollbook: warning: half way\r\n\rreading  60% [") {
		t.Errorf("warning and second bar %q", parts[1])
	}
}

// When data goes to the same terminal, the bar makes room for it.
func TestProgressAndDataOnOneTerminal(t *testing.T) {
	s := newScreen(t, 100)
	got := try(t, Env{Stdout: s.tty, Stderr: s.tty, Now: stepping()}, []string{"do"}, working)
	text := s.end()
	if got.code != 0 || !strings.HasSuffix(text, clearLine+"data\r\n") {
		t.Errorf("exit %d: %q", got.code, text)
	}
}

func TestNoProgressOnDumbTerminal(t *testing.T) {
	s := newScreen(t, 100)
	dumb := func(name string) string { return map[string]string{"TERM": "dumb"}[name] }
	try(t, Env{Stderr: s.tty, Now: stepping(), Getenv: dumb}, []string{"do"}, working)
	if text := s.end(); text != "rollbook: warning: half way\r\n" {
		t.Errorf("got %q", text)
	}
}

func TestColorOnTerminal(t *testing.T) {
	none := func(string) string { return "" }
	noColor := func(name string) string { return map[string]string{"NO_COLOR": "1"}[name] }
	for _, tt := range []struct {
		name   string
		getenv func(string) string
		args   string
		want   bool
	}{
		{"auto", none, "nothing", true}, {"never", none, "nothing --color never", false},
		{"NO_COLOR", noColor, "nothing", false}, {"always", noColor, "nothing --color always", true},
	} {
		s := newScreen(t, 80)
		try(t, Env{Stderr: s.tty, Getenv: tt.getenv}, strings.Fields(tt.args))
		if text := s.end(); strings.Contains(text, "\x1b[31m") != tt.want {
			t.Errorf("%s: coloured is not %v: %q", tt.name, tt.want, text)
		}
	}
}

// On a terminal the control characters of a log are seen, not obeyed.
func TestSafeStdoutOnTerminal(t *testing.T) {
	s := newScreen(t, 80)
	got := try(t, Env{Stdout: s.tty}, []string{"do"}, does(func(e *Env, _ *cobra.Command, _ []string) error {
		if err := e.writeJSON("\x1b[2J\u009b\u202e"); err != nil {
			return err
		}
		_, err := io.WriteString(e.safeStdout(term.Block), "\x1b[2J\n\tend\xe2")
		return err
	}))
	want := `"\u001b[2J\u009b\u202e"` + "\r\n" + `\x1b[2J` + "\r\n\tend" + `\xe2`
	if text := s.end(); text != want || got.code != 0 {
		t.Errorf("exit %d, got %q, want %q", got.code, text, want)
	}
}

func TestWidthOfTerminal(t *testing.T) {
	s := newScreen(t, 47)
	var width int
	look := does(func(e *Env, _ *cobra.Command, _ []string) error {
		width = e.width()
		return nil
	})
	try(t, Env{Stdout: s.tty}, []string{"do"}, look)
	if width != 47 {
		t.Errorf("width %d, want 47", width)
	}
	try(t, Env{Stdout: s.tty, Getenv: func(string) string { return "33" }}, []string{"do"}, look)
	if width != 33 {
		t.Errorf("width with COLUMNS %d, want 33", width)
	}
	s.end()
}

// The real thing: a process whose terminal sends it Ctrl-C.
func TestCtrlC(t *testing.T) {
	s := newScreen(t, 100)
	program, err := exec.LookPath("rollbook-slow") // see TestMain
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "slow", "--color=never")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.tty, s.tty, s.tty
	cmd.Env = append(os.Environ(), "TERM=xterm", "COLUMNS=")
	cmd.SysProcAttr = controllingTerminal()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	s.waitFor(t, "MB/s")
	if _, err := s.ptmx.Write([]byte("\x03")); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	text := s.end()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d, want 130: %q", code, text)
	}
	if !strings.HasSuffix(text, clearLine+"rollbook: error: interrupted\r\n") {
		t.Errorf("the bar should go, then the error come: %q", text)
	}
}

func controllingTerminal() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Setctty: true}
}
