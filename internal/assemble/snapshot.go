package assemble

import (
	"hash/maphash"
	"regexp"
	"strings"
	"unicode/utf8"

	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// heard counts the messages of a session so far, by their texts, so that a
// snapshot of them is told from what stands in the snapshot only. A message is
// counted in its item and in its event; the greater number is how often it was
// said, where one of them is missing.
type heard struct {
	count map[uint64]times
	words []byte // of the text at hand
}

type times struct {
	items, shown, recovered int32
	openings                int32 // texts that begin so
}

// have is how often a text was said or recovered.
func (t times) have() int32 { return max(t.items, t.shown) + t.recovered }

// remember counts the message that a record holds, also where it is hidden:
// what was rolled back is not to come back from a snapshot.
func (e *emitter) remember(p rollout.Payload) {
	if !e.sv.session || len(e.sv.compacts) == 0 {
		return
	}
	switch p := p.(type) {
	case *rollout.Message:
		if key, text := e.messageKey(p); key != 0 {
			e.count(key, text, func(t *times) { t.items++ })
		}
	case *rollout.UserMessageEvent:
		text := p.Message.String()
		e.count(e.textKey("user", text), text, func(t *times) { t.shown++ })
	case *rollout.AgentMessageEvent:
		text := p.Message.String()
		e.count(e.textKey("assistant", text), text, func(t *times) { t.shown++ })
	case *rollout.ItemCompleted:
		switch item := p.Item.(type) {
		case *rollout.UserMessage:
			text := item.Content.Text()
			e.count(e.textKey("user", text), text, func(t *times) { t.shown++ })
		case *rollout.AssistantMessage:
			text := item.Content.Text()
			e.count(e.textKey("assistant", text), text, func(t *times) { t.shown++ })
		}
	}
}

func (e *emitter) count(key uint64, text string, add func(*times)) {
	if e.heard.count == nil {
		e.heard.count = make(map[uint64]times)
	}
	t := e.heard.count[key]
	add(&t)
	e.heard.count[key] = t
	if opening, ok := opening(text); ok {
		key := e.textKey("opening", opening)
		t := e.heard.count[key]
		t.openings++
		e.heard.count[key] = t
	}
}

// messageKey gives the key of a message item that is a person's or the model's,
// and its text; 0 for any other. Of images alone the key is their digests.
func (e *emitter) messageKey(m *rollout.Message) (key uint64, text string) {
	switch m.Role {
	case "user":
		words, ok := naturalText(m)
		if !ok {
			return 0, ""
		}
		text = words
	case "assistant":
		text = m.Content.Text()
	default:
		return 0, ""
	}
	if text != "" {
		return e.textKey(m.Role, text), text
	}
	var digests strings.Builder
	for _, img := range e.images(m.Content) {
		digests.WriteString(img.SHA256 + img.Name)
	}
	return e.textKey(m.Role+" images", digests.String()), ""
}

// imageTag is what Codex writes round the images of an item, and into the texts
// that it makes of them.
var imageTag = regexp.MustCompile(`</?image( name=[^>\n]*)?>`)

// textKey is one for texts that differ in white space and in the envelope
// round a person's words: Codex joins the blocks of a message anew when it
// makes a snapshot.
func (e *emitter) textKey(role, text string) uint64 {
	if role == "user" {
		text, _ = transcript.Unwrap(text)
		if strings.Contains(text, "<image") {
			text = imageTag.ReplaceAllLiteralString(text, " ")
		}
	}
	e.heard.words = append(e.heard.words[:0], role...)
	for word := range strings.FieldsSeq(text) {
		e.heard.words = append(append(e.heard.words, ' '), word...)
	}
	return maphash.Bytes(e.seed, e.heard.words)
}

// An opening is as much of a text as a shortened copy of it surely has.
const openingLength = 64

func opening(text string) (string, bool) {
	words, _ := transcript.Unwrap(text)
	if len(words) < 4*openingLength {
		return "", false
	}
	n := openingLength
	for !utf8.RuneStart(words[n]) {
		n--
	}
	return words[:n], true
}

// shortened reports whether a text of a snapshot is a message that Codex cut
// in its middle, because the snapshot had no room for it.
func (e *emitter) shortened(text string) bool {
	if !strings.Contains(text, " tokens truncated…") && !strings.Contains(text, " chars truncated…") {
		return false
	}
	start, ok := opening(text)
	return ok && e.heard.count[e.textKey("opening", start)].openings > 0
}

// snapshot sends a compaction of a session: its summary, and of its replacement
// history the messages that stand nowhere else. Where the session begins with
// it that is all of them, the summary in its place: it is what the model saw of
// all before. Elsewhere the turns that the summary is of are there themselves.
func (e *emitter) snapshot(p *rollout.Compacted, summary string) {
	head := e.view == transcript.Model && e.rec.n == e.sv.compacted
	rolled := e.sv.keep && e.sv.rolled.has(e.rec.n)
	ev := e.event(transcript.Compaction, transcript.Recorded)
	ev.Text = summary
	summed := false
	for _, item := range p.Replacement.All() {
		m, ok := snapshotMessage(item)
		if ok {
			_, ok = e.snapshotText(m)
		}
		if isSummary := ok && summary != "" && m.Role == "user" && m.Content.Text() == summary; isSummary {
			summed, ok = true, head
		}
		if !ok {
			ev.Skipped++
		}
	}
	e.send()
	if head && !summed && summary != "" {
		ev := e.event(transcript.User, transcript.Recovered)
		ev.Text, ev.Snapshot = summary, true
		e.send()
	}
	if rolled {
		return
	}
	here := make(map[uint64]int32) // how often the snapshot itself has a text
	for _, item := range p.Replacement.All() {
		if m, ok := snapshotMessage(item); ok {
			e.fromSnapshot(m, head, summary, here)
		}
	}
}

// snapshotMessage gives the message that an entry of a snapshot is.
func snapshotMessage(entry rollout.Payload) (*rollout.Message, bool) {
	if u, ok := entry.(*rollout.Unknown); ok {
		entry = rollout.Alias(u)
	}
	switch p := entry.(type) {
	case *rollout.Message:
		return p, true
	case *rollout.ItemCompleted:
		switch item := p.Item.(type) {
		case *rollout.UserMessage:
			return &rollout.Message{Role: "user", Content: item.Content}, true
		case *rollout.AssistantMessage:
			return &rollout.Message{Role: "assistant", Content: item.Content, Phase: item.Phase}, true
		}
	}
	return nil, false
}

// snapshotText gives the text of a message of a snapshot; false where it is
// nobody's: injected, or a developer's.
func (e *emitter) snapshotText(m *rollout.Message) (string, bool) {
	switch m.Role {
	case "user":
		return naturalText(m)
	case "assistant":
		return answerText(m)
	}
	return "", false
}

func (e *emitter) fromSnapshot(m *rollout.Message, head bool, summary string, here map[uint64]int32) {
	text, ok := e.snapshotText(m)
	if !ok {
		return
	}
	key, _ := e.messageKey(m)
	here[key]++
	if !head {
		if summary != "" && text == summary && m.Role == "user" || e.shortened(text) {
			return
		}
		t := e.heard.count[key]
		if here[key] <= t.have() {
			return
		}
		t.recovered++
		if e.heard.count == nil {
			e.heard.count = make(map[uint64]times)
		}
		e.heard.count[key] = t
	}
	kind := transcript.User
	if m.Role == "assistant" {
		kind = transcript.Assistant
	}
	ev := e.event(kind, transcript.Recovered)
	ev.Text, ev.Phase, ev.ItemID, ev.Images, ev.Snapshot = text, m.Phase, m.ID, e.images(m.Content), true
	e.send()
}
