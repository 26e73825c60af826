// Package acp is the part of the Agent Client Protocol that proves that an agent
// can go on with a stored session: JSON-RPC 2.0, one message a line, over a
// program's standard input and output.
package acp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxMessage is the longest line that a peer may send.
const maxMessage = 16 << 20

// maxWaiting is how many messages of ours a peer may leave unread.
const maxWaiting = 64

// A message is a request, an answer or a notification.
type message struct {
	Version string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id,omitzero"`
	Method  string         `json:"method,omitzero"`
	Params  jsontext.Value `json:"params,omitzero"`
	Result  jsontext.Value `json:"result,omitzero"`
	Error   *Error         `json:"error,omitzero"`
}

// An Error is what a peer answers where it does not do what was asked.
type Error struct {
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Data    jsontext.Value `json:"data,omitzero"`
}

func (e *Error) Error() string {
	if len(e.Data) > 0 && len(e.Data) < 500 {
		return fmt.Sprintf("%s (%d) %s", e.Message, e.Code, e.Data)
	}
	return fmt.Sprintf("%s (%d)", e.Message, e.Code)
}

// methodNotFound is the answer to what a peer asks of us: it gets no file, no
// terminal and no permission.
const methodNotFound = -32601

// A Conn is a connection to a peer. One goroutine calls at a time.
type Conn struct {
	notify func(method string, params jsontext.Value)
	in     chan message  // what is read; closed at the end
	gone   chan struct{} // closed by Close
	out    chan []byte   // lines to be written: a peer may write before it reads
	err    error         // why reading ended; valid once in is closed
	last   int
}

// NewConn starts reading. Notifications go to notify, while a Call waits. Close
// the connection after use; the goroutine that reads ends when r does, too.
func NewConn(r io.Reader, w io.Writer, notify func(method string, params jsontext.Value)) *Conn {
	c := &Conn{notify: notify, in: make(chan message), gone: make(chan struct{}), out: make(chan []byte, maxWaiting)}
	go c.read(r)
	go c.write(w)
	return c
}

// Close lets go of what is read from now on. There is no Call after it.
func (c *Conn) Close() { close(c.gone) }

func (c *Conn) read(r io.Reader) {
	defer close(c.in)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxMessage)
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var m message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			c.err = fmt.Errorf("not a message: %w: %.200q", err, lines.Bytes())
			return
		}
		select {
		case c.in <- m:
		case <-c.gone:
			return
		}
	}
	if c.err = lines.Err(); c.err == nil {
		c.err = io.ErrUnexpectedEOF
	}
}

// Call sends a request and waits for its answer, which goes to result.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	c.last++
	id := jsontext.Value(fmt.Sprint(c.last))
	p, err := json.Marshal(params, json.Deterministic(true))
	if err == nil {
		err = c.send(message{ID: id, Method: method, Params: p})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", method, ctx.Err())
		case m, open := <-c.in:
			switch {
			case !open:
				return fmt.Errorf("%s: %w", method, c.err)
			case m.Method != "":
				if err := c.asked(m); err != nil {
					return fmt.Errorf("%s: %w", method, err)
				}
			case string(m.ID) != string(id):
				return fmt.Errorf("%s: an answer to request %s", method, m.ID)
			case m.Error != nil:
				return fmt.Errorf("%s: %w", method, m.Error)
			case m.Result == nil:
				return fmt.Errorf("%s: %w", method, errors.New("an answer without a result"))
			default:
				if err := json.Unmarshal(m.Result, result); err != nil {
					return fmt.Errorf("%s: %w", method, err)
				}
				return nil
			}
		}
	}
}

// asked takes a notification, and declines a request.
func (c *Conn) asked(m message) error {
	if m.ID == nil {
		c.notify(m.Method, m.Params)
		return nil
	}
	return c.send(message{ID: m.ID, Error: &Error{Code: methodNotFound, Message: "not offered: " + m.Method}})
}

func (c *Conn) send(m message) error {
	m.Version = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	select {
	case c.out <- append(line, '\n'):
		return nil
	default:
		return fmt.Errorf("the peer has left %d messages unread", maxWaiting)
	}
}

// write writes until Close. What cannot be written has no answer, and the peer's
// own end says more than this one.
func (c *Conn) write(w io.Writer) {
	for {
		select {
		case line := <-c.out:
			if _, err := w.Write(line); err != nil {
				return
			}
		case <-c.gone:
			return
		}
	}
}
