package secret

import "strings"

// Ranks: what is a secret by itself gives the code before what only stands at a
// place for one.
const (
	rankBlock  = iota // a whole key
	rankFamily        // a token that says what it is
	rankLogin
	rankBearer
	rankAssigned
	rankValue
)

// contractRules are the five patterns of a bundle, word for word.
func contractRules() []anchor {
	list := []anchor{
		{"sk-", true, contractToken},
		{"github_pat_", true, contractToken},
		{"AKIA", true, contractToken},
		{"PRIVATE KEY-----", true, contractPEM},
		{"bearer", false, contractBearer},
		{"http://", true, contractURL},
		{"https://", true, contractURL},
	}
	for _, kind := range "pousr" {
		list = append(list, anchor{"gh" + string(kind) + "_", true, contractToken})
	}
	for _, word := range assignmentWords {
		list = append(list, anchor{word, false, contractAssignment})
	}
	return list
}

// assignmentWords are the names that credential_assignment knows.
var assignmentWords = []string{
	"apikey", "api-key", "api_key",
	"accesstoken", "access-token", "access_token",
	"clientsecret", "client-secret", "client_secret",
	"password",
}

// contractToken is credential_token: sk- and 16 or more of [A-Za-z0-9_-]; ghp_
// and its like and 20 or more letters and digits; github_pat_ and 20 or more of
// [A-Za-z0-9_]; AKIA and exactly 16 of [A-Z0-9]; each between word boundaries.
func contractToken(s string, at, end int) (match, bool) {
	if wordBefore(s, at) {
		return match{}, false
	}
	stop, least := end, 20
	switch s[at:end] {
	case "sk-":
		stop, least = tokens.run(s, end), 16
		for stop > end && s[stop-1] == '-' {
			stop-- // a word boundary is behind a letter, a digit or _
		}
	case "github_pat_":
		stop = words.run(s, end)
	case "AKIA":
		stop, least = capitals.upTo(s, end, 17), 16
		if stop != end+16 {
			return match{}, false
		}
	default:
		stop = alnum.run(s, end)
	}
	if stop-end < least || wordAt(s, stop) {
		return match{}, false
	}
	return match{code: CredentialToken, rank: rankFamily, from: at, start: at, end: stop, value: s[at:stop]}, true
}

// contractPEM is private_key: the header of a key in PEM.
func contractPEM(s string, at, end int) (match, bool) {
	before := s[:at]
	for _, kind := range []string{"", "RSA ", "EC ", "OPENSSH "} {
		if strings.HasSuffix(before, "-----BEGIN "+kind) {
			start := at - len("-----BEGIN "+kind)
			return match{code: PrivateKey, rank: rankBlock, from: start, start: start, end: end, value: s[start:end]}, true
		}
	}
	return match{}, false
}

// contractAssignment is credential_assignment: a name, an optional quote, : or
// =, an optional quote, and 8 or more bytes that are no space, quote, comma,
// semicolon or brace. Spaces round the : or = may stand before a quoted value, as
// JSON is usually written; before a bare one they would make prose and code a
// finding.
func contractAssignment(s string, at, end int) (match, bool) {
	i := end
	if b := byteAt(s, i); b == '"' || b == '\'' {
		i++
	}
	sign := spaces.run(s, i)
	if b := byteAt(s, sign); b != ':' && b != '=' {
		return match{}, false
	}
	value := spaces.run(s, sign+1)
	spaced := value > sign+1 || sign > i
	i = value
	if b := byteAt(s, i); b == '"' || b == '\'' {
		i++
	} else if spaced {
		return match{}, false
	}
	stop := assigned.upTo(s, i, weighed)
	if stop-i < 8 || redacted(s[i:stop]) && (stop-i < weighed || redacted(s[i:assigned.run(s, i)])) {
		return match{}, false
	}
	stop = assigned.run(s, stop)
	return match{code: CredentialAssignment, rank: rankAssigned, from: at, start: i, end: stop, value: s[i:stop]}, true
}

var assigned = func() *class {
	c := new(class)
	for i := range c {
		c[i] = true
	}
	for _, b := range []byte(" \t\r\n\v\f\"',;{}") {
		c[b] = false
	}
	return c
}()

// redacted reports whether a value has been redacted: behind spaces and quotes it
// begins with placeholders, and what follows them is no word or too short.
func redacted(value string) bool {
	from := 0
	for from < len(value) && endsValue(value, from) {
		from = escapeEnd(value, from)
	}
	end := placeholders(value, from)
	if end > from && (!wordAt(value, end) || len(value)-end < 8) {
		return true
	}
	left := 0
	for i := 0; i < len(value) && left < 8; { // no further: values may be long, and one in another
		if end := placeholder(value, i); end > i {
			i = end
			continue
		}
		i++
		left++
	}
	return left < 8
}

// contractBearer is bearer_token: the word, spaces, and 12 or more of
// [A-Za-z0-9._~-].
func contractBearer(s string, at, end int) (match, bool) {
	i := spaces.run(s, end)
	stop := bearers.run(s, i)
	if i == end || stop-i < 12 {
		return match{}, false
	}
	return match{code: BearerToken, rank: rankBearer, from: at, start: i, end: stop, value: s[i:stop]}, true
}

var bearers = newClass("A-Za-z0-9._~-")

// contractURL is url_credentials: http:// or https://, a user, a colon, a
// password and an @.
func contractURL(s string, at, end int) (match, bool) {
	stop, ok := login(s, end, false)
	if !ok {
		return match{}, false
	}
	return match{code: URLCredentials, rank: rankLogin, from: at, start: end, end: stop, value: s[end:stop]}, true
}

// login gives the end of the user and password that begin at a place, before
// their @. The user may be empty on request.
func login(s string, at int, anonymous bool) (end int, ok bool) {
	i := loginRun(s, at, false)
	if i == at && !anonymous || byteAt(s, i) != ':' {
		return 0, false
	}
	end = loginRun(s, i+1, true)
	if end == i+1 || byteAt(s, end) != '@' || placeholder(s, at) == end {
		return 0, false
	}
	return end, true
}

// loginRun gives the end of a user, or of a password, in which there may be colons.
// A character reference that stands for a bracket or a quote ends it.
func loginRun(s string, at int, colons bool) int {
	for at < len(s) && (loginBytes[s[at]] || colons && s[at] == ':') && (s[at] != '&' || !endsValue(s, at)) {
		at++
	}
	return at
}

// loginBytes may be in a user or password of an address as it is written.
var loginBytes = func() *class {
	c := new(class)
	for i := range c {
		c[i] = i > ' ' && i != 0x7f
	}
	for _, b := range []byte("/:@\"'`<>\\?#") {
		c[b] = false
	}
	return c
}()
