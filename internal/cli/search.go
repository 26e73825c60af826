package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rollbook/internal/ingest"
	"rollbook/internal/query"
	"rollbook/internal/search"
	"rollbook/internal/store"
	"rollbook/internal/term"
)

type searchOptions struct {
	db      string
	limit   int
	rank    bool
	after   string
	around  int
	facets  bool
	json    bool
	scan    []string
	project string
	span    window
}

func newSearchCommand(e *Env) *cobra.Command {
	var o searchOptions
	cmd := &cobra.Command{
		Use:   "search QUERY",
		Short: "find what was said and done",
		Long: `Finds messages and tool calls in the store that import fills, the newest first.

  words          all of them, in any case of letters, with or without accents
  "a phrase"     words that follow one another; foo_bar, pkg.Func and paths are
                 phrases by themselves
  pre*           words that begin so
  -word          without it, also -"a phrase" and -role:tool
  role:user      also assistant, tool; several with commas
  tool:shell     tool:*patch*
  project:DIR    worked in this folder or below it; project:NAME: any named so
  thread:ID      the beginning of an id
  since:7d       until:2026-09-01
  file:NAME      in the rollout or file of that name, or pattern
  has:error      also image, change
  kind:output    also reasoning, notice, compaction, context, all
  natural:yes    what a person typed; inherited:any also what forks took over

Anything else is text. Quote the query as a whole where the shell would read it.
Each hit leads to its thread, turn, file, line and byte.`,
		Example: `  rollbook search cart total
  rollbook search '"out of memory" role:user since:30d'
  rollbook search 'apply_patch tool:*patch* has:error' --facets
  rollbook search 'project:~/shop-api migration -draft' --rank -C 2
  rollbook search 'invoice' --scan ~/.codex`,
		GroupID: groupStore,
		Args:    cobra.MinimumNArgs(1),
		Annotations: exits("0   searched; also where nothing was found",
			"1   there is no store, or it cannot be read",
			"2   with --scan: searched, but some input was lost: warnings say what and where",
			"64  the command line or the query was wrong"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.search(cmd.Context(), strings.Join(args, " "), o)
		},
	}
	set := cmd.Flags()
	storeVar(set, &o.db)
	set.IntVarP(&o.limit, "limit", "n", 20, "hits of a page, at most 1000")
	set.BoolVar(&o.rank, "rank", false, "the best first, instead of the newest")
	set.StringVar(&o.after, "after", "", "go on behind the page that named this `CURSOR`")
	set.IntVarP(&o.around, "context", "C", 0, "show `N` messages of the thread before and after each hit")
	set.BoolVar(&o.facets, "facets", false, "count the hits by role, tool, project and month")
	set.BoolVar(&o.json, "json", false, "print one JSON object")
	set.StringArrayVar(&o.scan, "scan", nil, "search this `PATH` itself, without a store; may be given again")
	set.StringVar(&o.project, "project", "", "only threads that worked in this `DIR` or below it")
	e.windowVars(set, &o.span)
	return cmd
}

func (o *searchOptions) check() error {
	switch {
	case o.limit < 1 || o.limit > 1000:
		return usageErrorf("--limit %d: want 1 to 1000", o.limit)
	case o.around < 0 || o.around > 100:
		return usageErrorf("--context %d: want 0 to 100", o.around)
	case len(o.scan) > 0 && (o.rank || o.after != "" || o.around > 0 || o.facets || o.db != ""):
		return usageErrorf("--scan gives the newest hits alone: it goes without --rank, --after, --context, --facets and --db")
	}
	return o.span.check()
}

func (e *Env) search(ctx context.Context, text string, o searchOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	q, err := e.parseQuery(text, o)
	if err != nil {
		return err
	}
	if len(o.scan) > 0 {
		return e.scanFor(ctx, q, o)
	}
	r, err := e.openStore(ctx, o.db)
	if err != nil {
		return err
	}
	defer r.Close()
	began := time.Now()
	res, err := search.Run(ctx, r, q, search.Options{Limit: o.limit, Ranked: o.rank, After: o.after, Around: o.around, Facets: o.facets})
	if cursor := (search.CursorError{}); errors.As(err, &cursor) {
		return usageErrorf("--after: %w", err)
	}
	if err != nil {
		return err
	}
	return e.sayHits(foundIn(res, o), o, time.Since(began))
}

// parseQuery reads the query, and adds what flags say.
func (e *Env) parseQuery(text string, o searchOptions) (*query.Query, error) {
	now := e.now()
	q, err := query.Parse(text, query.ParseOptions{
		Since: func(s string) (time.Time, error) { return term.ParseSince(s, now) },
		Until: func(s string) (time.Time, error) { return term.ParseUntil(s, now) },
	})
	if errors.Is(err, query.ErrEmpty) && (o.project != "" || o.span != window{}) {
		q, err = &query.Query{}, nil
	}
	if err != nil {
		return nil, withHint(usageErrorf("%w", err), "rollbook search --help")
	}
	for i := range q.Filters {
		if f := &q.Filters[i]; f.Name == query.ByProject {
			for k, v := range f.Values {
				f.Values[k] = e.folder(v)
			}
		}
	}
	if o.project != "" {
		abs, err := e.absPath(o.project)
		if err != nil {
			return nil, err
		}
		q.Filters = append(q.Filters, query.Filter{Name: query.ByProject, Values: []string{abs}})
	}
	if !o.span.Since.IsZero() {
		q.Since = o.span.Since
	}
	if !o.span.Until.IsZero() {
		q.Until = o.span.Until
	}
	return q, nil
}

// folder makes a folder of a query absolute where it begins with ~ or a dot.
func (e *Env) folder(v string) string {
	home := e.getenv("HOME")
	switch {
	case v == "~" && home != "":
		return home
	case strings.HasPrefix(v, "~/") && home != "":
		return home + v[1:]
	case v == "." || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../"):
		if abs, err := e.absPath(v); err == nil {
			return abs
		}
	}
	return v
}

// scanFor searches files without a store.
func (e *Env) scanFor(ctx context.Context, q *query.Query, o searchOptions) error {
	began := time.Now()
	c := search.NewCollector(q, o.limit)
	opt := ingest.Options{MaxLine: noLimit, MaxText: noLimit, Program: program(), Started: e.now(), Progress: e.progress("search", 0, "")}
	paths := make([]string, len(o.scan))
	for i, p := range o.scan {
		paths[i] = e.path(p)
	}
	s, err := ingest.Scan(ctx, paths, opt, func(sc *ingest.Scanned) error {
		c.Add(sc.Document(), sc.Info.Source, func() search.Found { return foundOf(sc) })
		return nil
	})
	e.bar.Done()
	if err != nil {
		return err
	}
	hits, total := c.Hits()
	if err := e.sayHits(scanned(hits, total), o, time.Since(began)); err != nil {
		return err
	}
	if lost := e.tell(s.Tally); lost != nil || !s.Partial {
		return lost
	}
	return errPartial
}

func foundOf(sc *ingest.Scanned) search.Found {
	f := search.Found{Event: *sc.Event, ThreadID: sc.Info.Thread, Title: sc.Title, Project: sc.Info.Project, Turn: sc.Info.Turn, Item: sc.Info.Item,
		Role: store.RoleOf(sc.Event), Flags: sc.Info.Flags, Root: sc.Root}
	f.Event.Time = sc.Info.Time
	if f.Project == "" {
		f.Project = sc.Project
	}
	return f
}
