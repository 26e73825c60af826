//go:build unix

package discover

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rollbook/internal/confine"
	"rollbook/internal/diag"
	"rollbook/internal/fsx"
	"rollbook/internal/fsx/fsxtest"
	"rollbook/internal/history"

	"github.com/google/go-cmp/cmp"
)

// TestUnusualFiles holds C41: links, FIFOs, sockets and files without
// permission are reported, and their siblings are found.
func TestUnusualFiles(t *testing.T) {
	good := "sessions/2026/" + fileName(idA)
	link, fifo, socket, secret := fileName("link"), fileName("fifo"), fileName("socket"), fileName("secret")
	dir := files{good: rolloutText(idA), "sessions/2026/" + link: "-> " + fileName(idA), "sessions/2027": "-> 2026", "sessions/readme.txt": "-> nowhere",
		"archived_sessions": "-> sessions", "sessions/2026/" + secret: rolloutText(idB), "sessions/closed/" + fileName(idB): rolloutText(idB)}.write(t)
	at := filepath.Join(dir, "sessions", "2026")
	if err := syscall.Mkfifo(filepath.Join(at, fifo), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(at) // the path of a socket must be short
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	refs := []string{good + " " + idA}
	want := []string{"archived_sessions symlink_skipped", "sessions/2027 symlink_skipped",
		"sessions/2026/" + link + " symlink_skipped", "sessions/2026/" + fifo + " non_regular_file", "sessions/2026/" + socket + " non_regular_file"}
	if os.Getuid() == 0 { // root reads what has no permission
		refs = append(refs, "sessions/2026/"+secret+" "+idB, "sessions/closed/"+fileName(idB)+" "+idB)
	} else {
		want = append(want, "sessions/2026/"+secret+" file_unreadable", "sessions/closed directory_unreadable")
	}
	for _, name := range []string{"2026/" + secret, "closed"} {
		if err := os.Chmod(filepath.Join(dir, "sessions", name), 0); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(filepath.Join(dir, "sessions", "closed"), 0o755)
	slices.Sort(want)
	gotRefs, found := see(t, open(t, dir))
	if d := cmp.Diff(refs, gotRefs); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(want, found); d != "" {
		t.Error(d)
	}
}

// TestNonUTF8Path: a name that is not UTF-8 is reported with its folder.
func TestNonUTF8Path(t *testing.T) {
	dir := files{"sessions/" + fileName(idA): rolloutText(idA)}.write(t)
	if err := os.WriteFile(filepath.Join(dir, "sessions", "rollout-\xff.jsonl"), nil, 0o644); err != nil {
		t.Skip(err)
	}
	refs, found := see(t, open(t, dir))
	if len(refs) != 1 || cmp.Diff([]string{"sessions non_utf8_path"}, found) != "" {
		t.Errorf("%v, %v", refs, found)
	}
}

// TestOpenRefused: a root that is no folder and no regular file is not opened.
func TestOpenRefused(t *testing.T) {
	name := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(name, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(name); err == nil || !strings.Contains(err.Error(), "neither a folder nor a regular file") {
		t.Error(err)
	}
}

// counted puts a counter between a Home and its folder.
type counted struct {
	*fsxtest.Counting
	*confine.Root
}

// within is a folder of a tree that is opened by whole names.
type within struct {
	fsx.FS
	dir string
}

func (w within) Open(name string) (fsx.File, error) { return w.FS.Open(path.Join(w.dir, name)) }
func (w within) Close() error                       { return nil }

func (c counted) folder(rel string) (folder, error)     { return within{c.Counting, rel}, nil }
func (c counted) Open(rel string) (fsx.File, error)     { return c.Counting.Open(rel) }
func (c counted) OpenDir(rel string) (fsx.Dir, error)   { return c.Counting.OpenDir(rel) }
func (c counted) Lstat(rel string) (fs.FileInfo, error) { return c.Counting.Lstat(rel) }
func (c counted) Stat(rel string) (fs.FileInfo, error)  { return c.Counting.Stat(rel) }

func count(t testing.TB, dir string) (*Home, *fsxtest.Counting) {
	t.Helper()
	root, err := confine.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	c := fsxtest.NewCounting(root)
	h, err := openTree(counted{c, root})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h, c
}

// TestOpensNothingElse: only rollouts, the state database and the two logs are
// ever opened, whatever else lies in a home.
func TestOpensNothingElse(t *testing.T) {
	a, b := fileName(idA), fileName(idB)
	f := files{"sessions/2026/03/02/" + a: rolloutText(idA), "archived_sessions/" + b: rolloutText(idB), "history.jsonl": "", "session_index.jsonl": "", "state_5.sqlite": "", "state_4.sqlite": ""}
	wanted := []string{"archived_sessions/" + b, "history.jsonl", "session_index.jsonl", "sessions/2026/03/02/" + a, "state_5.sqlite"}
	for _, bait := range []string{"auth.json", "config.toml", "config.json", ".env", ".env.local", "credentials", ".credentials.json", "credentials.jsonl", "version.json", "log/x.jsonl",
		"thread_history_1.sqlite", "queue_1.sqlite", "AGENTS.md", "prompts/x.md", "other.jsonl"} {
		f[bait] = "bait"
		if !strings.Contains(bait, "/") {
			f["sessions/2026/"+bait] = "bait"
		}
	}
	delete(f, "sessions/2026/other.jsonl")
	h, c := count(t, f.write(t))
	if _, err := h.Refs(context.Background(), func(d diag.Diagnostic) { t.Error(d) }); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Titles(context.Background(), func(diag.Diagnostic) {}); err != nil {
		t.Fatal(err)
	}
	for _, err := range h.Prompts(history.Limits{}, func(d diag.Diagnostic) { t.Error(d) }) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(wanted, c.Opened()); d != "" {
		t.Error(d)
	}
}

// TestReads: of a long rollout little is read, and of each the same.
func TestReads(t *testing.T) {
	f := files{}
	var filler []string
	for range 3000 {
		filler = append(filler, `{"timestamp":"2026-03-02T09:00:02Z","type":"event_msg","payload":{"type":"agent_message","message":"`+strings.Repeat("x", 200)+`"}}`)
	}
	for i := range 3 {
		id := fmt.Sprintf("%s%d", idA[:35], i)
		f["sessions/"+fileName(id)] = rolloutText(id, filler...)
	}
	h, c := count(t, f.write(t))
	if refs, found := see(t, h); len(refs) != 3 || found != nil {
		t.Fatal(refs, found)
	}
	for _, name := range c.Opened() {
		if c.Opens(name) != 1 || c.Bytes(name) > headFirst+tailRead {
			t.Errorf("%s: opened %d times, %d bytes read", name, c.Opens(name), c.Bytes(name))
		}
	}
}

// TestBrief: in brief a file costs its head and 4 MiB of its end at most, a
// compressed one its head.
func TestBrief(t *testing.T) {
	const meg = 1 << 20
	line := func(n int) string {
		return `{"timestamp":"2026-03-05T09:00:00Z","type":"event_msg","payload":{"type":"agent_message","message":"` + strings.Repeat("x", n) + `"}}`
	}
	bare := `{"type":"event_msg","payload":{"type":"agent_message","message":"` + strings.Repeat("x", meg-100) + `"}}`
	for name, tt := range map[string]struct {
		lines []string
		last  string // of the last record; "" where that is too far away
	}{
		"short":       {[]string{line(10)}, "2026-03-05T09:00:00Z"},
		"long":        {[]string{line(3 * meg)}, "2026-03-05T09:00:00Z"},
		"too long":    {[]string{line(5 * meg)}, ""},
		"far away":    {append([]string{line(10)}, slices.Repeat([]string{bare}, 12)...), ""},
		"torn":        {[]string{line(10), line(meg)[:meg/2]}, "2026-03-05T09:00:00Z"},
		"a long tail": {append(slices.Repeat([]string{line(300)}, 10*meg/400), line(10)), "2026-03-05T09:00:00Z"},
	} {
		rel := "sessions/" + fileName(idA)
		first, _, _ := strings.Cut(rolloutText(idA), "\n")
		h, c := count(t, files{rel: strings.Join(append([]string{first}, tt.lines...), "\n") + "\n"}.write(t))
		h.Brief = true
		far := false
		refs, err := h.Refs(t.Context(), func(d diag.Diagnostic) { far = far || d.Code == LastTimeUnknown })
		if err != nil || len(refs) != 1 {
			t.Fatal(name, refs, err)
		}
		if got := refs[0].Last.Format(time.RFC3339); far != (tt.last == "") || !far && got != tt.last {
			t.Errorf("%s: last %s, and unknown %v", name, got, far)
		}
		if n := c.Bytes(rel); n > headFirst+tailBrief {
			t.Errorf("%s: %d bytes read", name, n)
		}
	}
}

// TestFaults: whatever call fails, the listing ends with what it could read and
// says what it could not.
func TestFaults(t *testing.T) {
	a, b := "sessions/1/"+fileName(idA), "sessions/2/"+fileName(idB)
	dir := files{a: rolloutText(idA), b: rolloutText(idB)}.write(t)
	root, err := confine.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for n := 1; ; n++ {
		failing := fsxtest.NewFailing(root, n)
		h := &Home{Kind: KindHome, max: defaultBounds, tree: failed{failing, root}}
		refs, found := see(t, h)
		call, hit := failing.Failed()
		if !hit {
			if len(refs) != 2 || found != nil {
				t.Errorf("without a fault: %v, %v", refs, found)
			}
			return
		}
		if len(refs) < 2 && len(found) == 0 {
			t.Errorf("%d, %+v: %v, %v", n, call, refs, found)
		}
		if strings.Contains(call.Name, "/1") && !strings.Contains(strings.Join(refs, "\n"), b) {
			t.Errorf("%d, %+v: %v: a fault in one folder took the other away", n, call, refs)
		}
	}
}

type failed struct {
	*fsxtest.Failing
	*confine.Root
}

func (f failed) folder(rel string) (folder, error)     { return within{f.Failing, rel}, nil }
func (f failed) Open(rel string) (fsx.File, error)     { return f.Failing.Open(rel) }
func (f failed) OpenDir(rel string) (fsx.Dir, error)   { return f.Failing.OpenDir(rel) }
func (f failed) Lstat(rel string) (fs.FileInfo, error) { return f.Failing.Lstat(rel) }
func (f failed) Stat(rel string) (fs.FileInfo, error)  { return f.Failing.Stat(rel) }
