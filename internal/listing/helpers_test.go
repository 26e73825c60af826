package listing

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	_ "modernc.org/sqlite"

	"rollbook/internal/assemble"
	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/fsx"
)

// cacheOf gives the name of a cache file in a folder that is not there yet.
func cacheOf(t testing.TB) string {
	return filepath.Join(t.TempDir(), "data", "listing", "home.cache")
}

// A counter opens rollouts and counts them.
type counter struct {
	home   *discover.Home
	opened atomic.Int32
	bytes  int64
}

func (c *counter) Open(ref discover.Ref) (fsx.File, error) {
	c.opened.Add(1)
	return c.home.Open(ref)
}

// listing lists a home, and tells how many files were opened for threads.
func listing(t testing.TB, dir, cache string) (*Listing, *counter, *diag.Tally) {
	t.Helper()
	home, err := discover.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer home.Close()
	c, tally := &counter{home: home}, new(diag.Tally)
	l, err := List(context.Background(), home, Options{Cache: cache, Program: "test", Opener: func(bytes int64) assemble.Opener {
		c.bytes = bytes
		return c
	}}, tally.Add)
	if err != nil {
		t.Fatal(err)
	}
	if l.CacheErr != nil {
		t.Fatal(l.CacheErr)
	}
	return l, c, tally
}

// threadsOf lists a home without a cache, by id.
func threadsOf(t testing.TB, dir string) map[string]*Thread {
	t.Helper()
	l, _, _ := listing(t, dir, "")
	byID := make(map[string]*Thread)
	for _, thread := range l.Threads {
		byID[thread.ID] = thread
	}
	return byID
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// database makes a state database with rows of these ids; those that begin with
// a + are archived.
func database(t testing.TB, dir string, ids ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "state_5.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE threads (id TEXT PRIMARY KEY, title TEXT, archived INTEGER)"); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		archived := id[0] == '+'
		if archived {
			id = id[1:]
		}
		if _, err := db.Exec("INSERT INTO threads VALUES (?, ?, ?)", id, "row of "+id, archived); err != nil {
			t.Fatal(err)
		}
	}
}
