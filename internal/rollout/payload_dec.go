package rollout

import (
	"bytes"
	"time"
)

// maxOdd is how many odd fields of one payload are named; more are dropped.
const maxOdd = 16

// A dec goes once over an object that Scan accepted. Its value methods take
// the value at i and leave i behind it. A value of another kind than asked
// for, null aside, leaves its target zero and names the field in odd.
type dec struct {
	b   []byte
	i   int
	odd []string // paths of odd fields
}

// object goes over the members of the object at i. set is to take the value of
// a key that it knows and report true; the values of all others are skipped.
// The last of several members of one name wins.
func (d *dec) object(set func(d *dec, key []byte) bool) bool {
	if d.b[d.i] != '{' {
		d.bad()
		return false
	}
	for d.i++; d.more(); {
		start := d.i
		d.i = skipString(d.b, start)
		key := d.b[start+1 : d.i-1]
		d.colon()
		odd := len(d.odd)
		if !set(d, key) {
			if bytes.IndexByte(key, '\\') < 0 || !set(d, Raw(d.b[start:start+len(key)+2]).AppendText(nil)) {
				d.i = skipValue(d.b, d.i)
			}
		}
		for odd < len(d.odd) {
			d.odd[odd] = join(key, d.odd[odd])
			odd++
		}
	}
	return true
}

// into decodes the object at i into a fresh *p. It reports false, and leaves
// *p zero, where there is no object.
func into[T any, P interface {
	*T
	set(d *dec, key []byte) bool
}](d *dec, p P) bool {
	*p = *new(T)
	return d.object(p.set)
}

// join puts a key before the path of an odd field within its value.
func join(key []byte, path string) string {
	if path == "" {
		return string(key)
	}
	return string(key) + "." + path
}

// more moves to the next member or element; behind the last one it moves
// behind the closing bracket and reports false.
func (d *dec) more() bool {
	for {
		switch d.b[d.i] {
		case ' ', '\t', '\r', '\n', ',':
			d.i++
		case '}', ']':
			d.i++
			return false
		default:
			return true
		}
	}
}

func (d *dec) colon() {
	for d.b[d.i] == ':' || isSpace(d.b[d.i]) {
		d.i++
	}
}

// raw takes any value as it stands.
func (d *dec) raw() Raw {
	start := d.i
	d.i = skipValue(d.b, start)
	return Raw(d.b[start:d.i:d.i])
}

// bad skips a value of the wrong kind and names the field, unless it is null.
func (d *dec) bad() {
	if !d.raw().IsNull() {
		d.note()
	}
}

// note names the value at hand as odd; object puts its key there.
func (d *dec) note() {
	if len(d.odd) < maxOdd {
		d.odd = append(d.odd, "")
	}
}

// of takes a value that opens with the given byte, or nothing.
func (d *dec) of(open byte) Raw {
	if d.b[d.i] != open {
		d.bad()
		return nil
	}
	return d.raw()
}

func (d *dec) text() Text { return Text(d.of('"')) }

func (d *dec) str() string {
	s, _ := d.of('"').Text()
	return s
}

func (d *dec) int() Opt[int64] {
	v := d.raw()
	if n, ok := v.Int(); ok {
		return Opt[int64]{n, true}
	}
	if !v.IsNull() {
		d.note()
	}
	return Opt[int64]{}
}

func (d *dec) bool() Opt[bool] {
	switch v := d.raw(); v[0] {
	case 't':
		return Opt[bool]{true, true}
	case 'f':
		return Opt[bool]{false, true}
	case 'n':
	default:
		d.note()
	}
	return Opt[bool]{}
}

// duration takes {"secs":…,"nanos":…}.
func (d *dec) duration() Opt[time.Duration] {
	var secs, nanos Opt[int64]
	if !d.object(func(d *dec, key []byte) bool {
		switch string(key) {
		case "secs":
			secs = d.int()
		case "nanos":
			nanos = d.int()
		default:
			return false
		}
		return true
	}) {
		return Opt[time.Duration]{}
	}
	const most = int64(1<<63-1) / int64(time.Second)
	if !secs.OK || secs.Value < 0 || secs.Value >= most || nanos.Value < 0 || nanos.Value >= int64(time.Second) {
		d.note()
		return Opt[time.Duration]{}
	}
	return Opt[time.Duration]{time.Duration(secs.Value)*time.Second + time.Duration(nanos.Value), true}
}

// textIn takes one text out of an object.
func (d *dec) textIn(want string) (t Text) {
	d.object(func(d *dec, key []byte) bool {
		if string(key) != want {
			return false
		}
		t = d.text()
		return true
	})
	return t
}
