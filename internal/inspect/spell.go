package inspect

import (
	"bytes"
	"fmt"
	"strings"

	"rollbook/internal/rollout"
)

// appendSpelled appends the string v spelled as the contract asks
// (spec/inspect.md 2.5): escaped are quote, backslash and control characters
// below U+0020, by their short escapes where they have one, and nothing else.
// Most lines are spelled so already; rollout.Envelope.Respell tells which are not.
func appendSpelled(dst []byte, v rollout.Raw) []byte {
	for {
		i := bytes.IndexByte(v, '\\')
		if i < 0 {
			return append(dst, v...)
		}
		switch v[i+1] {
		case 'u':
			dst = append(dst, v[:i]...)
			n := len(`\u0000`)
			if v[i+2]|0x20 == 'd' && v[i+3] >= '8' { // half of a pair
				n *= 2
			}
			dst = appendEscape(dst, v[i:i+n])
			v = v[i+n:]
		case '/':
			dst = append(append(dst, v[:i]...), '/')
			v = v[i+2:]
		default:
			dst = append(dst, v[:i+2]...)
			v = v[i+2:]
		}
	}
}

// appendEscape respells one \u escape, or a pair of them.
func appendEscape(dst []byte, escape rollout.Raw) []byte {
	var quoted, buf [16]byte
	v := append(append(append(quoted[:0], '"'), escape...), '"')
	return appendEscaped(dst, rollout.Raw(v).AppendText(buf[:0]))
}

// AppendQuoted appends the text s, which must be UTF-8, as a string of the report.
func AppendQuoted(dst []byte, s string) []byte {
	return append(appendEscaped(append(dst, '"'), []byte(s)), '"')
}

func appendEscaped(dst, text []byte) []byte {
	const short = "\b\t\n\f\r\"\\"
	for _, c := range text {
		switch i := strings.IndexByte(short, c); {
		case i >= 0:
			dst = append(dst, '\\', `btnfr"\`[i])
		case c < 0x20:
			dst = fmt.Appendf(dst, `\u%04x`, c)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
