package inspect

import (
	"bytes"
	"encoding/binary"

	"rollbook/internal/rollout"
)

// A tape keeps what a Handler was given, in order and small: the report lists
// all records, then all events, then all diagnostics, and is known whole only
// at the end. A byte of the file costs about a byte of tape, whether the file
// is one long text, two million empty events, or thirty million diagnostics.
//
// An entry is a tag and its values. Numbers are varints, lines count from the
// entry before. Of strings that repeat from record to record (a slot each) the
// repetition is one byte.
type tape struct {
	chunks [][]byte
	last   [slots][]byte
	line   int
	block  int // of the last diagnostic on the line
}

// chunkSize is how much the tape grows at a time. An entry may cross a border.
const chunkSize = 256 << 10

// The slots.
const (
	slotType = iota
	slotItemType
	slotID
	slotSession
	slotTurn
	slotTimestamp
	slotPhase
	slotToolID
	slotToolName
	slotToolNamespace
	slots
)

// Tags: one for records; for events one for each role and kind; for
// diagnostics one for each code and form of place.
const (
	tagRecord     = 0
	tagEvent      = 1
	tagDiagnostic = tagEvent + len(roleNames)*len(kindNames)
)

// The forms of a diagnostic's place.
const (
	formFile      = iota // none
	formLine             // the line at hand
	formNextLine         // the one after
	formNextBlock        // the line at hand, the block after the last diagnostic's
	formApart            // line and block follow
	forms
)

// The values of a slot before its length, which they displace.
const (
	slotNil   = 0
	slotSame  = 1
	slotBytes = 2
)

// Record, Event and Diagnostic implement Handler.
func (t *tape) Record(r *Record) error {
	t.byte(tagRecord)
	t.uvarint(r.Line - t.line)
	t.line, t.block = r.Line, 0
	t.slot(slotType, r.Type)
	t.slot(slotItemType, r.ItemType)
	t.slot(slotID, r.ID)
	t.slot(slotSession, r.Session)
	t.slot(slotTurn, r.Turn)
	return nil
}

func (t *tape) Event(e *Event) error {
	t.byte(byte(tagEvent + int(e.Role)*len(kindNames) + int(e.Kind)))
	t.uvarint(e.Block)
	t.slot(slotTimestamp, e.Timestamp)
	t.slot(slotPhase, e.Phase)
	t.slot(slotToolID, e.ToolID)
	t.slot(slotToolName, e.ToolName)
	t.slot(slotToolNamespace, e.ToolNamespace)
	t.uvarint(len(e.Text))
	t.write(e.Text)
	return nil
}

func (t *tape) Diagnostic(d *Diagnostic) error {
	form := formApart
	switch {
	case d.Line == 0:
		form = formFile
	case d.Line == t.line && d.Block == 0:
		form = formLine
	case d.Line == t.line+1 && d.Block == 0:
		form = formNextLine
	case d.Line == t.line && d.Block == t.block+1:
		form = formNextBlock
	}
	t.byte(byte(tagDiagnostic + int(codeNumber[d.Code])*forms + form))
	if form == formApart {
		t.uvarint(d.Line - t.line)
		t.uvarint(d.Block)
	}
	if form != formFile {
		t.line, t.block = d.Line, d.Block
	}
	return nil
}

func (t *tape) slot(i int, v rollout.Raw) {
	switch {
	case v == nil:
		t.byte(slotNil)
	case bytes.Equal(v, t.last[i]):
		t.byte(slotSame)
	default:
		t.uvarint(len(v) + slotBytes)
		t.write(v)
		t.last[i] = append(t.last[i][:0], v...)
	}
}

func (t *tape) uvarint(n int) {
	var buf [binary.MaxVarintLen64]byte
	t.write(buf[:binary.PutUvarint(buf[:], uint64(n))])
}

func (t *tape) byte(c byte) {
	if len(t.chunks) > 0 {
		if last := &t.chunks[len(t.chunks)-1]; len(*last) < cap(*last) {
			*last = append(*last, c)
			return
		}
	}
	t.write([]byte{c})
}

func (t *tape) write(p []byte) {
	for len(p) > 0 {
		if len(t.chunks) == 0 || len(t.chunks[len(t.chunks)-1]) == chunkSize {
			t.chunks = append(t.chunks, make([]byte, 0, chunkSize))
		}
		last := &t.chunks[len(t.chunks)-1]
		n := min(len(p), chunkSize-len(*last))
		*last = append(*last, p[:n]...)
		p = p[n:]
	}
}

// A part is one of the lists of a report.
type part uint8

const (
	records part = iota
	events
	diagnostics
)

// replay gives one part of the tape to h. Places are lines alone.
func (t *tape) replay(want part, h Handler) (err error) {
	p := player{chunks: t.chunks}
	var rec Record
	ev := Event{Record: &rec}
	var d Diagnostic
	for p.more() && err == nil {
		switch tag := int(p.byte()); {
		case tag == tagRecord:
			p.record(&rec, want != diagnostics)
			if want == records {
				err = h.Record(&rec)
			}
		case tag < tagDiagnostic:
			p.event(&ev, tag-tagEvent, want == events)
			if want == events {
				err = h.Event(&ev)
			}
		default:
			p.diagnostic(&d, tag-tagDiagnostic)
			if want == diagnostics {
				err = h.Diagnostic(&d)
			}
		}
	}
	return err
}

// A player reads a tape from its start.
type player struct {
	chunks      [][]byte
	at          int // in chunks[0]
	line, block int
	last        [slots]rollout.Raw
	// joined holds values that cross a border, one for each slot and the text.
	joined [slots + 1][]byte
}

func (p *player) record(r *Record, keep bool) {
	p.line, p.block = p.line+p.uvarint(), 0
	r.Line = p.line
	r.Type = p.slot(slotType, keep)
	r.ItemType = p.slot(slotItemType, keep)
	r.ID = p.slot(slotID, keep)
	r.Session = p.slot(slotSession, keep)
	r.Turn = p.slot(slotTurn, keep)
}

func (p *player) event(e *Event, tag int, keep bool) {
	e.Role, e.Kind = Role(tag/len(kindNames)), Kind(tag%len(kindNames))
	e.Block = p.uvarint()
	e.Timestamp = p.slot(slotTimestamp, keep)
	e.Phase = p.slot(slotPhase, keep)
	e.ToolID = p.slot(slotToolID, keep)
	e.ToolName = p.slot(slotToolName, keep)
	e.ToolNamespace = p.slot(slotToolNamespace, keep)
	e.Text = p.bytes(slots, p.uvarint(), keep)
}

func (p *player) diagnostic(d *Diagnostic, tag int) {
	switch tag % forms {
	case formNextLine:
		p.line, p.block = p.line+1, 0
	case formLine:
		p.block = 0
	case formNextBlock:
		p.block++
	case formApart:
		p.line, p.block = p.line+p.uvarint(), p.uvarint()
	}
	d.Code, d.Line, d.Block = codes[tag/forms], p.line, p.block
	if tag%forms == formFile {
		d.Line, d.Block = 0, 0
	}
}

// more reports whether there is another entry, and lets no chunk be at its end.
func (p *player) more() bool {
	for len(p.chunks) > 0 && p.at == len(p.chunks[0]) {
		p.chunks, p.at = p.chunks[1:], 0
	}
	return len(p.chunks) > 0
}

func (p *player) byte() byte {
	p.more()
	c := p.chunks[0][p.at]
	p.at++
	return c
}

func (p *player) uvarint() (n int) {
	for shift := 0; ; shift += 7 {
		c := p.byte()
		n |= int(c&0x7f) << shift
		if c < 0x80 {
			return n
		}
	}
}

func (p *player) slot(i int, keep bool) rollout.Raw {
	switch n := p.uvarint(); n {
	case slotNil:
		return nil
	case slotSame:
	default:
		p.last[i] = p.bytes(i, n-slotBytes, keep)
	}
	return p.last[i]
}

// bytes gives the next n bytes, or nothing where they are not to be kept. They
// are good until the same slot is read again.
func (p *player) bytes(slot, n int, keep bool) []byte {
	joined := p.joined[slot][:0]
	for {
		p.more()
		if n == 0 {
			break
		}
		here := p.chunks[0][p.at:min(p.at+n, len(p.chunks[0]))]
		p.at += len(here)
		if len(here) == n && len(joined) == 0 {
			return here
		}
		n -= len(here)
		if keep {
			joined = append(joined, here...)
		}
	}
	p.joined[slot] = joined
	return joined
}
