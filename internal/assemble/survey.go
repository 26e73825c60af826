package assemble

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rollbook/internal/diag"
	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// A survey is what the first pass learns of a thread: everything that a record
// alone does not tell.
type survey struct {
	id      string // of the thread
	spans   []span
	records int32
	turns   *turns
	calls   *calls

	rolled    intervals // rolled back
	inherited intervals // copied or read from another thread
	own       int32     // first record of the thread's own file that is not copied
	drop      bool      // the inherited part is not shown: a sub-agent's (F8)
	session   bool      // it is read for a session of another program
	keep      bool      // what was rolled back is shown, and marked

	userEvents bool    // some event shows a user message (F16)
	markers    bool    // some record opens a turn
	itemsOnly  bool    // nothing is shown by events: the items stand for themselves
	compacted  int32   // the last compacted record that is visible
	compacts   []int32 // all of them

	meta   rollout.SessionMeta
	facts  facts
	losses int
	prints prints
	books  *books // nil where nothing is to be counted

	from  *Mark  // where reading began; nil for the start
	links []span // the chain, where the spans are only a part of it
	watch *watch // nil where nothing is to be counted

	users, answers []int32    // records that show a message
	items          []standing // assistant items that stand in where no event shows an answer
	outside        int        // answers shown outside of turns
}

// A standing is an assistant item that may stand in for an event.
type standing struct{ n, turn int32 } // turn is -1 outside of turns

// A pass is a walk of the survey over the spans.
type pass struct {
	*survey
	l      *Library
	prefix prefix
	search webSearch
	span   *span // at hand
	quiet  bool  // a second walk: what is wrong was reported by the first

	kept    []int32 // turns that are not rolled back, as far as the latest rollback looked
	stacked int     // how many turns it looked at
}

// survey reads the spans once. Where no event shows what the user said, it
// reads them again, with the items standing for themselves.
func (l *Library) survey(ctx context.Context, g *group, spans []span) (*survey, error) {
	sv, err := l.walk(ctx, g, spans, nil)
	if err != nil || sv.userEvents {
		return sv, err
	}
	if shown, err := l.shownElsewhere(ctx, g, sv.spans); err != nil || shown {
		return sv, err
	}
	return l.walk(ctx, g, sv.spans, sv)
}

// shownElsewhere reports whether an event that shows a user message stands in
// a part of the thread's files that the spans leave out: all files of a thread
// count (F16).
func (l *Library) shownElsewhere(ctx context.Context, g *group, spans []span) (bool, error) {
	for _, ref := range g.files {
		if slices.ContainsFunc(spans, func(s span) bool { return s.ref == ref && s.base == nil }) {
			continue
		}
		sv, err := l.with(nil, nil).walk(ctx, g, []span{newSpan(ref)}, nil)
		if err != nil || sv.userEvents {
			return err == nil, err
		}
	}
	return false, nil
}

// walk reads the spans; before is the first walk, if this is the second.
func (l *Library) walk(ctx context.Context, g *group, spans []span, before *survey) (*survey, error) {
	sv := &survey{id: g.id, spans: slices.Clone(spans), turns: newTurns(), calls: newCalls(), prints: newPrints(0), itemsOnly: before != nil}
	if l.books {
		sv.books, sv.watch = newBooks(0), new(watch)
	}
	p := &pass{survey: sv, l: l, quiet: before != nil}
	p.begin(spans[0].from)
	for i := range sv.spans {
		s := &sv.spans[i]
		if s.tee = nil; l.digest != nil && before == nil && s.base == nil && s.ref.ID == g.id {
			s.tee = l.digest(s.ref)
			defer func() { s.tee = nil }()
		}
	}
	lost := func(s *span, err error) {
		s.lost = err.Error()
		p.report(diag.Diagnostic{Position: diag.Position{File: s.ref.Path}, Code: FileUnreadable, Message: err.Error()})
		s.wrong = orElse(s.wrong, "the base could not be read: "+err.Error())
	}
	for rec, err := range l.records(ctx, sv.spans, nil, lost) {
		if err != nil {
			return nil, fmt.Errorf("thread %s: %w", g.id, err)
		}
		if before != nil && !before.prints.same(rec.n, rec.Text) {
			return nil, fmt.Errorf("%s: %w", rec.span.ref.Path, ErrChanged)
		}
		p.record(rec)
	}
	if before != nil && sv.records < before.records {
		return nil, fmt.Errorf("thread %s: %w", g.id, ErrChanged)
	}
	p.finish(g)
	return sv, nil
}

func (p *pass) report(d diag.Diagnostic) {
	if !p.quiet {
		p.l.report(d)
	}
}

// record takes one line.
func (p *pass) record(rec record) {
	p.records = rec.n
	if rec.span != p.span {
		p.enter(rec)
	}
	if rec.span.inherited {
		p.inherited.add(rec.n, rec.n+1)
	}
	if rec.Kind == rollout.Loss {
		p.losses++
	}
	if rec.Code != "" {
		p.report(diag.Diagnostic{Position: position(rec), Code: rec.Code, Message: rec.Message})
	}
	p.prints.add(rec)
	if p.books != nil {
		p.books.open(rec)
	}
	if p.from != nil && rec.n == p.from.Records+1 && (rec.Kind != rollout.Item || linePrint(rec.Text) != p.from.Print) {
		p.doubt("another line")
	}
	if rec.Kind != rollout.Item {
		return
	}
	p.time(rec)
	if !rec.span.inherited {
		p.prefix.tick(p, rec)
	}
	typ := rec.Envelope.RecordType()
	if !wanted(typ) {
		if p.books != nil && counters(typ) {
			p.books.payload(p, rec, rollout.Decode(&rec.Envelope, rec.Text))
		}
		return
	}
	payload := p.l.decode(rec)
	var was flags
	if p.watch != nil {
		was = p.flags()
	}
	p.odd(rec, payload)
	p.prefix.see(p, rec, payload)
	p.note(rec, payload)
	if p.books != nil {
		p.books.payload(p, rec, payload)
		p.watching(rec, payload, was)
	}
	if p.l.see != nil && !p.quiet && !rec.span.inherited && !p.prefix.inside() {
		p.l.see(payload)
	}
}

// wanted reports whether the survey needs the payload of a record. Reasoning
// and the like are many and long, and say nothing that it needs.
func wanted(t rollout.RecordType) bool {
	switch t {
	case rollout.ItemReasoning, rollout.RecordWorldState, rollout.EventAgentReasoning, rollout.EventAgentReasoningRaw,
		rollout.EventTokenCount, rollout.RecordTokenUsage, rollout.ItemGhostSnapshot:
		return false
	}
	return true
}

// counters reports whether a record counts tokens.
func counters(t rollout.RecordType) bool {
	return t == rollout.EventTokenCount || t == rollout.RecordTokenUsage
}

func position(rec record) diag.Position {
	return diag.Position{File: rec.span.ref.Path, Line: rec.Line, Offset: rec.Offset}
}

// enter begins a span.
func (p *pass) enter(rec record) {
	p.prefix.finish(p)
	p.span, p.prefix = rec.span, prefix{}
	if p.from != nil {
		p.prefix = prefix{id: p.from.Owner, closed: true}
	}
	if !rec.span.inherited && p.own == 0 {
		p.own = rec.n
	}
}

func (p *pass) odd(rec record, payload rollout.Payload) {
	t := payload.Type()
	switch t {
	case rollout.RecordUnknown, rollout.ItemUnknown, rollout.EventUnknown, rollout.TurnItemUnknown:
		u, _ := payload.(*rollout.Unknown)
		p.report(diag.Diagnostic{Position: position(rec), Code: UnknownRecord, Message: fmt.Sprintf("type %q is not known", u.Name)})
	}
	if ic, ok := payload.(*rollout.ItemCompleted); ok && ic.Item.Type() == rollout.TurnItemUnknown {
		u, _ := ic.Item.(*rollout.Unknown)
		p.report(diag.Diagnostic{Position: position(rec), Code: UnknownRecord, Message: fmt.Sprintf("turn item %q is not known", u.Name)})
	}
	if odd := payload.Odd(); len(odd) > 0 {
		p.report(diag.Diagnostic{Position: position(rec), Code: OddField, Message: strings.Join(odd, ", ")})
	}
}

// note keeps what a payload says of turns, calls and the thread.
func (p *pass) note(rec record, payload rollout.Payload) {
	n := rec.n
	callTurn := -1
	if o, ok := payload.(*rollout.ToolOutput); ok {
		callTurn = p.calls.turnOf(o.CallID)
	}
	closed := p.turns.follow(n, payload, callTurn)
	if c, ok := p.search.callName(rec, payload); ok {
		p.noteCall(callRecord{c.id, c.role, n, bounded(turnNamed(payload)), c.made}, c)
		if p.l.alias {
			if says := failure(payload); says != nil && *says {
				p.calls.fails()
			}
		}
	}
	switch q := payload.(type) {
	case *rollout.SessionMeta:
		p.noteMeta(rec, q)
		if p.l.alias && !rec.span.inherited {
			name := first(rec.Envelope.Payload, "title", "name", "thread_name", "session_name", "preview")
			p.facts.name = orElse(firstLine(name), p.facts.name)
		}
	case *rollout.BareHeader:
		p.noteHeader(q)
	case *rollout.TurnContext:
		p.facts.models = appendNew(p.facts.models, q.Model)
		if at := p.turns.at(); at != nil {
			at.model = orElse(at.model, bounded(q.Model))
		}
		p.facts.cwd = orElse(p.facts.cwd, q.CWD)
	case *rollout.TurnStarted:
		p.markers = true
		if len(q.TurnID) > maxName {
			p.report(diag.Diagnostic{Position: position(rec), Code: OddField, Message: fmt.Sprintf("turn_id of %d bytes", len(q.TurnID))})
		}
	case *rollout.TurnAborted:
		if closed >= 0 {
			p.turns.all[closed].aborted = true
		}
	case *rollout.ThreadRolledBack:
		p.rollBack(n, q.Turns.Value)
	case *rollout.ThreadName:
		p.facts.name = firstLine(q.Name.String())
	case *rollout.Compacted:
		p.special()
		p.compacts = append(p.compacts, n)
	default:
		p.noteShown(n, payload)
	}
}

func (p *pass) noteCall(rec callRecord, name callName) {
	p.paired(rec, p.calls.note(rec, p.turns))
	if name.event > 0 {
		p.reaches(name.event)
	}
	if name.blind {
		p.doubt("a web search whose event may be an earlier one")
	}
}

// noteShown keeps what was shown in the turn at hand.
func (p *pass) noteShown(n int32, payload rollout.Payload) {
	switch q := payload.(type) {
	case *rollout.UserMessageEvent:
		if typed(q) {
			p.user(n, q.Message.String())
		}
	case *rollout.AgentMessageEvent:
		p.answer(n)
	case *rollout.ContextCompacted, *rollout.EnteredReview, *rollout.ExitedReview, *rollout.Plan:
		p.special()
	case *rollout.Message:
		p.noteItem(n, q)
	case *rollout.ItemCompleted:
		switch item := q.Item.(type) {
		case *rollout.UserMessage:
			p.user(n, item.Content.Text())
		case *rollout.AssistantMessage:
			p.answer(n)
		default:
			p.noteShown(n, q.Item)
		}
	}
}

// noteItem takes a message item. It is counted where it stands for itself
// (F16).
func (p *pass) noteItem(n int32, m *rollout.Message) {
	switch {
	case m.Role == "user" && p.itemsOnly:
		if words, ok := naturalText(m); ok {
			p.turns.said(n)
			p.turns.touch(n)
			p.countUser(n, words)
		}
	case m.Role == "assistant":
		if _, ok := answerText(m); ok {
			p.items = append(p.items, standing{n, int32(p.turns.current)})
			if at := p.turns.at(); at != nil {
				at.items++
			}
		}
	}
}

func (p *pass) user(n int32, text string) {
	if p.itemsOnly {
		p.doubt("the first event of a user message")
	}
	p.userEvents = true
	if !p.turns.repeats {
		p.countUser(n, text)
	}
}

func (p *pass) countUser(n int32, text string) {
	if at := p.turns.at(); at != nil {
		at.users++
	}
	p.users = append(p.users, n)
	if p.facts.prompt == "" && !transcript.Injected(text) {
		words, _ := transcript.Unwrap(text)
		p.facts.prompt = firstLine(words)
	}
}

func (p *pass) answer(n int32) {
	if p.turns.repeats {
		return
	}
	p.answers = append(p.answers, n)
	if at := p.turns.at(); at != nil {
		at.answers++
	} else {
		p.outside++
	}
}

func (p *pass) special() {
	if at := p.turns.at(); at != nil {
		at.special = true
	}
}

// rollBack hides the last k user turns before record n, and all that follows
// them (F7). A turn in which the user said nothing is no user turn, and goes
// with the one before it.
func (p *pass) rollBack(n int32, k int64) {
	for ; p.stacked < len(p.turns.all); p.stacked++ {
		p.kept = append(p.kept, int32(p.stacked))
	}
	from, first := int32(0), int32(0)
	if p.drop {
		first = p.own
	}
	for k > 0 && len(p.kept) > 0 {
		t := &p.turns.all[p.kept[len(p.kept)-1]]
		if t.start < first {
			break
		}
		p.kept = p.kept[:len(p.kept)-1]
		if p.from != nil && t.start > p.from.Records+1 && len(p.kept) == 0 {
			p.doubt("a rollback of the turn that begins at the mark") // its item comes before it, and then before the end of the turn before
		}
		t.hidden = true
		from = t.start
		if t.users > 0 {
			k--
		}
	}
	if k > 0 && len(p.kept) == 0 {
		p.doubt("a rollback of earlier turns")
	}
	if from > 0 {
		p.rolled.add(from, n)
	}
	p.turns.current = -1
}

func (p *pass) finish(g *group) {
	for _, s := range p.spans {
		if s.lost != "" {
			p.losses++
		}
	}
	for i := 1; i < len(p.spans); i++ {
		if below := &p.spans[i-1]; below.wrong != "" && p.spans[i].gap == "" {
			s := &p.spans[i]
			s.gap = below.wrong
			p.report(diag.Diagnostic{Position: diag.Position{File: s.ref.Path, Line: max(s.ref.MetaLine, 1)}, Code: BaseCut, Message: below.wrong})
		}
	}
	p.prefix.finish(p)
	p.inherited.sort()
	p.rolled.sort()
	p.findWindow()
	if p.books != nil {
		p.books.close(p.survey)
	}
	p.settle()
}

// findWindow finds the compaction that the model view begins with.
func (sv *survey) findWindow() {
	sv.compacted = 0
	for _, n := range sv.compacts {
		if sv.visible(transcript.Active, n) {
			sv.compacted = n
		}
	}
}

// visible reports whether a record belongs to a view. Record 0 is none.
func (sv *survey) visible(view transcript.View, n int32) bool {
	switch {
	case n == 0:
		return false
	case view == transcript.Physical:
		return true
	case view == transcript.Model && n < sv.compacted:
		return false
	}
	return (sv.keep || !sv.rolled.has(n)) && !(sv.drop && sv.inherited.has(n))
}

// standsIn reports whether the answers of a turn stand in items only (F16).
// Outside of turns they do so only in files that have no turn marks.
func (sv *survey) standsIn(turn int) bool {
	if turn < 0 {
		return !sv.markers && sv.outside == 0
	}
	t := &sv.turns.all[turn]
	return t.answers == 0 && !t.special
}
