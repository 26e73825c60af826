package ingest

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"rollbook/internal/assemble"
	"rollbook/internal/discover"
	"rollbook/internal/store"
)

// finish hands over what is known of the thread and its files.
func (rd *reading) finish(ctx context.Context) error {
	sources, err := rd.sources()
	if err != nil {
		return err
	}
	t, err := rd.thread()
	if err != nil {
		return err
	}
	for _, src := range sources {
		rd.limits(src)
	}
	rd.keep(rd.own.take())
	if err := rd.put.finish(ctx, t, sources); err != nil {
		return err
	}
	rd.known.Threads[t.ID] = t
	for _, src := range sources {
		rd.known.Sources[src.Key] = src
		rd.add(src.Counts)
	}
	return nil
}

// sources makes the rows of the thread's own files that were read.
func (rd *reading) sources() ([]*store.Source, error) {
	var list []*store.Source
	for i := range rd.read.Files {
		a := &rd.read.Files[i]
		d := rd.digests[a.Ref.Path]
		if d == nil {
			continue // not read this time: what is known of it stays
		}
		src := rd.rt.source(&a.Ref)
		src.Import, src.Adapter = rd.id, Adapter
		src.TextSize, src.Lines, src.Head, src.Whole = d.lines, int(a.Counts.Lines), d.firstSum(), d.whole.Sum64()
		src.Partial = rd.cut && i == len(rd.read.Files)-1
		src.Counts = a.Counts
		src.Counts.Files = 1
		if src.Compressed {
			src.Counts.Compressed = 1
		}
		if a.Ref.Subagent() && i == len(rd.read.Files)-1 {
			src.Counts.Subagents = 1
		}
		if c := rd.counts[src.Key]; c != nil {
			src.Counts.Add(*c)
		}
		if err := rd.ends(src, &a.Ref); err != nil {
			return nil, err
		}
		src.Resume = rd.generate(src.Key)
		list = append(list, src)
	}
	return list, nil
}

// ends takes the digests of both ends of what was read. A compressed file never
// grows, and is compared as a whole.
func (rd *reading) ends(src *store.Source, ref *discover.Ref) error {
	if src.Compressed {
		return nil
	}
	f, err := rd.rt.opener.Open(*ref)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := endSums(f, src); err != nil {
		return fmt.Errorf("%s: %w: %w", ref.Path, assemble.ErrChanged, err)
	}
	return nil
}

// endSums takes the digests of both ends of what was read of a plain file.
func endSums(f io.ReaderAt, src *store.Source) (err error) {
	if src.Head, err = headSum(f, src.TextSize); err == nil {
		src.Tail, err = tailSum(f, src.TextSize)
	}
	return err
}

// source makes the row of a rollout, as far as its place tells.
func (rt *root) source(ref *discover.Ref) *store.Source {
	return &store.Source{Key: rolloutKey(ref.FileID()), Kind: "rollout", Root: rt.home.Path(), Path: ref.Path, Size: ref.Stamp.Size,
		ModTime: ref.Stamp.ModTime, ChangeTime: ref.Stamp.ChangeTime, Device: ref.Stamp.Device, Inode: ref.Stamp.Inode,
		Compressed: ref.Compressed, Archived: ref.Archived}
}

// thread makes the row of the thread.
func (rd *reading) thread() (*store.Thread, error) {
	t := rd.meta()
	t.Partial = rd.cut
	s := resume{Seq: rd.last, Print: uint64(rd.print), Bases: rd.bases()}
	if err := rd.resumeAt(&s); err != nil {
		return nil, err
	}
	var err error
	t.Resume, err = s.encode()
	return t, err
}

// meta makes the row of the thread, as far as the survey tells.
func (rd *reading) meta() *store.Thread {
	t := &store.Thread{Meta: rd.read.Thread.Meta, Current: rd.t.key(), Sources: rd.t.keys(), Gaps: rd.t.gaps, Adapter: Adapter}
	t.Files, t.Segments = nil, nil // the sources tell, and may move
	rd.rt.enrich(t, rd.old)
	return t
}

// resumeAt adds where reading may go on.
func (rd *reading) resumeAt(s *resume) error {
	last := rd.t.last()
	mark := rd.read.Mark()
	d := rd.digests[last.Path]
	if rd.cut || mark == nil || d == nil || last.Compressed {
		return nil
	}
	for _, m := range rd.turns {
		if m.seq != mark.Events() {
			continue
		}
		var err error
		if s.Digest, err = d.state(); err != nil {
			return err
		}
		if s.Mark, err = mark.MarshalBinary(); err != nil {
			return err
		}
		s.AtMark, s.Counts = uint64(m.print), m.counts
	}
	return nil
}

// bases notes by which reading of its bases the thread was made.
func (rd *reading) bases() map[string]int64 {
	var m map[string]int64
	for i := range rd.t.bases {
		if m == nil {
			m = make(map[string]int64)
		}
		key := rolloutKey(rd.t.bases[i].FileID())
		m[key] = rd.generation(key)
	}
	return m
}

// limits notes what limits left out of a source.
func (rd *reading) limits(src *store.Source) {
	for _, d := range rd.limitFindings(src) {
		rd.find(d, src.Key)
	}
}

// generation gives the run that read a source whole last.
func (r *run) generation(key string) int64 {
	if src := r.known.Sources[key]; src != nil && len(src.Resume) == 8 {
		return int64(binary.LittleEndian.Uint64(src.Resume))
	}
	return 0
}

// generate says by which run a source was read whole: this one, unless it was
// only gone on with.
func (rd *reading) generate(key string) []byte {
	n := rd.id
	if rd.mark != nil {
		n = rd.generation(key)
	}
	return binary.LittleEndian.AppendUint64(nil, uint64(n))
}
