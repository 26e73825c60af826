package inspect

import (
	"bytes"
	"errors"
	"maps"
	"slices"

	"rollbook/internal/rollout"
)

// MaxIdentities is how much the distinct session ids, versions and project
// paths of one file may weigh, in bytes of memory.
const MaxIdentities = 16 << 20

// identityCost is what a string in a set costs beside its own bytes.
const identityCost = 64

// ErrIdentities says that a file names more than MaxIdentities.
var ErrIdentities = errors.New("more than 16 MiB of distinct session ids, versions and project paths")

// identities is a set of strings.
type identities struct {
	set  map[string]struct{}
	last []byte // the value added last, as it was spelled
}

// observe adds the string that v spells, if it is one.
func (r *run) observe(s *identities, v rollout.Raw) {
	if v == nil || bytes.Equal(s.last, v) {
		return
	}
	s.last = append(s.last[:0], v...)
	text, _ := v.Text()
	if _, known := s.set[text]; known {
		return
	}
	if r.identity += len(text) + identityCost; r.identity > MaxIdentities {
		if r.err == nil {
			r.err = ErrIdentities
		}
		return
	}
	if s.set == nil {
		s.set = make(map[string]struct{})
	}
	s.set[text] = struct{}{}
}

func (s *identities) sorted() []string { return slices.Sorted(maps.Keys(s.set)) }
