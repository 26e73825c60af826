package sessions

import (
	"cmp"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"rollbook/internal/diag"
	"rollbook/internal/inspect"
)

// A Report says which rollouts below a root belong to a project. It holds no
// text of what was said.
type Report struct {
	Root           string // absolute, without links
	Project        string // absolute and clean; empty where every project is listed
	FilesInspected int
	Sessions       []Session    // by path
	Diagnostics    []Diagnostic // by path, then code
}

// Partial reports whether something could not be looked at, or not told.
func (r *Report) Partial() bool { return len(r.Diagnostics) > 0 }

// A Session is one listed rollout. Two may have the same id.
type Session struct {
	Path             string // below the report's root
	SessionID        string
	ObservedVersions []string // of Codex, in byte order
	State            inspect.State
	Records          int
	Events           int

	rel   string
	found found
}

// Diagnostics gives what inspect says of the file: code, line and block.
func (s *Session) Diagnostics() iter.Seq[inspect.Diagnostic] { return s.found.all() }

// weight is about what the session keeps in memory beside its diagnostics.
func (s *Session) weight() int {
	const each = 64 // what a string or slice costs beside its bytes
	n := 4*each + len(s.Path) + len(s.SessionID)
	for _, v := range s.ObservedVersions {
		n += each + len(v)
	}
	return n
}

// A Diagnostic says what is not as it should be at a path.
type Diagnostic struct {
	Path string // below the report's root, or the root
	Code diag.Code

	rel string
}

// path gives the whole path of a name below the root.
func (r *Report) path(rel string) string {
	return filepath.Join(r.Root, filepath.FromSlash(rel))
}

func (r *Report) sort() {
	slices.SortFunc(r.Sessions, func(a, b Session) int { return comparePaths(a.rel, b.rel) })
	slices.SortFunc(r.Diagnostics, func(a, b Diagnostic) int {
		return cmp.Or(comparePaths(a.rel, b.rel), cmp.Compare(a.Code, b.Code))
	})
}

// comparePaths compares part by part, so what is in a folder stays together.
func comparePaths(a, b string) int {
	return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
}
