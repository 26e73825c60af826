package export

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"rollbook/internal/browsertest"
	"rollbook/internal/transcript"
)

// manyEvents is a thread of n events as work gives them: prompts, thoughts,
// commands with their output, patches, answers.
func manyEvents(n int) *transcript.Thread {
	var events []transcript.Event
	add := func(ev transcript.Event) {
		ev.Seq = len(events) + 1
		events = append(events, ev)
	}
	output := strings.Repeat("ok  \tshop/cart\t0.004s\n--- FAIL: TestTotal (0.00s)\n    cart_test.go:41: total is 12.00, want 12.50\n", 12)
	diff := "@@ -10,6 +10,8 @@\n" + strings.Repeat(" func Total(items []Item) Money {\n-\treturn sum\n+\tsum = sum.Round()\n+\treturn sum\n }\n", 6)
	for i := 1; len(events) < n; i++ {
		id := fmt.Sprint("turn", i)
		add(turnStart(id))
		add(transcript.Event{Kind: transcript.User, TurnID: id, Text: fmt.Sprintf("Make the total of cart %d right, and tell me why it was not.", i)})
		add(transcript.Event{Kind: transcript.Reasoning, TurnID: id, Text: "**Looking at the sums**\n\nThe rounding comes too late."})
		for c := range 3 {
			call := fmt.Sprint(id, c)
			add(callOf(call, "exec_command", `{"cmd":"go test ./cart -run TestTotal"}`))
			add(resultOf(call, output))
		}
		patch := callOf(id, "apply_patch", "")
		add(patch)
		done := resultOf(id, "Success. Updated the following files:\nM cart/cart.go\n")
		done.Changes = []transcript.FileChange{{Path: "cart/cart.go", Kind: "update", Diff: diff}}
		add(done)
		add(transcript.Event{Kind: transcript.Assistant, TurnID: id, Text: "It was rounded *after* the sum, in `Total`:\n\n1. each line is rounded now;\n2. the test says so.\n\n```go\nsum = sum.Round()\n```\n\nThe tests of `cart` pass."})
		add(turnEnd(id))
	}
	return made(events...)
}

// watching notes when the first event is in the window, and the longest task
// since it was asked last.
const watching = `globalThis.longest = 0;
new PerformanceObserver((list) => { for (const e of list.getEntries()) longest = Math.max(longest, e.duration) }).observe({ type: "longtask", buffered: true });
(function look() { const ev = document.querySelector(".ev"); if (ev && ev.getBoundingClientRect().height) globalThis.first = performance.now(); else requestAnimationFrame(look) })();`

const longestTask = `new Promise((done) => setTimeout(() => { const was = longest; longest = 0; done(was) }, 300))`

// BenchmarkPage opens a page of 20,000 events and scrolls, jumps and looks for a
// word in it. It reports, and asserts nothing; tasks shorter than 50 ms count 0.
func BenchmarkPage(b *testing.B) {
	file := pageFile(b, everything, manyEvents(20_000))
	info, err := os.Stat(file)
	if err != nil {
		b.Fatal(err)
	}
	browser := browsertest.Start(b)
	worst := make(map[string]float64)
	note := func(name string, value float64) { worst[name] = max(worst[name], value) }
	for b.Loop() {
		tab := browser.Blank(b, browsertest.View{})
		tab.Before(b, watching)
		tab.Go(b, file)
		note("first-event-ms", browsertest.Eval[float64](b, tab, `first`))
		note("loaded-ms", browsertest.Eval[float64](b, tab, `performance.now()`))
		note("loading-task-ms", browsertest.Eval[float64](b, tab, longestTask))
		for range 10 {
			tab.Scroll(b, 8000, 8000)
		}
		note("scroll-task-ms", browsertest.Eval[float64](b, tab, longestTask))
		for _, id := range []string{"e10003", "e19990", "e3"} {
			browsertest.Eval[bool](b, tab, fmt.Sprintf(`location.hash = %q, true`, id))
			note("jump-task-ms", browsertest.Eval[float64](b, tab, longestTask))
			tab.Scroll(b, 4000, 8000)
			note("scroll-task-ms", browsertest.Eval[float64](b, tab, longestTask))
		}
		browsertest.Eval[bool](b, tab, `new Promise((done) => { const i = document.querySelector(".find input"); i.value = "rounded"; i.dispatchEvent(new Event("input", { bubbles: true }));
			const look = () => /^\d+ \/ \d+$/.test(document.querySelector("output").textContent) || document.querySelector("output").textContent.includes("9999") ? done(true) : setTimeout(look, 50); setTimeout(look, 300) })`)
		note("find-task-ms", browsertest.Eval[float64](b, tab, longestTask))
		tab.Quiet(b)
	}
	b.ReportMetric(float64(info.Size())/1e6, "page-MB")
	for name, value := range worst {
		b.ReportMetric(value, name)
	}
}
