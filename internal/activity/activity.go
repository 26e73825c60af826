// Package activity says which threads of a home a person means: those that were
// worked on lately, those of a folder, those of a name.
//
// It decides by heads, names and the last records of files (discover's brief
// listing), and reads no body. Whole threads are chosen, never files: all
// segments of a thread come along. Sub-agents, reviews and guardians are left
// out, for they are parts of another thread's story.
package activity

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rollbook/internal/discover"
)

// Options say which threads are meant. What is zero leaves nothing out.
type Options struct {
	// Since keeps threads of which a file was begun then or later, or was still
	// written to: a file's own time alone proves nothing, its last record must
	// bear it out. Compressed files are not written to any more.
	Since time.Time
	// Names keeps threads by their ids, whenever they were active: the thread's,
	// that of its root, of a segment, or any in the name of one of its files. A
	// name that is nobody's may be the beginning of ids, from 8 characters on.
	Names []string
	// Projects are the keys of a folder (discover.PathKey), which may have two
	// names: threads of it or below.
	Projects []string
	// Limit keeps the newest so many, after everything else.
	Limit int
	// Location is where the clock in the names of files stood; nil is UTC.
	Location *time.Location
}

// A Thread is one that was chosen.
type Thread struct {
	ID    string
	Files []discover.Ref // oldest first
	Begun time.Time      // by the first record that has a time, else by a file's name
	Last  time.Time      // of the last record that has one
	// Refused says why there is nothing to convert: NoRecordedID, or empty.
	Refused string
}

// NoRecordedID: the id is that of a file's name only, which is no thread's id.
const NoRecordedID = "no_recorded_id"

// Choose gives the threads that are meant, the newest first. ids are the home's
// threads, files gives the files of one, oldest first.
func Choose(ids []string, files func(id string) []discover.Ref, o Options) []Thread {
	var chosen []Thread
	names := o.match(ids, files)
	for _, id := range ids {
		refs := files(id)
		if len(refs) == 0 || slices.ContainsFunc(refs, part) || !named(refs, names) || !o.inProject(refs) || !o.active(refs) {
			continue
		}
		chosen = append(chosen, o.thread(id, refs))
	}
	slices.SortStableFunc(chosen, func(a, b Thread) int {
		return cmp.Or(b.Last.Compare(a.Last), b.Begun.Compare(a.Begun), strings.Compare(b.ID, a.ID))
	})
	if o.Limit > 0 && len(chosen) > o.Limit {
		chosen = chosen[:o.Limit]
	}
	return chosen
}

// part reports whether a file is another thread's helper's.
func part(r discover.Ref) bool { return r.Subagent() || r.ThreadSource == "subagent" }

func (o *Options) thread(id string, refs []discover.Ref) Thread {
	t := Thread{ID: id, Files: refs}
	said := false
	for _, r := range refs {
		said = said || !r.Unsaid || r.SessionID != ""
		if begun := o.begun(&r); !begun.IsZero() && (t.Begun.IsZero() || begun.Before(t.Begun)) {
			t.Begun = begun
		}
		if r.Last.After(t.Last) {
			t.Last = r.Last
		}
	}
	if t.Last.IsZero() {
		t.Last = t.Begun
	}
	if !said {
		t.Refused = NoRecordedID
	}
	return t
}

func (o *Options) begun(r *discover.Ref) time.Time {
	switch {
	case !r.First.IsZero():
		return r.First
	case !r.Created.IsZero() && r.Created != r.FileTime:
		return r.Created
	}
	return o.stamp(r)
}

// A matcher reports whether an alias is one that was asked for.
type matcher func(alias string) bool

// match makes a matcher of each name.
func (o *Options) match(ids []string, files func(string) []discover.Ref) []matcher {
	var all []matcher
	for _, name := range o.Names {
		name = strings.TrimPrefix(strings.ToLower(name), "session-") // as the harness calls it
		exact := func(alias string) bool { return strings.ToLower(alias) == name }
		if len(name) < 8 || slices.ContainsFunc(ids, func(id string) bool { return named(files(id), []matcher{exact}) }) {
			all = append(all, exact)
			continue
		}
		all = append(all, func(alias string) bool { return strings.HasPrefix(strings.ToLower(alias), name) })
	}
	return all
}

// named reports whether one of the names is the thread's.
func named(refs []discover.Ref, names []matcher) bool {
	for i := range refs {
		for _, alias := range aliases(&refs[i]) {
			if slices.ContainsFunc(names, func(m matcher) bool { return m(alias) }) {
				return true
			}
		}
	}
	return names == nil
}

// aliases are the ids by which a file is known.
func aliases(r *discover.Ref) []string {
	base := r.Path[strings.LastIndexByte(r.Path, '/')+1:]
	base, _, _ = strings.Cut(base, ".jsonl")
	rest := strings.TrimPrefix(base, "rollout-")
	const stamp = len("2026-03-02T09-00-00-")
	if len(rest) > stamp && !r.FileTime.IsZero() {
		rest = rest[stamp:]
	}
	all := append(strings.Split(rest, "_"), rest, r.ID, r.SessionID, r.ThreadID, r.SegmentID)
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// inProject compares with the folder that the thread began in.
func (o *Options) inProject(refs []discover.Ref) bool {
	if len(o.Projects) == 0 {
		return true
	}
	for _, r := range refs {
		if r.Cwd != "" {
			key := discover.PathKey(r.Cwd)
			return slices.ContainsFunc(o.Projects, func(p string) bool { return discover.Below(key, p) })
		}
	}
	return false
}

// active reports whether one of the files lies within the window. Names ignore it.
func (o *Options) active(refs []discover.Ref) bool {
	if o.Since.IsZero() || len(o.Names) > 0 {
		return true
	}
	return slices.ContainsFunc(refs, func(r discover.Ref) bool {
		begun := o.stamp(&r)
		if begun.IsZero() { // another name than Codex gives
			begun = r.Created
		}
		if !begun.Before(o.Since) {
			return true
		}
		return !r.Compressed && !r.ModTime.Before(o.Since) && !r.Last.Before(o.Since)
	})
}

// stamp is the time in a file's name, which is local.
func (o *Options) stamp(r *discover.Ref) time.Time {
	t := r.FileTime
	if t.IsZero() || o.Location == nil {
		return t
	}
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, o.Location)
}
