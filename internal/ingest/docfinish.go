package ingest

import (
	"context"
	"fmt"

	"rollbook/internal/diag"
	"rollbook/internal/ledger"
	"rollbook/internal/store"
)

// finish hands over what is known of the document.
func (rd *docReading) finish(ctx context.Context) error {
	src, err := rd.source()
	if err != nil {
		return err
	}
	rd.limits(src)
	rd.keep(rd.own.take())
	if err := rd.put.finish(ctx, nil, []*store.Source{src}); err != nil {
		return err
	}
	rd.known.Sources[rd.key] = src
	rd.add(src.Counts)
	return nil
}

func (rd *docReading) source() (*store.Source, error) {
	src := &store.Source{Key: rd.key, Kind: rd.read.Shape().String(), Root: rd.rt.home.Path(), Path: rd.doc.path, Import: rd.id,
		Adapter: Adapter, Partial: rd.cut, Counts: *rd.read.Counts}
	setStamp(src, rd.doc.stamp)
	d := rd.digest
	src.TextSize, src.Whole, src.Lines = d.lines, d.whole.Sum64(), int(src.Counts.Lines)
	src.Counts.Files = 1
	src.Counts.Add(rd.counts)
	f, err := rd.rt.file(rd.doc.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := endSums(f, src); err != nil {
		return nil, fmt.Errorf("changed while it was read: %w", err)
	}
	return src, rd.resume(src)
}

// resume notes where reading may go on.
func (rd *docReading) resume(src *store.Source) (err error) {
	s := resume{Seq: rd.last, Print: uint64(rd.print)}
	if place := rd.read.Place(); place != nil && !rd.cut {
		at := docMark{rd.seq, rd.print, rd.counts}
		if place.Entries == rd.before.seq && rd.seq > 0 { // the last line has no end yet
			at = rd.before
		}
		if place.Entries == at.seq {
			if s.Mark, err = place.Encode(); err == nil {
				s.Digest, err = rd.digest.state()
			}
			s.AtMark, s.Counts = uint64(at.print), map[string]ledger.Counts{rd.key: at.counts}
		}
	}
	if err == nil {
		src.Resume, err = s.encode()
	}
	return err
}

// limits notes what limits left out of the document.
func (rd *docReading) limits(src *store.Source) {
	for _, d := range rd.limitFindings(src) {
		rd.own.add(store.Diagnostic{Diagnostic: d, Source: src.Key, Count: 1})
	}
}

// limitFindings says what limits left out of a source.
func (r *run) limitFindings(src *store.Source) (list []diag.Diagnostic) {
	add := func(code diag.Code, format string, args ...any) {
		r.summary.Partial = true
		list = append(list, diag.Diagnostic{Position: diag.Position{File: src.Path}, Code: code, Message: fmt.Sprintf(format, args...)})
	}
	if n := src.Counts.Oversized; n > 0 {
		add(LineLimit, "%d lines are longer than %d bytes and were left out (--max-line)", n, r.opt.MaxLine)
	}
	if n := src.Counts.Truncated; n > 0 {
		add(TextLimit, "%d messages are longer than %d characters and were cut (--max-text)", n, r.opt.MaxText)
	}
	if src.Partial {
		add(RecordLimit, "stopped after %d messages (--max-records); the next import goes on here", r.opt.MaxRecords)
	}
	return list
}
