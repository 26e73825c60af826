package ingest

import (
	"rollbook/internal/assemble"
	"rollbook/internal/discover"
)

// A threadJob is a thread that was found, with all files that its reading needs.
type threadJob struct {
	id    string
	own   []discover.Ref // oldest first; the last one is current
	bases []discover.Ref // files of other threads that it begins with
	gaps  int            // of its chain
}

func newThreadJob(lib *assemble.Library, id string) *threadJob {
	t := &threadJob{id: id, own: lib.Refs(id)}
	mine := make(map[string]bool, len(t.own))
	for i := range t.own {
		mine[t.own[i].Path] = true
	}
	refs, gaps := lib.Bases(id)
	for _, ref := range refs {
		if !mine[ref.Path] {
			t.bases = append(t.bases, ref)
		}
	}
	t.gaps = gaps
	return t
}

// files gives the bases, then the thread's own files.
func (t *threadJob) files() []*discover.Ref {
	all := make([]*discover.Ref, 0, len(t.own)+len(t.bases))
	for i := range t.bases {
		all = append(all, &t.bases[i])
	}
	for i := range t.own {
		all = append(all, &t.own[i])
	}
	return all
}

// isBase reports whether the i-th of files is a base. What is appended to one
// lies behind the cut, and changes nothing.
func (t *threadJob) isBase(i int) bool { return i < len(t.bases) }

// current gives the place of the current file among files.
func (t *threadJob) current() int { return len(t.bases) + len(t.own) - 1 }

// keys gives the keys of the sources of files.
func (t *threadJob) keys() []string {
	keys := make([]string, 0, len(t.own)+len(t.bases))
	for _, ref := range t.files() {
		keys = append(keys, rolloutKey(ref.FileID()))
	}
	return keys
}

// rolloutKey is the key of a rollout's source: wherever the file lies and
// whether or not it is compressed, it is the same source (spec: import, 2.10).
func rolloutKey(fileID string) string { return "rollout:" + fileID }

// last gives the current file.
func (t *threadJob) last() *discover.Ref { return &t.own[len(t.own)-1] }

// key gives the key of the current file's source.
func (t *threadJob) key() string { return rolloutKey(t.last().FileID()) }
