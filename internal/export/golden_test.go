package export

import (
	"slices"
	"testing"

	"rollbook/internal/transcript"
)

// The committed screens are what a person sees; -update rewrites them, and the
// difference is for reading.
func TestGolden(t *testing.T) {
	sample := sampleThreads(t, transcript.Active)
	wild := wildThreads(t, transcript.Active)
	physical := append(sampleThreads(t, transcript.Physical)[:5:5], wildThreads(t, transcript.Physical)...)
	if len(sample) != 23 || len(wild) != 5 {
		t.Fatalf("threads:\n%s%s", list(sample), list(wild))
	}
	places := Options{Places: true, Tools: NoTools, Diff: true}
	for _, tt := range []struct{ name, text string }{
		{"sample.80.txt", text(t, 80, false, Options{}, sample...)},
		{"sample.160.color.txt", text(t, 160, true, Options{Diff: true}, sample[:6]...)},
		{"sample.pipe.txt", text(t, 0, false, Options{All: true, Diff: true}, sample[4], sample[12])},
		{"sample.md", markdown(t, Options{Diff: true}, sample...)},
		{"physical.80.txt", text(t, 80, false, places, physical...)},
		{"physical.md", markdown(t, places, physical...)},
		{"wild.80.txt", text(t, 80, false, Options{}, wild...)},
		{"wild.80.color.txt", text(t, 80, true, Options{Diff: true}, wild...)},
		{"wild.160.txt", text(t, 160, false, Options{All: true}, wild...)},
		{"wild.full.txt", text(t, 80, false, Options{Tools: Full}, without(wild, "run it")...)},
		{"wild.md", markdown(t, Options{}, wild...)},
		{"wild.full.md", markdown(t, Options{Tools: Full, All: true}, without(wild, "run it")...)},
	} {
		t.Run(tt.name, func(t *testing.T) { golden(t, tt.name, tt.text) })
	}
}

// without leaves out threads of that title: the huge ones, in full.
func without(threads []*transcript.Thread, title string) []*transcript.Thread {
	return slices.DeleteFunc(slices.Clone(threads), func(th *transcript.Thread) bool { return th.Title == title })
}
