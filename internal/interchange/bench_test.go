package interchange

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"rollbook/internal/diag"
	"rollbook/internal/transcript"
)

// proseLike is text with a line feed, a quote or a tab now and then.
var proseLike = strings.Repeat("The quick brown fox jumps over the lazy dog, and says \"no\".\n\tThen it goes home by the long way round.\n", 200)

var cjkLike = strings.Repeat("敏捷的棕色狐狸跳过了懒狗，然后说：“不”。\n", 300)

// benchThread is n times a turn of a prompt, a call with a long output, an
// answer and its usage.
func benchThread(n int, text string) *transcript.Thread {
	turn := []transcript.Event{
		{Kind: transcript.User, Text: text[:len(text)/8]},
		{Kind: transcript.ToolCall, Tool: "shell", CallID: "call_0123456789", Arguments: `{"command":["bash","-lc","go test ./..."]}`},
		{Kind: transcript.ToolResult, CallID: "call_0123456789", Output: text, ExitCode: ref(0), IsError: ref(false), Duration: ref(time.Second)},
		{Kind: transcript.Assistant, Text: text[:len(text)/4]},
		{Kind: transcript.Usage, Usage: &transcript.TokenUsage{Input: 100000, Output: 500, Total: 100500}},
	}
	for i := range turn {
		turn[i].TurnID, turn[i].Time, turn[i].Source = "0199a213-0000-7000-8000-000000000000", at(i), place(i+1, int64(i)*1000)
	}
	th := sampleThread(nil)
	th.Events = func(yield func(*transcript.Event, error) bool) {
		for range n {
			for i := range turn {
				turn[i].Seq++
				if !yield(&turn[i], nil) {
					return
				}
			}
		}
	}
	return th
}

// scan is a bare newline scan of data.
func scan(b *testing.B, data []byte) {
	in := bufio.NewReaderSize(bytes.NewReader(data), bufferSize)
	for {
		_, err := in.ReadSlice('\n')
		if err == io.EOF {
			return
		}
		if err != nil && err != bufio.ErrBufferFull {
			b.Fatal(err)
		}
	}
}

// compare runs work, which goes over data, and reports its speed as a share of
// that of a newline scan of the same data in the same run.
func compare(b *testing.B, data []byte, work func()) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	var bare, full time.Duration
	for b.Loop() {
		b.StopTimer()
		start := time.Now()
		scan(b, data)
		bare += time.Since(start)
		b.StartTimer()
		start = time.Now()
		work()
		full += time.Since(start)
	}
	b.ReportMetric(bare.Seconds()/full.Seconds(), "x-scan")
}

func benchWrite(b *testing.B, text string, write func(io.Writer, *transcript.Thread) error) {
	th := benchThread(200, text)
	var out bytes.Buffer
	if err := write(&out, th); err != nil {
		b.Fatal(err)
	}
	compare(b, out.Bytes(), func() {
		if err := write(io.Discard, th); err != nil {
			b.Fatal(err)
		}
	})
}

func events(w io.Writer, t *transcript.Thread) error { return NewEventsWriter(w).Write(t) }

func normalized(w io.Writer, t *transcript.Thread) error {
	return NewNormalizedWriter(w, NormalizedOptions{}).Write(t)
}

func BenchmarkWriteEvents(b *testing.B)     { benchWrite(b, proseLike, events) }
func BenchmarkWriteEventsCJK(b *testing.B)  { benchWrite(b, cjkLike, events) }
func BenchmarkWriteNormalized(b *testing.B) { benchWrite(b, proseLike, normalized) }

// BenchmarkWriteSmallEvents has short texts: what the keys cost.
func BenchmarkWriteSmallEvents(b *testing.B) { benchWrite(b, proseLike[:160], events) }

func benchRead(b *testing.B, text string, write func(io.Writer, *transcript.Thread) error, read func(io.Reader) int) {
	var out bytes.Buffer
	if err := write(&out, benchThread(200, text)); err != nil {
		b.Fatal(err)
	}
	compare(b, out.Bytes(), func() {
		if read(bytes.NewReader(out.Bytes())) == 0 {
			b.Fatal("nothing read")
		}
	})
}

func BenchmarkReadEvents(b *testing.B) {
	benchRead(b, proseLike, events, countEvents(b))
}

func BenchmarkReadSmallEvents(b *testing.B) {
	benchRead(b, proseLike[:160], events, countEvents(b))
}

func countEvents(b *testing.B) func(io.Reader) int {
	return func(r io.Reader) (n int) {
		for _, err := range ReadEvents(r, Options{}, func(d diag.Diagnostic) { b.Fatal(d) }) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		return n
	}
}

func BenchmarkReadNormalized(b *testing.B) {
	benchRead(b, proseLike, normalized, func(r io.Reader) (n int) {
		for _, err := range ReadNormalized(r, Options{}, func(d diag.Diagnostic) { b.Fatal(d) }) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		return n
	})
}
