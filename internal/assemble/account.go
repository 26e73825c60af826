package assemble

import (
	"slices"

	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/ledger"
	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// A FileAccount says what became of the lines of one file of a thread
// (docs/format/rollout.md, "What is counted"). Each line that is not blank is
// in one place: it is a message, a known record without one, or counted by one
// of InvalidJSON, Oversized, UnknownEvents, Inherited, RolledBack,
// MirroredResponses, Context and Empty. MirroredUsers are some of
// MirroredResponses, InvalidUsage and UsageWithoutInfo some of the known ones,
// and Repaired counts beside all of them. What events tell better (Imported,
// NonNatural ...) is zero.
type FileAccount struct {
	Ref discover.Ref
	ledger.Counts
	Messages int64  // lines that show a message of the person or the assistant, or a call
	Known    int64  // lines that show none, and are no copy of one
	Bytes    int64  // that were read, after decompression
	Whole    int64  // of them, up to the end of the last line that a line feed ends
	Lost     string // why it could not be read to its end; empty where it was
}

// A bucket says what one line is to an import.
type bucket uint8

const (
	noLine     bucket = iota // blank, or a loss behind the last line
	knownLine                // read, and no message
	messageOf                // a message, or a call
	userCopy                 // of a message that an event shows
	answerCopy               // likewise
	contextOf                // not said by the person
	emptyOne                 // a message item without a text
	unknownOne               // of a kind that is not known
	notJSON
	tooLong
	badUsage
	noUsage // a token_count that counts nothing
	copied  // from a parent
	taken   // a message that a rollback or a revert took back
	buckets

	repaired bucket = 0x80 // beside the others
)

// books keep a bucket for each record of a survey.
type books struct {
	base  int32 // records before the first that is kept
	all   []bucket
	maybe maybeShown
}

// maybeShown is a user item that looks like injected context. Its event, which
// comes next, may say that a person wrote it.
type maybeShown struct {
	n     int32
	parts []part
}

func newBooks(base int32) *books { return &books{base: base} }

func (b *books) of(n int32) *bucket { return &b.all[n-b.base-1] }

// set files record n anew.
func (b *books) set(n int32, as bucket) {
	at := b.of(n)
	*at = *at&repaired | as
}

// open files a record by what its line is.
func (b *books) open(rec record) {
	as := knownLine
	switch {
	case rec.Kind == rollout.Blank || rec.Length == 0:
		as = noLine
	case rec.Kind == rollout.Item:
	case rec.Code == rollout.LineLimit:
		as = tooLong
	case rec.Code == rollout.InvalidRecord:
		as = unknownOne
	default:
		as = notJSON
	}
	if rec.Repaired {
		as |= repaired
	}
	b.all = append(b.all, as)
}

// payload files a record by what it holds, as far as it alone tells.
func (b *books) payload(p *pass, rec record, payload rollout.Payload) {
	n := rec.n
	switch q := payload.(type) {
	case *rollout.Unknown:
		b.set(n, unknownOne)
	case *rollout.Message:
		b.message(p, n, q)
	case *rollout.UserMessageEvent:
		if !typed(q) {
			b.set(n, contextOf)
			return
		}
		b.shown(p, n, userCopy, q.Message.String)
	case *rollout.AgentMessageEvent:
		b.shown(p, n, answerCopy, nil)
	case *rollout.ItemCompleted:
		b.turnItem(p, n, q.Item)
	case *rollout.TokenUsageRecord:
		if !validResponse(q) {
			b.badUsage(p, rec)
		}
	case *rollout.TokenCount:
		switch {
		case validCount(q):
		case !q.Info.OK && !slices.Contains(q.Odd(), "info"):
			b.set(n, noUsage)
		default:
			b.badUsage(p, rec)
		}
	}
}

func (b *books) badUsage(p *pass, rec record) {
	b.set(rec.n, badUsage)
	p.report(diag.Diagnostic{Position: position(rec), Code: InvalidUsage, Message: "counters that are missing or cannot be right"})
}

func (b *books) turnItem(p *pass, n int32, item rollout.Payload) {
	switch q := item.(type) {
	case *rollout.Unknown:
		b.set(n, unknownOne)
	case *rollout.UserMessage:
		b.shown(p, n, userCopy, q.Content.Text)
	case *rollout.AssistantMessage:
		b.shown(p, n, answerCopy, nil)
	case *rollout.HookPrompt:
		b.set(n, contextOf)
	}
}

// shown files an event that shows a message: the second event of one message
// is a copy. text is that of a user's.
func (b *books) shown(p *pass, n int32, copy bucket, text func() string) {
	if p.turns.repeats {
		b.set(n, copy)
		return
	}
	b.set(n, messageOf)
	if m := b.maybe; text != nil {
		if m.n == n-1 && mirrors(m.parts, text(), false) {
			b.set(m.n, userCopy)
		}
		b.maybe = maybeShown{}
	}
}

// message files a message item. An answer that may stand for itself is filed
// at the end, when that is known.
func (b *books) message(p *pass, n int32, m *rollout.Message) {
	switch m.Role {
	case "user":
		b.userItem(p, n, m)
	case "assistant":
		if k := len(p.items); k > 0 && p.items[k-1].n == n {
			return
		}
		if b.set(n, contextOf); m.Content.Text() == "" {
			b.set(n, emptyOne)
		}
	default:
		b.set(n, contextOf)
	}
}

func (b *books) userItem(p *pass, n int32, m *rollout.Message) {
	all := parts(m, "")
	_, put := joined(all, injected)
	_, natural := naturalParts(m, all)
	switch {
	case p.itemsOnly && (natural || put):
		b.set(n, messageOf)
	case p.itemsOnly || !natural && !put && whole(all) == "":
		b.set(n, emptyOne)
	case natural || !put:
		b.set(n, userCopy)
	default:
		b.set(n, contextOf)
		b.maybe = maybeShown{n, all}
	}
}

// close files what only the whole thread tells: answers that stand for
// themselves, and calls.
func (b *books) close(sv *survey) {
	for _, item := range sv.items {
		if sv.standsIn(int(item.turn)) {
			b.set(item.n, messageOf)
		} else {
			b.set(item.n, answerCopy)
		}
	}
	for i := range sv.calls.all {
		c := &sv.calls.all[i]
		seen := func(n int32) bool { return sv.visible(transcript.Active, n) }
		switch {
		case c.call != 0:
			b.set(c.call, messageOf)
			if c.end == 0 || seen(c.call) || seen(c.output) || !seen(c.end) {
				continue
			}
			b.set(c.end, messageOf)
		case c.end != 0 && (c.output == 0 || !seen(c.output) && seen(c.end)):
			b.set(c.end, messageOf)
		}
	}
}

// A tally counts records by their buckets.
type tally struct {
	In       [buckets]int64
	Repaired int64
}

// count counts the records from first to last, those that were hidden or
// copied as such.
func (b *books) count(sv *survey, first, last int32) (t tally) {
	for n := first; n <= last; n++ {
		as := *b.of(n)
		if as&repaired != 0 {
			t.Repaired++
			as &^= repaired
		}
		switch as {
		case noLine, unknownOne, notJSON, tooLong:
		default:
			if sv.inherited.has(n) {
				as = copied
			} else if as == messageOf && sv.rolled.has(n) {
				as = taken
			}
		}
		t.In[as]++
	}
	return t
}

// revert makes of what was counted what a revert took back.
func (t *tally) revert() {
	t.In[taken] += t.In[messageOf]
	t.In[messageOf] = 0
}

func (t *tally) add(o tally) {
	for i, n := range o.In {
		t.In[i] += n
	}
	t.Repaired += o.Repaired
}

// account gives the counters of a file that was read to the end of the span.
func (t *tally) account(s *span) FileAccount {
	a := FileAccount{Ref: *s.ref, Bytes: max(s.size, 0), Whole: s.whole, Lost: s.lost, Messages: t.In[messageOf], Known: t.In[knownLine] + t.In[badUsage] + t.In[noUsage]}
	for i := knownLine; i < buckets; i++ {
		a.Lines += t.In[i]
	}
	a.InvalidJSON, a.Oversized, a.UnknownEvents, a.Repaired = t.In[notJSON], t.In[tooLong], t.In[unknownOne], t.Repaired
	a.MirroredUsers, a.MirroredResponses = t.In[userCopy], t.In[userCopy]+t.In[answerCopy]
	a.Context, a.Empty, a.Inherited, a.RolledBack = t.In[contextOf], t.In[emptyOne], t.In[copied], t.In[taken]
	a.InvalidUsage, a.UsageWithoutInfo = t.In[badUsage], t.In[noUsage]
	return a
}
