package query

import (
	"slices"
	"strings"
)

// A Resolver gives the numbers under which full text knows what filters name.
type Resolver interface {
	ToolIDs(fits func(name string) bool) ([]int64, error)
	ProjectIDs(fits func(path string) bool) ([]int64, error)
	ThreadIDs(fits func(id string) bool) ([]int64, error)
	SourceIDs(fits func(path string) bool) ([]int64, error)
	// Orphans are the threads whose parent is not there.
	Orphans() ([]int64, error)
}

// FTS gives the query as an FTS5 expression over the tokens of AppendTokens and
// the meta tokens. never says that nothing can match: a filter names what is not
// there. Times are left to the caller, as bounds of the row ids.
func (q *Query) FTS(r Resolver) (expr string, never bool, err error) {
	all := str(MetaAll.Token(""))
	must, not := []string{all}, []string(nil)
	put := func(negative bool, e string) {
		if negative {
			not = append(not, e)
		} else {
			must = append(must, e)
		}
	}
	for _, t := range q.Terms {
		e := str(strings.Join(t.Tokens, " "))
		if t.Prefix {
			e += " *"
		}
		put(t.Not, e)
	}
	for _, f := range q.effective() {
		any, whole, err := f.tokens(r)
		if err != nil {
			return "", false, err
		}
		switch {
		case whole && f.Not, !whole && len(any) == 0 && !f.Not:
			return "", true, nil
		case whole, len(any) == 0:
			continue
		}
		put(f.Not, "("+strings.Join(any, " OR ")+")")
	}
	expr = strings.Join(must, " AND ")
	if len(not) > 0 {
		expr = "(" + expr + ") NOT (" + strings.Join(not, " OR ") + ")"
	}
	return expr, false, nil
}

// str quotes what a person typed as a string of FTS5.
func str(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// tokens gives the expressions of which one must hold; whole says that every
// document fits.
func (f *Filter) tokens(r Resolver) (any []string, whole bool, err error) {
	ids := func(m Meta, find func(func(string) bool) ([]int64, error), keep bool, fits func(value, name string) bool) (any []string) {
		var list []int64
		list, err = find(func(name string) bool {
			return slices.ContainsFunc(f.Values, func(v string) bool { return fits(v, name) }) == keep
		})
		for _, id := range list {
			any = append(any, str(m.ID(id)))
		}
		return any
	}
	switch f.Name {
	case ByTool:
		any = ids(MetaTool, r.ToolIDs, true, FitsTool)
	case ByProject:
		any = ids(MetaProject, r.ProjectIDs, true, FitsProject)
	case ByFile:
		any = ids(MetaSource, r.SourceIDs, true, FitsFile)
	case ByThread:
		// Each document has one, so that a short beginning of an id may be asked
		// by the few threads that it leaves out: each token asked for costs time.
		if any = ids(MetaThread, r.ThreadIDs, true, FitsThread); len(any) < 2 || err != nil {
			return any, false, err
		}
		switch others := ids(MetaThread, r.ThreadIDs, false, FitsThread); {
		case len(others) == 0:
			return nil, true, err
		case len(others) < len(any):
			any = []string{without("(" + strings.Join(others, " OR ") + ")")}
		}
	default:
		for _, v := range f.Values {
			some, all, wrong := fixed(f.Name, v, r)
			any, whole, err = append(any, some...), whole || all, wrong
		}
	}
	return any, whole, err
}

// without is every document that an expression does not match.
func without(expr string) string { return "(" + str(MetaAll.Token("")) + " NOT " + expr + ")" }

// fixed gives the expressions of a filter with a fixed set of values.
func fixed(name, value string, r Resolver) (any []string, whole bool, err error) {
	switch name {
	case ByRole:
		return []string{str(MetaRole.Token(value))}, false, nil
	case ByKind:
		for _, k := range kinds[value] {
			any = append(any, str(MetaKind.Token(k)))
		}
		return any, false, nil
	case ByHas:
		return []string{str(MetaFlag.Token(value))}, false, nil
	case ByNatural, ByInherited:
		token := str(MetaFlag.Token(name))
		switch value {
		case "any":
			return nil, true, nil
		case "yes":
			return []string{token}, false, nil
		case "no":
			return []string{without(token)}, false, nil
		}
		any = []string{without(token)}
		list, err := r.Orphans()
		for _, id := range list {
			any = append(any, str(MetaThread.ID(id)))
		}
		return any, false, err
	}
	return nil, false, nil
}

// Words gives the single tokens that must occur, each once: those that a search
// may rank by.
func (q *Query) Words() (list []string) {
	for _, t := range q.Terms {
		if !t.Not && len(t.Tokens) == 1 && !t.Prefix && !slices.Contains(list, t.Tokens[0]) {
			list = append(list, t.Tokens[0])
		}
	}
	return list
}

// And adds to an expression that a token occurs.
func And(expr, token string) string { return "(" + expr + ") AND " + str(token) }
