package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"

	"rollbook/internal/term"
)

// errPagerEnded means that the person has left the pager before the end.
var errPagerEnded = errors.New("the pager has ended")

// A pager writes to standard output. Where that is a terminal it holds back
// what is written until it is more than the screen takes, and starts the
// person's pager then; what fits on the screen is written on Close.
type pager struct {
	e       *Env
	argv    []string // empty: nothing is held back, and no pager started
	rows    int
	held    bytes.Buffer
	lines   int // of the screen that what is held takes
	cmd     *exec.Cmd
	pipe    io.WriteCloser
	running atomic.Bool
	signals chan os.Signal
	cancel  func()
}

// defaultPager is what is used without PAGER: it keeps colours, and leaves the
// text on the screen.
var defaultPager = []string{"less", "-FRX"}

// newPager chooses the pager: PAGER is a program and its arguments, cut at
// spaces.
func (e *Env) newPager(wanted bool) *pager {
	p := &pager{e: e, rows: term.Rows(e.given.stdout), cancel: func() {}}
	if _, isFile := e.given.stdout.(*os.File); !isFile || !wanted || p.rows == 0 || !e.stdoutIsTerminal() || e.getenv("TERM") == "dumb" {
		return p
	}
	if p.argv = strings.Fields(e.getenv("PAGER")); len(p.argv) == 0 {
		if _, err := exec.LookPath(defaultPager[0]); err == nil {
			p.argv = defaultPager
		}
	}
	return p
}

// context gives the context under which the text is read: Ctrl-C ends it, but
// not while the pager runs, for there it is the pager's business.
func (p *pager) context(ctx context.Context) (reading context.Context, stop func()) {
	reading, p.cancel = context.WithCancel(context.WithoutCancel(ctx))
	unwatch := context.AfterFunc(ctx, func() {
		if !p.running.Load() {
			p.cancel()
		}
	})
	return reading, func() { unwatch(); p.cancel() }
}

func (p *pager) Write(b []byte) (int, error) {
	switch {
	case p.pipe != nil:
		return p.pass(b)
	case len(p.argv) == 0:
		return p.e.Stdout.Write(b)
	}
	p.held.Write(b)
	if p.lines += p.rowsOf(b); p.lines < p.rows {
		return len(b), nil
	}
	if err := p.start(); err != nil {
		p.e.warnf("the pager cannot be started: %s", err)
		p.argv = nil
		_, err := p.held.WriteTo(p.e.Stdout)
		return len(b), err
	}
	_, err := p.pass(p.held.Bytes())
	p.held = bytes.Buffer{}
	return len(b), err
}

// ownColors are the sequences by which text is coloured here.
var ownColors = regexp.MustCompile("\x1b\\[[0-9]*m")

// rowsOf counts the lines of the screen that text takes: a line wider than the
// screen takes several.
func (p *pager) rowsOf(text []byte) int {
	columns := max(term.Columns(p.e.given.stdout), 1)
	n := 0
	for line := range bytes.Lines(text) {
		line = bytes.TrimSuffix(ownColors.ReplaceAll(line, nil), []byte("\n"))
		n += 1 + max(term.Width(string(line))-1, 0)/columns
	}
	return n
}

// start starts the pager on the terminal, with our text as its input.
func (p *pager) start() error {
	p.e.bar.Done()
	cmd := exec.Command(p.argv[0], p.argv[1:]...)
	cmd.Dir = p.e.Dir
	cmd.Stdout, cmd.Stderr = p.e.given.stdout, p.e.given.stderr
	if p.e.getenv("LESS") == "" {
		cmd.Env = append(os.Environ(), "LESS=FRX") // colours are kept
	}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	p.running.Store(true)
	p.signals = make(chan os.Signal, 1)
	signal.Notify(p.signals, os.Interrupt, syscall.SIGTERM)
	if err := cmd.Start(); err != nil {
		p.running.Store(false)
		signal.Stop(p.signals)
		return err
	}
	p.cmd, p.pipe = cmd, pipe
	go p.watch()
	return nil
}

// watch passes SIGTERM on to the pager, and swallows Ctrl-C, which the terminal
// sends to both.
func (p *pager) watch() {
	for s := range p.signals {
		if s == syscall.SIGTERM {
			p.cmd.Process.Signal(s)
			p.cancel()
		}
	}
}

func (p *pager) pass(b []byte) (int, error) {
	n, err := p.pipe.Write(b)
	if err != nil && isClosedPipe(err) {
		err = errPagerEnded
	}
	return n, err
}

// Close writes what is held, or waits until the pager is left.
func (p *pager) Close() error {
	if p.cmd == nil {
		_, err := p.held.WriteTo(p.e.Stdout)
		return err
	}
	p.pipe.Close()
	err := p.cmd.Wait()
	signal.Stop(p.signals)
	close(p.signals)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() < 0 {
		return nil // ended by a signal, as Ctrl-C does
	}
	if err != nil {
		return launchError(fmt.Errorf("pager %s: %w", p.argv[0], err))
	}
	return nil
}
