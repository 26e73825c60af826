package interchange

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"rollbook/internal/diag"
	"rollbook/internal/transcript"
)

// account holds the lines of data to what was read and found: each is a record,
// blank or lost (L4).
func account(t *testing.T, data []byte, records []diag.Position, found findings) {
	t.Helper()
	if len(data) == 0 && len(records)+len(found) == 0 {
		return
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	if len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	seen := make([]int, len(lines)+1)
	for _, p := range records {
		seen[p.Line]++
	}
	for _, d := range found {
		if Lost(d.Code) {
			seen[d.Line]++
		}
	}
	offset := 0
	for i, line := range lines {
		want := 1
		if len(line) <= maxFuzzLine && blank(trimMark(bytes.TrimSuffix(line, []byte("\n")), i+1)) {
			want = 0
		}
		if seen[i+1] != want {
			t.Errorf("line %d %.80q: taken %d times, want %d", i+1, line, seen[i+1], want)
		}
		for _, p := range records {
			if p.Line == i+1 && p.Offset != int64(offset) {
				t.Errorf("line %d: offset %d, want %d", i+1, p.Offset, offset)
			}
		}
		offset += len(line)
	}
	for _, d := range found {
		if d.Code == InvalidJSON && jsontext.Value(trimMark(lines[d.Line-1], d.Line)).IsValid() {
			t.Errorf("line %d is JSON: %q", d.Line, lines[d.Line-1])
		}
	}
}

func trimMark(line []byte, n int) []byte {
	if n == 1 {
		return bytes.TrimPrefix(line, []byte(byteOrderMark))
	}
	return line
}

// maxFuzzLine is short, so that fuzzing finds the limit.
const maxFuzzLine = 1000

var fuzzOptions = Options{File: "f", Limits: Limits{Line: maxFuzzLine}}

func FuzzReadEvents(f *testing.F) {
	sample := writeEvents(f, sampleThread(sampleEvents()), emptyThread())
	f.Add([]byte(sample))
	for line := range strings.Lines(sample) {
		f.Add([]byte(line))
	}
	f.Add([]byte("\ufeff\n\r\n[]\nnull\n{}\n" + evHead + `"user","text":"\ud800"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var places []diag.Position
		list, found := readEvents(t, bytes.NewReader(data), fuzzOptions)
		for _, l := range list {
			places = append(places, l.Position)
		}
		account(t, data, places, found)
		for _, l := range list {
			sameAgain(t, l)
		}
		Detect(data)
	})
}

// sameAgain writes what a line says and reads it back equal (L3).
func sameAgain(t *testing.T, l eventLine) {
	t.Helper()
	th := &transcript.Thread{Meta: transcript.Meta{ID: l.ThreadID}, View: transcript.Physical, Events: eventsOf(nil)}
	if l.Thread != nil {
		*th = *l.Thread
		th.Events = eventsOf(nil)
	} else {
		// keys that the kind does not have are read, and not written
		ev := *l.Event
		bare := transcript.Event{
			Seq: ev.Seq, Kind: ev.Kind, Time: ev.Time, TurnID: ev.TurnID, Origin: ev.Origin, Inherited: ev.Inherited,
			RolledBack: ev.RolledBack, Source: ev.Source, ItemID: ev.ItemID, Model: ev.Model, Changes: ev.Changes,
		}
		if hasText(ev.Kind) {
			bare.Text, bare.Phase = ev.Text, ev.Phase
		}
		switch ev.Kind {
		case transcript.TurnEnd, transcript.Notice:
			bare.Status = ev.Status
		case transcript.User, transcript.Assistant:
			bare.Images = ev.Images
		case transcript.Context:
			bare.Images, bare.Role = ev.Images, ev.Role
		case transcript.ToolCall:
			bare.Tool, bare.Namespace, bare.CallID, bare.Arguments = ev.Tool, ev.Namespace, ev.CallID, ev.Arguments
		case transcript.ToolResult:
			bare.CallID, bare.Output, bare.IsError, bare.ExitCode, bare.Duration, bare.Images = ev.CallID, ev.Output, ev.IsError, ev.ExitCode, ev.Duration, ev.Images
		case transcript.Usage:
			bare.Usage = ev.Usage
		}
		th.Events = eventsOf([]transcript.Event{bare})
		l.Event = &bare
	}
	again, found := readEvents(t, strings.NewReader(writeEvents(t, th)), Options{})
	if len(found) > 0 {
		t.Fatalf("%v", found)
	}
	got := again[len(again)-1]
	if diff := cmp.Diff(l.Thread, got.Thread); diff != "" && l.Thread != nil {
		t.Errorf("thread (-read +again):\n%s", diff)
	}
	if diff := cmp.Diff(l.Event, got.Event); diff != "" && l.Event != nil {
		t.Errorf("event (-read +again):\n%s", diff)
	}
}

func FuzzReadNormalized(f *testing.F) {
	sample := writeNormalized(f, NormalizedOptions{All: true}, sampleThread(sampleEvents()))
	f.Add([]byte(sample))
	for line := range strings.Lines(sample) {
		f.Add([]byte(line))
	}
	f.Add([]byte(nHead + `"user","content":[{"type":"text","text":"a"},{"type":"image","url":"x"},7,{"text":"b"}]}`))
	f.Add([]byte(nHead + `"tool","tool":"x","text":{"a":"\ud800"}}`))
	f.Add([]byte(`{"type":"usage","response_id":"r","ts":"1767268800","usage":{"input_tokens":1,"output":2,"total":3}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var places []diag.Position
		list, found := readNormalized(t, bytes.NewReader(data), fuzzOptions)
		for _, rec := range list {
			places = append(places, rec.Position)
			ev := rec.Event
			if ev.Kind != transcript.Usage && ev.Text == "" && ev.Tool == "" && ev.Arguments == "" {
				t.Errorf("line %d says nothing", rec.Position.Line)
			}
			if !ev.Time.IsZero() && (ev.Time.Year() < 1970 || ev.Time.Year() > 2100) {
				t.Errorf("line %d: time %v", rec.Position.Line, ev.Time)
			}
		}
		account(t, data, places, found)
		Detect(data)
	})
}
