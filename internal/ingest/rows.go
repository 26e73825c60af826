package ingest

import (
	"strings"
	"time"

	"rollbook/internal/diag"
	"rollbook/internal/ledger"
	"rollbook/internal/store"
	"rollbook/internal/transcript"
)

// row makes a row of an event; nil where nothing of it is stored, which is
// counted where it is a loss.
func (rd *reading) row(ev *transcript.Event, key string) *store.Row {
	e, at, ok := rd.prepare(ev, key)
	if !ok {
		return nil
	}
	return store.Encode(&e, at)
}

// prepare says as what an event is stored, if it is.
func (rd *reading) prepare(ev *transcript.Event, key string) (e transcript.Event, at store.RowInfo, ok bool) {
	at = store.RowInfo{Thread: rd.t.id, Source: key, Line: ev.Source.Line, Offset: ev.Source.Offset, Seq: ev.Seq, Turn: rd.turn, Text: rd.opt.textLimit()}
	if ev.Inherited {
		at.Flags |= store.Inherited
	}
	kind := rd.kind(ev)
	if rd.opt.MessagesOnly && !messageKind(kind) {
		return e, at, false
	}
	if !rd.clock.set(rd, ev, &at, kind) {
		rd.of(key).InvalidTimestamps++
		rd.find(diag.Diagnostic{Position: diag.Position{File: ev.Source.File, Line: ev.Source.Line, Offset: ev.Source.Offset}, Code: InvalidTime,
			Message: "no time between 1970 and 2100: the message is left out"}, key)
		return e, at, false
	}
	e = *ev
	e.Kind, e.Time = kind, at.Time
	at.Channel = rd.channel(&e)
	switch kind {
	case transcript.User:
		if e.Text == "" && len(e.Images) == 0 {
			rd.of(key).Empty++
			return e, at, false
		}
		words, natural := said(ev)
		if e.Text = words; natural {
			at.Flags |= store.Natural
		}
	case transcript.Assistant:
		if e.Text == "" {
			rd.of(key).Empty++
			return e, at, false
		}
	}
	return e, at, true
}

// kind gives the kind under which an event is stored. Where no event of the
// thread shows a user's message, what was injected among its items is kept as a
// message that nobody typed (spec: import, "Sentence by sentence").
func (rd *reading) kind(ev *transcript.Event) transcript.Kind {
	if ev.Kind == transcript.Context && ev.Role == "user" && !rd.read.UserEvents {
		return transcript.User
	}
	return ev.Kind
}

// said gives the words of a user's message, and whether the person typed them.
// An envelope of a client is taken off; one without words is nobody's.
func said(ev *transcript.Event) (words string, natural bool) {
	if ev.Kind != transcript.User {
		return ev.Text, false
	}
	words, wrapped := transcript.Unwrap(ev.Text)
	if wrapped && words == "" {
		return ev.Text, false
	}
	return words, strings.TrimSpace(words) != "" && !transcript.Injected(words)
}

// channel says by which kind of record a message came in.
func (rd *reading) channel(ev *transcript.Event) store.Channel {
	switch {
	case ev.Kind == transcript.Usage:
		return store.ChannelUsage
	case messageKind(ev.Kind) && (ev.Kind == transcript.ToolCall || !rd.read.UserEvents || ev.Origin != transcript.Recorded):
		return store.ChannelResponse
	}
	return store.ChannelEvent
}

// messageKind reports whether events of a kind are messages: what is counted
// as imported, and found by a search that asks for nothing else.
func messageKind(k transcript.Kind) bool {
	return k == transcript.User || k == transcript.Assistant || k == transcript.ToolCall
}

// counted reports whether a row is one of the imported records: a message that
// a record of this thread holds.
func counted(row *store.Row) bool {
	return messageKind(row.Kind) && row.Flags&(store.Inherited|store.Synthetic) == 0
}

// of gives the counters of a source.
func (rd *reading) of(key string) *ledger.Counts {
	c := rd.counts[key]
	if c == nil {
		c = &ledger.Counts{}
		rd.counts[key] = c
	}
	return c
}

func (rd *reading) count(row *store.Row, key string) {
	if counted(row) {
		countRow(rd.of(key), row)
	}
}

// countRow counts a message.
func countRow(c *ledger.Counts, row *store.Row) {
	c.Imported++
	if row.Kind == transcript.User && row.Flags&store.Natural == 0 {
		c.NonNatural++
	}
	if row.Flags&store.Truncated != 0 {
		c.Truncated++
	}
}

// A clock gives events without a time one.
type clock struct{ last time.Time }

// set sets the time of a row. A record of the era without times takes the
// thread's own; what is no message may take that of the event before it. It
// reports false for a message without a time that can be used.
func (c *clock) set(rd *reading, ev *transcript.Event, at *store.RowInfo, kind transcript.Kind) bool {
	at.Time = ev.Time
	if usable(ev.Time) {
		c.last = ev.Time
		return true
	}
	began := rd.read.Thread.Created
	switch {
	case rd.bare[ev.Source.File] && usable(began):
		at.Time = began
	case ev.Source.IsZero() || !messageKind(kind):
		if at.Time = c.last; !usable(at.Time) {
			at.Time = began
		}
	}
	at.Flags |= store.TimeInherited
	return usable(at.Time)
}

// usable reports whether a time can be that of a record: from 1970 to 2100
// (spec: import, 2.4).
func usable(t time.Time) bool { return !t.IsZero() && t.Year() >= 1970 && t.Year() <= 2100 }

func (o *Options) textLimit() int {
	if o.MaxText == None {
		return 0
	}
	return int(o.MaxText)
}
