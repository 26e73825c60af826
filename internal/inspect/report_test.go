package inspect

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rollbook/internal/fsx"
)

var update = flag.Bool("update", false, "write the golden files")

// The rows R1 to R18 of spec/inspect.md 5.1 and 6. R15 is a script of the
// command line; R17 and R18 are in open_test.go.

// inspectFile reads a fixture by its name and checks that it is left as it was.
func inspectFile(t *testing.T, name string) (*jsonReport, *reading) {
	t.Helper()
	path := filepath.Join("testdata", name)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	text := must(os.ReadFile(path))
	src, err := Open(fsx.OS, path, DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	got, err := read(src)
	if err != nil {
		t.Fatal(err)
	}
	after := must(os.Stat(path))
	if !before.ModTime().Equal(after.ModTime()) || !bytes.Equal(text, must(os.ReadFile(path))) {
		t.Errorf("%s was changed", path)
	}
	return checkReading(t, got, string(text)), got
}

// golden compares with a file in testdata, byte for byte.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(string(must(os.ReadFile(path))), string(got)); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
}

func TestR1Basic(t *testing.T) {
	rep, got := inspectFile(t, "basic.jsonl")
	if rep.State != "read" || rep.Lines != 7 || len(rep.Records) != 7 || len(rep.Events) != 5 {
		t.Fatalf("state %s, %d lines, %d records, %d events", rep.State, rep.Lines, len(rep.Records), len(rep.Events))
	}
	ev := rep.Events
	if s := ev[0].Source; s.Line != 3 || s.Block == nil || *s.Block != 1 || show(s.SessionID) != `"synthetic-session"` || show(s.TurnID) != `"synthetic-turn"` {
		t.Errorf("event 1 stands at %+v", s)
	}
	if show(ev[2].ToolID) != `"call-1"` || show(ev[2].ToolNamespace) != `"functions"` || ev[2].Source.Block != nil {
		t.Errorf("event 3 is %+v", ev[2])
	}
	if ev[3].Kind != "tool_result" || ev[3].Role != "tool" || ev[3].Text != "synthetic\n" {
		t.Errorf("event 4 is %+v", ev[3])
	}
	if ev[4].Sequence != 5 || ev[4].Provenance != "extracted" || show(ev[4].Phase) != `"final_answer"` {
		t.Errorf("event 5 is %+v", ev[4])
	}
	wantCodes(t, rep)
	golden(t, "basic.json", got.JSON)
	golden(t, "basic.ndjson", got.NDJSON)
}

func TestR2Losses(t *testing.T) {
	rep, got := inspectFile(t, "losses.jsonl")
	if rep.State != "partial" || len(rep.Records) != 7 || len(rep.Events) != 3 {
		t.Fatalf("state %s, %d records, %d events", rep.State, len(rep.Records), len(rep.Events))
	}
	if e := rep.Events[1]; e.Kind != "checkpoint" || e.Provenance != "checkpoint" || e.Role != "system" {
		t.Errorf("event 2 is %+v", e)
	}
	wantCodes(t, rep, "omitted_event_msg@3", "omitted_reasoning@4", "compaction@5", "omitted_fields@5", "omitted_block@6/2", "omitted_event_msg@7")
	for _, word := range []string{"NOT-REPLAYED", "synthetic-opaque", "synthetic-image"} {
		if bytes.Contains(got.JSON, []byte(word)) || bytes.Contains(got.NDJSON, []byte(word)) {
			t.Errorf("the report holds %s", word)
		}
	}
	golden(t, "losses.json", got.JSON)
	golden(t, "losses.ndjson", got.NDJSON)
}

func TestR3Empty(t *testing.T) {
	rep := inspectString(t, "")
	if rep.State != "empty" || rep.Lines != 0 {
		t.Errorf("state %s, %d lines", rep.State, rep.Lines)
	}
	got := readBytes(t, strings.NewReader(""), DefaultLimits)
	golden(t, "empty.json", got.JSON)
	golden(t, "empty.ndjson", got.NDJSON)
}

func TestR4Truncated(t *testing.T) {
	rep, _ := inspectFile(t, "truncated.jsonl")
	if rep.State != "partial" || rep.Lines != 8 || len(rep.Events) != 5 {
		t.Errorf("state %s, %d lines, %d events", rep.State, rep.Lines, len(rep.Events))
	}
	wantCodes(t, rep, "incomplete_final_line@8")
}

func TestR5UnreadableLines(t *testing.T) {
	rep := inspectString(t, lines(meta("s"), "invalid", "\xff", "null")+msg("after"))
	if len(rep.Events) != 1 || rep.Events[0].Source.Line != 5 || rep.Events[0].Source.SessionID != nil {
		t.Errorf("events %+v", rep.Events)
	}
	wantCodes(t, rep, "invalid_json@2", "invalid_utf8@3", "invalid_record@4", "missing_session_metadata@5")
}

func TestR6Limits(t *testing.T) {
	log := lines(meta("s"), msg(strings.Repeat("a", 1000)), msg("ok"))
	rep := inspectLimited(t, log, Limits{File: 5000, Line: 300})
	if len(rep.Events) != 1 || rep.Events[0].Source.Line != 3 || rep.Events[0].Source.SessionID != nil {
		t.Errorf("events %+v", rep.Events)
	}
	wantCodes(t, rep, "line_limit@2", "missing_session_metadata@3")
}

func TestR7Headers(t *testing.T) {
	rep := inspectString(t, lines(
		msg("1"),
		meta("a"),
		row("turn_context", `{"turn_id":"t"}`),
		msg("2"),
		row("turn_context", `null`),
		msg("3"),
		row("session_meta", `null`),
		msg("4"),
		meta("b"),
		msg("5"),
	))
	var got []string
	for _, e := range rep.Events {
		got = append(got, show(e.Source.SessionID)+" "+show(e.Source.TurnID))
	}
	want := []string{`null null`, `"a" "t"`, `null null`, `null null`, `"b" null`}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("sessions and turns (-want +got):\n%s", d)
	}
	wantCodes(t, rep, "missing_session_metadata@1", "invalid_record@5", "missing_session_metadata@6", "invalid_record@7",
		"missing_session_metadata@8", "repeated_session_metadata@9")
	if d := cmp.Diff([]string{"a", "b"}, rep.SessionIDs); d != "" {
		t.Errorf("session ids (-want +got):\n%s", d)
	}
}

func TestR8Unknown(t *testing.T) {
	log := lines(
		meta("s"),
		row("DROPPED_record", `{"DROPPED":1}`),
		row("response_item", `{"type":"DROPPED_item","x":"DROPPED"}`),
		said("DROPPED_role", "input_text", "DROPPED"),
		row("response_item", `{"type":"message","role":"user","extra":"DROPPED","content":[{"type":"input_text","text":"kept","more":"DROPPED"}]}`),
	)
	rep := inspectString(t, log)
	wantCodes(t, rep, "unknown_record@2", "omitted_item@3", "unknown_role@4", "omitted_fields@5", "omitted_fields@5/1")
	if d := cmp.Diff([]string{"kept"}, rep.texts()); d != "" {
		t.Errorf("texts (-want +got):\n%s", d)
	}
	got := readBytes(t, strings.NewReader(log), DefaultLimits)
	if n := bytes.Count(got.JSON, []byte("DROPPED")); n != 2 { // the types of records 2 and 3
		t.Errorf("the report holds %d dropped values, want the 2 types:\n%s", n, got.JSON)
	}
}

func TestR9CustomTool(t *testing.T) {
	rep := inspectString(t, lines(
		meta("s"),
		row("response_item", `{"type":"custom_tool_call","id":"i","call_id":"c","name":"apply_patch","input":"*** Begin Patch\n\"literal\""}`),
		row("response_item", `{"type":"custom_tool_call_output","call_id":"c","output":[{"type":"input_text","text":"one"},{"type":"input_image","image_url":"x"},{"type":"output_text","text":"two"}]}`),
	))
	if d := cmp.Diff([]string{"*** Begin Patch\n\"literal\"", "one", "two"}, rep.texts()); d != "" {
		t.Errorf("texts (-want +got):\n%s", d)
	}
	for i, e := range rep.Events {
		if show(e.ToolID) != `"c"` {
			t.Errorf("event %d has tool_id %s", i+1, show(e.ToolID))
		}
	}
	if show(rep.Events[0].Source.ID) != `"i"` || show(rep.Events[0].ToolName) != `"apply_patch"` {
		t.Errorf("call %+v", rep.Events[0])
	}
	if b := rep.Events[2].Source.Block; b == nil || *b != 3 {
		t.Errorf("third event has block %v", b)
	}
	wantCodes(t, rep, "omitted_block@3/2")
}

func TestR10Metadata(t *testing.T) {
	rep := inspectString(t, lines(
		meta("s"),
		`{"timestamp":"yesterday","type":"response_item","payload":{"type":"message","id":7,"role":"user","content":[{"type":"input_text","text":"a"}]}}`,
		row("response_item", `{"type":"function_call_output","output":"b"}`),
		row("response_item", `{"type":"function_call","arguments":"c"}`),
	))
	wantCodes(t, rep, "invalid_timestamp@2", "invalid_metadata@2", "missing_call_id@3", "invalid_tool_call@4")
	if d := cmp.Diff([]string{"a", "b"}, rep.texts()); d != "" {
		t.Errorf("texts (-want +got):\n%s", d)
	}
	if rep.Events[0].Timestamp != nil || show(rep.Events[1].Timestamp) != `"`+rowTime+`"` {
		t.Errorf("timestamps %s, %s", show(rep.Events[0].Timestamp), show(rep.Events[1].Timestamp))
	}
}

func TestR11SameText(t *testing.T) {
	rep := inspectString(t, lines(
		meta("s"),
		said("user", "input_text", "same"),
		said("assistant", "input_text", "same"),
		said("system", "input_text", "same"),
		said("developer", "input_text", "same"),
		row("response_item", `{"type":"message","role":"user","phase":"final_answer","content":[{"type":"output_text","text":"same"}]}`),
	))
	if rep.State != "read" || len(rep.Events) != 5 {
		t.Fatalf("state %s, %d events", rep.State, len(rep.Events))
	}
	var roles []string
	for _, e := range rep.Events {
		roles = append(roles, e.Role)
	}
	if d := cmp.Diff([]string{"user", "assistant", "system", "developer", "user"}, roles); d != "" {
		t.Errorf("roles (-want +got):\n%s", d)
	}
	if show(rep.Events[4].Phase) != `"final_answer"` || rep.Events[0].Phase != nil {
		t.Errorf("phases %s, %s", show(rep.Events[0].Phase), show(rep.Events[4].Phase))
	}
}

func TestR12EventMsgOnly(t *testing.T) {
	rep := inspectString(t, lines(meta("s"), row("event_msg", `{"type":"user_message","message":"hello"}`)))
	if rep.State != "partial" || len(rep.Events) != 0 || len(rep.Records) != 2 {
		t.Errorf("state %s, %d events, %d records", rep.State, len(rep.Events), len(rep.Records))
	}
	wantCodes(t, rep, "omitted_event_msg@2")
}

func TestR13Compaction(t *testing.T) {
	log := lines(
		meta("s"),
		row("compacted", `{"message":3}`),
		row("response_item", `{"type":"compaction","encrypted_content":"OPAQUE"}`),
		row("response_item", `{"type":"context_compaction","encrypted_content":"OPAQUE"}`),
		row("response_item", `{"type":"compaction_trigger","encrypted_content":"OPAQUE"}`),
		row("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":3}]}`),
		row("response_item", `{"type":"message","role":"user","content":[]}`),
	)
	rep := inspectString(t, log)
	wantCodes(t, rep, "compaction@2", "invalid_checkpoint@2", "compaction@3", "compaction@4", "compaction@5", "invalid_block@6/1", "invalid_content@7")
	if got := readBytes(t, strings.NewReader(log), DefaultLimits); bytes.Contains(got.JSON, []byte("OPAQUE")) {
		t.Error("the report holds OPAQUE")
	}
}

func TestR14BrokenBetween(t *testing.T) {
	rep := inspectString(t, lines(
		meta("before"),
		row("turn_context", `{"turn_id":"old"}`),
		msg("1"),
		"BROKEN",
		msg("2"),
		meta("after"),
		msg("3"),
	))
	var got []string
	for _, e := range rep.Events {
		got = append(got, show(e.Source.SessionID)+" "+show(e.Source.TurnID))
	}
	if d := cmp.Diff([]string{`"before" "old"`, `null null`, `"after" null`}, got); d != "" {
		t.Errorf("sessions and turns (-want +got):\n%s", d)
	}
	wantCodes(t, rep, "invalid_json@4", "missing_session_metadata@5", "repeated_session_metadata@6")
}

func TestR16Configuration(t *testing.T) {
	log := lines(
		row("session_meta", `{"id":"s","cwd":"/p","cli_version":"1","model_provider":"DROPPED"}`),
		row("turn_context", `{"turn_id":"t","cwd":"/p","model":"DROPPED"}`),
	)
	rep := inspectString(t, log)
	wantCodes(t, rep, "omitted_fields@1", "omitted_fields@2")
	if got := readBytes(t, strings.NewReader(log), DefaultLimits); bytes.Contains(got.JSON, []byte("DROPPED")) {
		t.Error("the report holds a dropped value")
	}
}
