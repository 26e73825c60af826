package secret

import (
	"slices"

	"rollbook/internal/transcript"
)

// Thread returns a thread whose meta and events are redacted as they are read.
// The report of the Redactor has the places of the events. What a text is split
// over, such as the parts of a stream that are events of their own, is not put
// together, and images are not looked into.
func (r *Redactor) Thread(t *transcript.Thread) *transcript.Thread {
	out := *t
	r.At(Place{})
	r.meta(&out.Meta)
	out.Events = func(yield func(*transcript.Event, error) bool) {
		var ev transcript.Event
		for from, err := range t.Events {
			if err != nil {
				yield(nil, err)
				return
			}
			ev = *from
			r.Event(&ev)
			if !yield(&ev, nil) {
				return
			}
		}
	}
	return &out
}

// meta redacts what is known of a thread. Nothing is found in the ids that Codex
// gives; others still link threads, since the same value has the same placeholder.
func (r *Redactor) meta(m *transcript.Meta) {
	for _, s := range []*string{
		&m.ID, &m.ParentID, &m.ForkedFrom, &m.SessionID,
		&m.Title, &m.TitleSource, &m.Project, &m.Source, &m.Originator, &m.Provider,
	} {
		*s = r.Text(*s)
	}
	m.Models, m.Versions = r.texts(m.Models), r.texts(m.Versions)
	m.Segments, m.Files = r.texts(m.Segments), r.texts(m.Files)
}

// Event redacts an event, which keeps nothing of the lists it had.
func (r *Redactor) Event(ev *transcript.Event) {
	r.At(Place{ev.Source.File, ev.Source.Line})
	for _, s := range []*string{
		&ev.TurnID, &ev.Source.File, &ev.Role, &ev.Text, &ev.Phase, &ev.ItemID, &ev.Status,
		&ev.Tool, &ev.Namespace, &ev.CallID, &ev.Arguments, &ev.Output, &ev.Model,
		&ev.ItemType, &ev.Dir, &ev.Outcome,
	} {
		*s = r.Text(*s)
	}
	ev.Images = slices.Clone(ev.Images)
	for i := range ev.Images {
		im := &ev.Images[i]
		im.Name, im.MediaType, im.Declared = r.Text(im.Name), r.Text(im.MediaType), r.Text(im.Declared)
	}
	ev.Changes = slices.Clone(ev.Changes)
	for i := range ev.Changes {
		c := &ev.Changes[i]
		c.Path, c.Kind, c.Moved, c.Diff = r.Text(c.Path), r.Text(c.Kind), r.Text(c.Moved), r.Text(c.Diff)
	}
}

func (r *Redactor) texts(list []string) []string {
	list = slices.Clone(list)
	for i := range list {
		list[i] = r.Text(list[i])
	}
	return list
}
