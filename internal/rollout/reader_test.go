package rollout

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"

	"rollbook/internal/diag"
)

// line is what a test says of one record: its kind and code, place and length.
type line struct {
	kind   Kind
	code   diag.Code
	offset int64
	length int64
	text   string
}

func read(t *testing.T, src io.Reader, opt Options) []line {
	t.Helper()
	var got []line
	for rec, err := range NewReader(src, opt).Records() {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Line != len(got)+1 {
			t.Errorf("line %d after %d records", rec.Line, len(got))
		}
		got = append(got, line{rec.Kind, rec.Code, rec.Offset, rec.Length, string(rec.Text)})
	}
	return got
}

func TestFraming(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []line
	}{
		{"nothing", "", nil},
		{"one line", "{}\n", []line{{Item, "", 0, 3, "{}"}}},
		{"last line without line feed", "{}\n[", []line{{Item, "", 0, 3, "{}"}, {Loss, IncompleteFinalLine, 3, 1, "["}}},
		{"complete last line without line feed", "{}", []line{{Item, "", 0, 2, "{}"}}},
		{"cut line with line feed", "{\n{}\n", []line{{Loss, InvalidJSON, 0, 2, "{"}, {Item, "", 2, 3, "{}"}}},
		{"blank lines", "\n \t\r\n\f\n", []line{{Blank, "", 0, 1, ""}, {Blank, "", 1, 4, " \t\r"}, {Blank, "", 5, 2, "\f"}}},
		{"vertical tab is not blank", "\v\n", []line{{Loss, InvalidJSON, 0, 2, "\v"}}},
		{"CRLF", "{}\r\n{}\r\n", []line{{Item, "", 0, 4, "{}\r"}, {Item, "", 4, 4, "{}\r"}}},
		{"CR alone ends nothing", "{}\r{}\n", []line{{Loss, InvalidJSON, 0, 6, "{}\r{}"}}},
		{"line separators inside a string", "{\"a\":\"\u2028\u2029\u0085\"}\n", []line{{Item, "", 0, 17, "{\"a\":\"\u2028\u2029\u0085\"}"}}},
		{"BOM", "\ufeff{}\n{}\n", []line{{Loss, InvalidJSON, 0, 6, "\ufeff{}"}, {Item, "", 6, 3, "{}"}}},
		{"NUL", "\x00\n{}\n", []line{{Loss, InvalidJSON, 0, 2, "\x00"}, {Item, "", 2, 3, "{}"}}},
		{"bad UTF-8", "{\"a\":\"\xe6\x87\"}\n{}\n", []line{{Loss, InvalidUTF8, 0, 11, "{\"a\":\"\xe6\x87\"}"}, {Item, "", 11, 3, "{}"}}},
		{"final line cut inside a character", "{\"a\":\"\xe6", []line{{Loss, InvalidUTF8, 0, 7, "{\"a\":\"\xe6"}}},
		{"not objects", "null\n[]\n1\n", []line{{Loss, InvalidRecord, 0, 5, "null"}, {Loss, InvalidRecord, 5, 3, "[]"}, {Loss, InvalidRecord, 8, 2, "1"}}},
	} {
		for how, wrap := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytewise": iotest.OneByteReader, "data with EOF": iotest.DataErrReader,
		} {
			got := read(t, wrap(strings.NewReader(c.in)), Options{})
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%s, %s:\n got %v\nwant %v", c.name, how, got, c.want)
			}
		}
	}
}

func TestLineLimit(t *testing.T) {
	long := `{"a":"` + strings.Repeat("x", 2*bufferSize) + `"}`
	in := "{}\n" + long + "\n{}\n" + long
	n := int64(len(long))
	want := []line{{Item, "", 0, 3, "{}"}, {Item, "", 3, n + 1, long}, {Item, "", n + 4, 3, "{}"}, {Item, "", n + 7, n, long}}
	if got := read(t, strings.NewReader(in), Options{Limits: Limits{Line: len(long) + 1}}); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Error("a line of exactly the limit is read")
	}
	// The limit counts the line feed, so the last line still fits.
	want[1] = line{Loss, LineLimit, 3, n + 1, ""}
	if got := read(t, strings.NewReader(in), Options{Limits: Limits{Line: len(long)}}); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Error("a line one byte longer is a loss, and what follows is read")
	}
	want[3] = line{Loss, LineLimit, n + 7, n, ""}
	if got := read(t, strings.NewReader(in), Options{Limits: Limits{Line: 10}}); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Error("a limit below the buffer's size holds too")
	}
}

// A line of 100 MB over the limit costs the buffer and the limit, no more.
func TestLongLineIsDrained(t *testing.T) {
	const size = 100 << 20
	src := io.MultiReader(strings.NewReader(`{"a":"`), io.LimitReader(repeat('x'), size), strings.NewReader("\"}\n{}\n"))
	r := NewReader(src, Options{})
	rec, err := r.Next()
	if err != nil || rec.Code != LineLimit || rec.Length != size+9 {
		t.Fatalf("got %v %s of %d bytes", err, rec.Code, rec.Length)
	}
	if rec, err = r.Next(); err != nil || rec.Kind != Item {
		t.Fatalf("after the long line: %v %v", rec.Kind, err)
	}
	if cap(r.long) > 4*DefaultLine {
		t.Errorf("holds %d bytes for a limit of %d", cap(r.long), DefaultLine)
	}
}

type repeat byte

func (b repeat) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(b)
	}
	return len(p), nil
}

func TestFileLimit(t *testing.T) {
	in := "{}\n{}\n"
	if got := read(t, strings.NewReader(in), Options{Limits: Limits{File: 6}}); len(got) != 2 {
		t.Errorf("a file of exactly the limit: %d records", len(got))
	}
	var last error
	for _, err := range NewReader(strings.NewReader(in), Options{Limits: Limits{File: 5}}).Records() {
		last = err
	}
	if !errors.Is(last, ErrFileTooLarge) {
		t.Errorf("one byte more: %v", last)
	}
}

// A line that the caller knows is not validated again, and has the envelope that
// a scan gives.
func TestKnownLines(t *testing.T) {
	in := `{"timestamp":"T","ordinal":7,"type":"event_msg","payload":{"type":"x","n":{"type":"no"}}}` + "\n" +
		`{"timestamp":"T","type":"turn_context","payload":{"type":"x"}}` + "\n" + `{"type":"x","payload":{}}` + "\n"
	var usual []bool
	var want []string
	for rec, err := range NewReader(strings.NewReader(in), Options{}).Records() {
		if err != nil {
			t.Fatal(err)
		}
		usual, want = append(usual, rec.Envelope.Usual(rec.Text)), append(want, show(rec.Envelope))
	}
	if fmt.Sprint(usual) != "[true false false]" {
		t.Errorf("usual: %v", usual)
	}
	known := func(rec *Record) bool { return usual[rec.Line-1] }
	for rec, err := range NewReader(strings.NewReader(in), Options{Known: known}).Records() {
		if err != nil || show(rec.Envelope) != want[rec.Line-1] {
			t.Errorf("line %d: %s, want %s; %v", rec.Line, show(rec.Envelope), want[rec.Line-1], err)
		}
	}
}

func TestReadError(t *testing.T) {
	broken := errors.New("device gone")
	src := io.MultiReader(strings.NewReader("{}\n{\"a\""), iotest.ErrReader(broken))
	var n int
	var last error
	for _, err := range NewReader(src, Options{}).Records() {
		n, last = n+1, err
	}
	if n != 2 || !errors.Is(last, broken) || !strings.Contains(last.Error(), "line 2") {
		t.Errorf("%d records, last error %v", n, last)
	}
}

func compress(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<10), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	w.Write(text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readCompressed(t *testing.T, data []byte, name string) []line {
	t.Helper()
	s, err := Decompress(bytes.NewReader(data), name)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return read(t, s, Options{})
}

func TestDecompress(t *testing.T) {
	text := []byte(strings.Repeat("{\"type\":\"x\"}\n", 500))
	want := read(t, bytes.NewReader(text), Options{})
	packed := compress(t, text)
	for _, c := range []struct {
		name string
		data []byte
	}{
		{"a.jsonl", text}, {"a.jsonl.zst", packed}, {"a.jsonl", packed}, {"a.jsonl.zst", text},
		{"a.jsonl.zst", append(bytes.Clone(packed[:0:0]), append(compress(t, text[:13*100]), compress(t, text[13*100:])...)...)},
	} {
		if got := readCompressed(t, c.data, c.name); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s of %d bytes: %d records, want %d", c.name, len(c.data), len(got), len(want))
		}
	}
	got := readCompressed(t, []byte("garbage"), "a.jsonl.zst")
	if len(got) != 1 || got[0].code != DamagedCompression {
		t.Errorf("a name that lies: %v", got)
	}
	if got := readCompressed(t, nil, "a.jsonl.zst"); len(got) != 0 {
		t.Errorf("an empty file: %v", got)
	}
}

// Every prefix of a compressed rollout gives a prefix of its lines and then
// one loss with its place.
func TestTruncatedCompression(t *testing.T) {
	var text bytes.Buffer
	for i := range 300 {
		fmt.Fprintf(&text, "{\"type\":\"x\",\"n\":%d,\"h\":\"%x\"}\n", i, i*i*7919)
	}
	want := read(t, bytes.NewReader(text.Bytes()), Options{})
	packed := compress(t, text.Bytes())
	most := 0
	for n := range packed {
		got := readCompressed(t, packed[:n], "a.zst")
		if n == 0 {
			continue
		}
		if len(got) == 0 || got[len(got)-1].code != DamagedCompression {
			t.Fatalf("prefix of %d bytes: no loss at the end: %v", n, got)
		}
		for i, l := range got[:len(got)-1] {
			if l != want[i] {
				t.Fatalf("prefix of %d bytes: line %d differs", n, i+1)
			}
		}
		most = max(most, len(got))
	}
	if most < 100 {
		t.Errorf("at most %d lines were had from a cut stream of several blocks", most)
	}
}

// Every prefix of a plain rollout is read, and its bytes are accounted for (R1).
func TestTruncationSweep(t *testing.T) {
	text := "{\"timestamp\":\"2026-09-24T12:00:00Z\",\"type\":\"session_meta\",\"payload\":{\"id\":\"\\ud83d\\ude00é\",\"n\":[1.5e3,null]}}\n \n{\"x\":1}\n"
	for n := range len(text) + 1 {
		var sum int64
		got := read(t, strings.NewReader(text[:n]), Options{})
		for _, l := range got {
			sum += l.length
		}
		if sum != int64(n) {
			t.Errorf("prefix of %d bytes: %d accounted for", n, sum)
		}
	}
}

// FuzzReader checks framing against splitting at line feeds, whatever the
// limits and however the bytes arrive.
func FuzzReader(f *testing.F) {
	f.Add([]byte("{}\n\n[1\n\xff\nxxxxxxxxxxxxxxxxxxxxxx\n{"), 20, true)
	f.Add([]byte("{\"type\":1}\r\n"), 1, false)
	f.Fuzz(func(t *testing.T, data []byte, limit int, bytewise bool) {
		if limit < 1 {
			return
		}
		var src io.Reader = bytes.NewReader(data)
		if bytewise {
			src = iotest.OneByteReader(src)
		}
		var all []byte
		for rec, err := range NewReader(src, Options{Limits: Limits{Line: limit}}).Records() {
			if err != nil {
				t.Fatal(err)
			}
			whole := data[rec.Offset : rec.Offset+rec.Length]
			if rec.Offset != int64(len(all)) {
				t.Fatalf("line %d at %d, want %d", rec.Line, rec.Offset, len(all))
			}
			if over := len(whole) > limit; over != (rec.Code == LineLimit) {
				t.Fatalf("line %d of %d bytes, limit %d: %s", rec.Line, len(whole), limit, rec.Code)
			}
			if text := bytes.TrimSuffix(whole, []byte("\n")); rec.Text != nil && !bytes.Equal(rec.Text, text) {
				t.Fatalf("line %d is %q, want %q", rec.Line, rec.Text, text)
			}
			if bytes.IndexByte(whole[:len(whole)-1], '\n') >= 0 {
				t.Fatalf("line %d holds a line feed", rec.Line)
			}
			if (rec.Kind == Loss) != (rec.Code != "") {
				t.Fatalf("line %d: kind %d, code %q", rec.Line, rec.Kind, rec.Code)
			}
			all = append(all, whole...)
		}
		if !bytes.Equal(all, data) {
			t.Fatalf("%d of %d bytes accounted for (R1)", len(all), len(data))
		}
	})
}
