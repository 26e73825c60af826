package store

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"rollbook/internal/transcript"
)

var update = flag.Bool("update", false, "make the stores of testdata anew")

func openWriter(t testing.TB, path string) *Writer {
	t.Helper()
	w, err := OpenWriter(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "s", "rollbook.db") }

// at is a time some milliseconds after a fixed one.
func at(ms int) time.Time { return time.UnixMilli(1767225600000 + int64(ms)).UTC() }

// A said is a message of a test.
type said struct {
	thread  string
	ms      int
	text    string
	channel Channel
	project string
	kind    transcript.Kind
}

// put replaces a stream from an event on.
func put(t testing.TB, w *Writer, stream string, from int, list ...said) {
	t.Helper()
	s, err := w.Replace(stream, nil, from)
	if err != nil {
		t.Fatal(err)
	}
	add(t, s, stream, from, list...)
	if err := s.Finish(nil, []*Source{{Key: stream, Kind: "document", Root: "/r", Path: stream}}, nil); err != nil {
		t.Fatal(err)
	}
}

func add(t testing.TB, s *Snapshot, stream string, from int, list ...said) {
	t.Helper()
	for i, m := range list {
		kind := m.kind
		if kind == 0 {
			kind = transcript.User
		}
		ev := &transcript.Event{Kind: kind, Text: m.text, Output: m.text, Time: at(m.ms)}
		info := RowInfo{Thread: m.thread, Source: stream, Seq: from + i, Line: from + i, Channel: m.channel, Project: m.project}
		if kind == transcript.User {
			info.Flags = Natural
		}
		row := Encode(ev, info)
		row.Pack()
		if err := s.Add(row); err != nil {
			t.Fatal(err)
		}
	}
}

func whole(t testing.TB, w *Writer) {
	t.Helper()
	faults, err := w.Check()
	if err != nil || len(faults) > 0 {
		t.Fatalf("faults %v, %v", faults, err)
	}
}

func dumpOf(t testing.TB, path string) string {
	t.Helper()
	r, err := OpenReader(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var b bytes.Buffer
	if err := r.Dump(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// inSight gives the texts of a thread that are no mirrors.
func inSight(t testing.TB, path, thread string) (texts []string) {
	t.Helper()
	r, err := OpenReader(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for ev, err := range r.Events(thread) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Flags&Mirror == 0 {
			texts = append(texts, fmt.Sprintf("%s@%s", ev.Text, ev.Channel))
		}
	}
	slices.Sort(texts)
	return texts
}

// TestMirrors (T2).
func TestMirrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b []said // of two streams
		want string
	}{
		{"two and two", []said{{ms: 0, text: "go"}, {ms: 500, text: "go"}}, []said{{ms: 100, text: "go", channel: ChannelHistory}, {ms: 600, text: "go", channel: ChannelHistory}}, "go@event go@event"},
		{"one stream alone", []said{{ms: 0, text: "go"}, {ms: 1, text: "go"}}, nil, "go@event go@event"},
		{"three copies of two", []said{{ms: 0, text: "go"}, {ms: 5, text: "go"}}, []said{{ms: 1, text: "go", channel: ChannelHistory}, {ms: 2, text: "go", channel: ChannelHistory}, {ms: 3, text: "go", channel: ChannelHistory}}, "go@event go@event go@history"},
		{"at two seconds", []said{{ms: 0, text: "go"}}, []said{{ms: 2000, text: "go", channel: ChannelHistory}}, "go@event"},
		{"after them", []said{{ms: 0, text: "go"}}, []said{{ms: 2001, text: "go", channel: ChannelHistory}}, "go@event go@history"},
		{"another text", []said{{ms: 0, text: "go"}}, []said{{ms: 0, text: "go ", channel: ChannelHistory}}, "go @history go@event"},
		{"another role", []said{{ms: 0, text: "go", kind: transcript.Assistant}}, []said{{ms: 0, text: "go", channel: ChannelHistory}}, "go@event go@history"},
	} {
		for _, swapped := range []bool{false, true} {
			path := newPath(t)
			w := openWriter(t, path)
			for i := range 2 {
				list, stream := tt.a, "a"
				if (i == 0) == swapped {
					list, stream = tt.b, "b"
				}
				for k := range list {
					list[k].thread = "t"
				}
				if list != nil {
					put(t, w, stream, 1, list...)
				}
			}
			whole(t, w)
			if got := strings.Join(inSight(t, path, "t"), " "); got != tt.want {
				t.Errorf("%s, swapped %t: in sight %q, want %q", tt.name, swapped, got, tt.want)
			}
			// Without the other stream all of its own is in sight again.
			if tt.b != nil {
				put(t, w, "a", 1)
				whole(t, w)
				if n := len(inSight(t, path, "t")); n != len(tt.b) {
					t.Errorf("%s: %d in sight alone, want %d", tt.name, n, len(tt.b))
				}
			}
			w.Close()
		}
	}
}

// TestAnyOrder: random streams, replaced, cut, abandoned and forgotten in any
// order, leave what their last states alone leave (T1, T3, T5).
func TestAnyOrder(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		path := newPath(t)
		w := openWriter(t, path)
		state := make(map[string][]said)
		word := func() string { return []string{"go on", "plan it", "test it", "日本 語", "pkg.Func"}[rng.IntN(5)] }
		message := func() said {
			return said{thread: fmt.Sprint("t", rng.IntN(3)), ms: rng.IntN(3) * 1500, text: word(), channel: []Channel{ChannelEvent, ChannelNormalized, ChannelHistory}[rng.IntN(3)],
				project: []string{"", "/p", "/q"}[rng.IntN(3)], kind: []transcript.Kind{transcript.User, transcript.Assistant, transcript.ToolResult, transcript.Notice}[rng.IntN(4)]}
		}
		for range 30 {
			stream := fmt.Sprint("s", rng.IntN(4))
			old := state[stream]
			switch rng.IntN(8) {
			case 0:
				if err := w.Commit(); err != nil {
					t.Fatal(err)
				}
			case 1:
				if err := w.IndexOutputs(context.Background(), nil); err != nil {
					t.Fatal(err)
				}
			case 2:
				if err := w.Commit(); err != nil { // else what was not committed is lost
					t.Fatal(err)
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				w = openWriter(t, path)
			case 3:
				s, err := w.Replace(stream, nil, 1+rng.IntN(len(old)+1))
				if err != nil {
					t.Fatal(err)
				}
				add(t, s, stream, len(old)+1, message(), message())
				if err := s.Abandon(); err != nil {
					t.Fatal(err)
				}
			case 4:
				if _, err := w.Forget(stream); err != nil {
					t.Fatal(err)
				}
				delete(state, stream)
			default:
				keep := rng.IntN(len(old) + 1)
				var list []said
				for range rng.IntN(5) {
					list = append(list, message())
				}
				put(t, w, stream, keep+1, list...)
				state[stream] = append(slices.Clone(old[:keep]), list...)
			}
		}
		whole(t, w)
		w.Close()
		fresh := newPath(t)
		w = openWriter(t, fresh)
		for _, stream := range []string{"s3", "s1", "s0", "s2"} {
			if list, ok := state[stream]; ok {
				put(t, w, stream, 1, list...)
			}
		}
		whole(t, w)
		w.Close()
		if got, want := dumpOf(t, path), dumpOf(t, fresh); got != want {
			g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
			for i := range g {
				if i >= len(w) || g[i] != w[i] {
					t.Fatalf("seed %d, line %d:\n got %s\nwant %s", seed, i, g[i], w[min(i, len(w)-1)])
				}
			}
			t.Fatalf("seed %d: lines are missing", seed)
		}
	}
}

// TestReleased opens the store of every released schema, and finds in it what was
// put there.
func TestReleased(t *testing.T) {
	name := filepath.Join("testdata", fmt.Sprintf("v%d.db", len(migrations)))
	if *update {
		path := newPath(t)
		w := openWriter(t, path)
		put(t, w, "a.jsonl", 1, said{thread: "t1", text: "plan it", project: "/srv/app"}, said{thread: "t1", ms: 2000, text: strings.Repeat("long ", 300), kind: transcript.ToolResult})
		put(t, w, "history.jsonl", 1, said{thread: "t1", ms: 200, text: "plan it", channel: ChannelHistory}, said{thread: "t2", text: "another"})
		if err := w.Vacuum(); err != nil {
			t.Fatal(err)
		}
		w.Close()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		for to, b := range map[string][]byte{name: text, name + ".txt": []byte(dumpOf(t, path))} {
			if err := os.WriteFile(to, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for v := 1; v <= len(migrations); v++ {
		text, err := os.ReadFile(filepath.Join("testdata", fmt.Sprintf("v%d.db", v)))
		if err != nil {
			t.Fatalf("the store of schema %d is missing: %v", v, err)
		}
		want, err := os.ReadFile(filepath.Join("testdata", fmt.Sprintf("v%d.db.txt", v)))
		if err != nil {
			t.Fatal(err)
		}
		path := newPath(t)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		w := openWriter(t, path)
		whole(t, w)
		w.Close()
		if got := dumpOf(t, path); got != string(want) {
			t.Errorf("schema %d:\n got %s\nwant %s", v, got, want)
		}
	}
}

// TestForeign: databases of other programs and of newer ones are left alone.
func TestForeign(t *testing.T) {
	for what, sql := range map[string]string{
		"another program's": "CREATE TABLE x(y)",
		"a newer one":       fmt.Sprintf("CREATE TABLE x(y); PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, len(migrations)+1),
	} {
		path := newPath(t)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite, sqlite.OpenCreate)
		if err != nil {
			t.Fatal(err)
		}
		if err := sqlitex.ExecuteScript(c, sql, nil); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, wErr := OpenWriter(context.Background(), path)
		_, rErr := OpenReader(context.Background(), path)
		for _, err := range []error{wErr, rErr} {
			if !errors.Is(err, ErrForeign) && !errors.Is(err, ErrNewer) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s was changed", what)
		}
	}
	if _, err := OpenReader(context.Background(), newPath(t)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no store: %v", err)
	}
}

// TestDamaged: pages that are overwritten give errors or findings, never a panic.
func TestDamaged(t *testing.T) {
	path := newPath(t)
	w := openWriter(t, path)
	for i := range 20 {
		put(t, w, fmt.Sprint("s", i), 1, said{thread: "t", ms: i, text: strings.Repeat(fmt.Sprint("text ", i, " "), 200)}, said{thread: "t", ms: i, text: "out", kind: transcript.ToolResult})
	}
	if err := w.IndexOutputs(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Vacuum(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 9))
	noticed := 0
	for range 60 {
		bad := bytes.Clone(good)
		for range 1 + rng.IntN(40) {
			bad[100+rng.IntN(len(bad)-100)] = byte(rng.Uint32())
		}
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		os.Remove(path + "-wal")
		os.Remove(path + "-shm")
		w, err := OpenWriter(context.Background(), path)
		if err != nil {
			noticed++
			continue
		}
		faults, err := w.Check()
		if err != nil || len(faults) > 0 {
			noticed++
		}
		w.Close()
		if r, err := OpenReader(context.Background(), path); err == nil {
			for _, err := range r.Events("t") {
				if err != nil {
					break
				}
			}
			r.Find(Words, `"text"`, 0, 1<<62, func(int64) bool { return true })
			r.Close()
		}
	}
	if noticed < 30 {
		t.Errorf("only %d of 60 damaged stores were noticed", noticed)
	}
}

// TestSameMillisecond: more events of one time than there are numbers for it.
func TestSameMillisecond(t *testing.T) {
	path := newPath(t)
	w := openWriter(t, path)
	s, err := w.Replace("a", nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	const n = 1<<countBits + 5000
	for i := range n {
		row := Encode(&transcript.Event{Kind: transcript.Notice, Text: "x", Time: at(0)}, RowInfo{Thread: "t", Source: "a", Seq: i + 1})
		row.Pack()
		if err := s.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Finish(nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	whole(t, w)
	w.Close()
	r, err := OpenReader(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	info, err := r.Info()
	if err != nil || info.Events != n {
		t.Errorf("%+v %v", info, err)
	}
}

// FuzzBody: what stands in a body or an extra is text, or an error.
func FuzzBody(f *testing.F) {
	f.Add([]byte("{}"), true)
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x00, 0x01, 0x00, 0x00}, false)
	f.Fuzz(func(t *testing.T, b []byte, isExtra bool) {
		if isExtra {
			x, err := decodeExtra(string(b))
			if err == nil {
				x.apply(&transcript.Event{})
			}
			return
		}
		if text, err := unpack(b); err == nil && len(text) > maxBody {
			t.Errorf("%d bytes", len(text))
		}
	})
}
