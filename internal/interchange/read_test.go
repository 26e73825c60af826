package interchange

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"rollbook/internal/diag"
	"rollbook/internal/transcript"
)

var allCodes = []diag.Code{
	LineLimit, InvalidJSON, IncompleteFinalLine, InvalidRecord, UnknownRecord, InvalidField,
	InvalidTimestamp, InvalidUsage, Empty, RepairedText, OmittedFields,
}

// findings collects diagnostics as "line code".
type findings []diag.Diagnostic

func (f *findings) add(d diag.Diagnostic) { *f = append(*f, d) }

func (f findings) strings() (list []string) {
	for _, d := range f {
		list = append(list, d.Position.String()+" "+string(d.Code))
	}
	return list
}

// eventLine is an EventRecord of its own.
type eventLine struct {
	Position diag.Position
	ThreadID string
	Thread   *transcript.Thread
	Event    *transcript.Event
}

func readEvents(t testing.TB, r io.Reader, opt Options) (list []eventLine, found findings) {
	t.Helper()
	for rec, err := range ReadEvents(r, opt, found.add) {
		if err != nil {
			t.Fatal(err)
		}
		line := eventLine{rec.Position, rec.ThreadID, rec.Thread, nil}
		if rec.Event != nil {
			ev := *rec.Event
			line.Event = &ev
		}
		list = append(list, line)
	}
	return list, found
}

func readNormalized(t testing.TB, r io.Reader, opt Options) (list []NormalizedRecord, found findings) {
	t.Helper()
	for rec, err := range ReadNormalized(r, opt, found.add) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, *rec)
	}
	return list, found
}

// TestReadSample reads back what the format page shows (L3).
func TestReadSample(t *testing.T) {
	want := sampleEvents()
	list, found := readEvents(t, strings.NewReader(writeEvents(t, sampleThread(want), emptyThread())), Options{File: "x"})
	if len(found) > 0 || len(list) != len(want)+2 {
		t.Fatalf("%d lines, %v", len(list), found)
	}
	for i, first := range map[int]*transcript.Thread{0: sampleThread(nil), len(want) + 1: emptyThread()} {
		first.Events = nil
		if diff := cmp.Diff(first, list[i].Thread); diff != "" {
			t.Errorf("thread line %d (-want +got):\n%s", i, diff)
		}
	}
	for i := range want {
		got := list[i+1]
		if diff := cmp.Diff(&want[i], got.Event); diff != "" || got.ThreadID != "t1" || got.Thread != nil {
			t.Errorf("event %d of %s (-want +got):\n%s", i, got.ThreadID, diff)
		}
		if got.Position.Line != i+2 || got.Position.File != "x" {
			t.Errorf("event %d is at %v", i, got.Position)
		}
	}
}

const evHead = `{"thread_id":"t","seq":1,"kind":`

// TestEventLosses shows what is lost and why, and that the rest is read.
func TestEventLosses(t *testing.T) {
	const good = evHead + `"user","text":"good"}` + "\n"
	tests := []struct {
		line string
		want diag.Code
	}{
		{`not json`, InvalidJSON},
		{`{"thread_id":"t"`, InvalidJSON},
		{evHead + `"user","text":"a"}}`, InvalidJSON},
		{evHead + `"user","text":"a"} {}`, InvalidJSON},
		{evHead + `"user","text":'a'}`, InvalidJSON},
		{evHead + `"user","text":"a",}`, InvalidJSON},
		{evHead + `"user","text":"\x"}`, InvalidJSON},
		{evHead + `"user","other":[1,2}`, InvalidJSON},
		{strings.Repeat("[", 20000), InvalidJSON},
		{`[1,2]`, InvalidRecord},
		{`null`, InvalidRecord},
		{`"x"`, InvalidRecord},
		{`{}`, UnknownRecord},
		{`{"thread_id":"t","seq":1,"text":"x"}`, UnknownRecord},
		{evHead + `"mystery"}`, UnknownRecord},
		{evHead + `null}`, UnknownRecord},
		{evHead + `7}`, UnknownRecord},
		{`{"Kind":"user","thread_id":"t","seq":1,"text":"x"}`, UnknownRecord},
		{`{"kind":"thread"}`, InvalidField},
		{`{"kind":"thread","thread_id":7}`, InvalidField},
		{`{"kind":"thread","thread_id":"t","archived":"yes"}`, InvalidField},
		{`{"kind":"thread","thread_id":"t","models":"gpt"}`, InvalidField},
		{`{"kind":"thread","thread_id":"t","models":[1]}`, InvalidField},
		{`{"kind":"thread","thread_id":"t","counts":{"turns":-1}}`, InvalidField},
		{`{"kind":"thread","thread_id":"t","counts":[]}`, InvalidField},
		{`{"kind":"thread","thread_id":"t","view":"other"}`, InvalidField},
		{`{"kind":"thread","thread_id":"t","created":"soon"}`, InvalidTimestamp},
		{`{"kind":"thread","thread_id":"t","updated":true}`, InvalidTimestamp},
		{`{"seq":1,"kind":"user","text":"x"}`, InvalidField},
		{`{"thread_id":"t","kind":"user","text":"x"}`, InvalidField},
		{`{"thread_id":"t","seq":0,"kind":"user","text":"x"}`, InvalidField},
		{`{"thread_id":"t","seq":-1,"kind":"user","text":"x"}`, InvalidField},
		{`{"thread_id":"t","seq":1.5,"kind":"user","text":"x"}`, InvalidField},
		{`{"thread_id":"t","seq":"1","kind":"user","text":"x"}`, InvalidField},
		{`{"thread_id":"t","seq":99999999999999999999,"kind":"user","text":"x"}`, InvalidField},
		{evHead + `"user"}`, InvalidField},
		{evHead + `"user","text":null}`, InvalidField},
		{evHead + `"user","text":["x"]}`, InvalidField},
		{evHead + `"user","text":"x","images":{}}`, InvalidField},
		{evHead + `"user","text":"x","images":[null]}`, InvalidField},
		{evHead + `"user","text":"x","images":[{"bytes":-1}]}`, InvalidField},
		{evHead + `"user","text":"x","images":[` + strings.Repeat("{},", maxList) + `{}]}`, InvalidField},
		{evHead + `"user","text":"x","origin":"guessed"}`, InvalidField},
		{evHead + `"user","text":"x","source":[]}`, InvalidField},
		{evHead + `"user","text":"x","source":{"line":"1"}}`, InvalidField},
		{evHead + `"user","text":"x","timestamp":"nonsense"}`, InvalidTimestamp},
		{evHead + `"user","text":"x","timestamp":"2200-01-01T00:00:00Z"}`, InvalidTimestamp},
		{evHead + `"user","text":"x","timestamp":[]}`, InvalidTimestamp},
		{evHead + `"tool_call","tool":"x"}`, InvalidField},
		{evHead + `"tool_result","call_id":null}`, InvalidField},
		{evHead + `"tool_result","call_id":"c","duration_ms":-1}`, InvalidField},
		{evHead + `"tool_result","call_id":"c","duration_ms":9223372036854775807}`, InvalidField},
		{evHead + `"tool_result","call_id":"c","is_error":1}`, InvalidField},
		{evHead + `"tool_result","call_id":"c","changes":[{"path":1}]}`, InvalidField},
		{evHead + `"usage","usage":{"input":1.5}}`, InvalidField},
		{evHead + `"usage","usage":7}`, InvalidField},
	}
	for _, tt := range tests {
		list, found := readEvents(t, strings.NewReader(good+tt.line+"\n"+good), Options{File: "f"})
		if got, want := found.strings(), []string{"f:2 " + string(tt.want)}; !cmp.Equal(got, want) {
			t.Errorf("%.100s\n got %v\nwant %v", tt.line, got, want)
		}
		if len(list) != 2 || list[1].Position.Offset != int64(len(good)+len(tt.line)+1) {
			t.Errorf("%.100s: the rest is not read: %v", tt.line, list)
		}
	}
}

// TestEventsThatAreRead has odd lines that hold an event all the same.
func TestEventsThatAreRead(t *testing.T) {
	user := transcript.Event{Seq: 1, Kind: transcript.User, Text: "x"}
	tests := []struct {
		line  string
		event transcript.Event
		codes string
	}{
		{evHead + `"user","text":"x"}`, user, ""},
		{" \t{ \"kind\" :\"user\", \"text\":\"x\" , \"seq\":1,\"thread_id\":\"t\" } \r", user, ""},
		{evHead + `"user","text":"y","text":"x"}`, user, ""},
		{evHead + `"user","t\u0065xt":"x"}`, user, ""},
		{evHead + `"user","text":"x","model":null,"images":null,"usage":null,"source":null,"timestamp":null,"is_error":null,"exit_code":null,"duration_ms":null,"inherited":null}`, user, ""},
		{evHead + `"user","text":"x","new":{"a":[1]},"newer":1}`, user, "omitted_fields"},
		{evHead + `"user","text":"x","images":[{"color":1}]}`,
			transcript.Event{Seq: 1, Kind: transcript.User, Text: "x", Images: make([]transcript.Image, 1)}, "omitted_fields"},
		{evHead + `"user","text":"a\ud800b"}`, transcript.Event{Seq: 1, Kind: transcript.User, Text: "a\ufffdb"}, "repaired_text"},
		{evHead + "\"user\",\"text\":\"a\xffb\"}", transcript.Event{Seq: 1, Kind: transcript.User, Text: "a\ufffdb"}, "repaired_text"},
		{evHead + `"user","text":"x","odd\udc00":1}`, user, "repaired_text omitted_fields"},
		{evHead + `"tool_result","call_id":"c","exit_code":-9,"is_error":true}`,
			transcript.Event{Seq: 1, Kind: transcript.ToolResult, CallID: "c", ExitCode: ref(-9), IsError: ref(true)}, ""},
	}
	for _, tt := range tests {
		for _, end := range []string{"\n", ""} {
			list, found := readEvents(t, strings.NewReader(tt.line+end), Options{File: "f"})
			var codes []string
			for _, d := range found {
				codes = append(codes, string(d.Code))
			}
			if got := strings.Join(codes, " "); got != tt.codes {
				t.Errorf("%q: %s, want %s", tt.line, got, tt.codes)
			}
			if len(list) != 1 {
				t.Errorf("%q: %d records", tt.line, len(list))
			} else if diff := cmp.Diff(&tt.event, list[0].Event); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tt.line, diff)
			}
		}
	}
}

// TestLines shows how a file is cut into lines (L4).
func TestLines(t *testing.T) {
	line := func(s string) string { return evHead + `"user","text":"` + s + `"}` }
	tests := []struct {
		name, in string
		want     []string // "line offset text"
		found    []string
	}{
		{"empty", "", nil, nil},
		{"no line feed", line("a"), []string{"a"}, nil},
		{"blank lines", "\n \t\r\n\f\n" + line("a") + "\n\n", []string{"a"}, nil},
		{"CRLF", line("a") + "\r\n" + line("b") + "\r\n", []string{"a", "b"}, nil},
		{"CR alone", line("a") + "\r" + line("b"), nil, []string{"f:1 invalid_json"}},
		{"mark", "\ufeff" + line("a") + "\n" + line("b"), []string{"a", "b"}, nil},
		{"mark alone", "\ufeff", nil, nil},
		{"mark later", line("a") + "\n\ufeff" + line("b"), []string{"a"}, []string{"f:2 invalid_json"}},
		{"other line ends", line("a\u2028b\u0085c") + "\n", []string{"a\u2028b\u0085c"}, nil},
		{"cut", line("a") + "\n" + line("b")[:20], []string{"a"}, []string{"f:2 incomplete_final_line"}},
		{"cut in a rune", line("a") + "\n" + `{"text":"` + "\xe6\x97", []string{"a"}, []string{"f:2 incomplete_final_line"}},
		{"cut behind bad bytes", line("a") + "\n" + `{"odd":"` + "\xff" + `","text":"b`, []string{"a"}, []string{"f:2 incomplete_final_line"}},
		{"cut earlier", line("b")[:20] + "\n" + line("a"), []string{"a"}, []string{"f:1 invalid_json"}},
		{"zeros", "\x00\x00\n" + line("a"), []string{"a"}, []string{"f:1 invalid_json"}},
	}
	for _, tt := range tests {
		for _, wrap := range []func(io.Reader) io.Reader{
			func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.DataErrReader,
		} {
			list, found := readEvents(t, wrap(strings.NewReader(tt.in)), Options{File: "f"})
			var got []string
			for _, l := range list {
				got = append(got, l.Event.Text)
				at := strings.TrimPrefix(tt.in[l.Position.Offset:], "\ufeff")
				if n := strings.Count(tt.in[:l.Position.Offset], "\n") + 1; n != l.Position.Line || !strings.HasPrefix(at, evHead) {
					t.Errorf("%s: %q is at line %d, offset %d", tt.name, l.Event.Text, l.Position.Line, l.Position.Offset)
				}
			}
			if !cmp.Equal(got, tt.want) || !cmp.Equal(found.strings(), tt.found) {
				t.Errorf("%s: got %q %v, want %q %v", tt.name, got, found.strings(), tt.want, tt.found)
			}
		}
	}
}

// TestLineLimit reads a line at the limit and none above it, however long.
func TestLineLimit(t *testing.T) {
	line := func(n int) string { // n bytes with the line feed
		bare := evHead + `"user","text":""}` + "\n"
		return strings.Replace(bare, `"text":""`, `"text":"`+strings.Repeat("x", n-len(bare))+`"`, 1)
	}
	for _, limit := range []int{100, bufferSize - 1, bufferSize, bufferSize + 1, 3 * bufferSize} {
		opt := Options{File: "f", Limits: Limits{Line: limit}}
		for _, more := range []int{1, 2, bufferSize, 5 * bufferSize} {
			in := line(limit) + line(limit+more) + line(limit) + strings.TrimSuffix(line(limit+1), "\n") + "\n" + line(limit+more)
			list, found := readEvents(t, strings.NewReader(in), opt)
			if len(list) != 2 || list[1].Position.Line != 3 {
				t.Errorf("limit %d, %d more: %d records", limit, more, len(list))
			}
			if got, want := found.strings(), []string{"f:2 line_limit", "f:4 line_limit", "f:5 line_limit"}; !cmp.Equal(got, want) {
				t.Errorf("limit %d, %d more: %v, want %v", limit, more, got, want)
			}
		}
		last := strings.TrimSuffix(line(limit+1), "\n")
		if list, found := readEvents(t, strings.NewReader(last), opt); len(list) != 1 || found != nil {
			t.Errorf("limit %d: a last line of just that length is not read: %v", limit, found)
		}
	}
	in := line(DefaultLine) + line(DefaultLine+1)
	if list, found := readEvents(t, strings.NewReader(in), Options{}); len(list) != 1 || len(found) != 1 {
		t.Errorf("default limit: %d records, %v", len(list), found)
	}
}

// TestLongLineIsNotHeld reads a line of 64 MiB with a limit of 1 MiB (L5).
func TestLongLineIsNotHeld(t *testing.T) {
	l := newLines(io.LimitReader(zeros{}, 64<<20), Options{Limits: Limits{Line: 1 << 20}})
	if text, _, err := l.read(); text != nil || err != nil {
		t.Fatalf("%d bytes, %v", len(text), err)
	}
	if cap(l.long) > 4<<20 {
		t.Errorf("%d bytes are held", cap(l.long))
	}
	if _, _, err := l.read(); err != io.EOF {
		t.Errorf("error %v at the end", err)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func TestReadErrors(t *testing.T) {
	good := evHead + `"user","text":"a"}` + "\n" + `{"thread_id":"t","timestamp":1,"role":"user","text":"a"}` + "\n"
	gone := errors.New("gone")
	in := func() io.Reader { return io.MultiReader(strings.NewReader(good+`{"x`), iotest.ErrReader(gone)) }
	n, last := 0, error(nil)
	for _, err := range ReadEvents(in(), Options{File: "f"}, func(diag.Diagnostic) {}) {
		n, last = n+1, err
	}
	if n != 2 || !errors.Is(last, gone) || last.Error() != "f:3: gone" {
		t.Errorf("events: %d values, the last with %v", n, last)
	}
	n = 0
	for _, err := range ReadNormalized(in(), Options{File: "f"}, func(diag.Diagnostic) {}) {
		n, last = n+1, err
	}
	if n != 2 || !errors.Is(last, gone) || last.Error() != "f:3: gone" {
		t.Errorf("normalized: %d values, the last with %v", n, last)
	}
}

// TestStop leaves a loop early.
func TestStop(t *testing.T) {
	in := strings.Repeat(evHead+`"user","text":"a"}`+"\n", 3)
	for range ReadEvents(strings.NewReader(in), Options{}, nil) {
		break
	}
	in = strings.Repeat(`{"thread_id":"t","timestamp":1,"role":"user","text":"a"}`+"\n", 3)
	for range ReadNormalized(strings.NewReader(in), Options{}, nil) {
		break
	}
}

// TestTruncation cuts the samples at every byte: a file that was cut loses at
// most its last line (L6).
func TestTruncation(t *testing.T) {
	events := writeEvents(t, sampleThread(sampleEvents()))
	normalized := writeNormalized(t, NormalizedOptions{All: true}, sampleThread(sampleEvents()))
	cut := func(name, in string, count func(io.Reader) (int, findings)) {
		for n := range len(in) + 1 {
			records, found := count(strings.NewReader(in[:n]))
			whole := strings.Count(in[:n], "\n")
			rest := in[strings.LastIndexByte(in[:n], '\n')+1 : n]
			switch {
			case rest == "" || strings.HasPrefix(in[n:], "\n"):
				if rest != "" {
					whole++
				}
				if records != whole || len(found) > 0 {
					t.Fatalf("%s cut at %d: %d records, %v, want %d", name, n, records, found, whole)
				}
			case records != whole || len(found) != 1 || found[0].Code != IncompleteFinalLine || found[0].Line != whole+1:
				t.Fatalf("%s cut at %d: %d records, %v, want %d and a cut line", name, n, records, found, whole)
			}
		}
	}
	cut("events", events, func(r io.Reader) (int, findings) {
		list, found := readEvents(t, r, Options{})
		return len(list), found
	})
	cut("normalized", normalized, func(r io.Reader) (int, findings) {
		list, found := readNormalized(t, r, Options{})
		return len(list), found
	})
}

func TestDetect(t *testing.T) {
	event := evHead + `"user","text":"a"}`
	line := `{"thread_id":"t","timestamp":"2026-01-01T00:00:00Z","role":"user","text":"a"}`
	tests := []struct {
		head string
		want Format
	}{
		{"", None},
		{"\n\n", None},
		{"not json\n[1]\n", None},
		{writeEvents(t, emptyThread()), Events},
		{writeEvents(t, sampleThread(sampleEvents()))[:60], Events},
		{event, Events},
		{"\ufeff\r\n" + event, Events},
		{"not json\n\n" + event, Events},
		{`{"text":"` + strings.Repeat("x", 100) + `","kind":"user","seq":1,"thread_id":"t"}`, Events},
		{`{"thread_id":"t","seq":1,"kind":"mystery"}`, None},
		{`{"thread_id":"t","seq":"1","kind":"user"}`, None},
		{`{"seq":1,"kind":"user"}`, None},
		{line, Normalized},
		{"\ufeff" + line + "\r\n", Normalized},
		{writeNormalized(t, NormalizedOptions{}, sampleThread(sampleEvents()))[:80], Normalized},
		{`{"session_id":"n","created_at":1767225600000,"role":"user","content":"x"}`, Normalized},
		{`{"role":"assistant","ts":1767225600,"text":"x"}`, Normalized},
		{`{"role":"tool","tool":"grep","text":"x","timestamp":"2026-01-01"}`, Normalized},
		{`{"type":"new_format"}` + "\n" + line, Normalized},
		{`{"type":"usage","response_id":"r","timestamp":1,"usage":{}}`, Normalized},
		{`{"role":"system","ts":1,"text":"x"}`, None},
		{`{"role":"user","content":"x"}`, None},
		// a rollout with and without envelopes, history.jsonl, a bundle's history
		{`{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"t","role":"user"}}`, None},
		{`{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{"type":"message","role":"user","content":[]}}`, None},
		{`{"id":"t","timestamp":"2026-01-01T00:00:00Z","instructions":null}` + "\n" + `{"record_type":"state"}` + "\n" + `{"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"x"}]}`, None},
		{`{"session_id":"t","ts":1767225600,"text":"x"}`, None},
		{`{"sequence":1,"role":"user","kind":"text","text":"x","timestamp":"2026-01-01T00:00:00Z","phase":null,"source":{"session_id":"t"},"provenance":"extracted"}`, None},
	}
	for _, tt := range tests {
		if got := Detect([]byte(tt.head)); got != tt.want {
			t.Errorf("Detect(%.100q) = %v, want %v", tt.head, got, tt.want)
		}
	}
}

func TestLost(t *testing.T) {
	var kept bytes.Buffer
	for _, c := range allCodes {
		if !Lost(c) {
			kept.WriteString(string(c) + " ")
		}
	}
	if got, want := kept.String(), "repaired_text omitted_fields "; got != want {
		t.Errorf("read all the same: %s, want %s", got, want)
	}
}
