package query

import (
	"path"
	"slices"
	"strings"
	"time"
)

// A Document is one event, as a query looks at it.
type Document struct {
	Text      string
	Role      string // user, assistant, tool, other
	Kind      string // as transcript spells it
	Tool      string // with its namespace before it
	Project   string
	Thread    string
	File      string // path of the file that it lies in
	Time      time.Time
	Image     bool
	Change    bool
	Error     bool
	Natural   bool
	Inherited bool
	Orphan    bool // the parent that it was taken over from is not there
}

// kinds says which kinds of events a value of the filter names.
var kinds = map[string][]string{
	"message":    {"user", "assistant", "tool_call"},
	"user":       {"user"},
	"assistant":  {"assistant"},
	"tool_call":  {"tool_call"},
	"output":     {"tool_result"},
	"reasoning":  {"reasoning"},
	"notice":     {"notice"},
	"compaction": {"compaction"},
	"context":    {"context"},
	"all":        {"user", "assistant", "tool_call", "tool_result", "reasoning", "notice", "compaction", "context"},
}

// effective gives the filters of the query, and those that hold unless it says
// otherwise: messages alone, and of copies only those whose original is not there.
func (q *Query) effective() []Filter {
	list := slices.Clone(q.Filters)
	if !slices.ContainsFunc(q.Filters, func(f Filter) bool { return f.Name == ByKind && !f.Not }) {
		list = append(list, Filter{Name: ByKind, Values: []string{"message"}})
	}
	if !q.has(ByInherited) {
		list = append(list, Filter{Name: ByInherited, Values: []string{"auto"}})
	}
	return list
}

// Kinds gives the kinds of events that the query may find.
func (q *Query) Kinds() []string {
	var list []string
	for _, k := range kinds["all"] {
		if q.matchFilters(func(f Filter) bool { return f.Name == ByKind }, &Document{Kind: k}) {
			list = append(list, k)
		}
	}
	return list
}

// Match reports whether a document is looked for. It means the same as the
// expression of FTS.
func (q *Query) Match(d *Document) bool {
	if !q.Since.IsZero() && d.Time.Before(q.Since) || !q.Until.IsZero() && !d.Time.Before(q.Until) {
		return false
	}
	if !q.matchFilters(func(Filter) bool { return true }, d) {
		return false
	}
	if len(q.Terms) == 0 {
		return true
	}
	var tokens []string
	for c := (Cursor{Text: d.Text}); c.Next(); {
		tokens = append(tokens, string(c.Token))
	}
	for i := range q.Terms {
		if t := &q.Terms[i]; t.in(tokens) == t.Not {
			return false
		}
	}
	return true
}

func (q *Query) matchFilters(which func(Filter) bool, d *Document) bool {
	for _, f := range q.effective() {
		if which(f) && slices.ContainsFunc(f.Values, func(v string) bool { return fits(f.Name, v, d) }) == f.Not {
			return false
		}
	}
	return true
}

// in reports whether the tokens of the term follow one another somewhere.
func (t *Term) in(tokens []string) bool {
	for i := 0; i+len(t.Tokens) <= len(tokens); i++ {
		if t.at(tokens[i:]) {
			return true
		}
	}
	return false
}

func (t *Term) at(tokens []string) bool {
	for i := range t.Tokens {
		if !takes(t, i, tokens[i]) {
			return false
		}
	}
	return true
}

// takes reports whether a token can stand for the term's token of number i.
func takes[T string | []byte](t *Term, i int, token T) bool {
	want := t.Tokens[i]
	if t.Prefix && i == len(t.Tokens)-1 && len(token) > len(want) {
		token = token[:len(want)]
	}
	return string(token) == want
}

// fits reports whether a document fits one value of a filter.
func fits(name, value string, d *Document) bool {
	switch name {
	case ByRole:
		return d.Role == value
	case ByKind:
		return slices.Contains(kinds[value], d.Kind)
	case ByTool:
		return FitsTool(value, d.Tool)
	case ByProject:
		return FitsProject(value, d.Project)
	case ByThread:
		return FitsThread(value, d.Thread)
	case ByFile:
		return FitsFile(value, d.File)
	case ByHas:
		return value == "image" && d.Image || value == "change" && d.Change || value == "error" && d.Error
	case ByNatural:
		return d.Natural == (value == "yes")
	case ByInherited:
		switch value {
		case "any":
			return true
		case "auto":
			return !d.Inherited || d.Orphan
		}
		return d.Inherited == (value == "yes")
	}
	return false
}

// FitsTool reports whether a tool has that name, with or without its namespace,
// in any case of letters; a name may hold *.
func FitsTool(value, tool string) bool {
	if tool == "" {
		return false
	}
	value, tool = strings.ToLower(value), strings.ToLower(tool)
	last := tool[strings.LastIndexByte(tool, '.')+1:]
	return glob(value, tool) || glob(value, last)
}

// FitsProject reports whether a working folder is the one that is named, or lies
// below it. A name without a slash stands for any folder of that name.
func FitsProject(value, project string) bool {
	project, windows := folderKey(project)
	value, isPath := folderKey(value)
	switch {
	case project == "" || value == "":
		return false
	case strings.Contains(value, "/"):
		return isPath == windows && (project == value || strings.HasPrefix(project, strings.TrimSuffix(value, "/")+"/"))
	case windows:
		value = strings.ToLower(value)
	}
	return slices.Contains(strings.Split(project, "/"), value)
}

// folderKey makes folders comparable. Those of Windows, which have a drive or
// name a share, are the same whatever their case and slashes.
func folderKey(p string) (key string, windows bool) {
	drive := len(p) >= 2 && p[1] == ':' && (p[0]|0x20 >= 'a' && p[0]|0x20 <= 'z') && (len(p) == 2 || p[2] == '\\' || p[2] == '/')
	if windows = drive || strings.HasPrefix(p, `\\`); windows {
		p = strings.ToLower(strings.ReplaceAll(p, `\`, "/"))
		if rest, ok := strings.CutPrefix(p, "//?/"); ok {
			p = rest
			if share, ok := strings.CutPrefix(rest, "unc/"); ok {
				p = "//" + share
			}
		}
	}
	if t := strings.TrimRight(p, "/"); t != "" {
		p = t
	}
	return p, windows
}

// FitsThread reports whether a thread's id begins so.
func FitsThread(value, id string) bool {
	return strings.HasPrefix(strings.ToLower(id), strings.ToLower(value))
}

// FitsFile reports whether a path ends with the parts that are named, or with
// parts that fit a pattern.
func FitsFile(value, file string) bool {
	value, file = strings.ReplaceAll(value, `\`, "/"), strings.ReplaceAll(file, `\`, "/")
	if file == value || strings.HasSuffix(file, "/"+value) {
		return true
	}
	n := strings.Count(value, "/") + 1
	parts := strings.Split(file, "/")
	if len(parts) < n {
		return false
	}
	return glob(value, strings.Join(parts[len(parts)-n:], "/"))
}

// glob is path.Match; a pattern that is none matches nothing.
func glob(pattern, s string) bool {
	ok, err := path.Match(pattern, s)
	return ok && err == nil
}
