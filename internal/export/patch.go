package export

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rollbook/internal/transcript"
)

// Marks of the form in which apply_patch takes a patch.
const (
	patchBegin = "*** Begin Patch"
	patchEnd   = "*** End Patch"
)

var patchVerbs = [...]struct{ prefix, kind string }{
	{"*** Add File: ", "add"}, {"*** Update File: ", "update"}, {"*** Delete File: ", "delete"},
}

// parsePatch reads the changes of a patch that apply_patch was given: the diff
// of an updated file without the numbers of its lines, the content of an added
// one. It takes what it can read, and nothing where no patch begins.
func parsePatch(text string) []transcript.FileChange {
	_, text, ok := strings.Cut(text, patchBegin+"\n")
	if !ok {
		return nil
	}
	text, _, _ = strings.Cut(text, "\n"+patchEnd)
	var all []transcript.FileChange
	var body strings.Builder
	end := func() {
		if len(all) > 0 {
			all[len(all)-1].Diff = body.String()
		}
		body.Reset()
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if kind, path, ok := patchVerb(line); ok {
			end()
			all = append(all, transcript.FileChange{Path: path, Kind: kind})
			continue
		}
		if len(all) == 0 {
			continue
		}
		at := &all[len(all)-1]
		if moved, ok := strings.CutPrefix(line, "*** Move to: "); ok {
			at.Moved = moved
			continue
		}
		if at.Kind == "add" {
			line = strings.TrimPrefix(line, "+")
		}
		if !strings.HasPrefix(line, "*** End of File") {
			body.WriteString(line + "\n")
		}
	}
	end()
	return all
}

func patchVerb(line string) (kind, path string, ok bool) {
	for _, v := range patchVerbs {
		if path, ok := strings.CutPrefix(line, v.prefix); ok {
			return v.kind, strings.TrimSpace(path), true
		}
	}
	return "", "", false
}

// A fileStat says how much a change, or all changes, did to a file.
type fileStat struct {
	path, kind, moved string
	added, removed    int // lines
	patches           int
}

func statsOf(changes []transcript.FileChange) []fileStat {
	list := make([]fileStat, len(changes))
	for i := range changes {
		list[i] = statOf(&changes[i])
	}
	return list
}

func statOf(c *transcript.FileChange) fileStat {
	s := fileStat{path: c.Path, kind: c.Kind, moved: c.Moved, patches: 1}
	switch c.Kind {
	case "add":
		s.added = countLines(c.Diff)
	case "delete":
		s.removed = countLines(c.Diff)
	default:
		s.added, s.removed = countDiff(c.Diff)
	}
	return s
}

// countDiff counts the added and removed lines of a diff, with or without the
// two lines that name its files.
func countDiff(diff string) (added, removed int) {
	if strings.HasPrefix(diff, "--- ") || strings.HasPrefix(diff, "diff ") {
		_, body, _ := strings.Cut(diff, "\n@@")
		diff = "@@" + body
	}
	for line := range strings.Lines(diff) {
		switch line[0] {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return added, removed
}

func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// applied reports whether a result says that its patch was applied. Older
// versions say so in words only.
func applied(result *transcript.Event) bool {
	switch {
	case result == nil:
		return false
	case result.IsError != nil:
		return !*result.IsError
	case result.ExitCode != nil:
		return *result.ExitCode == 0
	}
	return len(result.Changes) > 0 || strings.Contains(result.Output, "Success. Updated the following files")
}

// maxFiles bounds the changed files that are told one by one.
const maxFiles = 1000

// changedFiles adds up what patches did, file by file.
type changedFiles struct {
	project string
	files   map[string]*fileStat
	more    int // changes of files beyond the first maxFiles
}

func newChangedFiles(project string) changedFiles {
	return changedFiles{project: project, files: make(map[string]*fileStat)}
}

func (c *changedFiles) add(stats []fileStat) {
	for _, s := range stats {
		s.path, s.moved = below(c.project, s.path), below(c.project, s.moved)
		f := c.files[s.path]
		switch {
		case f == nil && len(c.files) >= maxFiles:
			c.more++
		case f == nil:
			c.files[s.path] = &s
		default:
			f.kind, f.moved = joinKinds(f.kind, s.kind), cmp.Or(s.moved, f.moved)
			f.added, f.removed, f.patches = f.added+s.added, f.removed+s.removed, f.patches+1
		}
	}
}

// joinKinds says what two changes are together: a file that was added and then
// updated was added.
func joinKinds(first, then string) string {
	if first == "add" && then == "update" {
		return first
	}
	return then
}

// list gives the files by path.
func (c *changedFiles) list() []fileStat {
	list := make([]fileStat, 0, len(c.files))
	for _, f := range c.files {
		list = append(list, *f)
	}
	slices.SortFunc(list, func(a, b fileStat) int { return cmp.Compare(a.path, b.path) })
	return list
}

// letter is how a kind of change is shown, as Codex and Git do.
func (s *fileStat) letter() string {
	switch {
	case s.moved != "":
		return "R"
	case s.kind == "add":
		return "A"
	case s.kind == "delete":
		return "D"
	}
	return "M"
}

// counts are the added and removed lines, as in +3 -1.
func (s *fileStat) counts() string { return fmt.Sprintf("+%d -%d", s.added, s.removed) }

// sumStats adds up the lines of several files.
func sumStats(stats []fileStat) *fileStat {
	var sum fileStat
	for i := range stats {
		sum.added += stats[i].added
		sum.removed += stats[i].removed
	}
	return &sum
}

// statName is a file's name as seen from the project, and its new one.
func statName(project string, s *fileStat) string {
	return joinedBy(below(project, s.path), " → ", below(project, s.moved))
}

// below gives a path as seen from a folder, where it lies in it.
func below(dir, path string) string {
	if dir == "" || len(path) <= len(dir) {
		return path
	}
	rest, ok := strings.CutPrefix(path, strings.TrimRight(dir, `/\`))
	if ok && (rest[0] == '/' || rest[0] == '\\') && len(rest) > 1 {
		return rest[1:]
	}
	return path
}
