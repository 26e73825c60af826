package rolltest

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// O is a JSON object: keys and values in turn, written in that order. A value
// made by If(false, …) leaves its key out.
type O []any

// A is a JSON array. A value made by If(false, …) is left out.
type A []any

// JSON is a literal: it is written as it stands.
type JSON string

type absent struct{}

// If gives v where ok holds; else the key (or element) is left out.
func If(ok bool, v any) any {
	if ok {
		return v
	}
	return absent{}
}

// String gives the object as compact JSON text.
func (o O) String() string { return string(appendValue(nil, o)) }

// String gives the array as compact JSON text.
func (a A) String() string { return string(appendValue(nil, a)) }

func appendValue(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, v)
	case int:
		return strconv.AppendInt(dst, int64(v), 10)
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case float64:
		return strconv.AppendFloat(dst, v, 'f', -1, 64)
	case string:
		return appendString(dst, v)
	case JSON:
		return append(dst, v...)
	case O:
		return appendObject(dst, v)
	case A:
		return appendArray(dst, v)
	default:
		panic(fmt.Sprintf("rolltest: no JSON form for %T", v))
	}
}

func appendObject(dst []byte, o O) []byte {
	if len(o)%2 != 0 {
		panic(fmt.Sprintf("rolltest: object with a key and no value: %v", o[len(o)-1]))
	}
	dst = append(dst, '{')
	first := true
	for i := 0; i < len(o); i += 2 {
		if _, out := o[i+1].(absent); out {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = appendString(dst, o[i].(string))
		dst = append(dst, ':')
		dst = appendValue(dst, o[i+1])
	}
	return append(dst, '}')
}

func appendArray(dst []byte, a A) []byte {
	dst = append(dst, '[')
	first := true
	for _, v := range a {
		if _, out := v.(absent); out {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = appendValue(dst, v)
	}
	return append(dst, ']')
}

// escaped says which bytes of a string cannot stand for themselves. Codex
// (serde_json) escapes these and nothing else.
var escaped = func() (t [256]bool) {
	for c := range 0x20 {
		t[c] = true
	}
	t['"'], t['\\'] = true, true
	return t
}()

// appendString writes s as serde_json does. Bytes that are not UTF-8 would make
// a line that Codex never writes: they panic (Raw writes such lines).
func appendString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		panic(fmt.Sprintf("rolltest: not UTF-8: %q", s))
	}
	dst = append(dst, '"')
	start := 0
	for i := range len(s) {
		if !escaped[s[i]] {
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscape(dst, s[i])
		start = i + 1
	}
	return append(append(dst, s[start:]...), '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}
