package assemble

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"rollbook/internal/discover"
	"rollbook/internal/fsx"
	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// ErrNotResumable is returned where the thread must be read whole: what stands
// behind the mark may say something of what stands before it, or the mark is not
// of this file. Nothing of that reading counts, nor what it reported or gave to
// a digest.
var ErrNotResumable = errors.New("reading cannot go on at the mark")

func notResumable(id, why string) error {
	return fmt.Errorf("thread %s: %w: %s", id, ErrNotResumable, why)
}

// resume surveys a thread from a mark on.
func (l *Library) resume(ctx context.Context, g *group, m *Mark) (*survey, error) {
	links := l.with(nil, nil).chain(g)
	switch {
	case m.Thread != g.id || m.File != g.current.FileID() || m.Limit != l.line:
		return nil, notResumable(g.id, "it is of another file")
	case g.current.Compressed:
		return nil, notResumable(g.id, "the file is compressed")
	case m.Chain != chainPrint(links):
		return nil, notResumable(g.id, "the file is based on other ones")
	case len(g.files) > 1 && !m.UserEvents || slices.ContainsFunc(g.files, g.doubles):
		return nil, notResumable(g.id, "there are other files of the thread")
	}
	s := newSpan(g.current)
	s.from, s.whole, s.split = m, m.mark.Offset, math.MaxInt64
	sv, err := l.walk(ctx, g, []span{s}, nil)
	if err != nil {
		return nil, err
	}
	if s := sv.spans[0]; s.lost != "" {
		return nil, notResumable(g.id, s.lost)
	}
	if sv.records == m.Records {
		return nil, notResumable(g.id, "the file is shorter")
	}
	if sv.watch.doubts != "" {
		return nil, notResumable(g.id, sv.watch.doubts)
	}
	sv.links = links
	return sv, nil
}

// doubles reports whether a file claims to be the current one, and is not.
func (g *group) doubles(ref *discover.Ref) bool {
	return ref != g.current && ref.SegmentID == g.current.SegmentID
}

// chainPrint is what a chain comes to, without the paths of its files.
func chainPrint(spans []span) string {
	h := sha256.New()
	for _, s := range spans {
		fmt.Fprintf(h, "%q %v %t\n", s.ref.FileID(), s.base, s.gap != "")
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// text opens a plain file at the mark. A line must end there.
func (m *Mark) text(f fsx.File) (*rollout.Stream, error) {
	var b [1]byte
	if _, err := f.ReadAt(b[:], m.mark.Offset-1); err != nil && err != io.EOF {
		return nil, err
	}
	if b[0] != '\n' {
		return nil, errMoved
	}
	return rollout.Plain(io.NewSectionReader(f, m.mark.Offset, math.MaxInt64-m.mark.Offset)), nil
}

// begin sets a survey up as it stood at the mark.
func (p *pass) begin(m *Mark) {
	if m == nil {
		return
	}
	p.from, p.records, p.own = m, m.Records, m.Records+1
	p.prints, p.books = newPrints(m.Records), newBooks(m.Records)
	p.userEvents, p.itemsOnly = m.UserEvents, !m.UserEvents
	p.markers, p.losses, p.drop = m.Markers, m.Losses, m.Drop
	if m.Outside {
		p.outside = 1
	}
	p.search.blind = m.Searching
	m.turns(p.turns)
	f := &m.Facts
	p.facts = facts{models: f.Models, versions: f.Versions, created: f.Created, updated: f.Updated, cwd: f.CWD, name: f.Name, prompt: f.Prompt}
	p.meta.ID, p.meta.SessionID, p.meta.Timestamp, p.meta.CWD = m.Meta.ID, m.Meta.SessionID, m.Meta.Timestamp, m.Meta.CWD
	p.meta.Originator, p.meta.CLIVersion, p.meta.ModelProvider, p.meta.Source.Name = m.Meta.Originator, m.Meta.CLIVersion, m.Meta.Provider, m.Meta.Source
}

// turns sets turns up as they stood at the mark.
func (m *Mark) turns(t *turns) {
	t.before, t.most = m.OpenTurns, m.Most
	t.user, t.answer = m.User.twin(), m.Answer.twin()
}

// begin sets the second pass up as it stood at the mark.
func (e *emitter) begin(m *Mark) {
	if m == nil {
		return
	}
	e.seq, e.model = m.mark.Events, m.Model
	e.tokens = tokens{total: m.Total, counted: m.Counted, recorded: m.Recorded}
	m.turns(e.turns)
}

// settle looks, behind the last record, at what only the whole of it can have
// changed before the mark.
func (p *pass) settle() {
	switch {
	case p.from == nil:
	case p.drop != p.from.Drop:
		p.doubt("the header says of the thread that it is another's")
	case p.from.Standing && !p.standsIn(-1):
		p.doubt("the first marks of turns")
	}
}

// A footing is how the second pass stood at the start of a turn.
type footing struct {
	turn   int // index of the turn
	events int
	model  string
	tokens tokens
}

// take keeps how the second pass stands where a turn begins, if reading could go
// on there: nothing waits but the user item that the turn begins with.
func (e *emitter) take(turn int) {
	if e.sv.watch == nil {
		return
	}
	i := slices.IndexFunc(e.sv.watch.stands, func(s stand) bool { return int(s.turn) == turn })
	if i < 0 {
		return
	}
	if s := &e.sv.watch.stands[i]; e.held.waiting() && (e.held.n != s.n || e.held.role != "user") {
		return
	}
	e.footings = append(e.footings, footing{turn, e.seq, e.model, e.tokens})
}

// footingAt is how the second pass stood at a stand; nil where it did not take it.
func (e *emitter) footingAt(s *stand) *footing {
	i := slices.IndexFunc(e.footings, func(t footing) bool { return t.turn == int(s.turn) })
	if i < 0 {
		return nil
	}
	return &e.footings[i]
}

// mark makes the mark of a thread that was read to its end; nil for none.
func (l *Library) mark(g *group, e *emitter) *Mark {
	sv := e.sv
	s := sv.watch.choose(sv.turns, func(s *stand) bool { return e.footingAt(s) != nil })
	if s == nil || slices.ContainsFunc(sv.spans, func(s span) bool { return s.lost != "" }) || slices.ContainsFunc(g.files, g.doubles) {
		return nil
	}
	t := e.footingAt(s)
	m := &Mark{mark{Version: markVersion, Thread: g.id, File: g.current.FileID(), Chain: chainPrint(l.with(nil, nil).chain(g)), Limit: l.line,
		Line: s.line - 1, Offset: s.offset, Print: s.print, Records: s.n - 1, Events: t.events, Losses: s.losses, Gaps: sv.gaps(),
		OpenTurns: s.open, Most: s.most, User: shownOf(s.user), Answer: shownOf(s.answer),
		UserEvents: !sv.itemsOnly, Markers: s.markers, Outside: s.outside, Standing: sv.standing(s.n), Searching: s.searching,
		Unnamed: sv.unnamed(s.n), Drop: sv.drop, Owner: s.owner,
		Model: t.model, Counted: t.tokens.counted, Total: t.tokens.total, Recorded: t.tokens.recorded}}
	m.Counts, m.Open, m.Tally = sv.counts(transcript.Active, s.n, int(s.turn)), sv.open(int(s.turn)), sv.tallyBefore(s)
	f := &sv.facts
	m.Facts = threadFacts{f.models, f.versions, f.created, f.updated, f.cwd, f.name, f.prompt}
	m.Meta = metaFacts{sv.meta.ID, sv.meta.SessionID, sv.meta.Timestamp, sv.meta.CWD, sv.meta.Originator, sv.meta.CLIVersion, sv.meta.ModelProvider, sv.meta.Source.Name}
	if _, err := m.MarshalBinary(); err != nil {
		return nil
	}
	return m
}

// standing reports whether an item before record n that lies outside of turns
// stands for itself.
func (sv *survey) standing(n int32) bool {
	return sv.standsIn(-1) && (sv.from != nil && sv.from.Standing ||
		slices.ContainsFunc(sv.items, func(i standing) bool { return i.n < n && i.turn < 0 }))
}

// unnamed reports whether a call before record n was made in a turn without an
// id, or outside of turns.
func (sv *survey) unnamed(n int32) bool {
	return sv.from != nil && sv.from.Unnamed || slices.ContainsFunc(sv.calls.all, func(c call) bool {
		return c.first < n && sv.turns.idAt(c.turn) == ""
	})
}

// tallyBefore counts the lines of the current file before a stand.
func (sv *survey) tallyBefore(s *stand) tally {
	last := &sv.spans[len(sv.spans)-1]
	t := sv.books.count(sv, last.first, s.n-1)
	if sv.from != nil {
		t.add(sv.from.Tally)
	}
	return t
}
