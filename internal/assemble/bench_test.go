package assemble

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"testing"

	"rollbook/internal/interchange"
	"rollbook/internal/ratio"
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
	ratio.Compare(b, text.Len(), func() {
		th, err := l.Thread(context.Background(), id, transcript.Active)
		if err != nil {
			b.Fatal(err)
		}
		if err := interchange.NewEventsWriter(io.Discard).Write(th); err != nil {
			b.Fatal(err)
		}
	}, ratio.LineScan(text.Bytes()), ratio.Rival{Name: "encoding/json", Work: func() { decodeLines(text.Bytes()) }})
}

// BenchmarkRead reads a thread as a store does, with an account of every line
// and a mark, and gives the ratio to reading it without, and to a bare line scan
// of the same bytes.
func BenchmarkRead(b *testing.B) {
	var text bytes.Buffer
	if _, err := rolltest.Generate(&text, rolltest.GenOptions{Seed: 1, Bytes: 32 << 20}); err != nil {
		b.Fatal(err)
	}
	l, _ := inMemory(text.Bytes())
	id := l.IDs()[0]
	ratio.Compare(b, text.Len(), func() {
		r, err := l.Read(context.Background(), id, ReadOptions{})
		if err != nil {
			b.Fatal(err)
		}
		for _, err := range r.Thread.Events {
			if err != nil {
				b.Fatal(err)
			}
		}
		if r.Mark() == nil {
			b.Fatal("no mark")
		}
	}, ratio.LineScan(text.Bytes()), ratio.Rival{Name: "events_alone", Work: func() {
		th, err := l.Thread(context.Background(), id, transcript.Active)
		if err != nil {
			b.Fatal(err)
		}
		for _, err := range th.Events {
			if err != nil {
				b.Fatal(err)
			}
		}
	}})
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
