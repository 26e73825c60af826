package document

import (
	"bytes"
	"errors"
)

// An outline follows a JSON text byte by byte and holds nothing of it: where
// values begin and end, and whether it is JSON at all. Text that is not UTF-8 is
// not its business.
type outline struct {
	state state
	stack []byte // '{' and '[' of what is open
	key   bool   // the string at hand is a key
	rest  string // of the literal at hand
	hex   int    // digits of an escape that are still to come
}

// A state says what may come next.
type state uint8

const (
	value  state = iota // a value
	first               // a value, or the end of an array
	opened              // a key, or the end of an object
	member              // a key
	colon
	after // a comma or an end; at the top, nothing
	text
	escape
	digits // of an escape
	literal
	minus
	zero
	whole // digits of a whole number
	point
	fraction
	exponent // its sign or first digit
	signed   // its first digit
	power    // its digits
)

// maxNesting bounds what is open at once.
const maxNesting = 10_000

var (
	errByte    = errors.New("not JSON")
	errNesting = errors.New("nested too deeply")
)

// number reports whether the state is one in which a number may end.
func (s state) number() bool { return s == zero || s == whole || s == fraction || s == power }

// begins reports whether the byte begins a value.
func (o *outline) begins(c byte) bool {
	return (o.state == value || o.state == first && c != ']') && !space(c)
}

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func digit(c byte) bool { return '0' <= c && c <= '9' }

// step takes the next byte.
func (o *outline) step(c byte) error {
	switch o.state {
	case text:
		return o.inText(c)
	case escape, digits:
		return o.inEscape(c)
	case literal:
		if c != o.rest[0] {
			return errByte
		}
		if o.rest = o.rest[1:]; o.rest == "" {
			o.state = after
		}
		return nil
	}
	if o.state >= minus {
		more, err := o.inNumber(c)
		if more || err != nil {
			return err
		}
		o.state = after
	}
	if space(c) {
		return nil
	}
	return o.between(c)
}

// between takes a byte that stands in no string, number or literal.
func (o *outline) between(c byte) error {
	switch o.state {
	case first, opened:
		if c == ']' && o.state == first || c == '}' && o.state == opened {
			return o.pop(c)
		}
		if o.state == opened {
			return o.openKey(c)
		}
		return o.open(c)
	case value:
		return o.open(c)
	case member:
		return o.openKey(c)
	case colon:
		if c != ':' {
			return errByte
		}
		o.state = value
		return nil
	}
	switch {
	case len(o.stack) == 0:
		return errByte
	case c != ',':
		return o.pop(c)
	case o.stack[len(o.stack)-1] == '{':
		o.state = member
	default:
		o.state = value
	}
	return nil
}

// open takes the first byte of a value.
func (o *outline) open(c byte) error {
	switch {
	case c == '{' || c == '[':
		if len(o.stack) == maxNesting {
			return errNesting
		}
		o.stack = append(o.stack, c)
		if o.state = first; c == '{' {
			o.state = opened
		}
	case c == '"':
		o.state, o.key = text, false
	case c == '-':
		o.state = minus
	case c == '0':
		o.state = zero
	case digit(c):
		o.state = whole
	case c == 't':
		o.state, o.rest = literal, "rue"
	case c == 'f':
		o.state, o.rest = literal, "alse"
	case c == 'n':
		o.state, o.rest = literal, "ull"
	default:
		return errByte
	}
	return nil
}

func (o *outline) openKey(c byte) error {
	if c != '"' {
		return errByte
	}
	o.state, o.key = text, true
	return nil
}

func (o *outline) pop(c byte) error {
	n := len(o.stack) - 1
	if n < 0 || o.stack[n] != c-2 { // '{' and '[' stand two before their ends
		return errByte
	}
	o.stack, o.state = o.stack[:n], after
	return nil
}

func (o *outline) inText(c byte) error {
	switch {
	case c == '"':
		if o.state = after; o.key {
			o.state = colon
		}
	case c == '\\':
		o.state = escape
	case c < ' ':
		return errByte
	}
	return nil
}

func (o *outline) inEscape(c byte) error {
	switch {
	case o.state == escape && c == 'u':
		o.state, o.hex = digits, 4
	case o.state == escape && bytes.IndexByte([]byte(`"\/bfnrt`), c) >= 0:
		o.state = text
	case o.state == digits && (digit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'):
		if o.hex--; o.hex == 0 {
			o.state = text
		}
	default:
		return errByte
	}
	return nil
}

// inNumber reports whether the byte still belongs to the number.
func (o *outline) inNumber(c byte) (more bool, err error) {
	s := o.state
	switch {
	case digit(c) && s == minus && c == '0':
		o.state = zero
	case digit(c) && (s == minus || s == whole):
		o.state = whole
	case digit(c) && (s == point || s == fraction):
		o.state = fraction
	case digit(c) && s >= exponent:
		o.state = power
	case c == '.' && (s == zero || s == whole):
		o.state = point
	case c|0x20 == 'e' && (s == zero || s == whole || s == fraction):
		o.state = exponent
	case (c == '+' || c == '-') && s == exponent:
		o.state = signed
	case s.number() && !digit(c):
		return false, nil
	default:
		return false, errByte
	}
	return true, nil
}

// end says why the text cannot end here, if it cannot.
func (o *outline) end() error {
	if len(o.stack) == 0 && (o.state == after || o.state.number()) {
		return nil
	}
	return errors.New("ends inside a value")
}

// inside gives how many of the bytes lie inside the string at hand, so that they
// need no look at each.
func (o *outline) inside(b []byte) int {
	if o.state != text {
		return 0
	}
	for i, c := range b {
		if c == '"' || c == '\\' || c < ' ' {
			return i
		}
	}
	return len(b)
}
