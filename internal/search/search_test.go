package search

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rollbook/internal/corpustest"
	"rollbook/internal/ingest"
	"rollbook/internal/query"
	"rollbook/internal/rolltest"
	"rollbook/internal/store"
	"rollbook/internal/transcript"
)

// filled makes a store of the corpus and of a generated home with forks and
// sub-agents, and gives the folders it was made of.
func filled(t testing.TB) (db string, roots []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(corpustest.Dir(t), "0.171.0"), func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "home" {
			roots = append(roots, name)
			return filepath.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	if _, _, err := rolltest.GenerateHome(home, rolltest.HomeOptions{Seed: 7, Threads: 60, Bytes: 3000}); err != nil {
		t.Fatal(err)
	}
	roots = append(roots, home)
	ctx := context.Background()
	db = filepath.Join(t.TempDir(), "s", "rollbook.db")
	w, err := store.OpenWriter(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := ingest.Run(ctx, w, roots, ingest.Options{MaxRecords: ingest.None, MaxText: ingest.None}); err != nil {
		t.Fatal(err)
	}
	if err := w.IndexOutputs(ctx, nil); err != nil {
		t.Fatal(err)
	}
	return db, roots
}

func open(t testing.TB, db string) *store.Reader {
	t.Helper()
	r, err := store.OpenReader(context.Background(), db)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// documents gives every event of the store as a query looks at it, the newest
// first.
func documents(t testing.TB, r *store.Reader) (ids []int64, docs []query.Document) {
	t.Helper()
	threads, err := r.Threads()
	if err != nil {
		t.Fatal(err)
	}
	orphans := make(map[string]bool)
	for id, th := range threads {
		parent := threads[th.ForkedFrom] != nil || threads[th.ParentID] != nil
		orphans[id] = (th.ForkedFrom != "" || th.ParentID != "") && !parent
	}
	type both struct {
		id int64
		d  query.Document
	}
	var all []both
	for id := range threads {
		for ev, err := range r.Events(id) {
			if err != nil {
				t.Fatal(err)
			}
			kind := ev.Kind.String()
			if ev.Flags&store.Mirror != 0 || !store.Searched(kind) {
				continue
			}
			all = append(all, both{ev.ID, query.Document{Text: ev.Body(), Role: ev.Role.String(), Kind: kind, Tool: ev.Tool, Project: ev.Project, Thread: ev.ThreadID,
				File: ev.Root + "/" + ev.Rel, Time: ev.Time, Image: ev.Flags&store.HasImage != 0, Change: ev.Flags&store.HasChange != 0, Error: ev.Flags&store.IsError != 0,
				Natural: ev.Flags&store.Natural != 0, Inherited: ev.Flags&store.Inherited != 0, Orphan: orphans[ev.ThreadID]}})
		}
	}
	slices.SortFunc(all, func(a, b both) int { return int(min(1, max(-1, b.id-a.id))) })
	for _, b := range all {
		ids, docs = append(ids, b.id), append(docs, b.d)
	}
	return ids, docs
}

// someQuery makes up a query of words that stand in the documents.
func someQuery(rng *rand.Rand, docs []query.Document) string {
	word := func() string {
		for range 50 {
			d := docs[rng.IntN(len(docs))]
			var words []string
			for c := (query.Cursor{Text: d.Text}); c.Next() && len(words) < 200; {
				words = append(words, d.Text[c.Start:c.End])
			}
			if len(words) == 0 {
				continue
			}
			i := rng.IntN(len(words))
			switch rng.IntN(8) {
			case 0:
				return `"` + strings.Join(words[i:min(i+2, len(words))], " ") + `"`
			case 1:
				r := []rune(words[i])
				return string(r[:max(1, len(r)/2)]) + "*"
			case 2:
				return "-" + words[i]
			}
			return words[i]
		}
		return "word"
	}
	filters := []string{"role:user", "role:assistant", "role:tool", "role:tool,user", "tool:shell*", "tool:apply_patch", "-tool:*shell*", "project:shop-api", "project:/home/ada", "-project:blog",
		"since:2026-06-01", "until:2026-08-01", "has:error", "has:image", "-has:error", "kind:all", "kind:output", "kind:reasoning,notice", "natural:yes", "inherited:yes", "inherited:any", "file:*.jsonl", "file:history.jsonl"}
	var parts []string
	for range rng.IntN(3) {
		parts = append(parts, word())
	}
	for range rng.IntN(3) {
		parts = append(parts, filters[rng.IntN(len(filters))])
	}
	if len(parts) == 0 {
		parts = append(parts, word())
	}
	return strings.Join(parts, " ")
}

func day(s string) (time.Time, error) { return time.Parse(time.DateOnly, s) }

// TestRight: what a search finds, page by page, is what a plain look at every
// event finds, newest first; and ranking loses none.
func TestRight(t *testing.T) {
	db, _ := filled(t)
	r := open(t, db)
	ids, docs := documents(t, r)
	rng := rand.New(rand.NewPCG(5, 6))
	hits, asked := 0, 0
	for range 400 {
		text := someQuery(rng, docs)
		q, err := query.Parse(text, query.ParseOptions{Since: day, Until: day})
		if err != nil {
			continue
		}
		asked++
		var want []int64
		for i := range docs {
			if q.Match(&docs[i]) {
				want = append(want, ids[i])
			}
		}
		for _, ranked := range []bool{false, true} {
			var got []int64
			o := Options{Limit: 1 + rng.IntN(60), Ranked: ranked}
			for page := 0; ; page++ {
				res, err := Run(t.Context(), r, q, o)
				if err != nil {
					t.Fatalf("%q: %v", text, err)
				}
				most := MaxCounted
				if ranked {
					most = MaxRanked
				}
				if res.Total != min(len(want), most) || res.More != (len(want) > most) {
					t.Fatalf("%q: %d in all, want %d", text, res.Total, len(want))
				}
				for _, h := range res.Hits {
					got = append(got, h.ID)
				}
				if o.After = res.Next; o.After == "" || page > 20 {
					break
				}
			}
			if ranked {
				slices.SortFunc(got, func(a, b int64) int { return int(min(1, max(-1, b-a))) })
			}
			if n := min(len(got), len(want)); !slices.Equal(got[:n], want[:n]) && !ranked || o.After == "" && !slices.Equal(got, want) {
				t.Fatalf("%q (ranked %t): found %d, want %d", text, ranked, len(got), len(want))
			}
		}
		hits += len(want)
	}
	if asked < 300 || hits < 3000 {
		t.Errorf("%d queries, %d hits: the test says little", asked, hits)
	}
}

// TestScanFindsTheSame: a search of the files themselves finds what the store
// holds.
func TestScanFindsTheSame(t *testing.T) {
	db, roots := filled(t)
	r := open(t, db)
	for _, text := range []string{"request", "role:user natural:yes", "kind:all error", "tool:apply_patch", "has:error", "inherited:any session", "project:shop-api value"} {
		q, err := query.Parse(text, query.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		res, err := Run(t.Context(), r, q, Options{Limit: MaxCounted})
		if err != nil {
			t.Fatal(err)
		}
		c := NewCollector(q, MaxCounted)
		_, err = ingest.Scan(t.Context(), roots, ingest.Options{MaxText: ingest.None}, func(sc *ingest.Scanned) error {
			c.Add(sc.Document(), sc.Info.Source, func() Found { return Found{Event: *sc.Event, ThreadID: sc.Info.Thread} })
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		found, total := c.Hits()
		if min(total, MaxCounted) != res.Total || total == 0 && text != "has:error" {
			t.Errorf("%q: %d in the store, %d in the files", text, res.Total, total)
		}
		var a, b []string
		for i := range min(len(found), len(res.Hits)) {
			a = append(a, fmt.Sprint(found[i].Event.Source, found[i].ThreadID))
			b = append(b, fmt.Sprint(res.Hits[i].Source, res.Hits[i].ThreadID))
		}
		slices.Sort(a)
		slices.Sort(b)
		if len(found) < MaxCounted && !slices.Equal(a, b) {
			t.Errorf("%q: the hits differ", text)
		}
	}
}

func event(text string) *transcript.Event {
	return &transcript.Event{Kind: transcript.User, Text: text}
}

// TestRanked: an event in which a word stands often comes before a long one in
// which it stands once.
func TestRanked(t *testing.T) {
	dir := t.TempDir()
	db := filepath.Join(dir, "s", "rollbook.db")
	w, err := store.OpenWriter(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Replace("x", nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"needle " + strings.Repeat("hay ", 300), "needle needle needle needle and some hay", "one needle in a short text", strings.Repeat("needle ", 9) + "many"}
	for i, text := range texts {
		row := store.Encode(event(text), store.RowInfo{Thread: "t", Source: "x", Seq: i + 1, Time: time.Date(2026, 1, 1, 0, 0, 10-i, 0, time.UTC)})
		row.Pack()
		if err := s.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Finish(nil, []*store.Source{{Key: "x", Path: "x"}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := open(t, db)
	q, err := query.Parse("needle", query.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := Run(t.Context(), r, q, Options{Ranked: true})
	if err != nil || len(res.Hits) != 4 {
		t.Fatalf("%v %v", res, err)
	}
	if res.Hits[0].Text != texts[3] || res.Hits[1].Text != texts[1] || res.Hits[3].Text != texts[0] {
		for _, h := range res.Hits {
			t.Errorf("%.40s", h.Text)
		}
	}
}
