package assemble

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/fsx"
	"rollbook/internal/rolltest/sample"
	"rollbook/internal/transcript"
)

// A stored is what a store holds of a thread that it read.
type stored struct {
	events     []transcript.Event
	meta       transcript.Meta
	userEvents bool
	gaps       int
	account    FileAccount // of the current file
	mark       *Mark
	resumed    bool
}

// take reads a thread as a store does: from the mark of what it holds, if it can,
// else whole. text is that of the current file.
func (s *stored) take(t testing.TB, l *Library, id string, text []byte) {
	t.Helper()
	from := s.passed(t)
	var given bytes.Buffer
	opt := ReadOptions{From: from, Report: func(diag.Diagnostic) {}, Digest: func(ref *discover.Ref) io.Writer {
		if ref == l.threads[id].current {
			given.Reset()
			return &given
		}
		return nil
	}}
	r, err := l.Read(context.Background(), id, opt)
	if from != nil && errors.Is(err, ErrNotResumable) {
		from, opt.From = nil, nil
		r, err = l.Read(context.Background(), id, opt)
	}
	if err != nil {
		t.Fatal(err)
	}
	if r.Resumed != (from != nil) {
		t.Fatalf("resumed %t", r.Resumed)
	}
	kept, start := s.events[:0], int64(0)
	if r.Resumed {
		start = from.Offset()
		kept = s.events[:from.Events()]
		turns := 0
		for _, ev := range kept {
			if ev.Kind == transcript.TurnStart {
				turns++
			}
		}
		if turns != from.Turns() {
			t.Errorf("%d turns before the mark, it says %d", turns, from.Turns())
		}
	}
	for ev, err := range r.Thread.Events {
		if err != nil {
			t.Fatal(err)
		}
		if r.Resumed && ev.Source.Offset < from.Offset() {
			t.Errorf("event %d is of byte %d, before the mark at %d", ev.Seq, ev.Source.Offset, from.Offset())
		}
		kept = append(kept, plain(ev))
	}
	if !bytes.Equal(given.Bytes(), text[start:]) {
		t.Errorf("the digest was given %d bytes from %d on, of %d", given.Len(), start, len(text))
	}
	*s = stored{kept, r.Thread.Meta, r.UserEvents, r.Gaps, r.Files[len(r.Files)-1], r.Mark(), r.Resumed}
}

// ownTurns counts the turns that were not copied from a parent.
func (s *stored) ownTurns() (n int) {
	for i := range s.events {
		if s.events[i].Kind == transcript.TurnStart && !s.events[i].Inherited {
			n++
		}
	}
	return n
}

// passed is the mark as it comes out of a store.
func (s *stored) passed(t testing.TB) *Mark {
	t.Helper()
	if s.mark == nil {
		return nil
	}
	b, err := s.mark.MarshalBinary()
	if err != nil || len(b) > MaxMark {
		t.Fatalf("mark of %d bytes: %v", len(b), err)
	}
	m := new(Mark)
	if err := m.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(m, s.mark) {
		t.Errorf("mark\n%+v, decoded\n%+v", s.mark, m)
	}
	return m
}

// plain is an event that can be compared and kept.
func plain(ev *transcript.Event) transcript.Event {
	e := *ev
	e.Images = slices.Clone(e.Images)
	for i := range e.Images {
		e.Images[i].Open = nil
	}
	return e
}

// same compares what was read piece by piece with what one reading gives.
func (s *stored) same(t testing.TB, what string, whole *stored) {
	t.Helper()
	for i := range min(len(s.events), len(whole.events)) {
		if !reflect.DeepEqual(s.events[i], whole.events[i]) {
			t.Fatalf("%s: event %d:\n got %+v\nwant %+v", what, i+1, s.events[i], whole.events[i])
		}
	}
	if len(s.events) != len(whole.events) {
		t.Fatalf("%s: %d events, want %d", what, len(s.events), len(whole.events))
	}
	if !reflect.DeepEqual(s.meta, whole.meta) || s.userEvents != whole.userEvents || s.gaps != whole.gaps {
		t.Fatalf("%s: meta\n got %+v\nwant %+v", what, s.meta, whole.meta)
	}
	if !reflect.DeepEqual(s.account, whole.account) {
		t.Fatalf("%s: account\n got %+v\nwant %+v", what, s.account, whole.account)
	}
}

// A growing is a home in which one file grows.
type growing struct {
	dir, name string // folder of the home, and the file relative to it
	text      []byte
	id        string
}

// upTo gives the library of the home when the file had n bytes.
func (g *growing) upTo(t testing.TB, n int) *Library {
	t.Helper()
	if err := os.WriteFile(filepath.Join(g.dir, filepath.FromSlash(g.name)), g.text[:n], 0o600); err != nil {
		t.Fatal(err)
	}
	home, err := discover.Open(g.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { home.Close() })
	refs, err := home.Refs(context.Background(), func(diag.Diagnostic) {})
	if err != nil {
		t.Fatal(err)
	}
	return New(home, refs, nil, nil)
}

// counted counts readings.
type counted struct{ resumed, all int }

func (c *counted) add(resumed bool) {
	c.all++
	if resumed {
		c.resumed++
	}
}

func (c counted) and(o counted) counted { return counted{c.resumed + o.resumed, c.all + o.all} }

func (c counted) String() string { return fmt.Sprintf("%d of %d", c.resumed, c.all) }

// grow reads a file again and again while it grows to each cut, going on where it
// can, and compares each reading with one of the whole file. It gives how many
// of them went on.
func (g *growing) grow(t testing.TB, cuts []int) (c counted) {
	t.Helper()
	var held stored
	for _, cut := range cuts {
		l := g.upTo(t, cut)
		if !slices.Contains(l.IDs(), g.id) {
			continue
		}
		had := held.ownTurns() > 0
		held.take(t, l, g.id, g.text[:cut])
		var whole stored
		whole.take(t, l, g.id, g.text[:cut])
		held.same(t, fmt.Sprintf("%s: at byte %d, resumed %t", g.name, cut, held.resumed), &whole)
		if had {
			c.add(held.resumed)
		}
	}
	return c
}

// jump reads a file up to each cut, and then whole from there.
func (g *growing) jump(t testing.TB, cuts []int) (c counted) {
	t.Helper()
	held := make([]stored, len(cuts))
	for i, cut := range cuts {
		if l := g.upTo(t, cut); slices.Contains(l.IDs(), g.id) {
			held[i].take(t, l, g.id, g.text[:cut])
		}
	}
	l := g.upTo(t, len(g.text))
	var whole stored
	whole.take(t, l, g.id, g.text)
	for i := range held {
		if len(held[i].events) == 0 {
			continue
		}
		held[i].take(t, l, g.id, g.text)
		held[i].same(t, fmt.Sprintf("%s: from byte %d on, resumed %t", g.name, cuts[i], held[i].resumed), &whole)
		c.add(held[i].resumed)
	}
	return c
}

// lineEnds gives the places where lines end, and some within lines; no more than
// most.
func lineEnds(text []byte, most int) (cuts []int) {
	at := 0
	for line := range bytes.Lines(text) {
		if n := len(cuts); n%7 == 3 {
			cuts = append(cuts, at+len(line)/2)
		} else if n%7 == 5 {
			cuts = append(cuts, at+len(line)-1)
		}
		at += len(line)
		cuts = append(cuts, at)
	}
	return thinned(cuts, most)
}

func thinned(cuts []int, most int) (some []int) {
	step := max(1, len(cuts)/most)
	for i := (len(cuts) - 1) % step; i < len(cuts); i += step {
		some = append(some, cuts[i])
	}
	return some
}

// turnEnds gives the places where turns end: where the next one's first record
// is, and the end. Before 0.101 that is the item of the prompt.
func turnEnds(all []transcript.Event, name string, text []byte) (cuts []int) {
	for _, ev := range all {
		if at := int(ev.Source.Offset); ev.Kind == transcript.TurnStart && ev.Source.File == name && at > 0 {
			before := bytes.LastIndexByte(text[:at-1], '\n') + 1
			if ev.Origin == transcript.Synthetic && bytes.Contains(text[before:at], []byte(`"role":"user"`)) {
				at = before
			}
			cuts = append(cuts, at)
		}
	}
	return append(slices.Compact(cuts), len(text))
}

// TestGoingOn reads every current file of the corpus, and of the sample home,
// while it grows, line by line and turn by turn, and compares each reading that
// went on with a whole one.
func TestGoingOn(t *testing.T) {
	var lines, jumps, turns counted
	var mu sync.Mutex
	homes := append(scenarios(t), sample.Home().Temp(t))
	t.Run("homes", func(t *testing.T) {
		for _, home := range homes {
			t.Run(filepath.Base(filepath.Dir(filepath.Dir(home)))+"/"+filepath.Base(filepath.Dir(home)), func(t *testing.T) {
				t.Parallel()
				for _, g := range growingFiles(t, home) {
					l := g.upTo(t, len(g.text))
					_, all := events(t, l, g.id, transcript.Active)
					cuts := lineEnds(g.text, 12)
					byLine, byJump := g.grow(t, cuts), g.jump(t, thinned(cuts, 4))
					byTurn := g.grow(t, turnEnds(all, g.name, g.text))
					mu.Lock()
					lines, jumps, turns = lines.and(byLine), jumps.and(byJump), turns.and(byTurn)
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("went on: %v line by line, %v to the end, %v turn by turn", lines, jumps, turns)
	if turns.resumed*100 < turns.all*90 || turns.all < 400 || lines.resumed*100 < lines.all*80 {
		t.Errorf("went on only %v times line by line, %v times turn by turn", lines, turns)
	}
}

// growingFiles gives the current files of a home that are not compressed, each in
// a copy of it.
func growingFiles(t *testing.T, home string) (all []*growing) {
	t.Helper()
	l := library(t, home, func(diag.Diagnostic) {})
	for _, id := range l.IDs() {
		refs := l.Refs(id)
		current := refs[len(refs)-1]
		if current.Compressed {
			continue
		}
		g := &growing{t.TempDir(), current.Path, newFiles(home).read(t, current.Path), id}
		if err := os.CopyFS(g.dir, os.DirFS(home)); err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	return all
}

// A countingFile counts the bytes that are read of it.
type countingFile struct {
	memoryFile
	read *int64
}

func (f countingFile) Read(p []byte) (int, error) {
	n, err := f.memoryFile.Read(p)
	*f.read += int64(n)
	return n, err
}

func (f countingFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.memoryFile.ReadAt(p, at)
	*f.read += int64(n)
	return n, err
}

// counting is a home of one rollout.
type counting struct {
	text []byte
	read int64
}

func (c *counting) Open(discover.Ref) (fsx.File, error) {
	return countingFile{memoryFile{bytes.NewReader(c.text)}, &c.read}, nil
}

// An append of one turn costs the same whatever the size of the file: what is
// read is that turn and the one before it, in each of the two passes.
func TestGoingOnCost(t *testing.T) {
	turn := func(n int) string {
		id, call := fmt.Sprintf("turn-%08d", n), fmt.Sprintf("call-%08d", n)
		return text(started(id), line("turn_context", `"turn_id":"`+id+`","model":"m","cwd":"/x"`), userItem("ask"), userEvent("ask"),
			callLine(call, "shell", "{}"), outputLine(call, `"`+strings.Repeat("x", 2000)+`"`), shownItem(id, fmt.Sprintf(command, "exec-"+call, "completed", "x", 0)),
			answerEvent("A"), answerItem("A"), completed(id))
	}
	var cost []int64
	for _, size := range []int{1 << 20, 64 << 20} {
		var all bytes.Buffer
		all.WriteString(meta("") + "\n")
		n := 0
		for ; all.Len() < size; n++ {
			all.WriteString(turn(n))
		}
		c := &counting{text: bytes.Clone(all.Bytes())}
		l := New(c, []discover.Ref{{Path: "rollout.jsonl", ID: lineThread}}, nil, nil)
		var held stored
		held.take(t, l, lineThread, c.text)
		c.text, c.read = append(c.text, turn(n)...), 0
		held.take(t, l, lineThread, c.text)
		if !held.resumed || held.meta.Counts.Turns != n+1 || held.account.Bytes != int64(len(c.text)) {
			t.Fatalf("resumed %t, %d turns, %d bytes", held.resumed, held.meta.Counts.Turns, held.account.Bytes)
		}
		cost = append(cost, c.read)
		if want := int64(4*len(turn(n)) + 16); c.read > want {
			t.Errorf("%d MiB: %d bytes were read, want up to %d", size>>20, c.read, want)
		}
	}
	if d := cost[1] - cost[0]; d < -1<<10 || d > 1<<10 {
		t.Errorf("%d bytes at 1 MiB, %d at 64 MiB", cost[0], cost[1])
	}
}
