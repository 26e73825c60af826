package store

import (
	"bufio"
	"fmt"
	"io"

	"zombiezen.com/go/sqlite"
)

// Dump writes what the store holds, as lines in a fixed order, without what
// depends on the order of imports: numbers of rows and runs, places and stamps of
// files. Two stores with the same dump hold the same (S2).
func (r *Reader) Dump(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, sql := range dumps {
		err := r.query(sql, func(s *sqlite.Stmt) error {
			for i := range s.ColumnCount() {
				if i > 0 {
					out.WriteByte('\t')
				}
				if s.ColumnType(i) == sqlite.TypeBlob {
					text, err := columnText(s, i)
					if err != nil {
						return err
					}
					fmt.Fprintf(out, "%q", text)
					continue
				}
				fmt.Fprintf(out, "%q", s.ColumnText(i))
			}
			return out.WriteByte('\n')
		})
		if err != nil {
			return err
		}
	}
	return out.Flush()
}

var dumps = []string{
	`SELECT 'source', key, kind, text_size, lines, head, CASE compressed WHEN 0 THEN tail END, whole, adapter, partial,
		json_remove(counts, '$.compressed_files') FROM sources ORDER BY key`,
	`SELECT 'thread', t.thread, p.path, title, title_source, created, updated, parent, forked_from, archived, current, sources, gaps, partial, adapter,
		json_remove(meta, '$.bytes') FROM threads t LEFT JOIN projects p ON p.id = t.project ORDER BY t.thread`,
	`SELECT 'event', t.thread, r.key, e.seq, s.key, e.id >> 20, e.id & 15, e.turn, e.kind, e.role, e.channel, e.flags, e.line, e.item, e.offset, o.name, m.name,
		m.provider, p.path, e.chars, e.hash, b.body, b.extra
		FROM events e JOIN threads t ON t.id = e.thread JOIN streams r ON r.id = e.stream LEFT JOIN sources s ON s.id = e.source LEFT JOIN tools o ON o.id = e.tool
		LEFT JOIN models m ON m.id = e.model LEFT JOIN projects p ON p.id = e.project LEFT JOIN bodies b ON b.id = e.id
		ORDER BY t.thread, r.key, e.seq`,
	`SELECT 'call', t.thread, r.key, e.seq, x.seq, c.exit_code, c.failed, c.duration FROM calls c JOIN events e ON e.id = c.call JOIN threads t ON t.id = e.thread
		JOIN streams r ON r.id = e.stream LEFT JOIN events x ON x.id = c.result ORDER BY t.thread, r.key, e.seq`,
	`SELECT 'usage', t.thread, r.key, e.seq, u.kind, u.response, u.input, u.cached, u.output, u.reasoning, u.total FROM usage u JOIN events e ON e.id = u.id
		JOIN threads t ON t.id = e.thread JOIN streams r ON r.id = e.stream ORDER BY t.thread, r.key, e.seq`,
	`SELECT 'slot', t.thread, s.slot, messages, users, prompts, prompt_chars, assistants, calls, failed, requests, input, cached, output, reasoning, total
		FROM slots s JOIN threads t ON t.id = s.thread ORDER BY t.thread, s.slot`,
}
