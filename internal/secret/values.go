package secret

import (
	"math"
	"strings"
)

// assignment is credential_assignment as it is redacted: without what the
// contract's pattern takes along (escapes, a parameter that follows, closing
// brackets), and with what it leaves of a quoted value. What the contract finds
// is found.
func assignment(s string, at, end int) (match, bool) {
	m, ok := contractAssignment(s, at, end)
	if !ok {
		return match{}, false
	}
	if q := s[m.start-1]; q == '"' || q == '\'' {
		if stop, ok := closing(s, m.start, q); ok {
			m.end = stop
		}
	} else if stop := tight(s, m.start, m.end); stop-m.start >= 8 {
		m.end = stop
	}
	m.value = s[m.start:m.end]
	return m, true
}

// closing gives where a quoted value ends, on the same line.
func closing(s string, at int, quote byte) (end int, ok bool) {
	for i := at; i < len(s) && i-at < 512 && s[i] != '\n'; i++ {
		switch s[i] {
		case quote:
			return i, true
		case '\\':
			i++
		}
	}
	return 0, false
}

// tight gives where a value without quotes ends before what does not belong to
// it.
func tight(s string, at, end int) int {
	for i := at; i < end; i++ {
		switch b := s[i]; {
		case b == '\\' && i+1 < end && strings.IndexByte(`nrt"'\u`, s[i+1]) >= 0,
			b == '\\' && i+1 == end, // of a quote, which ended the pattern
			b == '`', b == '<', b == '>', b == '|',
			b == '&' && (i+1 == end || alnum[s[i+1]] || s[i+1] == '&'),
			b == '%' && i+2 < end && strings.Contains("0A 0D 20 22 26 27", strings.ToUpper(s[i+1:i+3])):
			end = i
		}
	}
	for end > at && strings.IndexByte(")].*:!?", s[end-1]) >= 0 {
		end--
	}
	return end
}

// A keyWord is the end of a name that a secret is assigned to.
type keyWord struct {
	text string
	sort int
	of   []string // where the word alone says nothing: what stands before it
}

// Sorts of key words: after a strong one a password may be short and a word,
// after a weak one a value has to look made by chance.
const (
	strong = iota
	weak
)

var keyWords = []keyWord{
	{"pass", strong, nil}, // password, passwd, passphrase
	{"pwd", strong, nil},
	{"secret", strong, nil},
	{"token", weak, nil},
	{"auth", weak, nil},
	{"credential", weak, nil},
	{"key", weak, []string{
		"api", "access", "secret", "private", "encryption", "signing", "account", "auth", "master", "session", "license",
		"service", "storage", "client", "shared", "webhook", "app", "deploy", "admin", "ssh", "hmac", "aes", "crypto", "subscription", "consumer",
	}},
}

// find looks at a name that the key word is in, what it is assigned, and whether
// that looks like a secret.
func (k *keyWord) find(s string, at, end int) (match, bool) {
	from, i, ok := k.name(s, at, end)
	if !ok {
		return match{}, false
	}
	start, stop, quoted, ok := value(s, from, i)
	if !ok || placeholder(s, start) > start {
		return match{}, false
	}
	if !quoted && i == end && k.text == "pass" && s[start-1] != '=' {
		return match{}, false // PASS: the name of a test
	}
	v := s[start:stop]
	code := "secret_value"
	switch {
	case encodesLogin(v) && len(v) >= 8 && k.text == "auth":
		code = "basic_auth"
	case !looksSecret(v, k.sort, quoted), k.sort == weak && !quoted && strings.ContainsAny(v, "*?!"):
		return match{}, false
	}
	return match{code: code, rank: rankValue, from: from, start: start, end: stop, value: v}, true
}

// name gives the ends of the name round a key word, if it ends with the word.
func (k *keyWord) name(s string, at, end int) (from, to int, ok bool) {
	from = tokens.back(s, at, 48)
	if k.of != nil {
		before := strings.ToLower(strings.TrimRight(s[from:at], "_-"))
		known := false
		for _, word := range k.of {
			known = known || strings.HasSuffix(before, word)
		}
		if !known {
			return 0, 0, false
		}
	}
	to = end
	if k.text == "pass" {
		if to = passName(s, end); to == end && from < at && s[at-1] != '_' && s[at-1] != '-' {
			return 0, 0, false // bypass
		}
	}
	for _, tail := range []string{"s", "_value", "_base64", "_b64", "_base", "_data", "_hash"} {
		if foldedAt(s, to, tail) && !tokens[byteAt(s, to+len(tail))] {
			to += len(tail)
			break
		}
	}
	to = digits.run(s, to)
	return from, to, !tokens[byteAt(s, to)]
}

// passName gives the end of a word that begins with pass.
func passName(s string, at int) int {
	for _, tail := range []string{"word", "wd", "phrase"} {
		if foldedAt(s, at, tail) {
			return at + len(tail)
		}
	}
	return at
}

// value gives the value that is assigned to a name which ends at a place:
// name=value, name: "value", "name" => 'value', <name>value<, --name value,
// "name", "value": "value".
func value(s string, from, at int) (start, end int, quoted, ok bool) {
	i := at
	if quotes[byteAt(s, i)] || byteAt(s, i) == ']' && quotes[byteAt(s, i-1)] {
		i++
	}
	if byteAt(s, i) == ']' {
		i++
	}
	i = blanks.run(s, i)
	switch b := byteAt(s, i); {
	case b == '=' || b == ':':
		i++
		for n := byteAt(s, i); n == '=' || n == '>'; n = byteAt(s, i) {
			i++
		}
	case b == '>' && from > 0 && s[from-1] == '<':
		i++
	case b == ',':
		n := strings.Index(s[i:min(len(s), i+40)], "alue")
		if n < 0 || strings.TrimLeft(s[i+1:i+n-1], " \"'\n\t") != "" {
			return 0, 0, false, false
		}
		i += n + len("alue")
		if quotes[byteAt(s, i)] {
			i++
		}
		if i = blanks.run(s, i); byteAt(s, i) != ':' && byteAt(s, i) != '=' {
			return 0, 0, false, false
		}
		i++
	case strings.HasPrefix(s[from:], "--") && i > at && !quotes[s[at]]:
	default:
		return 0, 0, false, false
	}
	i = blanks.run(s, i)
	if q := byteAt(s, i); quotes[q] {
		stop, ok := closing(s, i+1, q)
		return i + 1, stop, true, ok
	}
	stop := plainValue.run(s, i)
	for stop > i && strings.IndexByte(".:!?", s[stop-1]) >= 0 {
		stop--
	}
	return i, stop, false, stop > i
}

// plainValue may be in a value without quotes.
var plainValue = newClass("A-Za-z0-9_+/=.~!@#$%^*:?-")

// looksSecret weighs a value.
func looksSecret(v string, sort int, quoted bool) bool {
	if len(v) < 8 || strings.ContainsAny(v, " \t{}()[]<>\"\\|;,") || isReference(v) || sort == weak && isPath(v) || !varied(v) && len(v) >= 12 {
		return false
	}
	var digit, letter, mixed bool
	var upper, low bool
	for i := range len(v) {
		switch b := v[i]; {
		case digits[b]:
			digit = true
		case b >= 'a' && b <= 'z':
			letter, low = true, true
		case b >= 'A' && b <= 'Z':
			letter, upper = true, true
		case b != '_' && b != '-' && b != '.' && b != '/':
			mixed = true
		}
	}
	if sort == strong && len(v) >= 8 {
		return letter && (digit || mixed) && (quoted || entropy(v) >= 2.75)
	}
	return len(v) >= 16 && digit && letter && (upper && low || mixed || len(v) >= 24) && entropy(v) >= 3.2
}

// isReference reports whether a value names a secret rather than being one, or
// stands in for one.
func isReference(v string) bool {
	if strings.IndexByte("$%@/~&*.#", v[0]) >= 0 {
		return true
	}
	l := strings.ToLower(v)
	for _, word := range []string{"example", "your", "placeholder", "redacted", "xxxx", "process.env", "environ", "getenv", "....", "****", "://"} {
		if strings.Contains(l, word) {
			return true
		}
	}
	return false
}

// isPath reports whether a value is names joined by dots, slashes or dashes
// none of which looks made by chance.
func isPath(v string) bool {
	parts := strings.FieldsFunc(v, func(r rune) bool { return r == '.' || r == '/' || r == '-' || r == '_' || r == ':' })
	if len(parts) < 2 {
		return false
	}
	for _, p := range parts {
		if len(p) >= 10 && strings.ContainsAny(p, "0123456789") && entropy(p) > 3 {
			return false
		}
	}
	return true
}

// entropy is Shannon's, in bits per byte.
func entropy(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	var bits float64
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
