package store

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
	"zombiezen.com/go/sqlite"
)

// checkTexts holds each text against the digest and the length in its event's
// row, and decodes everything that is kept as JSON.
func (w *Writer) checkTexts() (faults []string, err error) {
	changed, unreadable := 0, 0
	err = w.query("SELECT e.hash, e.chars, b.body, b.extra FROM events e LEFT JOIN bodies b ON b.id = e.id", func(s *sqlite.Stmt) error {
		text, err := columnText(s, 2)
		if err != nil {
			unreadable++
			return nil
		}
		if uint64(s.ColumnInt64(0)) != xxhash.Sum64String(text) || s.ColumnInt(1) != utf8.RuneCountInString(text) {
			changed++
		}
		more, err := columnText(s, 3)
		if err == nil {
			_, err = decodeExtra(more)
		}
		if err != nil {
			unreadable++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if changed > 0 {
		faults = append(faults, fmt.Sprintf("%d texts that are not what was stored", changed))
	}
	if unreadable > 0 {
		faults = append(faults, fmt.Sprintf("%d texts that cannot be read", unreadable))
	}
	for _, q := range []struct{ words, sql string }{
		{"sources that cannot be read", "SELECT counts FROM sources"},
		{"threads that cannot be read", "SELECT sources FROM threads UNION ALL SELECT meta FROM threads"},
		{"runs that cannot be read", "SELECT roots FROM runs UNION ALL SELECT counts FROM runs"},
	} {
		n := 0
		err := w.query(q.sql, func(s *sqlite.Stmt) error {
			if !json.Valid([]byte(s.ColumnText(0))) {
				n++
			}
			return nil
		})
		if err != nil {
			return faults, err
		}
		if n > 0 {
			faults = append(faults, fmt.Sprintf("%d %s", n, q.words))
		}
	}
	return faults, nil
}
