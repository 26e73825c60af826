package listing

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rollbook/internal/assemble"
	"rollbook/internal/discover"
	"rollbook/internal/transcript"
)

// A Thread is one thread of a home.
type Thread struct {
	*transcript.Meta // of the active view
	Kind             Kind
	Parts            []Part   // its files, oldest first; the last one is current
	Children         []string // the sub-agents that it started, oldest first
	Forks            []string // the threads that were forked from it, oldest first
	Why              []Code   // why Codex's own resume list would not show it
	Agent            Agent
	Touched          []string // files that it changed or wanted to (docs/cli.md)
	TouchedCut       bool     // there are more than are kept
	Findings         []Finding

	userEvent, sourceRecorded, badText bool
	current                            *discover.Ref
}

// A Part is one file of a thread.
type Part struct {
	Path       string // relative to the root, slashes forward
	Bytes      int64  // on disk
	Modified   time.Time
	Segment    string // of a file that a revert began: its id
	Compressed bool
	Archived   bool
	Superseded bool // a later file of the thread took its place
}

// An Agent is what the log calls a sub-agent.
type Agent struct {
	Nickname, Role, Path string
	Depth                int
}

// A Kind says who began a thread.
type Kind string

const (
	Main     Kind = "main"      // a person or a program
	SubAgent Kind = "sub-agent" // another thread
	Review   Kind = "review"
	Guardian Kind = "guardian" // an automatic approval
)

// kindOf tells the kind by the source, the only thing that tells it (F8).
func kindOf(source string) Kind {
	switch rest, sub := strings.CutPrefix(source, "subagent:"); {
	case !sub:
		return Main
	case rest == "review":
		return Review
	case rest == "other:guardian":
		return Guardian
	}
	return SubAgent
}

// fill makes the thread of an entry.
func (t *Thread) fill(e *entry, kept *cache, known discover.Title) {
	*t = Thread{
		Meta: &e.summary.Meta, Kind: kindOf(e.summary.Source),
		Touched: e.touched.files, TouchedCut: e.touched.cut, Findings: e.findings,
		userEvent: e.summary.UserEvent, sourceRecorded: e.summary.SourceRecorded, badText: e.badText(),
	}
	t.Title, t.TitleSource = assemble.ChooseTitle(known, e.summary.Name, e.summary.Prompt)
	t.Parts = make([]Part, len(t.Files))
	for i, name := range t.Files {
		r := kept.ref(name)
		t.Parts[i] = Part{Path: r.Path, Bytes: r.Size, Modified: r.ModTime, Segment: r.SegmentID,
			Compressed: r.Compressed, Archived: r.Archived, Superseded: i < len(t.Files)-1}
		t.current = r
	}
	t.Agent = Agent{t.current.AgentNickname, t.current.AgentRole, t.current.AgentPath, t.current.Depth}
}

// Empty reports whether nobody says anything in the thread. One that is damaged
// is not called empty: what was said may be lost.
func (t *Thread) Empty() bool {
	return t.Counts.UserMessages == 0 && t.State != transcript.Damaged
}

// Resume gives the command that goes on with the thread. It is to be run in the
// thread's Project. There is none where Codex could not load the thread, and
// none for an id that is no plain word.
func (t *Thread) Resume() (command string, ok bool) {
	plain := t.ID != "" && t.ID[0] != '-' && strings.Trim(strings.ToLower(t.ID), "0123456789abcdefghijklmnopqrstuvwxyz-_") == ""
	if !plain || slices.ContainsFunc(t.Why, Code.unloadable) {
		return "", false
	}
	return "codex resume " + t.ID, true
}

// relate fills in the children and forks of threads.
func relate(threads []*Thread, byID map[string]*Thread) {
	var below []*Thread
	for _, t := range threads {
		if t.ParentID != "" || t.ForkedFrom != "" {
			below = append(below, t)
		}
	}
	slices.SortFunc(below, func(a, b *Thread) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	for _, t := range below {
		if p := byID[t.ParentID]; p != nil && p != t {
			p.Children = append(p.Children, t.ID)
		}
		if p := byID[t.ForkedFrom]; p != nil && p != t {
			p.Forks = append(p.Forks, t.ID)
		}
	}
}

// minPrefix is the shortest beginning of an id that is shown: the part before
// the first dash.
const minPrefix = 8

// Prefix tells how many bytes of an id are enough to tell each of these threads
// from all others of the home.
func (l *Listing) Prefix(threads []*Thread) int {
	ids := make([]string, len(l.Threads))
	for i, t := range l.Threads {
		ids[i] = t.ID
	}
	slices.Sort(ids)
	n := minPrefix
	for _, t := range threads {
		i, _ := slices.BinarySearch(ids, t.ID)
		for _, j := range []int{i - 1, i + 1} {
			if j >= 0 && j < len(ids) {
				n = max(n, 1+common(t.ID, ids[j]))
			}
		}
	}
	return n
}

func common(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
