package assemble

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/fsx"
	"rollbook/internal/fsx/fsxtest"
	"rollbook/internal/rolltest"
	"rollbook/internal/transcript"
)

// changing is a rollout that holds another text each time it is opened; the last
// one stays. nil is a file that is not there.
type changing struct {
	texts []string
	opens int
}

const gone = "\x00"

func (c *changing) Open(discover.Ref) (fsx.File, error) {
	text := c.texts[min(c.opens, len(c.texts)-1)]
	c.opens++
	if text == gone {
		return nil, fs.ErrNotExist
	}
	return memoryFile{bytes.NewReader([]byte(text))}, nil
}

// readOnce reads a thread of a library of one file, with what failed.
func readOnce(o Opener, view transcript.View) (all []transcript.Event, th *transcript.Thread, tally *diag.Tally, err error) {
	tally = new(diag.Tally)
	l := New(o, []discover.Ref{{Path: "rollout.jsonl", ID: lineThread}}, nil, tally.Add)
	th, err = l.Thread(context.Background(), lineThread, view)
	if err != nil {
		return nil, nil, tally, err
	}
	for ev, e := range th.Events {
		if e != nil {
			return all, th, tally, e
		}
		all = append(all, *ev)
	}
	return all, th, tally, nil
}

func text(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

// A rollout is often written while it is read. What is appended between the
// passes is left for the next time; any other change is an error, never a panic
// and never a text that belongs to something else.
func TestFileChangesBetweenPasses(t *testing.T) {
	first := text(meta(""), started("t"), userItem("hi"), userEvent("hi"), answerEvent("a"), completed("t"))
	more := text(started("u"), userItem("more"), userEvent("more"), callLine("c", "x", "{}"), outputLine("c", `"1"`), answerEvent("b"), completed("u"))
	next, _, _ := strings.Cut(more, "\n")
	other := text(meta(""), started("x"), userEvent("other"), started("y"), userEvent("else"), started("z"), userEvent("third"), answerEvent("z"))
	items := text(meta(""), userItem("hi"), answerItem("a"))
	for _, c := range []struct {
		name  string
		texts []string
		want  string // said, before the error if there is one
		err   error
	}{
		{"it grows by a turn", []string{first, first + more}, "u: hi, a: a", nil},
		{"it grows within its last line", []string{first + next[:len(next)/2], first + more}, "u: hi, a: a", nil},
		{"it grows by the end of a line", []string{first + next[:len(next)-1], first + more}, "u: hi, a: a", nil},
		{"it grows by a line feed", []string{first + next, first + more}, "u: hi, a: a", nil},
		{"it shrinks", []string{first + more, first}, "u: hi, a: a", ErrChanged},
		{"it shrinks within a line", []string{first + more, first + more[:40]}, "u: hi, a: a", ErrChanged},
		{"it is emptied", []string{first + more, ""}, "", ErrChanged},
		{"it is removed", []string{first + more, gone}, "", fs.ErrNotExist},
		{"a longer one is put in its place", []string{first, other}, "", ErrChanged},
		{"a shorter one is put in its place", []string{first + more, other}, "", ErrChanged},
		{"one letter is changed", []string{first, strings.Replace(first, `:"a"`, `:"A"`, 1)}, "u: hi", ErrChanged},
		{"events come between the two walks of the survey", []string{items, first + more}, "", ErrChanged},
		{"it is emptied between the two walks of the survey", []string{items, ""}, "", ErrChanged},
		{"it comes after the survey", []string{gone, first}, "", nil},
	} {
		for _, view := range []transcript.View{transcript.Active, transcript.Physical, transcript.Model} {
			all, _, _, err := readOnce(&changing{texts: c.texts}, view)
			if got := strings.Join(said(all), ", "); got != c.want || !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
				t.Errorf("%s, %s view: %q, %v; want %q, %v", c.name, view, got, err, c.want, c.err)
			}
			if c.err == nil {
				checkPairs(t, all)
			}
		}
	}
}

// A file that is not there when the thread is surveyed is a loss, whatever comes
// of it later.
func TestFileComesLate(t *testing.T) {
	_, th, tally, err := readOnce(&changing{texts: []string{gone, text(meta(""), userEvent("hi"))}}, transcript.Active)
	if err != nil || th.Losses != 1 || th.State != transcript.Damaged {
		t.Errorf("losses %d, state %s, %v", th.Losses, th.State, err)
	}
	expect(t, tally, FileUnreadable, 1)
}

// breaking is a rollout that cannot be read beyond a byte, from its n-th opening
// on.
type breaking struct {
	text     string
	from, at int
	opens    int
}

type brokenFile struct {
	memoryFile
	left int
}

func (b *breaking) Open(discover.Ref) (fsx.File, error) {
	b.opens++
	f := memoryFile{bytes.NewReader([]byte(b.text))}
	if b.opens < b.from {
		return f, nil
	}
	return &brokenFile{f, b.at}, nil
}

var errDevice = errors.New("device gone")

func (f *brokenFile) Read(p []byte) (int, error) {
	if f.left <= 0 {
		return 0, errDevice
	}
	n, err := f.memoryFile.Read(p[:min(len(p), f.left)])
	f.left -= n
	return n, err
}

// A thread whose file cannot be read to its end is read as far as it goes and is
// damaged; where it fails in the second pass only, the events end with the error,
// also if the thread had a loss before.
func TestReadFails(t *testing.T) {
	head := text(meta(""), started("t"), userEvent("hi"), answerEvent("a"), completed("t"))
	tail := text(started("u"), userEvent("more"), answerEvent("b"), completed("u"))
	for _, lost := range []string{"", "{broken\n"} {
		all, th, tally, err := readOnce(&breaking{text: head + lost + tail, from: 1, at: len(head) + len(lost) + 9}, transcript.Active)
		if err != nil || th.State != transcript.Damaged || tally.Count(FileUnreadable) != 1 {
			t.Errorf("loss %q: state %s, %v, %v", lost, th.State, tally.Codes(), err)
		}
		equal(t, "as far as it goes", said(all), []string{"u: hi", "a: a"})
		all, _, _, err = readOnce(&breaking{text: head + lost + tail, from: 2, at: len(head) + len(lost) + 9}, transcript.Active)
		if !errors.Is(err, errDevice) {
			t.Errorf("loss %q: %v, want %v", lost, err, errDevice)
		}
		equal(t, "before the error", said(all), []string{"u: hi", "a: a"})
	}
}

// tapped opens rollouts through a file system that fails.
type tapped struct {
	fsys fsx.FS
	dir  string
}

func (f tapped) Open(ref discover.Ref) (fsx.File, error) {
	return f.fsys.Open(filepath.Join(f.dir, filepath.FromSlash(ref.Path)))
}

// Each call that reading a thread of three files makes is failed once: the
// thread is then damaged, or its events end with the error.
func TestEveryReadFails(t *testing.T) {
	dir, _, _, grandchild, _ := three(t)
	home, _ := openDir(t, dir)
	var refs []discover.Ref
	for _, id := range home.IDs() {
		refs = append(refs, home.Refs(id)...)
	}
	for n := 1; ; n++ {
		fsys := fsxtest.NewFailing(fsx.OS, n)
		tally := new(diag.Tally)
		th, err := New(tapped{fsys, dir}, refs, nil, tally.Add).Thread(context.Background(), grandchild.ID, transcript.Active)
		if err != nil {
			t.Fatalf("fault %d: %v", n, err)
		}
		var all []transcript.Event
		var failed error
		for ev, e := range th.Events {
			if failed = e; e == nil {
				all = append(all, *ev)
			}
		}
		call, hit := fsys.Failed()
		if !hit {
			equal(t, "without a fault", said(all), answers("one", "two", "three", "four", "five", "six"))
			break
		}
		if call.Op != fsxtest.Close && failed == nil && th.State != transcript.Damaged {
			t.Errorf("fault %d, %s of %s: state %s, no error, said %q", n, call.Op, call.Name, th.State, said(all))
		}
	}
}

// A parent that is read while it goes on does not change its forks.
func TestParentGrows(t *testing.T) {
	home := rolltest.NewHome(31)
	a := home.New(rolltest.V171, rolltest.Meta{})
	a.Turn("one").Assistant("Answer to one").TurnComplete()
	b := a.Fork(rolltest.All)
	b.Turn("two").Assistant("Answer to two").TurnComplete()
	dir := home.Temp(t)
	l, tally := openDir(t, dir)
	a.Turn("three").Assistant("Answer to three").TurnComplete()
	name := filepath.Join(dir, filepath.FromSlash(a.Path()))
	grow := func() {
		if err := os.WriteFile(name, a.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	th, err := l.Thread(context.Background(), b.ID, transcript.Active)
	if err != nil {
		t.Fatal(err)
	}
	grow()
	var all []transcript.Event
	for ev, err := range th.Events {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, *ev)
	}
	equal(t, "fork", said(all), answers("one", "two"))
	if tally.Total() != 0 || th.State != transcript.Complete {
		t.Errorf("state %s, %v", th.State, tally.Codes())
	}
}

// FuzzChange reads a file that becomes another one while it is read: whatever
// both hold, either the events end with an error, or they are those of the first.
func FuzzChange(f *testing.F) {
	all := seeds()
	for i := range all {
		f.Add(uint8(i), uint8(i), []byte{0, 1, 2, 3, 4, 5}, []byte{0, 1, 2, 3, 4, 5, 6, 7}, uint16(10), uint8(1))
		f.Add(uint8(i), uint8(i+1), []byte{0, 1, 2, 3, 9, 9}, []byte{0, 1, 2, 3}, uint16(0), uint8(2))
	}
	f.Fuzz(func(t *testing.T, a, b uint8, first, second []byte, cut uint16, opens uint8) {
		one, two := pick(all[int(a)%len(all)], first), pick(all[int(b)%len(all)], second)
		one = one[:max(0, len(one)-int(cut))]
		texts := []string{one, two}
		if opens%2 == 1 {
			texts = []string{one, one, two}
		}
		for _, view := range []transcript.View{transcript.Active, transcript.Physical} {
			want, _, _, err := readOnce(&changing{texts: []string{one}}, view)
			if err != nil {
				t.Fatal(err)
			}
			got, _, _, err := readOnce(&changing{texts: texts}, view) // the error may also be the survey's
			if len(got) > len(want) || err == nil && len(got) < len(want) {
				t.Fatalf("%d events, want %d, %v", len(got), len(want), err)
			}
			for i, g := range got {
				if w := want[i]; g.Kind != w.Kind || g.Text != w.Text || g.Output != w.Output || g.CallID != w.CallID || g.Source != w.Source {
					t.Fatalf("event %d is a %s %q, want a %s %q", i+1, g.Kind, g.Text, w.Kind, w.Text)
				}
			}
		}
	})
}

// pick makes a text of lines of another.
func pick(text []byte, order []byte) string {
	lines := bytes.SplitAfter(text, []byte("\n"))
	var out []byte
	for _, i := range order {
		out = append(out, lines[int(i)%len(lines)]...)
	}
	return string(out)
}
