package discover

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rollbook/internal/diag"
)

// A Listing is what lies below a root.
type Listing struct {
	Refs   []Ref   // by path
	Others []Other // by path
}

// An Other is a *.jsonl file that is no rollout.
type Other struct {
	Path    string // relative to the root, slashes forward
	Size    int64
	ModTime time.Time
	Stamp   FileStamp
}

// Refs is List without the files that are no rollouts.
func (h *Home) Refs(ctx context.Context, report func(diag.Diagnostic)) ([]Ref, error) {
	l, err := h.List(ctx, report)
	if err != nil {
		return nil, err
	}
	return l.Refs, nil
}

// workers is how many files are looked at together. Each may hold 16 MiB of a
// hostile file, and a decoder with a window of 64 MiB.
func workers() int { return min(runtime.GOMAXPROCS(0), 2) }

// List finds the rollouts below the root: each file named rollout-*.jsonl or
// rollout-*.jsonl.zst, whatever it holds, and each other *.jsonl or *.jsonl.zst
// whose head is one's. What cannot be read is a diagnostic, and all others are
// still found; report is called from one goroutine, in the order of the paths.
// An error means that the context has ended.
func (h *Home) List(ctx context.Context, report func(diag.Diagnostic)) (*Listing, error) {
	var found []candidate
	var diags []diag.Diagnostic
	if h.Kind == KindFile {
		found = []candidate{h.single()}
	} else {
		w, err := h.walk(ctx)
		if err != nil {
			return nil, err
		}
		found, diags = w.found, w.diags
	}
	results := h.probeAll(ctx, groups(found))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l := &Listing{}
	refs := make([]*Ref, 0, len(results))
	for i := range results {
		if results[i].ref != nil {
			refs = append(refs, results[i].ref)
		}
		l.Others = append(l.Others, results[i].others...)
		diags = append(diags, results[i].diags...)
	}
	slices.SortFunc(refs, func(a, b *Ref) int { return cmp.Compare(a.Path, b.Path) })
	l.Refs = make([]Ref, len(refs))
	for i, ref := range refs {
		l.Refs[i] = *ref
	}
	slices.SortFunc(l.Others, func(a, b Other) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortStableFunc(diags, func(a, b diag.Diagnostic) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Code, b.Code))
	})
	for _, d := range diags {
		report(d)
	}
	return l, nil
}

// single is the one file that was chosen.
func (h *Home) single() candidate {
	c := candidate{path: h.file, name: ParseName(h.file)}
	_, c.zst = cutSuffix(h.file, ".zst")
	c.archived = strings.HasSuffix(strings.ReplaceAll(h.tree.Path(), `\`, "/"), "/"+archivedDir)
	return c
}

// A result is what became of a group of copies.
type result struct {
	ref    *Ref // nil where none could be used
	others []Other
	diags  []diag.Diagnostic
}

func (h *Home) probeAll(ctx context.Context, groups [][]candidate) []result {
	results := make([]result, len(groups))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers() {
		wg.Go(func() {
			p := prober{ctx: ctx, tree: h.tree, memory: h.Memory, brief: h.Brief}
			defer p.close()
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(groups) {
					return
				}
				results[i] = p.group(groups[i])
			}
		})
	}
	wg.Wait()
	return results
}

// group looks at the copies of a rollout until one is good: it could be opened
// and its head has a session_meta. If none is, the first that could be opened
// counts. The others are reported.
func (p *prober) group(copies []candidate) (out result) {
	var used *Ref
	var spare []string // copies that could have been used
	for i := range copies {
		if used != nil && used.MetaLine > 0 {
			spare = append(spare, copies[i].path)
			continue
		}
		ref, other, diags := p.probe(&copies[i])
		out.diags = append(out.diags, diags...)
		switch {
		case other != nil:
			out.others = append(out.others, *other)
		case ref == nil:
		case used == nil:
			used = ref
		case ref.MetaLine > 0:
			spare = append(spare, used.Path)
			used = ref
		default:
			spare = append(spare, ref.Path)
		}
	}
	out.ref = used
	for _, name := range spare {
		out.diags = append(out.diags, about(name, DuplicateFile, used.Path+" is used"))
	}
	return out
}
