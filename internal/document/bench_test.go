package document

import (
	"strings"
	"testing"

	"rollbook/internal/ratio"
)

// BenchmarkRead reads each shape beside a bare line scan of the same bytes.
func BenchmarkRead(b *testing.B) {
	words := strings.Repeat("one two three ", 30)
	for _, bm := range []struct{ name, file, line string }{
		{"history", "history.jsonl", `{"session_id":"0199a213-0000-7000-8000-000000000000","ts":1767323045,"text":"` + words + `"}`},
		{"normalized", "a.jsonl", `{"thread_id":"0199a213-0000-7000-8000-000000000000",` + at + `,"role":"assistant","text":"` + words + `","project":"/home/ada/proj","turn_id":null,"inherited":false,"origin":"recorded","source":{"file":"sessions/a.jsonl","line":5,"offset":900}}`},
		{"events", "a.jsonl", `{"thread_id":"0199a213-0000-7000-8000-000000000000","seq":5,"kind":"assistant",` + at + `,"turn_id":null,"origin":"recorded","inherited":false,"source":{"file":"sessions/a.jsonl","line":5,"offset":900},"text":"` + words + `","phase":null,"images":[]}`},
		{"document", "a.json", `{"thread_id":"0199a213-0000-7000-8000-000000000000",` + at + `,"role":"assistant","text":"` + words + `","project":"/home/ada/proj"}`},
	} {
		b.Run(bm.name, func(b *testing.B) {
			n := 4 << 20 / len(bm.line)
			text := strings.Repeat(bm.line+"\n", n)
			if bm.name == "document" {
				text = "[" + strings.TrimSuffix(strings.Repeat(bm.line+",\n", n), ",\n") + "]"
			}
			ratio.Compare(b, len(text), func() {
				r, err := Read(opener(text), Options{Name: bm.file})
				if err != nil {
					b.Fatal(err)
				}
				got := 0
				for _, err := range r.Entries {
					if err != nil {
						b.Fatal(err)
					}
					got++
				}
				if got != n {
					b.Fatalf("%d entries, want %d", got, n)
				}
			}, ratio.LineScan([]byte(text)))
		})
	}
}
