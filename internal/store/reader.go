package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"rollbook/internal/diag"
)

// A Reader reads a store, also while one writes. It is used by one goroutine;
// several may be open.
type Reader struct {
	c    *sqlite.Conn
	path string
}

// OpenReader opens a store for reading. Where there is none the error is
// fs.ErrNotExist, and nothing is made.
func OpenReader(ctx context.Context, path string) (*Reader, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("%s: %w", path, errors.Unwrap(err))
	}
	c, err := openReadOnly(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r := &Reader{c, path}
	if err := r.check(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), c.Close())
	}
	c.SetInterrupt(ctx.Done())
	return r, nil
}

// openReadOnly opens a database. A reader of one in WAL mode makes a file of
// shared memory beside it; where the folder cannot be written, and nobody has
// left a log, the database cannot change either.
func openReadOnly(path string) (*sqlite.Conn, error) {
	c, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err == nil {
		if _, err = version(c); err == nil || errors.Is(err, ErrForeign) || errors.Is(err, ErrNewer) {
			return c, nil
		}
		c.Close()
	}
	if info, statErr := os.Stat(path + "-wal"); statErr == nil && info.Size() > 0 || statErr != nil && !errors.Is(statErr, fs.ErrNotExist) {
		return nil, err
	}
	abs, absErr := filepath.Abs(path)
	if absErr != nil {
		return nil, absErr
	}
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(abs), RawQuery: "immutable=1"}
	again, retryErr := sqlite.OpenConn(name.String(), sqlite.OpenReadOnly|sqlite.OpenURI)
	if retryErr != nil {
		return nil, err
	}
	return again, nil
}

func (r *Reader) check() error {
	v, err := version(r.c)
	switch {
	case err != nil:
		return err
	case v == 0:
		return fmt.Errorf("nothing was imported: %w", fs.ErrNotExist)
	case v < len(migrations):
		return fmt.Errorf("has schema %d, and is brought to %d by the next import", v, len(migrations))
	}
	for _, p := range []string{"PRAGMA query_only = 1", "PRAGMA busy_timeout = 10000", "PRAGMA cache_size = -32768", "PRAGMA mmap_size = 0", "PRAGMA temp_store = MEMORY"} {
		if err := sqlitex.ExecuteTransient(r.c, p, nil); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the store.
func (r *Reader) Close() error {
	r.c.SetInterrupt(nil)
	return r.c.Close()
}

func (r *Reader) query(sql string, row func(*sqlite.Stmt) error, args ...any) error {
	if err := execute(r.c, sql, row, args...); err != nil {
		return fmt.Errorf("%s: %w", r.path, err)
	}
	return nil
}

// Sources gives all sources by key.
func (r *Reader) Sources() (map[string]*Source, error) { return readSources(r.c) }

// Threads gives all threads by id.
func (r *Reader) Threads() (map[string]*Thread, error) { return readThreads(r.c) }

// Runs gives the latest runs, the newest first.
func (r *Reader) Runs(most int) (runs []Run, err error) {
	err = r.query(runQuery+" ORDER BY id DESC LIMIT ?", func(s *sqlite.Stmt) error {
		run, err := readRun(s)
		runs = append(runs, run)
		return err
	}, most)
	return runs, err
}

// Run gives one run; nil where there is none of that number.
func (r *Reader) Run(id int64) (run *Run, err error) {
	err = r.query(runQuery+" WHERE id = ?", func(s *sqlite.Stmt) error {
		found, err := readRun(s)
		run = &found
		return err
	}, id)
	return run, err
}

// Findings gives what a run found wrong, in the order in which it did.
func (r *Reader) Findings(run int64) iter.Seq2[Diagnostic, error] {
	return func(yield func(Diagnostic, error) bool) {
		err := r.query("SELECT file, line, offset, code, message, source, item, count FROM diagnostics WHERE run = ? ORDER BY id", func(s *sqlite.Stmt) error {
			d := Diagnostic{Source: s.ColumnText(5), Item: s.ColumnInt(6), Count: s.ColumnInt64(7)}
			d.Position = diag.Position{File: s.ColumnText(0), Line: s.ColumnInt(1), Offset: s.ColumnInt64(2)}
			d.Code, d.Message = diag.Code(s.ColumnText(3)), s.ColumnText(4)
			if !yield(d, nil) {
				return errStop
			}
			return nil
		}, run)
		if err != nil && !errors.Is(err, errStop) {
			yield(Diagnostic{}, err)
		}
	}
}

// An Info says what a store holds.
type Info struct {
	Path                               string `json:"path"`
	Schema                             int    `json:"schema"`
	Bytes                              int64  `json:"bytes"` // of the database and its log
	Free                               int64  `json:"free_bytes"`
	Sources, Threads, Events, Messages int64
	SourceBytes                        int64 // on disk, of all sources
	Waiting                            int64 // streams whose outputs are not indexed yet
	LastRun                            *Run
}

// Info tells what the store holds.
func (r *Reader) Info() (*Info, error) {
	info := &Info{Path: r.path}
	for _, q := range []struct {
		to  *int64
		sql string
	}{
		{&info.Sources, "SELECT count(*) FROM sources"},
		{&info.Threads, "SELECT count(*) FROM threads"},
		{&info.Events, "SELECT count(*) FROM events"},
		{&info.Messages, "SELECT coalesce(sum(messages), 0) FROM slots"},
		{&info.SourceBytes, "SELECT coalesce(sum(size), 0) FROM sources"},
		{&info.Waiting, "SELECT count(*) FROM todo"},
		{&info.Free, "SELECT freelist_count * page_size FROM pragma_freelist_count(), pragma_page_size()"},
	} {
		n, err := number(r.c, q.sql)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.path, err)
		}
		*q.to = n
	}
	v, err := version(r.c)
	if err != nil {
		return nil, err
	}
	info.Schema = v
	for _, name := range []string{r.path, r.path + "-wal"} {
		if at, err := os.Stat(name); err == nil {
			info.Bytes += at.Size()
		}
	}
	runs, err := r.Runs(1)
	if len(runs) > 0 {
		info.LastRun = &runs[0]
	}
	return info, err
}
