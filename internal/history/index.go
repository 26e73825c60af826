package history

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"rollbook/internal/diag"
)

// A Name is what a thread was called last.
type Name struct {
	Text    string
	Updated time.Time // as recorded; zero where it is missing or not RFC 3339
	Line    int       // of the row
}

// The bounds of an index. Rows of Codex take some 150 bytes, and a home with a
// million names was never seen.
const (
	maxIndexLine = 1 << 20
	maxName      = 4 << 10
	maxNames     = 1 << 20
)

type indexRow struct {
	ID      string  `json:"id"`
	Name    *string `json:"thread_name"`
	Updated any     `json:"updated_at"`
}

// Index reads a session_index.jsonl: thread ids to names. The file is only ever
// appended to, so of several rows of one id the last counts
// (docs/format/history.md); an empty or null name there means that the thread
// has none. A name over 4 KiB is cut there and reported. An error is one of
// reading.
func Index(r io.Reader, report func(diag.Diagnostic)) (map[string]Name, error) {
	return index(r, maxNames, report)
}

func index(r io.Reader, most int, report reporter) (map[string]Name, error) {
	names := make(map[string]Name)
	full := false
	err := each(r, maxIndexLine, report, func(l line, row *indexRow) bool {
		_, known := names[row.ID]
		switch {
		case row.ID == "" || len(row.ID) > maxID:
			report.at(l, InvalidRecord, "no usable id")
		case row.Name == nil || strings.TrimSpace(*row.Name) == "":
			delete(names, row.ID)
		case !known && len(names) == most:
			if !full {
				report.at(l, NameLimit, fmt.Sprintf("more than %d threads; further ones are left out", most))
			}
			full = true
		default:
			names[row.ID] = row.name(l, report)
		}
		return true
	})
	return names, err
}

func (row *indexRow) name(l line, report reporter) Name {
	text := *row.Name
	if len(text) > maxName {
		text = cut(text, maxName)
		report.at(l, NameLimit, fmt.Sprintf("name of %d bytes, cut to %d", len(*row.Name), len(text)))
	}
	updated, _ := row.Updated.(string)
	at, _ := time.Parse(time.RFC3339, updated)
	return Name{Text: text, Updated: at, Line: l.no}
}

// cut gives the longest start of s of at most n bytes that ends with a whole
// character.
func cut(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
