package secret

import (
	"encoding/base64"
	"strings"
)

// maxBlock is the most that a private key is looked for in, with its escapes
// undone.
const maxBlock = 32 << 10

// keyBlock is a private key in PEM or in the armor of OpenPGP, up to its last
// line; where that is missing, up to the last line that looks like one of a key.
// The anchor ends with "PRIVATE KEY", of which + may be the space.
func keyBlock(s string, at, end int) (match, bool) {
	start := strings.LastIndex(s[max(0, at-40):at], "-----BEGIN") + max(0, at-40)
	if start < max(0, at-40) || strings.Contains(s[start+10:at], "-----") {
		return match{}, false
	}
	if foldedAt(s, end, " block") || foldedAt(s, end, "+block") {
		end += len(" block")
	}
	if !strings.HasPrefix(s[end:], "-----") {
		return match{}, false
	}
	end += 5
	stop := blockEnd(s, end)
	return match{code: PrivateKey, rank: rankBlock, from: start, start: start, end: stop, value: strings.Join(strings.Fields(s[start:stop]), "")}, true
}

// blockEnd gives the end of a block whose first line ends at a place.
func blockEnd(s string, at int) int {
	rest := s[at:min(len(s), at+maxBlock)]
	if n := strings.Index(rest, "-----END"); n >= 0 {
		body := rest[:n]
		last := strings.Index(rest[n+8:], "-----")
		if last >= 0 && last < 40 && !strings.Contains(body, "-----BEGIN") && dense(body) {
			return at + n + 8 + last + 5
		}
	}
	stop := at
	for stop < len(s) && stop-at < maxBlock {
		line := lineBreaks.run(s, stop)
		next := base64s.run(s, line)
		if line == stop && stop != at || next-line < 16 {
			break
		}
		stop = next
	}
	return stop
}

var lineBreaks = newClass(" \t\r\n+|>\\nr\"',")

// dense reports whether a text is made of long words, as a key is and prose is
// not.
func dense(s string) bool {
	n := len(strings.Fields(s))
	return n == 0 || len(s)/n >= 12
}

// encodedBlock is a private key in PEM that base64 was made of, as in a
// kubeconfig.
func encodedBlock(s string, at, end int) (match, bool) {
	if at > 0 && base64s[s[at-1]] && s[at-1] != '=' {
		return match{}, false
	}
	stop := base64s.run(s, at)
	head, _ := base64.StdEncoding.DecodeString(s[at : at+min(stop-at, 64)&^3])
	if !strings.Contains(string(head), "PRIVATE KEY") {
		return match{}, false
	}
	return match{code: PrivateKey, rank: rankBlock, from: at, start: at, end: stop, value: s[at:stop]}, true
}

// puttyBlock is the private lines of a key of PuTTY.
func puttyBlock(s string, at, end int) (match, bool) {
	i := digits.run(s, blanks.run(s, end))
	start := spaces.run(s, i)
	stop := start
	for stop < len(s) {
		next := base64s.run(s, stop)
		if next-stop < 16 {
			break
		}
		stop = spaces.run(s, next)
	}
	stop = start + len(strings.TrimRight(s[start:stop], " \t\r\n"))
	if stop-start < 16 {
		return match{}, false
	}
	return match{code: PrivateKey, rank: rankBlock, from: at, start: start, end: stop, value: s[start:stop]}, true
}
