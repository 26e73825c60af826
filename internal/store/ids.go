package store

import (
	"zombiezen.com/go/sqlite"
)

// ids gives names their numbers, and keeps them for the next time. The maps hold
// no more than there are tools, projects, models, sources and threads.
type ids struct {
	tools, projects, models, sources, threads, streams map[string]int64
	projectOf                                          map[int64]int64 // by thread
}

func newIDs() ids {
	m := func() map[string]int64 { return make(map[string]int64) }
	return ids{m(), m(), m(), m(), m(), m(), make(map[int64]int64)}
}

// intern gives the number of a row, which is made where it is missing.
func (w *Writer) intern(known map[string]int64, key, find, insert string, args ...any) (int64, error) {
	if id, ok := known[key]; ok {
		return id, nil
	}
	id := int64(0)
	err := w.query(find, func(s *sqlite.Stmt) error {
		id = s.ColumnInt64(0)
		return nil
	}, args...)
	if err == nil && id == 0 {
		if err = w.exec(insert, args...); err == nil {
			id = w.c.LastInsertRowID()
		}
	}
	if err != nil {
		return 0, err
	}
	known[key] = id
	return id, nil
}

// named is a number, or NULL for an empty name.
func orNull(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

func (w *Writer) tool(name string) (int64, error) {
	if name == "" {
		return 0, nil
	}
	return w.intern(w.ids.tools, name, "SELECT id FROM tools WHERE name = ?", "INSERT INTO tools(name) VALUES(?)", name)
}

func (w *Writer) project(path string) (int64, error) {
	if path == "" {
		return 0, nil
	}
	return w.intern(w.ids.projects, path, "SELECT id FROM projects WHERE path = ?", "INSERT INTO projects(path) VALUES(?)", path)
}

func (w *Writer) model(name, provider string) (int64, error) {
	if name == "" && provider == "" {
		return 0, nil
	}
	return w.intern(w.ids.models, name+"\x00"+provider, "SELECT id FROM models WHERE name = ? AND provider = ?",
		"INSERT INTO models(name, provider) VALUES(?, ?)", name, provider)
}

// source gives the number of a source. Its row may have to be made before the
// source is known.
func (w *Writer) source(key string) (int64, error) {
	if key == "" {
		return 0, nil
	}
	return w.intern(w.ids.sources, key, "SELECT id FROM sources WHERE key = ?", `INSERT INTO sources(key, kind, root, path, size, modified, changed,
		device, inode, compressed, archived, text_size, lines, head, tail, whole, adapter, partial, counts, import)
		VALUES(?, '', '', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '{}', 0)`, key)
}

func (w *Writer) thread(id string) (int64, error) {
	return w.intern(w.ids.threads, id, "SELECT id FROM threads WHERE thread = ?", "INSERT INTO threads(thread) VALUES(?)", id)
}

// stream gives the number of a stream.
func (w *Writer) stream(key string) (int64, error) {
	return w.intern(w.ids.streams, key, "SELECT id FROM streams WHERE key = ?", "INSERT INTO streams(key) VALUES(?)", key)
}
