package export

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rollbook/internal/assemble"
	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/rolltest"
	"rollbook/internal/term"
	"rollbook/internal/transcript"
)

var update = flag.Bool("update", false, "rewrite testdata/golden")

// golden compares a text to testdata/golden/NAME.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./internal/export -update makes it)", err)
	}
	if got == string(want) {
		return
	}
	a, b := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			t.Fatalf("%s line %d:\n got %q\nwant %q", name, i+1, a[i], at(b, i))
		}
	}
	t.Fatalf("%s: %d lines, want %d", name, len(a), len(b))
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(the end)"
}

// threadsOf gives every thread of a home, oldest first.
func threadsOf(t testing.TB, dir string, view transcript.View) []*transcript.Thread {
	t.Helper()
	home, err := discover.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { home.Close() })
	ctx := context.Background()
	quiet := func(diag.Diagnostic) {}
	refs, err := home.Refs(ctx, quiet)
	if err != nil {
		t.Fatal(err)
	}
	titles, err := home.Titles(ctx, quiet)
	if err != nil {
		t.Fatal(err)
	}
	lib := assemble.New(home, refs, titles, quiet)
	var all []*transcript.Thread
	for _, id := range lib.IDs() {
		th, err := lib.Thread(ctx, id, view)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, th)
	}
	return all
}

func sampleThreads(t testing.TB, view transcript.View) []*transcript.Thread {
	return threadsOf(t, "../../examples/home", view)
}

func wildThreads(t testing.TB, view transcript.View) []*transcript.Thread {
	return threadsOf(t, wildHome().Temp(t), view)
}

// lisbon is where the person of the sample home lives.
var lisbon = time.FixedZone("WEST", 3600)

func text(t testing.TB, width int, color bool, o Options, threads ...*transcript.Thread) string {
	t.Helper()
	o.Zone = lisbon
	var b strings.Builder
	sink := NewText(&b, TextOptions{Options: o, Width: width, Style: term.NewStyle(color)})
	write(t, sink, threads)
	return b.String()
}

func markdown(t testing.TB, o Options, threads ...*transcript.Thread) string {
	t.Helper()
	o.Zone = lisbon
	var b strings.Builder
	write(t, NewMarkdown(&b, o), threads)
	return b.String()
}

func write(t testing.TB, sink transcript.Sink, threads []*transcript.Thread) {
	t.Helper()
	for _, th := range threads {
		if err := sink.Write(th); err != nil {
			t.Fatal(err)
		}
	}
}

// made is a thread of these events.
func made(events ...transcript.Event) *transcript.Thread {
	th := &transcript.Thread{Meta: transcript.Meta{ID: "t1", Project: "/home/ada/shop", Files: []string{"a.jsonl"}, Segments: []string{"a.jsonl"}, State: transcript.Complete}}
	th.Events = func(yield func(*transcript.Event, error) bool) {
		var ev transcript.Event
		for i := range events {
			ev = events[i] // reused, as readers do
			if !yield(&ev, nil) {
				return
			}
		}
	}
	return th
}

// body is a text without the head and the end of its thread.
func body(s string) string {
	_, s, _ = strings.Cut(s, "a.jsonl\n")
	s, _, _ = strings.Cut(s, "━━ end")
	return strings.Trim(s, "\n")
}

func ref[T any](v T) *T { return &v }

func turnStart(id string) transcript.Event {
	return transcript.Event{Kind: transcript.TurnStart, TurnID: id}
}

func turnEnd(id string) transcript.Event {
	return transcript.Event{Kind: transcript.TurnEnd, TurnID: id, Status: "completed"}
}

func callOf(id, tool, arguments string) transcript.Event {
	return transcript.Event{Kind: transcript.ToolCall, CallID: id, Tool: tool, Arguments: arguments}
}

func resultOf(id, output string) transcript.Event {
	return transcript.Event{Kind: transcript.ToolResult, CallID: id, Output: output, ExitCode: ref(0), IsError: ref(false)}
}

// errFull is what a fullWriter answers.
var errFull = errors.New("the disk is full")

// A fullWriter takes so many bytes.
type fullWriter struct{ left int }

func (w *fullWriter) Write(p []byte) (int, error) {
	if len(p) > w.left {
		return 0, errFull
	}
	w.left -= len(p)
	return len(p), nil
}

// wildHome has what the sample home has not: odd texts, huge ones, several
// generations in one thread.
func wildHome() *rolltest.Home {
	home := rolltest.NewHome(7)
	oddTexts(home)
	hugeOutput(home)
	manyTools(home)
	lostBase(home)
	return home
}

const esc = "\x1b"

func oddTexts(home *rolltest.Home) {
	r := home.New(rolltest.V140, rolltest.Meta{Cwd: "/home/ada/odd"})
	r.Turn("# Context from my IDE setup:\n\n## Open tabs:\n- a.go\n\n## My request for Codex:\n请帮我修复构建错误。错误信息在下面的代码块里，麻烦逐行解释一下每个警告的含义，谢谢！👩‍👩‍👧‍👦🇵🇹 naïve café\n\n```go\nfunc main() { fmt.Println(\"a line of code that is longer than the screen is wide, and stays as it is\") }\n```\nand " + esc + "[31mred" + esc + "[0m, \u202egnirts\u202c, <script>alert(1)</script> & | pipes | `x<y` ``` not closed")
	r.Reasoning("**Looking**\n\nA thought that is long enough to be wrapped when the terminal has eighty columns, no more.")
	r.Assistant("## Was ist los?\n\n- erstens: ein langer Punkt einer Liste, der umbrochen wird und dessen zweite Zeile unter der ersten steht\n  - zweitens: 日本語のとても長い箇条書きの項目は、幅を数えて正しい位置で折り返されなければなりません。\n10. zehntens\n> a quote that goes on for long enough to need a second line on a screen of eighty columns\n\n| a | b |\n|---|---|\n| `x|y` | <b>bold</b> |\n\n````md\n```\ninner fence\n```\n````\n![tracker](https://example.com/x.png) [link](javascript:alert(1)) [ok](https://example.com/?a=1&b=2)\n[ref]: https://example.com\n\n~~~\ntilde code never closed <i>x</i>\n")
	r.Shell("printf '\\033[31mred\\033[0m'", esc+"[31mred"+esc+"[0m "+esc+"]0;title\a\r\nprogress 10%\rprogress 100%\r\n\u2028 \u202e end\n", 0)
	r.Assistant("").TurnComplete()
	r.Turn("")
	r.Assistant("`unpaired and ``double`` and <not code>").Aborted()
}

func hugeOutput(home *rolltest.Home) {
	r := home.New(rolltest.V101, rolltest.Meta{Cwd: "/home/ada/huge", Start: time.Date(2026, 3, 3, 9, 0, 0, 0, time.UTC)})
	r.Turn("run it")
	r.Shell("seq 1 5000", strings.Repeat("0123456789 the quick brown fox jumps over the lazy dog, again and again, until the line is long\n", 500), 0)
	r.Shell("head -c 100000 /dev/zero | tr '\\0' x", strings.Repeat("x", 100_000), 3)
	r.Assistant(strings.Repeat("w", 300)).TurnComplete()
	r.Turn("and back")
	r.Assistant("done").TurnComplete()
	r.RolledBack(1)
	fork := r.Fork(rolltest.All)
	fork.Turn("in the fork").Assistant("yes").TurnComplete()
}

func manyTools(home *rolltest.Home) {
	m := rolltest.Meta{Cwd: "/home/ada/tools", Start: time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC), Model: "gpt-5.6"}
	r := home.New(rolltest.V171, m)
	patch := "*** Begin Patch\n*** Add File: new.txt\n+one\n+two\n*** Update File: old.txt\n@@\n-a\n+b\n c\n*** Delete File: gone.txt\n*** End Patch"
	r.Turn("do many things")
	r.Script("await Promise.all([tools.exec_command({cmd: 'a'}), tools.exec_command({cmd: 'b'})])", "[1,2]", func() {
		r.CommandExecution(r.ExecID(), "a", "out of a\n", 0)
		r.CommandExecution(r.ExecID(), "b", "", 7)
		r.FileChange(r.ExecID(), patch)
	})
	r.Call("update_plan", rolltest.O{"explanation", "two lines\nof text", "plan", rolltest.A{rolltest.O{"step", "look", "status", "pending"}}}).Output("Plan updated")
	r.Call("exec_command", "{not json").Output("failed to parse function arguments")
	slow := r.ShellCall("sleep 100")
	r.Assistant("It still runs.", "commentary")
	slow.Output("Chunk ID: ab12\nWall time: 10.0000 seconds\nProcess running with session ID 7\nOutput:\n")
	r.Mcp("echo", "say", rolltest.O{"text", "hi"}, "hi\nthere")
	r.Compacted("The story so far:\nmuch.")
	r.Plan("# Plan\n- <one>\n").TurnComplete()
	r.Turn("look at this", rolltest.Image{PNG: png}, rolltest.Image{Path: "/home/ada/a.png", PNG: png})
	r.Call("no_such_tool", "{}")
}

// lostBase is a fork whose parent is not there, of which a line is torn.
func lostBase(home *rolltest.Home) {
	parents := rolltest.NewHome(8)
	r := parents.New(rolltest.V156, rolltest.Meta{Cwd: "/home/ada/lost", Start: time.Date(2026, 3, 5, 9, 0, 0, 0, time.UTC)})
	r.Turn("in the parent").Assistant("that is lost").TurnComplete()
	fork := r.Fork(rolltest.All)
	fork.Turn("in the fork").Assistant("here").TurnComplete()
	fork.Turn("again").Broken().Assistant("and here")
	home.Add(fork.Path(), fork.Data())
}

// png is a picture of one pixel.
var png = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde\x00\x00\x00\x0cIDATx\x9cc\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00IEND\xaeB`\x82")

// list is a home's threads by their titles, for messages.
func list(threads []*transcript.Thread) string {
	var b strings.Builder
	for _, th := range threads {
		fmt.Fprintf(&b, "%s %s\n", th.ID, th.Title)
	}
	return b.String()
}
