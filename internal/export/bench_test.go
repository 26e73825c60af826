package export

import (
	"html"
	"io"
	"strings"
	"testing"
	"time"

	"rollbook/internal/ratio"
	"rollbook/internal/term"
	"rollbook/internal/transcript"
)

// benchEvents is n times a turn of a prompt, a call with a long output, an
// answer and its usage. It gives the bytes of their texts too.
func benchEvents(n int, text string) (events []transcript.Event, size int64) {
	for range n {
		result := resultOf("call_0123456789", text)
		result.Duration = ref(time.Second)
		events = append(events, turnStart("t"), transcript.Event{Kind: transcript.User, Text: text[:len(text)/8]},
			callOf("call_0123456789", "shell", `{"command":["bash","-lc","go test ./..."]}`), result,
			transcript.Event{Kind: transcript.Assistant, Text: text[:len(text)/4]},
			transcript.Event{Kind: transcript.Usage, Usage: &transcript.TokenUsage{Input: 100000, Output: 500}}, turnEnd("t"))
		size += int64(len(text) + len(text)/8 + len(text)/4)
	}
	return events, size
}

var (
	proseText = strings.Repeat("The quick brown fox jumps over the lazy dog, and says \"no\". Then it goes home by the long way round, past the mill.\n\n- and a list\n\twith a tab\n", 100)
	cjkText   = strings.Repeat("敏捷的棕色狐狸跳过了懒狗，然后说：“不”。它绕了很长的路，经过磨坊才回到家里，天已经黑了很久。\n", 100)
)

func bench(b *testing.B, text string, sink transcript.Sink) {
	events, size := benchEvents(50, strings.ToValidUTF8(text, ""))
	for i := range events {
		events[i].Text = strings.ToValidUTF8(events[i].Text, "")
	}
	th := made(events...)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if err := sink.Write(th); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkText(b *testing.B) {
	bench(b, proseText, NewText(io.Discard, TextOptions{Width: 80}))
}

func BenchmarkTextFull(b *testing.B) {
	bench(b, proseText, NewText(io.Discard, TextOptions{Options: Options{Tools: Full}, Width: 80, Style: term.NewStyle(true)}))
}

func BenchmarkTextFullCJK(b *testing.B) {
	bench(b, cjkText, NewText(io.Discard, TextOptions{Options: Options{Tools: Full}, Width: 80}))
}

func BenchmarkTextPipe(b *testing.B) {
	bench(b, proseText, NewText(io.Discard, TextOptions{Options: Options{Tools: Full}}))
}

func BenchmarkMarkdownFull(b *testing.B) {
	bench(b, proseText, NewMarkdown(io.Discard, Options{Tools: Full}))
}

// BenchmarkHTML writes pages, beside escaping the same texts for HTML and
// writing the same thread as Markdown.
func BenchmarkHTML(b *testing.B) {
	events, size := benchEvents(50, proseText)
	th := made(events...)
	run := func(sink transcript.Sink) {
		if err := sink.Write(th); err != nil {
			b.Fatal(err)
		}
	}
	ratio.Compare(b, int(size), func() { run(NewHTML(io.Discard, everything)) },
		ratio.Rival{Name: "html.EscapeString", Work: func() {
			for i := range events {
				io.WriteString(io.Discard, html.EscapeString(events[i].Text))
				io.WriteString(io.Discard, html.EscapeString(events[i].Output))
			}
		}},
		ratio.Rival{Name: "Markdown", Work: func() { run(NewMarkdown(io.Discard, everything.Options)) }})
}
