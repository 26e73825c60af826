package inspect

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"testing"

	"rollbook/internal/ratio"
	"rollbook/internal/rolltest"
)

// BenchmarkInspect measures the whole report, written, next to a bare newline
// scan and to encoding/json decoding every line into a map.
func BenchmarkInspect(b *testing.B) {
	var text bytes.Buffer
	if _, err := rolltest.Generate(&text, rolltest.GenOptions{Seed: 1, Bytes: 60 << 20}); err != nil {
		b.Fatal(err)
	}
	log := text.Bytes()
	for _, form := range []struct {
		name string
		run  func()
	}{
		{"json", func() { reportJSON(b, log, io.Discard) }},
		{"ndjson", func() { reportNDJSON(b, log, io.Discard) }},
	} {
		b.Run(form.name, func(b *testing.B) {
			ratio.Compare(b, len(log), form.run, ratio.LineScan(log), ratio.Rival{Name: "encoding/json", Work: func() { decodeMaps(b, log) }})
		})
	}
}

func decodeMaps(tb testing.TB, log []byte) {
	in := bufio.NewReaderSize(bytes.NewReader(log), 1<<20)
	for {
		line, err := in.ReadSlice('\n')
		if err == io.EOF {
			return
		}
		var m map[string]any
		if err == nil {
			err = json.Unmarshal(line, &m)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
}

func reportJSON(tb testing.TB, log []byte, w io.Writer) *Report {
	src, err := OpenStream(bytes.NewReader(log), "-", DefaultLimits)
	if err != nil {
		tb.Fatal(err)
	}
	defer src.Close()
	var j JSON
	rep, err := Run(context.Background(), src, &j)
	if err == nil {
		err = j.Write(context.Background(), w, rep)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return rep
}

func reportNDJSON(tb testing.TB, log []byte, w io.Writer) *Report {
	src, err := OpenStream(bytes.NewReader(log), "-", DefaultLimits)
	if err != nil {
		tb.Fatal(err)
	}
	defer src.Close()
	n := NewNDJSON(context.Background(), w, src)
	rep, err := Run(context.Background(), src, n)
	if err == nil {
		err = n.Close(src, rep)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return rep
}
