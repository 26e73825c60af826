package assemble

import (
	"strings"

	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// A verdict says whose words a block of a user item is.
type verdict uint8

const (
	persons  verdict = iota // the person's
	injected                // put in by Codex or a client
	markup                  // the tags that Codex writes round an image
)

// judge tells whose words a block is, in the order of
// docs/format/rollout.md, "Injected items": its recorded kind, then the event
// that shows it, then the list of openings. shown is the event's text; empty
// where there is none.
func judge(kind, text, shown string) verdict {
	switch {
	case strings.HasPrefix(kind, "user."):
		if isImageTag(text) {
			return markup
		}
		return persons
	case kind != "" && kind != "unknown":
		return injected
	case shown != "" && text != "" && strings.Contains(shown, text):
		return persons
	case isImageTag(text):
		return markup
	case transcript.Injected(text):
		return injected
	}
	return persons
}

// isImageTag reports whether a block is one of the tags that stand before and
// after an image in a user item (F16 and "Mirrors" 1).
func isImageTag(text string) bool {
	if text == "</image>" || text == "<image>" {
		return true
	}
	return strings.HasPrefix(text, "<image name=") && strings.HasSuffix(text, ">") && !strings.Contains(text, "\n")
}

// A part is a text block of a message with its verdict.
type part struct {
	text string
	verdict
}

// parts judges the text blocks of a message.
func parts(m *rollout.Message, shown string) []part {
	kinds := m.Kinds.Strings()
	var all []part
	for i, b := range m.Content.All() {
		if b.Kind != rollout.BlockText {
			continue
		}
		kind := ""
		if i < len(kinds) {
			kind = kinds[i]
		}
		text := b.Text.String()
		all = append(all, part{text, judge(kind, text, shown)})
	}
	return all
}

// whole is the text of all parts. That of a single one is not copied.
func whole(all []part) string {
	texts := make([]string, len(all))
	for i, p := range all {
		texts[i] = p.text
	}
	return strings.Join(texts, "")
}

// joined is the text of all parts of one verdict, joined with nothing, as Codex
// joins them. The bool is false where there is no such part.
func joined(all []part, v verdict) (string, bool) {
	var texts []string
	for _, p := range all {
		if p.verdict == v {
			texts = append(texts, p.text)
		}
	}
	return strings.Join(texts, ""), len(texts) > 0
}

// naturalText is the person's words of an item that no event shows. The bool is
// false where the item holds none; an image alone counts as words.
func naturalText(m *rollout.Message) (string, bool) { return naturalParts(m, parts(m, "")) }

func naturalParts(m *rollout.Message, all []part) (string, bool) {
	words, ok := joined(all, persons)
	if !ok {
		for _, b := range m.Content.All() {
			ok = ok || b.Kind == rollout.BlockImage
		}
	}
	return words, ok
}

// answerText is the text of an assistant item, and whether it may be shown
// where no event shows it.
func answerText(m *rollout.Message) (string, bool) {
	text := m.Content.Text()
	return text, !transcript.Injected(text) && m.Content.OK()
}
