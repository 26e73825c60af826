package store

import (
	"cmp"
	"slices"

	"zombiezen.com/go/sqlite"

	"rollbook/internal/transcript"
)

// Facets count events by what they are.
type Facets struct {
	Roles, Tools, Projects, Months []Facet
	Of                             int // events that were counted
}

// A Facet is one value and how many have it.
type Facet struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// maxFacets is how many values of a sort are given, the most frequent ones;
// months are given all.
const maxFacets = 10

// Facets counts events, the most frequent value first, months in order.
func (r *Reader) Facets(ids []int64) (*Facets, error) {
	roles, tools, projects, months := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	type known struct{ tool, project map[int64]string }
	names := known{map[int64]string{}, map[int64]string{}}
	for sql, to := range map[string]map[int64]string{"SELECT id, name FROM tools": names.tool, "SELECT id, path FROM projects": names.project} {
		err := r.query(sql, func(s *sqlite.Stmt) error {
			to[s.ColumnInt64(0)] = s.ColumnText(1)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	st, err := r.c.Prepare("SELECT e.role, coalesce(e.tool, 0), coalesce(e.project, t.project, 0) FROM events e JOIN threads t ON t.id = e.thread WHERE e.id = ?")
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		st.BindInt64(1, id)
		found, err := st.Step()
		if err != nil {
			return nil, err
		}
		if found {
			roles[Role(st.ColumnInt64(0)).String()]++
			if tool := names.tool[st.ColumnInt64(1)]; tool != "" {
				tools[tool]++
			}
			projects[names.project[st.ColumnInt64(2)]]++
			months[TimeOf(id).Format("2006-01")]++
		}
		if err := st.Reset(); err != nil {
			return nil, err
		}
	}
	f := &Facets{Roles: most(roles, maxFacets), Tools: most(tools, maxFacets), Projects: most(projects, maxFacets), Months: most(months, len(months)), Of: len(ids)}
	slices.SortFunc(f.Months, func(a, b Facet) int { return cmp.Compare(a.Value, b.Value) })
	return f, nil
}

// most gives the n most frequent values.
func most(counts map[string]int, n int) []Facet {
	list := []Facet{}
	for v, k := range counts {
		list = append(list, Facet{v, k})
	}
	slices.SortFunc(list, func(a, b Facet) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value)) })
	return list[:min(n, len(list))]
}

// Searched reports whether events of a kind, as transcript spells it, are in full
// text.
func Searched(kind string) bool {
	k, ok := transcript.ParseKind(kind)
	return ok && indexed(k) != ""
}

// Tables gives the full text tables, and the kinds of the events in each, as
// transcript spells them.
func Tables() map[string][]string {
	tables := make(map[string][]string)
	for k := transcript.TurnStart; k <= transcript.Usage; k++ {
		if table := indexed(k); table != "" {
			tables[table] = append(tables[table], k.String())
		}
	}
	return tables
}

// Thread gives a thread by its id; nil where there is none.
func (r *Reader) Thread(id string) (t *Thread, err error) {
	err = r.query("SELECT "+threadColumns+threadFrom+" WHERE t.thread = ?", func(s *sqlite.Stmt) (err error) {
		t, err = readThread(s)
		return err
	}, id)
	return t, err
}
