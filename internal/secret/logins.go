package secret

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// bearer is bearer_token with all that belongs to the token.
func bearer(s string, at, end int) (match, bool) {
	i := spaces.run(s, end)
	stop := bearerMore.run(s, i)
	if i == end || stop-i < 12 {
		return match{}, false
	}
	if _, ok := contractBearer(s, at, end); !ok && (wordBefore(s, at) || !strings.ContainsAny(s[i:stop], "0123456789")) {
		return match{}, false
	}
	return match{code: BearerToken, rank: rankBearer, from: at, start: i, end: stop, value: s[i:stop]}, true
}

var bearerMore = newClass("A-Za-z0-9._~+/=-")

// basic is the user and password of a header, in base64: what it stands for is
// text with a colon.
func basic(s string, at, end int) (match, bool) {
	i := blanks.run(s, end)
	stop := base64s.run(s, i)
	if i == end || wordBefore(s, at) || !encodesLogin(s[i:stop]) {
		return match{}, false
	}
	return match{code: "basic_auth", rank: rankLogin, from: at, start: i, end: stop, value: s[i:stop]}, true
}

// encodesLogin reports whether a text is base64 of a user, a colon and a
// password.
func encodesLogin(s string) bool {
	s = strings.TrimRight(s, "=")
	if len(s) < 6 {
		return false
	}
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		b, err := enc.DecodeString(s)
		if err != nil || !utf8.Valid(b) || strings.IndexByte(string(b), ':') < 0 {
			continue
		}
		if strings.IndexFunc(string(b), func(r rune) bool { return r < ' ' || r == 0x7f }) < 0 {
			return true
		}
	}
	return false
}

// address is a user and password in an address of any scheme. Those of http and
// https have the code of the contract, those of others, such as databases, the
// code connection_string.
func address(s string, at, end int) (match, bool) {
	start := schemeBytes.back(s, at, 32)
	scheme := strings.ToLower(s[start:at])
	code := "connection_string"
	if scheme == "http" || scheme == "https" || strings.HasSuffix(scheme, "+http") || strings.HasSuffix(scheme, "+https") {
		code = URLCredentials
	}
	stop, ok := login(s, end, true)
	if !ok {
		stop, ok = userToken(s, end)
	}
	if scheme == "" || !ok || code != URLCredentials && strings.Contains(s[end:stop], "${") {
		return match{}, false
	}
	return match{code: code, rank: rankLogin, from: start, start: end, end: stop, value: s[end:stop]}, true
}

var schemeBytes = newClass("A-Za-z0-9+.-")

// userToken gives the end of a user that is a token rather than a name.
func userToken(s string, at int) (end int, ok bool) {
	end = tokens.run(s, at)
	return end, byteAt(s, end) == '@' && end-at >= 20 && strings.ContainsAny(s[at:end], "0123456789") && entropy(s[at:end]) >= 3.5
}

// cookie is what a header of cookies says, where it is long enough to be more
// than a setting.
func cookie(s string, at, end int) (match, bool) {
	i := blanks.run(s, end)
	if eq := dotted.upTo(s, i, 128); eq == i || byteAt(s, eq) != '=' || placeholder(s, i) > i {
		return match{}, false
	}
	v := s[i:cookieEnd(s, i, i+maxCookie)]
	long := false
	for part := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == ';' || r == '=' || r == ' ' }) {
		long = long || len(part) >= 16 && entropy(part) >= 3
	}
	if !long {
		return match{}, false
	}
	stop := cookieEnd(s, i, len(s))
	v = s[i:stop]
	return match{code: "cookie", rank: rankValue, from: at, start: i, end: stop, value: v}, true
}

// maxCookie is how much of a header is weighed.
const maxCookie = 1 << 10

// cookieEnd gives where a header ends, or the limit.
func cookieEnd(s string, at, limit int) int {
	stop := at
	for limit = min(limit, len(s)); stop < limit; stop++ {
		if b := s[stop]; b == '\n' || b == '\r' || b == '"' || b == '\'' || b != ' ' && b != '&' && endsValue(s, stop) {
			break
		}
	}
	return at + len(strings.TrimRight(s[at:stop], " \t"))
}

// netrc is the password of an entry of a netrc file: machine NAME login NAME
// password VALUE, with any white space between.
func netrc(s string, at, end int) (match, bool) {
	i := end
	for _, word := range []string{"", "login", "", "password"} {
		i = spaces.run(s, i)
		stop := entry(s, i)
		if stop == i || word != "" && s[i:stop] != word {
			return match{}, false
		}
		i = stop
	}
	i = spaces.run(s, i)
	stop := entry(s, i)
	if wordBefore(s, at) || stop-i < 4 || placeholder(s, i) > i {
		return match{}, false
	}
	return match{code: "netrc_login", rank: rankLogin, from: at, start: i, end: stop, value: s[i:stop]}, true
}

// entry gives the end of a word of a netrc file.
func entry(s string, at int) int {
	stop := at
	for stop < len(s) && s[stop] > ' ' && !quotes[s[stop]] && !endsValue(s, stop) {
		stop++
	}
	return stop
}

// userFlag is the user and password that a command which asks the web is given:
// curl -u name:password.
func userFlag(s string, at, end int) (match, bool) {
	i := quotes.run(s, blanks.run(s, end))
	colon := mailBytes.run(s, i)
	stop := colon + 1
	if byteAt(s, colon) != ':' || colon == i {
		return match{}, false
	}
	for stop < len(s) && s[stop] > ' ' && !quotes[s[stop]] && !endsValue(s, stop) {
		stop++
	}
	if stop-colon-1 < 4 || digits.run(s, colon+1) == stop || strings.IndexByte(`$/\`, s[colon+1]) >= 0 || placeholder(s, i) > i || !asksWeb(s[max(0, at-200):at]) {
		return match{}, false
	}
	return match{code: "login", rank: rankLogin, from: at, start: i, end: stop, value: s[i:stop]}, true
}

// asksWeb reports whether what stands before the flag of a command asks the web,
// in the same line and, where the text is JSON, in the same string.
func asksWeb(s string) bool {
	for _, border := range []string{"\n", `","`, `":"`} {
		s = s[strings.LastIndex(s, border)+1:]
	}
	return strings.Contains(s, "curl") || strings.Contains(s, "http")
}
