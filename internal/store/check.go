package store

import (
	"fmt"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Check looks whether the store is whole, and says of each fault what it is. It
// reads everything. Nothing is mended: an import of the same sources into a new
// store is what mends one.
func (w *Writer) Check() (faults []string, err error) {
	if err := w.Commit(); err != nil {
		return nil, err
	}
	err = w.query("PRAGMA integrity_check(20)", func(s *sqlite.Stmt) error {
		if text := s.ColumnText(0); text != "ok" {
			faults = append(faults, "database: "+text)
		}
		return nil
	})
	if err != nil || len(faults) > 0 {
		return faults, err
	}
	for _, table := range []string{Words, Outputs} {
		if err := sqlitex.ExecuteTransient(w.c, "INSERT INTO "+table+"("+table+") VALUES('integrity-check')", nil); err != nil {
			faults = append(faults, fmt.Sprintf("full text %s: %v", table, err))
		}
	}
	texts, err := w.checkTexts()
	if err != nil {
		return faults, err
	}
	faults = append(faults, texts...)
	for _, c := range checks {
		n, err := number(w.c, c.sql, c.args...)
		if err != nil {
			return faults, err
		}
		if n > 0 {
			faults = append(faults, fmt.Sprintf("%d %s", n, c.words))
		}
	}
	return faults, nil
}

const (
	messageKinds = "(2, 3, 5)"       // user, assistant, tool_call
	outputKinds  = "(4, 6, 7, 8, 9)" // reasoning, tool_result, compaction, context, notice
)

// checks count what must not be.
var checks = []struct {
	words string
	sql   string
	args  []any
}{
	{"events without their thread, stream or source", `SELECT count(*) FROM events e WHERE NOT EXISTS(SELECT 1 FROM threads WHERE id = e.thread)
		OR NOT EXISTS(SELECT 1 FROM streams WHERE id = e.stream) OR e.source IS NOT NULL AND NOT EXISTS(SELECT 1 FROM sources WHERE id = e.source)`, nil},
	{"texts without their event", `SELECT count(*) FROM bodies b WHERE NOT EXISTS(SELECT 1 FROM events WHERE id = b.id)`, nil},
	{"calls or results without their event", `SELECT count(*) FROM calls c WHERE NOT EXISTS(SELECT 1 FROM events WHERE id = c.call AND kind = 5)
		OR c.result IS NOT NULL AND NOT EXISTS(SELECT 1 FROM events WHERE id = c.result AND kind = 6)`, nil},
	{"calls that are not noted as such", `SELECT count(*) FROM events e WHERE kind = 5 AND NOT EXISTS(SELECT 1 FROM calls WHERE call = e.id)`, nil},
	{"threads with a project that is not there", `SELECT count(*) FROM threads t WHERE project IS NOT NULL AND NOT EXISTS(SELECT 1 FROM projects WHERE id = t.project)`, nil},
	{"streams to be indexed that are not there", `SELECT count(*) FROM todo WHERE stream NOT IN (SELECT id FROM streams)`, nil},
	{"token counters without their event", `SELECT count(*) FROM usage u WHERE NOT EXISTS(SELECT 1 FROM events WHERE id = u.id)`, nil},
	{"streams that do not say that they hold events of a thread", `SELECT count(*) FROM (SELECT DISTINCT thread, stream FROM events
		EXCEPT SELECT thread, stream FROM stream_threads)`, nil},
	{"messages that are not in full text", `SELECT count(*) FROM events e WHERE kind IN ` + messageKinds + ` AND flags & ?1 = 0
		AND NOT EXISTS(SELECT 1 FROM words_docsize WHERE id = e.id)`, []any{int64(Mirror)}},
	{"texts in full text of no message, or of a mirror", `SELECT count(*) FROM words_docsize d WHERE NOT EXISTS(SELECT 1 FROM events
		WHERE id = d.id AND kind IN ` + messageKinds + ` AND flags & ?1 = 0)`, []any{int64(Mirror)}},
	{"outputs that are not in full text", `SELECT count(*) FROM events e LEFT JOIN todo o ON o.stream = e.stream WHERE kind IN ` + outputKinds + ` AND flags & ?1 = 0
		AND (o.seq IS NULL OR e.seq < o.seq) AND NOT EXISTS(SELECT 1 FROM outputs_docsize WHERE id = e.id)`, []any{int64(Mirror)}},
	{"texts in full text of no output", `SELECT count(*) FROM outputs_docsize d WHERE NOT EXISTS(SELECT 1 FROM events e LEFT JOIN todo o ON o.stream = e.stream
		WHERE e.id = d.id AND kind IN ` + outputKinds + ` AND (o.seq IS NULL OR e.seq < o.seq))`, nil},
	{"slots that a recount gives otherwise", slotCheck, []any{int64(Inherited | Mirror | Synthetic), int64(Natural), int64(IsError), int64(UsageSnapshot)}},
}

// slotCheck counts again what the roll-ups say.
const slotCheck = `WITH again AS (
	SELECT e.thread, (e.id >> 20) / 900000 AS slot,
		sum(kind IN (2, 3, 5)) AS messages, sum(kind = 2) AS users, sum(kind = 2 AND flags & ?2 != 0) AS prompts,
		sum(CASE WHEN kind = 2 AND flags & ?2 != 0 THEN chars ELSE 0 END) AS prompt_chars, sum(kind = 3) AS assistants, sum(kind = 5) AS calls,
		sum(kind = 6 AND flags & ?3 != 0) AS failed
	FROM events e WHERE flags & ?1 = 0 GROUP BY 1, 2),
	tokens AS (
	SELECT e.thread, (e.id >> 20) / 900000 AS slot, count(*) AS requests, sum(u.input) AS input, sum(u.output) AS output, sum(u.total) AS total
	FROM usage u JOIN events e ON e.id = u.id WHERE e.flags & ?1 = 0 AND u.kind != ?4 GROUP BY 1, 2),
	a AS (SELECT thread, slot, messages, users, prompts, prompt_chars, assistants, calls, failed FROM again WHERE messages + failed > 0),
	b AS (SELECT thread, slot, messages, users, prompts, prompt_chars, assistants, calls, failed FROM slots WHERE messages + failed > 0),
	c AS (SELECT thread, slot, requests, input, output, total FROM tokens),
	d AS (SELECT thread, slot, requests, input, output, total FROM slots WHERE requests > 0)
	SELECT (SELECT count(*) FROM (SELECT * FROM a EXCEPT SELECT * FROM b)) + (SELECT count(*) FROM (SELECT * FROM b EXCEPT SELECT * FROM a))
		+ (SELECT count(*) FROM (SELECT * FROM c EXCEPT SELECT * FROM d)) + (SELECT count(*) FROM (SELECT * FROM d EXCEPT SELECT * FROM c))`
