package export

import (
	"io/fs"
	"path/filepath"
	"testing"

	"rollbook/internal/corpustest"
	"rollbook/internal/transcript"
)

// Every thread that real versions wrote is shown: all its turns, its calls with
// their results, nothing that a terminal or a browser would act on.
func TestCorpus(t *testing.T) {
	homes := 0
	err := filepath.WalkDir(corpustest.Dir(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || d.Name() != "home" {
			return err
		}
		homes++
		for _, view := range []transcript.View{transcript.Active, transcript.Physical, transcript.Model} {
			for _, th := range threadsOf(t, path, view) {
				checkThread(t, path, th)
			}
		}
		return fs.SkipDir
	})
	if err != nil || homes < 10 {
		t.Fatalf("%d homes: %v", homes, err)
	}
}

func checkThread(t *testing.T, path string, th *transcript.Thread) {
	t.Helper()
	p := record(t, th, Options{})
	if err := p.balanced(); err != nil {
		t.Errorf("%s: %s: %v", path, th.ID, err)
	}
	if n := len(p.turns); n != th.Counts.Turns {
		t.Errorf("%s: %s, %s: %d turns, its head says %d", path, th.ID, th.View, n, th.Counts.Turns)
	}
	o := Options{Diff: true, Places: true}
	checkPlain(t, text(t, 80, true, o, th), true)
	md := markdown(t, Options{Tools: Full, All: true}, th)
	checkPlain(t, md, false)
	if problem := checkMarkdown(md); problem != "" {
		t.Errorf("%s: %s: %s", path, th.ID, problem)
	}
	if problem := checkHTML(htmlOf(t, everything, th)); problem != "" {
		t.Errorf("%s: %s: %s", path, th.ID, problem)
	}
	if problem := findAgain(t, th); problem != "" {
		t.Errorf("%s: %s: %s", path, th.ID, problem)
	}
}
