package assemble

import (
	"bytes"
	"testing"

	"rollbook/internal/rolltest"
)

// seeds are the rollouts that FuzzAssemble cuts up: one of each dialect, with
// all that a thread may hold.
func seeds() (all [][]byte) {
	for _, v := range []rolltest.Version{rolltest.V20, rolltest.V36, rolltest.V101, rolltest.V140, rolltest.V171} {
		r := rolltest.New(v, rolltest.Meta{ID: lineThread})
		r.Turn("one").Reasoning("thinking").Shell("ls", "x\n", 1).Assistant("1").TurnComplete()
		r.Turn("two")
		if v >= rolltest.V140 {
			r.Mcp("docs", "get", rolltest.O{"k", "v"}, "text").Patch("*** Begin Patch\n*** Add File: a\n+x\n*** End Patch")
			r.Compacted("sum")
		}
		r.Assistant("2").TurnComplete()
		if v == rolltest.V101 || v == rolltest.V140 {
			r.RolledBack(1)
		}
		r.Turn("three").Assistant("3").TurnComplete()
		all = append(all, r.Bytes())
	}
	return all
}

// FuzzAssemble takes the records of a real thread in any order, some twice, some
// cut, some left out: assembling never panics, every event has its source, and
// calls and results stay in balance.
func FuzzAssemble(f *testing.F) {
	all := seeds()
	for i := range all {
		f.Add(uint8(i), []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, uint16(0))
		f.Add(uint8(i), []byte{0, 9, 9, 8, 200, 17, 3, 3, 30, 12, 11}, uint16(40))
	}
	f.Fuzz(func(t *testing.T, which uint8, order []byte, cut uint16) {
		lines := bytes.SplitAfter(all[int(which)%len(all)], []byte("\n"))
		var text []byte
		for _, i := range order {
			text = append(text, lines[int(i)%len(lines)]...)
		}
		text = text[:max(0, len(text)-int(cut))]
		l, f := inMemory(text)
		readLibrary(t, l, f)
	})
}

// TestTruncationSweep cuts a rollout behind every record and in the middle of
// every one.
func TestTruncationSweep(t *testing.T) {
	for _, text := range seeds() {
		at := 0
		for line := range bytes.Lines(text) {
			for _, end := range []int{at, at + len(line)/2, at + len(line) - 1} {
				l, f := inMemory(text[:end])
				readLibrary(t, l, f)
			}
			at += len(line)
		}
	}
}
