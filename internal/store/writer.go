package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"rollbook/internal/fsx"
)

// ErrBusy says that another process is importing.
var ErrBusy = errors.New("another import is running")

// A Writer is the one who writes. It is used by one goroutine. What it was told
// is there for readers at Commit, which it calls itself between two snapshots
// when much is waiting.
type Writer struct {
	c    *sqlite.Conn
	lock *fsx.Lock
	path string
	open bool // a transaction is

	ids     ids
	slots   map[slotKey]slot
	docs    []doc // to be put into full text
	docSize int
	redo    []int64        // documents to be put in anew
	rows    int            // since the last commit
	touched map[int64]bool // threads whose mirrors and titles are to be looked at
	alone   map[int64]bool // threads that lost a stream: marks of mirrors may be left
	todo    map[int64]int  // streams whose outputs are not indexed from that event on
	snap    *Snapshot      // that is open
	run     int64          // that findings belong to
	err     error          // after which nothing works
}

// A batch is committed between two snapshots when it is larger than this.
const (
	commitRows = 20_000
	commitDocs = 32 << 20
)

// OpenWriter opens a store for writing and makes it where it is missing: the
// folder readable by its owner alone, and so the file.
func OpenWriter(ctx context.Context, path string) (*Writer, error) {
	if err := fsx.MkdirAll(fsx.OS, filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	lock, err := fsx.TryLock(path + ".lock")
	if errors.Is(err, fsx.ErrLocked) {
		return nil, fmt.Errorf("%s: %w", path, ErrBusy)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	w := &Writer{lock: lock, path: path}
	if err := w.connect(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), w.Close())
	}
	return w, nil
}

func (w *Writer) connect(ctx context.Context) (err error) {
	// SQLite gives its own files the mode of the database.
	f, err := os.OpenFile(w.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if w.c, err = sqlite.OpenConn(w.path, sqlite.OpenReadWrite); err != nil {
		return err
	}
	w.c.SetInterrupt(ctx.Done())
	if _, err := version(w.c); err != nil { // before anything is changed
		return err
	}
	for _, p := range []string{
		"PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", "PRAGMA cache_size = -32768", "PRAGMA temp_store = MEMORY",
		"PRAGMA busy_timeout = 10000", "PRAGMA journal_size_limit = 67108864", "PRAGMA wal_autocheckpoint = 12000",
	} {
		if err := sqlitex.ExecuteTransient(w.c, p, nil); err != nil {
			return err
		}
	}
	if err := migrate(w.c); err != nil {
		return err
	}
	w.reset()
	return w.loadTodo()
}

// reset forgets what was not committed.
func (w *Writer) reset() {
	w.ids = newIDs()
	w.slots, w.docs, w.docSize, w.rows = make(map[slotKey]slot), nil, 0, 0
	w.touched, w.alone, w.todo = make(map[int64]bool), make(map[int64]bool), make(map[int64]int)
}

func (w *Writer) loadTodo() error {
	return w.query("SELECT stream, seq FROM todo", func(s *sqlite.Stmt) error {
		w.todo[s.ColumnInt64(0)] = s.ColumnInt(1)
		return nil
	})
}

// Close closes the store. What was not committed is lost.
func (w *Writer) Close() error {
	var err error
	if w.c != nil {
		w.c.SetInterrupt(nil)
		err = w.c.Close()
		w.c = nil
	}
	return cmp.Or(err, w.lock.Unlock())
}

// begin opens a transaction, unless one is.
func (w *Writer) begin() error {
	if w.err != nil {
		return w.err
	}
	if w.open {
		return nil
	}
	if err := w.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	w.open = true
	return nil
}

// exec runs a statement that gives no rows.
func (w *Writer) exec(sql string, args ...any) error { return w.query(sql, nil, args...) }

// query runs a statement; it is prepared once.
func (w *Writer) query(sql string, row func(*sqlite.Stmt) error, args ...any) error {
	return execute(w.c, sql, row, args...)
}

func execute(c *sqlite.Conn, sql string, row func(*sqlite.Stmt) error, args ...any) error {
	return sqlitex.Execute(c, sql, &sqlitex.ExecOptions{Args: args, ResultFunc: row})
}

// Commit makes what was written since the last one what readers see.
func (w *Writer) Commit() error {
	if w.snap != nil {
		return errors.New("a snapshot is open")
	}
	if !w.open {
		return w.err
	}
	if err := w.settle(); err != nil {
		return w.fail(err)
	}
	if err := w.exec("COMMIT"); err != nil {
		return w.fail(err)
	}
	w.open = false
	w.docs, w.docSize, w.rows = nil, 0, 0
	clear(w.touched)
	clear(w.alone)
	clear(w.slots)
	return nil
}

// settle brings up to date what follows from the rows of the batch.
func (w *Writer) settle() error {
	sortDocs(w.docs)
	for _, thread := range sortedKeys(w.touched) {
		if err := w.settleThread(thread); err != nil {
			return err
		}
	}
	if err := w.flushDocs(); err != nil {
		return err
	}
	return w.flushSlots()
}

// fail takes the batch back: the store is as it was at the last commit.
func (w *Writer) fail(err error) error {
	w.c.SetInterrupt(nil)
	if w.open {
		_ = sqlitex.ExecuteTransient(w.c, "ROLLBACK", nil) // it may have happened already
	}
	w.open, w.snap = false, nil
	w.reset()
	w.err = fmt.Errorf("write %s: %w", w.path, err)
	return w.err
}

func sortedKeys(m map[int64]bool) []int64 {
	keys := make([]int64, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
