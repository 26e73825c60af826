package ingest

import (
	"context"

	"rollbook/internal/discover"
	"rollbook/internal/store"
)

// refresh brings a thread's row and those of its files up to date where nothing
// has to be read: a file lies elsewhere or was touched, a name was given.
func (r *run) refresh(ctx context.Context, rt *root, t *threadJob, v verdict) error {
	var moved []*store.Source
	if v.moved {
		for i := range t.own {
			if src := r.moved(rt, &t.own[i]); src != nil {
				moved = append(moved, src)
			}
		}
	}
	old := r.known.Threads[t.id]
	now := *old
	now.Archived = t.last().Archived
	rt.enrich(&now, old)
	changed := now.Title != old.Title || now.TitleSource != old.TitleSource || now.Project != old.Project || now.Archived != old.Archived
	if !changed && len(moved) == 0 {
		return nil
	}
	r.known.Threads[t.id] = &now
	r.calm = false
	return r.do(ctx, func(w *store.Writer) error {
		for _, src := range moved {
			if err := w.PutSource(src); err != nil {
				return err
			}
		}
		if !changed {
			return nil
		}
		return w.PutThread(&now)
	})
}

// moved makes the row of a source that lies elsewhere now, or has another stamp.
func (r *run) moved(rt *root, ref *discover.Ref) *store.Source {
	old := r.known.Sources[rolloutKey(ref.FileID())]
	if old == nil || place(old) == rt.abs(ref.Path) && stampOf(old) == ref.Stamp && old.Compressed == ref.Compressed {
		return nil
	}
	now := rt.source(ref)
	now.TextSize, now.Lines, now.Head, now.Tail, now.Whole = old.TextSize, old.Lines, old.Head, old.Tail, old.Whole
	now.Adapter, now.Partial, now.Counts, now.Resume, now.Import = old.Adapter, old.Partial, old.Counts, old.Resume, old.Import
	if now.Counts.Compressed = 0; now.Compressed {
		now.Counts.Compressed = 1
	}
	r.known.Sources[now.Key] = now
	return now
}

// enrich fills in what the home's own lists say of a thread. A root that is no
// home has no lists, and takes nothing away.
func (rt *root) enrich(t, old *store.Thread) {
	known := rt.known.Titles[t.ID]
	switch {
	case known.Text != "" && !known.Prompt:
		t.Title, t.TitleSource = known.Text, known.Source
	case old != nil && listed(old.TitleSource) && (rt.home.Kind != discover.KindHome || t.Title == ""):
		t.Title, t.TitleSource = old.Title, old.TitleSource
	}
	if state := rt.known.State; state != nil && t.Project == "" {
		t.Project = state.Threads[t.ID].Cwd
	}
	if t.Project == "" && old != nil {
		t.Project = old.Project
	}
}

// enrichDocuments gives threads that no rollout tells of what the home's own
// lists say of them.
func (r *run) enrichDocuments(ctx context.Context, rt *root) error {
	if rt.known == nil || len(rt.docs) == 0 {
		return nil
	}
	known := rt.known
	return r.do(ctx, func(w *store.Writer) error {
		return w.Enrich(func(id string) (title, source, project string) {
			if t := known.Titles[id]; t.Text != "" && !t.Prompt {
				title, source = t.Text, t.Source
			}
			if known.State != nil {
				project = known.State.Threads[id].Cwd
			}
			return title, source, project
		})
	})
}

// listed reports whether a title comes from the lists of a home.
func listed(source string) bool {
	return source == discover.FromStateDB || source == discover.FromIndex
}
