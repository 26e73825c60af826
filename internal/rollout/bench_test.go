package rollout

import (
	"bytes"
	"encoding/json"
	"testing"

	"rollbook/internal/ratio"
	"rollbook/internal/rolltest"
)

func generated(b *testing.B) []byte {
	var text bytes.Buffer
	if _, err := rolltest.Generate(&text, rolltest.GenOptions{Seed: 1, Bytes: 32 << 20}); err != nil {
		b.Fatal(err)
	}
	return text.Bytes()
}

func readThrough(b *testing.B, text []byte, opt Options) func() {
	return func() {
		for rec, err := range NewReader(bytes.NewReader(text), opt).Records() {
			if err != nil || rec.Kind != Item {
				b.Fatal(rec.Code, err)
			}
		}
	}
}

// BenchmarkEnvelopeScan gives type, time and offset of every record, and
// validates nothing.
func BenchmarkEnvelopeScan(b *testing.B) {
	text := generated(b)
	ratio.Compare(b, len(text), readThrough(b, text, Options{HeadOnly: true}), ratio.LineScan(text))
}

// BenchmarkStrictScan validates every line and gives its envelope.
func BenchmarkStrictScan(b *testing.B) {
	text := generated(b)
	lines := bytes.SplitAfter(text, []byte("\n"))
	ratio.Compare(b, len(text), readThrough(b, text, Options{}), ratio.LineScan(text),
		ratio.Rival{Name: "json.Valid", Work: func() {
			for _, line := range lines {
				if !json.Valid(line) && len(line) > 0 {
					b.Fatal("not valid")
				}
			}
		}})
}
