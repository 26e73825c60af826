package document

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"rollbook/internal/diag"
)

// seeds are lines of every shape.
var seeds = []string{
	"", "\n", "x\n", "\ufeff" + say("a") + "\r\n", say("a") + "\n\n" + say("b"),
	`{"session_id":"h","ts":"1767323045","text":"a"}` + "\n" + `{"session_id":"h","ts":1,"text":null}`,
	`{"thread_id":"e","seq":0,"kind":"thread","project":"/p","created":"2026-03-01"}` + "\n" + `{"thread_id":"e","seq":1,"kind":"user","timestamp":null,"origin":"recorded","text":"c"}`,
	`{"sequence":1,"role":"user","kind":"text","text":"f","timestamp":null,"source":{"session_id":"e"},"provenance":"extracted"}`,
	`{"type":"usage","thread_id":"n",` + at + `,"response_id":"r","usage":{"input":1,"output":2,"total":3}}`,
	line(0, "session_meta", `{"id":"r"}`) + "\n" + line(1, "response_item", item("user", "hi")) + "\n" + line(2, "event_msg", `{"type":"user_message","message":"hi"}`),
	line(1, "turn_context", `{"turn_id":"t"}`) + "\n" + line(2, "token_usage_record", `{"response_id":"x","turn_id":"t","usage":{"input_tokens":5,"output_tokens":3,"total_tokens":8}}`),
	`{"role":"user","text":"` + "\xff" + `\ud800"}`,
}

// fuzzLimit is the longest line that the fuzz targets keep.
const fuzzLimit = 400

// FuzzLines accounts for every line: read once, in order, blank or counted; and
// gone on with behind its first line, a file gives the same (D1, D2, D9).
func FuzzLines(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text := string(data)
		whole := read("a.jsonl", text, Options{Line: fuzzLimit})
		if whole.err != nil {
			t.Fatal(whole.err)
		}
		if whole.teed != text {
			t.Errorf("%d of %d bytes to Tee", len(whole.teed), len(text))
		}
		var lines int64
		for i, s := range strings.SplitAfter(text, "\n") {
			trimmed := strings.TrimSuffix(s, "\n")
			if i == 0 {
				trimmed = strings.TrimPrefix(trimmed, byteOrderMark)
			}
			if len(s) > fuzzLimit || !blank([]byte(trimmed)) {
				lines++
			}
		}
		c := whole.counts
		if c.Lines != lines {
			t.Errorf("%d lines, want %d", c.Lines, lines)
		}
		lost := c.InvalidJSON + c.UnknownEvents + c.InvalidTimestamps + c.Empty + c.Oversized + c.InvalidUsage
		if n := int64(len(whole.entries)); n+lost > lines || whole.place != nil && n+lost != lines {
			t.Errorf("%d entries and %d lost of %d lines", n, lost, lines)
		}
		end := strings.IndexByte(text, '\n') + 1
		first := read("a.jsonl", text[:end], Options{Line: fuzzLimit})
		if whole.place == nil || first.place == nil {
			return
		}
		second := read("a.jsonl", text, Options{Line: fuzzLimit, From: first.place})
		check(t, "entry", append(first.entries, second.entries...), whole.entries)
		if second.counts != whole.counts {
			t.Errorf("gone on: counted %+v, want %+v", second.counts, whole.counts)
		}
	})
}

// FuzzDocument holds the outline to another reader of JSON: the same documents
// are valid, with the same items at the same places (D4).
func FuzzDocument(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte("[" + strings.ReplaceAll(s, "\n", ",") + "]"))
		f.Add([]byte(`{"messages":[` + s + `]}`))
	}
	for _, s := range []string{"[1,-2.5e+3,true,false,null,\"\\u00e9\"]", `{"messages":1,"m\u0065ssages":[{}]}`, "\ufeff[ ]", "[[[]]]", `[{"a":{"b":0}},[1]]`, "12", `"x"`, "[01]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text := bytes.TrimPrefix(data, []byte(byteOrderMark))
		v := jsontext.Value(text)
		options := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
		valid := v.IsValid(options...)
		var got []string
		var at []int64
		w := walker{limit: fuzzLimit}
		list := false
		w.list = func(int64) { list, got, at = true, nil, nil }
		w.item = func(text []byte, offset int64, over bool) (bool, error) {
			if over {
				text = nil
			}
			got, at = append(got, string(text)), append(at, offset)
			return true, nil
		}
		err := w.read(bytes.NewReader(data))
		if invalid := (*InvalidError)(nil); err != nil && !errors.As(err, &invalid) {
			t.Fatal(err)
		}
		if (err == nil) != valid {
			t.Fatalf("%q: %v, but valid is %v", data, err, valid)
		}
		if valid && v.Kind() == '[' {
			if !list {
				t.Fatalf("%q: no list", data)
			}
			check(t, "item", got, elements(t, text, options))
			for i, offset := range at {
				if !bytes.HasPrefix(data[offset:], []byte(got[i])) {
					t.Errorf("item %d is not at %d", i+1, offset)
				}
			}
		}
		res := read("a.json", string(data), Options{Line: fuzzLimit})
		if res.err != nil && len(res.entries) > 0 {
			t.Errorf("%d entries, then %v", len(res.entries), res.err)
		}
		if res.err == nil && (res.counts.Lines < int64(len(res.entries)) || res.teed != string(data)) {
			t.Errorf("%d lines, %d entries, %d bytes to Tee", res.counts.Lines, len(res.entries), len(res.teed))
		}
	})
}

// elements gives the elements of an array by another reader; one over the limit
// is empty.
func elements(t *testing.T, text []byte, options []jsontext.Options) (all []string) {
	d := jsontext.NewDecoder(bytes.NewReader(text), options...)
	if _, err := d.ReadToken(); err != nil {
		t.Fatal(err)
	}
	for d.PeekKind() != ']' {
		v, err := d.ReadValue()
		if err != nil {
			t.Fatal(err)
		}
		if len(v) > fuzzLimit {
			v = nil
		}
		all = append(all, string(v))
	}
	return all
}

// FuzzPlace refuses what is no place and reads no other bytes than its own.
func FuzzPlace(f *testing.F) {
	b, err := read("a.jsonl", say("a")+"\n", Options{}).place.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"Offset":-1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := DecodePlace(data)
		if err != nil {
			return
		}
		r, err := Read(opener(say("a")+"\n"), Options{Name: "a.jsonl", From: p, Report: func(diag.Diagnostic, int) {}})
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range r.Entries {
			if err != nil && err != io.EOF {
				return
			}
		}
	})
}
