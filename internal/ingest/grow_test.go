package ingest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rollbook/internal/rolltest"
)

// TestGrowing: a home that is imported each time its rollouts have grown by some
// lines holds what it holds when it is imported once.
func TestGrowing(t *testing.T) {
	whole := generated(t, 24)
	fresh := newStore(t)
	run1(t, fresh, Options{}, whole)
	want := dump(t, fresh)

	home := t.TempDir()
	names := rollouts(t, whole)
	db := newStore(t)
	appended := 0
	const steps = 7
	for step := 1; step <= steps; step++ {
		for i, name := range names {
			rel, err := filepath.Rel(whole, name)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			to := filepath.Join(home, rel)
			if strings.HasSuffix(name, ".zst") {
				write(t, to, string(text))
				continue
			}
			cut := len(text) * step / steps
			if (i+step)%3 > 0 && step < steps { // two of three end with a whole line
				cut = bytes.LastIndexByte(text[:cut], '\n') + 1
			}
			if step == 1 {
				write(t, to, string(text[:cut]))
				continue
			}
			old, err := os.Stat(to)
			if err != nil {
				t.Fatal(err)
			}
			if grown := int64(cut) - old.Size(); grown > 0 {
				appendTo(t, to, string(text[old.Size():cut]))
			}
		}
		if step == steps {
			for _, name := range []string{"history.jsonl", "session_index.jsonl"} {
				if text, err := os.ReadFile(filepath.Join(whole, name)); err == nil {
					write(t, filepath.Join(home, name), string(text))
				}
			}
		}
		s := run1(t, db, Options{}, home)
		appended += s.Roots[0].Actions[Append]
	}
	sameDump(t, "grown", dump(t, db), want)
	if appended < len(names) {
		t.Errorf("only %d of %d growing files were gone on with", appended, len(names)*(steps-1))
	}
}

// TestHistoryGrows: lines that are appended to history.jsonl are read, and no
// others; a last line that is not whole is read when it is.
func TestHistoryGrows(t *testing.T) {
	row := func(i int) string {
		return fmt.Sprintf(`{"session_id":"s%d","ts":%d,"text":"prompt %d"}`+"\n", i%7, 1767225600+i, i)
	}
	text := ""
	for i := range 3000 {
		text += row(i)
	}
	home := files(t, map[string]string{"history.jsonl": text})
	db := newStore(t)
	run1(t, db, Options{}, home)
	name := filepath.Join(home, "history.jsonl")
	half := row(3000)
	for _, more := range []string{row(5000), half[:20], half[20:], row(3001) + row(3002)} {
		appendTo(t, name, more)
		read := &counter{}
		s := run1(t, db, Options{Progress: read}, home)
		if s.Roots[0].Actions[Append] != 1 {
			t.Errorf("after %q: %v", more, s.Roots[0].Actions)
		}
		if read.n > 5*edge {
			t.Errorf("after %q: %d bytes were read", more, read.n)
		}
	}
	fresh := newStore(t)
	run1(t, fresh, Options{}, home)
	sameDump(t, "grown", dump(t, db), dump(t, fresh))
}

// A counter counts the bytes that are read of files.
type counter struct{ n int64 }

func (c *counter) SetTotal(int64) {}
func (c *counter) Add(n int64)    { c.n += n }

// TestAppendCost: one more turn costs the same at any size of the rollout.
func TestAppendCost(t *testing.T) {
	var cost []int64
	for _, size := range []int64{1 << 20, 24 << 20} {
		home := t.TempDir()
		r := rolltest.New(rolltest.V171, rolltest.Meta{Seed: 5, Cwd: "/home/ada/shop"})
		for i := 0; r.Size() < size; i++ {
			r.Turn(fmt.Sprintf("step %d", i)).Assistant(strings.Repeat("some words of an answer ", 40)).Shell("go test ./...", strings.Repeat("ok\n", 300), 0).Assistant("done").TurnComplete()
		}
		before := len(r.Data())
		r.Turn("one more").Assistant("yes").TurnComplete()
		name := filepath.Join(home, filepath.FromSlash(r.Path()))
		write(t, name, string(r.Data()[:before]))
		db := newStore(t)
		run1(t, db, Options{}, home)
		appendTo(t, name, string(r.Data()[before:]))
		read := &counter{}
		s := run1(t, db, Options{Progress: read}, home)
		if s.Roots[0].Actions[Append] != 1 {
			t.Fatalf("%d bytes: %v", size, s.Roots[0].Actions)
		}
		cost = append(cost, read.n)
		fresh := newStore(t)
		run1(t, fresh, Options{}, home)
		sameDump(t, "one more turn", dump(t, db), dump(t, fresh))
	}
	if cost[1] > cost[0]+16<<10 {
		t.Errorf("one more turn reads %d bytes at 1 MiB, %d at 24 MiB", cost[0], cost[1])
	}
}

// TestNoticed: another byte near either end is noticed under the old size and
// time, one in the middle where everything is read.
func TestNoticed(t *testing.T) {
	home := t.TempDir()
	r := rolltest.New(rolltest.V140, rolltest.Meta{Seed: 9, Cwd: "/home/ada/shop"})
	for i := range 400 {
		r.Turn(fmt.Sprintf("question %d word", i)).Assistant(strings.Repeat("an answer in a few words ", 30)).TurnComplete()
	}
	name := filepath.Join(home, filepath.FromSlash(r.Path()))
	text := r.Data()
	if len(text) < 4*edge {
		t.Fatalf("only %d bytes", len(text))
	}
	place := func(from int) int {
		i := bytes.Index(text[from:], []byte("word"))
		return from + i
	}
	for _, tt := range []struct {
		name   string
		at     int
		verify bool
		want   Action
	}{
		{"near the start", place(0), false, Replace},
		{"near the end", bytes.LastIndex(text, []byte("word")), false, Replace},
		{"in the middle", place(len(text) / 2), false, Relocate},
		{"in the middle, all read", place(len(text) / 2), true, Replace},
	} {
		t.Run(tt.name, func(t *testing.T) {
			write(t, name, string(text))
			db := newStore(t)
			run1(t, db, Options{}, home)
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			other := bytes.Clone(text)
			other[tt.at] = 'W'
			write(t, name, string(other))
			if err := os.Chtimes(name, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
			s := run1(t, db, Options{Verify: tt.verify}, home)
			if s.Roots[0].Actions[tt.want] != 1 {
				t.Errorf("%v, want %s", s.Roots[0].Actions, tt.want)
			}
			dump(t, db)
		})
	}
}

// TestRewritten: a file that shrinks, or is written anew under its name, replaces
// what the store holds.
func TestRewritten(t *testing.T) {
	home := t.TempDir()
	r := rolltest.New(rolltest.V140, rolltest.Meta{Seed: 9, Cwd: "/home/ada/shop"})
	for i := range 20 {
		r.Turn(fmt.Sprintf("question %d", i)).Assistant("an answer").TurnComplete()
	}
	name := filepath.Join(home, filepath.FromSlash(r.Path()))
	text := r.Data()
	write(t, name, string(text))
	db := newStore(t)
	run1(t, db, Options{}, home)
	lines := bytes.SplitAfter(text, []byte("\n"))
	for _, tt := range []struct {
		what string
		now  []byte
	}{
		{"shorter", bytes.Join(lines[:len(lines)/2], nil)},
		{"migrated", bytes.ReplaceAll(text, []byte(`"type":"event_msg"`), []byte(`"ordinal":7,"type":"event_msg"`))},
		{"whole", text},
	} {
		what := tt.what
		write(t, name, string(tt.now))
		s := run1(t, db, Options{}, home)
		if a := s.Roots[0].Actions; a[Replace]+a[Append] != 1 {
			t.Errorf("%s: %v", what, a)
		}
		fresh := newStore(t)
		run1(t, fresh, Options{}, home)
		sameDump(t, what, dump(t, db), dump(t, fresh))
	}
}
