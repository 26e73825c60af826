package history

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"rollbook/internal/diag"

	"github.com/google/go-cmp/cmp"
)

// found collects diagnostics as "line code".
type found []string

func (f *found) report(d diag.Diagnostic) { *f = append(*f, fmt.Sprintf("%d %s", d.Line, d.Code)) }

func TestIndex(t *testing.T) {
	row := func(id, name string) string {
		return fmt.Sprintf(`{"id":%q,"thread_name":%q,"updated_at":"2026-03-02T09:00:00.5Z"}`, id, name) + "\n"
	}
	at := time.Date(2026, 3, 2, 9, 0, 0, 5e8, time.UTC)
	long := strings.Repeat("é", maxName)
	tests := []struct {
		name, in string
		want     map[string]Name
		found    found
	}{
		{"empty", "", map[string]Name{}, nil},
		{"the last row of an id counts", row("a", "one") + row("b", "two") + row("a", "three"),
			map[string]Name{"a": {"three", at, 3}, "b": {"two", at, 2}}, nil},
		{"an empty name takes the name away", row("a", "one") + row("a", " ") + row("b", "two") + `{"id":"b","thread_name":null}`,
			map[string]Name{}, nil},
		{"blank lines, CRLF", "\r\n\n" + strings.ReplaceAll(row("a", "one"), "\n", "\r\n") + " \t\n" + row("b", "two"),
			map[string]Name{"a": {"one", at, 3}, "b": {"two", at, 5}}, nil},
		{"byte order mark", "\ufeff" + row("a", "one"), map[string]Name{"a": {"one", at, 1}}, found{"1 byte_order_mark"}},
		{"no time, a time of another kind", `{"id":"a","thread_name":"x"}` + "\n" + `{"id":"b","thread_name":"y","updated_at":17}`,
			map[string]Name{"a": {"x", time.Time{}, 1}, "b": {"y", time.Time{}, 2}}, nil},
		{"unknown and duplicate keys", `{"id":"z","id":"a","more":[{}],"thread_name":"x","ID":"q"}`,
			map[string]Name{"a": {"x", time.Time{}, 1}}, nil},
		{"damaged rows", "nonsense\n" + row("a", "one") + "{\"id\":\"\xff\"}\n[]\nnull\n" + `{"thread_name":"x"}` + "\n" + `{"id":7}` + "\n" + `{"id":"a"`,
			map[string]Name{"a": {"one", at, 2}},
			found{"1 invalid_json", "3 invalid_utf8", "4 invalid_record", "5 invalid_record", "6 invalid_record", "7 invalid_record", "8 incomplete_final_line"}},
		{"cut row that has a line feed", `{"id":"a"` + "\n", map[string]Name{}, found{"1 invalid_json"}},
		{"long name", row("a", "x"+long), map[string]Name{"a": {"x" + long[:maxName-2], at, 1}}, found{"1 name_limit"}},
		{"long line", row("a", strings.Repeat("x", maxIndexLine)) + row("b", "two"), map[string]Name{"b": {"two", at, 2}}, found{"1 line_limit"}},
		{"absurd id", row(strings.Repeat("i", maxID+1), "x"), map[string]Name{}, found{"1 invalid_record"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in)), iotest.DataErrReader(strings.NewReader(tt.in))} {
				var f found
				got, err := Index(r, f.report)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Error(d)
				}
				if d := cmp.Diff(tt.found, f); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

func TestIndexNameLimit(t *testing.T) {
	in := `{"id":"a","thread_name":"x"}
{"id":"b","thread_name":"x"}
{"id":"c","thread_name":"x"}
{"id":"d","thread_name":"x"}
{"id":"a","thread_name":"again"}
`
	var f found
	got, err := index(strings.NewReader(in), 2, f.report)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]Name{"a": {Text: "again", Line: 5}, "b": {Text: "x", Line: 2}}, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(found{"3 name_limit"}, f); d != "" {
		t.Error(d)
	}
}

func TestPrompts(t *testing.T) {
	at := time.Date(2026, 11, 30, 18, 49, 45, 0, time.UTC)
	ok := `{"session_id":"a","ts":1796064585,"text":"one\ntwo"}`
	tests := []struct {
		name, in string
		want     []Prompt
		found    found
	}{
		{"empty", "", nil, nil},
		{"plain", ok + "\n" + ok, []Prompt{{"a", at, "one\ntwo", 1, 0}, {"a", at, "one\ntwo", 2, 53}}, nil},
		{"blank lines, CRLF, mark", "\ufeff" + ok + "\r\n\r\n" + ok + "\r\n", []Prompt{{"a", at, "one\ntwo", 1, 0}, {"a", at, "one\ntwo", 3, 59}}, found{"1 byte_order_mark"}},
		{"times", `{"session_id":"a","ts":1796064585500,"text":"ms"}
{"session_id":"a","ts":"1796064585","text":"string"}
{"session_id":"a","ts":1796064585.5,"text":"fraction"}
{"session_id":"a","ts":-1,"text":"x"}
{"session_id":"a","ts":1e300,"text":"x"}
{"session_id":"a","ts":"soon","text":"x"}
{"session_id":"a","ts":null,"text":"x"}
{"session_id":"a","text":"x"}
{"session_id":"a","ts":true,"text":"x"}
`, []Prompt{{"a", at.Add(5e8), "ms", 1, 0}, {"a", at, "string", 2, 50}, {"a", at.Add(5e8), "fraction", 3, 103}},
			found{"4 invalid_timestamp", "5 invalid_timestamp", "6 invalid_timestamp", "7 invalid_timestamp", "8 invalid_timestamp", "9 invalid_timestamp"}},
		{"damaged rows", `{"session_id":"","ts":1,"text":"x"}
{"session_id":"a","ts":1,"text":null}
{"session_id":"a","ts":1,"text":["x"]}
{"session_id":"a","ts":1,"text":"` + "\x01" + `"}
` + ok + `
{"session_id":"a","ts":1,"te`, []Prompt{{"a", at, "one\ntwo", 5, 150}},
			found{"1 invalid_record", "2 invalid_record", "3 invalid_record", "4 invalid_json", "6 incomplete_final_line"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var f found
			var got []Prompt
			for p, err := range Prompts(strings.NewReader(tt.in), Limits{}, f.report) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, p)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(tt.found, f); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestPromptLimit(t *testing.T) {
	row := `{"session_id":"a","ts":1,"text":"x"}` + "\n"
	for limit, want := range map[int]int{len(row): 2, len(row) - 1: 0} {
		n := 0
		for _, err := range Prompts(strings.NewReader(row+row), Limits{Line: limit}, nil) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != want {
			t.Errorf("limit %d: %d prompts, want %d", limit, n, want)
		}
	}
}

func TestPromptsStop(t *testing.T) {
	row := `{"session_id":"a","ts":1,"text":"x"}` + "\n"
	in := iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(row)))
	for range Prompts(strings.NewReader(row+row), Limits{}, nil) {
		break // must not go on
	}
	var last error
	for _, err := range Prompts(in, Limits{}, nil) {
		last = err
	}
	if !errors.Is(last, iotest.ErrTimeout) || last.Error() != "line 1: timeout" {
		t.Errorf("error %v", last)
	}
	if _, err := Index(iotest.ErrReader(io.ErrClosedPipe), nil); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v", err)
	}
}

const sampleIndex = `{"id":"01a22dca-8eda-70d1-956d-c74b51b452f8","thread_name":"My named thréad","updated_at":"2026-11-30T18:49:39.51101391Z"}
{"id":"01a22dca-8eda-70d1-956d-c74b51b452f8","thread_name":"again \u00e9","updated_at":"2026-11-30T18:49:39.51101391Z"}
`

const samplePrompts = `{"session_id":"01a22dca-a73d-7c60-aafd-e920b31db704","ts":1796064585,"text":"first"}
{"session_id":"01a22dca-a73d-7c60-aafd-e920b31db704","ts":1796064588,"text":"third é\n\ttwo"}
`

// TestTruncation: a cut file gives the rows before the cut, and nothing that
// the whole one does not give.
func TestTruncation(t *testing.T) {
	for n := range len(sampleIndex) {
		var f found
		names, err := Index(strings.NewReader(sampleIndex[:n]), f.report)
		if err != nil {
			t.Fatal(err)
		}
		first := strings.Index(sampleIndex, "\n")
		for _, name := range names {
			if name.Text != "My named thréad" && name.Text != "again é" || name.Line == 2 && n < len(sampleIndex)-1 {
				t.Errorf("prefix of %d bytes: %+v", n, name)
			}
		}
		if whole := n == 0 || n == first || n == first+1 || n == len(sampleIndex)-1; whole != (f == nil) {
			t.Errorf("prefix of %d bytes: reported %v", n, f)
		}
	}
	for n := range len(samplePrompts) {
		want := strings.Count(samplePrompts[:n+1], "\n")
		got := 0
		for p, err := range Prompts(strings.NewReader(samplePrompts[:n]), Limits{}, nil) {
			if err != nil {
				t.Fatal(err)
			}
			if got++; p.Text != "first" && p.Text != "third é\n\ttwo" {
				t.Errorf("prefix of %d bytes: %q", n, p.Text)
			}
		}
		if got != want {
			t.Errorf("prefix of %d bytes: %d prompts, want %d", n, got, want)
		}
	}
}

// FuzzRows: on any bytes no panic, and each line is a row, blank or reported.
func FuzzRows(f *testing.F) {
	f.Add([]byte(sampleIndex))
	f.Add([]byte(samplePrompts))
	f.Add([]byte("\ufeff{}\r\n\xff\n[]\n{\"id\":\"a\",\"thread_name\":3"))
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, limit := range []int{32, DefaultLine} {
			last, reported, prompts := 0, 0, 0
			for p, err := range Prompts(strings.NewReader(string(in)), Limits{Line: limit}, func(d diag.Diagnostic) {
				if d.Code != ByteOrderMark {
					reported++
				}
				if d.Line < last || d.Offset > int64(len(in)) {
					t.Errorf("%v after line %d", d, last)
				}
				last = d.Line
			}) {
				if err != nil {
					t.Fatal(err)
				}
				prompts++
				rest := in[p.Offset:]
				if p.Offset > 0 && in[p.Offset-1] != '\n' || len(rest) == 0 || p.Time.Year() < 1970 || p.Time.Year() > 2100 {
					t.Errorf("%+v", p)
				}
			}
			all := strings.Split(string(in), "\n")
			blank := 0
			for i, text := range all {
				if i < len(all)-1 {
					text += "\n"
				}
				if len(text) > limit {
					continue
				}
				if i == 0 {
					text = strings.TrimPrefix(text, "\ufeff")
				}
				if strings.Trim(text, " \t\r\f\n") == "" {
					blank++
				}
			}
			if blank+prompts+reported != len(all) {
				t.Errorf("limit %d: %d blank, %d prompts, %d reported of %d lines", limit, blank, prompts, reported, len(all))
			}
		}
		names, err := Index(strings.NewReader(string(in)), nil)
		if err != nil {
			t.Fatal(err)
		}
		for id, name := range names {
			if id == "" || len(id) > maxID || strings.TrimSpace(name.Text) == "" || len(name.Text) > maxName || name.Line < 1 {
				t.Errorf("%q: %+v", id, name)
			}
		}
	})
}
