package store

import (
	"encoding/json"
	"time"

	"zombiezen.com/go/sqlite"

	"rollbook/internal/transcript"
)

// nanos is how times of files are kept; 0 is none.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromNanos(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(n/1e9, n%1e9).UTC()
}

// millis is how times of records are kept; nil is none.
func millis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

func fromMillis(s *sqlite.Stmt, col int) time.Time {
	if s.ColumnIsNull(col) {
		return time.Time{}
	}
	return time.UnixMilli(s.ColumnInt64(col)).UTC()
}

func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // structs of strings and numbers
	}
	return string(b)
}

const sourceColumns = `key, kind, root, path, size, modified, changed, device, inode, compressed, archived, text_size, lines, head, tail, whole,
	adapter, partial, counts, resume, import`

// putSource writes the row of a source.
func (w *Writer) putSource(src *Source) error {
	if _, err := w.source(src.Key); err != nil {
		return err
	}
	return w.exec(`UPDATE sources SET kind = ?, root = ?, path = ?, size = ?, modified = ?, changed = ?, device = ?, inode = ?, compressed = ?,
		archived = ?, text_size = ?, lines = ?, head = ?, tail = ?, whole = ?, adapter = ?, partial = ?, counts = ?, resume = ?, import = ? WHERE key = ?`,
		src.Kind, src.Root, src.Path, src.Size, nanos(src.ModTime), nanos(src.ChangeTime), int64(src.Device), int64(src.Inode), src.Compressed,
		src.Archived, src.TextSize, src.Lines, int64(src.Head), int64(src.Tail), int64(src.Whole), src.Adapter, src.Partial,
		toJSON(src.Counts), src.Resume, src.Import, src.Key)
}

func readSource(s *sqlite.Stmt) (*Source, error) {
	src := &Source{Key: s.ColumnText(0), Kind: s.ColumnText(1), Root: s.ColumnText(2), Path: s.ColumnText(3), Size: s.ColumnInt64(4),
		ModTime: fromNanos(s.ColumnInt64(5)), ChangeTime: fromNanos(s.ColumnInt64(6)), Device: uint64(s.ColumnInt64(7)), Inode: uint64(s.ColumnInt64(8)),
		Compressed: s.ColumnBool(9), Archived: s.ColumnBool(10), TextSize: s.ColumnInt64(11), Lines: s.ColumnInt(12),
		Head: uint64(s.ColumnInt64(13)), Tail: uint64(s.ColumnInt64(14)), Whole: uint64(s.ColumnInt64(15)),
		Adapter: s.ColumnInt(16), Partial: s.ColumnBool(17), Resume: columnBytes(s, 19), Import: s.ColumnInt64(20)}
	return src, json.Unmarshal([]byte(s.ColumnText(18)), &src.Counts)
}

func columnBytes(s *sqlite.Stmt, col int) []byte {
	n := s.ColumnLen(col)
	if n == 0 {
		return nil
	}
	b := make([]byte, n)
	s.ColumnBytes(col, b)
	return b
}

// threadMeta is what is kept of a thread's meta besides the columns.
type threadMeta struct {
	Source     string   `json:"source,omitempty"`
	Originator string   `json:"originator,omitempty"`
	Provider   string   `json:"provider,omitempty"`
	Models     []string `json:"models,omitempty"`
	Versions   []string `json:"versions,omitempty"`
	SessionID  string   `json:"session,omitempty"`
	State      string   `json:"state,omitempty"`
	Losses     int      `json:"losses,omitempty"`
	Turns      int      `json:"turns,omitempty"`
	Users      int      `json:"users,omitempty"`
	Assistants int      `json:"assistants,omitempty"`
	Calls      int      `json:"calls,omitempty"`
	Bytes      int64    `json:"bytes,omitempty"`
	Files      int      `json:"files,omitempty"`
}

const threadColumns = `t.thread, coalesce(p.path, ''), t.title, t.title_source, t.created, t.updated, t.parent, t.forked_from, t.archived, t.current,
	t.sources, t.gaps, t.partial, t.adapter, t.meta`

const threadFrom = ` FROM threads t LEFT JOIN projects p ON p.id = t.project`

func readThread(s *sqlite.Stmt) (*Thread, error) {
	t := &Thread{}
	t.ID, t.Project, t.Title, t.TitleSource = s.ColumnText(0), s.ColumnText(1), s.ColumnText(2), s.ColumnText(3)
	t.Created, t.Updated = fromMillis(s, 4), fromMillis(s, 5)
	t.ParentID, t.ForkedFrom, t.Archived = s.ColumnText(6), s.ColumnText(7), s.ColumnBool(8)
	t.Current, t.Gaps, t.Partial, t.Adapter = s.ColumnText(9), s.ColumnInt(11), s.ColumnBool(12), s.ColumnInt(13)
	if err := json.Unmarshal([]byte(s.ColumnText(10)), &t.Sources); err != nil {
		return nil, err
	}
	return t, t.setMeta(s.ColumnText(14))
}

// putThread writes the row of a thread. Where its project is another now, its
// documents are put into full text anew.
func (w *Writer) putThread(t *Thread) error {
	id, err := w.thread(t.ID)
	if err != nil {
		return err
	}
	project, err := w.project(t.Project)
	if err != nil {
		return err
	}
	was := w.projectOf(id)
	err = w.exec(`UPDATE threads SET project = ?, title = ?, title_source = ?, created = ?, updated = ?, parent = ?, forked_from = ?, archived = ?,
		current = ?, sources = ?, gaps = ?, partial = ?, adapter = ?, meta = ?, resume = ? WHERE id = ?`,
		orNull(project), t.Title, t.TitleSource, millis(t.Created), millis(t.Updated), t.ParentID, t.ForkedFrom, t.Archived,
		t.Current, toJSON(t.Sources), t.Gaps, t.Partial, t.Adapter, t.metaJSON(), t.Resume, id)
	if err != nil {
		return err
	}
	w.ids.projectOf[id] = project
	if was == project {
		return nil
	}
	return w.moveThread(id)
}

func (t *Thread) metaJSON() string {
	return toJSON(threadMeta{t.Source, t.Originator, t.Provider, t.Models, t.Versions, t.SessionID, string(t.State), t.Losses,
		t.Counts.Turns, t.Counts.UserMessages, t.Counts.AssistantMessages, t.Counts.ToolCalls, t.Counts.Bytes, t.Counts.Files})
}

func (t *Thread) setMeta(text string) error {
	var m threadMeta
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return err
	}
	t.Source, t.Originator, t.Provider, t.Models, t.Versions, t.SessionID = m.Source, m.Originator, m.Provider, m.Models, m.Versions, m.SessionID
	t.State, t.Losses = transcript.State(m.State), m.Losses
	t.Counts.Turns, t.Counts.UserMessages, t.Counts.AssistantMessages, t.Counts.ToolCalls = m.Turns, m.Users, m.Assistants, m.Calls
	t.Counts.Bytes, t.Counts.Files = m.Bytes, m.Files
	return nil
}

// projectOf gives the project of a thread, 0 for none.
func (w *Writer) projectOf(thread int64) int64 {
	if p, ok := w.ids.projectOf[thread]; ok {
		return p
	}
	p, err := number(w.c, "SELECT coalesce(project, 0) FROM threads WHERE id = ?", thread)
	if err != nil {
		return 0 // the write that follows says so too
	}
	w.ids.projectOf[thread] = p
	return p
}

func (w *Writer) putDiagnostics(list []Diagnostic) error {
	run := w.run
	for _, d := range list {
		err := w.exec("INSERT INTO diagnostics(run, source, file, line, item, offset, code, message, count) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
			run, d.Source, d.File, d.Line, d.Item, d.Offset, string(d.Code), d.Message, d.Count)
		if err != nil {
			return err
		}
	}
	return nil
}
