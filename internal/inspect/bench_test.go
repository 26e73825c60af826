package inspect

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// generate writes a rollout of about size bytes with the record types, in
// about the shares and lengths, that real ones have.
func generate(size int) []byte {
	rnd := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	line := func(typ string, payload any) {
		p, err := json.Marshal(payload)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, `{"timestamp":"2026-09-24T12:%02d:%02d.%03dZ","type":"%s","payload":%s}`+"\n",
			rnd.IntN(60), rnd.IntN(60), rnd.IntN(1000), typ, p)
	}
	words := strings.Fields("the reader keeps one line at a time and never decides what a record means so every caller sees it once " +
		"func main() { return err } if err != nil fmt.Println(\"hello\") internal/file.go:42: ok 0.012s package\tmain")
	typographic := []string{"“quoted”", "café", "it’s", "→", "✓", "–"}
	prose := func(n int) string {
		var s strings.Builder
		for s.Len() < n {
			s.WriteString(words[rnd.IntN(len(words))])
			switch rnd.IntN(40) {
			case 0, 1, 2:
				s.WriteString("\n\t")
			case 3:
				s.WriteString(" " + typographic[rnd.IntN(len(typographic))] + " ")
			default:
				s.WriteByte(' ')
			}
		}
		return s.String()
	}
	// output is what a shell prints: lines of ASCII.
	output := func(n int) string {
		var s strings.Builder
		for s.Len() < n {
			s.WriteString(words[rnd.IntN(len(words))])
			if rnd.IntN(9) == 0 {
				s.WriteByte('\n')
			} else {
				s.WriteByte(' ')
			}
		}
		return s.String()
	}
	base64 := func(n int) string {
		const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
		s := make([]byte, n)
		for i := range s {
			s[i] = letters[rnd.IntN(64)]
		}
		return string(s)
	}
	// length draws from a distribution with a long tail.
	length := func(median int) int {
		n := median/2 + rnd.IntN(median)
		for rnd.IntN(5) == 0 && n < 200_000 {
			n *= 3
		}
		return n
	}
	type obj = map[string]any
	line("session_meta", obj{"id": "01a22dc6-9ee7-71d1-887c-b5b30ff91847", "cwd": "/home/someone/project", "cli_version": "0.146.0", "originator": "codex_cli_rs", "base_instructions": obj{"text": prose(12_000)}})
	for turn := 0; b.Len() < size; turn++ {
		line("turn_context", obj{"turn_id": fmt.Sprintf("turn-%d", turn), "cwd": "/home/someone/project", "model": "gpt-5", "approval_policy": "never", "sandbox_policy": obj{"mode": "workspace-write", "writable_roots": []string{"/tmp"}}, "user_instructions": prose(600)})
		line("response_item", obj{"type": "message", "role": "user", "content": []obj{{"type": "input_text", "text": prose(length(300))}}})
		line("event_msg", obj{"type": "user_message", "message": prose(300), "images": []string{}, "kind": "plain"})
		for call := range 1 + rnd.IntN(12) {
			id := fmt.Sprintf("call_%d_%d", turn, call)
			line("response_item", obj{"type": "reasoning", "summary": []obj{{"type": "summary_text", "text": prose(80)}}, "encrypted_content": base64(length(1400))})
			line("response_item", obj{"type": "function_call", "name": "shell_command", "call_id": id, "arguments": `{"command":` + string(must(json.Marshal(output(length(150))))) + `,"timeout_ms":10000}`})
			line("response_item", obj{"type": "function_call_output", "call_id": id, "output": "Exit code: 0\nWall time: 0.1 seconds\nOutput:\n" + output(length(1800))})
			line("event_msg", obj{"type": "token_count", "info": obj{"total_token_usage": obj{"input_tokens": rnd.IntN(1e6), "cached_input_tokens": rnd.IntN(1e6), "output_tokens": rnd.IntN(1e5), "reasoning_output_tokens": rnd.IntN(1e4), "total_tokens": rnd.IntN(1e6)}, "last_token_usage": obj{"input_tokens": rnd.IntN(1e5), "output_tokens": rnd.IntN(1e4), "total_tokens": rnd.IntN(1e5)}, "model_context_window": 272000}, "rate_limits": obj{"primary": obj{"used_percent": 12.5, "window_minutes": 299, "resets_in_seconds": 8123}, "secondary": nil}})
		}
		text := prose(length(500))
		line("event_msg", obj{"type": "agent_message", "message": text, "phase": "final_answer"})
		line("response_item", obj{"type": "message", "role": "assistant", "phase": "final_answer", "content": []obj{{"type": "output_text", "text": text}}})
	}
	return b.Bytes()
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// BenchmarkInspect measures the whole report, written, next to a bare newline
// scan and to encoding/json decoding every line, of the same bytes in the same
// run. They take turns, and of each the fastest counts.
func BenchmarkInspect(b *testing.B) {
	log := generate(63 << 20)
	for _, form := range []struct {
		name string
		run  func()
	}{
		{"json", func() { reportJSON(b, log, io.Discard) }},
		{"ndjson", func() { reportNDJSON(b, log, io.Discard) }},
	} {
		b.Run(form.name, func(b *testing.B) {
			b.SetBytes(int64(len(log)))
			own, decode, scan := never, never, never
			for b.Loop() {
				own.run(form.run)
				b.StopTimer()
				decode.run(func() { decodeMaps(b, log) })
				scan.run(func() { scanLines(log) })
				b.StartTimer()
			}
			b.ReportMetric(float64(len(log))/1e6/own.seconds(), "fastest-MB/s")
			b.ReportMetric(decode.seconds()/own.seconds(), "x-encoding/json")
			b.ReportMetric(scan.seconds()/own.seconds(), "x-newline-scan")
		})
	}
}

// A best is the shortest time that something took.
type best time.Duration

const never = best(math.MaxInt64)

func (b *best) run(f func()) {
	start := time.Now()
	f()
	*b = min(*b, best(time.Since(start)))
}

func (b best) seconds() float64 { return time.Duration(b).Seconds() }

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

func scanLines(log []byte) {
	in := bufio.NewReaderSize(bytes.NewReader(log), 1<<20)
	for {
		if _, err := in.ReadSlice('\n'); err == io.EOF {
			return
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
