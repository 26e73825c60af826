package assemble

import (
	"hash/maphash"
	"slices"
	"strings"

	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// heldFor is how many records a message item waits for the event that mirrors
// it. A user's item is followed by its event at once; an answer's event mostly
// comes first (F17).
const heldFor = 3

// held is a message item that waits for the event that shows it.
type held struct {
	n      int32
	kept   bool // it is not to be sent now
	role   string
	parts  []part
	images []transcript.Image
	ev     transcript.Event // place, time and marks of the item
	text   string
}

func (h *held) waiting() bool { return h.n != 0 }

// hold keeps an item until the next records tell what it is.
func (e *emitter) hold(m *rollout.Message) {
	e.flush()
	e.event(transcript.Context, transcript.Recorded)
	e.held = held{n: e.rec.n, role: m.Role, ev: e.ev, images: e.images(m.Content)}
	if m.Role != "user" {
		e.held.text = m.Content.Text()
		return
	}
	e.held.parts = parts(m, "")
	e.held.text = whole(e.held.parts)
}

// flush sends a held item that no event shows. What Codex or a client put in is
// context; the rest is context in the physical view only, for Codex does not
// show it (F16).
func (e *emitter) flush() {
	h := e.held
	if !h.waiting() {
		return
	}
	e.held = held{}
	e.asContext(&h, "", false)
}

// asContext sends of a held item what shown, the event that mirrors it, does
// not show: in the physical view the item as recorded, else what was injected.
func (e *emitter) asContext(h *held, shown string, paired bool) {
	text := h.text
	if e.view != transcript.Physical {
		var put []string
		for i, p := range h.parts {
			if p.verdict == injected && !(paired && i < maxLooked && strings.Contains(shown, p.text)) {
				put = append(put, p.text)
			}
		}
		if len(put) == 0 {
			return
		}
		text = strings.Join(put, "")
	} else if paired && text == shown {
		return
	}
	e.ev = h.ev
	e.ev.Role, e.ev.Text = h.role, text
	if !paired {
		e.ev.Images = h.images
	}
	e.send()
}

// message gives the events of a message item.
func (e *emitter) message(m *rollout.Message) {
	switch m.Role {
	case "user":
		if e.sv.itemsOnly {
			e.naturalItem(m)
		} else {
			e.hold(m)
		}
	case "assistant":
		e.answerItem(m)
		e.inlineCalls(m)
	default:
		e.context(m.Role, m.Content.Text())
	}
}

func (e *emitter) context(role, text string) {
	ev := e.event(transcript.Context, transcript.Recorded)
	ev.Role, ev.Text = role, text
	e.send()
}

// standIn is the origin of an item that stands for itself: bare lines have
// nothing else.
func (e *emitter) standIn() transcript.Origin {
	if e.rec.Envelope.Bare() {
		return transcript.Recorded
	}
	return transcript.Recovered
}

// naturalItem gives the events of a user item in a thread without events.
func (e *emitter) naturalItem(m *rollout.Message) {
	all := parts(m, "")
	if put, ok := joined(all, injected); ok {
		e.context(m.Role, put)
	}
	if _, ok := naturalText(m); !ok {
		return
	}
	words, _ := joined(all, persons)
	ev := e.event(transcript.User, e.standIn())
	ev.Text, ev.ItemID, ev.Images = words, m.ID, e.images(m.Content)
	e.send()
}

// answerItem gives the event of an assistant item, if no event shows it.
func (e *emitter) answerItem(m *rollout.Message) {
	text, fit := answerText(m)
	switch alone := e.sv.standsIn(e.turns.current); {
	case !alone && e.shown.take(m.ID, text):
		return
	case !alone || !fit:
		e.hold(m)
		return
	}
	ev := e.event(transcript.Assistant, e.standIn())
	ev.Text, ev.Phase, ev.ItemID, ev.Images = text, m.Phase, m.ID, e.images(m.Content)
	e.send()
}

// userEvent gives the event of a user_message.
func (e *emitter) userEvent(p *rollout.UserMessageEvent) {
	if !typed(p) {
		e.context("user", p.Message.String())
		return
	}
	e.user(p.Message.String(), "", func() []transcript.Image { return e.listed(p) })
}

// userItem gives the event of a UserMessage turn item.
func (e *emitter) userItem(p *rollout.UserMessage) {
	e.user(p.Content.Text(), p.ID, func() []transcript.Image { return e.images(p.Content) })
}

// user sends a user message with what its item adds. A message that both
// families show is sent once.
func (e *emitter) user(text, id string, listed func() []transcript.Image) {
	if e.turns.repeats {
		return
	}
	images := e.pair(text)
	if images == nil {
		images = listed()
	}
	ev := e.event(transcript.User, transcript.Recorded)
	ev.Text, ev.ItemID, ev.Images = text, id, images
	e.send()
}

// pair takes the held user item, if the event that shows text is its mirror,
// and gives its images. Blocks of it that the event does not show are context.
func (e *emitter) pair(text string) []transcript.Image {
	h := e.held
	if !h.waiting() || h.role != "user" || !mirrors(h.parts, text, len(h.images) > 0) {
		return nil
	}
	e.held = held{}
	e.asContext(&h, text, true)
	return h.images
}

// maxLooked is how many parts of an item are looked for in the text of an event.
// Real items have up to three.
const maxLooked = 256

// mirrors reports whether an item with these parts is what an event shows.
func mirrors(all []part, shown string, images bool) bool {
	words, ok := joined(all, persons)
	if words == shown && (ok || images) {
		return true
	}
	for _, p := range all[:min(len(all), maxLooked)] {
		if p.text != "" && strings.Contains(shown, p.text) {
			return true
		}
	}
	return false
}

// answer sends an assistant message that an event shows.
func (e *emitter) answer(text, phase, id string) {
	if e.turns.repeats {
		return
	}
	if h := &e.held; h.waiting() && h.role == "assistant" && sameAnswer(h.text, text) {
		e.held = held{} // its item came first
	} else {
		e.shown.put(id, text)
	}
	ev := e.event(transcript.Assistant, transcript.Recorded)
	ev.Text, ev.Phase, ev.ItemID = text, phase, id
	e.send()
}

// citation opens what Codex cuts out of an answer before it shows it.
const citation = "<oai-mem-citation>"

// sameAnswer reports whether an item's text is what an event shows: the same,
// or the same but for a citation or a plan, which the event leaves out.
func sameAnswer(item, shown string) bool {
	return item == shown || strings.TrimSpace(prose(item)) == strings.TrimSpace(shown)
}

// prose is an item's text without citations and plans.
func prose(s string) string {
	s, _, _ = strings.Cut(s, citation)
	var kept strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "<proposed_plan>")
		_, after, ended := strings.Cut(rest, "</proposed_plan>")
		switch {
		case ok && ended:
			kept.WriteString(before)
			s = after
		case kept.Len() == 0:
			return s
		default:
			kept.WriteString(s)
			return kept.String()
		}
	}
}

// shownTexts are the answers of a turn that events showed and whose items are
// still to come.
type shownTexts struct {
	seed maphash.Seed
	all  []shownText
}

type shownText struct {
	id           string
	exact, prose uint64
}

// maxShown bounds the answers that wait for their items.
const maxShown = 64

func (s *shownTexts) clear() { s.all = s.all[:0] }

func (s *shownTexts) put(id, text string) {
	if len(s.all) == maxShown {
		s.all = slices.Delete(s.all, 0, 1)
	}
	s.all = append(s.all, shownText{id, maphash.String(s.seed, text), maphash.String(s.seed, strings.TrimSpace(text))})
}

// take removes the answer that an item mirrors, and reports whether there is
// one: the one of its id, else the oldest of its text.
func (s *shownTexts) take(id, text string) bool {
	i := -1
	if id != "" {
		i = slices.IndexFunc(s.all, func(t shownText) bool { return t.id == id })
	}
	if exact := maphash.String(s.seed, text); i < 0 {
		i = slices.IndexFunc(s.all, func(t shownText) bool { return t.exact == exact })
	}
	if p := prose(text); i < 0 && p != text {
		h := maphash.String(s.seed, strings.TrimSpace(p))
		i = slices.IndexFunc(s.all, func(t shownText) bool { return t.prose == h })
	}
	if i < 0 {
		return false
	}
	s.all = slices.Delete(s.all, i, i+1)
	return true
}
