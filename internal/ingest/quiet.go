package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"maps"
	"slices"
	"strconv"
	"time"

	"rollbook/internal/discover"
	"rollbook/internal/store"
)

// A quiet root is one below which the last import found nothing to do. Where the
// files and the home's lists are what they were then, and the store too, there is
// nothing to do again, and what the store knows of each file need not be read.

// mark is a digest of all that decides what is to be done below a root: which
// files lie there (the same files are the same threads), their stamps, and what the home's lists say of threads.
func (rt *root) mark() []byte {
	m := marker{h: sha256.New()}
	m.number(Adapter)
	m.number(int64(rt.home.Kind))
	for i := range rt.refs {
		m.file(rt.refs[i].Path, &rt.refs[i].Stamp)
	}
	for i := range rt.docs {
		m.file(rt.docs[i].path, &rt.docs[i].stamp)
	}
	if rt.known == nil {
		return m.sum()
	}
	for _, id := range slices.Sorted(maps.Keys(rt.known.Titles)) {
		t := rt.known.Titles[id]
		m.text(id)
		m.text(t.Text)
		m.text(t.Source)
		m.text(strconv.FormatBool(t.Prompt))
	}
	if state := rt.known.State; state != nil {
		for _, id := range slices.Sorted(maps.Keys(state.Threads)) {
			m.text(id)
			m.text(state.Threads[id].Cwd)
		}
	}
	return m.sum()
}

// A marker makes a mark. Each text has its length before it, so that no two lists
// are the same bytes.
type marker struct {
	h   hash.Hash
	buf []byte
}

func (m *marker) text(s string) {
	m.number(int64(len(s)))
	m.buf = append(m.buf, s...)
}

func (m *marker) number(n int64) {
	if len(m.buf) > 32<<10 {
		m.h.Write(m.buf)
		m.buf = m.buf[:0]
	}
	m.buf = binary.AppendVarint(m.buf, n)
}

func (m *marker) file(path string, s *discover.FileStamp) {
	m.text(path)
	for _, n := range [...]int64{s.Size, nanos(s.ModTime), nanos(s.ChangeTime), int64(s.Device), int64(s.Inode)} {
		m.number(n)
	}
}

func (m *marker) sum() []byte {
	m.h.Write(m.buf)
	return m.h.Sum(nil)
}

// nanos gives a time as a number; the zero time has one of its own.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return -1
	}
	return t.UnixNano()
}

// isQuiet reports whether there is nothing to do below a root, as the store
// remembers it and as far as this run has left it.
func (r *run) isQuiet(rt *root, mark []byte) bool {
	return !r.opt.Verify && r.calm && bytes.Equal(r.quiet[rt.chosen()], mark)
}

// noteQuiet notes the roots below which there was nothing to do, if that is so of
// all: what is done for one may change what is to be done for another.
func (r *run) noteQuiet(ctx context.Context, marks map[string][]byte) error {
	if !r.calm {
		return nil
	}
	for root, mark := range marks {
		if bytes.Equal(r.quiet[root], mark) {
			continue
		}
		if err := r.do(ctx, func(w *store.Writer) error { return w.PutQuiet(root, mark) }); err != nil {
			return err
		}
	}
	return nil
}

// recall reads what the store knows, once it is needed.
func (r *run) recall(ctx context.Context) error {
	if r.known.Sources != nil {
		return nil
	}
	done := make(chan struct{})
	err := r.do(ctx, func(w *store.Writer) (err error) {
		defer close(done)
		if r.known.Sources, err = w.Sources(); err != nil {
			return err
		}
		r.known.Threads, err = w.Threads()
		return err
	})
	if err != nil {
		return err
	}
	select {
	case <-done:
		return ctx.Err()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
