package interchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"rollbook/internal/transcript"
)

func writeEvents(t testing.TB, threads ...*transcript.Thread) string {
	t.Helper()
	var b bytes.Buffer
	w := NewEventsWriter(&b)
	for _, th := range threads {
		if err := w.Write(th); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func writeNormalized(t testing.TB, opt NormalizedOptions, threads ...*transcript.Thread) string {
	t.Helper()
	var b bytes.Buffer
	w := NewNormalizedWriter(&b, opt)
	for _, th := range threads {
		if err := w.Write(th); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// keysOf gives the keys of a line in their order.
func keysOf(t *testing.T, line string) (keys []string) {
	t.Helper()
	d := jsontext.NewDecoder(strings.NewReader(line))
	if _, err := d.ReadToken(); err != nil {
		t.Fatal(err)
	}
	for d.PeekKind() == '"' {
		tok, err := d.ReadToken()
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, tok.String())
		if err := d.SkipValue(); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}

// TestEventKeys holds a bare event of every kind to its keys (L1).
func TestEventKeys(t *testing.T) {
	kinds := map[transcript.Kind]string{
		transcript.TurnStart:  "",
		transcript.TurnEnd:    "",
		transcript.User:       " text phase images",
		transcript.Assistant:  " text phase images",
		transcript.Context:    " text phase images",
		transcript.Reasoning:  " text phase",
		transcript.Compaction: " text phase",
		transcript.Notice:     " text phase",
		transcript.ToolCall:   " tool namespace call_id arguments",
		transcript.ToolResult: " call_id output is_error exit_code duration_ms images",
		transcript.Usage:      " usage",
	}
	for kind, own := range kinds {
		status := ""
		if kind == transcript.TurnEnd || kind == transcript.Notice {
			status = " status"
		}
		for view, rolled := range map[transcript.View]string{transcript.Active: "", transcript.Model: "", transcript.Physical: " rolled_back"} {
			th := emptyThread()
			th.View = view
			th.Events = eventsOf([]transcript.Event{{Seq: 1, Kind: kind}})
			_, line, _ := strings.Cut(writeEvents(t, th), "\n")
			want := "thread_id seq kind" + status + " timestamp turn_id origin inherited" + rolled + " source" + own
			if got := strings.Join(keysOf(t, line), " "); got != want {
				t.Errorf("%s in the %s view:\n got %s\nwant %s", kind, view, got, want)
			}
		}
	}
	if want := 11; len(kinds) != want {
		t.Errorf("%d kinds, want %d", len(kinds), want)
	}
}

// TestNullsOfBareEvents shows what a key says where nothing is known.
func TestNullsOfBareEvents(t *testing.T) {
	th := &transcript.Thread{Meta: transcript.Meta{ID: "x"}}
	for _, tt := range []struct {
		event transcript.Event
		want  string
	}{
		{transcript.Event{Seq: 1, Kind: transcript.User},
			`{"thread_id":"x","seq":1,"kind":"user","timestamp":null,"turn_id":null,"origin":"recorded","inherited":false,"source":null,"text":"","phase":null,"images":[]}`},
		{transcript.Event{Seq: 1, Kind: transcript.ToolResult, Images: make([]transcript.Image, 1)},
			`{"thread_id":"x","seq":1,"kind":"tool_result","timestamp":null,"turn_id":null,"origin":"recorded","inherited":false,"source":null,"call_id":"","output":"","is_error":null,"exit_code":null,"duration_ms":null,"images":[{"media_type":null,"bytes":null,"sha256":null,"width":null,"height":null}]}`},
		{transcript.Event{Seq: 1, Kind: transcript.Usage, Role: "user"},
			`{"thread_id":"x","seq":1,"kind":"usage","timestamp":null,"turn_id":null,"origin":"recorded","inherited":false,"source":null,"usage":null}`},
	} {
		th.Events = eventsOf([]transcript.Event{tt.event})
		_, got, _ := strings.Cut(writeEvents(t, th), "\n")
		if got != tt.want+"\n" {
			t.Errorf("got  %swant %s", got, tt.want)
		}
	}
}

// TestNormalizedTakes shows which events have a line, and what it says.
func TestNormalizedTakes(t *testing.T) {
	envelope := "# Files mentioned by the user:\n\n## a.png: /tmp/a.png\n"
	tests := []struct {
		name  string
		event transcript.Event
		want  []any // role, text, tool, natural; nil: no line
		all   []any // the same with All
	}{
		{"words", transcript.Event{Kind: transcript.User, Text: " hi\n"}, []any{"user", " hi\n", nil, true}, []any{"user", " hi\n", nil, true}},
		{"image only", transcript.Event{Kind: transcript.User}, []any{"user", "", nil, true}, []any{"user", "", nil, true}},
		{"envelope", transcript.Event{Kind: transcript.User, Text: envelope + "\n## My request:\nlook\n"}, []any{"user", "look", nil, true}, []any{"user", "look", nil, true}},
		{"bare envelope", transcript.Event{Kind: transcript.User, Text: envelope}, nil, []any{"user", envelope, nil, false}},
		{"context", transcript.Event{Kind: transcript.Context, Role: "user", Text: "<skill>"}, nil, []any{"user", "<skill>", nil, false}},
		{"context of no role", transcript.Event{Kind: transcript.Context, Text: "<skill>"}, nil, []any{"user", "<skill>", nil, false}},
		{"developer", transcript.Event{Kind: transcript.Context, Role: "developer", Text: "be brief"}, nil, nil},
		{"assistant", transcript.Event{Kind: transcript.Assistant, Text: "ok"}, []any{"assistant", "ok", nil, nil}, []any{"assistant", "ok", nil, nil}},
		{"tool", transcript.Event{Kind: transcript.ToolCall, Tool: "shell", Arguments: "ls"}, []any{"tool", "ls", "shell", nil}, []any{"tool", "ls", "shell", nil}},
		{"namespace", transcript.Event{Kind: transcript.ToolCall, Tool: "say", Namespace: "mcp__echo"}, []any{"tool", "", "mcp__echo.say", nil}, []any{"tool", "", "mcp__echo.say", nil}},
		{"result", transcript.Event{Kind: transcript.ToolResult, Output: "x"}, nil, nil},
		{"reasoning", transcript.Event{Kind: transcript.Reasoning, Text: "x"}, nil, nil},
		{"compaction", transcript.Event{Kind: transcript.Compaction, Text: "x"}, nil, nil},
		{"notice", transcript.Event{Kind: transcript.Notice, Text: "x"}, nil, nil},
		{"turn start", transcript.Event{Kind: transcript.TurnStart}, nil, nil},
		{"turn end", transcript.Event{Kind: transcript.TurnEnd}, nil, nil},
		{"usage", transcript.Event{Kind: transcript.Usage}, nil, nil},
	}
	for _, tt := range tests {
		for _, all := range []bool{false, true} {
			th := emptyThread()
			th.Events = eventsOf([]transcript.Event{tt.event})
			want := tt.want
			if all {
				want = tt.all
			}
			got := writeNormalized(t, NormalizedOptions{All: all}, th)
			if got == "" {
				if want != nil {
					t.Errorf("%s (all %v): no line", tt.name, all)
				}
				continue
			}
			var line map[string]any
			if err := json.Unmarshal([]byte(got), &line); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, []any{line["role"], line["text"], line["tool"], line["natural"]}); diff != "" {
				t.Errorf("%s (all %v): (-want +got)\n%s", tt.name, all, diff)
			}
			keys := "thread_id timestamp role text project turn_id inherited origin source"
			switch line["role"] {
			case "tool":
				keys = "thread_id timestamp role text project tool turn_id inherited origin source"
			case "user":
				keys = "thread_id timestamp role text project turn_id natural inherited origin source"
			}
			if got := strings.Join(keysOf(t, got), " "); got != keys {
				t.Errorf("%s (all %v): keys %s, want %s", tt.name, all, got, keys)
			}
			if line["project"] != "unassigned" {
				t.Errorf("%s: project %v, want unassigned", tt.name, line["project"])
			}
		}
	}
}

// TestStrings holds what is written for a text to an independent decoder (L2).
func TestStrings(t *testing.T) {
	tests := []string{
		"", "a", "1234567", "12345678", "123456789", "\"", "\\", "1234567\"", "12345678\"9", "\x7f", "é", "日本語", "🙂",
		"\u2028\u2029\u0085", "\ufffd", "</script>&", strings.Repeat("ab\n", flushAt), strings.Repeat("日", flushAt),
		strings.Repeat("x", flushAt-1) + "\n", strings.Repeat("x", flushAt) + "\n", strings.Repeat("\x00", flushAt+1),
	}
	for c := range rune(0x20) {
		tests = append(tests, string(c), "1234567"+string(c)+"9")
	}
	for _, s := range tests {
		var b bytes.Buffer
		e := encoder{w: &b}
		e.str(s)
		if err := e.flush(); err != nil {
			t.Fatal(err)
		}
		got, err := jsontext.AppendUnquote(nil, b.Bytes())
		if err != nil || string(got) != s {
			t.Errorf("%.40q is written as %.80q: %v", s, b.Bytes(), err)
		}
		if canonical, err := jsontext.AppendQuote(nil, s); err != nil || !bytes.Equal(canonical, b.Bytes()) {
			t.Errorf("%.40q is written as %.80q, want the shortest form %.80q", s, b.Bytes(), canonical)
		}
	}
}

func TestBadBytes(t *testing.T) {
	for in, want := range map[string]string{
		"a\xffb":         `"a` + "\ufffd" + `b"`,
		"\xff\xfe\n":     `"` + "\ufffd\ufffd" + `\n"`,
		"\xed\xa0\x80":   `"` + "\ufffd\ufffd\ufffd" + `"`, // a surrogate in UTF-8
		"ok \xe6\x97":    `"ok ` + "\ufffd\ufffd" + `"`,
		"日\xe6\x97\xa5本": `"日日本"`,
	} {
		e := encoder{}
		e.str(in)
		if string(e.buf) != want {
			t.Errorf("%q is written as %q, want %q", in, e.buf, want)
		}
	}
}

// TestPiece holds the eight bytes at a time to one byte at a time, wherever a
// byte stands.
func TestPiece(t *testing.T) {
	for c := range 256 {
		for i := range 20 {
			s := strings.Repeat("é", 5) + strings.Repeat("~", 10)
			s = s[:i] + string([]byte{byte(c), byte(c)}) + s[i:]
			var want []byte
			for j := range len(s) {
				if s[j] < 0x20 || s[j] == '"' || s[j] == '\\' {
					want = appendEscape(want, s[j])
				} else {
					want = append(want, s[j])
				}
			}
			var e encoder
			if e.piece(s); string(e.buf) != string(want) {
				t.Fatalf("piece(%q) = %q, want %q", s, e.buf, want)
			}
		}
	}
}

func TestWrittenTimes(t *testing.T) {
	zone := time.FixedZone("", 5*3600+1800)
	for _, tt := range []struct {
		time time.Time
		want string
	}{
		{time.Time{}, "null"},
		{time.Date(2026, 1, 1, 5, 30, 0, 999_999_999, zone), `"2026-01-01T00:00:00.999Z"`},
		{time.Date(1969, 12, 31, 23, 59, 59, 0, time.UTC), `"1969-12-31T23:59:59.000Z"`},
		{time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), `"9999-12-31T23:59:59.000Z"`},
		{time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), "null"},
		{time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC), "null"},
	} {
		e := encoder{}
		e.time(tt.time)
		if string(e.buf) != tt.want {
			t.Errorf("%v is written as %s, want %s", tt.time, e.buf, tt.want)
		}
	}
}

// failing fails every write after the first n bytes.
type failing struct{ n int }

var errFull = errors.New("full")

func (f *failing) Write(b []byte) (int, error) {
	if f.n < len(b) {
		return f.n, errFull
	}
	f.n -= len(b)
	return len(b), nil
}

func TestWriteErrors(t *testing.T) {
	errLog := errors.New("log is gone")
	broken := func(yield func(*transcript.Event, error) bool) {
		if yield(&transcript.Event{Seq: 1, Kind: transcript.User, Text: "kept"}, nil) {
			yield(nil, errLog)
		}
	}
	long := eventsOf(slices.Repeat([]transcript.Event{{Seq: 1, Kind: transcript.User, Text: strings.Repeat("x", flushAt)}}, 10))
	for name, sink := range map[string]func(io.Writer) transcript.Sink{
		"events":     func(w io.Writer) transcript.Sink { return NewEventsWriter(w) },
		"normalized": func(w io.Writer) transcript.Sink { return NewNormalizedWriter(w, NormalizedOptions{}) },
	} {
		var b bytes.Buffer
		th := emptyThread()
		th.Events = broken
		if err := sink(&b).Write(th); !errors.Is(err, errLog) || !strings.HasPrefix(err.Error(), "thread t2: ") {
			t.Errorf("%s: error %v, want that of the log", name, err)
		}
		if !strings.Contains(b.String(), "kept") {
			t.Errorf("%s: what came before the error is not written", name)
		}
		th.Events = long
		for _, n := range []int{0, 1, flushAt, 5 * flushAt} {
			s := sink(&failing{n})
			if err := s.Write(th); err != errFull {
				t.Errorf("%s: error %v after %d bytes, want that of the writer", name, err, n)
			}
			if err := s.Write(th); err != errFull {
				t.Errorf("%s: the second thread is written after an error", name)
			}
		}
	}
}

// TestWriterHoldsOneBuffer (L5).
func TestWriterHoldsOneBuffer(t *testing.T) {
	w := NewEventsWriter(io.Discard)
	th := emptyThread()
	th.Events = eventsOf([]transcript.Event{{Seq: 1, Kind: transcript.User, Text: strings.Repeat("x\n", 8<<20)}})
	if err := w.Write(th); err != nil {
		t.Fatal(err)
	}
	if got := cap(w.out.buf); got > 4*flushAt {
		t.Errorf("the writer holds %d bytes after a text of 16 MiB", got)
	}
}
