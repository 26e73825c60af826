package listing

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rollbook/internal/rolltest"
	"rollbook/internal/transcript"
)

// TestThread: what is told of a thread of two segments, with a sub-agent and a
// fork.
func TestThread(t *testing.T) {
	home := rolltest.NewHome(11)
	r := home.New(rolltest.V171, rolltest.Meta{Cwd: "/home/ada/shop"})
	r.Turn("one").Shell("ls", "a\n", 0).Assistant("done").TurnComplete()
	child := r.Turn("split").Spawn("Robin", "measure it")
	child.Assistant("3 ms").TurnComplete()
	r.WaitFor(child).Assistant("It takes 3 ms.").TurnComplete()
	fork := r.Wait(time.Hour).Fork(rolltest.All)
	fork.Turn("else").Assistant("so").TurnComplete()
	segment := r.Wait(time.Hour).Revert(1)
	segment.Turn("two")
	byID := threadsOf(t, home.Temp(t))
	thread := byID[r.ID]
	if len(byID) != 3 || thread == nil {
		t.Fatalf("%d threads", len(byID))
	}
	if len(thread.Parts) != 2 || !thread.Parts[0].Superseded || thread.Parts[1].Superseded ||
		thread.Parts[1].Segment != segment.Segment || thread.Parts[0].Path != r.Path() || thread.Parts[0].Bytes != r.Size() {
		t.Errorf("files %+v", thread.Parts)
	}
	if want := (transcript.Counts{Turns: 2, UserMessages: 2, AssistantMessages: 1, ToolCalls: 1, Files: 2, Bytes: r.Size() + segment.Size()}); thread.Counts != want {
		t.Errorf("counts %+v, want %+v", thread.Counts, want)
	}
	if thread.State != transcript.Open || thread.Kind != Main || thread.Title != "one" || thread.TitleSource != "prompt" || thread.Project != "/home/ada/shop" {
		t.Errorf("%+v", thread.Meta)
	}
	if !slices.Equal(thread.Children, []string{child.ID}) || !slices.Equal(thread.Forks, []string{fork.ID}) {
		t.Errorf("children %q, forks %q", thread.Children, thread.Forks)
	}
	if c := byID[child.ID]; c.Kind != SubAgent || c.ParentID != r.ID || c.Agent.Nickname != "Robin" || c.Agent.Depth != 1 {
		t.Errorf("%+v, agent %+v", c.Meta, c.Agent)
	}
	if f := byID[fork.ID]; f.ForkedFrom != r.ID || f.Counts.Turns != 3 || f.State != transcript.Complete {
		t.Errorf("%+v", f.Meta)
	}
}

// TestEmpty: nobody speaks in a thread of a header alone; in a damaged one
// somebody may have.
func TestEmpty(t *testing.T) {
	home := rolltest.NewHome(12)
	empty := home.New(rolltest.V140, rolltest.Meta{})
	damaged := home.New(rolltest.V140, rolltest.Meta{}).Raw(`{"timestamp":`)
	undone := home.New(rolltest.V140, rolltest.Meta{}).Turn("x").Assistant("y").TurnComplete().RolledBack(1)
	byID := threadsOf(t, home.Temp(t))
	for _, tt := range []struct {
		r     *rolltest.Rollout
		empty bool
	}{{empty, true}, {damaged, false}, {undone, true}} {
		if got := byID[tt.r.ID].Empty(); got != tt.empty {
			t.Errorf("%s is empty: %v", tt.r.Path(), got)
		}
	}
}

// thread makes a thread of its id and what it comes from: "c<a" was started by
// a, "c~b" was forked from b, "c@a" belongs to the session of a. Each is begun a
// minute after the one before.
func thread(spec string, minute int) *Thread {
	e := &entry{}
	m := &e.summary.Meta
	t := &Thread{Meta: m, Kind: Main}
	m.ID = spec[:1]
	for i := 1; i < len(spec); i += 2 {
		id := spec[i+1 : i+2]
		switch spec[i] {
		case '<':
			m.ParentID, t.Kind = id, SubAgent
		case '~':
			m.ForkedFrom = id
		case '@':
			m.SessionID, t.Kind = id, SubAgent
		}
	}
	m.Created = time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC)
	m.Updated = m.Created
	m.Counts.UserMessages = 1
	return t
}

func listingOf(specs string) *Listing {
	l := &Listing{}
	for i, spec := range strings.Fields(specs) {
		l.Threads = append(l.Threads, thread(spec, i))
	}
	slices.SortFunc(l.Threads, func(a, b *Thread) int { return b.Updated.Compare(a.Updated) })
	return l
}

func TestFamilies(t *testing.T) {
	for _, tt := range []struct{ name, threads, want string }{
		{"none", "", ""},
		{"newest first", "a b c", "c b a"},
		{"children oldest first", "a b<a c<a d<b", "a .b ..d .c"},
		{"a family is as new as its newest", "a b c<a", "a .c b"},
		{"forks and sub-agents", "a b~a c<b d~b", "a .b ..c ..d"},
		{"started before forked from", "a b c<a~b", "a .c b"},
		{"forked where the parent is not here", "a b c<x~b", "b .c a"},
		{"parent not here", "a b<x c~y", "c b a"},
		{"only the session is told", "a b@a", "a .b"},
		{"its own session", "a@a", "a"},
		{"its own parent", "a<a", "a"},
		{"parents of each other", "a<b b<a", "a .b"},
		{"a ring of three", "a<c b<a c<b", "a .b ..c"},
	} {
		var got []string
		for _, n := range listingOf(tt.threads).Families(Filter{}) {
			got = append(got, strings.Repeat(".", n.Depth())+n.ID)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestFamilyLines: Last says of each level whether its line goes on.
func TestFamilyLines(t *testing.T) {
	var got []string
	for _, n := range listingOf("a b<a c<b d<b e<a").Families(Filter{}) {
		line := n.ID
		for _, last := range n.Last {
			line += map[bool]string{true: "-", false: "+"}[last]
		}
		got = append(got, line)
	}
	if want := []string{"a", "b+", "c++", "d+-", "e-"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestFamilyWanted: one that passes the filter brings its family along.
func TestFamilyWanted(t *testing.T) {
	l := listingOf("a b<a c d~c e")
	for _, thread := range l.Threads {
		thread.Project = map[string]string{"b": "/shop", "e": "/shop/x"}[thread.ID]
	}
	var got []string
	for _, n := range l.Families(Filter{Projects: []string{"/shop"}}) {
		got = append(got, n.ID)
	}
	if want := []string{"e", "a", "b"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestDeepFamily: lines stop going deeper, and a long chain costs no more than
// its length.
func TestDeepFamily(t *testing.T) {
	l := &Listing{}
	for i := range 20_000 {
		e := &entry{}
		e.summary.ID, e.summary.ForkedFrom = strconv.Itoa(i), strconv.Itoa(i-1)
		e.summary.Created = time.Unix(int64(i), 0)
		l.Threads = append(l.Threads, &Thread{Meta: &e.summary.Meta, Kind: Main})
	}
	for range 2 {
		nodes := l.Families(Filter{})
		if len(nodes) != len(l.Threads) || nodes[31].Depth() != 31 || nodes[19_999].Depth() != maxDepth || nodes[19_999].ID != "19999" {
			t.Errorf("%d nodes", len(nodes))
		}
		slices.Reverse(l.Threads)
	}
}

func TestPrefix(t *testing.T) {
	for _, tt := range []struct {
		ids   string
		shown int // the first so many
		want  int
	}{
		{"01a0e7e8-28ad", 1, 8},
		{"01a0e7e8-28ad 01b0e7e8-28ad", 2, 8},
		{"01a0e7e8-28ad 01a0e7e8-37aa", 2, 10},
		{"01a0e7e8-28ad 01b00000-0000 01b00000-0001", 1, 8},
		{"01a0e7e8-28ad 01b00000-0000 01b00000-0001", 2, 13},
		{"abc abcd", 2, 8},
		{"thread-one thread-one-b", 1, 11},
	} {
		l := &Listing{}
		for _, id := range strings.Fields(tt.ids) {
			e := &entry{}
			e.summary.ID = id
			l.Threads = append(l.Threads, &Thread{Meta: &e.summary.Meta})
		}
		if got := l.Prefix(l.Threads[:tt.shown]); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.ids, got, tt.want)
		}
	}
}
