package assemble

import (
	"slices"
	"strings"
	"time"

	"rollbook/internal/rollout"
)

// facts are what a thread's meta is made of.
type facts struct {
	models, versions []string
	created, updated time.Time
	cwd              string
	name, prompt     string
}

// time keeps the first and the last time of the thread's own records.
func (p *pass) time(rec record) {
	if rec.span.inherited {
		return
	}
	if t := recordTime(&rec.Envelope); !t.IsZero() {
		if p.facts.created.IsZero() {
			p.facts.created = t
		}
		if t.After(p.facts.updated) {
			p.facts.updated = t
		}
	}
}

// recordTime is the time of a line in UTC, or zero.
func recordTime(env *rollout.Envelope) time.Time {
	if t, ok := usualTime(env.Timestamp); ok {
		return t
	}
	s, _ := env.Timestamp.Text()
	t, err := time.Parse(time.RFC3339Nano, s)
	if t = t.UTC(); err != nil || t.Year() < 0 || t.Year() > 9999 { // a zone may lead out of what can be written
		return time.Time{}
	}
	return t
}

// usualTime reads a time as Codex spells it, "2026-03-02T09:00:00.000Z", which
// the library takes ten times as long for. What is not in range is left to it.
func usualTime(v rollout.Raw) (time.Time, bool) {
	const form = `"dddd-dd-ddTdd:dd:dd.dddZ"`
	if len(v) != len(form) {
		return time.Time{}, false
	}
	for i, c := range v {
		if digit := '0' <= c && c <= '9'; digit != (form[i] == 'd') || !digit && c != form[i] {
			return time.Time{}, false
		}
	}
	two := func(i int) int { return int(v[i]-'0')*10 + int(v[i+1]-'0') }
	year, month, day := two(1)*100+two(3), two(6), two(9)
	hour, minute, second := two(12), two(15), two(18)
	if month < 1 || month > 12 || day < 1 || day > 28 || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	milli := two(21)*10 + int(v[23]-'0')
	return time.Date(year, time.Month(month), day, hour, minute, second, milli*1e6, time.UTC), true
}

// noteMeta takes a session_meta line. The first one of the thread's own file
// is its owner; a later one of the same id adds what the first lacks (F6, and
// docs/format/rollout.md on repeated headers).
func (p *pass) noteMeta(rec record, m *rollout.SessionMeta) {
	if rec.span.inherited || copiedMeta(rec, m) {
		return
	}
	if p.meta.ID == "" || m.ID == p.meta.ID {
		mergeMeta(&p.meta, m)
		p.facts.versions = appendNew(p.facts.versions, m.CLIVersion)
		p.drop = p.meta.Source.Name == "subagent"
	}
}

func mergeMeta(to, from *rollout.SessionMeta) {
	if to.ID == "" {
		*to = *from
		to.Instructions, to.BaseInstructions = nil, nil // they point into the line
		return
	}
	for _, f := range []struct{ to, from *string }{
		{&to.SessionID, &from.SessionID}, {&to.CWD, &from.CWD}, {&to.Originator, &from.Originator}, {&to.CLIVersion, &from.CLIVersion},
		{&to.ModelProvider, &from.ModelProvider}, {&to.ForkedFromID, &from.ForkedFromID}, {&to.ParentThreadID, &from.ParentThreadID},
		{&to.MemoryMode, &from.MemoryMode}, {&to.HistoryMode, &from.HistoryMode}, {&to.Source.Name, &from.Source.Name},
	} {
		*f.to = orElse(*f.to, *f.from)
	}
}

func (p *pass) noteHeader(h *rollout.BareHeader) {
	if p.meta.ID == "" {
		p.meta.ID, p.meta.Timestamp = h.ID, h.Timestamp
	}
}

// appendNew appends what is not there yet.
func appendNew(list []string, s string) []string {
	if s = bounded(s); s == "" || slices.Contains(list, s) || len(list) >= 100 {
		return list
	}
	return append(list, s)
}

// firstLine is the first line of a text that is not blank, for a title.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return clip(line, 200)
		}
	}
	return ""
}

// clip shortens a text to at most n runes.
func clip(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i] + "…"
		}
	}
	return s
}
