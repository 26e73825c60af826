package statedb

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rollbook/internal/corpustest"
	"rollbook/internal/diag"
	"rollbook/internal/fsx"

	"github.com/google/go-cmp/cmp"
)

// dirRoot is a folder as a Root; it keeps the names that were opened.
type dirRoot struct {
	dir    string
	opened []string
	wrap   func(rel string, f fsx.File) fsx.File
}

func (d *dirRoot) at(rel string) string                  { return filepath.Join(d.dir, rel) }
func (d *dirRoot) OpenDir(rel string) (fsx.Dir, error)   { return fsx.OS.OpenDir(d.at(rel)) }
func (d *dirRoot) Lstat(rel string) (fs.FileInfo, error) { return fsx.OS.Lstat(d.at(rel)) }
func (d *dirRoot) Path() string                          { return d.dir }
func (d *dirRoot) Open(rel string) (f fsx.File, err error) {
	d.opened = append(d.opened, rel)
	if f, err = fsx.OS.Open(d.at(rel)); err == nil && d.wrap != nil {
		f = d.wrap(rel, f)
	}
	return f, err
}

const (
	schema20 = `CREATE TABLE threads (id TEXT PRIMARY KEY, rollout_path TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
		source TEXT NOT NULL, model_provider TEXT NOT NULL, cwd TEXT NOT NULL, title TEXT NOT NULL, archived INTEGER NOT NULL DEFAULT 0)`
	schema40 = `CREATE TABLE threads (id TEXT PRIMARY KEY, rollout_path TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
		source TEXT NOT NULL, model_provider TEXT NOT NULL, cwd TEXT NOT NULL, title TEXT NOT NULL, archived INTEGER NOT NULL DEFAULT 0,
		cli_version TEXT, first_user_message TEXT NOT NULL DEFAULT '', model TEXT, created_at_ms INTEGER, updated_at_ms INTEGER,
		history_mode TEXT, name TEXT, originator TEXT, preview TEXT, a_later_column BLOB)`
	row = `INSERT INTO threads (id, rollout_path, created_at, updated_at, source, model_provider, cwd, title) VALUES ('%s', '/h/%[1]s.jsonl', 1796064335, 1796064338, 'cli', 'openai', '/w', '%[2]s')`
)

// write makes or changes a database and closes it.
func write(t testing.TB, name string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+name)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// tree gives names, sizes, times and contents of all that lies below dir.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all[path] = fmt.Sprint(info.Mode(), info.Size(), info.ModTime())
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(path)
			all[path] += string(b)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// readDir reads the database of a folder, and checks that neither it nor the
// folder for copies was changed.
func readDir(t *testing.T, root *dirRoot, opt Options) (*State, []string) {
	t.Helper()
	before := tree(t, root.dir)
	opt.Temp = t.TempDir()
	var found []string
	state, err := Read(context.Background(), root, opt, func(d diag.Diagnostic) { found = append(found, d.File+" "+string(d.Code)) })
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, tree(t, root.dir)); d != "" {
		t.Errorf("the home was changed: %s", d)
	}
	if left, _ := os.ReadDir(opt.Temp); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	return state, found
}

func titles(s *State) map[string]string {
	if s == nil {
		return nil
	}
	all := make(map[string]string)
	for id, t := range s.Threads {
		all[id] = t.Title
	}
	return all
}

func TestNumber(t *testing.T) {
	for name, want := range map[string]int{
		"state_5.sqlite": 5, "state_0.sqlite": 0, "state_18446744073709551616.sqlite": -1, "state_05.sqlite": -1, "state_.sqlite": -1,
		"state_5.sqlite-wal": -1, "state_+5.sqlite": -1, "xstate_5.sqlite": -1, "state_5.sqlite.bak": -1, "thread_history_1.sqlite": -1,
	} {
		n, ok := Number(name)
		if ok != (want >= 0) || ok && n != uint64(want) {
			t.Errorf("%s: %d, %v", name, n, ok)
		}
	}
}

func TestNoDatabase(t *testing.T) {
	state, found := readDir(t, &dirRoot{dir: t.TempDir()}, Options{})
	if state != nil || found != nil {
		t.Errorf("%v, %v", state, found)
	}
}

// TestHighestNumber: 10 comes after 9, whatever else has the name and however
// the older one looks.
func TestHighestNumber(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "state_9.sqlite"), schema20, fmt.Sprintf(row, "a", "nine"))
	write(t, filepath.Join(dir, "state_10.sqlite"), schema20, fmt.Sprintf(row, "a", "ten"))
	if err := os.Mkdir(filepath.Join(dir, "state_12.sqlite"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("state_9.sqlite", filepath.Join(dir, "state_11.sqlite")); err != nil {
		t.Skip(err)
	}
	root := &dirRoot{dir: dir}
	state, found := readDir(t, root, Options{})
	if d := cmp.Diff(map[string]string{"a": "ten"}, titles(state)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"state_10.sqlite"}, root.opened); d != "" {
		t.Error(d)
	}
	for _, want := range []string{"state_11.sqlite state_db_refused", "state_12.sqlite state_db_refused"} {
		if !strings.Contains(strings.Join(found, "\n"), want) {
			t.Errorf("%v lacks %s", found, want)
		}
	}
}

func TestColumns(t *testing.T) {
	long := strings.Repeat("é", maxText)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "state_5.sqlite"), schema40, fmt.Sprintf(row, "a", "hello"), fmt.Sprintf(row, "b", long), fmt.Sprintf(row, "c", ""),
		`UPDATE threads SET name = 'Named', cli_version = '0.171.0', model = 'gpt-5.5', history_mode = 'paginated', originator = 'codex-tui',
			created_at_ms = 1796064335259, updated_at_ms = 1796064338593, first_user_message = 'hello', archived = 1 WHERE id = 'a'`,
		`UPDATE threads SET first_user_message = title, name = title || ' ', source = '{"subagent":"review"}' WHERE id = 'b'`,
		`UPDATE threads SET title = x'ff00', created_at = 'never', updated_at = 9e18, name = 3 WHERE id = 'c'`)
	state, found := readDir(t, &dirRoot{dir: dir}, Options{})
	if found != nil {
		t.Error(found)
	}
	at := time.Date(2026, 11, 30, 18, 45, 35, 0, time.UTC)
	want := &State{File: "state_5.sqlite", Threads: map[string]Thread{
		"a": {ID: "a", RolloutPath: "/h/a.jsonl", Title: "hello", Name: "Named", FirstMessage: "hello", TitleIsPrompt: true, Archived: true, Cwd: "/w",
			Created: at.Add(259e6), Updated: at.Add(3593e6), Source: "cli", Provider: "openai", Version: "0.171.0", Model: "gpt-5.5", HistoryMode: "paginated", Originator: "codex-tui"},
		"b": {ID: "b", RolloutPath: "/h/b.jsonl", Title: long[:maxText], Name: long[:maxText], FirstMessage: long[:maxText], TitleIsPrompt: true, Cwd: "/w",
			Created: at, Updated: at.Add(3e9), Source: `{"subagent":"review"}`, Provider: "openai"},
		"c": {ID: "c", RolloutPath: "/h/c.jsonl", Title: "\ufffd", Name: "3", Cwd: "/w", Source: "cli", Provider: "openai"},
	}}
	if d := cmp.Diff(want, state); d != "" {
		t.Error(d)
	}
}

// TestOldSchema: an early version has half the columns.
func TestOldSchema(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "state_1.sqlite"), schema20, fmt.Sprintf(row, "a", "hello"))
	state, found := readDir(t, &dirRoot{dir: dir}, Options{})
	at := time.Date(2026, 11, 30, 18, 45, 35, 0, time.UTC)
	want := &State{File: "state_1.sqlite", Threads: map[string]Thread{
		"a": {ID: "a", RolloutPath: "/h/a.jsonl", Title: "hello", Cwd: "/w", Created: at, Updated: at.Add(3e9), Source: "cli", Provider: "openai"},
	}}
	if d := cmp.Diff(want, state); d != "" || found != nil {
		t.Error(d, found)
	}
}

// walHome makes a folder that holds a database in WAL mode as a running Codex
// leaves it: the first thread is in the database, the second in the log.
func walHome(t *testing.T) string {
	live, dir := t.TempDir(), t.TempDir()
	name := filepath.Join(live, "state_5.sqlite")
	db, err := sql.Open("sqlite", "file:"+name)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, s := range []string{"PRAGMA journal_mode=WAL", schema20, fmt.Sprintf(row, "a", "one"), "PRAGMA wal_checkpoint(TRUNCATE)", fmt.Sprintf(row, "b", "two")} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(name + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "state_5.sqlite"+suffix), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestWAL: what stands in the log is seen; without it, or with an empty one,
// the database alone counts. Nothing appears beside either.
func TestWAL(t *testing.T) {
	dir := walHome(t)
	state, found := readDir(t, &dirRoot{dir: dir}, Options{})
	if d := cmp.Diff(map[string]string{"a": "one", "b": "two"}, titles(state)); d != "" || found != nil {
		t.Error(d, found)
	}
	if err := os.Truncate(filepath.Join(dir, "state_5.sqlite-wal"), 0); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		state, found = readDir(t, &dirRoot{dir: dir}, Options{})
		if d := cmp.Diff(map[string]string{"a": "one"}, titles(state)); d != "" || found != nil {
			t.Error(d, found)
		}
		os.Remove(filepath.Join(dir, "state_5.sqlite-wal"))
	}
}

// TestReadOnlyFolder: a home that cannot be written to is read all the same.
func TestReadOnlyFolder(t *testing.T) {
	dir := walHome(t)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	state, found := readDir(t, &dirRoot{dir: dir}, Options{})
	if d := cmp.Diff(map[string]string{"a": "one", "b": "two"}, titles(state)); d != "" || found != nil {
		t.Error(d, found)
	}
}

// TestHotJournal: a transaction that was torn is taken back, in the copy.
func TestHotJournal(t *testing.T) {
	live, dir := t.TempDir(), t.TempDir()
	name := filepath.Join(live, "state_5.sqlite")
	write(t, name, schema20, fmt.Sprintf(row, "a", "one"))
	db, err := sql.Open("sqlite", "file:"+name+"?_pragma=cache_size(1)&_pragma=cache_spill(1)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, s := range []string{"BEGIN IMMEDIATE", "UPDATE threads SET title = 'torn'",
		"WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO threads SELECT 'x' || i, hex(randomblob(400)), 1, 1, '', '', '', 'torn', 0 FROM n"} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	for _, suffix := range []string{"", "-journal"} {
		b, err := os.ReadFile(name + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) == 0 || suffix == "" && !bytes.Contains(b, []byte("torn")) {
			t.Fatalf("%q is not as wanted: %d bytes", suffix, len(b))
		}
		if err := os.WriteFile(filepath.Join(dir, "state_5.sqlite"+suffix), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	state, found := readDir(t, &dirRoot{dir: dir}, Options{})
	if d := cmp.Diff(map[string]string{"a": "one"}, titles(state)); d != "" || found != nil {
		t.Error(d, found)
	}
}

// TestLocked: another program's exclusive lock is neither waited for nor seen.
func TestLocked(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "state_5.sqlite")
	write(t, name, schema20, fmt.Sprintf(row, "a", "one"))
	db, err := sql.Open("sqlite", "file:"+name)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	state, found := readDir(t, &dirRoot{dir: dir}, Options{})
	if d := cmp.Diff(map[string]string{"a": "one"}, titles(state)); d != "" || found != nil {
		t.Error(d, found)
	}
}

func TestRefused(t *testing.T) {
	tests := []struct {
		name string
		make func(t *testing.T, dir string)
		opt  Options
		want string
	}{
		{"not a database", func(t *testing.T, dir string) { put(t, dir, "state_5.sqlite", strings.Repeat("nonsense ", 1000)) }, Options{}, "state_db_damaged"},
		{"empty", func(t *testing.T, dir string) { put(t, dir, "state_5.sqlite", "") }, Options{}, "state_db_schema"},
		{"another schema", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "state_5.sqlite"), "CREATE TABLE threads (title)")
		}, Options{}, "state_db_schema"},
		{"a view", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "state_5.sqlite"), "CREATE VIEW threads AS SELECT 1 AS id, 'x' AS title")
		}, Options{}, "state_db_schema"},
		{"a virtual table", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "state_5.sqlite"), "CREATE VIRTUAL TABLE threads USING fts5(id, title)", "INSERT INTO threads VALUES ('a', 'b')")
		}, Options{}, "state_db_schema"},
		{"over the limit", func(t *testing.T, dir string) {
			os.Rename(walHome(t), filepath.Join(dir, "x"))
			os.Rename(filepath.Join(dir, "x", "state_5.sqlite"), filepath.Join(dir, "state_5.sqlite"))
			os.Rename(filepath.Join(dir, "x", "state_5.sqlite-wal"), filepath.Join(dir, "state_5.sqlite-wal"))
		}, Options{MaxCopy: 10_000}, "state_db_too_large"},
		{"a log that is a link", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "state_5.sqlite"), schema20)
			if err := os.Symlink("state_5.sqlite", filepath.Join(dir, "state_5.sqlite-wal")); err != nil {
				t.Skip(err)
			}
		}, Options{}, "state_db_refused"},
		{"unreadable", func(t *testing.T, dir string) {
			if os.Getuid() == 0 {
				t.Skip("root reads everything")
			}
			write(t, filepath.Join(dir, "state_5.sqlite"), schema20)
			os.Chmod(filepath.Join(dir, "state_5.sqlite"), 0)
		}, Options{}, "state_db_refused"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			tt.make(t, dir)
			state, found := readDir(t, &dirRoot{dir: dir}, tt.opt)
			if d := cmp.Diff([]string{"state_5.sqlite " + tt.want}, found); d != "" || state != nil {
				t.Error(d, state)
			}
		})
	}
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestCopyInHome: the folder for copies is never below the home.
func TestCopyInHome(t *testing.T) {
	dir := walHome(t)
	var found []string
	state, err := Read(context.Background(), &dirRoot{dir: dir}, Options{Temp: dir}, func(d diag.Diagnostic) { found = append(found, string(d.Code)) })
	if err != nil || state != nil || len(found) != 1 || found[0] != "state_db_refused" {
		t.Errorf("%v, %v, %v", state, err, found)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("left behind: %v", entries)
	}
}

// A restless file has another time each time it is asked, the first n times.
type restless struct {
	fsx.File
	n *int
}

func (r restless) Stat() (fs.FileInfo, error) {
	info, err := r.File.Stat()
	if *r.n > 0 {
		*r.n--
		info = later{info, *r.n}
	}
	return info, err
}

type later struct {
	fs.FileInfo
	n int
}

func (l later) ModTime() time.Time { return l.FileInfo.ModTime().Add(time.Duration(l.n) * time.Second) }

// TestChanging: what was read while Codex wrote is not used.
func TestChanging(t *testing.T) {
	for _, tt := range []struct {
		stats, opened int
		found         []string
	}{{3, 2, nil}, {1000, attempts, []string{"state_5.sqlite state_db_changing"}}} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "state_5.sqlite"), schema20, fmt.Sprintf(row, "a", "one"))
		n := tt.stats
		root := &dirRoot{dir: dir, wrap: func(_ string, f fsx.File) fsx.File { return restless{f, &n} }}
		state, found := readDir(t, root, Options{})
		if d := cmp.Diff(tt.found, found); d != "" || (state == nil) != (found != nil) || len(root.opened) != tt.opened {
			t.Errorf("%s; opened %v", d, root.opened)
		}
	}
}

// A resetLog has other salts when its header is read a second time.
type resetLog struct {
	fsx.File
	heads *int
}

func (r resetLog) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.File.ReadAt(p, off)
	if len(p) == logHeader && off == 0 {
		*r.heads++
		p[20] ^= byte(*r.heads / 2)
	}
	return n, err
}

// TestLogReset: a log that began anew while it was copied is copied again.
func TestLogReset(t *testing.T) {
	heads := 0
	root := &dirRoot{dir: walHome(t), wrap: func(rel string, f fsx.File) fsx.File {
		if strings.HasSuffix(rel, "-wal") && heads < 2 {
			return resetLog{f, &heads}
		}
		return f
	}}
	state, found := readDir(t, root, Options{})
	if d := cmp.Diff(map[string]string{"a": "one", "b": "two"}, titles(state)); d != "" || found != nil {
		t.Error(d, found)
	}
	if len(root.opened) != 4 {
		t.Errorf("opened %v", root.opened)
	}
}

func TestCancel(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "state_5.sqlite"), schema20, fmt.Sprintf(row, "a", "one"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(ctx, &dirRoot{dir: dir}, Options{}, func(d diag.Diagnostic) { t.Error(d) }); err != context.Canceled {
		t.Error(err)
	}
}

// TestCorpus: the databases as they lay on disk, in WAL mode and without a log,
// hold what their vacuumed copies in the home hold; nothing appears beside them.
func TestCorpus(t *testing.T) {
	raw, err := filepath.Glob(filepath.Join(corpustest.Dir(t), "*", "*", "raw_sqlite"))
	if err != nil || len(raw) == 0 {
		t.Fatalf("no databases: %v", err)
	}
	for _, dir := range raw {
		got, found := readDir(t, &dirRoot{dir: dir}, Options{})
		want, also := readDir(t, &dirRoot{dir: filepath.Join(filepath.Dir(dir), "home")}, Options{})
		if d := cmp.Diff(want, got); d != "" || len(got.Threads) == 0 || found != nil || also != nil {
			t.Errorf("%s: %s %v %v", dir, d, found, also)
		}
		header, err := os.ReadFile(filepath.Join(dir, got.File))
		if err != nil || header[18] != 2 {
			t.Errorf("%s is not in WAL mode", dir)
		}
	}
}
