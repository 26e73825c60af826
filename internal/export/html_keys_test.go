package export

import (
	"fmt"
	"testing"

	"rollbook/internal/browsertest"
	"rollbook/internal/transcript"
)

// longThread has n turns of five events, with words to find in turn 400.
func longThread(n int) *transcript.Thread {
	var events []transcript.Event
	for i := 1; i <= n; i++ {
		id, answer := fmt.Sprint("turn ", i), "An answer with **bold** words and `code`."
		if i == 400 {
			answer = "A needle lies here."
		}
		events = append(events, turnStart(id), transcript.Event{Kind: transcript.User, TurnID: id, Text: fmt.Sprintf("Question %d", i)},
			callOf(id, "exec_command", `{"cmd":"ls"}`), resultOf(id, fmt.Sprintf("output %d\nneedle in a fold %d", i, i)),
			transcript.Event{Kind: transcript.Assistant, TurnID: id, Text: answer}, turnEnd(id))
	}
	for i := range events {
		events[i].Seq = i + 1
	}
	return made(events...)
}

// TestPageInUse does with a page what a person does.
func TestPageInUse(t *testing.T) {
	file := pageFile(t, everything, longThread(500))
	browser := browsertest.Start(t)
	tab := browser.Open(t, file, browsertest.View{})
	now := func() string { return browsertest.Eval[string](t, tab, `document.querySelector(".now")?.id ?? ""`) }
	seen := func(id string) bool {
		return browsertest.Eval[bool](t, tab, fmt.Sprintf(`new Promise((done) => setTimeout(() => { const r = document.getElementById(%q).getBoundingClientRect(); done(r.bottom > 0 && r.top < innerHeight) }, 300))`, id))
	}
	for _, step := range []struct{ keys, want string }{{"j", "e2"}, {"j", "e3"}, {"j", "e5"}, {"k", "e3"}, {"J", "e8"}, {"J", "e14"}, {"K", "e8"}} {
		if tab.Press(t, step.keys); now() != step.want {
			t.Errorf("after %s the event at hand is %q, want %q", step.keys, now(), step.want)
		}
	}
	tab.Press(t, "j")
	tab.Press(t, "o")
	if !browsertest.Eval[bool](t, tab, `document.querySelector("#e9 details").open`) {
		t.Error("o opens nothing")
	}

	// A link to an event leads to it, however far down, and to a result too.
	for _, id := range []string{"e2405", "e1204", "t499"} {
		tab.Go(t, file+"#"+id)
		if !seen(id) {
			t.Errorf("#%s leads elsewhere", id)
		}
	}

	// Finding: all hits are counted, also folded ones, which then are opened.
	tab.Go(t, file+"#e2387")
	seen("e2387")
	tab.Press(t, "/")
	browsertest.Eval[string](t, tab, `document.activeElement.value = ""`) // the protocol types the key that a person does not
	tab.Press(t, "needle lies")
	hits := `new Promise((done) => { const look = () => { const s = document.querySelector("output").textContent; if (s && !/[…+]/.test(s)) done(s); else setTimeout(look, 50) }; setTimeout(look, 300) })`
	if got := browsertest.Eval[string](t, tab, hits); got != "1 / 1" {
		t.Errorf("one hit: %q, of %q", got, browsertest.Eval[string](t, tab, `document.querySelector(".find input").value + document.activeElement.tagName`))
	}
	if !seen("e2399") {
		t.Error("the hit is not in view")
	}
	tab.Press(t, "\b\b\b\b\b\b\b\b\b\b\b")
	tab.Press(t, "fold 7")
	if got := browsertest.Eval[string](t, tab, hits); got != "1 / 11" { // 7, 70 to 79
		t.Errorf("folded hits: %q", got)
	}
	if !browsertest.Eval[bool](t, tab, `document.querySelector("#e39 details").open && CSS.highlights.size === 2`) || !seen("e39") {
		t.Error("a folded hit is not opened and marked")
	}
	tab.Press(t, "\r")
	if got := browsertest.Eval[string](t, tab, hits); got != "2 / 11" {
		t.Errorf("the next hit: %q", got)
	}
	tab.Press(t, "\x1b")

	// Light and dark, the keys, the table of turns.
	tab.Press(t, "t")
	if got := browsertest.Eval[string](t, tab, `document.documentElement.dataset.theme + getComputedStyle(document.body).backgroundColor`); got != "darkrgb(26, 25, 23)" {
		t.Errorf("the theme is %s", got)
	}
	tab.Press(t, "?")
	if !browsertest.Eval[bool](t, tab, `document.querySelector("#help").open`) {
		t.Error("? shows no keys")
	}
	tab.Press(t, "?")
	if n := browsertest.Eval[int](t, tab, `document.querySelectorAll("#turns li").length`); n != 500 {
		t.Errorf("%d turns in the table", n)
	}
	tab.Quiet(t)
}

// TestPageWidths: no page is wider than its window, from 360 pixels on.
func TestPageWidths(t *testing.T) {
	browser := browsertest.Start(t)
	wide := made(append([]transcript.Event{turnStart("a")}, eventsWith("a_very_long_word_"+fmt.Sprint(1<<60)+"/"+fmt.Sprintf("%0300d", 1)+" | x")...)...)
	file := pageFile(t, everything, wide)
	for _, width := range []int{360, 640, 992, 1200, 1600} {
		tab := browser.Open(t, file, browsertest.View{Width: width, Height: 800})
		got := browsertest.Eval[int](t, tab, `document.querySelectorAll("details").forEach((d) => { d.open = true }), document.documentElement.scrollWidth`)
		if got > width {
			t.Errorf("at %d pixels the page is %d wide: %s", width, got, browsertest.Eval[string](t, tab, `[...document.querySelectorAll("main *, nav *, header *")].filter((e) => e.getBoundingClientRect().right > innerWidth && !e.closest("pre, .scroll")).map((e) => e.tagName + "." + e.className).slice(0, 6).join(" ")`))
		}
		tab.Quiet(t)
	}
}
