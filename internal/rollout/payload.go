package rollout

import "bytes"

// A Payload is what a record, a response item, an event or a turn item holds:
// a pointer to one of this package's structs, or *Unknown. Decoding never
// loses a record: a field of another kind than known stays zero and its name
// is in Odd. Keys are compared exactly, the last of several wins, and keys
// that no struct names are left in the line.
type Payload interface {
	// Type says what the payload is; it tells apart what shares a struct.
	Type() RecordType
	// Odd names the fields whose value is of another kind than known, with a
	// dot between the levels; at most 16 of them.
	Odd() []string

	// set takes the value of a member, if the payload knows its key.
	set(d *dec, key []byte) bool
	// start is called once, before set, and finish once, after it.
	start(RecordType)
	finish(odd []string)
}

// base is the part that all payloads share.
type base struct {
	typ RecordType
	odd []string
}

// Type says what the payload is.
func (b *base) Type() RecordType { return b.typ }

// Odd names the fields whose value is of another kind than known.
func (b *base) Odd() []string { return b.odd }

func (b *base) start(t RecordType)  { b.typ = t }
func (b *base) finish(odd []string) { b.odd = append(b.odd, odd...) }

// An Unknown is a payload of a type that this package does not know, or a
// record whose payload is no object ("payload" is odd then).
type Unknown struct {
	base
	Name string // the type as recorded; "" where there is none
	Raw  Raw    // the payload, or the whole line of the bare era; nil where it is missing
}

func (u *Unknown) set(*dec, []byte) bool { return false }

// Decode gives the payload of a line that Scan has accepted and filled env
// from. What it returns points into the line.
func Decode(env *Envelope, line []byte) Payload {
	t := env.RecordType()
	if env.Bare() {
		return decodeBare(t, env.Type, Raw(line))
	}
	if !env.Payload.IsObject() {
		u := unknown(t, env.Type, env.Payload)
		u.odd = []string{"payload"}
		return u
	}
	typ := env.Type
	if t.IsItem() || t.IsEvent() {
		typ = env.PayloadType
	}
	p := decode(t, typ, env.Payload)
	if env.Extra && t.IsItem() {
		if it, ok := p.(interface{ harness(meta Raw) }); ok {
			it.harness(sibling(line, env.Payload))
		}
	}
	return p
}

// DecodeItem gives a response item that stands by itself, as in the
// replacement history of a compaction.
func DecodeItem(item Raw) Payload {
	if !item.IsObject() {
		return unknown(ItemUnknown, nil, item)
	}
	d := dec{b: item}
	return d.typed(itemFamily)
}

// decode decodes an object as a payload of type t; typ is the type as it
// stands in the line.
func decode(t RecordType, typ Raw, object Raw) Payload {
	if row[t] == nil {
		return unknown(t, typ, object)
	}
	p := row[t].make()
	p.start(t)
	d := dec{b: object}
	d.object(p.set)
	p.finish(d.odd)
	return p
}

func unknown(t RecordType, typ, v Raw) *Unknown {
	u := &Unknown{Name: name(typ), Raw: v}
	u.typ = t
	return u
}

// typed takes the object at i as a payload of the family. Its type nearly
// always stands first, but the last one counts: if they differ, the object is
// decoded again.
func (d *dec) typed(f family) Payload {
	start, odd := d.i, len(d.odd)
	typ := d.firstType()
	for {
		t := f.find(typ)
		if row[t] == nil {
			v := d.raw()
			if typ = v.Get("type"); f.find(typ) == t {
				return unknown(t, typ, v)
			}
			d.i = start
			continue
		}
		p := row[t].make()
		p.start(t)
		var last Raw
		d.object(func(d *dec, key []byte) bool {
			if string(key) == "type" {
				last = d.raw()
				return true
			}
			return p.set(d, key)
		})
		if bytes.Equal(last, typ) {
			p.finish(d.odd[odd:])
			return p
		}
		typ, d.i, d.odd = last, start, d.odd[:odd]
	}
}

// firstType gives the type of the object at i where that is its first member.
func (d *dec) firstType() Raw {
	w := Raw(d.b[d.i:]).Object()
	if key, v, ok := w.Next(); ok && key.is("type") {
		return v
	}
	return nil
}

// decodeBare decodes a line of the bare era (docs/format/rollout.md F1). A
// header has an id, a state says so; anything else without a type is unknown.
func decodeBare(t RecordType, typ, line Raw) Payload {
	line = line[skipSpace(line, 0):]
	p := decode(t, typ, line)
	switch q := p.(type) {
	case *BareHeader:
		if q.ID != "" {
			return p
		}
	case *BareState:
		if q.RecordType == "state" {
			return p
		}
	default:
		return p
	}
	return decode(RecordUnknown, typ, line)
}

// sibling gives the member "metadata" that stands beside the payload.
func sibling(line []byte, payload Raw) (meta Raw) {
	d := dec{b: line, i: skipSpace(line, 0)}
	at := cap(line) - cap(payload) // the payload is a part of the line
	d.object(func(d *dec, key []byte) bool {
		switch {
		case d.i == at:
			d.i += len(payload)
		case string(key) == "metadata":
			meta = d.raw()
		default:
			return false
		}
		return true
	})
	return meta
}

func name(v Raw) string {
	s, _ := v.Text()
	return s
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}
