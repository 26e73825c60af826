package export

import (
	"fmt"

	"rollbook/internal/transcript"
)

// A call is a tool call and, once it is read, its result.
type call struct {
	ev      transcript.Event // the call; of one that was shown only what names it
	turn    *turn
	action  action
	result  *transcript.Event // nil: still to come
	at      where             // where the line that was asked for lies
	changes []transcript.FileChange
	stats   []fileStat // of the changes
	diffed  bool       // the changes were shown with the call
	skipped bool       // its turn is not wanted, so its result is not either
	alone   bool       // there is a result only
	late    int        // turn in which the result came, where that is another one
}

// A callQueue pairs calls with their results. A call is held until its result
// or something else comes, so that both can be shown as one; a result that
// comes later is shown by itself.
type callQueue struct {
	held    []*call            // read and not shown yet
	bytes   int                // of their arguments
	waiting map[string][]*call // shown or skipped, and without a result so far
	count   int                // calls waiting
	wanted  int                // of them, those whose results will be shown
}

// What is held besides the event at hand.
const (
	maxHeld      = 16
	maxHeldBytes = 256 << 10
	maxWaiting   = 4096
)

// skip notes a call that is not shown.
func (q *callQueue) skip(ev *transcript.Event) {
	q.wait(&call{ev: transcript.Event{CallID: ev.CallID}, skipped: true})
}

func (q *callQueue) wait(c *call) {
	if q.waiting == nil || q.count >= maxWaiting {
		q.waiting = make(map[string][]*call)
		q.count, q.wanted = 0, 0
	}
	q.waiting[c.ev.CallID] = append(q.waiting[c.ev.CallID], c)
	q.count++
	if !c.skipped {
		q.wanted++
	}
}

// pending reports whether results are still to come that will be shown.
func (q *callQueue) pending() bool { return len(q.held) > 0 || q.wanted > 0 }

// take gives the oldest call of that id that waits, or nil.
func (q *callQueue) take(id string) *call {
	list := q.waiting[id]
	if len(list) == 0 {
		return nil
	}
	c := list[0]
	if len(list) == 1 {
		delete(q.waiting, id)
	} else {
		q.waiting[id] = list[1:]
	}
	q.count--
	if !c.skipped {
		q.wanted--
	}
	return c
}

// index gives the place of the oldest held call of that id, or -1.
func (q *callQueue) index(id string) int {
	for i, c := range q.held {
		if c.ev.CallID == id {
			return i
		}
	}
	return -1
}

func (q *callQueue) pop() *call {
	c := q.held[0]
	q.held = q.held[1:]
	q.bytes -= len(c.ev.Arguments)
	return c
}

// hold takes a call of a turn that is wanted.
func (w *walker) hold(ev *transcript.Event) {
	q := &w.calls
	c := &call{ev: *ev, turn: w.turns.at, at: w.whereIs(ev)}
	c.turn.calls++
	w.sum.calls++
	c.action = describe(ev)
	c.changes = c.action.patch
	q.held = append(q.held, c)
	q.bytes += len(ev.Arguments)
	for len(q.held) > 1 && (len(q.held) > maxHeld || q.bytes > maxHeldBytes) {
		w.flush(1)
	}
}

// flush shows the first n held calls, whose results are still to come.
func (w *walker) flush(n int) {
	for range n {
		w.show(w.calls.pop())
	}
}

// show writes a call, and keeps what its result will need.
func (w *walker) show(c *call) {
	w.begin(c.turn)
	w.mark(c.at)
	w.count(c)
	w.page.call(c)
	if c.result != nil {
		return
	}
	w.calls.wait(&call{ev: transcript.Event{CallID: c.ev.CallID}, turn: c.turn, action: c.action.named(),
		stats: c.stats, diffed: len(c.changes) > 0})
}

// result takes the result of any call. It is shown where its call is, so that
// a range never cuts the two; one without a call where its turn is.
func (w *walker) result(ev *transcript.Event) {
	if i := w.calls.index(ev.CallID); i >= 0 {
		w.flush(i)
		c := w.calls.pop()
		c.result = ev
		if len(ev.Changes) > 0 {
			c.changes = ev.Changes
		}
		if c.at == nowhere {
			c.at = w.whereIs(ev)
		}
		w.show(c)
		return
	}
	c := w.calls.take(ev.CallID)
	switch {
	case c == nil && w.wanted(w.turns.at):
		c = &call{ev: transcript.Event{CallID: ev.CallID}, turn: w.turns.at, alone: true}
	case c == nil || c.skipped:
		return
	}
	w.flush(len(w.calls.held))
	if w.wanted(w.turns.at) {
		w.begin(w.turns.at)
	}
	if w.turns.at != c.turn {
		c.late = w.turns.at.number
	}
	c.result, c.changes = ev, ev.Changes
	w.mark(w.whereIs(ev))
	w.count(c)
	w.page.result(c)
}

// count adds what a call changed to the changed files, once its result is
// known to be good.
func (w *walker) count(c *call) {
	if len(c.changes) > 0 {
		c.stats = statsOf(c.changes)
	}
	if w.o.Diff && len(c.stats) > 0 && applied(c.result) {
		w.sum.files.add(c.stats)
	}
}

// wantsDiff reports whether what patches changed is shown.
func (o *Options) wantsDiff() bool { return o.Diff || o.Tools == Full }

// outcome says how a call ended, and gives its output as far as it is shown.
func (o *Options) outcome(c *call) (outcome, string) {
	if c.result == nil {
		return outcomeOf(nil, ""), ""
	}
	output := uncoloured(c.result.Output)
	body, rest := withoutHeader(output)
	end := outcomeOf(c.result, rest)
	switch {
	case end.kind == missing:
		return end, ""
	case o.Tools == Full:
		return end, output
	case len(c.stats) > 0 && applied(c.result):
		return outcome{"applied", good}, "" // the output repeats the names of the files
	}
	return end, blockTexts(body)
}

// resultName names the call that a result is of.
func resultName(c *call) string {
	name := joinedBy(c.action.name, " ", c.action.text)
	switch {
	case c.alone:
		name = "a call not in the log"
	case c.action.name == "":
		name = "$ " + name
	}
	if c.late > 0 {
		name += fmt.Sprintf(" (of turn %d)", c.turn.number)
	}
	return name
}

// endedTool is a notice of a tool that ran on after its call had returned, as a
// call with that result.
func endedTool(ev *transcript.Event) *call {
	r := *ev
	r.Output = ev.Text
	return &call{result: &r}
}
