package store

import (
	"iter"

	"zombiezen.com/go/sqlite"

	"rollbook/internal/transcript"
)

// An Event is one as the store holds it.
type Event struct {
	transcript.Event // Source.File is the absolute path of the file
	ID               int64
	ThreadID         string
	Stream           string
	Turn             int
	Project          string
	Channel          Channel
	Flags            Flag
	Role             Role
	Item             int
	Root             string // of the source; its path below it is Rel
	Rel              string
}

const eventQuery = `SELECT e.id, t.thread, e.seq, e.turn, e.kind, e.role, e.channel, e.flags, e.line, e.item, e.offset,
	coalesce(o.name, ''), coalesce(m.name, ''), coalesce(p.path, tp.path, ''), coalesce(s.root, ''), coalesce(s.path, ''), b.body, b.extra,
	u.input, coalesce(u.cached, 0), u.output, coalesce(u.reasoning, 0), u.total, r.key
	FROM events e JOIN threads t ON t.id = e.thread JOIN streams r ON r.id = e.stream LEFT JOIN tools o ON o.id = e.tool LEFT JOIN models m ON m.id = e.model
	LEFT JOIN projects p ON p.id = e.project LEFT JOIN projects tp ON tp.id = t.project
	LEFT JOIN sources s ON s.id = e.source LEFT JOIN bodies b ON b.id = e.id LEFT JOIN usage u ON u.id = e.id`

func readEvent(s *sqlite.Stmt) (*Event, error) {
	ev := &Event{ID: s.ColumnInt64(0), ThreadID: s.ColumnText(1), Turn: s.ColumnInt(3), Role: Role(s.ColumnInt64(5)), Channel: Channel(s.ColumnInt64(6)),
		Flags: Flag(s.ColumnInt64(7)), Item: s.ColumnInt(9), Project: s.ColumnText(13), Root: s.ColumnText(14), Rel: s.ColumnText(15), Stream: s.ColumnText(23)}
	ev.Seq, ev.Kind, ev.Time = s.ColumnInt(2), transcript.Kind(s.ColumnInt64(4)), TimeOf(ev.ID)
	ev.Source = transcript.Source{File: ev.Rel, Line: s.ColumnInt(8), Offset: s.ColumnInt64(10)}
	ev.Tool, ev.Model = s.ColumnText(11), s.ColumnText(12)
	ev.Inherited = ev.Flags&Inherited != 0
	switch {
	case ev.Flags&Recovered != 0:
		ev.Origin = transcript.Recovered
	case ev.Flags&Synthetic != 0:
		ev.Origin = transcript.Synthetic
	}
	text, err := columnText(s, 16)
	if err != nil {
		return nil, err
	}
	more, err := columnText(s, 17)
	if err != nil {
		return nil, err
	}
	x, err := decodeExtra(more)
	if err != nil {
		return nil, err
	}
	x.apply(&ev.Event)
	switch ev.Kind {
	case transcript.ToolCall:
		ev.Arguments = text
	case transcript.ToolResult:
		ev.Output = text
	default:
		ev.Text = text
	}
	if !s.ColumnIsNull(18) {
		ev.Usage = &transcript.TokenUsage{Input: s.ColumnInt64(18), CachedInput: s.ColumnInt64(19), Output: s.ColumnInt64(20),
			ReasoningOutput: s.ColumnInt64(21), Total: s.ColumnInt64(22)}
	}
	return ev, nil
}

// Body gives the text of an event, whatever its kind.
func (ev *Event) Body() string { return TextOf(&ev.Event) }

// Event gives an event by its id; nil where there is none.
func (r *Reader) Event(id int64) (ev *Event, err error) {
	err = r.query(eventQuery+" WHERE e.id = ?", func(s *sqlite.Stmt) (err error) {
		ev, err = readEvent(s)
		return err
	}, id)
	return ev, err
}

// Events gives the events of a thread, stream by stream, each in its order.
func (r *Reader) Events(thread string) iter.Seq2[*Event, error] {
	return r.events(" WHERE t.thread = ? ORDER BY e.thread, e.stream, e.seq", thread)
}

func (r *Reader) events(where string, args ...any) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		stopped := false
		err := r.query(eventQuery+where, func(s *sqlite.Stmt) error {
			ev, err := readEvent(s)
			if err != nil {
				return err
			}
			if !yield(ev, nil) {
				stopped = true
				return errStop
			}
			return nil
		}, args...)
		if err != nil && !stopped {
			yield(nil, err)
		}
	}
}
