package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"

	"rollbook/internal/query"
	"rollbook/internal/transcript"
)

// A told is a stream that rollouts tell of: a thread with its folder, and events.
type told struct {
	project string
	events  []transcript.Event
}

// turn makes a prompt, a call with its result, and counters.
func turn(rng *rand.Rand, ms int) []transcript.Event {
	failed, id := rng.IntN(2) == 0, fmt.Sprint("c", rng.Uint32())
	return []transcript.Event{
		{Kind: transcript.User, Text: []string{"go on", "plan it"}[rng.IntN(2)], Time: at(ms)},
		{Kind: transcript.ToolCall, CallID: id, Tool: "shell", Arguments: "ls", Time: at(ms + 1)},
		{Kind: transcript.ToolResult, CallID: id, Tool: "shell", Output: "no such file", IsError: &failed, Time: at(ms + 2)},
		{Kind: transcript.Usage, ItemID: id, Usage: &transcript.TokenUsage{Input: int64(rng.IntN(100)), Output: 5, Total: 105}, Time: at(ms + 3)},
	}
}

// tell replaces the stream of a thread from an event on. What Replace is told of
// the thread may differ from what is known in the end.
func tell(t testing.TB, w *Writer, id, before string, s told, from int, abandon bool) {
	t.Helper()
	thread := func(project string) *Thread {
		return &Thread{Meta: transcript.Meta{ID: id, Project: project, Title: "a title", TitleSource: "name"}, Current: "rollout:" + id, Sources: []string{"rollout:" + id}}
	}
	snap, err := w.Replace("thread:"+id, thread(before), from)
	if err != nil {
		t.Fatal(err)
	}
	for i := from - 1; i < len(s.events); i++ {
		info := RowInfo{Thread: id, Source: "rollout:" + id, Seq: i + 1, Line: i + 1}
		if s.events[i].Kind == transcript.User {
			info.Flags = Natural
		}
		row := Encode(&s.events[i], info)
		row.Pack()
		if err := snap.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	if abandon {
		err = snap.Abandon()
	} else {
		err = snap.Finish(thread(s.project), []*Source{{Key: "rollout:" + id, Kind: "rollout", Root: "/h", Path: id}}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// found holds full text against the rows: each token that says what an event is
// finds the events that are so, once each.
func found(t testing.TB, path string) {
	t.Helper()
	r, err := OpenReader(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	want := make(map[string][]int64)
	err = r.query(documentQuery+" ORDER BY e.id DESC", func(s *sqlite.Stmt) error {
		d, table, err := readDoc(s)
		if table != "" {
			for _, token := range strings.Fields(string(d.text)) {
				key := table + " " + token
				if list := want[key]; len(list) == 0 || list[len(list)-1] != d.id {
					want[key] = append(list, d.id)
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for id := range int64(12) { // and no token of a project, a thread or a flag finds more
		for _, table := range []string{Words, Outputs} {
			for _, token := range []string{query.MetaProject.ID(id), query.MetaThread.ID(id), query.MetaFlag.Token(FlagError), query.MetaAll.Token("")} {
				want[table+" "+token] = append([]int64(nil), want[table+" "+token]...)
			}
		}
	}
	for key, ids := range want {
		table, token, _ := strings.Cut(key, " ")
		var got []int64
		if err := r.Find(table, `"`+token+`"`, 0, 1<<63-1, func(id int64) bool { got = append(got, id); return true }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, ids) {
			t.Fatalf("%s %q finds %v, want %v", table, token, got, ids)
		}
	}
}

// TestThreadsAnyOrder: threads that grow, are rewritten, move to another folder,
// are abandoned or forgotten beside documents that tell of them, leave what their
// last states alone leave (T1, T2, T3, T5).
func TestThreadsAnyOrder(t *testing.T) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 2))
		path := newPath(t)
		w := openWriter(t, path)
		threads, documents := make(map[string]told), make(map[string][]said)
		folder := func() string { return []string{"", "/p", "/q"}[rng.IntN(3)] }
		for range 25 {
			id := fmt.Sprint("t", rng.IntN(3))
			old := threads[id]
			switch rng.IntN(10) {
			case 0:
				if err := w.Commit(); err != nil {
					t.Fatal(err)
				}
			case 1:
				if err := w.IndexOutputs(context.Background(), nil); err != nil {
					t.Fatal(err)
				}
			case 2:
				tell(t, w, id, folder(), told{folder(), append(slices.Clone(old.events), turn(rng, 0)...)}, 1+4*rng.IntN(len(old.events)/4+1), true)
			case 3, 9:
				if _, err := w.Forget("rollout:" + id); err != nil {
					t.Fatal(err)
				}
				delete(threads, id)
			case 4:
				doc := []said{{thread: id, ms: rng.IntN(3) * 1500, text: "plan it", channel: ChannelHistory}, {thread: id, ms: 9000, text: "else", channel: ChannelHistory}}
				put(t, w, "h"+id, 1, doc...)
				documents["h"+id] = doc
			case 5:
				if len(old.events) > 0 {
					old.project = folder()
					tell(t, w, id, old.project, old, len(old.events)+1, false) // nothing is added
					threads[id] = old
				}
			default:
				keep := 4 * rng.IntN(len(old.events)/4+1)
				s := told{folder(), append(slices.Clone(old.events[:keep]), turn(rng, rng.IntN(3)*1500)...)}
				tell(t, w, id, folder(), s, keep+1, false)
				threads[id] = s
			}
		}
		if err := w.IndexOutputs(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		whole(t, w)
		w.Close()
		found(t, path)
		fresh := newPath(t)
		w = openWriter(t, fresh)
		for stream, list := range documents {
			put(t, w, stream, 1, list...)
		}
		for id, s := range threads {
			tell(t, w, id, s.project, s, 1, false)
		}
		whole(t, w)
		w.Close()
		if got, want := dumpOf(t, path), dumpOf(t, fresh); got != want {
			t.Fatalf("seed %d:\n got %s\nwant %s", seed, got, want)
		}
	}
}
