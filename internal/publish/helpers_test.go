package publish

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	gosync "sync"
	"testing"
	"time"

	"rollbook/internal/dsh"
	"rollbook/internal/fsx"
	"rollbook/internal/zstdio"
)

// A thread is what these tests convert: a user's words, one turn each.
type thread struct {
	id, cwd string
	words   []string
	image   bool
	skipped int // images
}

func (th thread) header() dsh.Header {
	return dsh.Header{ID: "session-" + th.id, CreatedAt: 1_767_225_600_000, Cwd: th.cwd, AgentPreset: "standard"}
}

// A conversion is what a thread becomes; tests convert the same few thousands of
// times.
type conversion struct {
	log    string
	digest dsh.Digest
	err    error
}

var conversions gosync.Map // by thread, as text

func (th thread) conversion() conversion {
	name := fmt.Sprintf("%+q", th.words) + fmt.Sprint(th.id, th.cwd, th.image)
	if c, ok := conversions.Load(name); ok {
		return c.(conversion)
	}
	var b strings.Builder
	d, err := th.convert(&b)
	c := conversion{b.String(), d, err}
	conversions.Store(name, c)
	return c
}

func (th thread) write(_ context.Context, w io.Writer) (Converted, error) {
	c := th.conversion()
	if c.err != nil {
		return Converted{}, c.err
	}
	_, err := io.WriteString(w, c.log)
	return Converted{c.digest, th.skipped}, err
}

func (th thread) convert(w io.Writer) (dsh.Digest, error) {
	out, err := dsh.NewWriter(w, th.header())
	if err != nil {
		return dsh.Digest{}, err
	}
	add := func(data dsh.Data) { // the error stays until Close
		out.Append(&dsh.Event{Time: 1_767_225_600_000, Data: data})
	}
	for i, words := range th.words {
		turn := i + 1
		add(dsh.TurnStart{Turn: turn})
		add(dsh.StepStart{Turn: turn, Step: 1})
		if i == 0 {
			add(dsh.SystemHead{Turn: 1, Step: 1, ID: "m-0"})
		}
		content := []dsh.Block{dsh.Text{Text: words}}
		if th.image {
			content = append(content, dsh.Image{ID: "sha256:" + strings.Repeat("0", 64), MediaType: "image/png", Width: 1, Height: 1, Bytes: 68})
		}
		add(dsh.UserMessage{ID: fmt.Sprintf("m-%d", turn), Content: content})
		add(dsh.StepEnd{Turn: turn, Step: 1})
		add(dsh.TurnEnd{Turn: turn, Reason: dsh.Completed})
	}
	return out.Close()
}

func (th thread) candidate(t testing.TB) Candidate {
	t.Helper()
	c, err := th.write(context.Background(), io.Discard)
	must(t, err)
	return Candidate{Key: th.key(), Converted: c, Write: th.write}
}

func (th thread) key() string { return dsh.SessionDir(th.header()) }

// said is the same thread after more was said.
func (th thread) said(words ...string) thread {
	th.words = append(append([]string{}, th.words...), words...)
	return th
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func candidates(t testing.TB, threads ...thread) []Candidate {
	t.Helper()
	var cs []Candidate
	for _, th := range threads {
		cs = append(cs, th.candidate(t))
	}
	return cs
}

// begun is when the first run of a test is; each later one is a minute after.
var begun = time.Date(2026, 3, 2, 9, 0, 0, 123e6, time.UTC)

// newTarget is a sessions root below a folder of the test's own.
func newTarget(t testing.TB) *Target {
	t.Helper()
	return target(t, filepath.Join(t.TempDir(), "dsh", "sessions"))
}

func target(t testing.TB, root string) *Target {
	t.Helper()
	tg, err := NewTarget(root)
	must(t, err)
	now := begun
	tg.now = func() time.Time { now = now.Add(time.Minute); return now }
	tg.wrap = func(fsys fsx.WriteFS) fsx.WriteFS { return lazy{fsys} }
	return tg
}

// A lazy file system does not wait for the disk: what these tests look at, also
// after a process was killed, is what the system has in memory.
type lazy struct{ fsx.WriteFS }

func (lazy) SyncDir(string) error { return nil }

func (l lazy) Create(name string, perm fs.FileMode) (fsx.Output, error) {
	f, err := l.WriteFS.Create(name, perm)
	return lazyOutput{f}, err
}

type lazyOutput struct{ fsx.Output }

func (lazyOutput) Sync() error { return nil }

// sync plans and applies, and holds that the plan is what was done.
func sync(t testing.TB, tg *Target, force bool, threads ...thread) *Result {
	t.Helper()
	p, err := tg.Plan(t.Context(), candidates(t, threads...), force)
	must(t, err)
	res, err := tg.Apply(t.Context(), p)
	must(t, err)
	if got, want := describe(res.Entries), describe(p.Entries); got != want {
		t.Errorf("planned\n%sdone\n%s", want, got)
	}
	return res
}

// describe is a line for each entry.
func describe(entries []Entry) string {
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "%s %s", path.Base(e.Key), e.Outcome)
		if e.Reason != "" {
			fmt.Fprintf(&b, ": %s", e.Reason)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (t *Target) logOf(th thread) string { return filepath.Join(t.root, th.key(), dsh.LogName) }

// bytesOf gives the log that a thread becomes.
func bytesOf(t testing.TB, th thread) string {
	t.Helper()
	c := th.conversion()
	must(t, c.err)
	return c.log
}

func read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	must(t, err)
	return string(text)
}

func write(t testing.TB, name, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o700))
	must(t, os.WriteFile(name, []byte(text), 0o600))
}

// goOn appends a frame with a turn, as the harness does.
func goOn(name string, turn int) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = zstdio.WriteFrame(f, true, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, `{"type":"session/end-seed","seq":%d,"time":1767225700000,"data":{}}`+"\n"+
			`{"type":"turn/start","seq":%d,"time":1767225700000,"data":{"turn":%d}}`+"\n", 1000*turn, 1000*turn+1, turn)
		return err
	})
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// tree gives every name below a folder with its mode, time and content.
func contents(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Lstat(name)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		fmt.Fprintf(&b, "%s %v %d", rel, info.Mode(), info.ModTime().UnixNano())
		switch {
		case info.Mode().IsRegular():
			fmt.Fprintf(&b, " %x", sha256.Sum256([]byte(read(t, name))))
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(name)
			b.WriteString(" -> " + to)
		}
		b.WriteByte('\n')
		return nil
	})
	must(t, err)
	return b.String()
}

// stateOf gives the digests that the state has.
func stateOf(t testing.TB, tg *Target) map[string]string {
	t.Helper()
	var s struct {
		Version  int
		Sessions map[string]stateEntry
		Pending  map[string]string
	}
	must(t, json.Unmarshal([]byte(read(t, filepath.Join(tg.home(), stateName))), &s))
	if s.Version != 1 || len(s.Pending) > 0 {
		t.Errorf("state version %d, pending %v", s.Version, s.Pending)
	}
	digests := make(map[string]string)
	for key, e := range s.Sessions {
		digests[key] = e.BodySha256
	}
	return digests
}

// leftovers gives what is there and should not be: names of what is not whole.
func leftovers(t testing.TB, tg *Target) []string {
	t.Helper()
	var names []string
	must(t, filepath.WalkDir(tg.home(), func(name string, d fs.DirEntry, err error) error {
		if err == nil && temporary(d.Name()) {
			names = append(names, name)
		}
		return err
	}))
	return names
}

// through puts a file system of the test's in front of a lazy one.
func (t *Target) through(wrap func(fsx.WriteFS) fsx.WriteFS) *Target {
	other := *t
	other.wrap = func(fsys fsx.WriteFS) fsx.WriteFS { return wrap(lazy{fsys}) }
	return &other
}

// patient waits for the disk.
func (t *Target) patient() *Target {
	other := *t
	other.wrap = func(fsys fsx.WriteFS) fsx.WriteFS { return fsys }
	return &other
}

var (
	alpha = thread{id: "019b0000-0000-7000-8000-000000000001", cwd: "/srv/demo", words: []string{"What is in this folder?"}}
	beta  = thread{id: "019b0000-0000-7000-8000-000000000002", cwd: "/srv/demo", words: []string{"Another one."}}
	gamma = thread{id: "019b0000-0000-7000-8000-000000000003", words: []string{"Without a folder."}}
)

// Three conversions that go wrong: one says it wrote something else, one ends
// with an error, one writes half.
func lying(says, writes thread) func(context.Context, io.Writer) (Converted, error) {
	return func(ctx context.Context, w io.Writer) (Converted, error) {
		if _, err := writes.write(ctx, w); err != nil {
			return Converted{}, err
		}
		return says.write(ctx, io.Discard)
	}
}

func failing(_ context.Context, w io.Writer) (Converted, error) {
	io.WriteString(w, "half")
	return Converted{}, errors.New("the rollout cannot be read")
}

func torn(th thread) func(context.Context, io.Writer) (Converted, error) {
	return func(ctx context.Context, w io.Writer) (Converted, error) {
		c := th.conversion()
		_, err := io.WriteString(w, c.log[:len(c.log)/2])
		return Converted{c.digest, 0}, err
	}
}
