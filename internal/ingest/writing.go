package ingest

import (
	"context"

	"rollbook/internal/store"
)

// A writing replaces one stream of the store, while it is read. Rows go over to
// the writing goroutine in batches.
type writing struct {
	r     *run
	snap  *store.Snapshot // used by the writing goroutine alone
	rows  []*store.Row
	bytes int
}

// The size of a batch, and how much may wait between the two goroutines, in
// units of bytes.
const (
	batchRows  = 512
	batchBytes = 2 << 20
	roomUnit   = 64 << 10
	rooms      = 64
)

// begin takes away what the stream has from an event on.
func (r *run) begin(ctx context.Context, stream string, t *store.Thread, from int) (*writing, error) {
	p := &writing{r: r}
	return p, r.do(ctx, func(w *store.Writer) (err error) {
		p.snap, err = w.Replace(stream, t, from)
		return err
	})
}

func (p *writing) add(ctx context.Context, row *store.Row) error {
	p.rows = append(p.rows, row)
	if p.bytes += row.Size(); len(p.rows) < batchRows && p.bytes < batchBytes {
		return nil
	}
	return p.flush(ctx)
}

func (p *writing) flush(ctx context.Context) error {
	rows, bytes := p.rows, p.bytes
	p.rows, p.bytes = nil, 0
	if len(rows) == 0 {
		return nil
	}
	packed := make(chan struct{})
	go func() { // the next batch is read meanwhile
		defer close(packed)
		for _, row := range rows {
			row.Pack()
		}
	}()
	room := min(bytes/roomUnit+1, rooms)
	for range room {
		select {
		case p.r.room <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return p.r.do(ctx, func(*store.Writer) error {
		defer func() {
			for range room {
				<-p.r.room
			}
		}()
		<-packed
		for _, row := range rows {
			if err := p.snap.Add(row); err != nil {
				return err
			}
		}
		return nil
	})
}

// finish makes what was added what the store holds.
func (p *writing) finish(ctx context.Context, t *store.Thread, sources []*store.Source) error {
	if err := p.flush(ctx); err != nil {
		return err
	}
	diags := p.r.found.take()
	return p.r.do(ctx, func(*store.Writer) error { return p.snap.Finish(t, sources, diags) })
}

// abandon leaves the stream as it was. It works after the end of ctx too, for
// the writing goroutine takes what it is given until reading ends.
func (p *writing) abandon() {
	p.r.work <- func(*store.Writer) error {
		if p.snap == nil {
			return nil // it never began
		}
		return p.snap.Abandon()
	}
}
