package rolltest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"rollbook/internal/rollout"
	"rollbook/internal/rolltest"
)

var red = rolltest.Image{Path: "/home/ada/shop-api/red.png", PNG: []byte("\x89PNG\r\n\x1a\n")}

const patch = "*** Begin Patch\n*** Add File: notes.txt\n+one\n+two: café\n*** Update File: old.txt\n@@\n-first\n+FIRST\n last\n*** End Patch"

// everything uses every method that the version knows.
func everything(v rolltest.Version) *rolltest.Home {
	home := rolltest.NewHome(1)
	fill(home, v, rolltest.Meta{})
	fill(home, v, rolltest.Meta{Source: "exec", Git: &rolltest.Git{Commit: "0f", Branch: "main", URL: "https://example.com/r.git"}, Agents: "Use tabs."})
	if v.Paginated() {
		fill(home, v, rolltest.Meta{Source: "vscode", Legacy: true})
	}
	return home
}

func fill(home *rolltest.Home, v rolltest.Version, m rolltest.Meta) {
	r := home.New(v, m)
	r.Turn("hello \"you\"\n\tand <them> \u2028 é😀")
	r.Reasoning("**Thinking**").Assistant("I look.").Shell("ls", "a\nb\n", 0)
	r.Reasoning().Patch(patch).Mcp("files", "read", rolltest.O{"path", "a"}, "text")
	r.Assistant("Done.").TurnComplete()
	r.Wait(time.Minute)
	r.Turn("what is this?", red, rolltest.Image{PNG: red.PNG}).Usage(rolltest.Usage{Input: 500, Cached: 100, Output: 7}).Assistant("Red.").TurnComplete()
	r.TokenCount()
	fillLater(r, v)
	if v >= rolltest.V36 {
		r.Fork(rolltest.All).Turn("in the fork").Assistant("Yes.").TurnComplete()
		r.Fork(1).Turn("in the cut fork").Assistant("Yes.").TurnComplete()
		r.Turn("stop").ShellCall("sleep 100")
		r.Aborted()
	}
}

func fillLater(r *rolltest.Rollout, v rolltest.Version) {
	if v >= rolltest.V63 {
		r.Turn("long work").Shell("make", "ok\n", 0).Compacted("They said hello.").Assistant("On with it.").TurnComplete()
	}
	if v < rolltest.V101 {
		return
	}
	r.Compacted("They said hello twice.")
	r.Inject("user", "put in").Inject("assistant", "put in too")
	r.Turn("plan it").Plan("# Plan\n- do it\n").TurnComplete()
	child := r.Turn("delegate").Spawn("Robin", "count")
	child.Shell("echo 1", "1\n", 0).Assistant("One.").TurnComplete()
	r.WaitFor(child).Assistant("It says one.", "final_answer").TurnComplete()
	r.Review("check it", "git diff", "+x\n", "One bug.", rolltest.Finding{Title: "Wrong", Body: "x is y.", File: "f.txt", Line: 3})
	if v >= rolltest.V152 && !r.Meta.Legacy {
		r.Turn("script it").Script("text(1)", "1\n", func() {
			r.CommandExecution(r.ExecID(), "echo 1", "1\n", 0).FileChange(r.ExecID(), patch)
		}).Assistant("Ran.").TurnComplete()
	}
	if v.Paginated() && !r.Meta.Legacy {
		r.Turn("again").SpawnWithHistory("Wren", "go on").Assistant("Went on.").TurnComplete()
		s := r.Revert(2)
		s.Turn("other way").Assistant("Yes.").TurnComplete()
		s.Revert(0).Turn("from the start").Assistant("Yes.").TurnComplete()
		return
	}
	r.RolledBack(1)
	if v == rolltest.V140 {
		r.MetaAgain("disabled")
	}
	if v >= rolltest.V140 {
		r.Turn("risky").Guardian("They want to delete a branch.", `{"risk":"low"}`)
	}
}

// record is what the tests here need of a line.
type record struct {
	Timestamp string
	Ordinal   *int
	Type      string
	Payload   struct {
		ID          string
		HistoryBase *struct {
			ThreadID  string `json:"thread_id"`
			EndOrd    int    `json:"end_ordinal_exclusive"`
			EndOffset int64  `json:"end_byte_offset"`
		} `json:"history_base"`
	}
}

func records(t *testing.T, text []byte) (recs []record) {
	t.Helper()
	for line := range bytes.Lines(text) {
		var rec record
		if err := json.Unmarshal(line, &rec); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		recs = append(recs, rec)
	}
	return recs
}

// TestLines: what the builder writes are records that the reader takes, in the
// order of time, and numbered without a gap.
func TestLines(t *testing.T) {
	for _, v := range rolltest.Versions {
		for _, r := range everything(v).Rollouts() {
			for line := range bytes.Lines(r.Bytes()) {
				var env rollout.Envelope
				if fault := rollout.Scan(line, &env); fault != rollout.NoFault || !env.Object {
					t.Errorf("%s: %v: %s", v, fault, line)
				}
			}
			recs := records(t, r.Bytes())
			for i, rec := range recs[1:] {
				if rec.Timestamp < recs[i].Timestamp && v > rolltest.V20 {
					t.Errorf("%s: %s line %d: time goes back from %s to %s", v, r.FileName(), i+2, recs[i].Timestamp, rec.Timestamp)
				}
				if rec.Ordinal != nil && *rec.Ordinal != *recs[i].Ordinal+1 {
					t.Errorf("%s: %s line %d: ordinal %d after %d", v, r.FileName(), i+2, *rec.Ordinal, *recs[i].Ordinal)
				}
			}
		}
	}
}

// TestSame: the same seed gives the same files, another seed other ids.
func TestSame(t *testing.T) {
	for _, v := range rolltest.Versions {
		one, two := everything(v).Files(), everything(v).Files()
		if !reflect.DeepEqual(one, two) {
			t.Errorf("%s: two builds differ", v)
		}
		a, b := rolltest.NewHome(1).New(v, rolltest.Meta{}), rolltest.NewHome(2).New(v, rolltest.Meta{})
		if a.ID == b.ID {
			t.Errorf("%s: two seeds gave the id %s", v, a.ID)
		}
	}
}

// TestBase: the place that a history_base names is the end of a line of the base
// file, and the ordinals before it are the ones it tells.
func TestBase(t *testing.T) {
	for _, v := range rolltest.Versions[5:] {
		rollouts := everything(v).Rollouts()
		files := map[string]*rolltest.Rollout{} // by segment id, else thread id
		for _, r := range rollouts {
			if r.Segment != "" {
				files[r.Segment] = r
			} else {
				files[r.ID] = r
			}
		}
		based := 0
		for _, r := range rollouts {
			first := records(t, r.Bytes())[0]
			base := first.Payload.HistoryBase
			if base == nil {
				continue
			}
			based++
			kept := records(t, files[base.ThreadID].Bytes()[:base.EndOffset])
			if last := *kept[len(kept)-1].Ordinal; last+1 != base.EndOrd || *first.Ordinal != base.EndOrd {
				t.Errorf("%s: %s: base ends with ordinal %d, is told to end before %d, and the file starts with %d",
					v, r.FileName(), last, base.EndOrd, *first.Ordinal)
			}
		}
		if based != 6 { // two forks and a revert of each of two threads
			t.Errorf("%s: %d files with a base, want 6", v, based)
		}
	}
}

// TestLegacyFork: a legacy fork is a copy with new times behind its own meta.
func TestLegacyFork(t *testing.T) {
	r := rolltest.New(rolltest.V140, rolltest.Meta{})
	r.Turn("one").Assistant("1").TurnComplete()
	r.Turn("two").Assistant("2").TurnComplete()
	fork := r.Wait(time.Hour).Fork(1)
	was, is := records(t, r.Bytes()), records(t, fork.Bytes())
	if is[0].Payload.ID != fork.ID || is[1].Payload.ID != r.ID || fork.ID == r.ID {
		t.Errorf("ids of the first lines are %s and %s, want %s and %s", is[0].Payload.ID, is[1].Payload.ID, fork.ID, r.ID)
	}
	const stamped = len(`{"timestamp":"2026-03-02T09:00:00.000Z"`)
	var copied [][]byte
	for line := range bytes.Lines(fork.Bytes()) {
		copied = append(copied, line)
	}
	n := 0
	for line := range bytes.Lines(r.Bytes()) {
		if n++; n >= len(copied) {
			break
		}
		if !bytes.Equal(line[stamped:], copied[n][stamped:]) {
			t.Errorf("line %d is not copied", n)
		}
	}
	if is[1].Timestamp < was[len(was)-1].Timestamp || bytes.Contains(fork.Bytes(), []byte(`"two"`)) {
		t.Error("the copy has the old times, or the turn that was cut")
	}
}

// TestContinueAs: a legacy thread that a newer version goes on with holds events
// of both kinds and no ordinals.
func TestContinueAs(t *testing.T) {
	r := rolltest.New(rolltest.V140, rolltest.Meta{})
	r.Turn("old").Assistant("Old.").TurnComplete()
	r.ContinueAs(rolltest.V171, true).Turn("new").Shell("ls", "a\n", 0).Assistant("New.").TurnComplete()
	for _, want := range []string{`"type":"user_message"`, `"type":"UserMessage"`, `"type":"agent_message"`, `"type":"CommandExecution"`} {
		if n := bytes.Count(r.Bytes(), []byte(want)); n != 1 {
			t.Errorf("%d lines with %s, want 1", n, want)
		}
	}
	if bytes.Contains(r.Bytes(), []byte(`"ordinal"`)) {
		t.Error("lines have ordinals")
	}
}

// TestIndexes: prompts of the terminal are in history.jsonl, names in
// session_index.jsonl, both in the order of time.
func TestIndexes(t *testing.T) {
	home := rolltest.NewHome(1)
	late := home.New(rolltest.V171, rolltest.Meta{ID: "late"}).Wait(time.Hour)
	early := home.New(rolltest.V140, rolltest.Meta{ID: "early"})
	silent := home.New(rolltest.V140, rolltest.Meta{ID: "silent", Source: "exec"})
	late.Turn("second").Name("B")
	early.Turn("first").Name("A")
	silent.Turn("not typed")
	got := map[string]string{}
	for _, f := range home.Files() {
		for line := range strings.Lines(string(f.Data)) {
			var l struct{ Text, ThreadName string }
			if err := json.Unmarshal([]byte(strings.ReplaceAll(line, "thread_name", "threadName")), &l); err != nil {
				t.Fatal(err)
			}
			got[f.Path] += l.Text + l.ThreadName + " "
		}
	}
	if got["history.jsonl"] != "first second " || got["session_index.jsonl"] != "A B " {
		t.Errorf("indexes hold %q and %q", got["history.jsonl"], got["session_index.jsonl"])
	}
}

// TestCompressed holds the frame headers against those that Codex writes
// (docs/format/rollout.md, "compression").
func TestCompressed(t *testing.T) {
	for _, v := range rolltest.Versions[4:] {
		r := rolltest.New(v, rolltest.Meta{})
		r.Turn("one").Assistant("1").TurnComplete()
		r.Compressed = true
		var head zstd.Header
		if err := head.Decode(r.Data()); err != nil {
			t.Fatal(err)
		}
		sized := v >= rolltest.V152
		if head.HasCheckSum || head.HasFCS != sized || head.SingleSegment != sized || !sized && head.WindowSize != 2<<20 {
			t.Errorf("%s: frame header %+v", v, head)
		}
		dec, err := zstd.NewReader(bytes.NewReader(r.Data()))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(dec)
		dec.Close()
		if err != nil || !bytes.Equal(text, r.Bytes()) {
			t.Errorf("%s: decompressed text differs: %v", v, err)
		}
		if want := ".jsonl.zst"; !strings.HasSuffix(r.Path(), want) {
			t.Errorf("%s: path %s, want %s at its end", v, r.Path(), want)
		}
	}
}

func TestDamage(t *testing.T) {
	r := rolltest.New(rolltest.V140, rolltest.Meta{})
	whole := len(r.Bytes())
	r.Event(rolltest.O{"type", "context_compacted"}).Broken().Raw("not json")
	lines := bytes.SplitAfter(r.Bytes()[whole:], []byte("\n"))
	if len(lines) != 3 || json.Valid(lines[0]) || string(lines[1]) != "not json\n" || len(lines[2]) != 0 {
		t.Errorf("lines after the damage: %q", lines)
	}
	if r.CutLine(); r.Bytes()[len(r.Bytes())-1] == '\n' {
		t.Error("the cut line has a line feed")
	}
}

// TestWrite: a home is written with the times of its files, and never over
// another.
func TestWrite(t *testing.T) {
	home := everything(rolltest.V140)
	home.Add("notes.txt", []byte("x"))
	dir := home.Temp(t)
	for _, f := range home.Files() {
		info, err := os.Stat(filepath.Join(dir, f.Path))
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() != int64(len(f.Data)) || !f.ModTime.IsZero() && !info.ModTime().Equal(f.ModTime) {
			t.Errorf("%s: %d bytes of %s, want %d of %s", f.Path, info.Size(), info.ModTime(), len(f.Data), f.ModTime)
		}
	}
	if err := home.Write(dir); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second write: error %v, want %v", err, fs.ErrExist)
	}
}

// TestStrings: any text comes back from its JSON form.
func TestStrings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.String().Draw(t, "text")
		var got map[string]string
		if err := json.Unmarshal([]byte(rolltest.O{"k", want, "absent", rolltest.If(false, 1)}.String()), &got); err != nil {
			t.Fatal(err)
		}
		if got["k"] != want || len(got) != 1 {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

func TestMisuse(t *testing.T) {
	tests := []struct {
		name string
		do   func()
	}{
		{"odd object", func() { rolltest.New(rolltest.V140, rolltest.Meta{}).Event(rolltest.O{"type"}) }},
		{"bad UTF-8", func() { rolltest.New(rolltest.V140, rolltest.Meta{}).Turn("\xff") }},
		{"unknown version", func() { rolltest.New(130, rolltest.Meta{}) }},
		{"fork of a bare file", func() { rolltest.New(rolltest.V20, rolltest.Meta{}).Fork(rolltest.All) }},
		{"revert of a legacy thread", func() { rolltest.New(rolltest.V140, rolltest.Meta{}).Revert(0) }},
		{"script before code mode", func() { rolltest.New(rolltest.V140, rolltest.Meta{}).Script("", "", nil) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			test.do()
		})
	}
}
