package store

import (
	"path/filepath"

	"zombiezen.com/go/sqlite"

	"rollbook/internal/transcript"
)

// Forget takes away what a source gave: a document's events, or all events of
// the threads of a rollout. name is a key, or the path of a file. It returns how
// many sources were forgotten.
func (w *Writer) Forget(name string) (n int, err error) {
	if err := w.Commit(); err != nil {
		return 0, err
	}
	type found struct{ key, kind string }
	var list []found
	err = w.query("SELECT key, kind, root, path FROM sources", func(s *sqlite.Stmt) error {
		f := found{s.ColumnText(0), s.ColumnText(1)}
		at := filepath.Join(s.ColumnText(2), filepath.FromSlash(s.ColumnText(3)))
		if rel, err := filepath.Rel(name, at); f.key == name || at == name || filepath.IsAbs(name) && err == nil && filepath.IsLocal(rel) {
			list = append(list, f)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, f := range list {
		if err := w.forget(f.key, f.kind); err != nil {
			return n, err
		}
		n++
	}
	return n, w.Commit()
}

func (w *Writer) forget(key, kind string) error {
	if kind == "rollout" {
		if err := w.forgetThreads(key); err != nil {
			return err
		}
	} else if err := w.forgetStream(key, nil); err != nil {
		return err
	}
	return w.do(func() error {
		delete(w.ids.sources, key)
		return w.exec("DELETE FROM sources WHERE key = ?", key)
	})
}

// forgetThreads takes away what rollouts told of the threads that a source is
// part of: their names and folders too, where documents tell of them still.
func (w *Writer) forgetThreads(key string) error {
	var threads []string
	err := w.query("SELECT t.thread FROM threads t, json_each(t.sources) j WHERE j.value = ?", func(s *sqlite.Stmt) error {
		threads = append(threads, s.ColumnText(0))
		return nil
	}, key)
	if err != nil {
		return err
	}
	for _, id := range threads {
		if err := w.forgetStream("thread:"+id, &Thread{Meta: transcript.Meta{ID: id}, Sources: []string{}}); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) forgetStream(stream string, left *Thread) error {
	s, err := w.Replace(stream, nil, 1)
	if err != nil {
		return err
	}
	return s.Finish(left, nil, nil)
}

// Clear takes everything away, the runs and their findings too, and gives the
// space back.
func (w *Writer) Clear() error {
	if err := w.Commit(); err != nil {
		return err
	}
	err := w.do(func() error {
		for _, sql := range []string{
			"DELETE FROM events", "DELETE FROM bodies", "DELETE FROM calls", "DELETE FROM usage", "DELETE FROM slots", "DELETE FROM stream_threads",
			"DELETE FROM streams", "DELETE FROM threads", "DELETE FROM sources", "DELETE FROM projects", "DELETE FROM tools", "DELETE FROM models",
			"DELETE FROM runs", "DELETE FROM diagnostics", "DELETE FROM todo",
			"INSERT INTO words(words) VALUES('delete-all')", "INSERT INTO outputs(outputs) VALUES('delete-all')",
		} {
			if err := w.exec(sql); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	w.reset()
	if err := w.Commit(); err != nil {
		return err
	}
	return w.Vacuum()
}

// Vacuum puts the index in order and gives unused space back. The copy that is
// made for it is a file without a name, not memory: it is as large as the store.
func (w *Writer) Vacuum() error {
	if err := w.Commit(); err != nil {
		return err
	}
	for _, sql := range []string{
		"INSERT INTO words(words) VALUES('optimize')", "INSERT INTO outputs(outputs) VALUES('optimize')",
		"PRAGMA temp_store = FILE", "VACUUM", "PRAGMA temp_store = MEMORY", "PRAGMA wal_checkpoint(TRUNCATE)",
	} {
		if err := w.exec(sql); err != nil {
			return w.fail(err)
		}
	}
	return nil
}
