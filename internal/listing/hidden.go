package listing

import (
	"slices"

	"rollbook/internal/discover"
	"rollbook/internal/statedb"
)

// A Code says why Codex's own resume list would not show a thread, or a file
// (docs/format/rollout.md, "Hidden threads").
type Code string

const (
	Archived            Code = "archived"              // in archived_sessions, or marked so in the state database
	NotInteractive      Code = "not-interactive"       // codex exec, the app server, a program
	IsSubAgent          Code = "sub-agent"             // started by another thread
	IsReview            Code = "review"                // the thread of a review
	IsGuardian          Code = "guardian"              // the thread of an automatic approval
	NoUserEvent         Code = "no-user-event"         // no event shows a user message
	NoMeta              Code = "no-meta"               // no session_meta in the head: also bare lines
	FirstLineUnreadable Code = "first-line-unreadable" // nor can anything be read of it
	BadText             Code = "bom-or-bad-utf8"       // a byte order mark, or a line that is not UTF-8
	OtherProvider       Code = "other-provider"        // of another model provider than the home is set to
	NotInStateDB        Code = "not-in-state-db"       // there is a state database without a row for it
	SupersededSegment   Code = "superseded-segment"    // of a file: a later one took its place
)

// unloadable reports whether Codex cannot load a thread at all.
func (c Code) unloadable() bool { return c == NoMeta || c == FirstLineUnreadable || c == BadText }

// hidden gives the codes of a thread, in the order above.
func hidden(t *Thread, state *statedb.State, provider string) (why []Code) {
	row, listed := statedb.Thread{}, true
	if state != nil {
		row, listed = state.Threads[t.ID]
		listed = listed || state.Partial
	}
	problem := t.current.FirstLineProblem
	for _, c := range []struct {
		code  Code
		holds bool
	}{
		{Archived, t.Archived || row.Archived},
		{NotInteractive, t.Kind == Main && !t.interactive()},
		{IsSubAgent, t.Kind == SubAgent},
		{IsReview, t.Kind == Review},
		{IsGuardian, t.Kind == Guardian},
		{NoUserEvent, !t.userEvent},
		{NoMeta, problem == discover.ProblemNoMeta || t.current.Bare},
		{FirstLineUnreadable, problem == discover.ProblemUnreadable},
		{BadText, problem == discover.ProblemText || t.badText},
		{OtherProvider, t.Provider != "" && t.Provider != provider},
		{NotInStateDB, !listed},
	} {
		if c.holds {
			why = append(why, c.code)
		}
	}
	return why
}

// interactive are the sources that Codex's list shows; the last two are programs
// that later versions know by name. A thread without a source (before 0.45)
// counts as one of vscode.
var interactive = []string{"cli", "vscode", "custom:atlas", "custom:chatgpt"}

func (t *Thread) interactive() bool {
	return !t.sourceRecorded || slices.Contains(interactive, t.Source)
}

// providerOf is how many threads tell which provider a home is set to.
const providerOf = 20

// provider tells which model provider Codex is set to. Its settings are never
// read: the provider of most of the newest threads that a person or a program
// began is taken for it, and of two with as many the one used last. So a single
// run with another provider does not hide all else.
func provider(threads []*Thread) (best string) {
	count := make(map[string]int)
	var names []string
	seen := 0
	for _, t := range threads {
		if t.Kind != Main || t.Provider == "" {
			continue
		}
		if count[t.Provider]++; count[t.Provider] == 1 {
			names = append(names, t.Provider)
		}
		if seen++; seen == providerOf {
			break
		}
	}
	for _, name := range names {
		if count[name] > count[best] {
			best = name
		}
	}
	return best
}
