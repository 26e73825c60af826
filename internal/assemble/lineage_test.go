package assemble

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rollbook/internal/rolltest"
	"rollbook/internal/transcript"
)

// three makes a thread of three generations of forks, reverted twice, with one
// base archived and one compressed.
func three(t *testing.T) (dir string, parent, child, grandchild *rolltest.Rollout, home *rolltest.Home) {
	home = rolltest.NewHome(3)
	say := func(r *rolltest.Rollout, text string) { r.Turn(text).Assistant("Answer to " + text).TurnComplete() }
	parent = home.New(rolltest.V171, rolltest.Meta{})
	say(parent, "one")
	say(parent, "two")
	say(parent, "gone")
	second := parent.Revert(2)
	say(second, "three")
	child = second.Fork(rolltest.All)
	say(child, "four")
	say(child, "gone too")
	childSecond := child.Revert(4)
	say(childSecond, "five")
	grandchild = childSecond.Fork(rolltest.All)
	say(grandchild, "six")
	parent.Archived = true
	second.Compressed = true
	return home.Temp(t), parent, child, grandchild, home
}

func answers(texts ...string) (out []string) {
	for _, s := range texts {
		out = append(out, "u: "+s, "a: Answer to "+s)
	}
	return out
}

// Facts 4, 5, 6, 10, 11: segments, bases, forks, compressed and archived bases;
// cases C51, C52.
func TestThreeGenerations(t *testing.T) {
	dir, parent, child, grandchild, _ := three(t)
	l, tally := openDir(t, dir)
	equal(t, "parent", texts(t, l, parent.ID), answers("one", "two", "three"))
	equal(t, "child", texts(t, l, child.ID), answers("one", "two", "three", "four", "five"))
	equal(t, "grandchild", texts(t, l, grandchild.ID), answers("one", "two", "three", "four", "five", "six"))
	if n := tally.Total(); n != 0 {
		t.Errorf("%d diagnostics in an undamaged home: %v", n, tally.Codes())
	}
	th, all := events(t, l, grandchild.ID, transcript.Active)
	if len(th.Segments) != 5 || th.State != transcript.Complete {
		t.Errorf("segments %v, state %s", th.Segments, th.State)
	}
	for _, ev := range all {
		if own := strings.Contains(ev.Source.File, grandchild.ID); ev.Inherited == own {
			t.Errorf("event %d of %s: inherited %v", ev.Seq, ev.Source.File, ev.Inherited)
		}
	}
	readAll(t, dir)
}

// The physical view holds what a revert took away, and says so.
func TestRevertedTurnsArePhysical(t *testing.T) {
	dir, parent, _, _, _ := three(t)
	l, _ := openDir(t, dir)
	_, all := events(t, l, parent.ID, transcript.Physical)
	for _, ev := range only(all, transcript.User) {
		if gone := ev.Text == "gone"; gone != ev.RolledBack {
			t.Errorf("%q: rolled back %v", ev.Text, ev.RolledBack)
		}
	}
	equal(t, "physical", said(all), answers("one", "two", "gone", "three"))
}

// A base that was deleted is a gap that says so; the rest is read.
func TestDeletedBase(t *testing.T) {
	dir, parent, _, grandchild, _ := three(t)
	if err := os.Remove(filepath.Join(dir, filepath.FromSlash(parent.Path()))); err != nil {
		t.Fatal(err)
	}
	l, tally := openDir(t, dir)
	equal(t, "grandchild", texts(t, l, grandchild.ID), answers("three", "four", "five", "six"))
	expect(t, tally, BaseMissing, 1)
	th, all := events(t, l, grandchild.ID, transcript.Active)
	if all[0].Kind != transcript.Notice || all[0].Status != "gap" || !strings.Contains(all[0].Text, parent.ID) || th.State != transcript.Damaged {
		t.Errorf("state %s, first event %+v", th.State, all[0])
	}
}

// A base whose cut lies behind its end has lost records.
func TestShortenedBase(t *testing.T) {
	dir, parent, _, grandchild, _ := three(t)
	name := filepath.Join(dir, filepath.FromSlash(parent.Path()))
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	cut := strings.LastIndex(string(text), `"two"`)
	if err := os.WriteFile(name, text[:cut], 0o644); err != nil {
		t.Fatal(err)
	}
	l, tally := openDir(t, dir)
	got := texts(t, l, grandchild.ID)
	if len(got) < 8 || got[0] != "u: one" || got[len(got)-1] != "a: Answer to six" {
		t.Errorf("got %q", got)
	}
	if tally.Count(BaseCut) == 0 {
		t.Errorf("no %s: %v", BaseCut, tally.Codes())
	}
	readAll(t, dir)
}

// A cycle of bases ends.
func TestBaseCycle(t *testing.T) {
	home := rolltest.NewHome(4)
	a := home.New(rolltest.V171, rolltest.Meta{})
	a.Turn("one").Assistant("1").TurnComplete()
	b := a.Fork(rolltest.All)
	b.Turn("two").Assistant("2").TurnComplete()
	dir := home.Temp(t)
	name := filepath.Join(dir, filepath.FromSlash(a.Path()))
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	looped := strings.Replace(string(text), `"history_mode":"paginated"`,
		`"history_mode":"paginated","history_base":{"thread_id":"`+b.ID+`","end_ordinal_exclusive":5,"end_byte_offset":9}`, 1)
	if err := os.WriteFile(name, []byte(looped), 0o644); err != nil {
		t.Fatal(err)
	}
	l, tally := openDir(t, dir)
	for _, id := range l.IDs() {
		if got := texts(t, l, id); len(got) == 0 {
			t.Errorf("thread %s is empty", id)
		}
	}
	if tally.Count(BaseCycle) == 0 {
		t.Errorf("no %s: %v", BaseCycle, tally.Codes())
	}
}

// Where ordinal and byte of a cut disagree, the ordinal decides and it is said.
func TestCutDisagrees(t *testing.T) {
	home := rolltest.NewHome(5)
	a := home.New(rolltest.V171, rolltest.Meta{})
	a.Turn("one").Assistant("Answer to one").TurnComplete()
	a.Turn("gone").Assistant("Answer to gone").TurnComplete()
	b := a.Revert(1)
	b.Turn("two").Assistant("Answer to two").TurnComplete()
	dir := home.Temp(t)
	name := filepath.Join(dir, filepath.FromSlash(a.Path()))
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	// The base was rewritten: every byte moved, the ordinals stayed.
	if err := os.WriteFile(name, []byte(strings.Replace(string(text), `"originator":"`, `"originator":"moved_`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	l, tally := openDir(t, dir)
	equal(t, "texts", texts(t, l, a.ID), answers("one", "two"))
	expect(t, tally, BaseCut, 1)
}

// Fact 6, cases C12 to C17: a legacy fork is a copy; its own activity begins
// with its own first turn, and the copied part is marked.
func TestLegacyForks(t *testing.T) {
	for _, v := range []rolltest.Version{rolltest.V36, rolltest.V63, rolltest.V101, rolltest.V140} {
		home := rolltest.NewHome(6)
		a := home.New(v, rolltest.Meta{})
		a.Turn("one").Shell("ls", "x\n", 0).Assistant("Answer to one").TurnComplete()
		a.Turn("two").Assistant("Answer to two").TurnComplete()
		b := a.Fork(rolltest.All)
		b.Wait(5e9).Turn("three").Assistant("Answer to three").TurnComplete()
		c := b.Fork(rolltest.All)
		c.Wait(5e9).Turn("four").Assistant("Answer to four").TurnComplete()
		l, _ := open(t, home)
		if len(l.IDs()) != 3 {
			t.Fatalf("%s: %d threads", v, len(l.IDs()))
		}
		equal(t, v.String(), texts(t, l, c.ID), answers("one", "two", "three", "four"))
		th, all := events(t, l, c.ID, transcript.Active)
		for _, ev := range only(all, transcript.User) {
			if inherited := ev.Text != "four"; ev.Inherited != inherited {
				t.Errorf("%s: %q inherited %v", v, ev.Text, ev.Inherited)
			}
		}
		if th.ForkedFrom != b.ID {
			t.Errorf("%s: forked from %q, want %q", v, th.ForkedFrom, b.ID)
		}
	}
}

// A fork in which nothing was said yet is inherited as a whole.
func TestForkWithoutOwnTurn(t *testing.T) {
	home := rolltest.NewHome(7)
	a := home.New(rolltest.V140, rolltest.Meta{})
	a.Turn("one").Assistant("Answer to one").TurnComplete()
	b := a.Fork(rolltest.All)
	l, _ := open(t, home)
	_, all := events(t, l, b.ID, transcript.Active)
	equal(t, "texts", said(all), answers("one"))
	for _, ev := range all {
		if !ev.Inherited {
			t.Errorf("event %d, a %s, is not inherited", ev.Seq, ev.Kind)
		}
	}
}

// Fact 8, cases C18, C55: what a sub-agent was given of its parent's history is
// not shown as its own.
func TestSubAgentPrefix(t *testing.T) {
	home := rolltest.NewHome(8)
	a := home.New(rolltest.V171, rolltest.Meta{})
	a.Turn("split the work").Assistant("I ask Robin.", "commentary")
	child := a.SpawnWithHistory("Robin", "count to one")
	child.Assistant("Counted.").TurnComplete()
	a.WaitFor(child)
	a.Assistant("Done.").TurnComplete()
	l, _ := open(t, home)
	for _, text := range texts(t, l, child.ID) {
		if strings.Contains(text, "split the work") {
			t.Errorf("the child shows %q", text)
		}
	}
	th, _ := events(t, l, child.ID, transcript.Active)
	if th.ParentID != a.ID || !strings.HasPrefix(th.Source, "subagent:") {
		t.Errorf("parent %q, source %q", th.ParentID, th.Source)
	}
	_, physical := events(t, l, child.ID, transcript.Physical)
	found := false
	for _, ev := range physical {
		found = found || ev.Inherited && ev.Kind != transcript.Context
	}
	if !found {
		t.Error("the physical view has no inherited event")
	}
}

// Case C32, C33: the same file in both roots is one thread, the active copy wins.
func TestActiveCopyWins(t *testing.T) {
	home := rolltest.NewHome(9)
	a := home.New(rolltest.V140, rolltest.Meta{})
	a.Turn("one").Assistant("Answer to one").TurnComplete()
	old := a.Bytes()
	home.Add("archived_sessions/"+filepath.Base(a.Path()), append([]byte(nil), old...))
	a.Turn("two").Assistant("Answer to two").TurnComplete()
	l, _ := open(t, home)
	if len(l.IDs()) != 1 {
		t.Fatalf("%d threads", len(l.IDs()))
	}
	equal(t, "texts", texts(t, l, a.ID), answers("one", "two"))
}
