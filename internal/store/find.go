package store

import (
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"
)

// errStop ends a query early.
var errStop = errors.New("enough")

// Find gives the ids of the events of a full text table that an expression
// matches and that lie between lo and hi (without hi), the newest first, until
// yield says that it has enough.
func (r *Reader) Find(table, expr string, lo, hi int64, yield func(id int64) bool) error {
	err := execute(r.c, "SELECT rowid FROM "+table+" WHERE "+table+" MATCH ? AND rowid >= ? AND rowid < ? ORDER BY rowid DESC", func(s *sqlite.Stmt) error {
		if !yield(s.ColumnInt64(0)) {
			return errStop
		}
		return nil
	}, expr, lo, hi)
	if err != nil && !errors.Is(err, errStop) {
		return err
	}
	return nil
}

// ids gives the numbers of rows for which keep says so of their name.
func (r *Reader) ids(sql string, keep func(name string) bool) (ids []int64, err error) {
	err = r.query(sql, func(s *sqlite.Stmt) error {
		if keep(s.ColumnText(1)) {
			ids = append(ids, s.ColumnInt64(0))
		}
		return nil
	})
	return ids, err
}

// ToolIDs, ProjectIDs, ThreadIDs and SourceIDs give the numbers by which full
// text knows what a filter names. Of a source the whole path is asked for.
func (r *Reader) ToolIDs(keep func(name string) bool) ([]int64, error) {
	return r.ids("SELECT id, name FROM tools", keep)
}

func (r *Reader) ProjectIDs(keep func(path string) bool) ([]int64, error) {
	return r.ids("SELECT id, path FROM projects", keep)
}

func (r *Reader) ThreadIDs(keep func(id string) bool) ([]int64, error) {
	return r.ids("SELECT id, thread FROM threads", keep)
}

func (r *Reader) SourceIDs(keep func(path string) bool) ([]int64, error) {
	return r.ids("SELECT id, root || '/' || path FROM sources", keep)
}

// Orphans gives the numbers of the threads that took something over from a
// parent which the store does not hold: what they inherited is to be found with
// them.
func (r *Reader) Orphans() ([]int64, error) {
	return r.ids(`SELECT t.id, '' FROM threads t WHERE (t.forked_from != '' OR t.parent != '')
		AND NOT EXISTS(SELECT 1 FROM threads p WHERE p.thread IN (t.forked_from, t.parent))`, func(string) bool { return true })
}

// Around gives the messages of the thread before and after an event, up to n of
// each, in order.
func (r *Reader) Around(ev *Event, n int) (before, after []*Event, err error) {
	const where = ` WHERE t.thread = ? AND r.key = ? AND e.kind IN (2, 3, 5) AND e.flags & 16 = 0 AND e.seq `
	if before, err = collect(r.events(where+"< ? ORDER BY e.seq DESC LIMIT ?", ev.ThreadID, ev.Stream, ev.Seq, n)); err != nil {
		return nil, nil, err
	}
	for i, j := 0, len(before)-1; i < j; i, j = i+1, j-1 {
		before[i], before[j] = before[j], before[i]
	}
	after, err = collect(r.events(where+"> ? ORDER BY e.seq LIMIT ?", ev.ThreadID, ev.Stream, ev.Seq, n))
	return before, after, err
}

func collect(seq func(func(*Event, error) bool)) (list []*Event, err error) {
	for ev, err := range seq {
		if err != nil {
			return nil, err
		}
		list = append(list, ev)
	}
	return list, nil
}

// Place gives the one thread whose id begins so, and the folder that its current
// rollout was imported from; empty where no rollout tells of it. Without such a
// thread the id is empty; of several it is an error.
func (r *Reader) Place(prefix string) (id, root string, err error) {
	n := 0
	err = r.query(`SELECT t.thread, coalesce(s.root, '') FROM threads t LEFT JOIN sources s ON s.key = t.current
		WHERE t.thread >= ?1 AND t.thread < ?1 || char(0x10ffff) LIMIT 2`, func(s *sqlite.Stmt) error {
		if n++; n == 1 || s.ColumnText(0) == prefix {
			id, root = s.ColumnText(0), s.ColumnText(1)
		}
		return nil
	}, prefix)
	if err == nil && n > 1 && id != prefix {
		err = fmt.Errorf("thread %s: more than one begins with it, one is %s", prefix, id)
	}
	return id, root, err
}
