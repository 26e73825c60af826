package ingest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"rollbook/internal/store"
)

// quietOf gives the roots that a store notes as quiet.
func quietOf(t *testing.T, db string) map[string][]byte {
	t.Helper()
	w, err := store.OpenWriter(context.Background(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	marks, err := w.Quiet()
	if err != nil {
		t.Fatal(err)
	}
	return marks
}

// TestQuiet (T7): a home below which there was nothing to do is noted, and after that
// each sort of change is still seen: the store is what a first import gives.
func TestQuiet(t *testing.T) {
	newest := func(t *testing.T, home string) string {
		t.Helper()
		names, err := filepath.Glob(filepath.Join(home, "sessions", "*", "*", "*", "rollout-*.jsonl"))
		if err != nil || len(names) == 0 {
			t.Fatal("no rollouts", err)
		}
		return names[len(names)-1]
	}
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, home, db string)
	}{
		{"nothing", func(*testing.T, string, string) {}},
		{"a rollout grew", func(t *testing.T, home, db string) {
			appendTo(t, newest(t, home), `{"timestamp":"2026-09-01T10:00:00.000Z","type":"event_msg","payload":{"type":"user_message","message":"one more"}}`+"\n")
		}},
		{"a rollout was touched", func(t *testing.T, home, db string) {
			if err := os.Chtimes(newest(t, home), begun, begun); err != nil {
				t.Fatal(err)
			}
		}},
		{"a rollout was archived", func(t *testing.T, home, db string) {
			name := newest(t, home)
			if err := os.MkdirAll(filepath.Join(home, "archived_sessions"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(name, filepath.Join(home, "archived_sessions", filepath.Base(name))); err != nil {
				t.Fatal(err)
			}
		}},
		{"history.jsonl came", func(t *testing.T, home, db string) {
			write(t, filepath.Join(home, "history.jsonl"), `{"session_id":"t-typed","ts":1767225600,"text":"typed"}`+"\n")
		}},
		{"a thread got a name", func(t *testing.T, home, db string) {
			id := filepath.Base(newest(t, home))
			id = id[len(id)-len(".jsonl")-36 : len(id)-len(".jsonl")]
			appendTo(t, filepath.Join(home, "session_index.jsonl"), fmt.Sprintf(`{"id":%q,"thread_name":"a name","updated_at":"2026-09-01T10:00:00Z"}`+"\n", id))
		}},
		{"a source was forgotten", func(t *testing.T, home, db string) {
			w, err := store.OpenWriter(context.Background(), db)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if n, err := w.Forget(newest(t, home)); err != nil || n != 1 {
				t.Fatal(n, err)
			}
		}},
		{"all was cleared", func(t *testing.T, home, db string) {
			w, err := store.OpenWriter(context.Background(), db)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if err := w.Clear(); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			home, db := generated(t, 6), newStore(t)
			run1(t, db, Options{}, home)
			if marks := quietOf(t, db); len(marks) != 0 {
				t.Errorf("after a first import %d roots are quiet", len(marks))
			}
			want := run1(t, db, Options{}, home).Roots[0].Actions
			if len(quietOf(t, db)) != 1 {
				t.Fatal("nothing is quiet after an import that found nothing to do")
			}
			got := run1(t, db, Options{}, home).Roots[0].Actions
			if len(got) != 1 || got[Unchanged] != want[Unchanged] {
				t.Errorf("below a quiet root: %v, want %v", got, want)
			}
			tt.change(t, home, db)
			run1(t, db, Options{}, home)
			fresh := newStore(t)
			run1(t, fresh, Options{}, home)
			sameDump(t, "after the change", dump(t, db), dump(t, fresh))
		})
	}
}

// TestQuietSeveral: where something is done below one of several roots, none is
// noted; and a root that is quiet by itself is looked at again after that.
func TestQuietSeveral(t *testing.T) {
	a, b, db := generated(t, 3), generated(t, 2), newStore(t)
	for range 2 {
		run1(t, db, Options{}, a)
	}
	run1(t, db, Options{}, a, b)
	if n := len(quietOf(t, db)); n != 0 {
		t.Errorf("%d roots are quiet after something was imported", n)
	}
	want := run1(t, db, Options{}, a, b)
	got := run1(t, db, Options{}, a, b)
	for i := range want.Roots {
		if fmt.Sprint(got.Roots[i].Actions) != fmt.Sprint(want.Roots[i].Actions) {
			t.Errorf("%s: %v, want %v", want.Roots[i].Path, got.Roots[i].Actions, want.Roots[i].Actions)
		}
	}
}
