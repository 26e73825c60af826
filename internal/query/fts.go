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
// the meta tokens, for a table of documents of the given kinds. never says that
// nothing in it can match: a filter names what is not there. Times are left to the
// caller, as bounds of the row ids.
//
// FTS5 steps through the list of each token that is asked for, and those of meta
// tokens are as long as the table. So a filter that leaves out few documents is
// asked for by them, and what all documents fit is not asked for.
func (q *Query) FTS(r Resolver, among []string) (expr string, never bool, err error) {
	var must, not []string
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
	for _, f := range append(q.effective(), Filter{Name: ByKind}) {
		c, err := f.clause(r, q, among)
		switch {
		case err != nil:
			return "", false, err
		case c.whole && f.Not, !c.whole && c.none == "" && len(c.any) == 0 && !f.Not:
			return "", true, nil
		case c.none != "":
			put(!f.Not, c.none)
		case len(c.any) > 0 && !c.whole:
			put(f.Not, or(c.any))
		}
	}
	if len(must) == 0 {
		must = append(must, str(MetaAll.Token("")))
	}
	expr = strings.Join(must, " AND ")
	if len(not) > 0 {
		expr = "(" + expr + ") NOT " + or(not)
	}
	return expr, false, nil
}

// A clause is what a filter says of documents: whole, that each fits; none, that
// those fit which that expression does not match; else, that those fit which one
// of the expressions matches.
type clause struct {
	whole bool
	none  string
	any   []string
}

func or(list []string) string { return "(" + strings.Join(list, " OR ") + ")" }

// str quotes what a person typed as a string of FTS5.
func str(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// clause says what a filter asks for. The filters for kinds are one, the last.
func (f *Filter) clause(r Resolver, q *Query, among []string) (c clause, err error) {
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
	case ByKind:
		c = clause{whole: !f.Not} // says nothing
		if f.Values == nil {
			c = q.kinds(among)
		}
	case ByTool:
		c.any = ids(MetaTool, r.ToolIDs, true, FitsTool)
	case ByProject:
		c.any = ids(MetaProject, r.ProjectIDs, true, FitsProject)
	case ByFile:
		c.any = ids(MetaSource, r.SourceIDs, true, FitsFile)
	case ByThread:
		// Each document has one, so that a short beginning of an id may be asked
		// by the few threads that it leaves out.
		if c.any = ids(MetaThread, r.ThreadIDs, true, FitsThread); len(c.any) < 2 || err != nil {
			return c, err
		}
		switch others := ids(MetaThread, r.ThreadIDs, false, FitsThread); {
		case len(others) == 0:
			c = clause{whole: true}
		case len(others) < len(c.any):
			c = clause{none: or(others)}
		}
	case ByRole, ByHas:
		m := map[string]Meta{ByRole: MetaRole, ByHas: MetaFlag}[f.Name]
		for _, v := range f.Values {
			c.any = append(c.any, str(m.Token(v)))
		}
	case ByNatural, ByInherited:
		return f.flag(r)
	}
	return c, err
}

// kinds gives what all filters for kinds ask for, in a table with documents of
// some kinds.
func (q *Query) kinds(among []string) (c clause) {
	wanted := q.Kinds()
	c.whole = true
	for _, k := range among {
		if slices.Contains(wanted, k) {
			c.any = append(c.any, str(MetaKind.Token(k)))
		} else {
			c.whole = false
		}
	}
	return c
}

// flag gives what a filter with yes and no asks for; auto leaves out copies whose
// original is there.
func (f *Filter) flag(r Resolver) (clause, error) {
	has := func(v string) bool { return slices.Contains(f.Values, v) }
	token := str(MetaFlag.Token(f.Name))
	switch {
	case has("any"), has("yes") && (has("no") || has("auto")):
		return clause{whole: true}, nil
	case has("yes"):
		return clause{any: []string{token}}, nil
	case !has("auto"):
		return clause{none: token}, nil
	}
	list, err := r.Orphans()
	if err != nil || len(list) == 0 {
		return clause{none: token}, err
	}
	orphans := make([]string, len(list))
	for i, id := range list {
		orphans[i] = str(MetaThread.ID(id))
	}
	return clause{none: "(" + token + " NOT " + or(orphans) + ")"}, nil
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

// Quote gives the expression for one token.
func Quote(token string) string { return str(token) }
