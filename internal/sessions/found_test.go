package sessions

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"rollbook/internal/diag"
	"rollbook/internal/inspect"
)

// at is a diagnostic.
func at(code diag.Code, line, block int) inspect.Diagnostic {
	return inspect.Diagnostic{Place: inspect.Place{Line: line}, Block: block, Code: code}
}

// TestEveryCode: the byte of an entry has room for all codes.
func TestEveryCode(t *testing.T) {
	if n := len(codes) * forms; n > 256 {
		t.Fatalf("%d codes in %d forms", len(codes), forms)
	}
	var in []inspect.Diagnostic
	for line, code := range codes {
		in = append(in, at(code, 0, 0), at(code, line+1, 0), at(code, line+1, 1), at(code, line+1, 2), at(code, line+1, 9))
	}
	roundTrip(t, in)
}

type fataler interface{ Fatalf(string, ...any) }

func roundTrip(t fataler, in []inspect.Diagnostic) found {
	var r recorder
	r.reset(1 << 30)
	for i := range in {
		if r.Diagnostic(&in[i]) != nil || r.over {
			t.Fatalf("%v was not taken", in[i])
		}
	}
	f := r.take()
	if got := slices.Collect(f.all()); !slices.Equal(got, in) {
		t.Fatalf("%d in, %d out", len(in), len(got))
	}
	if f.size() != 1<<30-r.room {
		t.Fatalf("%d bytes, but %d room was used", f.size(), 1<<30-r.room)
	}
	return f
}

func TestFoundRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var in []inspect.Diagnostic
		line := 0
		for range rapid.IntRange(0, 60).Draw(t, "n") {
			d := at(rapid.SampledFrom(codes).Draw(t, "code"), 0, 0)
			if rapid.IntRange(0, 9).Draw(t, "whole") > 0 {
				line += rapid.OneOf(rapid.IntRange(0, 7), rapid.IntRange(0, 1<<26)).Draw(t, "on")
				d.Line = max(line, 1)
				d.Block = rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 1<<20)).Draw(t, "block")
			}
			in = append(in, d)
		}
		roundTrip(t, in)
	})
}

// TestFoundInParts: entries of all lengths at the borders of parts, and a
// recorder that is used again.
func TestFoundInParts(t *testing.T) {
	var in []inspect.Diagnostic
	for line := 1; len(in) < partSize*3/4; line += len(in) % 700 {
		in = append(in, at(codes[len(in)%len(codes)], line, len(in)%3))
	}
	if f := roundTrip(t, in); len(f.parts) < 3 {
		t.Errorf("%d parts", len(f.parts))
	}
	var r recorder
	var kept []found
	for range 2 {
		r.reset(1 << 30)
		for i := range in {
			r.Diagnostic(&in[i])
		}
		kept = append(kept, r.take())
	}
	for i, f := range kept {
		if !slices.Equal(slices.Collect(f.all()), in) {
			t.Errorf("recording %d is not what it was", i)
		}
	}
	for range kept[0].all() {
		break
	}
}

// TestFoundIsSmall: no text gives entries of more than half its bytes, whatever
// is in it, so that all files together fit maxDiagnosticBytes.
func TestFoundIsSmall(t *testing.T) {
	header := log("a", project)
	for _, tt := range []struct{ name, text string }{
		{"numbers", strings.Repeat("1\n", 40_000)},
		{"three kinds", strings.Repeat("1\nx\n\xff\n", 14_000)},
		{"after a blank line", strings.Repeat("\nx\n", 26_000)},
		{"after two", strings.Repeat("\n\nx\n", 20_000)},
		{"after three", strings.Repeat("\n\n\n1\n", 16_000)},
		{"after four", strings.Repeat("\n\n\n\nx\n", 14_000)},
		{"after five", strings.Repeat("\n\n\n\n\nx\n", 12_000)},
		{"after 200", strings.Repeat(strings.Repeat("\n", 200)+"x\n", 1000)},
		{"blocks", row("response_item", `{"type":"message","role":"user","content":[`+strings.Repeat("1,", 40_000)+`1]}`)},
		{"blocks apart", row("response_item", `{"type":"message","role":"user","content":[`+strings.Repeat(`1,{"type":"input_text","text":""},`, 2_000)+`1]}`)},
		{"empty records", strings.Repeat(`{"type":"","payload":{}}`+"\n", 3_000)},
		{"wrong members", strings.Repeat(`{"type":"","payload":{"id":1,"call_id":1,"name":1,"phase":1,"cwd":1,"namespace":1,"cli_version":1,"turn_id":1},"x":1}`+"\n", 1000)},
	} {
		text := header + tt.text
		r := list(t, options(files{"a.jsonl": text}.write(t)))
		if len(r.Sessions) != 1 {
			t.Fatalf("%s: %q", tt.name, diagnosed(t, r))
		}
		if size := r.Sessions[0].found.size(); size > len(text)/2 {
			t.Errorf("%s: %d bytes for %d of text", tt.name, size, len(text))
		}
	}
}

// TestRoom: a file whose diagnostics do not fit is not listed with some of them.
func TestRoom(t *testing.T) {
	var r recorder
	r.reset(2)
	for line := range 4 {
		d := at(inspect.InvalidJSON, line+1, 0)
		r.Diagnostic(&d)
		if r.over != (line >= 2) {
			t.Errorf("line %d: over %t", line+1, r.over)
		}
	}

	mine := &inspect.Report{State: inspect.Read, SessionIDs: []string{"a"}, ProjectPaths: []string{project}}
	other := &inspect.Report{State: inspect.Read, SessionIDs: []string{"a"}, ProjectPaths: []string{project + "/x"}}
	for _, tt := range []struct {
		name string
		w    walk
		rep  *inspect.Report
		want []string
	}{
		{"diagnostics", walk{found: recorder{over: true}}, mine, []string{"a.jsonl file_unreadable"}},
		{"text", walk{kept: kept{text: maxTextBytes - 20}}, mine, []string{"a.jsonl file_unreadable"}},
		{"of another project", walk{found: recorder{over: true}, kept: kept{text: maxTextBytes}}, other, nil},
		{"room", walk{}, mine, nil},
	} {
		tt.w.report = &Report{Root: volume + "/root", Project: project}
		tt.w.classify("a.jsonl", tt.rep)
		if got := diagnosed(t, tt.w.report); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q", tt.name, got)
		}
		if n := len(tt.w.report.Sessions); n == 1 != (tt.name == "room") {
			t.Errorf("%s: %d listed", tt.name, n)
		}
	}
}
