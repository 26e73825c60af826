package ingest

import (
	"context"
	"slices"
	"testing"

	"rollbook/internal/store"
)

// TestForgotten: what was forgotten is read again by the next import, which gives
// what was there before, also where a thread has other files.
func TestForgotten(t *testing.T) {
	home := generated(t, 12)
	db := newStore(t)
	run1(t, db, Options{}, home)
	want := dump(t, db)
	w, err := store.OpenWriter(context.Background(), db)
	if err != nil {
		t.Fatal(err)
	}
	sources, err := w.Sources()
	if err != nil {
		t.Fatal(err)
	}
	threads, err := w.Threads()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	several := 0
	for _, th := range threads {
		if len(th.Sources) > 1 {
			several++
		}
	}
	if several == 0 {
		t.Error("no thread has several files")
	}
	var keys []string
	for key := range sources {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		w, err := store.OpenWriter(context.Background(), db)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := w.Forget(key); err != nil || n != 1 {
			t.Fatalf("forget %s: %d, %v", key, n, err)
		}
		if faults, err := w.Check(); err != nil || len(faults) > 0 {
			t.Fatalf("without %s: %v, %v", key, faults, err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if dump(t, db) == want {
			t.Errorf("nothing of %s was forgotten", key)
		}
		run1(t, db, Options{}, home)
		sameDump(t, "after forgetting "+key, dump(t, db), want)
	}
}
