package dsh

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"rollbook/internal/transcript"
)

// DefaultMaxText is the usual Options.MaxTextChars.
const DefaultMaxText = 262_144

// Options says how threads are converted. What of a thread is converted, the
// thread's reader was told.
type Options struct {
	MaxTextChars  int      // of one text, in UTF-16 units; 0: no limit
	MaxToolOutput int      // of one tool result, in UTF-16 units; 0: no limit
	Images        Admitter // nil: there is no store, and images become placeholders
	// Folder is the working directory of sessions of threads that record none:
	// the harness does not go on without one. Empty: they have none.
	Folder string
}

// A Refusal is the error of an Admitter for an image that is not fit to be
// attached. Any other error ends the conversion.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return "image refused: " + r.Reason }

// An Admitter puts images into an attachment store.
type Admitter interface {
	// Admit gives the reference to an image whose bytes the log holds. It is
	// asked once for each image of a thread.
	Admit(ctx context.Context, img *transcript.Image) (Image, error)
}

// Convert writes the session of a thread. The same thread gives the same bytes.
// Nothing is held of it but the messages at hand: its events may be read more
// than once. Where an error is returned, what was written is no whole log.
func Convert(ctx context.Context, t *transcript.Thread, opt Options, w io.Writer) (Report, error) {
	c := &converter{ctx: ctx, thread: t, opt: opt, images: make(map[string]admitted), ids: make(used),
		calls: newCallIDs(), title: newTitle(&t.Meta)}
	c.report = Report{Thread: t.ID, Segments: len(t.Segments), Windowed: t.LeftOut.Windowed, RolledBack: t.LeftOut.RolledBack,
		Header: HeaderOf(&t.Meta, opt.Folder)}
	c.now = c.report.Header.CreatedAt
	err := c.convert(w)
	if err != nil {
		err = fmt.Errorf("thread %s: %w", t.ID, err)
	}
	return c.report, err
}

// HeaderOf is the header of the session that a thread becomes; folder is
// Options.Folder.
func HeaderOf(m *transcript.Meta, folder string) Header {
	h := Header{ID: "session-" + m.ID, CreatedAt: max(m.Created.UnixMilli(), 0), AgentPreset: "standard"}
	if m.Created.IsZero() {
		h.CreatedAt = 0
	}
	if cwd := orElse(m.Project, folder); absolute(cwd) {
		h.Cwd = cwd
	}
	return h
}

// A converter makes the events of one session.
type converter struct {
	ctx    context.Context
	thread *transcript.Thread
	opt    Options
	out    *Writer
	report Report

	now     int64 // time of the event at hand; that of the one before where it has none
	ids     used  // of messages
	layout  layout
	turn    turn
	content []Block // of the assistant message that is being made
	item    string  // recorded id of its text
	step    int     // of the turn
	stepAt  int64   // when the last one ended
	headed  bool    // the system head was written

	calls  *callIDs
	open   []openCall // calls of the step without a result
	plan   *plan      // what is known of events still to come; nil where nobody asked
	images map[string]admitted
	title  title

	summary string // of the compaction at hand
}

func (c *converter) convert(w io.Writer) error {
	var err error
	if c.out, err = NewWriter(w, c.report.Header); err != nil {
		return err
	}
	c.write(PermissionPreset{"workspace-write"})
	c.write(SandboxMode{"workspace-write"})
	if err := c.write(ApprovalPolicy{"ask"}); err != nil {
		return err
	}
	for ev, err := range c.events() {
		if err == nil {
			err = c.ctx.Err()
		}
		if err == nil {
			err = c.event(ev)
		}
		if err != nil {
			return err
		}
	}
	if err := c.finish(); err != nil {
		return err
	}
	c.report.Digest, err = c.out.Close()
	return err
}

// write appends an event with the time at hand.
func (c *converter) write(d Data) error {
	_, err := c.writeAt(c.now, d)
	return err
}

func (c *converter) writeAt(at int64, d Data) (seq int, err error) {
	c.report.Records++
	c.report.ContextTokens += tokens(d)
	return c.out.Append(&Event{Time: at, Data: d})
}

// id names the message that is written next: by the recorded id of its item, else
// by a digest of the thread and the place in the session, which is the same in
// every conversion.
func (c *converter) id(recorded string) string {
	if recorded == "" {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s:%d", c.thread.ID, c.out.Seq()))
		h := hex.EncodeToString(sum[:])
		recorded = h[:8] + "-" + h[8:12] + "-5" + h[13:16] + "-a" + h[17:20] + "-" + h[20:32]
	}
	return c.ids.unique(recorded)
}

func (c *converter) at(t time.Time) {
	if !t.IsZero() {
		c.now = max(t.UnixMilli(), 0)
	}
}

// event takes one event of the thread.
func (c *converter) event(ev *transcript.Event) error {
	c.at(ev.Time)
	switch ev.Kind {
	case transcript.TurnStart:
		return c.startTurn(ev)
	case transcript.TurnEnd:
		return c.endTurn(ev)
	case transcript.User:
		return c.user(ev)
	case transcript.Assistant:
		return c.assistant(ev)
	case transcript.Reasoning:
		return c.reasoning(ev)
	case transcript.ToolCall:
		return c.call(ev)
	case transcript.ToolResult:
		return c.result(ev)
	case transcript.Context:
		if ev.Role == "" || ev.Role == "user" {
			c.report.Injected++
		}
	case transcript.Compaction:
		c.report.Skipped += ev.Skipped
		c.summary = ev.Text
	case transcript.Notice:
		return c.notice(ev)
	}
	return nil
}

// notice takes what the model said or was told in other records than messages:
// plans, and what agents wrote to each other.
func (c *converter) notice(ev *transcript.Event) error {
	switch ev.Status {
	case "plan":
		said := *ev
		said.Text = proposed(ev.Text)
		return c.assistant(&said)
	case "agent_message":
		if ev.Text == "" {
			c.report.Encrypted++
			return nil
		}
		return c.assistant(ev)
	}
	return nil
}

// user takes a prompt.
func (c *converter) user(ev *transcript.Event) error {
	words, wrapped := transcript.Unwrap(ev.Text)
	if wrapped && words == "" && len(ev.Images) == 0 {
		c.report.Injected++
		return nil
	}
	if ev.Snapshot {
		c.report.Recovered++
	}
	if err := c.enter(userPart); err != nil {
		return err
	}
	text := c.clamp(words)
	if ev.RolledBack && !c.turn.marked {
		c.turn.marked = true
		text = rolledBackMark + text
	}
	content, err := c.withImages(text, ev.Images)
	if err != nil {
		return err
	}
	seq, err := c.writeAt(c.now, UserMessage{ID: c.id(ev.ItemID), Content: content})
	c.report.Prompts++
	if summary := ev.Snapshot && ev.Text == c.summary; !summary && !ev.RolledBack {
		c.title.prompt(words, len(ev.Images) > 0, seq)
	}
	return err
}

// rolledBackMark stands before the first prompt of a turn that was taken back.
const rolledBackMark = "[Codex import: this turn was rolled back]\n"

func (c *converter) assistant(ev *transcript.Event) error {
	if ev.Text == "" && len(ev.Images) == 0 {
		return nil // it only holds calls
	}
	if ev.Snapshot {
		c.report.Recovered++
	}
	if err := c.enter(textPart); err != nil {
		return err
	}
	c.model(ev)
	c.item, c.turn.said = ev.ItemID, true
	c.content = append(c.content, Text{c.clamp(ev.Text)})
	for range ev.Images { // the provider takes none from an assistant
		c.content = append(c.content, Text{imageUnavailable})
		c.report.refused("in a message of the assistant")
	}
	return nil
}

func (c *converter) reasoning(ev *transcript.Event) error {
	if err := c.enter(reasoningPart); err != nil {
		return err
	}
	c.model(ev)
	c.report.Reasoning++
	c.content = append(c.content, Reasoning{c.clamp(ev.Text)})
	return nil
}

// model notes who makes the assistant message.
func (c *converter) model(ev *transcript.Event) {
	if ev.Model != "" {
		c.turn.model = ev.Model
	}
}

// finish ends what is open, and names the session.
func (c *converter) finish() error {
	if err := c.closeTurn(); err != nil {
		return err
	}
	if !c.headed { // nothing was said: one turn holds the head
		if err := c.openStep(); err != nil {
			return err
		}
		if err := c.closeTurn(); err != nil {
			return err
		}
	}
	c.report.Turns = c.turn.number
	if name, messages := c.title.choose(); name != "" {
		return c.write(Title{name, messages})
	}
	return nil
}
