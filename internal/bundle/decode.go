package bundle

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A decoder reads closed JSON: it keeps the first thing that is wrong, and where,
// and gives zero values from then on.
type decoder struct{ err error }

func (d *decoder) fail(at, format string, args ...any) {
	if d.err != nil {
		return
	}
	d.err = fmt.Errorf(format, args...)
	if at != "" {
		d.err = fmt.Errorf("%s: %w", at, d.err)
	}
}

// object gives the members of an object. A name that comes twice is an error of
// the decoder, at any level below too.
func (d *decoder) object(at string, v jsontext.Value) map[string]jsontext.Value {
	var members map[string]jsontext.Value
	switch {
	case d.err != nil:
	case v.Kind() != '{':
		d.fail(at, "not an object")
	default:
		if err := json.Unmarshal(v, &members); err != nil {
			d.fail(at, "%w", err)
		}
	}
	return members
}

// closed refuses members that are missing or not named.
func (d *decoder) closed(at string, o map[string]jsontext.Value, names ...string) map[string]jsontext.Value {
	if d.err != nil {
		return nil
	}
	for _, name := range names {
		if _, ok := o[name]; !ok {
			d.fail(at, "%q is missing", name)
		}
	}
	if len(o) > len(names) && d.err == nil {
		var unknown []string
		for name := range o {
			if !slices.Contains(names, name) {
				unknown = append(unknown, name)
			}
		}
		d.fail(at, "%q is not known", slices.Min(unknown))
	}
	return o
}

// value reads v, which must be of that kind, into p.
func (d *decoder) value(at string, v jsontext.Value, kind jsontext.Kind, want string, p any) {
	if d.err != nil {
		return
	}
	if v == nil {
		d.fail(at, "is missing")
		return
	}
	if v.Kind() != kind {
		d.fail(at, "not %s", want)
		return
	}
	if err := json.Unmarshal(v, p); err != nil {
		d.fail(at, "not %s", want)
	}
}

func (d *decoder) text(at string, v jsontext.Value) (s string) {
	d.value(at, v, '"', "a string", &s)
	return s
}

func (d *decoder) textOrNull(at string, v jsontext.Value) *string {
	if d.err != nil || v.Kind() == 'n' {
		return nil
	}
	s := d.text(at, v)
	return &s
}

func (d *decoder) int(at string, v jsontext.Value) (n int) {
	d.value(at, v, '0', "a whole number", &n)
	return n
}

func (d *decoder) boolOrNull(at string, v jsontext.Value) *bool {
	switch {
	case d.err != nil || v.Kind() == 'n':
		return nil
	case v.Kind() != 't' && v.Kind() != 'f':
		d.fail(at, "neither true nor false")
		return nil
	}
	b := v.Kind() == 't'
	return &b
}

func (d *decoder) list(at string, v jsontext.Value) (elements []jsontext.Value) {
	d.value(at, v, '[', "a list", &elements)
	return elements
}

func (d *decoder) texts(at string, v jsontext.Value) []string {
	texts := []string{}
	for i, e := range d.list(at, v) {
		texts = append(texts, d.text(fmt.Sprintf("%s[%d]", at, i), e))
	}
	return texts
}
