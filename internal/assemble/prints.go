package assemble

import (
	"hash/maphash"

	"rollbook/internal/rollout"
)

// prints are fingerprints of the lines that the survey read. A file may change
// between the passes: the second one takes a line only where it is still the
// same line, and one that the survey found valid and usual it does not validate
// again.
type prints struct {
	seed   maphash.Seed
	before int32    // records that have none
	all    []uint32 // by the number of the record behind them; odd for a line that need not be scanned again
}

func newPrints(before int32) prints {
	return prints{seed: maphash.MakeSeed(), before: before, all: make([]uint32, 1)}
}

func (p *prints) add(rec record) {
	mark := p.of(rec.Text)
	if rec.Kind == rollout.Item && !rec.Repaired && rec.Envelope.Usual(rec.Text) {
		mark |= usual
	}
	p.all = append(p.all, mark)
}

const usual = 1

// of is the fingerprint of a line, even.
func (p *prints) of(text []byte) uint32 { return uint32(maphash.Bytes(p.seed, text)) &^ usual }

// known reports whether record n is still that line, and usual.
func (p *prints) known(n int32, text []byte) bool {
	n -= p.before
	return int(n) < len(p.all) && p.all[n] == p.of(text)|usual
}

// same reports whether record n is still that line.
func (p *prints) same(n int32, text []byte) bool {
	n -= p.before
	return int(n) < len(p.all) && p.all[n]&^usual == p.of(text)
}
