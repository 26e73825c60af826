package export

import (
	"os"
	"path/filepath"
	"testing"

	"rollbook/internal/browsertest"
	"rollbook/internal/transcript"
)

// TestScreens takes the pictures of docs/screens anew with -update; otherwise it
// looks that a page of the sample home can be seen in each of its forms.
func TestScreens(t *testing.T) {
	th := sampleThreads(t, transcript.Active)[15]
	file := pageFile(t, HTMLOptions{Options: Options{Tools: Full, Diff: true}, Index: "index.html"}, th)
	browser := browsertest.Start(t)
	for _, tt := range []struct {
		name string
		view browsertest.View
	}{
		{"page.1440", browsertest.View{Width: 1440, Height: 1000}},
		{"page.1440.dark", browsertest.View{Width: 1440, Height: 1000, Dark: true}},
		{"page.360", browsertest.View{Width: 360, Height: 760}},
		{"page.360.dark", browsertest.View{Width: 360, Height: 760, Dark: true}},
	} {
		tab := browser.Open(t, file, tt.view)
		browsertest.Eval[bool](t, tab, `new Promise((done) => { document.querySelector("#t2").scrollIntoView();
			for (const d of [...document.querySelectorAll(".patch details")].slice(1, 2)) d.open = true;
			setTimeout(() => requestAnimationFrame(() => done(true)), 600) })`)
		picture := tab.Screenshot(t)
		tab.Quiet(t)
		if len(picture) < 10_000 {
			t.Errorf("%s: nothing is to be seen", tt.name)
		}
		if *update {
			if err := os.WriteFile(filepath.Join("../../docs/screens", tt.name+".png"), picture, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
