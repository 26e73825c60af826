package dsh

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxJSDepth is how deep the argument of a call in JavaScript may nest.
const maxJSDepth = 64

// jsArguments gives, as JSON, the object literal that a text in JavaScript calls
// one function with, as in `await tools.exec_command({cmd: "ls"});`. Nothing is
// evaluated: any other text is refused, and so is a key that would reach the
// prototype of an object.
func jsArguments(text string) (string, bool) {
	p := jsParser{s: strings.TrimSpace(text)}
	if !p.callee() || !p.take("(") {
		return "", false
	}
	p.out.Grow(len(text))
	if p.peek() != '{' || !p.value(0) {
		return "", false
	}
	p.take(",")
	if !p.take(")") {
		return "", false
	}
	p.take(";")
	p.blank()
	return p.out.String(), p.i == len(p.s)
}

type jsParser struct {
	s   string
	i   int
	out strings.Builder
}

func (p *jsParser) blank() {
	for p.i < len(p.s) {
		r, n := utf8.DecodeRuneInString(p.s[p.i:])
		if !unicode.IsSpace(r) {
			return
		}
		p.i += n
	}
}

// peek gives the next byte behind blanks, or 0 at the end.
func (p *jsParser) peek() byte {
	p.blank()
	if p.i == len(p.s) {
		return 0
	}
	return p.s[p.i]
}

func (p *jsParser) take(s string) bool {
	p.blank()
	if !strings.HasPrefix(p.s[p.i:], s) {
		return false
	}
	p.i += len(s)
	return true
}

// callee reads the name of a function, with what may stand before it.
func (p *jsParser) callee() bool {
	name := p.name()
	for name == "await" || name == "return" {
		name = p.name()
	}
	for name != "" && p.take(".") {
		name = p.name()
	}
	return name != ""
}

func (p *jsParser) name() string {
	p.blank()
	start := p.i
	for p.i < len(p.s) {
		c := p.s[p.i]
		letter := c == '_' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && !(p.i > start && c >= '0' && c <= '9') {
			break
		}
		p.i++
	}
	return p.s[start:p.i]
}

func (p *jsParser) value(depth int) bool {
	if depth > maxJSDepth {
		return false
	}
	switch c := p.peek(); {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"' || c == '\'' || c == '`':
		s, ok := p.text()
		p.out.WriteString(jsonQuote(s))
		return ok
	case c == '-' || c == '.' || c >= '0' && c <= '9':
		return p.number()
	}
	name := p.name()
	p.out.WriteString(name)
	return name == "true" || name == "false" || name == "null"
}

func (p *jsParser) array(depth int) bool {
	p.i++
	p.out.WriteByte('[')
	for n := 0; p.peek() != ']'; n++ {
		if n > 0 {
			p.out.WriteByte(',')
		}
		if !p.value(depth+1) || !p.take(",") && p.peek() != ']' {
			return false
		}
	}
	p.i++
	p.out.WriteByte(']')
	return true
}

// object reads an object literal. One that names a key twice is refused: which
// of them JSON would mean, not every reader agrees on.
func (p *jsParser) object(depth int) bool {
	p.i++
	p.out.WriteByte('{')
	seen := make(map[string]bool)
	for n := 0; p.peek() != '}'; n++ {
		key, ok := p.key()
		if !ok || seen[key] || key == "__proto__" || key == "constructor" || key == "prototype" {
			return false
		}
		seen[key] = true
		if n > 0 {
			p.out.WriteByte(',')
		}
		p.out.WriteString(jsonQuote(key))
		p.out.WriteByte(':')
		if !p.take(":") || !p.value(depth+1) || !p.take(",") && p.peek() != '}' {
			return false
		}
	}
	p.i++
	p.out.WriteByte('}')
	return true
}

func (p *jsParser) key() (string, bool) {
	if c := p.peek(); c == '"' || c == '\'' {
		return p.text()
	}
	name := p.name()
	return name, name != ""
}

// number reads a decimal number and writes it as JSON spells it.
func (p *jsParser) number() bool {
	start := p.i
	for p.i < len(p.s) && strings.IndexByte("+-.0123456789eE", p.s[p.i]) >= 0 {
		p.i++
	}
	s := p.s[start:p.i]
	minus := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	whole := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if whole < 0 {
		whole = len(s)
	}
	if _, err := strconv.ParseFloat(s, 64); err != nil || s == "" || s[0] == '+' || s[0] == '-' || whole > 1 && s[0] == '0' {
		return false
	}
	if minus {
		p.out.WriteByte('-')
	}
	if whole == 0 {
		p.out.WriteByte('0')
	}
	rest := s[whole:]
	if dot := strings.TrimLeft(rest, "."); rest != dot && (dot == "" || dot[0] < '0' || dot[0] > '9') {
		rest = dot // "5." and "5.e3"
	}
	p.out.WriteString(s[:whole] + rest)
	return true
}

// text reads a string in any of the three quotes. A template that holds an
// expression is refused.
func (p *jsParser) text() (string, bool) {
	end := p.s[p.i]
	p.i++
	var b strings.Builder
	for p.i < len(p.s) {
		c := p.s[p.i]
		switch {
		case c == end:
			p.i++
			return b.String(), true
		case c == '\\':
			if !p.escape(&b) {
				return "", false
			}
			continue
		case c == '\n' && end != '`', c == '$' && end == '`' && strings.HasPrefix(p.s[p.i:], "${"):
			return "", false
		}
		b.WriteByte(c)
		p.i++
	}
	return "", false
}

func (p *jsParser) escape(b *strings.Builder) bool {
	rest := p.s[p.i+1:]
	if rest == "" {
		return false
	}
	if plain := strings.IndexByte("bfnrtv", rest[0]); plain >= 0 {
		b.WriteByte("\b\f\n\r\t\v"[plain])
		p.i += 2
		return true
	}
	switch c := rest[0]; c {
	case 'x':
		return p.code(b, 2, 2)
	case 'u':
		return p.unicode(b, rest)
	case '\n': // the line goes on
		p.i += 2
		return true
	case '0':
		if len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9' {
			return false
		}
		b.WriteByte(0)
		p.i += 2
		return true
	}
	if rest[0] >= '1' && rest[0] <= '9' {
		return false
	}
	r, n := utf8.DecodeRuneInString(rest)
	b.WriteRune(r)
	p.i += 1 + n
	return true
}

// code reads digits hexadecimal digits, skip bytes behind the backslash.
func (p *jsParser) code(b *strings.Builder, skip, digits int) bool {
	from := p.i + skip
	if from+digits > len(p.s) {
		return false
	}
	n, err := strconv.ParseUint(p.s[from:from+digits], 16, 32)
	if err != nil || n > unicode.MaxRune {
		return false
	}
	b.WriteRune(rune(n))
	p.i = from + digits
	return true
}

func (p *jsParser) unicode(b *strings.Builder, rest string) bool {
	if strings.HasPrefix(rest, "u{") {
		end := strings.IndexByte(rest[:min(len(rest), 12)], '}')
		if end < 3 || !p.code(b, 3, end-2) {
			return false
		}
		p.i++
		return true
	}
	if high, ok := hexUnit(rest, 1); ok && high >= 0xd800 && high < 0xdc00 && strings.HasPrefix(rest[5:], "\\u") {
		if low, ok := hexUnit(rest, 7); ok && low >= 0xdc00 && low < 0xe000 {
			b.WriteRune(0x10000 + (high-0xd800)<<10 + (low - 0xdc00))
			p.i += 12
			return true
		}
	}
	return p.code(b, 2, 4)
}

func hexUnit(s string, from int) (rune, bool) {
	if from+4 > len(s) {
		return 0, false
	}
	n, err := strconv.ParseUint(s[from:from+4], 16, 16)
	return rune(n), err == nil
}
