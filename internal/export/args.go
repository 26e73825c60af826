package export

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A field is a member of a JSON object, its value as recorded.
type field struct {
	name, value string
}

// text is the value as people read it: a string without quotes and escapes,
// objects and lists over several lines.
func (f *field) text() string {
	if s, ok := stringOf(f.value); ok {
		return s
	}
	v := jsontext.Value(f.value)
	if kind := v.Kind(); kind != '{' && kind != '[' || v.Indent(jsontext.WithIndent("  "), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return f.value
	}
	return string(v)
}

func newDecoder(text string) *jsontext.Decoder {
	return jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// readObject reads the members of a JSON object in their order. It reports
// false for anything else, also for an object that is cut.
func readObject(text string) ([]field, bool) {
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") {
		return nil, false
	}
	dec := newDecoder(text)
	if _, err := dec.ReadToken(); err != nil {
		return nil, false
	}
	var all []field
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, false
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil, false
		}
		all = append(all, field{key, string(value)})
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, false
	}
	return all, true
}

// readStrings reads a JSON list of strings.
func readStrings(text string) ([]string, bool) {
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "[") {
		return nil, false
	}
	dec := newDecoder(text)
	if _, err := dec.ReadToken(); err != nil {
		return nil, false
	}
	var all []string
	for {
		switch dec.PeekKind() {
		case '"':
			tok, err := dec.ReadToken()
			if err != nil {
				return nil, false
			}
			all = append(all, tok.String())
		case ']':
			return all, true
		default:
			return nil, false
		}
	}
}

// stringOf reads a JSON string that is all of the text.
func stringOf(text string) (string, bool) {
	if !strings.HasPrefix(text, `"`) {
		return "", false
	}
	tok, err := newDecoder(text).ReadToken()
	if err != nil {
		return "", false
	}
	return tok.String(), true
}

// inShort gives the members of an object on one line: step=1, text="a b".
func inShort(fields []field) string {
	var b strings.Builder
	for i, f := range fields {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(f.name + "=" + plainValue(f.value))
	}
	return b.String()
}

// plainValue is a value without the quotes that a simple word does not need.
func plainValue(value string) string {
	s, ok := stringOf(value)
	if !ok || s == "" || strings.ContainsAny(s, " ,=\"\n\t") {
		return value
	}
	return s
}
