package assemble

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"testing"
	"time"

	"rollbook/internal/interchange"
	"rollbook/internal/rolltest"
	"rollbook/internal/transcript"
)

// BenchmarkAssemble writes the events of a thread to nowhere, and gives the
// ratio to what decoding every line's envelope and payload with encoding/json
// takes, and to a bare line scan of the same bytes.
func BenchmarkAssemble(b *testing.B) {
	var text bytes.Buffer
	if _, err := rolltest.Generate(&text, rolltest.GenOptions{Seed: 1, Bytes: 32 << 20}); err != nil {
		b.Fatal(err)
	}
	l, _ := inMemory(text.Bytes())
	id := l.IDs()[0]
	b.SetBytes(int64(text.Len()))
	var scan, decode time.Duration
	for b.Loop() {
		b.StopTimer()
		scan += clock(func() { scanLines(text.Bytes()) })
		decode += clock(func() { decodeLines(text.Bytes()) })
		b.StartTimer()
		th, err := l.Thread(context.Background(), id, transcript.Active)
		if err != nil {
			b.Fatal(err)
		}
		if err := interchange.NewEventsWriter(io.Discard).Write(th); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(decode.Seconds()/b.Elapsed().Seconds(), "x_encoding/json")
	b.ReportMetric(scan.Seconds()/b.Elapsed().Seconds(), "x_line_scan")
}

func clock(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

func scanLines(text []byte) (n int) {
	for r := bufio.NewReaderSize(bytes.NewReader(text), 256<<10); ; {
		if _, err := r.ReadSlice('\n'); err == io.EOF {
			return n
		}
		n++
	}
}

func decodeLines(text []byte) (n int) {
	for line := range bytes.Lines(text) {
		var env struct {
			Timestamp, Type string
			Payload         json.RawMessage
		}
		var payload map[string]any
		if json.Unmarshal(line, &env) == nil && json.Unmarshal(env.Payload, &payload) == nil {
			n++
		}
	}
	return n
}
