package store

import (
	"fmt"
	"testing"
	"time"

	"rollbook/internal/diag"
)

// TestForgetRuns: of old runs the findings go, but those of sources that no later
// run has read; runs go with their last finding.
func TestForgetRuns(t *testing.T) {
	path := newPath(t)
	w := openWriter(t, path)
	for i := range 6 {
		id, err := w.StartRun(Run{Started: time.Unix(int64(i), 0)})
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			if err := w.PutSource(&Source{Key: "kept", Path: "kept", Import: id}); err != nil {
				t.Fatal(err)
			}
		}
		list := []Diagnostic{{Diagnostic: diag.Diagnostic{Position: diag.Position{File: "kept", Line: i + 1}, Code: "odd"}, Source: "kept", Count: 1}, {Diagnostic: diag.Diagnostic{Code: "of_the_run"}, Count: 2}}
		if err := w.PutDiagnostics(list); err != nil {
			t.Fatal(err)
		}
		if err := w.FinishRun(Run{ID: id, State: "done"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.do(func() error { return w.forgetRuns(3, 2) }); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	r, err := OpenReader(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got := ""
	for id := int64(1); id <= 6; id++ {
		run, err := r.Run(id)
		if err != nil {
			t.Fatal(err)
		}
		got += fmt.Sprint(id, run != nil)
		for d, err := range r.Findings(id) {
			if err != nil {
				t.Fatal(err)
			}
			got += fmt.Sprint(" ", d.Code, d.File, d.Line, d.Source, d.Count)
		}
		got += "\n"
	}
	want := "1 false\n2 true oddkept2kept1\n3 false\n4 true\n5 true oddkept5kept1 of_the_run02\n6 true oddkept6kept1 of_the_run02\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
