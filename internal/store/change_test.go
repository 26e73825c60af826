package store

import (
	"context"
	"testing"
	"time"

	"rollbook/internal/query"
	"rollbook/internal/transcript"
)

// matches counts what an expression finds among all times.
func matches(t testing.TB, path, table, expr string) (n int) {
	t.Helper()
	r, err := OpenReader(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Find(table, expr, 0, 1<<63-1, func(int64) bool { n++; return true }); err != nil {
		t.Fatal(err)
	}
	return n
}

// projectExpr is the expression for a project.
func projectExpr(t testing.TB, path, project string) string {
	t.Helper()
	r, err := OpenReader(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ids, err := r.ProjectIDs(func(p string) bool { return p == project })
	if err != nil || len(ids) != 1 {
		t.Fatalf("project %s: %v, %v", project, ids, err)
	}
	return `"` + query.MetaProject.ID(ids[0]) + `"`
}

// TestProjectLearned: a project that is known only at the end of a snapshot, or
// after it, is the one that its messages and outputs are found by.
func TestProjectLearned(t *testing.T) {
	for _, when := range []string{"in Finish", "in PutThread of the batch", "in PutThread later"} {
		path := newPath(t)
		w := openWriter(t, path)
		th := &Thread{Meta: transcript.Meta{ID: "t", Project: "/old"}, Current: "rollout:t", Sources: []string{"rollout:t"}}
		s, err := w.Replace("thread:t", th, 1)
		if err != nil {
			t.Fatal(err)
		}
		add(t, s, "rollout:t", 1, said{thread: "t", text: "plan it"}, said{thread: "t", ms: 5, text: "out", kind: transcript.ToolResult})
		later := *th
		later.Project = "/new"
		last := th
		if when == "in Finish" {
			last = &later
		}
		if err := s.Finish(last, []*Source{{Key: "rollout:t", Kind: "rollout"}}, nil); err != nil {
			t.Fatal(err)
		}
		if when == "in PutThread later" {
			if err := w.IndexOutputs(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
		}
		if when != "in Finish" {
			if err := w.PutThread(&later); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.IndexOutputs(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		whole(t, w)
		w.Close()
		for _, table := range []string{Words, Outputs} {
			if n := matches(t, path, table, projectExpr(t, path, "/new")); n != 1 {
				t.Errorf("%s: %s: %d in the new project", when, table, n)
			}
			if n := matches(t, path, table, projectExpr(t, path, "/old")); n != 0 {
				t.Errorf("%s: %s: %d in the old project", when, table, n)
			}
		}
	}
}

// TestTimes: times that an id cannot carry become the nearest that it can.
func TestTimes(t *testing.T) {
	for _, tt := range []struct{ year, want int }{{1, 1970}, {1969, 1970}, {2026, 2026}, {2300, 2248}, {9999, 2248}} {
		path := newPath(t)
		w := openWriter(t, path)
		s, err := w.Replace("d", nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			row := Encode(&transcript.Event{Kind: transcript.User, Text: "now", Time: time.Date(tt.year, 1, 2, 0, 0, 0, 0, time.UTC)}, RowInfo{Thread: "t", Source: "d", Seq: i + 1})
			row.Pack()
			if err := s.Add(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Finish(nil, []*Source{{Key: "d", Kind: "document"}}, nil); err != nil {
			t.Fatal(err)
		}
		whole(t, w)
		w.Close()
		r, err := OpenReader(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		for ev, err := range r.Events("t") {
			if err != nil || ev.Time.Year() != tt.want {
				t.Errorf("year %d: %v, %v", tt.year, ev.Time, err)
			}
		}
		r.Close()
		if n := matches(t, path, Words, `"now"`); n != 3 {
			t.Errorf("year %d: %d are found", tt.year, n)
		}
	}
	lo, hi := Bounds(time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC))
	if lo != 0 || hi != 1<<63-1 {
		t.Errorf("bounds %d, %d", lo, hi)
	}
}
