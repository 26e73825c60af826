package assemble

import (
	"hash/maphash"

	"rollbook/internal/rollout"
)

// A turn is what the survey keeps of one.
type turn struct {
	id      string
	start   int32 // record that opens it
	last    int32 // last record that belongs to it
	end     int32 // record that closes it; 0 while none does
	marked  bool  // a turn mark opened it, not a user message
	users   int   // user messages shown in it
	answers int   // assistant messages shown in it
	items   int   // assistant items that may stand in where none is shown
	special bool  // it holds a compaction, a plan or a review
	hidden  bool  // a rollback took it away
	aborted bool
	sent    bool   // its end was sent (second pass)
	model   string // that the turn runs on
}

// turns follows the turns of a thread, record by record. Both passes drive one
// each in the same way, so that a turn has the same index in both.
//
// A turn is opened by task_started; before 0.101 there is none, and the user's
// message opens it (C24 of the case list: the boundary is task_started, else
// user_message). Two turns may be open at once, where two processes wrote to
// one file (F17).
type turns struct {
	all     []turn
	current int            // index of the turn at hand; -1 for none
	open    map[string]int // marked turns without an end, by id

	seed    maphash.Seed
	user    twin  // the user message shown last
	answer  twin  // the assistant message shown last
	repeats bool  // the record at hand shows a message once more that the other family just showed
	near    int32 // the record that it may repeat, by its family and its place; 0 for none
	blind   bool  // the text of that record is not known

	before int      // marked turns without an end before the mark that reading began at
	most   string   // the greatest id of a turn
	begun  boundary // of the turn that was begun last
}

// A boundary is how the turns stood when one was begun.
type boundary struct {
	open         int    // marked turns without an end
	most         string // the greatest id of a turn
	user, answer twin
	prior        string // id of the turn at hand, if it had no mark
}

func newTurns() *turns {
	return &turns{current: -1, open: make(map[string]int), seed: maphash.MakeSeed()}
}

// A family says which kind of record shows a message.
type family uint8

const (
	byEvent    family = iota // user_message, agent_message
	byTurnItem               // item_completed
)

// A twin is the message of a role that was shown last. Files of more than one
// dialect may show it by both families, one right after the other.
type twin struct {
	n    int32
	hash uint64
	by   family
	item bool // a message item came since: what is shown next is another message

	blind bool // it stands before the mark that reading began at: its hash is not known
}

// again notes that a message is shown, and whether the other family showed it
// just before.
func (t *turns) again(w *twin, n int32, text string, by family) {
	now := twin{n: n, hash: t.hash(text), by: by}
	if w.n != 0 && n-w.n <= heldFor && w.by != by && !w.item {
		t.near, t.blind = w.n, w.blind
		t.repeats = w.hash == now.hash
	}
	*w = now
}

// maxOpen bounds the turns that are held open; a killed turn stays open for
// good, and only the latest few can still be written to.
const maxOpen = 64

// maxName is the longest id or name that is kept, in bytes. One that is longer
// names nothing.
const maxName = 256

func bounded(name string) string {
	if len(name) > maxName {
		return ""
	}
	return name
}

// begin opens a turn.
func (t *turns) begin(id string, n int32, marked bool) {
	id = bounded(id)
	t.begun = boundary{open: t.before + len(t.open), most: t.most, user: t.user, answer: t.answer}
	t.most = max(t.most, id)
	t.all = append(t.all, turn{id: id, start: n, last: n, marked: marked})
	t.current = len(t.all) - 1
	if marked && id != "" {
		if t.before+len(t.open) >= maxOpen {
			clear(t.open)
			t.before = 0
		}
		t.open[id] = t.current
	}
}

// said notes that a user message is shown: it opens a turn where no marked one
// is open.
func (t *turns) said(n int32) {
	if t.current < 0 || !t.all[t.current].marked {
		prior := t.idAt(int32(t.current))
		if t.current >= 0 {
			t.close(t.current, 0)
		}
		t.begin("", n, false)
		t.begun.prior = prior
	}
}

// activity notes that a record belongs to the turn of that id, if it is open:
// from here on that one is at hand.
func (t *turns) activity(id string) {
	if id = bounded(id); id == "" || t.current >= 0 && t.all[t.current].id == id {
		return
	}
	if i, ok := t.open[id]; ok {
		t.current = i
	} else if t.current >= 0 && t.all[t.current].id == "" {
		t.all[t.current].id = id // a turn without a mark, named by what lies in it
		t.most = max(t.most, id)
	}
}

// finish closes the turn of that id; an id that no open turn has (as after a
// review) closes the turn at hand.
func (t *turns) finish(id string, n int32) (closed int) {
	closed = t.current
	if i, ok := t.open[id]; ok {
		closed = i
	}
	if closed >= 0 {
		t.close(closed, n)
		t.all[closed].last = n
	}
	return closed
}

func (t *turns) close(i int, n int32) {
	t.all[i].end = n
	delete(t.open, t.all[i].id)
	if i == t.current {
		t.current = -1
	}
}

// at returns the turn at hand, or nil.
func (t *turns) at() *turn {
	if t.current < 0 {
		return nil
	}
	return &t.all[t.current]
}

// place is where a call is made: the index of the turn at hand; outside of turns
// a number below 0, which is another one once a turn was begun.
func (t *turns) place() int32 {
	if t.current < 0 {
		return int32(-1 - len(t.all))
	}
	return int32(t.current)
}

// idAt is the id of the turn at a place, or nothing.
func (t *turns) idAt(place int32) string {
	if place < 0 {
		return ""
	}
	return t.all[place].id
}

// touch notes that record n belongs to the turn at hand.
func (t *turns) touch(n int32) {
	if at := t.at(); at != nil {
		at.last = n
	}
}

// follow applies what a record says of turns: marks, messages that are shown,
// and ids. It is the part that both passes share. callTurn is the turn of the
// call that an output answers, or -1.
func (t *turns) follow(n int32, p rollout.Payload, callTurn int) (closed int) {
	closed, t.repeats, t.near, t.blind = -1, false, 0, false
	switch p := p.(type) {
	case *rollout.TurnStarted:
		t.begin(p.TurnID, n, true)
	case *rollout.TurnComplete:
		closed = t.finish(p.TurnID, n)
	case *rollout.TurnAborted:
		closed = t.finish(p.TurnID, n)
	case *rollout.TurnContext:
		t.activity(p.TurnID)
	case *rollout.UserMessageEvent:
		if typed(p) {
			t.said(n)
			t.again(&t.user, n, p.Message.String(), byEvent)
		}
	case *rollout.AgentMessageEvent:
		t.again(&t.answer, n, p.Message.String(), byEvent)
	case *rollout.ItemCompleted:
		t.activity(p.TurnID)
		t.followItem(n, p.Item)
	case *rollout.ToolOutput:
		if callTurn >= 0 && t.all[callTurn].end == 0 {
			t.current = callTurn
		}
	case *rollout.Message:
		t.activity(p.TurnID)
		switch p.Role {
		case "user":
			t.user.item = true
		case "assistant":
			t.answer.item = true
		}
	}
	t.touch(n)
	return closed
}

func (t *turns) followItem(n int32, p rollout.Payload) {
	switch p := p.(type) {
	case *rollout.UserMessage:
		t.said(n)
		t.again(&t.user, n, p.Content.Text(), byTurnItem)
	case *rollout.AssistantMessage:
		t.again(&t.answer, n, p.Content.Text(), byTurnItem)
	}
}

func (t *turns) hash(s string) uint64 { return maphash.String(t.seed, s) }

// typed reports whether a user_message event shows what a person said. Old
// versions gave injected context the same event with another kind.
func typed(e *rollout.UserMessageEvent) bool {
	return e.Kind == "" || e.Kind == "plain"
}
