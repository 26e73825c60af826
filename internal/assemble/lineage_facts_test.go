package assemble

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rollbook/internal/corpustest"
	"rollbook/internal/rolltest"
	"rollbook/internal/transcript"
)

func say(r *rolltest.Rollout, text string) {
	r.Turn(text).Assistant("Answer to " + text).TurnComplete()
}

// F4: the newest segment is the thread, by its id: neither the time of a file
// nor its length tells.
func TestF4NewestSegment(t *testing.T) {
	home := rolltest.NewHome(51)
	a := home.New(rolltest.V171, rolltest.Meta{})
	say(a, "one")
	for range 5 {
		say(a, "gone")
	}
	b := a.Revert(1)
	say(b, "also gone")
	c := b.Revert(1)
	say(c, "two")
	a.ModTime, b.ModTime = c.Now().Add(time.Hour), c.Now().Add(2*time.Hour)
	l, tally := open(t, home)
	th, all := events(t, l, a.ID, transcript.Active)
	equal(t, "said", said(all), answers("one", "two"))
	if len(l.IDs()) != 1 || th.Counts.Files != 3 || !slices.Equal(th.Segments, []string{a.Path(), b.Path(), c.Path()}) || tally.Total() != 0 {
		t.Errorf("%d threads, files %v, segments %v, %v", len(l.IDs()), th.Files, th.Segments, tally.Codes())
	}
	for _, name := range []string{a.ID, b.Segment, c.Segment, a.ID[:30]} {
		if found := l.Find(name); len(found) != 1 || found[0] != a.ID {
			t.Errorf("%s finds %v", name, found)
		}
	}
}

// F5: a revert to before the first turn begins again without a base; one in a
// fork, to before an inherited turn, leads straight into the parent.
func TestF5Reverts(t *testing.T) {
	home := rolltest.NewHome(52)
	a := home.New(rolltest.V171, rolltest.Meta{})
	say(a, "one")
	say(a, "two")
	fork := a.Fork(rolltest.All)
	say(fork, "three")
	back := fork.Revert(1)
	say(back, "instead")
	again := a.Revert(0)
	say(again, "anew")
	l, tally := open(t, home)
	th, all := events(t, l, fork.ID, transcript.Active)
	equal(t, "fork", said(all), answers("one", "instead"))
	if !slices.Equal(th.Segments, []string{a.Path(), back.Path()}) {
		t.Errorf("segments %v", th.Segments)
	}
	th, all = events(t, l, a.ID, transcript.Active)
	equal(t, "begun again", said(all), answers("anew"))
	if !slices.Equal(th.Segments, []string{again.Path()}) || th.State != transcript.Complete || tally.Total() != 0 {
		t.Errorf("segments %v, state %s, %v", th.Segments, th.State, tally.Codes())
	}
	_, all = events(t, l, a.ID, transcript.Physical)
	equal(t, "physical", said(all), answers("one", "two", "anew"))
}

// F6: a copy of a copy, five times over: the file is its first header's, all but
// the last turn is inherited, whether the parents are there or not.
func TestF6Generations(t *testing.T) {
	for _, v := range []rolltest.Version{rolltest.V36, rolltest.V63, rolltest.V101, rolltest.V140} {
		home := rolltest.NewHome(53)
		r := home.New(v, rolltest.Meta{})
		r.Turn("0").Shell("ls", "x\n", 0).Assistant("Answer to 0").TurnComplete()
		want := answers("0")
		for i := range 5 {
			r = r.Fork(rolltest.All)
			r.Wait(5 * time.Second)
			say(r, fmt.Sprint(i+1))
			want = append(want, answers(fmt.Sprint(i+1))...)
		}
		dir := home.Temp(t)
		for _, parents := range []bool{true, false} {
			l, tally := openDir(t, dir)
			th, all := events(t, l, r.ID, transcript.Active)
			equal(t, v.String(), said(all), want)
			for _, ev := range all {
				if own := strings.HasSuffix(ev.Text, "5"); (ev.Kind == transcript.User || ev.Kind == transcript.Assistant) && ev.Inherited == own {
					t.Errorf("%s: %q inherited %v", v, ev.Text, ev.Inherited)
				}
			}
			if n := map[bool]int{true: 6, false: 1}[parents]; len(l.IDs()) != n || th.Counts.Turns != 6 || th.State != transcript.Complete || tally.Total() != 0 {
				t.Errorf("%s: %d threads, %+v, %s, %v", v, len(l.IDs()), th.Counts, th.State, tally.Codes())
			}
			for _, parent := range home.Rollouts()[:5] {
				os.Remove(filepath.Join(dir, filepath.FromSlash(parent.Path())))
			}
		}
	}
}

// F6 where the thread's own header cannot be read: what stands behind the copied
// one is still inherited, and the parent's header tells nothing of the fork.
func TestF6HeaderLost(t *testing.T) {
	for _, v := range []rolltest.Version{rolltest.V36, rolltest.V63, rolltest.V101, rolltest.V140} {
		home := rolltest.NewHome(54)
		a := home.New(v, rolltest.Meta{Originator: "the_parent"})
		say(a, "one")
		b := a.Fork(rolltest.All)
		b.Wait(5 * time.Second)
		say(b, "two")
		dir := home.Temp(t)
		rewrite(t, dir, b.Path(), func(s []byte) []byte { return append([]byte("{broken"), s...) })
		l, _ := openDir(t, dir)
		th, all := events(t, l, b.ID, transcript.Active)
		equal(t, v.String(), said(all), answers("one", "two"))
		users := only(all, transcript.User)
		if !users[0].Inherited || users[1].Inherited || th.Originator != "" || th.State != transcript.Damaged {
			t.Errorf("%s: inherited %v %v, originator %q, state %s", v, users[0].Inherited, users[1].Inherited, th.Originator, th.State)
		}
	}
}

// F8: sub-agents three deep, with their parent's history and without; each shows
// its own, and knows who started it.
func TestF8Agents(t *testing.T) {
	for _, v := range []rolltest.Version{rolltest.V101, rolltest.V140, rolltest.V171} {
		for _, history := range []bool{false, v == rolltest.V171} {
			home := rolltest.NewHome(55)
			spawn := (*rolltest.Rollout).Spawn
			if history {
				spawn = (*rolltest.Rollout).SpawnWithHistory
			}
			all := []*rolltest.Rollout{home.New(v, rolltest.Meta{})}
			all[0].Turn("task 0").Assistant("Asking 0")
			for i := 1; i <= 3; i++ {
				child := spawn(all[i-1], fmt.Sprint("Agent ", i), fmt.Sprint("task ", i))
				all = append(all, child.Assistant(fmt.Sprint("Asking ", i)))
			}
			for i := 3; i > 0; i-- {
				all[i].TurnComplete()
				all[i-1].WaitFor(all[i])
			}
			all[0].TurnComplete()
			l, tally := open(t, home)
			for i, r := range all {
				th, got := events(t, l, r.ID, transcript.Active)
				equal(t, fmt.Sprint(v, " agent ", i), said(got), []string{fmt.Sprint("u: task ", i), fmt.Sprint("a: Asking ", i)})
				parent, depth := "", l.Refs(r.ID)[0].Depth
				if i > 0 {
					parent = all[i-1].ID
				}
				if th.ParentID != parent || depth != i || (th.Source == "subagent:thread_spawn") != (i > 0) {
					t.Errorf("%s agent %d: parent %q, depth %d, source %q", v, i, th.ParentID, depth, th.Source)
				}
			}
			if tally.Total() != 0 {
				t.Errorf("%s: %v", v, tally.Codes())
			}
		}
	}
}

// F8: what agents write to each other is told as far as it can be read; a part
// that is encrypted is named and not shown.
func TestF8AgentMessages(t *testing.T) {
	l, id := lines(t, meta(""), started("t"), userEvent("hi"),
		item(`"type":"agent_message","author":"/root","recipient":"/root/counter","content":[{"type":"input_text","text":"count"},{"type":"encrypted_content","encrypted_content":"U0VDUkVU"}]`), completed("t"))
	_, all := events(t, l, id, transcript.Active)
	notes := only(all, transcript.Notice)
	if len(notes) != 1 || !strings.HasPrefix(notes[0].Text, "/root to /root/counter: count") || !strings.Contains(notes[0].Text, "encrypted") || strings.Contains(notes[0].Text, "U0VD") {
		t.Errorf("notices %+v", notes)
	}
	if s := said(all); len(s) != 1 {
		t.Errorf("said %q", s)
	}
}

// F9: a thread says after codex migrate-rollouts what it said before, in the
// corpus, where Codex itself rewrote the files.
func TestF9Migrated(t *testing.T) {
	for _, version := range []string{"0.156.1", "0.171.0"} {
		dir := filepath.Join(corpustest.Dir(t), version, "migrate")
		before, _ := openDir(t, filepath.Join(dir, "before"))
		after, _ := openDir(t, filepath.Join(dir, "home"))
		if len(before.IDs()) < 3 {
			t.Fatalf("%s: %d threads", version, len(before.IDs()))
		}
		for _, id := range before.IDs() {
			equal(t, version+" "+id, texts(t, after, id), texts(t, before, id))
		}
	}
}

// F9: a base that was rewritten and is now shorter than the byte at which a fork
// cuts it is cut by the ordinal; that the two disagree is said.
func TestF9ShrunkBase(t *testing.T) {
	home := rolltest.NewHome(56)
	a := home.New(rolltest.V171, rolltest.Meta{})
	say(a, "one")
	say(a, "two")
	b := a.Fork(rolltest.All)
	say(b, "three")
	say(a, "later")
	dir := home.Temp(t)
	rewrite(t, dir, a.Path(), func(s []byte) []byte {
		var out []byte
		for line := range bytes.Lines(s) {
			if !bytes.Contains(line, []byte(`"response_item"`)) { // the items are gone, the events stay
				out = append(out, line...)
			}
		}
		return out
	})
	l, tally := openDir(t, dir)
	if size := l.Refs(a.ID)[0].Size; size >= l.Refs(b.ID)[0].Base.EndByte {
		t.Fatalf("the base has %d bytes, its cut is at %d", size, l.Refs(b.ID)[0].Base.EndByte)
	}
	equal(t, "fork", texts(t, l, b.ID), answers("one", "two", "three"))
	expect(t, tally, BaseCut, 1)
	equal(t, "parent", texts(t, l, a.ID), answers("one", "two", "later"))
}
