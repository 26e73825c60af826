package export

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"rollbook/internal/transcript"
)

func TestInline(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"plain *bold* _it_ text", "plain *bold* _it_ text"},
		{"<b>x</b> & &lt; a > b", "&lt;b&gt;x&lt;/b&gt; &amp; &amp;lt; a &gt; b"},
		{"`<b>` and <b>", "`<b>` and &lt;b&gt;"},
		{"`a` <i> `b", "`a` &lt;i&gt; \\`b"},
		{"``a`<b>`` <i>", "``a`<b>`` &lt;i&gt;"},
		{"` `` ` <", "` `` ` &lt;"},
		{"``` not closed", "\\`\\`\\` not closed"},
		{"\\`<b>`", "\\`&lt;b&gt;\\`"},
		{"\\``<b>`", "\\`\\`&lt;b&gt;\\`"},
		{"\\<b> \\& \\> \\\\<i>", "&lt;b&gt; &amp; &gt; \\\\&lt;i&gt;"},
		{"\\", "\\"},
		{"\\é", "\\é"},
		{"![alt](http://x/y.png)", "!\\[alt](http://x/y.png)"},
		{"!![a](b) \\![c](d)", "!!\\[a](b) \\![c](d)"},
		{"[ok](https://x/?a=1&b=2)", "[ok](https://x/?a=1&amp;b=2)"},
		{"[x](javascript:alert(1))", "[x\\](javascript:alert(1))"},
		{"[x]( JavaScript\\:y)", "[x\\]( JavaScript\\:y)"},
		{"[x](data:text/html,y) [y](a.go:12)", "[x\\](data:text/html,y) [y](a.go:12)"},
		{"[ref]: http://x", "[ref\\]: http://x"},
		{"$HOME costs $5", "\\$HOME costs \\$5"},
		{"~~gone~~ ~~~", "~~gone~~ \\~\\~\\~"},
		{"`a | b` stays", "`a | b` stays"},
		{"`a | b` `<i>`", "\\`a | b\\` `<i>`"},
		{"`a | <b>` | x", "\\`a | &lt;b&gt;\\` | x"},
		{"| `x` | <b> |", "| `x` | &lt;b&gt; |"},
	} {
		if got := inline(tt.in); got != tt.want {
			t.Errorf("inline(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestMarkdownProse(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"headings become smaller", "# One\n#### Four\n#no heading", "#### One\n###### Four\n#no heading"},
		{"underlined headings are none", "One\n===\n\nTwo\n---\n\n---\n- a", "One\n\\===\n\nTwo\n\\---\n\n---\n- a"},
		{"headings in lists and quotes too", "- # a\n> ##\tb\n1) #", "- #### a\n> #####\tb\n1) ####"},
		{"a mark before a block makes no heading", "x\n- ```\n  y\n  ```", "x\n\n-\n\n```\ny\n```"},
		{"a list mark alone neither", "x\n- \n=  ", "x\n\\-\n\\="},
		{"a definition is seen", "[a]: x\n[`b]: y`", "\\[a\\]: x\n\\[`b]: y`"},
		{"a block of code", "x\n```go\na := `<b>`\n```\ny", "x\n\n```go\na := `<b>`\n```\n\ny"},
		{"tildes become backticks", "~~~~ sh x\n```\n~~~\n~~~~", "````sh\n```\n~~~\n````"},
		{"a fence longer than what it holds", "`````\n````\n`````", "`````\n````\n`````"},
		{"a block that never ends", "```\n<b>", "```\n<b>\n```"},
		{"a block in a list", "- a\n  ```\n  x\n    y\n  ```\n- b", "- a\n\n```\nx\n  y\n```\n\n- b"},
		{"a block behind a list mark", "1. ```\n   x\n   ```", "1.\n\n```\nx\n```"},
		{"a block in a quote", "> q\n> ```\n> x\n> ```\n> r", "> q\n\n```\nx\n```\n\n> r"},
		{"an odd language", "```a<b>\nx\n```", "```\nx\n```"},
		{"an empty block", "```\n```", "```\n```"},
	} {
		var b strings.Builder
		m := mdWriter{out: out{w: &b}}
		m.prose(tt.in, false)
		m.flush()
		if got := strings.Trim(b.String(), "\n"); got != tt.want {
			t.Errorf("%s:\ngot  %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

func TestCodeSpan(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "a": "`a`", "a`b": "``a`b``", "`": "`` ` ``", "``x": "``` ``x ```", " x": "`  x `", "a\nb": "`a\\nb`",
	} {
		if got := codeSpan(in); got != want {
			t.Errorf("codeSpan(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestMarkdownSteering(t *testing.T) {
	got := markdown(t, Options{}, made(turnStart("x"), transcript.Event{Kind: transcript.User, Text: "one\ntwo\n\n- three"}, transcript.Event{Kind: transcript.Assistant, Text: "a"},
		transcript.Event{Kind: transcript.Assistant, Text: "b"}, transcript.Event{Kind: transcript.User, Text: "more"}, transcript.Event{Kind: transcript.User, Text: "and"}, transcript.Event{Kind: transcript.User}))
	_, got, _ = strings.Cut(got, "## Turn 1\n\n")
	want := "**User**\n\n> one  \n> two\n>\n> - three\n>\n\n**Codex**\n\na\n\nb\n\n**User**\n\n> more\n>\n\n> and\n>\n\n> *(no words)*\n\n---\n\n*1 turn*\n\n"
	if got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// ownLines are the only HTML that a page may hold outside of code.
var ownTags = strings.NewReplacer("<details><summary>", "", "</summary>", "", "</details>", "", "<code>", "", "</code>", "", "<b>", "", "</b>", "", "<br>", "")

// checkMarkdown reads a page as every reader does, block by block: code is
// within fences at the margin and in code spans of one line; outside of it
// there is no HTML but ours, no image, and no definition of a reference.
func checkMarkdown(page string) (problem string) {
	fence, blank, folds := "", true, 0
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		line = strings.TrimPrefix(line, "> ") // a quote of ours holds blocks as the page does
		run := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence != "":
			if len(run) >= len(fence) {
				if run != line || run != fence {
					return "a fence ends early: " + line
				}
				fence = ""
			}
			continue
		case len(run) >= 3 && !strings.Contains(line[len(run):], "`"):
			if !blank {
				return "no blank line before a fence: " + line
			}
			fence = run
			continue
		}
		blank = line == "" || line == ">"
		if strings.HasPrefix(line, "<details>") {
			folds++
		} else if line == "</details>" {
			folds--
		}
		if strings.HasPrefix(line, "<details>") && strings.Contains(line, "<summary>") != strings.HasSuffix(line, "</summary>") {
			return "a summary of several lines: " + line
		}
		text := ownTags.Replace(line)
		if !strings.HasPrefix(line, "<details>") {
			text = ownTags.Replace(withoutCode(line))
		}
		if strings.Contains(text, "<") {
			return "HTML: " + line
		}
		for i := 0; i < len(text) && !strings.HasPrefix(line, "<details>"); i++ { // HTML of ours is no Markdown
			if strings.HasPrefix(text[i:], "![") && !strings.HasSuffix(text[:i], `\`) || strings.HasPrefix(text[i:], "]:") && !strings.HasSuffix(text[:i], `\`) {
				return "an image or a reference: " + line
			}
		}
		if strings.HasPrefix(strings.TrimLeft(text, " >"), "~~~") {
			return "a fence of tildes: " + line
		}
	}
	switch {
	case fence != "":
		return "a fence is not closed"
	case folds != 0:
		return "a fold is not closed"
	}
	return ""
}

// withoutCode takes the code spans out of a line, as CommonMark pairs backticks.
func withoutCode(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); {
		switch {
		case line[i] == '\\' && i+1 < len(line):
			b.WriteString(line[i : i+2])
			i += 2
			continue
		case line[i] != '`':
			b.WriteByte(line[i])
			i++
			continue
		}
		n := 0
		for i+n < len(line) && line[i+n] == '`' {
			n++
		}
		end := -1
		for j := i + n; j < len(line); j++ {
			if line[j] != '`' {
				continue
			}
			k := j
			for k < len(line) && line[k] == '`' {
				k++
			}
			if k-j == n {
				end = k
				break
			}
			j = k
		}
		if end < 0 {
			b.WriteString(line[i : i+n])
			i += n
			continue
		}
		i = end
	}
	return b.String()
}

func TestMarkdownIsSafe(t *testing.T) {
	for _, view := range []transcript.View{transcript.Active, transcript.Physical} {
		for _, th := range append(sampleThreads(t, view), wildThreads(t, view)...) {
			for _, o := range []Options{{}, {Tools: Full, All: true, Diff: true, Places: true}, {Tools: NoTools}} {
				if problem := checkMarkdown(markdown(t, o, th)); problem != "" {
					t.Errorf("%s: %s", th.ID, problem)
				}
			}
		}
	}
}

// TestMarkdownAttacks writes texts made of what could break out, as everything
// that a log can hold.
func TestMarkdownAttacks(t *testing.T) {
	parts := []string{"`", "``", "```", "~~~", "\n", "\n\n", "<script>", "</details>", "<!--", "-->", "|", "---", "# ", "> ", "- ", "1. ", "    ", "\t", "![", "](", "x)", "[", "]:", "\\",
		"&lt;", "javascript:", "word", " ", "*", "_", "$", "\r\n", "\x1b[31m", "\u2028", "</summary>", "==="}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 30).Draw(t, "text"), "")
		if problem := checkMarkdown(everywhere(t, text)); problem != "" {
			t.Fatalf("%q: %s", text, problem)
		}
	})
}

// everywhere is a page that has a text in every place that takes one.
func everywhere(t interface{ Fatal(...any) }, text string) string {
	th := made(eventsWith(text)...)
	th.Title, th.Project, th.Models, th.ForkedFrom = text, text, []string{text}, text
	var b strings.Builder
	for _, o := range []Options{{Lost: []string{text}}, {Tools: Full, All: true, Diff: true, Places: true}} {
		if err := NewMarkdown(&b, o).Write(th); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// eventsWith are events of every kind with a text in every field.
func eventsWith(text string) []transcript.Event {
	source := transcript.Source{File: text, Line: 1}
	image := []transcript.Image{{Name: text, MediaType: text}}
	events := []transcript.Event{{Kind: transcript.TurnStart, TurnID: "x", Model: text}}
	for _, kind := range []transcript.Kind{transcript.User, transcript.Assistant, transcript.Reasoning, transcript.Compaction, transcript.Context} {
		events = append(events, transcript.Event{Kind: kind, Text: text, Role: text, Source: source, Images: image})
	}
	for _, status := range []string{"error", "plan", "name", "tool_end", text} {
		events = append(events, transcript.Event{Kind: transcript.Notice, Status: status, Text: text, Source: source})
	}
	for i, arguments := range []string{text, `{"cmd":` + quoted(text) + `}`, `{` + quoted(text) + `:` + quoted(text) + `}`, "*** Begin Patch\n*** Update File: " + text + "\n" + text + "\n*** End Patch"} {
		tool := []string{text, "exec_command", "say", "apply_patch"}[i]
		events = append(events,
			transcript.Event{Kind: transcript.ToolCall, CallID: text, Tool: tool, Namespace: text[:min(i%2, len(text))], Arguments: arguments, Source: source},
			transcript.Event{Kind: transcript.ToolResult, CallID: text, Output: text, Images: image, Source: source, Changes: []transcript.FileChange{{Path: text, Moved: text, Kind: []string{"add", "update"}[i%2], Diff: text}}})
	}
	return append(events, transcript.Event{Kind: transcript.TurnEnd, TurnID: "x", Status: "failed", Text: text})
}
