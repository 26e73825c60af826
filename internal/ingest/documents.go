package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/document"
	"rollbook/internal/ledger"
	"rollbook/internal/store"
	"rollbook/internal/transcript"
)

// decideDocument decides about a file that is no rollout.
func (r *run) decideDocument(rt *root, doc *docFile) (verdict, error) {
	src := r.known.Sources[rt.abs(doc.path)]
	switch {
	case src == nil:
		return verdict{action: Add}, nil
	case src.Adapter != Adapter:
		return verdict{action: Replace}, nil
	case stampOf(src) == doc.stamp && !r.opt.Verify:
		return r.unchanged(src, false), nil
	}
	f, err := rt.file(doc.path)
	if err != nil {
		return verdict{}, err
	}
	defer f.Close()
	var s state
	if r.opt.Verify {
		var sum uint64
		var more bool
		sum, more, err = wholeSum(f, src.TextSize)
		switch {
		case err != nil || sum != src.Whole:
			s = changed
		case more:
			s = grown
		default:
			s = same
		}
	} else if s, err = edgeState(f, src); err != nil {
		return verdict{}, err
	}
	switch s {
	case same:
		return r.unchanged(src, stampOf(src) != doc.stamp), nil
	case grown:
		if was, err := decodeResume(src.Resume); err == nil && was.Mark != nil && !src.Partial {
			return verdict{action: Append}, nil
		}
	}
	return verdict{action: Replace}, nil
}

// unchanged is the verdict about a source that says what it said.
func (r *run) unchanged(src *store.Source, moved bool) verdict {
	switch {
	case src.Partial:
		return verdict{action: Continue}
	case moved:
		return verdict{action: Relocate, moved: true}
	}
	return verdict{action: Unchanged}
}

// takeDocument brings a file that is no rollout into the store.
func (r *run) takeDocument(ctx context.Context, rt *root, doc *docFile) (verdict, error) {
	key := rt.abs(doc.path)
	v, err := r.judgeDocument(rt, doc)
	if err != nil {
		v = verdict{action: Skip, code: FileUnread, why: err.Error()}
	}
	switch v.action {
	case Skip:
		r.refuse(v, doc.path, key)
		return v, r.flushDiags(ctx)
	case Unchanged:
		return v, nil
	case Relocate:
		now := *r.known.Sources[key]
		setStamp(&now, doc.stamp)
		r.known.Sources[key] = &now
		return v, r.do(ctx, func(w *store.Writer) error { return w.PutSource(&now) })
	}
	left := r.left
	rd := &docReading{run: r, rt: rt, doc: doc, key: key, v: v}
	err = rd.all(ctx)
	if errors.Is(err, errOther) || errors.Is(err, document.ErrWhole) {
		r.left = left
		rd = &docReading{run: r, rt: rt, doc: doc, key: key, v: verdict{action: Replace}}
		err = rd.all(ctx)
	}
	if err == nil {
		return rd.v, nil
	}
	r.left = left
	if ctx.Err() != nil {
		return v, context.Cause(ctx)
	}
	v = verdict{action: Skip, code: FileUnread, why: err.Error()}
	if invalid := (*document.InvalidError)(nil); errors.As(err, &invalid) {
		v.code = invalid.Code()
	}
	if errors.Is(err, errShorter) {
		v.code = RecordLimit
	}
	r.refuse(v, doc.path, key)
	return v, r.flushDiags(ctx)
}

// judgeDocument decides about a document, the limit for files included.
func (r *run) judgeDocument(rt *root, doc *docFile) (verdict, error) {
	v, err := r.decideDocument(rt, doc)
	if err == nil && v.action != Unchanged && doc.stamp.Size > r.opt.MaxFile {
		v = verdict{action: Skip, code: FileLimit, why: fmt.Sprintf("%d bytes, more than the limit of %d (--max-file)", doc.stamp.Size, r.opt.MaxFile)}
	}
	return v, err
}

func setStamp(src *store.Source, s discover.FileStamp) {
	src.Size, src.ModTime, src.ChangeTime, src.Device, src.Inode = s.Size, s.ModTime, s.ChangeTime, s.Device, s.Inode
}

// A docReading is one document on its way into the store.
type docReading struct {
	*run
	rt  *root
	doc *docFile
	key string
	v   verdict

	old    *store.Source
	was    resume
	from   *document.Place
	digest *digester
	read   *document.Reading
	put    *writing
	counts ledger.Counts // what rows tell
	seq    int           // of the entry at hand
	last   int           // of the last entry that was read into the store
	print  print
	before docMark // what was counted before the entry at hand
	cut    bool
	own    findings
}

// A docMark is what was counted up to an entry.
type docMark struct {
	seq    int
	print  print
	counts ledger.Counts
}

func (rd *docReading) all(ctx context.Context) error {
	if err := rd.open(); err != nil {
		return err
	}
	var err error
	if rd.put, err = rd.begin(ctx, rd.key, nil, rd.last+1); err != nil {
		return err
	}
	if err = rd.entries(ctx); err == nil && rd.cut && rd.last < rd.was.Seq {
		err = errShorter
	}
	if err == nil {
		err = rd.finish(ctx)
	}
	if err != nil {
		rd.put.abandon()
	}
	return err
}

func (rd *docReading) open() (err error) {
	rd.digest = newDigester(0)
	if rd.old = rd.known.Sources[rd.key]; rd.old != nil {
		if rd.was, err = decodeResume(rd.old.Resume); err != nil {
			rd.v.action = Replace
		}
	}
	switch rd.v.action {
	case Append:
		if rd.from, err = document.DecodePlace(rd.was.Mark); err == nil {
			err = rd.digest.resume(rd.was.Digest, rd.old.TextSize, rd.from.Offset)
		}
		if err != nil {
			rd.from, rd.digest, rd.v.action = nil, newDigester(0), Replace
			break
		}
		rd.last, rd.seq, rd.print = rd.from.Entries, rd.from.Entries, print(rd.was.AtMark)
		rd.counts = rd.was.Counts[rd.key]
	case Continue:
		rd.last = rd.was.Seq
	}
	base := path.Base(rd.doc.path)
	opt := document.Options{Name: rd.doc.path, Stem: strings.TrimSuffix(base, path.Ext(base)), From: rd.from, Tee: rd.digest,
		Report: func(d diag.Diagnostic, item int) {
			rd.own.add(store.Diagnostic{Diagnostic: d, Source: rd.key, Item: item, Count: 1})
		}}
	if rd.opt.MaxLine != None {
		opt.Line = rd.opt.MaxLine
	}
	rd.read, err = document.Read(func() (io.ReadCloser, error) {
		return rd.rt.file(rd.doc.path)
	}, opt)
	return err
}

// entries hands the entries to the store, as far as the limit lets it.
func (rd *docReading) entries(ctx context.Context) error {
	known := rd.last
	for en, err := range rd.read.Entries {
		if err != nil {
			return err
		}
		if en.Thread != nil {
			continue // a thread line: what it says the events say too
		}
		rd.before = docMark{rd.seq, rd.print, rd.counts}
		rd.seq++
		if rd.seq == known+1 && rd.v.action == Continue && uint64(rd.print) != rd.was.Print {
			return errOther
		}
		row := rd.row(en)
		if row != nil && rd.seq > known && counted(row) {
			if rd.left == 0 {
				rd.cut, rd.full = true, true
				return nil
			}
			rd.left--
		}
		rd.print.add(&en.Event, rd.key)
		if row != nil && counted(row) {
			countRow(&rd.counts, row)
		}
		if rd.seq <= known {
			continue
		}
		if rd.last = rd.seq; row == nil {
			continue
		}
		if err := rd.put.add(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

// row makes a row of an entry; nil where nothing of it is stored.
func (rd *docReading) row(en *document.Entry) *store.Row {
	if rd.opt.MessagesOnly && !messageKind(en.Event.Kind) {
		return nil
	}
	return store.Encode(&en.Event, rd.prepare(en))
}

// prepare says as what an entry is stored.
func (rd *docReading) prepare(en *document.Entry) store.RowInfo {
	at := store.RowInfo{Thread: en.ThreadID, Project: en.Project, Source: rd.key, Channel: docChannel(en), Seq: rd.seq,
		Line: en.Position.Line, Item: en.Item, Offset: en.Position.Offset, Text: rd.opt.textLimit()}
	if en.Event.Inherited {
		at.Flags |= store.Inherited
	}
	if en.TimeInherited {
		at.Flags |= store.TimeInherited
	}
	if en.Natural {
		at.Flags |= store.Natural
	}
	if en.Event.Kind == transcript.Usage {
		at.Usage = docUsage(en)
	}
	return at
}

// docChannel says by which kind of line an entry came in.
func docChannel(en *document.Entry) store.Channel {
	switch {
	case en.Event.Kind == transcript.Usage:
		return store.ChannelUsage
	case en.Shape == document.History:
		return store.ChannelHistory
	case en.Shape == document.Rollout && !en.Response:
		return store.ChannelEvent
	case en.Shape == document.Rollout:
		return store.ChannelResponse
	}
	return store.ChannelNormalized
}

func docUsage(en *document.Entry) *store.Usage {
	u := &store.Usage{NoCached: en.NoCached, NoReasoning: en.NoReasoning, ResponseID: en.ResponseID}
	if en.Event.Usage != nil {
		u.TokenUsage = *en.Event.Usage
	}
	switch {
	case en.Snapshot:
		u.Kind = store.UsageSnapshot
	case en.ResponseID != "":
		u.Kind = store.UsageResponse
	}
	return u
}
