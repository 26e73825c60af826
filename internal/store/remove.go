package store

import (
	"zombiezen.com/go/sqlite"

	"rollbook/internal/transcript"
)

// A gone is an event that is taken away.
type gone struct {
	id    int64
	seq   int
	kind  transcript.Kind
	flags Flag
	chars int
	usage *Usage
}

// removeEvents takes away what a stream holds from an event on. The threads that
// lose some are added to seen.
func (w *Writer) removeEvents(stream int64, from int, seen map[int64]bool) error {
	var threads []int64
	err := w.query("SELECT thread FROM stream_threads WHERE stream = ?", func(s *sqlite.Stmt) error {
		threads = append(threads, s.ColumnInt64(0))
		return nil
	}, stream)
	if err != nil {
		return err
	}
	indexed := 1<<62 - 1 // events before it are in outputs
	if seq, ok := w.todo[stream]; ok {
		indexed = seq
	}
	for _, thread := range threads {
		if from > 1 {
			if err := w.withoutResults(thread, stream, from); err != nil {
				return err
			}
		}
		if err := w.removeOf(thread, stream, from, indexed, seen); err != nil {
			return err
		}
	}
	if from <= 1 {
		for _, thread := range threads {
			w.alone[thread] = true
		}
		delete(w.todo, stream)
		if err := w.exec("DELETE FROM stream_threads WHERE stream = ?", stream); err != nil {
			return err
		}
		return w.exec("DELETE FROM todo WHERE stream = ?", stream)
	}
	return nil
}

// removeOf takes away a thread's part of it, a few thousand rows at a time.
func (w *Writer) removeOf(thread, stream int64, from, indexedTo int, seen map[int64]bool) error {
	for {
		var list []gone
		err := w.query(`SELECT e.id, e.seq, e.kind, e.flags, e.chars, u.kind, u.input, u.cached, u.output, u.reasoning, u.total
			FROM events e LEFT JOIN usage u ON u.id = e.id WHERE e.thread = ? AND e.stream = ? AND e.seq >= ? LIMIT 5000`,
			func(s *sqlite.Stmt) error {
				g := gone{id: s.ColumnInt64(0), seq: s.ColumnInt(1), kind: transcript.Kind(s.ColumnInt64(2)), flags: Flag(s.ColumnInt64(3)), chars: s.ColumnInt(4)}
				if !s.ColumnIsNull(5) {
					g.usage = &Usage{Kind: UsageKind(s.ColumnInt64(5)), TokenUsage: transcript.TokenUsage{Input: s.ColumnInt64(6),
						CachedInput: s.ColumnInt64(7), Output: s.ColumnInt64(8), ReasoningOutput: s.ColumnInt64(9), Total: s.ColumnInt64(10)}}
				}
				list = append(list, g)
				return nil
			}, thread, stream, from)
		if err != nil || len(list) == 0 {
			return err
		}
		seen[thread] = true
		for _, g := range list {
			if err := w.removeEvent(thread, g, indexedTo); err != nil {
				return err
			}
		}
	}
}

func (w *Writer) removeEvent(thread int64, g gone, indexedTo int) error {
	w.count(thread, g.id, slotOf(g.kind, g.flags, g.chars, g.usage), -1)
	switch indexed(g.kind) {
	case Words:
		if g.flags&Mirror == 0 {
			if err := w.exec("DELETE FROM words WHERE rowid = ?", g.id); err != nil {
				return err
			}
		}
	case Outputs:
		if g.seq < indexedTo {
			if err := w.exec("DELETE FROM outputs WHERE rowid = ?", g.id); err != nil {
				return err
			}
		}
	}
	switch g.kind {
	case transcript.ToolCall:
		if err := w.exec("DELETE FROM calls WHERE call = ?", g.id); err != nil {
			return err
		}
	case transcript.Usage:
		if err := w.exec("DELETE FROM usage WHERE id = ?", g.id); err != nil {
			return err
		}
	}
	if err := w.exec("DELETE FROM bodies WHERE id = ?", g.id); err != nil {
		return err
	}
	return w.exec("DELETE FROM events WHERE id = ?", g.id)
}
