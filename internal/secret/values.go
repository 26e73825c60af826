package secret

import (
	"math"
	"slices"
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
		if stop := closing(s, m.start, q); byteAt(s, stop) == q {
			m.end = stop
		}
	} else {
		i := m.start
		for i < m.end && endsValue(s, i) {
			i = escapeEnd(s, i)
		}
		if stop := tight(s, i, m.end); stop-i >= 8 {
			m.start, m.end = i, stop
		}
	}
	m.value = s[m.start:m.end]
	return m, true
}

// closing gives where a quoted value ends: before its quote or, where that was cut
// off, with its line.
func closing(s string, at int, quote byte) int {
	for i := at; i < len(s) && i-at < 512; i++ {
		switch s[i] {
		case quote, '\n':
			return i
		case '\\':
			i++
		}
	}
	return min(len(s), at+512)
}

// tight gives where a value without quotes ends before what does not belong to
// it.
func tight(s string, at, end int) int {
	for i := at; i < end; i++ {
		b := s[i]
		if b == '`' || b == '<' || b == '>' || b == '|' || b == '&' && (i+1 == end || alnum[s[i+1]] || s[i+1] == '&') || endsValue(s, i) {
			end = i
		}
	}
	for end > at && strings.IndexByte(")].*:!?", s[end-1]) >= 0 {
		end--
	}
	return end
}

// endsValue reports whether an escape stands at a place that, in one layer or
// another, is white space, a quote or another end of a value.
func endsValue(s string, at int) bool {
	if b := s[at]; b != '\\' && b != '%' && b != '&' {
		return false
	}
	return escapeEnd(s, at) > at
}

// escapeEnd gives where an escape that ends a value ends, and its place where it
// is none.
func escapeEnd(s string, at int) int {
	text := s[at:min(len(s), at+24)]
	for range maxLayers {
		var out [8]byte
		n, width := unescape(text, &out)
		if n == 0 {
			return at
		}
		text = string(out[:width]) + text[n:]
		if b := out[0]; b <= ' ' || strings.IndexByte("\"'`,;{}<>|", b) >= 0 {
			return min(len(s), at+24) - (len(text) - width) // what is left is as it was
		}
	}
	return at
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
	v := s[start:min(stop, start+weighed)]
	code := "secret_value"
	switch {
	case encodesLogin(v) && len(v) >= 8 && k.text == "auth":
		code = "basic_auth"
	case quoted && len(v) >= 8 && contractName(s[from:i]) && assigned.run(v, 0) == len(v):
		code = CredentialAssignment // but for spaces
	case !looksSecret(v, k.sort, quoted), !quoted && isCode(s, i, start, start+len(v)):
		return match{}, false
	}
	if !quoted {
		stop = plain(s, start, len(s))
	}
	return match{code: code, rank: rankValue, from: from, start: start, end: stop, value: s[start:stop]}, true
}

// weighed is how much of a value is weighed, and how far its end is looked for
// before it is: a text may be nothing but key words.
const weighed = 256

// contractName reports whether a name ends as those of credential_assignment do.
func contractName(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(assignmentWords, func(word string) bool { return strings.HasSuffix(name, word) })
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
		stop := closing(s, i+1, q)
		for stop > i+1 && s[stop-1] == '\\' {
			stop-- // of an escape that was cut off
		}
		return i + 1, stop, true, true
	}
	stop := plain(s, i, i+weighed)
	return i, stop, false, stop > i
}

// plain gives where a value without quotes ends, or the limit.
func plain(s string, at, limit int) int {
	stop := at
	for limit = min(limit, len(s)); stop < limit && plainValue[s[stop]] && !endsValue(s, stop); {
		stop++
	}
	for stop > at && strings.IndexByte(".:!?", s[stop-1]) >= 0 {
		stop--
	}
	return stop
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
	if len(v) >= 24 && upper && low && entropy(v) >= 4 && !camel(v) {
		return true
	}
	if sort == strong {
		return letter && (digit || mixed) && (quoted || entropy(v) >= 2.75)
	}
	return len(v) >= 16 && digit && letter && (upper && low || mixed || len(v) >= 24) && entropy(v) >= 3.2
}

// camel reports whether a value is words rather than letters and digits made by
// chance: in those, what stands side by side is seldom of one case.
func camel(v string) bool {
	turns := 0
	for i := 1; i < len(v); i++ {
		if sortOf(v[i]) != sortOf(v[i-1]) {
			turns++
		}
	}
	return turns*3 <= len(v)
}

func sortOf(b byte) int {
	switch {
	case digits[b]:
		return 0
	case b <= 'Z':
		return 1
	default:
		return 2
	}
}

// isReference reports whether a value names a secret rather than being one, or
// stands in for one.
func isReference(v string) bool {
	if strings.IndexByte("$%@&*#", v[0]) >= 0 || strings.IndexByte("/~.", v[0]) >= 0 && isPath("."+v) {
		return true
	}
	l := strings.ToLower(v)
	if strings.HasPrefix(l, "your") {
		return true
	}
	for _, word := range []string{"example", "your_", "your-", "placeholder", "redacted", "xxxxx", "process.env", "environ", "getenv", "....", "****", "://"} {
		if strings.Contains(l, word) {
			return true
		}
	}
	return false
}

// isCode reports whether what stands behind a name that ends at a place is a
// name too, as in a program, or a call.
func isCode(s string, name, start, stop int) bool {
	v := s[start:stop]
	switch byteAt(s, stop) {
	case '(', '[':
		return true
	}
	if len(v) >= 24 && entropy(v) >= 4 && !camel(v) {
		return false
	}
	numerals := 0
	for i := range len(v) {
		switch b := v[i]; {
		case digits[b]:
			numerals++
		case !words[b] && b != '.' && b != '$' && b != '#' && b != '*':
			return false
		}
	}
	if strings.ContainsAny(v, ".") && isPath(v) {
		return true
	}
	// A value in a file of settings may be so too, but there it has more digits or
	// is no words.
	return numerals < 2 && s[start-1] == ' '
}

// isPath reports whether a value is names joined by dots, slashes or dashes
// none of which looks made by chance.
func isPath(v string) bool {
	parts := strings.FieldsFunc(v, func(r rune) bool { return r == '.' || r == '/' || r == '-' || r == '_' || r == ':' })
	if len(parts) < 2 && v[0] != '.' {
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
