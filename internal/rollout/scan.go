package rollout

import (
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

// A Fault says why a line is not a JSON text.
type Fault uint8

const (
	NoFault     Fault = iota
	FaultUTF8         // not UTF-8
	FaultEOF          // the text ends inside a value: it may have been cut
	FaultSyntax       // not JSON
	FaultDepth        // nested deeper than MaxDepth
	FaultNumber       // a number beyond the range of a float64
)

// String names the fault in a few lower-case words.
func (f Fault) String() string {
	return [...]string{"no fault", "not UTF-8", "ends inside a value", "not JSON", "nested too deeply", "number out of range"}[f]
}

// MaxDepth is the deepest nesting of objects and arrays that a line may have
// (spec: nesting of 128 is refused).
const MaxDepth = 127

// An Envelope is what the top level of a line holds. Its values point into the
// line that was scanned and are good for as long as the line is.
//
// Duplicate keys take the last value, and keys are compared exactly, with
// their escapes resolved.
type Envelope struct {
	Object      bool // the line is a JSON object
	Extra       bool // it has keys other than timestamp, type and payload
	Respell     bool // a string in it has \u or \/: escapes that could be spelled otherwise
	Timestamp   Raw
	Type        Raw
	Payload     Raw
	PayloadType Raw // "type" of the payload, where that is an object
	Ordinal     Raw
}

// Scan validates a line (without its line feed) as strictly as the contract
// asks and fills env in the same pass: UTF-8, the JSON grammar, paired
// surrogates, nesting and the range of numbers. At a fault env is not to be
// used. Duplicate names are allowed.
//
// It agrees with jsontext on every input but for nesting and the range of
// numbers, which jsontext does not check (FuzzScan holds it to that).
func Scan(line []byte, env *Envelope) Fault {
	*env = Envelope{}
	s := scanner{b: line, env: env}
	s.line()
	if (s.high || s.fault != NoFault) && !utf8.Valid(line) {
		return FaultUTF8
	}
	return s.fault
}

// line reads the whole text.
func (s *scanner) line() {
	i := s.space(0)
	var end int
	if i < len(s.b) && s.b[i] == '{' {
		s.env.Object = true
		end = s.object(i, 1, topLevel)
	} else {
		end = s.value(i, 1)
	}
	if s.fault == NoFault && s.space(end) != len(s.b) {
		s.fail(FaultSyntax)
	}
}

// scanner is one pass over a line.
// Its methods take the place to start and return the place after what they
// read; after a fault they return len(b), so that callers end soon.
type scanner struct {
	b     []byte
	env   *Envelope
	fault Fault
	high  bool // a string holds a byte beyond ASCII
}

// role says whose members an object's are: nobody's, the line's, the payload's.
type role uint8

const (
	inner role = iota
	topLevel
	payload
)

// member files one member of the line or of its payload.
func (env *Envelope) member(of role, key, val Raw) {
	switch {
	case of == payload:
		if key.is("type") {
			env.PayloadType = val
		}
	case key.is("timestamp"):
		env.Timestamp = val
	case key.is("type"):
		env.Type = val
	case key.is("payload"):
		env.Payload = val
		if val[0] != '{' {
			env.PayloadType = nil
		}
	case key.is("ordinal"):
		env.Ordinal = val
		env.Extra = true
	default:
		env.Extra = true
	}
}

func (s *scanner) fail(f Fault) int {
	if s.fault == NoFault {
		s.fault = f
	}
	return len(s.b)
}

func (s *scanner) space(i int) int {
	for i < len(s.b) {
		switch s.b[i] {
		case ' ', '\t', '\r', '\n':
			i++
		default:
			return i
		}
	}
	return i
}

func (s *scanner) value(i, depth int) int {
	if i >= len(s.b) {
		return s.fail(FaultEOF)
	}
	switch c := s.b[i]; c {
	case '"':
		return s.str(i)
	case '{':
		return s.object(i, depth, inner)
	case '[':
		return s.array(i, depth)
	case 't':
		return s.literal(i, "true")
	case 'f':
		return s.literal(i, "false")
	case 'n':
		return s.literal(i, "null")
	default:
		if c == '-' || '0' <= c && c <= '9' {
			return s.number(i)
		}
		return s.fail(FaultSyntax)
	}
}

// object reads the object that opens at i.
func (s *scanner) object(i, depth int, of role) int {
	if depth > MaxDepth {
		return s.fail(FaultDepth)
	}
	i = s.space(i + 1)
	if i < len(s.b) && s.b[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(s.b) {
			return s.fail(FaultEOF)
		}
		if s.b[i] != '"' {
			return s.fail(FaultSyntax)
		}
		start := i
		i = s.str(i)
		key := Raw(s.b[start:i])
		i = s.space(i)
		if i >= len(s.b) {
			return s.fail(FaultEOF)
		}
		if s.b[i] != ':' {
			return s.fail(FaultSyntax)
		}
		i = s.space(i + 1)
		start = i
		if of == topLevel && i < len(s.b) && s.b[i] == '{' && key.is("payload") {
			s.env.PayloadType = nil
			i = s.object(i, depth+1, payload)
		} else {
			i = s.value(i, depth+1)
		}
		if s.fault != NoFault {
			return i
		}
		if of != inner {
			s.env.member(of, key, Raw(s.b[start:i]))
		}
		i = s.space(i)
		if i >= len(s.b) {
			return s.fail(FaultEOF)
		}
		switch s.b[i] {
		case '}':
			return i + 1
		case ',':
			i = s.space(i + 1)
		default:
			return s.fail(FaultSyntax)
		}
	}
}

func (s *scanner) array(i, depth int) int {
	if depth > MaxDepth {
		return s.fail(FaultDepth)
	}
	i = s.space(i + 1)
	if i < len(s.b) && s.b[i] == ']' {
		return i + 1
	}
	for {
		i = s.value(i, depth+1)
		if s.fault != NoFault {
			return i
		}
		i = s.space(i)
		if i >= len(s.b) {
			return s.fail(FaultEOF)
		}
		switch s.b[i] {
		case ']':
			return i + 1
		case ',':
			i = s.space(i + 1)
		default:
			return s.fail(FaultSyntax)
		}
	}
}

func (s *scanner) literal(i int, word string) int {
	for k := range len(word) {
		if i+k >= len(s.b) {
			return s.fail(FaultEOF)
		}
		if s.b[i+k] != word[k] {
			return s.fail(FaultSyntax)
		}
	}
	return i + len(word)
}

// number reads a number. One that is whole but beyond a float64 is refused
// even where the line ends with it.
func (s *scanner) number(i int) int {
	start := i
	if s.b[i] == '-' {
		i++
	}
	if i >= len(s.b) {
		return s.fail(FaultEOF)
	}
	if s.b[i] == '0' {
		i++
		if i < len(s.b) && isDigit(s.b[i]) {
			return s.fail(FaultSyntax)
		}
	} else if i = s.digits(i); s.fault != NoFault {
		return i
	}
	exponent := false
	if i < len(s.b) && s.b[i] == '.' {
		if i = s.digits(i + 1); s.fault != NoFault {
			return i
		}
	}
	if i < len(s.b) && (s.b[i] == 'e' || s.b[i] == 'E') {
		exponent = true
		i++
		if i < len(s.b) && (s.b[i] == '+' || s.b[i] == '-') {
			i++
		}
		if i = s.digits(i); s.fault != NoFault {
			return i
		}
	}
	// 308 digits without an exponent always fit.
	if exponent || i-start > 308 {
		if _, err := strconv.ParseFloat(string(s.b[start:i]), 64); err != nil {
			return s.fail(FaultNumber)
		}
	}
	return i
}

// digits reads one digit or more.
func (s *scanner) digits(i int) int {
	if i >= len(s.b) {
		return s.fail(FaultEOF)
	}
	if !isDigit(s.b[i]) {
		return s.fail(FaultSyntax)
	}
	for i < len(s.b) && isDigit(s.b[i]) {
		i++
	}
	return i
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// str reads the string whose opening quote is at i. It looks at eight bytes at a
// time for a quote, a backslash or a control character; of the bits that a hit
// sets only the lowest is exact, and only that one is used.
func (s *scanner) str(i int) int {
	b := s.b
	i++
	for {
		var seen uint64
		for i+8 <= len(b) {
			x := binary.LittleEndian.Uint64(b[i:])
			seen |= x
			quote := x ^ ones*'"'
			slash := x ^ ones*'\\'
			hit := ((quote - ones) &^ quote) | ((slash - ones) &^ slash) | ((x - ones*0x20) &^ x)
			if hit &= highs; hit != 0 {
				i += bits.TrailingZeros64(hit) / 8
				break
			}
			i += 8
		}
		for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= 0x20 {
			seen |= uint64(b[i])
			i++
		}
		if seen&highs != 0 {
			s.high = true
		}
		switch {
		case i >= len(b):
			return s.fail(FaultEOF)
		case b[i] == '"':
			return i + 1
		case b[i] != '\\':
			return s.fail(FaultSyntax)
		}
		if i+1 < len(b) && short[b[i+1]] {
			i += 2
		} else if i = s.escape(i + 1); s.fault != NoFault {
			return i
		}
	}
}

// short are the bytes that may stand behind a backslash and end the escape.
var short = [256]bool{'"': true, '\\': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// escape reads what follows a backslash.
func (s *scanner) escape(i int) int {
	if i >= len(s.b) {
		return s.fail(FaultEOF)
	}
	switch c := s.b[i]; {
	case short[c]:
		return i + 1
	case c == '/':
		s.env.Respell = true
		return i + 1
	case c != 'u':
		return s.fail(FaultSyntax)
	}
	s.env.Respell = true
	r, i := s.hex4(i + 1)
	switch {
	case s.fault != NoFault || r < 0xd800 || r > 0xdfff:
		return i
	case r >= 0xdc00:
		return s.fail(FaultSyntax)
	}
	for _, want := range []byte(`\u`) {
		if i >= len(s.b) {
			return s.fail(FaultEOF)
		}
		if s.b[i] != want {
			return s.fail(FaultSyntax)
		}
		i++
	}
	if r, i = s.hex4(i); s.fault == NoFault && (r < 0xdc00 || r > 0xdfff) {
		return s.fail(FaultSyntax)
	}
	return i
}

// hex4 reads four hexadecimal digits. Fewer than four bytes left is an end,
// whatever they are.
func (s *scanner) hex4(i int) (rune, int) {
	if i+4 > len(s.b) {
		return 0, s.fail(FaultEOF)
	}
	var r rune
	for _, c := range s.b[i : i+4] {
		d := unhex[c]
		if d < 0 {
			return 0, s.fail(FaultSyntax)
		}
		r = r<<4 | rune(d)
	}
	return r, i + 4
}

var unhex = func() (t [256]int8) {
	for c := range t {
		switch {
		case '0' <= c && c <= '9':
			t[c] = int8(c - '0')
		case 'a' <= c && c <= 'f':
			t[c] = int8(c - 'a' + 10)
		case 'A' <= c && c <= 'F':
			t[c] = int8(c - 'A' + 10)
		default:
			t[c] = -1
		}
	}
	return t
}()
