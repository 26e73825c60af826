package listing

import (
	"time"

	"rollbook/internal/diag"
	"rollbook/internal/discover"
)

// Schema is the version of JSON, raised when a key changes its meaning.
const Schema = 1

// A JSON is a listing as threads --json prints it (docs/cli.md). What is not
// known is null.
type JSON struct {
	SchemaVersion int          `json:"schema_version"`
	Home          string       `json:"home"`
	Kind          string       `json:"kind"`     // home, folder or file
	Provider      *string      `json:"provider"` // by which other-provider is judged
	StateDB       *JSONStateDB `json:"state_db"`
	Hidden        int          `json:"not_shown"` // threads that pass the filters, and that --all would add
	Threads       []JSONThread `json:"threads"`
}

// A JSONStateDB tells of the home's state database.
type JSONStateDB struct {
	File     string `json:"file"`
	Fileless int    `json:"threads_without_rollout"`
}

// A JSONThread is one thread.
type JSONThread struct {
	ID                string        `json:"id"`
	Title             *string       `json:"title"`
	TitleSource       *string       `json:"title_source"` // state_db, index, event or prompt
	Kind              Kind          `json:"kind"`
	Project           *string       `json:"project"`
	Source            string        `json:"source"`
	Originator        *string       `json:"originator"`
	Provider          *string       `json:"provider"`
	Models            []string      `json:"models"`
	Versions          []string      `json:"versions"`
	HistoryMode       *string       `json:"history_mode"`
	Created           *string       `json:"created"`
	Updated           *string       `json:"updated"` // of the last record that has a time
	Turns             int           `json:"turns"`
	UserMessages      int           `json:"user_messages"`
	AssistantMessages int           `json:"assistant_messages"`
	ToolCalls         int           `json:"tool_calls"`
	Bytes             int64         `json:"bytes"`
	Files             []JSONFile    `json:"files"`
	Parent            *string       `json:"parent"`
	Children          []string      `json:"children"`
	ForkedFrom        *string       `json:"forked_from"`
	Forks             []string      `json:"forks"`
	SessionID         *string       `json:"session_id"`
	Agent             *JSONAgent    `json:"agent"`
	Archived          bool          `json:"archived"`
	State             string        `json:"state"` // complete, open or damaged
	Losses            int           `json:"losses"`
	Findings          []JSONFinding `json:"findings"`
	Why               []Code        `json:"why_hidden"`
	Resume            *JSONResume   `json:"resume"`
	Touched           []string      `json:"touched"`
	TouchedCut        bool          `json:"touched_cut"`
}

// A JSONFile is one file of a thread.
type JSONFile struct {
	Path       string  `json:"path"`
	Bytes      int64   `json:"bytes"`
	Modified   *string `json:"modified"`
	Segment    *string `json:"segment_id"`
	Compressed bool    `json:"compressed"`
	Why        []Code  `json:"why_hidden"`
}

// A JSONAgent is what the log calls a sub-agent.
type JSONAgent struct {
	Nickname *string `json:"nickname"`
	Role     *string `json:"role"`
	Path     *string `json:"path"`
	Depth    int     `json:"depth"`
}

// A JSONFinding is a kind of thing that was found wrong, and the first places.
type JSONFinding struct {
	Code   diag.Code `json:"code"`
	Count  int       `json:"count"`
	Places []string  `json:"places"`
}

// A JSONResume is how to go on with a thread.
type JSONResume struct {
	Command string  `json:"command"`
	Folder  *string `json:"folder"`
}

// JSON gives the listing with these of its threads. more is how many --all would
// add.
func (l *Listing) JSON(threads []*Thread, more int) *JSON {
	j := &JSON{SchemaVersion: Schema, Home: l.Home, Provider: known(l.Provider), Hidden: more, Threads: make([]JSONThread, 0, len(threads)),
		Kind: map[discover.Kind]string{discover.KindHome: "home", discover.KindFolder: "folder", discover.KindFile: "file"}[l.Kind]}
	if l.StateDB != "" {
		j.StateDB = &JSONStateDB{l.StateDB, l.Fileless}
	}
	for _, t := range threads {
		j.Threads = append(j.Threads, t.json())
	}
	return j
}

func (t *Thread) json() JSONThread {
	j := JSONThread{
		ID: t.ID, Title: known(t.Title), TitleSource: known(t.TitleSource), Kind: t.Kind, Project: known(t.Project), Source: t.Source,
		Originator: known(t.Originator), Provider: known(t.Provider), Models: t.Models, Versions: t.Versions,
		HistoryMode: known(t.current.HistoryMode), Created: moment(t.Created), Updated: moment(t.Updated),
		Turns: t.Counts.Turns, UserMessages: t.Counts.UserMessages, AssistantMessages: t.Counts.AssistantMessages,
		ToolCalls: t.Counts.ToolCalls, Bytes: t.Counts.Bytes, Parent: known(t.ParentID), Children: t.Children,
		ForkedFrom: known(t.ForkedFrom), Forks: t.Forks, SessionID: known(t.SessionID), Archived: t.Archived, State: string(t.State),
		Losses: t.Losses, Why: t.Why, Touched: t.Touched, TouchedCut: t.TouchedCut,
	}
	if t.Kind != Main {
		j.Agent = &JSONAgent{known(t.Agent.Nickname), known(t.Agent.Role), known(t.Agent.Path), t.Agent.Depth}
	}
	if command, ok := t.Resume(); ok {
		j.Resume = &JSONResume{command, known(t.Project)}
	}
	for _, p := range t.Parts {
		file := JSONFile{Path: p.Path, Bytes: p.Bytes, Modified: moment(p.Modified), Segment: known(p.Segment), Compressed: p.Compressed}
		if p.Superseded {
			file.Why = []Code{SupersededSegment}
		}
		j.Files = append(j.Files, file)
	}
	for _, f := range t.Findings {
		g := JSONFinding{Code: f.Code, Count: f.Count}
		for _, d := range f.Examples {
			g.Places = append(g.Places, d.Position.String())
		}
		j.Findings = append(j.Findings, g)
	}
	return j
}

// known gives nil for an empty text.
func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// moment gives a time as JSON has it, or nil for none.
func moment(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := t.UTC().Format(time.RFC3339Nano)
	return &s
}
