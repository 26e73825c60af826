package dsh

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"testing"

	"rollbook/internal/assemble"
	"rollbook/internal/discover"
	"rollbook/internal/fsx"
	"rollbook/internal/ratio"
	"rollbook/internal/rolltest"
)

// inMemory is a home of one rollout that is no file.
type inMemory []byte

func (m inMemory) Open(discover.Ref) (fsx.File, error) { return memoryFile{bytes.NewReader(m)}, nil }

type memoryFile struct{ *bytes.Reader }

func (memoryFile) Close() error               { return nil }
func (memoryFile) Stat() (fs.FileInfo, error) { return nil, fs.ErrInvalid }

// BenchmarkConvert converts a rollout, next to decoding every line's envelope and
// payload with encoding/json.
func BenchmarkConvert(b *testing.B) {
	var text bytes.Buffer
	if _, err := rolltest.Generate(&text, rolltest.GenOptions{Seed: 1, Bytes: 32 << 20}); err != nil {
		b.Fatal(err)
	}
	for _, m := range []struct {
		name string
		view assemble.SessionOptions
	}{{"full", full}, {"default", assemble.SessionOptions{}}} {
		b.Run(m.name, func(b *testing.B) {
			ratio.Compare(b, text.Len(), func() {
				l := assemble.New(inMemory(text.Bytes()), []discover.Ref{{Path: "rollout.jsonl", ID: lineThread}}, nil, nil)
				th, err := l.Session(context.Background(), lineThread, m.view)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := Convert(context.Background(), th, Options{MaxTextChars: DefaultMaxText}, io.Discard); err != nil {
					b.Fatal(err)
				}
			}, ratio.Rival{Name: "encoding/json", Work: func() { decodeAll(text.Bytes()) }})
		})
	}
}

// decodeAll decodes the envelope and the payload of every line.
func decodeAll(text []byte) (n int) {
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
