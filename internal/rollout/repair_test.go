package rollout

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRepair(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []line
	}{
		{"what is well is left alone", "{\"a\":\"\\ud83d\\ude00\ufeff\ufffd\"}\n", []line{{Item, "", 0, 27, "{\"a\":\"\\ud83d\\ude00\ufeff\ufffd\"}"}}},
		{"byte order mark", "\ufeff{}\n{}\n\ufeff{}", []line{{Item, RepairedText, 0, 6, "{}"}, {Item, "", 6, 3, "{}"}, {Item, RepairedText, 9, 5, "{}"}}},
		{"bad UTF-8", "{\"a\":\"x\xe6\x87y\xff\"}\n", []line{{Item, RepairedText, 0, 14, "{\"a\":\"x\ufffdy\ufffd\"}"}}},
		{"bad UTF-8 outside of strings", "{\xff}\n", []line{{Loss, InvalidUTF8, 0, 4, "{\xff}"}}},
		{"no object then either", "\"\xff\"\n\ufeff[]\n", []line{{Loss, InvalidUTF8, 0, 4, "\"\xff\""}, {Loss, InvalidJSON, 4, 6, "\ufeff[]"}}},
		{"cut within a character", "{\"a\":\"\xe6", []line{{Loss, IncompleteFinalLine, 0, 7, "{\"a\":\"\xe6"}}},
		{"cut within a character, and ended", "{\"a\":\"\xe6\n", []line{{Loss, InvalidUTF8, 0, 8, "{\"a\":\"\xe6"}}},
		{"halves of pairs", `{"\udc00":"\ud83d","b":"\ud83d\ud83d\ude00\\ud83d\ud83dx"}`, []line{{Item, RepairedEscape, 0, 58, `{"\ufffd":"\ufffd","b":"\ufffd\ud83d\ude00\\ud83d\ufffdx"}`}}},
		{"all at once", "\ufeff{\"a\":\"\\ud83d\xff\"}", []line{{Item, RepairedText, 0, 18, "{\"a\":\"\\ufffd\ufffd\"}"}}},
		{"a mark alone", "\ufeff\n", []line{{Loss, InvalidJSON, 0, 4, "\ufeff"}}},
	} {
		if got := read(t, strings.NewReader(c.in), Options{Repair: true}); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s:\n got %v\nwant %v", c.name, got, c.want)
		}
	}
}

// FuzzRepair: a line that can be read is read as it stands; one that was repaired
// can be read, and says so; without Repair it is a loss.
func FuzzRepair(f *testing.F) {
	for _, s := range []string{`{"a":"\ud83d\ude00"}`, "\ufeff{}", "{\"a\":\"\xff\"}", `{"a":"\ud83d"}`, "\"\xff", `{"\ud83d\u12":1}`, "{\"a\":\"\\ud83d\\"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		in = bytes.ReplaceAll(in, []byte("\n"), nil)
		strict, err := NewReader(bytes.NewReader(in), Options{}).Next()
		if err != nil {
			return
		}
		r := NewReader(bytes.NewReader(in), Options{Repair: true})
		defer r.Close()
		rec, err := r.Next()
		if err != nil || rec.Length != strict.Length {
			t.Fatalf("%v, %+v", err, rec)
		}
		var env Envelope
		switch {
		case rec.Repaired:
			if strict.Kind != Loss || rec.Kind != Item || rec.Message == "" || rec.Code == "" || Scan(rec.Text, &env) != NoFault || !env.Object || !utf8.Valid(rec.Text) {
				t.Fatalf("%q was repaired to %q: %+v", in, rec.Text, rec)
			}
		case rec.Kind != strict.Kind || !bytes.Equal(rec.Text, strict.Text):
			t.Fatalf("%q is read as %q", in, rec.Text)
		}
	})
}

// A reader whose buffer went to another one gives nothing more.
func TestClose(t *testing.T) {
	r := NewReader(strings.NewReader("{}\n{}\n"), Options{})
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	r.Close()
	for rec, err := range r.Records() {
		t.Errorf("%+v, %v", rec, err)
	}
}

// A reader that begins within a file counts on.
func TestReadOn(t *testing.T) {
	r := NewReader(strings.NewReader("{}\n[\n"), Options{Line: 7, Offset: 100})
	defer r.Close()
	rec, err := r.Next()
	if err != nil || rec.Line != 8 || rec.Offset != 100 {
		t.Errorf("line %d, byte %d, %v", rec.Line, rec.Offset, err)
	}
	if rec, err = r.Next(); err != nil || rec.Line != 9 || rec.Offset != 103 || r.Offset() != 105 {
		t.Errorf("line %d, byte %d, then %d, %v", rec.Line, rec.Offset, r.Offset(), err)
	}
}
