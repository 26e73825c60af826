package assemble

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/fsx"
	"rollbook/internal/rollout"
)

// A span is a part of one file that belongs to a thread: the file from its
// start up to a cut.
type span struct {
	ref       *discover.Ref
	base      *discover.Base // how the span above names this one's end; nil for a whole file
	end       int64          // byte of the cut, once it is found; -1 before, and where there is none
	inherited bool           // the file is another thread's
	gap       string         // why what should come before this span is missing
	wrong     string         // what was found wrong at the cut
	ordinal   int64          // highest ordinal before the cut; -1 for none
	size      int64          // bytes that were read of it at first; -1 before. No more are read again: it may grow
	lost      string         // why it could not be read to its end
	first     int32          // number of its first record
	last      int32          // and of its last one, which is less where it has none
	whole     int64          // where the last line that a line feed ends, ends
	split     int64          // a byte, and
	behind    int32          // the first record at or behind it; 0 for none
	tee       io.Writer      // takes the text that is read; may be nil

	from       *Mark // where reading it begins; nil for the start
	compressed bool
}

func newSpan(ref *discover.Ref) span { return span{ref: ref, end: -1, ordinal: -1, size: -1} }

// maxChain is the longest chain of bases that is followed. Codex makes one link
// for each revert or fork.
const maxChain = 10_000

// chain gives the spans of the active view, oldest first: the current file and
// the bases below it (F5). A base that is missing, or that leads back into the
// chain, ends it with a gap.
func (l *Library) chain(g *group) []span {
	spans := []span{newSpan(g.current)} // newest first
	seen := map[*discover.Ref]bool{g.current: true}
	for {
		top := &spans[len(spans)-1]
		base := top.ref.Base
		if base == nil {
			break
		}
		ref := l.files[base.ThreadID]
		if ref == nil {
			l.gap(top, BaseMissing, fmt.Sprintf("history before this file is in %s, which is not here", base.ThreadID))
			break
		}
		if seen[ref] {
			l.gap(top, BaseCycle, fmt.Sprintf("history before this file is in %s, which leads back here", base.ThreadID))
			break
		}
		if len(spans) >= maxChain {
			l.gap(top, BaseCycle, fmt.Sprintf("history before this file is in %s, behind more than %d others", base.ThreadID, maxChain))
			break
		}
		seen[ref] = true
		below := newSpan(ref)
		below.base, below.inherited = base, ref.ID != g.id
		spans = append(spans, below)
	}
	slices.Reverse(spans)
	return spans
}

// physical gives the spans of the physical view: every file of the thread, whole,
// in the order in which they were begun.
func (g *group) physical() []span {
	spans := make([]span, len(g.files))
	for i, ref := range g.files {
		spans[i] = newSpan(ref)
	}
	return spans
}

// gap notes that something is missing before a span. The place is the record
// that names the base.
func (l *Library) gap(s *span, code diag.Code, why string) {
	s.gap = why
	l.report(diag.Diagnostic{Position: diag.Position{File: s.ref.Path, Line: max(s.ref.MetaLine, 1)}, Code: code, Message: why})
}

// past reports whether a record lies behind the cut of its span, and notes
// where the two ways to name the cut disagree. Where records have ordinals the
// ordinal decides: a file that was rewritten keeps them, and its bytes move
// (F5, F9). Duplicate ordinals and gaps between them are usual: where all that
// the ordinal asks for was read, or a line has none, the byte of the cut decides.
func (s *span) past(rec *rollout.Record) bool {
	if s.base == nil {
		return false
	}
	if s.end >= 0 {
		return rec.Offset >= s.end
	}
	byByte := s.base.EndByte >= 0 && rec.Offset >= s.base.EndByte
	ordinal, ok := rec.Envelope.Ordinal.Int()
	if rec.Kind != rollout.Item || !ok || s.base.EndOrdinal < 0 {
		if byByte && (s.ordinal < 0 || rec.Offset == s.base.EndByte) {
			return s.cutAt(rec.Offset)
		}
		return false
	}
	byOrdinal := ordinal >= s.base.EndOrdinal
	if rec.Offset == s.base.EndByte && s.ordinal == s.base.EndOrdinal-1 {
		return s.cutAt(rec.Offset)
	}
	if byByte != byOrdinal && s.base.EndByte >= 0 && s.wrong == "" {
		s.wrong = fmt.Sprintf("the base is cut at ordinal %d and at byte %d, which are not the same place", s.base.EndOrdinal, s.base.EndByte)
	}
	if byOrdinal {
		return s.cutAt(rec.Offset)
	}
	s.ordinal = max(s.ordinal, ordinal)
	return false
}

func (s *span) cutAt(offset int64) bool {
	s.end = offset
	if offset != s.base.EndByte && s.base.EndByte >= 0 && s.wrong == "" {
		s.wrong = fmt.Sprintf("no record begins at byte %d, where the base is cut", s.base.EndByte)
	}
	return true
}

// finish is called at the end of the file. A cut at its very end is right; one
// behind it means that the base has lost records.
func (s *span) finish(size int64) {
	if s.base == nil || s.end >= 0 {
		return
	}
	s.end = size
	switch {
	case s.wrong != "":
	case s.base.EndByte >= 0 && size != s.base.EndByte:
		s.wrong = fmt.Sprintf("the base ends at byte %d, its cut is at %d", size, s.base.EndByte)
	case s.base.EndByte < 0 && s.ordinal < s.base.EndOrdinal-1:
		s.wrong = fmt.Sprintf("the base ends with ordinal %d, its cut is at %d", s.ordinal, s.base.EndOrdinal)
	}
}

// The longest line that is kept. A line of a compressed file may be no longer
// than 256 MiB, because a few bytes can promise any length.
const (
	maxLine           = 1 << 30
	maxCompressedLine = 256 << 20
)

// A record is a line of a span. Its number counts all lines of all spans, so
// that both passes know a record by the same number.
type record struct {
	*rollout.Record
	n    int32
	span *span
}

// maxRecords bounds the number of a thread's records.
const maxRecords = 1<<31 - 2

// ErrChanged is the cause of an error where a file changed while it was read, other
// than by growing: what was learned of it says nothing then.
var ErrChanged = errors.New("changed while it was read")

var (
	errTooManyRecords = errors.New("more records than can be numbered")
)

// records reads the spans one after the other. A file that cannot be read is
// reported by the survey and ends its span.
//
// known is asked of each line before it is scanned (rollout.Options.Known) and
// may be nil.
func (l *Library) records(ctx context.Context, spans []span, known func(n int32, text []byte) bool, lost func(s *span, err error)) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		n := int32(0)
		if from := spans[0].from; from != nil {
			n = from.Records
		}
		for i := range spans {
			s := &spans[i]
			more, err := l.readSpan(ctx, s, &n, known, yield)
			if err != nil {
				if ctx.Err() != nil || errors.Is(err, errTooManyRecords) {
					yield(record{}, err)
					return
				}
				lost(s, err)
			}
			if !more {
				return
			}
		}
	}
}

// text opens the text of a span.
func (s *span) text(f fsx.File) (*rollout.Stream, error) {
	if s.from != nil {
		return s.from.text(f)
	}
	text, err := rollout.Decompress(f, s.ref.Path)
	if err == nil {
		s.compressed = text.Compressed
	}
	return text, err
}

// limit is the longest line of a text that is kept.
func (l *Library) limit(text *rollout.Stream) int {
	limit := int64(maxLine)
	if text.Compressed {
		limit = maxCompressedLine
	}
	if l.line > 0 {
		limit = min(limit, l.line)
	}
	return int(limit)
}

// readSpan gives the records of one span. It reports false where the caller
// wants no more.
func (l *Library) readSpan(ctx context.Context, s *span, n *int32, known func(int32, []byte) bool, yield func(record, error) bool) (more bool, err error) {
	s.first, s.last = *n+1, *n
	f, err := l.opener.Open(*s.ref)
	if err != nil {
		s.size = max(s.size, 0)
		return true, err
	}
	defer f.Close()
	text, err := s.text(f)
	if err != nil {
		s.size = max(s.size, 0)
		return true, err
	}
	defer text.Close()
	opt := rollout.Options{Limits: rollout.Limits{Line: l.limit(text)}, Repair: true}
	if s.from != nil {
		opt.Line, opt.Offset = s.from.mark.Line, s.from.mark.Offset
	}
	if known != nil {
		opt.Known = func(rec *rollout.Record) bool { return known(*n+1, rec.Text) }
	}
	in := io.Reader(text)
	if s.size >= 0 && !text.Compressed { // a compressed file does not grow
		in = io.LimitReader(text, s.size-opt.Offset)
	}
	if s.tee != nil {
		in = io.TeeReader(in, s.tee)
	}
	r := rollout.NewReader(in, opt)
	defer r.Close()
	defer func() {
		s.last = *n
		if s.size < 0 {
			s.size = r.Offset()
		}
	}()
	for rec, err := range r.Records() {
		if err != nil {
			return true, err
		}
		if s.past(rec) {
			return true, nil
		}
		if *n++; *n > maxRecords {
			return false, errTooManyRecords
		}
		if s.behind == 0 && rec.Offset >= s.split {
			s.behind = *n
		}
		if !rec.Final {
			s.whole = rec.Offset + rec.Length
		}
		if *n&1023 == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		if !yield(record{rec, *n, s}, nil) {
			return false, nil
		}
	}
	s.finish(r.Offset())
	return true, nil
}
