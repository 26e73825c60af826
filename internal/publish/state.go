package publish

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"rollbook/internal/dsh"
)

// A state is what is known to be ours: the digest of each session's body as it
// was last written. Entries of sessions that a run does not concern stay as
// they are, byte for byte.
type state struct {
	Version  int                        `json:"version"`
	Sessions map[string]json.RawMessage `json:"sessions"`
	// Pending is what a run that is under way, or was cut short, is about to
	// write: a log with that digest is ours, though Sessions does not say so yet.
	Pending map[string]string `json:"pending,omitempty"`
}

type stateEntry struct {
	BodySha256 string `json:"bodySha256"`
	ImportedAt string `json:"importedAt"`
}

const stateVersion = 1

// readState gives an empty state where there is no file. One that cannot be
// understood is an error: to write another would orphan what it records.
func (t *tree) readState() (*state, error) {
	s := &state{Version: stateVersion, Sessions: map[string]json.RawMessage{}}
	text, err := readSmall(t.fsys, stateName)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	s.Version = 0
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%s: %w", stateName, err)
	}
	if s.Version != stateVersion {
		return nil, fmt.Errorf("%s: version %d, not %d", stateName, s.Version, stateVersion)
	}
	if s.Sessions == nil {
		s.Sessions = map[string]json.RawMessage{}
	}
	return s, nil
}

func (t *tree) writeState(s *state) error { return t.writeJSON(stateName, s) }

// recorded gives the digest that the state has of a session, if it has one.
func (s *state) recorded(key string) (dsh.Digest, bool) {
	var e stateEntry
	if json.Unmarshal(s.Sessions[key], &e) != nil {
		return dsh.Digest{}, false
	}
	return parseDigest(e.BodySha256)
}

// knows reports whether a log with this digest is one that we wrote.
func (s *state) knows(key string, d dsh.Digest) bool {
	if have, ok := s.recorded(key); ok && have == d {
		return true
	}
	pending, ok := parseDigest(s.Pending[key])
	return ok && pending == d
}

func (s *state) record(key string, d dsh.Digest, now time.Time) {
	text, _ := json.Marshal(stateEntry{d.String(), stamp(now)}) // two strings
	s.Sessions[key] = text
}

// settle turns what was pending into entries, where the log is what was to come.
func (s *state) settle(t *tree, now time.Time) {
	for _, key := range slices.Sorted(maps.Keys(s.Pending)) {
		want, ok := parseDigest(s.Pending[key])
		if !ok || checkKey(key) != nil {
			continue
		}
		if have, err := t.look(key); err == nil && have.whole() && have.info.Digest == want {
			if known, ok := s.recorded(key); !ok || known != want {
				s.record(key, want, now)
			}
		}
	}
	s.Pending = nil
}

// parseDigest reads 64 lower-case hex digits.
func parseDigest(text string) (dsh.Digest, bool) {
	var d dsh.Digest
	if len(text) != hex.EncodedLen(len(d)) {
		return d, false
	}
	_, err := hex.Decode(d[:], []byte(text))
	return d, err == nil && d.String() == text
}
