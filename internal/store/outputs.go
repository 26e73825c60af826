package store

import (
	"cmp"
	"context"
	"slices"

	"zombiezen.com/go/sqlite"

	"rollbook/internal/transcript"
)

// outputBatch is how many events the second pass takes at a time.
const outputBatch = 4000

// IndexOutputs is the second pass: it puts what is no message into full text,
// some thousand events at a time, each batch for good. Where it is ended early
// the next call goes on. progress may be nil; it is told of batches.
func (w *Writer) IndexOutputs(ctx context.Context, progress func(done, total int64)) error {
	if err := w.Commit(); err != nil {
		return err
	}
	if progress != nil {
		var total int64
		for stream, seq := range w.todo {
			n, err := number(w.c, "SELECT count(*) FROM stream_threads s JOIN events e ON e.thread = s.thread AND e.stream = s.stream WHERE s.stream = ? AND e.seq >= ?", stream, seq)
			if err != nil {
				return err
			}
			total += n
		}
		progress(0, total)
	}
	for len(w.todo) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		stream := int64(-1)
		for s := range w.todo {
			if stream < 0 || s < stream {
				stream = s
			}
		}
		if err := w.indexOutputs(stream, progress); err != nil {
			return err
		}
	}
	return nil
}

// indexOutputs takes the next batch of a stream.
func (w *Writer) indexOutputs(stream int64, progress func(done, total int64)) error {
	from, seen := w.todo[stream], 0
	last := from + outputBatch
	err := w.do(func() (err error) {
		if seen, err = w.insertOutputs(stream, from, last); err != nil {
			return err
		}
		w.rows += seen
		more, err := number(w.c, "SELECT EXISTS(SELECT 1 FROM stream_threads s JOIN events e ON e.thread = s.thread AND e.stream = s.stream WHERE s.stream = ? AND e.seq >= ?)", stream, last)
		if err != nil {
			return err
		}
		if more == 0 {
			delete(w.todo, stream)
			return w.exec("DELETE FROM todo WHERE stream = ?", stream)
		}
		w.todo[stream] = last
		return w.exec("UPDATE todo SET seq = ? WHERE stream = ?", last, stream)
	})
	if err != nil {
		return err
	}
	if progress != nil {
		progress(int64(seen), 0)
	}
	if len(w.todo) == 0 || w.rows >= commitRows || w.docSize >= commitDocs {
		return w.Commit()
	}
	return nil
}

// insertOutputs puts the outputs from one event of a stream up to another into
// full text, and counts the events that it looked at. Their texts are held until
// they come to flushAt.
func (w *Writer) insertOutputs(stream int64, from, to int) (seen int, err error) {
	var docs []doc
	held := 0
	flush := func() error {
		slices.SortFunc(docs, func(a, b doc) int { return cmp.Compare(a.id, b.id) })
		for _, d := range docs {
			if err := w.insertDoc(Outputs, d); err != nil {
				return err
			}
		}
		w.docSize += held
		clear(docs)
		docs, held = docs[:0], 0
		return nil
	}
	err = w.query(documentQuery+` JOIN stream_threads s ON s.thread = e.thread AND s.stream = e.stream
		WHERE s.stream = ? AND e.seq >= ? AND e.seq < ?`, func(s *sqlite.Stmt) error {
		seen++
		if indexed(transcript.Kind(s.ColumnInt64(1))) != Outputs {
			return nil
		}
		d, table, err := readDoc(s)
		if err != nil || table != Outputs {
			return err
		}
		docs = append(docs, d)
		if held += len(d.text); held < flushAt {
			return nil
		}
		return flush()
	}, stream, from, to)
	if err != nil {
		return seen, err
	}
	return seen, flush()
}
