package transcript

import "strings"

// envelopes are the openings of texts that a client wrote round the words of
// the person (docs/format/rollout.md, "Injected items").
var envelopes = [...]string{
	"# Files mentioned by the user:",
	"# Applications mentioned by the user:",
	"# Context from my IDE setup:",
	"The following is the Codex agent history",
}

// requestMarkers stand, at the start of a line, before the words themselves.
var requestMarkers = [...]string{
	"## My request for Codex:",
	"## My request:",
}

// Unwrap gives the words of the person where a client wrote an envelope round
// them: what follows the first request marker that starts a line, without the
// white space around it, as Codex itself cuts it. An envelope without a marker,
// or with nothing behind it, holds no words. Any other text is returned as it
// is, and wrapped is false.
//
// Openings and markers are compared without regard to case, openings after
// white space.
func Unwrap(text string) (words string, wrapped bool) {
	s := trimSpaceLeft(text)
	for _, opening := range envelopes {
		if rest, ok := cutPrefixFold(s, opening); ok {
			return request(rest), true
		}
	}
	return text, false
}

// request gives what follows the first request marker at the start of a line.
func request(s string) string {
	for {
		_, rest, more := strings.Cut(s, "\n")
		if !more {
			return ""
		}
		for _, marker := range requestMarkers {
			if words, ok := cutPrefixFold(rest, marker); ok {
				return strings.TrimSpace(words)
			}
		}
		s = rest
	}
}
