package listing

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/rolltest"
)

// jsonOf gives a listing as JSON, which has everything that it tells.
func jsonOf(t testing.TB, l *Listing) string {
	t.Helper()
	b, err := json.Marshal(l.JSON(l.Threads, 0))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// family makes a home with a fork, a revert, a sub-agent, a compressed and a
// damaged rollout.
func family(t *testing.T) (dir string, root, fork, alone *rolltest.Rollout) {
	home := rolltest.NewHome(7)
	root = home.New(rolltest.V171, rolltest.Meta{Cwd: "/home/ada/shop"})
	root.Turn("one").Patch("*** Begin Patch\n*** Add File: a.go\n+x\n*** End Patch").Assistant("done").TurnComplete()
	root.Name("The root")
	root.Spawn("Robin", "look").Assistant("seen").TurnComplete()
	root.Turn("two").Assistant("yes").TurnComplete()
	fork = root.Fork(rolltest.All)
	fork.Turn("other").Assistant("so").TurnComplete()
	root.Revert(1).Turn("three").Assistant("fine").TurnComplete()
	home.New(rolltest.V152, rolltest.Meta{}).Turn("small").Assistant("yes").TurnComplete().Compressed = true
	alone = home.New(rolltest.V140, rolltest.Meta{})
	alone.Turn("apart").Assistant("ok").Broken().TurnComplete()
	home.Add("sessions/notes.jsonl", []byte("{\"no\":\"rollout\"}\n"))
	return home.Temp(t), root, fork, alone
}

// TestSecondListing: it opens no rollout, not for its head either, tells the
// same, and does not write the cache again.
func TestSecondListing(t *testing.T) {
	dir, _, _, _ := family(t)
	cache := cacheOf(t)
	first, opened, tally := listing(t, dir, cache)
	if first.Read != 5 || opened.opened.Load() == 0 || opened.bytes == 0 || len(first.Threads) != 5 || tally.Total() != 0 {
		t.Fatalf("read %d of %d threads, opened %d; %v", first.Read, len(first.Threads), opened.opened.Load(), tally.Codes())
	}
	want := jsonOf(t, first)
	if without, _, _ := listing(t, dir, ""); jsonOf(t, without) != want {
		t.Error("a listing without a cache tells something else")
	}
	before, err := os.Stat(cache)
	if err != nil {
		t.Fatal(err)
	}
	second, opened, _ := listing(t, dir, cache)
	if second.Read != 0 || opened.opened.Load() != 0 {
		t.Errorf("the second listing read %d threads and opened %d files", second.Read, opened.opened.Load())
	}
	if d := cmp.Diff(want, jsonOf(t, second)); d != "" {
		t.Error(d)
	}
	if after, err := os.Stat(cache); err != nil || !os.SameFile(before, after) || !after.ModTime().Equal(before.ModTime()) {
		t.Error("the cache was written though nothing had changed")
	}
}

// TestSecretChange: other bytes of the same length under the old time are noticed
// where the system tells when a file was changed.
func TestSecretChange(t *testing.T) {
	dir, root, _, _ := family(t)
	cache := cacheOf(t)
	listing(t, dir, cache)
	name := filepath.Join(dir, filepath.FromSlash(root.Path()))
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if discover.StampOf(info).ChangeTime.IsZero() {
		t.Skip("this system does not tell when a file was changed")
	}
	if err := os.WriteFile(name, bytes.Repeat([]byte("#"), int(info.Size())), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(name, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if second, _, _ := listing(t, dir, cache); second.Read == 0 {
		t.Error("the second listing read nothing")
	}
}

// TestChanged: a file that has changed takes along the threads that build on it,
// and no others.
func TestChanged(t *testing.T) {
	dir, root, fork, alone := family(t)
	cache := cacheOf(t)
	listing(t, dir, cache)
	grow := func(r *rolltest.Rollout) {
		t.Helper()
		f, err := os.OpenFile(filepath.Join(dir, r.Path()), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(`{"timestamp":"2027-01-01T00:00:00Z","type":"event_msg","payload":{"type":"user_message","message":"later"}}` + "\n"); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name   string
		change func()
		read   int
	}{
		{"nothing", func() {}, 0},
		{"a thread of its own", func() { grow(alone) }, 1},
		{"nothing again", func() {}, 0},
		{"a fork", func() { grow(fork) }, 1},
		{"what a fork is based on", func() { grow(root) }, 2},
		{"only the time", func() {
			now := time.Now()
			if err := os.Chtimes(filepath.Join(dir, alone.Path()), now, now); err != nil {
				t.Fatal(err)
			}
		}, 1},
		{"archived", func() {
			to := filepath.Join(dir, "archived_sessions", alone.FileName())
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(dir, alone.Path()), to); err != nil {
				t.Fatal(err)
			}
		}, 1},
		{"the base is gone", func() {
			if err := os.Remove(filepath.Join(dir, root.Path())); err != nil {
				t.Fatal(err)
			}
		}, 2},
		{"nothing at the end", func() {}, 0},
	} {
		tt.change()
		l, _, _ := listing(t, dir, cache)
		if l.Read != tt.read {
			t.Errorf("%s: %d threads were read, want %d", tt.name, l.Read, tt.read)
		}
		if fresh, _, _ := listing(t, dir, ""); jsonOf(t, fresh) != jsonOf(t, l) {
			t.Errorf("%s: %s", tt.name, cmp.Diff(jsonOf(t, fresh), jsonOf(t, l)))
		}
	}
}

// TestReplaced: another file under the same name, with the same size and time.
func TestReplaced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no inodes")
	}
	dir, _, _, alone := family(t)
	cache := cacheOf(t)
	listing(t, dir, cache)
	name := filepath.Join(dir, alone.Path())
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	write(t, name+".new", string(bytes.ReplaceAll(alone.Data(), []byte("apart"), []byte("AGAIN"))))
	if err := os.Chtimes(name+".new", info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		t.Fatal(err)
	}
	if l, _, _ := listing(t, dir, cache); l.Read != 1 || !slices.ContainsFunc(l.Threads, func(t *Thread) bool { return t.Title == "AGAIN" }) {
		t.Errorf("%d threads were read", l.Read)
	}
}

// TestNamesAreNotKept: a name that is given later shows without a rollout being
// opened.
func TestNamesAreNotKept(t *testing.T) {
	dir, root, _, _ := family(t)
	cache := cacheOf(t)
	listing(t, dir, cache)
	index := filepath.Join(dir, "session_index.jsonl")
	old, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	write(t, index, string(old)+`{"id":"`+root.ID+`","thread_name":"Renamed","updated_at":"2027-01-01T00:00:00Z"}`+"\n")
	l, opened, _ := listing(t, dir, cache)
	i := slices.IndexFunc(l.Threads, func(t *Thread) bool { return t.ID == root.ID })
	if got := l.Threads[i]; got.Title != "Renamed" || got.TitleSource != "index" || opened.opened.Load() != 0 {
		t.Errorf("title %q from %s, %d files opened", got.Title, got.TitleSource, opened.opened.Load())
	}
}

// TestBadCache: a cache file that is damaged, cut, empty, another program's or
// no file is as good as none, and is made anew where that can be done.
func TestBadCache(t *testing.T) {
	dir, _, _, _ := family(t)
	cache := cacheOf(t)
	first, _, _ := listing(t, dir, cache)
	want := jsonOf(t, first)
	good, err := os.ReadFile(cache)
	if err != nil {
		t.Fatal(err)
	}
	bad := map[string][]byte{"empty": nil, "text": []byte("hello"), "format alone": []byte(format), "cut": good[:len(good)-1], "longer": append(bytes.Clone(good), 0)}
	for _, at := range []int{0, len(format), len(format) + 3, len(good) / 2, len(good) - 5, len(good) - 1} {
		flipped := bytes.Clone(good)
		flipped[at] ^= 0x10
		bad["flipped at "+string(rune('0'+at%10))] = flipped
	}
	for name, content := range bad {
		write(t, cache, string(content))
		l, _, tally := listing(t, dir, cache)
		if l.Read != len(l.Threads) || jsonOf(t, l) != want || tally.Total() != 0 {
			t.Errorf("%s: read %d of %d threads", name, l.Read, len(l.Threads))
		}
		if now, err := os.ReadFile(cache); err != nil || !bytes.Equal(now, good) {
			t.Errorf("%s: the cache was not made anew: %v", name, err)
		}
	}
	home, err := discover.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer home.Close()
	if l, err := List(context.Background(), home, Options{Cache: cache, Program: "another"}, func(diag.Diagnostic) {}); err != nil || l.Read != len(l.Threads) {
		t.Errorf("another program used the cache: %v", err)
	}
	other, _, _, _ := family(t)
	if l, _, _ := listing(t, other, cache); l.Read != len(l.Threads) {
		t.Error("the cache of another home was used")
	}
}

// TestCacheNotWritten: where there is no place for the cache the listing is
// still good.
func TestCacheNotWritten(t *testing.T) {
	dir, _, _, _ := family(t)
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	for _, cache := range []string{filepath.Join(file, "home.cache"), t.TempDir()} {
		home, err := discover.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		l, err := List(context.Background(), home, Options{Cache: cache}, func(d diag.Diagnostic) { t.Error(d) })
		if err != nil || l.CacheErr == nil || len(l.Threads) != 5 {
			t.Errorf("%v, cache error %v", err, l.CacheErr)
		}
		home.Close()
	}
}

func TestCacheIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	dir, _, _, _ := family(t)
	cache := cacheOf(t)
	listing(t, dir, cache)
	for _, tt := range []struct {
		name string
		mode os.FileMode
	}{{cache, 0o600}, {filepath.Dir(cache), 0o700}, {filepath.Dir(filepath.Dir(cache)), 0o700}} {
		if info, err := os.Stat(tt.name); err != nil || info.Mode().Perm() != tt.mode {
			t.Errorf("%s: %v, %v", tt.name, info.Mode(), err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(cache), ".*")); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

// TestSingleFile: one file has no cache, whose name would be its folder's.
func TestSingleFile(t *testing.T) {
	dir, _, _, alone := family(t)
	cache := cacheOf(t)
	l, _, _ := listing(t, filepath.Join(dir, alone.Path()), cache)
	if len(l.Threads) != 1 || l.Kind != discover.KindFile {
		t.Errorf("%d threads of kind %d", len(l.Threads), l.Kind)
	}
	if _, err := os.Stat(cache); !os.IsNotExist(err) {
		t.Errorf("a cache was written: %v", err)
	}
}

// TestTwoAtOnce: two listings with one cache both are right, and leave a cache
// that the next one uses.
func TestTwoAtOnce(t *testing.T) {
	dir, _, _, _ := family(t)
	cache := cacheOf(t)
	alone, _, _ := listing(t, dir, "")
	want := jsonOf(t, alone)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5 {
				if l, _, _ := listing(t, dir, cache); jsonOf(t, l) != want {
					t.Error("another listing")
				}
			}
		})
	}
	wg.Wait()
	if l, _, _ := listing(t, dir, cache); l.Read != 0 {
		t.Errorf("%d threads were read", l.Read)
	}
}

// TestUnreadableIsNotKept: what could not be opened may be readable the next
// time, though the file is the same.
func TestUnreadableIsNotKept(t *testing.T) {
	e := &entry{id: "x"}
	e.find(diag.Diagnostic{Code: "file_unreadable"})
	dir, _, _, _ := family(t)
	cache := cacheOf(t)
	listing(t, dir, cache)
	home, err := discover.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer home.Close()
	c := newCache(Options{Cache: cache, Program: "test"}, home.Path())
	c.load()
	var entries []*entry
	for _, kept := range c.threads {
		entries = append(entries, kept)
	}
	for _, f := range c.files {
		f.same = true
	}
	if err := c.save(append(entries, e)); err != nil {
		t.Fatal(err)
	}
	again := newCache(Options{Cache: cache, Program: "test"}, home.Path())
	again.load()
	if !e.passing() || again.threads["x"] != nil || len(again.threads) != 5 {
		t.Errorf("%d threads are kept", len(again.threads))
	}
}

func TestCanceled(t *testing.T) {
	dir, _, _, _ := family(t)
	cache := cacheOf(t)
	home, err := discover.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer home.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if l, err := List(ctx, home, Options{Cache: cache}, func(diag.Diagnostic) {}); err == nil {
		t.Errorf("%d threads of a listing that was given up", len(l.Threads))
	}
	if _, err := os.Stat(cache); !os.IsNotExist(err) {
		t.Errorf("a cache was written: %v", err)
	}
}
