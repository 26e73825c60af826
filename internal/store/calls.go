package store

import (
	"zombiezen.com/go/sqlite"

	"rollbook/internal/transcript"
)

// A callKey names a call: what a document tells of two threads may use an id twice.
type callKey struct {
	thread int64
	id     string
}

// openCalls finds the calls before the first event that is replaced whose result
// is still to come: it may stand behind that place. It looks once for each
// thread, when the first result without a call comes.
func (s *Snapshot) openCalls(thread int64) error {
	if s.from <= 1 || s.looked[thread] {
		return nil
	}
	s.looked[thread] = true
	type open struct {
		id     int64
		callID string
	}
	var list []open // the latest first
	err := s.w.query(`SELECT e.id, b.extra FROM events e JOIN calls c ON c.call = e.id JOIN bodies b ON b.id = e.id
		WHERE e.thread = ? AND e.stream = ? AND e.seq < ? AND e.kind = ? AND c.result IS NULL ORDER BY e.seq DESC LIMIT ?`, func(st *sqlite.Stmt) error {
		text, err := columnText(st, 1)
		if err != nil {
			return err
		}
		x, err := decodeExtra(text)
		if err == nil && x.CallID != "" {
			list = append(list, open{st.ColumnInt64(0), x.CallID})
		}
		return err
	}, thread, s.stream, s.from, int64(transcript.ToolCall), maxCalls)
	if err != nil {
		return err
	}
	for _, c := range list {
		key := callKey{thread, c.callID}
		if _, ok := s.calls[key]; !ok && len(s.calls) < maxCalls {
			s.calls[key] = c.id
		}
	}
	return nil
}

// withoutResults takes from the calls that stay what their results, which are
// taken away, said of them.
func (w *Writer) withoutResults(thread, stream int64, from int) error {
	// Mostly every result that goes has its call behind that place too.
	more, err := number(w.c, `SELECT (SELECT count(*) FROM events WHERE thread = ?1 AND stream = ?2 AND seq >= ?3 AND kind = ?4)
		> (SELECT count(*) FROM events e JOIN calls c ON c.call = e.id WHERE e.thread = ?1 AND e.stream = ?2 AND e.seq >= ?3 AND c.result IS NOT NULL)`,
		thread, stream, from, int64(transcript.ToolResult))
	if err != nil || more == 0 {
		return err
	}
	const of = `SELECT c.call FROM events e JOIN calls c ON c.call = e.id JOIN events x ON x.id = c.result
		WHERE e.thread = ? AND e.stream = ? AND e.seq < ? AND e.kind = ? AND x.seq >= ?`
	var calls, failed []int64
	err = w.query("SELECT id, flags FROM events WHERE id IN ("+of+")", func(s *sqlite.Stmt) error {
		calls = append(calls, s.ColumnInt64(0))
		if Flag(s.ColumnInt64(1))&IsError != 0 {
			failed = append(failed, s.ColumnInt64(0))
		}
		return nil
	}, thread, stream, from, int64(transcript.ToolCall), from)
	if err != nil {
		return err
	}
	for _, id := range calls {
		if err := w.exec("UPDATE calls SET result = NULL, exit_code = NULL, failed = NULL, duration = NULL WHERE call = ?", id); err != nil {
			return err
		}
	}
	for _, id := range failed {
		if err := w.exec("UPDATE events SET flags = flags & ~? WHERE id = ?", int64(IsError), id); err != nil {
			return err
		}
		if err := w.again(id); err != nil {
			return err
		}
	}
	return nil
}
