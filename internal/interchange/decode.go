package interchange

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// maxList is the most elements that a list may have, so that a line of empty
// objects takes no more memory than a long text.
const maxList = 1 << 16

var errTrailing = errors.New("more than one value")

// A decoder goes once over the object of a line. Its value methods take the
// next value. A value of another kind than asked for, null aside, leaves zero
// and names its field in wrong. Once the text turns out not to be JSON, err is
// set and everything else is zero.
type decoder struct {
	in     bytes.Buffer
	dec    jsontext.Decoder
	err    error
	repair bool

	wrong   string // JSON pointer of the first value that cannot stand where it does
	omitted int    // members that say nothing to us
	first   string // the key of the first of them
}

// begin sets the decoder before a line. With repair it reads U+FFFD for bytes
// and surrogates that are no text, and takes them for faults otherwise. Of
// members of the same name the last one holds.
func (d *decoder) begin(text []byte, repair bool) {
	d.in = *bytes.NewBuffer(text)
	d.dec.Reset(&d.in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(repair))
	d.err, d.repair, d.wrong, d.omitted, d.first = nil, repair, "", 0, ""
}

// whole reads the line: one value and nothing behind it. It reports whether
// the value is an object, whose members it hands over.
func (d *decoder) whole(member func(key []byte) bool) (object bool, err error) {
	if object = d.kind() == '{'; object {
		d.object(member)
	} else {
		d.value()
	}
	if d.err == nil {
		if _, err := d.dec.ReadToken(); err == nil {
			d.err = errTrailing
		} else if err != io.EOF {
			d.err = err
		}
	}
	return object, d.err
}

// kind gives the kind of the next value, and 0 after a fault.
func (d *decoder) kind() jsontext.Kind {
	if d.err != nil {
		return 0
	}
	return d.dec.PeekKind()
}

// token takes the next token.
func (d *decoder) token() (tok jsontext.Token) {
	if d.err == nil {
		tok, d.err = d.dec.ReadToken()
	}
	return tok
}

// value takes the next value as it stands; it is good until the next one.
func (d *decoder) value() (v jsontext.Value) {
	if d.err == nil {
		v, d.err = d.dec.ReadValue()
	}
	return v
}

// refuse takes a value that cannot stand here and names its field.
func (d *decoder) refuse() {
	d.value()
	d.blame()
}

// blame names the field of the value just taken.
func (d *decoder) blame() {
	if d.err == nil && d.wrong == "" {
		d.wrong = string(d.dec.StackPointer())
	}
}

// omit takes a value that the format has no key for.
func (d *decoder) omit(key []byte) {
	d.skipped(key)
	d.value()
}

// skipped counts a member that says nothing to us.
func (d *decoder) skipped(key []byte) {
	if d.omitted++; d.omitted == 1 {
		d.first = string(key)
	}
}

// omission tells of the members that say nothing to us.
func (d *decoder) omission() string {
	return fmt.Sprintf("%d unknown, the first is %.40q", d.omitted, d.first)
}

// null takes a null, or reports that the next value is none.
func (d *decoder) null() bool {
	if d.kind() != 'n' {
		return false
	}
	d.token()
	return true
}

// object hands over the members of the next value, which is to be an object.
func (d *decoder) object(member func(key []byte) bool) {
	if d.kind() != '{' {
		d.refuse()
		return
	}
	d.token()
	for d.err == nil && d.kind() != '}' {
		key := d.key()
		if d.err == nil && !member(key) {
			d.omit(key)
		}
	}
	d.token()
}

// key takes a member's key.
func (d *decoder) key() []byte {
	v := d.value()
	if d.err != nil {
		return nil
	}
	if bytes.IndexByte(v, '\\') < 0 {
		return v[1 : len(v)-1]
	}
	key, _ := jsontext.AppendUnquote(nil, v) // with repair an odd surrogate is an error here and U+FFFD in the result
	return key
}

// list hands over the elements of the next value, which is to be an array or
// null.
func (d *decoder) list(element func()) {
	switch d.kind() {
	case 'n':
		d.token()
		return
	case '[':
	default:
		d.refuse()
		return
	}
	d.token()
	for n := 0; d.err == nil && d.kind() != ']'; n++ {
		if n < maxList {
			element()
			continue
		}
		d.refuse()
	}
	d.token()
}

// str takes a string; null is an empty one.
func (d *decoder) str() string {
	switch d.kind() {
	case '"':
		tok := d.token()
		if d.err != nil {
			return ""
		}
		return tok.String()
	case 'n':
		d.token()
	default:
		d.refuse()
	}
	return ""
}

func (d *decoder) strs() (list []string) {
	d.list(func() { list = append(list, d.str()) })
	return list
}

// bool takes true or false. The second result is false for null.
func (d *decoder) bool() (b, ok bool) {
	switch d.kind() {
	case 't', 'f':
		return d.token().Kind() == 't', d.err == nil
	case 'n':
		d.token()
	default:
		d.refuse()
	}
	return false, false
}

// number takes a whole number that fits T. The second result is false for null.
func number[T int | int64](d *decoder) (n T, ok bool) {
	switch d.kind() {
	case '0':
		v := d.value()
		if d.err != nil {
			return 0, false
		}
		wide, err := strconv.ParseInt(string(v), 10, 64)
		if n = T(wide); err != nil || int64(n) != wide {
			d.blame()
			return 0, false
		}
		return n, true
	case 'n':
		d.token()
	default:
		d.refuse()
	}
	return 0, false
}

// size takes a whole number that is not negative; null is 0.
func size[T int | int64](d *decoder) T {
	n, _ := number[T](d)
	if n < 0 {
		d.blame()
		return 0
	}
	return n
}
