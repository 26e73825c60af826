package document

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// say is a normalized line of thread n.
func say(text string) string {
	return `{"thread_id":"n",` + at + `,"role":"user","text":"` + text + `"}`
}

// said is how it is spelt.
func said(at, text string) string {
	return at + ` n user 2026-01-02T03:04:05Z natural text="` + text + `"`
}

// TestPhysicalLines holds lines to line feeds, and their numbers to the file (D1, D2).
func TestPhysicalLines(t *testing.T) {
	for _, tt := range []struct {
		name, text  string
		want, found []string
		lines       int64
	}{
		{"nothing", "", nil, nil, 0},
		{"blank lines keep the numbers", "\n \t\r\n" + say("a") + "\n\n" + say("b") + "\n", []string{said("3", "a"), said("5", "b")}, nil, 2},
		{"a byte order mark and CR LF", "\ufeff" + say("a") + "\r\n" + say("b") + "\r\n", []string{said("1", "a"), said("2", "b")}, nil, 2},
		{"other ends of lines are none", say("a\u2028b\u0085c") + "\n" + say("b") + "\n", []string{`1 n user 2026-01-02T03:04:05Z natural text="a\u2028b\u0085c"`, said("2", "b")}, nil, 2},
		{"a last line without an end", say("a") + "\n" + say("b"), []string{said("1", "a"), said("2", "b")}, nil, 2},
		{"a last line that is cut", say("a") + "\n" + say("b")[:40], []string{said("1", "a")}, []string{"2 incomplete_final_line"}, 2},
		{"a cut line in the middle", say("b")[:40] + "\n" + say("a") + "\n", []string{said("2", "a")}, []string{"1 invalid_json"}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, open := range []func() (io.ReadCloser, error){
				opener(tt.text),
				func() (io.ReadCloser, error) {
					return io.NopCloser(iotest.OneByteReader(strings.NewReader(tt.text))), nil
				},
			} {
				res := readFrom("a.jsonl", open, Options{})
				check(t, "entry", res.entries, tt.want)
				check(t, "finding", res.found, tt.found)
				if res.err != nil || res.counts.Lines != tt.lines || res.teed != tt.text {
					t.Errorf("error %v, %d lines, %d bytes to Tee", res.err, res.counts.Lines, len(res.teed))
				}
			}
		})
	}
}

// TestLineLimit reads a line of just the limit, its line feed included, and none
// that is longer (D2).
func TestLineLimit(t *testing.T) {
	for _, size := range []int{300, bufferSize, bufferSize + 1, 2*bufferSize + 7} {
		text := strings.Repeat("x", size-len(say(""))-1)
		for _, more := range []int{0, 1} {
			file := say("a") + "\n" + say(text+strings.Repeat("x", more)) + "\n" + say("b") + "\n"
			res := read("a.jsonl", file, Options{Line: int64(size)})
			found := []string{"2 line_limit"}[:more]
			check(t, "finding", res.found, found)
			if len(res.entries) != 3-more || res.counts.Lines != 3 || res.counts.Oversized != int64(more) || res.teed != file {
				t.Errorf("size %d: %d entries, %+v", size+more, len(res.entries), res.counts)
			}
			doc := "[" + say("a") + "," + say(text+strings.Repeat("x", more+1)) + "]"
			res = read("a.json", doc, Options{Line: int64(size)})
			if len(res.entries) != 2-more || res.counts.Lines != 2 || res.counts.Oversized != int64(more) || res.teed != doc {
				t.Errorf("item of %d: %d entries, %+v, %v", size+more, len(res.entries), res.counts, res.err)
			}
		}
	}
	if res := read("a.jsonl", say(strings.Repeat("x", 9<<20)), Options{}); len(res.entries) != 1 {
		t.Error("no limit: the line is lost")
	}
}

// TestDocuments reads arrays and objects with messages (D4).
func TestDocuments(t *testing.T) {
	const one = ` n user 2026-01-02T03:04:05Z natural text="a"`
	a := say("a")
	for _, tt := range []struct {
		name, text string
		want       []string
		found      []string
		lines      int64
	}{
		{"array", "[" + a + ", " + a + "]", []string{"1@1" + one, fmt.Sprintf("2@%d", len(a)+3) + one}, nil, 2},
		{"pretty", "[\n  " + a + "\n]\n", []string{"1@4" + one}, nil, 1},
		{"a byte order mark", "\ufeff[" + a + "]", []string{"1@4" + one}, nil, 1},
		{"messages", `{"messages":[` + a + `]}`, []string{"1@13" + one}, nil, 1},
		{"messages among others", `{"a":{"messages":[1]},"messages" : [` + a + `],"b":[{}]}`, []string{"1@36" + one}, nil, 1},
		{"an escaped name", `{"m\u0065ssages":[` + a + `]}`, []string{"1@18" + one}, nil, 1},
		{"of two the last", `{"messages":[1,2],"messages":[` + a + `]}`, []string{"1@30" + one}, nil, 1},
		{"items that are no objects", `[1,"x",null,[` + a + `],true,-1.5e3 ,` + a + `]`, []string{fmt.Sprintf("7@%d", len(a)+28) + one},
			[]string{"item 1 invalid_record", "item 2 invalid_record", "item 3 invalid_record", "item 4 invalid_record", "item 5 invalid_record", "item 6 invalid_record"}, 7},
		{"an item that is lost", `[{"role":"x"},` + a + `]`, []string{"2@14" + one}, []string{"item 1 unknown_record"}, 2},
		{"an empty array", "[]", nil, nil, 0},
		{"no messages", `{"messages":[]}`, nil, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, open := range []func() (io.ReadCloser, error){
				opener(tt.text),
				func() (io.ReadCloser, error) {
					return io.NopCloser(iotest.OneByteReader(strings.NewReader(tt.text))), nil
				},
			} {
				res := readFrom("a.JSON", open, Options{})
				check(t, "entry", res.entries, tt.want)
				check(t, "finding", res.found, tt.found)
				if res.err != nil || res.counts.Lines != tt.lines || res.teed != tt.text || res.place != nil {
					t.Errorf("error %v, %d lines, %d bytes to Tee, place %v", res.err, res.counts.Lines, len(res.teed), res.place)
				}
			}
		})
	}
}

// TestInvalidDocuments gives no entry of a document that is none (D4).
func TestInvalidDocuments(t *testing.T) {
	a := say("a")
	for _, text := range []string{
		"", " ", "{", `{"messages": [`, "[" + a, "[" + a + ",]", "[" + a + "] x", "[" + a + "][]", `{"items":[]}`, `"x"`, "12", "-", "nul",
		`{"messages":null}`, `{"messages":{}}`, `{"messages":[` + a + `],"messages":null}`, `[{"messages":[]}`, `{"a":[` + a + `]}`,
		`[` + a + `,{"a" 1}]`, `[01]`, `[1.]`, `[1e]`, `["\x"]`, `["\u00g0"]`, "[\"\n\"]", `[}`, `{]`, `{1:2}`, `{"a":1,}`, `[tru]`, `[1 2]`, "\ufeff\ufeff[]",
		strings.Repeat("[", maxNesting+1) + strings.Repeat("]", maxNesting+1),
	} {
		res := read("a.json", text, Options{})
		invalid := (*InvalidError)(nil)
		if !errors.As(res.err, &invalid) || invalid.Code() != InvalidDocument || len(res.entries) > 0 {
			t.Errorf("%.60q: %d entries, %v", text, len(res.entries), res.err)
		}
	}
	broken := func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader("["+a), iotest.ErrReader(io.ErrUnexpectedEOF))), nil
	}
	invalid := (*InvalidError)(nil)
	if res := readFrom("a.json", broken, Options{}); res.err == nil || errors.As(res.err, &invalid) {
		t.Errorf("a file that cannot be read: %v", res.err)
	}
}

// TestTruncation cuts a file of lines and a document at every byte: of lines at
// most the last is lost, of a document all (D2, D4).
func TestTruncation(t *testing.T) {
	lines := say("a") + "\n" + say("é") + "\n" + `{"session_id":"h","ts":1767323045,"text":"x"}` + "\n"
	whole := read("a.jsonl", lines, Options{})
	for n := range len(lines) {
		res := read("a.jsonl", lines[:n], Options{})
		ends := strings.Count(lines[:n], "\n")
		if res.err != nil || len(res.entries) < ends || res.place.Line != ends || res.place.Offset != int64(strings.LastIndexByte(lines[:n], '\n')+1) {
			t.Fatalf("cut at %d: %d entries, %+v, %v", n, len(res.entries), res.place, res.err)
		}
		check(t, "entry", res.entries, whole.entries[:len(res.entries)])
		if len(res.found) > 1 {
			t.Errorf("cut at %d: %v", n, res.found)
		}
		rest := read("a.jsonl", lines, Options{From: res.place})
		check(t, "entry", append(res.entries[:ends:ends], rest.entries...), whole.entries)
		if rest.counts != whole.counts {
			t.Errorf("gone on at %d: %+v, want %+v", n, rest.counts, whole.counts)
		}
	}
	doc := `{"x":[{"y":-1.0e+2}],"messages":[` + say("é") + `,` + say("b") + `]}`
	for n := range len(doc) {
		if res := read("a.json", doc[:n], Options{}); res.err == nil || len(res.entries) > 0 {
			t.Fatalf("cut at %d: %d entries, %v", n, len(res.entries), res.err)
		}
	}
}
