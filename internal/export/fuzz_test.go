package export

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"rollbook/internal/term"
	"rollbook/internal/transcript"
)

// quoted is a text as a JSON string, where it can be one.
func quoted(text string) string {
	b, err := json.Marshal(strings.ToValidUTF8(text, "?"))
	if err != nil {
		return `""`
	}
	return string(b)
}

// checkPlain wants text that a terminal only shows: valid UTF-8 without control
// characters, but for newlines, tabs and the colours of ours.
func checkPlain(t *testing.T, page string, color bool) {
	t.Helper()
	if color {
		page = ownColors.Replace(page)
	}
	if !utf8.ValidString(page) {
		t.Fatal("no UTF-8")
	}
	for _, r := range page {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x2028 || r == 0x2029 {
			t.Fatalf("%U in the page", r)
		}
	}
}

var ownColors = strings.NewReplacer("\x1b[0m", "", "\x1b[1m", "", "\x1b[2m", "", "\x1b[31m", "", "\x1b[32m", "", "\x1b[33m", "", "\x1b[36m", "")

// fuzzEvents makes events of bytes: the first byte of each piece says what it
// is, the rest is its text.
func fuzzEvents(data []byte) []transcript.Event {
	var events []transcript.Event
	for piece := range strings.SplitSeq(string(data), "\x00") {
		if piece == "" {
			continue
		}
		c, text := piece[0], piece[1:]
		ev := transcript.Event{Kind: transcript.Kind(c % 11), Text: text, Seq: len(events) + 1, TurnID: string(rune('a' + c/64)),
			Source: transcript.Source{File: "a.jsonl", Line: len(events)}, Origin: transcript.Origin(c / 11 % 3), Inherited: c&1 != 0, RolledBack: c&2 != 0}
		switch ev.Kind {
		case transcript.Notice, transcript.TurnEnd:
			ev.Status, ev.Text, _ = strings.Cut(text, " ")
		case transcript.Usage:
			ev.Usage = &transcript.TokenUsage{Input: int64(len(text)), Output: int64(c)}
		case transcript.ToolCall:
			ev.CallID, ev.Arguments, _ = strings.Cut(text, " ")
			ev.Tool = []string{"exec_command", "apply_patch", "shell", text}[c/11%4]
		case transcript.ToolResult:
			ev.CallID, ev.Output, _ = strings.Cut(text, " ")
			ev.ExitCode = ref(int(c))
			ev.Images = []transcript.Image{{Name: text}}
			if c&4 != 0 {
				ev.Changes = []transcript.FileChange{{Path: text, Kind: "update", Diff: text}}
			}
		}
		events = append(events, ev)
	}
	return events
}

func addSeeds(f *testing.F) {
	for _, text := range []string{"hi", "```\n<b>", "\x1b[31m\u202e\xff", "日本語 ``` `a|<b>`", "a", "{\"cmd\":\"ls\"}", "*** Begin Patch\n*** Add File: x\n+y", "![x](y) [z]: w", "# Context from my IDE setup:\n## My request:\nx"} {
		var data []byte
		for kind := range byte(11) {
			data = append(append(data, kind+11*3), (text + " " + text + "\x00")...)
		}
		f.Add(data, uint8(80), uint8(0))
		f.Add(data, uint8(0), uint8(255))
	}
}

func fuzzOptions(flags uint8) Options {
	o := Options{Tools: Tools(flags % 3), All: flags&4 != 0, Diff: flags&8 != 0, Places: flags&16 != 0}
	if flags&32 != 0 {
		o.Turns = TurnsBetween(int(flags>>6), int(flags>>6)+1)
	}
	return o
}

// FuzzText writes any events as text: nothing of them acts on a terminal.
func FuzzText(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte, width, flags uint8) {
		th := made(fuzzEvents(data)...)
		th.Title, th.Project = string(data), string(data)
		for _, color := range []bool{false, true} {
			var b strings.Builder
			if err := NewText(&b, TextOptions{Options: fuzzOptions(flags), Width: int(width), Style: term.NewStyle(color)}).Write(th); err != nil {
				t.Fatal(err)
			}
			checkPlain(t, b.String(), color)
		}
	})
}

// FuzzMarkdown writes any events as Markdown: fences are closed, and nothing of
// the events is HTML.
func FuzzMarkdown(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte, _, flags uint8) {
		th := made(fuzzEvents(data)...)
		th.Title, th.Project = string(data), string(data)
		var b strings.Builder
		if err := NewMarkdown(&b, fuzzOptions(flags)).Write(th); err != nil {
			t.Fatal(err)
		}
		checkPlain(t, b.String(), false)
		if problem := checkMarkdown(b.String()); problem != "" {
			t.Fatal(problem)
		}
	})
}
