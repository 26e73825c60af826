package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"

	"rollbook/internal/assemble"
	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/ledger"
	"rollbook/internal/store"
	"rollbook/internal/transcript"
)

// errShorter says that what the limit lets in is less than what the store holds
// already: that stays.
var errShorter = errors.New("the limit for records would cut it before the place that the store reaches (--max-records)")

// errOther says that a thread which a limit had cut gives other events now.
var errOther = errors.New("gives other events than before")

// A reading is one thread on its way into the store.
type reading struct {
	*run
	rt *root
	t  *threadJob
	v  verdict

	old     *store.Thread
	was     resume // of old
	mark    *assemble.Mark
	read    *assemble.Reading
	digests map[string]*digester // by path
	keys    map[string]string    // source keys by path
	bare    map[string]bool      // files of the era without times, by path

	put    *writing
	counts map[string]*ledger.Counts // what events tell, by source key
	turns  []turnMark                // the latest turns
	turn   int
	seq    int // of the event at hand
	last   int // of the last event that was read into the store
	print  print
	clock  clock
	cut    bool
	own    findings // that count if the reading does
}

// find notes what was found wrong, for the case that the reading counts.
func (rd *reading) find(d diag.Diagnostic, key string) {
	rd.own.add(store.Diagnostic{Diagnostic: d, Source: key, Count: 1})
}

// A turnMark is what was counted before a turn.
type turnMark struct {
	seq    int // of the last event before it
	print  print
	counts map[string]ledger.Counts
}

// marksKept is how many turns back a mark may lie.
const marksKept = 16

// read reads a thread and hands it to the store.
func (r *run) read(ctx context.Context, rt *root, t *threadJob, v verdict) (*reading, error) {
	for {
		rd, err := r.survey(ctx, rt, t, v)
		if err == nil {
			err = rd.store(ctx)
		}
		switch {
		case errors.Is(err, errOther), errors.Is(err, assemble.ErrNotResumable):
			v.action = Replace
			continue
		}
		return rd, err
	}
}

func (r *run) newReading(rt *root, t *threadJob, v verdict, old *store.Thread) *reading {
	rd := &reading{run: r, rt: rt, t: t, v: v, old: old, counts: make(map[string]*ledger.Counts),
		digests: make(map[string]*digester), keys: make(map[string]string), bare: make(map[string]bool)}
	for _, ref := range t.files() {
		rd.keys[ref.Path] = rolloutKey(ref.FileID())
		rd.bare[ref.Path] = ref.Bare
	}
	return rd
}

// survey begins the reading of a thread, unless that was done ahead of its turn.
func (r *run) survey(ctx context.Context, rt *root, t *threadJob, v verdict) (*reading, error) {
	if rt.ahead != nil {
		if rd, err, ok := rt.ahead.take(t); ok {
			return rd, err
		}
	}
	rd := r.newReading(rt, t, v, r.known.Threads[t.id])
	return rd, rd.open(ctx)
}

// store hands what the thread says to the store.
func (rd *reading) store(ctx context.Context) (err error) {
	if rd.put, err = rd.begin(ctx, streamKey(rd.t.id), rd.meta(), rd.last+1); err != nil {
		return err
	}
	if err = rd.events(ctx); err == nil {
		err = rd.check()
	}
	if err == nil {
		err = rd.finish(ctx)
	}
	if err != nil {
		rd.put.abandon()
	}
	return err
}

// streamKey is the key of the stream that holds what a thread's rollouts say.
func streamKey(thread string) string { return "thread:" + thread }

// open surveys the thread, from its mark on where it has only grown.
func (rd *reading) open(ctx context.Context) (err error) {
	if rd.old != nil && len(rd.old.Resume) > 0 {
		if rd.was, err = decodeResume(rd.old.Resume); err != nil {
			rd.v.action = Replace // of another version, or damaged: it is only a help
		}
	}
	if rd.v.action == Append {
		rd.mark = new(assemble.Mark)
		if err = rd.mark.UnmarshalBinary(rd.was.Mark); err != nil {
			rd.mark, rd.v.action = nil, Replace
		}
	}
	switch rd.v.action {
	case Append:
		rd.last, rd.turn, rd.print = rd.mark.Events(), rd.mark.Turns(), print(rd.was.AtMark)
		for key, c := range rd.was.Counts {
			rd.counts[key] = &c
		}
	case Continue:
		rd.last = rd.was.Seq
	}
	opt := assemble.ReadOptions{From: rd.mark, Digest: rd.digest, Report: func(d diag.Diagnostic) { rd.find(d, rd.keys[d.File]) }}
	if rd.opt.MaxLine != None {
		opt.Line = rd.opt.MaxLine
	}
	rd.read, err = rd.rt.lib.Read(ctx, rd.t.id, opt)
	return err
}

// digest gives what takes the text of a file as it is read.
func (rd *reading) digest(ref *discover.Ref) io.Writer {
	limit := rd.opt.MaxFile
	if limit == None {
		limit = 0
	}
	d := newDigester(limit)
	if rd.mark != nil {
		src := rd.known.Sources[rd.old.Current]
		d.err = d.resume(rd.was.Digest, src.TextSize, rd.mark.Offset())
	}
	rd.digests[ref.Path] = d
	return d
}

// events hands the events to the store, as far as the limit lets it.
func (rd *reading) events(ctx context.Context) error {
	known := rd.last
	for ev, err := range rd.read.Thread.Events {
		if err != nil {
			return err
		}
		rd.seq = ev.Seq
		if ev.Kind == transcript.TurnStart {
			rd.turned()
		}
		if ev.Seq == known+1 && rd.v.action == Continue && uint64(rd.print) != rd.was.Print {
			return errOther
		}
		key := rd.keys[ev.Source.File]
		row := rd.row(ev, key)
		if row != nil && ev.Seq > known && counted(row) {
			if rd.left == 0 {
				rd.cut, rd.full = true, true
				return nil
			}
			rd.left--
		}
		rd.print.add(ev, key)
		if row != nil {
			rd.count(row, key)
		}
		if row == nil || ev.Seq <= known {
			continue
		}
		rd.last = ev.Seq
		if err := rd.put.add(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

// turned notes what was counted before the turn at hand.
func (rd *reading) turned() {
	rd.turn++
	m := turnMark{seq: rd.seq - 1, print: rd.print, counts: make(map[string]ledger.Counts, len(rd.counts))}
	for key, c := range rd.counts {
		m.counts[key] = *c
	}
	if len(rd.turns) == marksKept {
		rd.turns = append(rd.turns[:0], rd.turns[1:]...)
	}
	rd.turns = append(rd.turns, m)
}

// check says why what was read is not kept.
func (rd *reading) check() error {
	for path, d := range rd.digests {
		switch {
		case d.over:
			return fmt.Errorf("%s: %w of %d bytes (--max-file)", path, errTooLarge, rd.opt.MaxFile)
		case d.err != nil:
			return fmt.Errorf("%s: %w", path, d.err)
		}
	}
	if rd.cut && rd.last < rd.was.Seq {
		return errShorter
	}
	return nil
}
