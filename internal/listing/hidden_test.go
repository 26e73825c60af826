package listing

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/rolltest"
)

// TestHidden: a thread of each sort has the codes of its sort, and no other.
func TestHidden(t *testing.T) {
	v140 := func(change func(home *rolltest.Home, r *rolltest.Rollout)) func(*rolltest.Home) string {
		return func(home *rolltest.Home) string {
			r := home.New(rolltest.V140, rolltest.Meta{})
			change(home, r)
			return r.ID
		}
	}
	said := func(r *rolltest.Rollout) *rolltest.Rollout { return r.Turn("hello").Assistant("yes").TurnComplete() }
	from := func(v rolltest.Version, source any) func(*rolltest.Home) string {
		return func(home *rolltest.Home) string { return said(home.New(v, rolltest.Meta{Source: source})).ID }
	}
	// broken writes a file anew with other bytes; its id stays in its name.
	broken := func(change func(data []byte) []byte) func(*rolltest.Home) string {
		return func(home *rolltest.Home) string {
			r := said(rolltest.New(rolltest.V140, rolltest.Meta{}))
			home.Add(r.Path(), change(r.Data()))
			return r.ID
		}
	}
	for _, tt := range []struct {
		name string
		make func(*rolltest.Home) string
		want []Code
	}{
		{"typed in the terminal", from(rolltest.V140, "cli"), nil},
		{"from an editor", from(rolltest.V171, "vscode"), nil},
		{"a program that Codex knows", from(rolltest.V171, rolltest.O{"custom", "chatgpt"}), nil},
		{"before sources were recorded", from(rolltest.V36, "cli"), nil},
		{"exec", from(rolltest.V140, "exec"), []Code{NotInteractive}},
		{"app server", from(rolltest.V140, "mcp"), []Code{NotInteractive}},
		{"another program", from(rolltest.V171, rolltest.O{"custom", "mine"}), []Code{NotInteractive}},
		{"unknown as recorded", from(rolltest.V140, "unknown"), []Code{NotInteractive}},
		{"sub-agent", from(rolltest.V171, rolltest.O{"subagent", "compact"}), []Code{IsSubAgent}},
		{"review", from(rolltest.V171, rolltest.O{"subagent", "review"}), []Code{IsReview}},
		{"guardian", from(rolltest.V171, rolltest.O{"subagent", rolltest.O{"other", "guardian"}}), []Code{IsGuardian}},
		{"archived", v140(func(_ *rolltest.Home, r *rolltest.Rollout) { said(r).Archived = true }), []Code{Archived}},
		{"nothing said", v140(func(*rolltest.Home, *rolltest.Rollout) {}), []Code{NoUserEvent}},
		{"items alone", v140(func(_ *rolltest.Home, r *rolltest.Rollout) { r.Inject("user", "hello") }), []Code{NoUserEvent}},
		{"bare lines", from(rolltest.V20, "cli"), []Code{NoUserEvent, NoMeta}},
		{"no session_meta", broken(func(data []byte) []byte {
			_, rest, _ := bytes.Cut(data, []byte("\n"))
			return rest
		}), []Code{NoMeta}},
		{"first line torn", broken(func(data []byte) []byte { return data[40:] }), []Code{FirstLineUnreadable}},
		{"byte order mark", broken(func(data []byte) []byte { return append([]byte("\xef\xbb\xbf"), data...) }), []Code{BadText}},
		{"not UTF-8 far behind", broken(func(data []byte) []byte {
			return fmt.Appendf(data, "%s{\"timestamp\":\"x\",\"type\":\"\xff\"}\n", strings.Repeat("{}\n", 50))
		}), []Code{BadText}},
		{"exec, archived, of another provider", func(home *rolltest.Home) string {
			r := said(home.New(rolltest.V140, rolltest.Meta{Source: "exec", Provider: "ollama"}))
			r.Archived = true
			return r.ID
		}, []Code{Archived, NotInteractive, OtherProvider}},
	} {
		home := rolltest.NewHome(3)
		for range 3 {
			said(home.New(rolltest.V140, rolltest.Meta{}))
		}
		id := tt.make(home)
		thread := threadsOf(t, home.Temp(t))[id]
		if thread == nil {
			t.Errorf("%s: the thread is not listed", tt.name)
		} else if !slices.Equal(thread.Why, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, thread.Why, tt.want)
		}
	}
}

// TestStateDB: rows decide about archived and not-in-state-db where there is a
// database, and rows without a rollout are counted.
func TestStateDB(t *testing.T) {
	home := rolltest.NewHome(4)
	var ids []string
	for range 3 {
		ids = append(ids, home.New(rolltest.V140, rolltest.Meta{}).Turn("x").Assistant("y").TurnComplete().ID)
	}
	dir := home.Temp(t)
	database(t, dir, ids[0], "+"+ids[1], "gone", "+gone too")
	l, _, _ := listing(t, dir, "")
	for _, thread := range l.Threads {
		want := map[string][]Code{ids[0]: nil, ids[1]: {Archived}, ids[2]: {NotInStateDB}}[thread.ID]
		if !slices.Equal(thread.Why, want) {
			t.Errorf("%s: %q, want %q", thread.ID, thread.Why, want)
		}
		if thread.ID != ids[2] && (thread.Title != "row of "+thread.ID || thread.TitleSource != "state_db") {
			t.Errorf("title %q from %s", thread.Title, thread.TitleSource)
		}
	}
	if l.StateDB != "state_5.sqlite" || l.Fileless != 2 {
		t.Errorf("%q with %d rows without a rollout", l.StateDB, l.Fileless)
	}
}

// TestProvider: the provider of most of the newest twenty threads that are
// nobody's sub-agents counts.
func TestProvider(t *testing.T) {
	for _, tt := range []struct {
		newest string // a letter for each thread, the newest first; capitals are sub-agents, - has none
		want   string
	}{
		{"", ""}, {"---", ""}, {"a", "a"}, {"ba", "b"}, {"baa", "a"}, {"Baa", "a"}, {"BBBa", "a"}, {"b---a--a", "a"},
		{strings.Repeat("b", 9) + strings.Repeat("a", 11) + strings.Repeat("b", 50), "a"},
		{strings.Repeat("b", 10) + strings.Repeat("a", 500), "b"},
	} {
		var threads []*Thread
		for _, c := range tt.newest {
			e := &entry{}
			e.summary.Provider = strings.ToLower(strings.Trim(string(c), "-"))
			thread := &Thread{Meta: &e.summary.Meta, Kind: Main}
			if c >= 'A' && c <= 'Z' {
				thread.Kind = SubAgent
			}
			threads = append(threads, thread)
		}
		if got := provider(threads); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.newest, got, tt.want)
		}
	}
}

// TestResume: a command is given only where Codex could load the thread, and
// only for an id that no shell takes for anything else.
func TestResume(t *testing.T) {
	for _, tt := range []struct {
		id   string
		why  []Code
		want string
	}{
		{"01a0a41f-9f3d-79cc-a08c-4f24133d7198", nil, "codex resume 01a0a41f-9f3d-79cc-a08c-4f24133d7198"},
		{"my_thread", []Code{Archived, NotInteractive, NoUserEvent, NotInStateDB}, "codex resume my_thread"},
		{"x", []Code{BadText}, ""},
		{"x", []Code{NoUserEvent, NoMeta}, ""},
		{"x", []Code{FirstLineUnreadable}, ""},
		{"", nil, ""},
		{"--help", nil, ""},
		{"a b", nil, ""},
		{"a;rm", nil, ""},
		{"$(id)", nil, ""},
		{"a\nb", nil, ""},
	} {
		e := &entry{}
		e.summary.ID = tt.id
		got, ok := (&Thread{Meta: &e.summary.Meta, Why: tt.why}).Resume()
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%q: %q", tt.id, got)
		}
	}
}
