package assemble

import (
	"crypto/sha256"
	"encoding/binary"

	"rollbook/internal/rollout"
)

// A stand is the start of a turn in the current file of a thread: a place where
// a later reading may go on, if nothing behind it says anything of what stands
// before it (docs/format/rollout.md, "Going on").
type stand struct {
	boundary
	where
	turn   int32 // index of the turn
	flags        // as they were before the record
	record int32 // that the turn begins with: it, or the one behind it
}

// A where is the place of a record.
type where struct {
	n      int32
	line   int
	offset int64
	print  uint64 // of its line
}

// flags are what a survey has seen of the thread so far.
type flags struct {
	markers   bool
	outside   bool
	searching bool // a web search event whose call is still to come
	owner     string
	losses    int
}

// maxStands is how many of the latest turns are kept to go on at.
const maxStands = 4

// A watch tells where a survey's thread can be read on from. It is kept where
// books are.
type watch struct {
	stands []stand
	turns  int    // that were begun before the record at hand
	before before // the record before
	doubts string // why reading cannot go on at the mark that it began at; empty where it can
}

// A before is the record before the one at hand, as far as a turn may begin
// with it: the item of a prompt comes before its event (F17).
type before struct {
	where
	userItem bool
}

// linePrint knows a line again, by its length and its ends.
func linePrint(text []byte) uint64 {
	const ends = 512
	h := sha256.New()
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
	h.Write(text[:min(len(text), ends)])
	h.Write(text[max(0, len(text)-ends):])
	return binary.LittleEndian.Uint64(h.Sum(nil))
}

func (p *pass) flags() flags {
	return flags{p.markers, p.outside > 0, p.search.id != "" || p.search.blind, p.prefix.id, p.losses}
}

// watching follows a record that was noted: what it says of records before the
// stands, and whether a turn begins with it. was is how things stood before it.
func (p *pass) watching(rec record, payload rollout.Payload, was flags) {
	id := turnMentioned(payload)
	p.mentions(id)
	if m, ok := payload.(*rollout.SessionMeta); ok && (m.ID != was.owner || m.ID != p.meta.ID) {
		p.doubt("a header of another thread")
	}
	if t := p.turns; t.blind {
		p.doubt("a message that may be shown twice")
	} else if t.near > 0 {
		p.reaches(t.near)
	}
	if n := len(p.turns.all); n > p.watch.turns {
		p.watch.turns = n
		p.stand(rec, was)
	}
	p.watch.before = before{}
	if m, ok := payload.(*rollout.Message); ok && m.Role == "user" && !p.prefix.inside() {
		p.watch.before = before{whereOf(rec), true}
	}
}

func whereOf(rec record) where {
	return where{rec.n, rec.Line, rec.Offset, linePrint(rec.Text)}
}

// stand keeps the start of the turn that the record at hand began. It may have
// begun with the user item before.
func (p *pass) stand(rec record, was flags) {
	s := rec.span
	if s.base != nil || s.compressed || p.prefix.inside() {
		return
	}
	i := len(p.turns.all) - 1
	st := stand{boundary: p.turns.begun, turn: int32(i), flags: was, record: rec.n}
	if b := p.watch.before; b.userItem && b.n == rec.n-1 && !p.turns.all[i].marked && !p.itemsOnly {
		if st.prior != "" {
			return // the item would be of that turn
		}
		st.where = b.where
	} else {
		st.where = whereOf(rec)
	}
	if st.n <= s.first && s.from == nil {
		return
	}
	if len(p.watch.stands) == maxStands {
		copy(p.watch.stands, p.watch.stands[1:])
		p.watch.stands = p.watch.stands[:maxStands-1]
	}
	p.watch.stands = append(p.watch.stands, st)
}

// reaches notes that the record at hand says something of record n: reading
// cannot go on between them.
func (p *pass) reaches(n int32) {
	if p.watch == nil {
		return
	}
	for len(p.watch.stands) > 0 && p.watch.stands[len(p.watch.stands)-1].n > n {
		p.watch.stands = p.watch.stands[:len(p.watch.stands)-1]
	}
}

// doubt notes that the record at hand may say something of any record before
// it, for all that is known behind a stand.
func (p *pass) doubt(why string) {
	if p.watch == nil {
		return
	}
	p.watch.stands = p.watch.stands[:0]
	if p.from != nil && p.watch.doubts == "" {
		p.watch.doubts = why
	}
}

// mentions notes that the record at hand names a turn. Ids of turns grow, so
// that one that is greater than all before a stand is of no turn before it.
func (p *pass) mentions(id string) {
	if id == "" {
		return
	}
	for len(p.watch.stands) > 0 && id <= p.watch.stands[len(p.watch.stands)-1].most {
		p.watch.stands = p.watch.stands[:len(p.watch.stands)-1]
	}
	if p.from != nil && id <= p.from.Most && p.watch.doubts == "" {
		p.watch.doubts = "a turn that may be an earlier one"
	}
}

// turnMentioned is the turn that a payload names, as far as anything depends
// on it.
func turnMentioned(p rollout.Payload) string {
	id := ""
	switch p := p.(type) {
	case *rollout.TurnStarted:
		id = p.TurnID
	case *rollout.TurnComplete:
		id = p.TurnID
	case *rollout.TurnAborted:
		id = p.TurnID
	case *rollout.TurnContext:
		id = p.TurnID
	case *rollout.Message:
		id = p.TurnID
	default:
		id = turnNamed(p)
	}
	return bounded(id)
}

// paired notes what a record of a call says of the records before it. first is
// the earliest record of the call.
func (p *pass) paired(rec callRecord, first int32) {
	switch {
	case p.watch == nil:
	case first != rec.n:
		p.reaches(first)
	case rec.made:
	case rec.role == isOutput:
		p.doubt("an output without its call")
	case rec.role == isEnd && (rec.turn == "" || p.from != nil && p.from.Unnamed):
		p.doubt("a completion without its call")
	}
}

// choose gives the stand to go on at: the latest before which all turns that are
// kept have ended, for what is written next may be of one that has not. There is
// always one, if any stand is usable.
func (w *watch) choose(t *turns, usable func(*stand) bool) *stand {
	var chosen *stand
	for i := range w.stands {
		s := &w.stands[i]
		if usable(s) {
			chosen = s
		}
		if at := &t.all[s.turn]; chosen != nil && at.marked && at.end == 0 {
			break
		}
	}
	return chosen
}
