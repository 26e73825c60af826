package secret

import (
	"cmp"
	"slices"
)

// A Set says what to look for.
type Set uint8

const (
	// Contract is the five patterns of a bundle (docs/secrets.md, "The contract
	// of a bundle"), in the text as it stands.
	Contract Set = iota
	// Redact is everything: those five, the tokens of known services, keys,
	// logins, and values that a key word stands before; under escapes too.
	Redact
)

// The codes of the contract.
const (
	CredentialToken      = "credential_token"
	PrivateKey           = "private_key"
	CredentialAssignment = "credential_assignment"
	BearerToken          = "bearer_token"
	URLCredentials       = "url_credentials"
)

// ContractCodes are the codes of the contract in its order.
var ContractCodes = []string{CredentialToken, PrivateKey, CredentialAssignment, BearerToken, URLCredentials}

// A Finding is a part of a text that is, or may be, a secret.
type Finding struct {
	Code       string
	Start, End int // bytes of the text; the secret alone, without the words that gave it away
}

// Find looks through a text. The findings are in order and do not overlap,
// except with Contract, where two patterns may name the same bytes.
//
// A placeholder of a Redactor is no finding.
func Find(s string, set Set) []Finding {
	var f finder
	var list []Finding
	for _, m := range f.find(s, set) {
		list = append(list, Finding{m.code, m.start, m.end})
	}
	return list
}

// Codes gives the codes of the contract that a text has a finding of, each
// once, in the order of the contract.
func Codes(s string) []string {
	var f finder
	found := f.find(s, Contract)
	if len(found) == 0 {
		return nil
	}
	var list []string
	for _, code := range ContractCodes {
		if slices.ContainsFunc(found, func(m match) bool { return m.code == code }) {
			list = append(list, code)
		}
	}
	return list
}

// A text is looked at in windows, so that what is held beside it does not grow
// with it. A window looks back a little, for the words before a value, and ahead
// as far as a finding may reach.
const (
	windowSize = 256 << 10
	lookBack   = 256
	reach      = 64 << 10
	maxLayers  = 4 // of escapes
)

// A match is a finding and what is needed to weigh it against others.
type match struct {
	code       string
	rank       int // of two that overlap, that of the lower rank gives the code
	from       int // where its first word stands, at or before start
	start, end int
	value      string // with its escapes undone
}

// A finder holds the buffers of a search.
type finder struct {
	layers  [maxLayers]layer
	done    []int // of anchors
	matches []match
}

// find gives the matches in order. They are good until the next call.
func (f *finder) find(s string, set Set) []match {
	f.matches = f.matches[:0]
	for at := 0; at < len(s); at += windowSize {
		lo, hi := max(0, at-lookBack), min(len(s), at+windowSize+reach)
		f.window(s[lo:hi], set, lo, at, at+windowSize)
	}
	return f.sorted(set)
}

// sorted gives the matches of the windows in order, each part of the text once.
func (f *finder) sorted(set Set) []match {
	if len(f.matches) == 0 {
		return nil
	}
	slices.SortStableFunc(f.matches, func(a, b match) int { return cmp.Compare(a.start, b.start) })
	if set == Redact {
		f.merge()
	}
	return f.matches
}

// window looks through a part of a text that starts at base, layer for layer,
// and keeps what begins between from and to.
func (f *finder) window(s string, set Set, base, from, to int) {
	text := s
	for depth := 0; ; depth++ {
		anchorsOf(set).each(text, &f.done, func(m match) (kept, more bool) {
			for d := depth - 1; d >= 0; d-- {
				m.from = f.layers[d].start(m.from)
				m.start, m.end = f.layers[d].start(m.start), f.layers[d].end(m.end)
			}
			m.from, m.start, m.end = m.from+base, m.start+base, m.end+base
			if kept = m.from >= from && m.from < to; kept {
				f.matches = append(f.matches, m)
			}
			return kept, true
		})
		if set == Contract || depth == maxLayers || !f.layers[depth].undo(text) {
			return
		}
		text = f.layers[depth].text
	}
}

// merge makes one of matches that overlap: it covers all of them, has the code
// of the lowest rank, and of that the value with the most escapes undone, which
// came last.
func (f *finder) merge() {
	out := f.matches[:1]
	for _, m := range f.matches[1:] {
		last := &out[len(out)-1]
		if m.start >= last.end {
			out = append(out, m)
			continue
		}
		if m.rank <= last.rank {
			last.code, last.rank, last.value = m.code, m.rank, m.value
		}
		last.end = max(last.end, m.end)
	}
	f.matches = out
}
