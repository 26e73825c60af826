package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"rollbook/internal/term"
)

// errClosedPipe means that the reader of standard output went away.
var errClosedPipe = errors.New("the reader of standard output went away")

// An output is standard output. It is buffered, except that a terminal sees
// each line at once. It remembers the first error, so that no command can end
// well when its data did not get out.
type output struct {
	buf    *bufio.Writer
	lines  bool
	before func() // called before bytes go to a terminal
	err    error
}

func newOutput(w io.Writer, lines bool) *output {
	return &output{buf: bufio.NewWriterSize(w, 64<<10), lines: lines, before: func() {}}
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	if o.lines {
		o.before()
	}
	n, err := o.buf.Write(p)
	if err == nil && o.lines && bytes.HasSuffix(p, []byte("\n")) {
		err = o.buf.Flush()
	}
	return n, o.note(err)
}

func (o *output) flush() error {
	if o.err != nil {
		return o.err
	}
	return o.note(o.buf.Flush())
}

func (o *output) note(err error) error {
	switch {
	case err == nil:
	case isClosedPipe(err):
		o.err = errClosedPipe
	default:
		o.err = fmt.Errorf("write standard output: %w", err)
	}
	return o.err
}

// safeStdout returns standard output for text that holds words of a log: on a
// terminal it goes through term.SafeWriter, elsewhere the bytes stay as they
// are. Colours of our own would be escaped too, so this is for text without.
func (e *Env) safeStdout(p term.Policy) io.Writer {
	if !e.stdoutIsTerminal() {
		return e.Stdout
	}
	if e.safe[p] == nil {
		e.safe[p] = term.NewSafeWriter(e.Stdout, p)
	}
	return e.safe[p]
}

// writeJSON writes v as the commands' --json does: two spaces of indent, keys
// in the order of the struct, nothing escaped that JSON does not require, one
// newline. On a terminal control characters are escaped besides.
func (e *Env) writeJSON(v any) error {
	w := e.safeStdout(term.JSON)
	err := json.MarshalWrite(w, v, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n")
	return err
}

// A cancelReader reads standard input until ctx ends, also when a read waits
// for input that never comes. The read that waits is left behind: standard
// input has no other reader.
type cancelReader struct {
	ctx  context.Context
	r    io.Reader
	buf  []byte // the goroutine's while it reads
	data []byte // read and not yet given out
	err  error
}

func (c *cancelReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	if len(c.data) == 0 && c.err == nil && len(p) > 0 {
		if err := c.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, c.data)
	c.data = c.data[n:]
	if len(c.data) > 0 || n == len(p) {
		return n, nil
	}
	return n, c.err
}

// fill reads once in a goroutine, and fails when ctx ends first.
func (c *cancelReader) fill() error {
	if c.buf == nil {
		c.buf = make([]byte, 64<<10)
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func(buf []byte) {
		n, err := c.r.Read(buf)
		done <- result{n, err}
	}(c.buf)
	select {
	case r := <-done:
		c.data, c.err = c.buf[:r.n], r.err
		return nil
	case <-c.ctx.Done():
		c.buf = nil
		return c.ctx.Err()
	}
}
