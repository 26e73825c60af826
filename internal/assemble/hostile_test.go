package assemble

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rollbook/internal/discover"
	"rollbook/internal/rolltest"
	"rollbook/internal/transcript"
)

// rewrite changes a file of a home.
func rewrite(t *testing.T, dir, name string, change func([]byte) []byte) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	old, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, change(bytes.Clone(old)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// based gives a paginated rollout a base.
func based(on string, ordinal, offset int) func([]byte) []byte {
	return func(text []byte) []byte {
		return bytes.Replace(text, []byte(`"history_mode":"paginated"`), fmt.Appendf(nil,
			`"history_mode":"paginated","history_base":{"thread_id":"%s","end_ordinal_exclusive":%d,"end_byte_offset":%d}`, on, ordinal, offset), 1)
	}
}

// Bases that lead in a circle, of one file, two or three, end with a gap; what
// stands in the files is read once.
func TestBaseCircles(t *testing.T) {
	for size := 1; size <= 3; size++ {
		home := rolltest.NewHome(41)
		var all []*rolltest.Rollout
		for i := range size {
			r := home.New(rolltest.V171, rolltest.Meta{})
			r.Turn(fmt.Sprint("of ", i)).Assistant(fmt.Sprint("Answer to of ", i)).TurnComplete()
			all = append(all, r)
		}
		dir := home.Temp(t)
		for i, r := range all {
			rewrite(t, dir, r.Path(), based(all[(i+1)%size].ID, 1_000, 1_000_000))
		}
		l, tally := openDir(t, dir)
		for i, r := range all {
			var want []string // the chain of i is i+1, i+2 …, the farthest first
			for k := size - 1; k >= 0; k-- {
				want = append(want, answers(fmt.Sprint("of ", (i+k)%size))...)
			}
			equal(t, fmt.Sprintf("circle of %d, thread %d", size, i), texts(t, l, r.ID), want)
		}
		expect(t, tally, BaseCycle, size)
	}
}

// A chain of thousands of segments is read in order; one that is longer than is
// followed ends with a gap.
func TestLongChains(t *testing.T) {
	for _, n := range []int{3_000, maxChain + 10} {
		refs := make([]discover.Ref, n)
		for i := range refs {
			refs[i] = discover.Ref{Path: fmt.Sprint("rollout-", i), ID: fmt.Sprint("t", i)}
			if i > 0 {
				refs[i].Base = &discover.Base{ThreadID: refs[i-1].ID, EndOrdinal: -1, EndByte: -1}
			}
		}
		l := New(memory(nil), refs, nil, nil)
		spans := l.chain(l.threads[refs[n-1].ID])
		if want := min(n, maxChain); len(spans) != want || spans[len(spans)-1].ref.ID != refs[n-1].ID || spans[0].ref.ID != refs[n-want].ID {
			t.Errorf("chain of %d: %d spans from %s to %s", n, len(spans), spans[0].ref.ID, spans[len(spans)-1].ref.ID)
		}
		if cut := spans[0].gap != ""; cut != (n > maxChain) {
			t.Errorf("chain of %d: gap %q", n, spans[0].gap)
		}
	}
}

// Hundreds of reverts, each with a turn of its own, are one thread.
func TestManySegments(t *testing.T) {
	home := rolltest.NewHome(42)
	r := home.New(rolltest.V171, rolltest.Meta{})
	r.Turn("0").Assistant("Answer to 0").TurnComplete()
	want := answers("0")
	for i := 1; i < 200; i++ {
		r.Turn("gone").Assistant("Answer to gone").TurnComplete()
		r = r.Revert(i)
		r.Turn(fmt.Sprint(i)).Assistant(fmt.Sprint("Answer to ", i)).TurnComplete()
		want = append(want, answers(fmt.Sprint(i))...)
	}
	l, tally := open(t, home)
	equal(t, "said", texts(t, l, r.ID), want)
	th, all := events(t, l, r.ID, transcript.Physical)
	if n := len(only(all, transcript.User)); n != 399 || th.Counts.Files != 200 || tally.Total() != 0 {
		t.Errorf("%d prompts, %d files, %v", n, th.Counts.Files, tally.Codes())
	}
}

// What is damaged behind the cut of a base is no matter of the fork; what is
// damaged before it is a loss with its place.
func TestDamagedBase(t *testing.T) {
	home := rolltest.NewHome(43)
	a := home.New(rolltest.V171, rolltest.Meta{})
	a.Turn("one").Assistant("Answer to one").TurnComplete()
	a.Turn("two").Assistant("Answer to two").TurnComplete()
	b := a.Fork(rolltest.All)
	cut := int(a.Size())
	b.Turn("three").Assistant("Answer to three").TurnComplete()
	a.Turn("later").Assistant("Answer to later").TurnComplete()
	for _, c := range []struct {
		name   string
		change func([]byte) []byte
		losses int
		said   []string
	}{
		{"the first line behind the cut is torn", func(s []byte) []byte { return append(s[:cut+40], s[cut+bytes.IndexByte(s[cut:], '\n'):]...) }, 0, answers("one", "two", "three")},
		{"a blank line stands there", func(s []byte) []byte { return bytes.Join([][]byte{s[:cut], s[cut:]}, []byte(" \n")) }, 0, answers("one", "two", "three")},
		{"a line without an ordinal stands there", func(s []byte) []byte {
			return bytes.Join([][]byte{s[:cut], s[cut:]}, []byte(userEvent("not yours")+"\n"))
		}, 0, answers("one", "two", "three")},
		{"a line with the last ordinal once more stands there", func(s []byte) []byte {
			again := s[bytes.LastIndexByte(s[:cut-1], '\n')+1 : cut]
			return bytes.Join([][]byte{s[:cut], s[cut:]}, again)
		}, 0, answers("one", "two", "three")},
		{"the cut is the end of the file", func(s []byte) []byte { return s[:cut] }, 0, answers("one", "two", "three")},
		{"all behind the cut is torn off within a line", func(s []byte) []byte { return s[:cut+9] }, 0, answers("one", "two", "three")},
		{"an answer is torn", func(s []byte) []byte {
			return bytes.Replace(s, []byte(`"text":"Answer to two"}`), []byte(`"text":"Answer to two`), 1)
		}, 1,
			append(answers("one"), "u: two", "u: three", "a: Answer to three")},
	} {
		dir := home.Temp(t)
		rewrite(t, dir, a.Path(), c.change)
		l, tally := openDir(t, dir)
		th, all := events(t, l, b.ID, transcript.Active)
		if got := said(all); c.losses == 0 {
			equal(t, c.name, got, c.said)
		} else if len(got) == 0 || got[0] != "u: one" || got[len(got)-1] != "a: Answer to three" {
			t.Errorf("%s: %q", c.name, got)
		}
		if damaged := th.State == transcript.Damaged; damaged != (c.losses > 0) || (th.Losses > 0) != damaged || (tally.Total() > 0) != damaged {
			t.Errorf("%s: state %s, %d losses, %v", c.name, th.State, th.Losses, tally.Codes())
		}
	}
}

// Two threads that claim one segment: which of them counts does not change from
// run to run.
func TestSameSegmentTwice(t *testing.T) {
	refs := []discover.Ref{
		{Path: "a", ID: "A", Name: discover.Name{SegmentID: "S"}}, {Path: "b", ID: "B", Name: discover.Name{SegmentID: "S"}},
		{Path: "c", ID: "C", Base: &discover.Base{ThreadID: "S", EndOrdinal: -1, EndByte: -1}},
	}
	for range 20 {
		if got := New(memory(nil), refs, nil, nil).Sources("C"); fmt.Sprint(got) != "[c b]" {
			t.Fatalf("sources %v", got)
		}
	}
	// Two files of one thread and segment: the one that goes on longer counts.
	home := rolltest.NewHome(44)
	a := home.New(rolltest.V171, rolltest.Meta{})
	a.Turn("one").Assistant("Answer to one").TurnComplete()
	b := a.Revert(1)
	b.Turn("two").Assistant("Answer to two").TurnComplete()
	old := bytes.Clone(b.Bytes())
	b.Turn("three").Assistant("Answer to three").TurnComplete()
	home.Add("sessions/copy/rollout-2001-01-01T00-00-00-"+b.ID+"_"+b.Segment+".jsonl", old)
	l, tally := open(t, home)
	equal(t, "said", texts(t, l, a.ID), answers("one", "two", "three"))
	expect(t, tally, DuplicateThread, 1)
}

// Case C53, F5: whatever an ordinal says of a thread's own lines, none is left
// out.
func TestOddOrdinals(t *testing.T) {
	numbered := func(ordinal, line string) string {
		return strings.Replace(line, `"type"`, `"ordinal":`+ordinal+`,"type"`, 1)
	}
	all := []string{numbered("0", meta(`,"history_mode":"paginated"`)), numbered("1", started("t"))}
	var want []string
	for i, o := range []string{"1", "9813", "9813", "2", "-7", "99999999999999999999", "9223372036854775807", "1e3", "1.5", `"3"`, "null", "[1]", "0"} {
		all = append(all, numbered(o, shownItem("t", fmt.Sprintf(`"type":"AgentMessage","id":"m%d","content":[{"type":"Text","text":"%d"}]`, i, i))))
		want = append(want, fmt.Sprint("a: ", i))
	}
	l, id := lines(t, all...)
	equal(t, "said", texts(t, l, id), want)
}

// F7: a rollback that says no number hides nothing, one of more turns than there
// are hides them all.
func TestOddRollbacks(t *testing.T) {
	for number, kept := range map[string]bool{
		`,"num_turns":-1`: true, `,"num_turns":0`: true, `,"num_turns":"1"`: true, `,"num_turns":null`: true, `,"num_turns":[]`: true, `,"num_turns":1.5`: true,
		`,"num_turns":99999999999999999999`: true, ``: true, `,"num_turns":1`: false, `,"num_turns":9223372036854775807`: false,
	} {
		l, id := lines(t, meta(""), started("a"), userEvent("one"), answerEvent("A1"), completed("a"), event(`"type":"thread_rolled_back"`+number),
			started("b"), userEvent("two"), answerEvent("A2"), completed("b"))
		want := []string{"u: two", "a: A2"}
		if kept {
			want = append([]string{"u: one", "a: A1"}, want...)
		}
		equal(t, number, texts(t, l, id), want)
	}
}

// A rollback takes a compaction with it: the model view then begins at the one
// before.
func TestRolledBackCompaction(t *testing.T) {
	summary := func(s string) string { return line("compacted", `"message":"`+s+`"`) }
	l, id := lines(t, meta(""), started("a"), userEvent("one"), answerEvent("A1"), completed("a"), started("b"), summary("first"), completed("b"),
		started("c"), userEvent("two"), answerEvent("A2"), completed("c"),
		started("d"), userEvent("three"), summary("second"), answerEvent("A3"), completed("d"), event(`"type":"thread_rolled_back","num_turns":1`))
	_, all := events(t, l, id, transcript.Model)
	equal(t, "said", said(all), []string{"u: two", "a: A2"})
	if c := only(all, transcript.Compaction); len(c) != 1 || c[0].Text != "first" {
		t.Errorf("compactions %+v", c)
	}
}

// A header of another thread behind the thread's own turns (files that were put
// together) makes no copied prefix of what stands before it.
func TestForeignHeaderLate(t *testing.T) {
	const turn = "019cb001-0000-7000-8000-000000000001"
	other := strings.ReplaceAll(meta(""), lineThread, "019cb000-0000-7000-8000-0000000000ff")
	for _, source := range []string{`"source":"cli"`, `"source":{"subagent":{"thread_spawn":{"parent_thread_id":"p","depth":1}}}`} {
		l, id := lines(t, strings.Replace(meta(""), `"source":"cli"`, source, 1), started(turn), userEvent("mine"), answerEvent("a"), completed(turn), other, userEvent("later"), answerEvent("b"))
		_, all := events(t, l, id, transcript.Active)
		equal(t, source, said(all), []string{"u: mine", "a: a", "u: later", "a: b"})
		if all[0].Inherited {
			t.Errorf("%s: the first turn is inherited", source)
		}
	}
	// Without turn ids the time tells: a copy is one burst of lines.
	l, id := lines(t, meta(""), userEvent("mine"), answerEvent("a"), strings.Replace(other, "T09:00:00", "T10:00:00", 1), userEvent("later"), answerEvent("b"))
	_, all := events(t, l, id, transcript.Active)
	if said(all)[0] != "u: mine" || all[0].Inherited {
		t.Errorf("said %q, inherited %v", said(all), all[0].Inherited)
	}
}

// A thread's header may stand ten thousand times in its file.
func TestManyHeaders(t *testing.T) {
	all := []string{meta("")}
	for i := range 10_000 {
		all = append(all, meta(fmt.Sprintf(`,"memory_mode":"m%d"`, i)))
	}
	l, id := lines(t, append(all, userEvent("hi"), answerEvent("a"))...)
	equal(t, "said", texts(t, l, id), []string{"u: hi", "a: a"})
}

// Ids that name no thread, or that are meant to do harm, are ids like others:
// nothing is opened by them, and no two threads run together.
func TestOddIDs(t *testing.T) {
	home := rolltest.NewHome(45)
	ids := []string{"", "..", "../../../etc/passwd", strings.Repeat("x", 1_000_000), "a\u001b[31m\u0000\n/b\u202e", "x"}
	for i, id := range ids {
		own := strings.Trim(rolltest.O{"id", id}.String(), "{}")
		m := strings.Replace(meta(""), `"id":"`+lineThread+`"`, own, 1)
		home.Add(fmt.Sprintf("sessions/rollout-%d.jsonl", i), []byte(text(m, userEvent(fmt.Sprint("from ", i)))))
	}
	home.Add("sessions/rollout-.jsonl", []byte(text(strings.Replace(meta(""), lineThread, "", 1), userEvent("from nowhere"))))
	l, _ := open(t, home)
	if len(l.IDs()) != len(ids)+1 {
		t.Errorf("%d threads of %d files", len(l.IDs()), len(ids)+1)
	}
	for _, id := range l.IDs() {
		if id == "" || len(id) > 300 || len(texts(t, l, id)) != 1 || len(l.Find(id)) != 1 {
			t.Errorf("thread %.80q: %q, found %d times", id, texts(t, l, id), len(l.Find(id)))
		}
	}
}

// Times that are missing, go back, or cannot be written as RFC 3339 lose neither
// text nor order.
func TestOddTimes(t *testing.T) {
	for stamp, year := range map[string]int{
		`"9999-12-31T23:59:59.999Z"`: 9999, `"9999-12-31T23:59:59-05:00"`: 1, `"0000-01-01T00:00:00+05:00"`: 1, `"1970-01-01T00:00:00Z"`: 1970,
		`"2026-02-30T09:00:00.000Z"`: 1, `"noon"`: 1, `12`: 1, `null`: 1, `""`: 1,
	} {
		l, id := lines(t, meta(""), strings.Replace(userEvent("hi"), `"2026-03-02T09:00:05.000Z"`, stamp, 1), answerEvent("a"))
		th, all := events(t, l, id, transcript.Active)
		equal(t, stamp, said(all), []string{"u: hi", "a: a"})
		if got := only(all, transcript.User)[0].Time.Year(); got != year { // the zero time is of year 1
			t.Errorf("%s: year %d, want %d", stamp, got, year)
		}
		if th.Created.Year() != 2026 || th.Updated.Year() < 2026 || th.Updated.Year() > 9999 {
			t.Errorf("%s: from %v to %v", stamp, th.Created, th.Updated)
		}
	}
}
