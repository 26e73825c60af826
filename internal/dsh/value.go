package dsh

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// maxValues is how many JSON values one line may hold: what a line costs in
// memory is bounded by its length and this. The harness writes some thousands.
const maxValues = 1 << 20

// A value is one JSON value of a line as the harness's JSON.parse gives it: of
// two members of one name the later counts, and a number is a double. The zero
// value is a member that is not there.
type value struct {
	kind  jsontext.Kind // 0: not there
	num   float64
	text  string
	list  []value  // of an array, or the members of an object
	names []string // of an object
}

// A parser turns lines into values. It is reused from line to line.
type parser struct {
	dec   *jsontext.Decoder
	left  int
	names map[string]string // of members, so that each is kept once
}

// maxNames is how many names a parser remembers; the format has fewer.
const maxNames = 1024

func (p *parser) name(s string) string {
	if known, ok := p.names[s]; ok {
		return known
	}
	if p.names == nil {
		p.names = make(map[string]string)
	}
	if len(p.names) < maxNames && len(s) < 64 {
		p.names[s] = s
	}
	return s
}

func (p *parser) parse(line []byte) (value, error) {
	// As a buffer the line is read in place.
	in := bytes.NewBuffer(line)
	if p.dec == nil {
		p.dec = jsontext.NewDecoder(in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	} else {
		p.dec.Reset(in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	}
	p.left = maxValues
	v, err := p.value()
	if err != nil {
		return value{}, fmt.Errorf("no JSON: %w", err)
	}
	if _, err := p.dec.ReadToken(); err != io.EOF {
		return value{}, errors.New("no JSON: more than one value")
	}
	return v, nil
}

func (p *parser) value() (value, error) {
	if p.left--; p.left < 0 {
		return value{}, fmt.Errorf("more than %d values in one line", maxValues)
	}
	tok, err := p.dec.ReadToken()
	if err != nil {
		return value{}, err
	}
	v := value{kind: tok.Kind()}
	switch v.kind {
	case '"':
		v.text = tok.String()
	case '0':
		// Out of range is infinite, as in JSON.parse.
		v.num, _ = strconv.ParseFloat(tok.String(), 64)
	case '[':
		for p.dec.PeekKind() != ']' {
			if err := p.member(&v); err != nil {
				return v, err
			}
		}
		_, err = p.dec.ReadToken()
	case '{':
		v.names, v.list = make([]string, 0, 6), make([]value, 0, 6)
		for p.dec.PeekKind() != '}' {
			name, err := p.dec.ReadToken()
			if err != nil {
				return v, err
			}
			v.names = append(v.names, p.name(name.String()))
			if err := p.member(&v); err != nil {
				return v, err
			}
		}
		if _, err = p.dec.ReadToken(); err == nil {
			v.unique()
		}
	}
	return v, err
}

// repeats reports whether two members may have one name.
func (v *value) repeats() bool {
	if len(v.names) > 16 {
		return true
	}
	for i, name := range v.names {
		if slices.Contains(v.names[:i], name) {
			return true
		}
	}
	return false
}

// unique leaves the last of the members of one name.
func (v *value) unique() {
	if !v.repeats() {
		return
	}
	last := make(map[string]int, len(v.names))
	for i, name := range v.names {
		last[name] = i
	}
	n := 0
	for i, name := range v.names {
		if last[name] == i {
			v.names[n], v.list[n] = name, v.list[i]
			n++
		}
	}
	v.names, v.list = v.names[:n], v.list[:n]
}

func (p *parser) member(of *value) error {
	item, err := p.value()
	of.list = append(of.list, item)
	return err
}

// get is the member of that name, or the zero value.
func (v value) get(name string) value {
	if i := slices.Index(v.names, name); i >= 0 {
		return v.list[i]
	}
	return value{}
}

func (v value) exists() bool { return v.kind != 0 }

// is reports whether v is that string.
func (v value) is(s string) bool { return v.kind == '"' && v.text == s }

// truthy is what JavaScript takes for true.
func (v value) truthy() bool {
	switch v.kind {
	case 0, 'n', 'f':
		return false
	case '0':
		return v.num != 0
	case '"':
		return v.text != ""
	}
	return true
}

// maxSafe is the largest integer that a double holds with all below it.
const maxSafe = 1<<53 - 1

// integer is v as a safe integer. Minus zero is none: JSON does not keep it.
func (v value) integer() (int64, bool) {
	if v.kind != '0' || v.num != math.Trunc(v.num) || math.Abs(v.num) > maxSafe || v.num == 0 && math.Signbit(v.num) {
		return 0, false
	}
	return int64(v.num), true
}

// count is v as a safe integer from 0.
func (v value) count() (int64, bool) {
	n, ok := v.integer()
	return n, ok && n >= 0
}
