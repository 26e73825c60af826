// Package history reads the two small logs that lie beside the rollouts:
// history.jsonl, the prompts typed in the terminal, and session_index.jsonl,
// the names of threads.
//
// The formats are described in docs/format/history.md. The readers stream, hold
// one line at a time and decide nothing: which name a thread shows, and whether
// a prompt is also in a rollout, is for others to say. A row that cannot be
// read is a diagnostic, and the rest is read.
package history

import "rollbook/internal/diag"

// The codes of rows that cannot be read; those that rollouts know too have the
// same names there. The diagnostics have no file: the caller knows it.
const (
	LineLimit           diag.Code = "line_limit"            // longer than the limit; drained
	InvalidUTF8         diag.Code = "invalid_utf8"          // not UTF-8
	InvalidJSON         diag.Code = "invalid_json"          // not JSON
	IncompleteFinalLine diag.Code = "incomplete_final_line" // the last line, without a line feed, ends inside a value
	InvalidRecord       diag.Code = "invalid_record"        // JSON, but not a row of this file
	InvalidTimestamp    diag.Code = "invalid_timestamp"     // a prompt without a usable time
	ByteOrderMark       diag.Code = "byte_order_mark"       // before the first line; what follows is read
	NameLimit           diag.Code = "name_limit"            // more threads, or a longer name, than is kept
)

// maxID is the longest id that is taken for one, in bytes. Codex's have 36.
const maxID = 256

// A reporter takes diagnostics; nil takes none.
type reporter func(diag.Diagnostic)

func (report reporter) at(l line, code diag.Code, message string) {
	if report != nil {
		report(diag.Diagnostic{Position: diag.Position{Line: l.no, Offset: l.offset}, Code: code, Message: message})
	}
}
