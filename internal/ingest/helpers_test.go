package ingest

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/store"
)

// begun is when the runs of tests begin.
var begun = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

// newStore names a database that is not there yet.
func newStore(t testing.TB) string { return filepath.Join(t.TempDir(), "data", "rollbook.db") }

// run1 imports paths into the database.
func run1(t testing.TB, db string, opt Options, paths ...string) *Summary {
	t.Helper()
	ctx := context.Background()
	w, err := store.OpenWriter(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	opt.Started = begun
	s, err := Run(ctx, w, paths, opt)
	if err != nil {
		t.Fatalf("import %v: %v", paths, err)
	}
	if err := w.IndexOutputs(ctx, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

// dump gives what a store holds, after looking whether it is whole.
func dump(t testing.TB, db string) string {
	t.Helper()
	ctx := context.Background()
	w, err := store.OpenWriter(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	faults, err := w.Check()
	if err != nil || len(faults) > 0 {
		t.Errorf("the store is not whole: %v %v", faults, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return contents(t, db)
}

// contents gives what a store holds, as it lies there.
func contents(t testing.TB, db string) string {
	t.Helper()
	r, err := store.OpenReader(context.Background(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var b strings.Builder
	if err := r.Dump(&b); err != nil {
		t.Fatal(err)
	}
	return anywhere.ReplaceAllString(b.String(), "DIR")
}

// anywhere is where tests put files.
var anywhere = regexp.MustCompile(regexp.QuoteMeta(os.TempDir()) + `/[^/"]+/\d+`)

// sameDump compares two stores, and says where they differ first.
func sameDump(t testing.TB, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	n := 0
	for i := 0; i < len(g) || i < len(w); i++ {
		var a, b string
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			t.Errorf("%s, line %d:\n got %.250s\nwant %.250s", what, i+1, a, b)
			if n++; n == 3 {
				return
			}
		}
	}
}

// files writes files below a new folder; names end in content.
func files(t testing.TB, content map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range content {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return dir
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

func appendTo(t testing.TB, name, text string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// stateDB makes a state database with the folders of threads.
func stateDB(t testing.TB, name string, cwd map[string]string) {
	t.Helper()
	c, err := sqlite.OpenConn(name, sqlite.OpenReadWrite, sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := sqlitex.ExecuteScript(c, "CREATE TABLE threads(id TEXT PRIMARY KEY, cwd TEXT, title TEXT)", nil); err != nil {
		t.Fatal(err)
	}
	for id, dir := range cwd {
		if err := sqlitex.Execute(c, "INSERT INTO threads VALUES(?, ?, '')", &sqlitex.ExecOptions{Args: []any{id, dir}}); err != nil {
			t.Fatal(err)
		}
	}
}

// events gives what the store holds of a thread.
func events(t testing.TB, db, thread string) (list []*store.Event) {
	t.Helper()
	r, err := store.OpenReader(context.Background(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for ev, err := range r.Events(thread) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, ev)
	}
	return list
}

func diagCode(s string) diag.Code { return diag.Code(s) }

// cacheIn keeps what listing a root gave in one file.
func cacheIn(name string) func(*discover.Home) string {
	return func(*discover.Home) string { return name }
}
