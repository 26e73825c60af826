package assemble

import (
	"context"
	"fmt"
	"math"
	"time"

	"rollbook/internal/discover"
	"rollbook/internal/transcript"
)

// Thread surveys a thread and returns it. Its events are read when they are
// ranged over.
func (l *Library) Thread(ctx context.Context, id string, view transcript.View) (*transcript.Thread, error) {
	g := l.threads[id]
	if g == nil {
		return nil, fmt.Errorf("thread %s: not found", id)
	}
	spans := g.physical()
	if view != transcript.Physical {
		spans = l.chain(g)
	}
	sv, err := l.survey(ctx, g, spans)
	if err != nil {
		return nil, err
	}
	if view == transcript.Physical {
		if err := l.markReverted(ctx, g, sv); err != nil {
			return nil, err
		}
	}
	t := &transcript.Thread{Meta: l.meta(g, sv, view), View: view}
	t.Events = func(yield func(*transcript.Event, error) bool) { l.events(ctx, sv, view, yield) }
	return t, nil
}

// markReverted marks what the active view leaves of a thread's own files: the
// turns that a revert took away stay in the older file (F4).
func (l *Library) markReverted(ctx context.Context, g *group, sv *survey) error {
	if len(g.files) < 2 {
		return nil
	}
	kept := make(map[string]int64) // how much of each file the active view reads
	quiet := l.with(nil, nil)
	active, err := quiet.survey(ctx, g, quiet.chain(g))
	if err != nil {
		return err
	}
	for _, s := range active.spans {
		end := s.end
		if s.base == nil {
			end = 1<<63 - 1
		}
		kept[s.ref.Path] = end
	}
	for rec, err := range quiet.records(ctx, sv.spans, nil, func(*span, error) {}) {
		if err != nil {
			return err
		}
		if rec.Offset >= kept[rec.span.ref.Path] {
			sv.rolled.add(rec.n, rec.n+1)
		}
	}
	sv.rolled.sort()
	return nil
}

// meta is what a survey tells of a thread.
func (l *Library) meta(g *group, sv *survey, view transcript.View) transcript.Meta {
	m := transcript.Meta{ID: g.id, Project: orElse(g.current.Cwd, sv.meta.CWD), Source: g.current.Source,
		Originator: sv.meta.Originator, Provider: sv.meta.ModelProvider, Models: sv.facts.models, Versions: sv.facts.versions,
		Created: sv.facts.created, Updated: sv.facts.updated, ParentID: g.files[0].ParentID, ForkedFrom: g.files[0].ForkedFrom,
		SessionID: sv.meta.SessionID, Archived: g.current.Archived, Losses: sv.losses}
	m.Project = orElse(m.Project, sv.facts.cwd)
	if began := idTime("", sv.meta.Timestamp); !began.IsZero() {
		m.Created = began
	}
	if m.Created.IsZero() {
		m.Created = g.files[0].First
	}
	if m.Updated.IsZero() {
		m.Updated = g.current.Last
	}
	m.Created, m.Updated = m.Created.UTC(), later(m.Updated, m.Created)
	m.Title, m.TitleSource = l.title(g, sv)
	m.Losses += sv.gaps()
	for _, s := range sv.chain() {
		m.Segments = append(m.Segments, s.ref.Path)
	}
	for _, f := range g.files {
		m.Files = append(m.Files, f.Path)
		m.Counts.Bytes += f.Size
	}
	m.Counts.Files = len(g.files)
	m.State = sv.state(m.Losses)
	c := sv.counts(view, math.MaxInt32, len(sv.turns.all))
	m.Counts.Turns, m.Counts.UserMessages, m.Counts.AssistantMessages, m.Counts.ToolCalls = c.Turns, c.Users, c.Answers, c.Calls
	return m
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b.UTC()
	}
	return a.UTC()
}

func (l *Library) title(g *group, sv *survey) (text, source string) {
	return ChooseTitle(l.titles[g.id], sv.facts.name, sv.facts.prompt)
}

// ChooseTitle chooses a thread's title, one line, and says where it is from
// (transcript.Meta.TitleSource): the name that a person or Codex gave it, else
// the first prompt (docs/format/history.md). name is the last one that the
// thread's own records give it, prompt the first line of the first prompt.
func ChooseTitle(known discover.Title, name, prompt string) (text, source string) {
	switch {
	case known.Text != "" && !known.Prompt:
		return firstLine(known.Text), known.Source
	case name != "":
		return firstLine(name), "event"
	case prompt != "":
		return prompt, "prompt"
	case known.Text != "":
		return firstLine(known.Text), "prompt"
	}
	return "", ""
}

// chain gives the spans of the view, also those that were not read again.
func (sv *survey) chain() []span {
	if sv.from != nil {
		return sv.links
	}
	return sv.spans
}

// gaps counts the places where something is missing.
func (sv *survey) gaps() (n int) {
	if sv.from != nil {
		return sv.from.Gaps
	}
	for _, s := range sv.spans {
		if s.gap != "" {
			n++
		}
	}
	return n
}

// state tells how the thread stands at its end.
func (sv *survey) state(losses int) transcript.State {
	switch {
	case losses > 0:
		return transcript.Damaged
	case sv.open(len(sv.turns.all)):
		return transcript.Open
	}
	return transcript.Complete
}

// open reports whether the last of the first turns that is not hidden has no
// end.
func (sv *survey) open(turns int) bool {
	for i := turns - 1; i >= 0; i-- {
		if t := &sv.turns.all[i]; !t.hidden {
			return t.marked && t.end == 0 || !t.marked && !t.aborted && t.answers+t.items == 0
		}
	}
	return sv.from != nil && sv.from.Open
}

// counts counts what the view holds before record end, in the first turns.
func (sv *survey) counts(view transcript.View, end int32, turns int) (c counts) {
	if sv.from != nil {
		c = sv.from.Counts
	}
	for i := range turns {
		if sv.visible(view, sv.turns.all[i].start) {
			c.Turns++
		}
	}
	for _, n := range sv.users {
		if n < end && sv.visible(view, n) {
			c.Users++
		}
	}
	for _, n := range sv.answers {
		if n < end && sv.visible(view, n) {
			c.Answers++
		}
	}
	for _, item := range sv.items {
		if item.n < end && sv.visible(view, item.n) && sv.standsIn(int(item.turn)) {
			c.Answers++
		}
	}
	for i := range sv.calls.all {
		k := &sv.calls.all[i]
		if k.first < end && (sv.visible(view, k.call) || sv.visible(view, k.output) || sv.visible(view, k.end)) {
			c.Calls++
		}
	}
	return c
}
