package store

import (
	"encoding/json"

	"zombiezen.com/go/sqlite"
)

// Sources gives all sources by key.
func (w *Writer) Sources() (map[string]*Source, error) { return readSources(w.c) }

// Threads gives all threads by id.
func (w *Writer) Threads() (map[string]*Thread, error) { return readThreads(w.c) }

func readSources(c *sqlite.Conn) (map[string]*Source, error) {
	all := make(map[string]*Source)
	err := execute(c, "SELECT "+sourceColumns+" FROM sources", func(s *sqlite.Stmt) error {
		src, err := readSource(s)
		if err == nil {
			all[src.Key] = src
		}
		return err
	})
	return all, err
}

func readThreads(c *sqlite.Conn) (map[string]*Thread, error) {
	all := make(map[string]*Thread)
	err := execute(c, "SELECT "+threadColumns+", t.resume"+threadFrom, func(s *sqlite.Stmt) error {
		t, err := readThread(s)
		if err == nil {
			t.Resume = columnBytes(s, 15)
			all[t.ID] = t
		}
		return err
	})
	return all, err
}

// Quiet gives the marks of the roots below which the last import found nothing to
// do, and since which nothing that is known of a source or a thread has changed.
func (w *Writer) Quiet() (map[string][]byte, error) {
	marks := make(map[string][]byte)
	err := w.query("SELECT root, mark FROM roots", func(s *sqlite.Stmt) error {
		marks[s.ColumnText(0)] = columnBytes(s, 1)
		return nil
	})
	return marks, err
}

// PutQuiet notes that there was nothing to do below a root; the mark is the
// importer's own, and tells what lay there.
func (w *Writer) PutQuiet(root string, mark []byte) error {
	return w.do(func() error { return w.exec("INSERT OR REPLACE INTO roots VALUES(?, ?)", root, mark) })
}

// PutSource writes the row of a source whose content has not changed.
func (w *Writer) PutSource(src *Source) error {
	return w.do(func() error { return w.putSource(src) })
}

// PutThread writes the row of a thread whose events have not changed.
func (w *Writer) PutThread(t *Thread) error {
	return w.do(func() error { return w.putThread(t) })
}

// PutDiagnostics adds findings to the run.
func (w *Writer) PutDiagnostics(list []Diagnostic) error {
	return w.do(func() error { return w.putDiagnostics(list) })
}

// do writes something between two snapshots.
func (w *Writer) do(f func() error) error {
	if err := w.begin(); err != nil {
		return err
	}
	if err := f(); err != nil {
		return w.fail(err)
	}
	return nil
}

// StartRun notes that an import begins. Those before it that never ended were
// killed.
func (w *Writer) StartRun(r Run) (id int64, err error) {
	err = w.do(func() error {
		if err := w.exec("UPDATE runs SET state = 'killed' WHERE state = 'running'"); err != nil {
			return err
		}
		err := w.exec("INSERT INTO runs(started, state, roots, version) VALUES(?, 'running', ?, ?)", nanos(r.Started), toJSON(r.Roots), r.Version)
		id = w.c.LastInsertRowID()
		return err
	})
	if err == nil {
		err = w.Commit()
	}
	w.run = id
	return id, err
}

// How many of the latest runs are remembered, and of how many the findings. What
// was found in a source is kept besides until another run reads the source.
const (
	keptRuns     = 1000
	keptFindings = 100
)

// FinishRun notes how an import ended, forgets what is old, and commits.
func (w *Writer) FinishRun(r Run) error {
	err := w.do(func() error {
		if err := w.exec("UPDATE runs SET finished = ?, state = ?, counts = ? WHERE id = ?",
			nanos(r.Finished), r.State, toJSON(r.Counts), r.ID); err != nil {
			return err
		}
		return w.forgetRuns(keptRuns, keptFindings)
	})
	if err != nil {
		return err
	}
	return w.Commit()
}

// forgetRuns forgets all but the latest runs, and all but the latest findings.
func (w *Writer) forgetRuns(runs, findings int) error {
	err := w.exec(`DELETE FROM diagnostics WHERE run <= (SELECT id FROM runs ORDER BY id DESC LIMIT 1 OFFSET ?)
		AND NOT EXISTS(SELECT 1 FROM sources s WHERE s.key = diagnostics.source AND s.import = diagnostics.run)`, findings)
	if err != nil {
		return err
	}
	return w.exec(`DELETE FROM runs WHERE id <= (SELECT id FROM runs ORDER BY id DESC LIMIT 1 OFFSET ?)
		AND NOT EXISTS(SELECT 1 FROM diagnostics d WHERE d.run = runs.id)`, runs)
}

// Enrich gives threads that no rollout tells of what a home's lists say of them:
// a name and where it is from, and a working folder; empty for none.
func (w *Writer) Enrich(known func(id string) (title, source, project string)) error {
	var list []*Thread
	err := w.query("SELECT "+threadColumns+threadFrom+" WHERE t.current = ''", func(s *sqlite.Stmt) error {
		t, err := readThread(s)
		if err != nil {
			return err
		}
		title, source, project := known(t.ID)
		if (title == "" || title == t.Title) && (project == "" || t.Project != "") {
			return nil
		}
		if title != "" {
			t.Title, t.TitleSource = title, source
		}
		if t.Project == "" {
			t.Project = project
		}
		list = append(list, t)
		return nil
	})
	if err != nil {
		return err
	}
	for _, t := range list {
		if err := w.PutThread(t); err != nil {
			return err
		}
	}
	return nil
}

func readRun(s *sqlite.Stmt) (r Run, err error) {
	r = Run{ID: s.ColumnInt64(0), Started: fromNanos(s.ColumnInt64(1)), State: s.ColumnText(3), Version: s.ColumnText(6)}
	if !s.ColumnIsNull(2) {
		r.Finished = fromNanos(s.ColumnInt64(2))
	}
	if err := json.Unmarshal([]byte(s.ColumnText(4)), &r.Roots); err != nil {
		return r, err
	}
	return r, json.Unmarshal([]byte(s.ColumnText(5)), &r.Counts)
}

const runQuery = "SELECT id, started, finished, state, roots, counts, version FROM runs"
