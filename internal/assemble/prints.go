package assemble

import (
	"hash/maphash"

	"rollbook/internal/rollout"
)

// prints are fingerprints of the lines that the survey found valid and usual.
// The second pass takes such a line without validating it again, if it is still
// the same line: a file may change between the passes, and nothing that was not
// validated is ever decoded.
type prints struct {
	seed maphash.Seed
	all  []uint32 // by record number; 0 for a line that has to be scanned again
}

func newPrints() prints { return prints{seed: maphash.MakeSeed(), all: make([]uint32, 1)} }

func (p *prints) add(rec record) {
	mark := uint32(0)
	if rec.Kind == rollout.Item && rec.Envelope.Usual(rec.Text) {
		mark = p.of(rec.Text)
	}
	p.all = append(p.all, mark)
}

// of is the fingerprint of a line; never 0.
func (p *prints) of(text []byte) uint32 { return uint32(maphash.Bytes(p.seed, text)) | 1 }

func (p *prints) known(n int32, text []byte) bool {
	return int(n) < len(p.all) && p.all[n] != 0 && p.all[n] == p.of(text)
}
