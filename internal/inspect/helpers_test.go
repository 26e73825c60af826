package inspect

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"rollbook/internal/diag"
)

// Lines of fixtures.

const rowTime = "2026-09-24T12:00:00Z"

func row(typ, payload string) string {
	return `{"timestamp":"` + rowTime + `","type":"` + typ + `","payload":` + payload + `}`
}

func meta(id string) string { return row("session_meta", `{"id":"`+id+`"}`) }

func msg(text string) string { return said("user", "input_text", text) }

func said(role, block, text string) string {
	return row("response_item", `{"type":"message","role":"`+role+`","content":[{"type":"`+block+`","text":"`+text+`"}]}`)
}

func lines(rows ...string) string { return strings.Join(rows, "\n") + "\n" }

// A jsonReport is the report as its readers see it.
type jsonReport struct {
	Agent             string           `json:"agent"`
	InspectionVersion int              `json:"inspection_version"`
	Compatibility     string           `json:"compatibility"`
	State             string           `json:"state"`
	SnapshotBytes     int64            `json:"snapshot_bytes"`
	Lines             int              `json:"lines"`
	SessionIDs        []string         `json:"session_ids"`
	ObservedVersions  []string         `json:"observed_versions"`
	ProjectPaths      []string         `json:"project_paths"`
	Records           []jsonSource     `json:"records"`
	Events            []jsonEvent      `json:"events"`
	Diagnostics       []jsonDiagnostic `json:"diagnostics"`
}

type jsonSource struct {
	Line       int     `json:"line"`
	Block      *int    `json:"block"`
	RecordType string  `json:"record_type"`
	ItemType   *string `json:"item_type"`
	ID         *string `json:"id"`
	SessionID  *string `json:"session_id"`
	TurnID     *string `json:"turn_id"`
}

type jsonEvent struct {
	Sequence      int        `json:"sequence"`
	Role          string     `json:"role"`
	Kind          string     `json:"kind"`
	Text          string     `json:"text"`
	Timestamp     *string    `json:"timestamp"`
	Phase         *string    `json:"phase"`
	Source        jsonSource `json:"source"`
	Provenance    string     `json:"provenance"`
	ToolID        *string    `json:"tool_id"`
	ToolName      *string    `json:"tool_name"`
	ToolNamespace *string    `json:"tool_namespace"`
}

type jsonDiagnostic struct {
	Code  diag.Code `json:"code"`
	Line  *int      `json:"line"`
	Block *int      `json:"block"`
}

// codesOf gives the diagnostics but the first as "code@line/block".
func (r *jsonReport) codesOf() []string {
	var list []string
	for _, d := range r.Diagnostics[1:] {
		s := string(d.Code)
		if d.Line != nil {
			s += fmt.Sprintf("@%d", *d.Line)
		}
		if d.Block != nil {
			s += fmt.Sprintf("/%d", *d.Block)
		}
		list = append(list, s)
	}
	return list
}

func (r *jsonReport) texts() (list []string) {
	for _, e := range r.Events {
		list = append(list, e.Text)
	}
	return list
}

// show gives a value for comparison: null for nil, else in quotes.
func show(s *string) string {
	if s == nil {
		return "null"
	}
	return fmt.Sprintf("%q", *s)
}

// wantCodes compares the diagnostics but the first.
func wantCodes(t *testing.T, r *jsonReport, want ...string) {
	t.Helper()
	if d := cmp.Diff(want, r.codesOf()); d != "" {
		t.Errorf("diagnostics (-want +got):\n%s", d)
	}
}

// A reading is one run over some bytes, with all that its handlers made of it.
type reading struct {
	Report  *Report
	Summary *Summary
	JSON    []byte
	NDJSON  []byte
	Events  []kept
}

// kept is an event with its values copied.
type kept struct {
	Event
	text string
}

// tee gives what Run reports to several handlers.
type tee []Handler

func (t tee) Record(r *Record) error {
	return t.each(func(h Handler) error { return h.Record(r) })
}

func (t tee) Event(e *Event) error {
	return t.each(func(h Handler) error { return h.Event(e) })
}

func (t tee) Diagnostic(d *Diagnostic) error {
	return t.each(func(h Handler) error { return h.Diagnostic(d) })
}

func (t tee) each(f func(Handler) error) error {
	for _, h := range t {
		if err := f(h); err != nil {
			return err
		}
	}
	return nil
}

// keeper keeps the events with their places.
type keeper struct{ events []kept }

func (k *keeper) Record(*Record) error         { return nil }
func (k *keeper) Diagnostic(*Diagnostic) error { return nil }

func (k *keeper) Event(e *Event) error {
	ev := kept{Event: *e}
	rec := *e.Record
	ev.Record = &rec
	ev.text, _ = e.Text.Text()
	k.events = append(k.events, ev)
	return nil
}

// read runs all handlers over a source.
func read(src *Source) (*reading, error) {
	ctx := context.Background()
	var out reading
	var j JSON
	var c Counter
	var k keeper
	var nd, js bytes.Buffer
	n := NewNDJSON(ctx, &nd, src)
	rep, err := Run(ctx, src, tee{&j, &c, &k, n})
	if err != nil {
		return nil, err
	}
	if err := n.Close(src, rep); err != nil {
		return nil, err
	}
	if err := j.Write(ctx, &js, rep); err != nil {
		return nil, err
	}
	out.Report, out.Summary, out.JSON, out.NDJSON, out.Events = rep, c.Summary(rep), js.Bytes(), nd.Bytes(), k.events
	return &out, nil
}

// readBytes runs all handlers over bytes as standard input would give them.
func readBytes(tb testing.TB, r io.Reader, limits Limits) *reading {
	tb.Helper()
	src, err := OpenStream(r, "-", limits)
	if err != nil {
		tb.Fatal(err)
	}
	defer src.Close()
	got, err := read(src)
	if err != nil {
		tb.Fatal(err)
	}
	return got
}

// inspectString gives the report of a rollout, after holding it to all that
// must be true of any report.
func inspectString(tb testing.TB, log string) *jsonReport {
	tb.Helper()
	return inspectLimited(tb, log, DefaultLimits)
}

func inspectLimited(tb testing.TB, log string, limits Limits) *jsonReport {
	tb.Helper()
	got := readBytes(tb, strings.NewReader(log), limits)
	if got.Report.SnapshotBytes != int64(len(log)) {
		tb.Errorf("snapshot of %d bytes, want %d", got.Report.SnapshotBytes, len(log))
	}
	if len(log) < 64<<10 {
		slow := readBytes(tb, iotest.OneByteReader(strings.NewReader(log)), limits)
		if !bytes.Equal(got.JSON, slow.JSON) || !bytes.Equal(got.NDJSON, slow.NDJSON) {
			tb.Errorf("read byte by byte the report differs")
		}
	}
	rep := checkReading(tb, got, log)
	checkOracle(tb, rep, log, limits)
	return rep
}

// checkReading holds a reading of text (decompressed) to the invariants.
func checkReading(tb testing.TB, got *reading, text string) *jsonReport {
	tb.Helper()
	rep := decodeReport(tb, got.JSON)
	checkState(tb, rep)
	checkForms(tb, rep, got)
	checkBytes(tb, got, text)
	checkPlaces(tb, rep, got.Events, text)
	return rep
}

// decodeReport decodes the JSON strictly and checks its fixed members.
func decodeReport(tb testing.TB, report []byte) *jsonReport {
	tb.Helper()
	if !bytes.HasSuffix(report, []byte("\n}\n")) {
		tb.Errorf("the report does not end in one line feed")
	}
	checkSpelling(tb, report)
	indented := jsontext.Value(bytes.Clone(report))
	if err := indented.Indent(jsontext.WithIndent("  ")); err != nil || string(indented)+"\n" != string(report) {
		tb.Errorf("not indented by two spaces: %v", err)
	}
	var rep jsonReport
	dec := json.NewDecoder(bytes.NewReader(report))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&rep); err != nil {
		tb.Fatalf("report: %v", err)
	}
	if rep.Agent != "codex" || rep.InspectionVersion != 1 || rep.Compatibility != "unverified" {
		tb.Errorf("report opens with %q %d %q", rep.Agent, rep.InspectionVersion, rep.Compatibility)
	}
	for _, set := range [][]string{rep.SessionIDs, rep.ObservedVersions, rep.ProjectPaths} {
		if !slices.IsSorted(set) || len(slices.Compact(slices.Clone(set))) != len(set) {
			tb.Errorf("no sorted set: %q", set)
		}
	}
	return &rep
}

// checkSpelling says whether a JSON value is valid and escapes just what the
// contract wants.
func checkSpelling(tb testing.TB, text []byte) {
	tb.Helper()
	if !jsontext.Value(text).IsValid() {
		tb.Fatalf("not JSON: %.200q", text)
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++
		if strings.IndexByte(`"\bfnrt`, text[i]) >= 0 {
			continue
		}
		hex := string(text[i:min(i+5, len(text))])
		if strings.Trim(hex, "u0123456789abcdef") != "" || hex[:3] != "u00" || hex >= "u0020" || slices.Contains([]string{"u0008", "u0009", "u000a", "u000c", "u000d"}, hex) {
			tb.Fatalf("needless escape \\%s", hex)
		}
	}
}

func checkState(tb testing.TB, rep *jsonReport) {
	tb.Helper()
	if len(rep.Diagnostics) == 0 || rep.Diagnostics[0].Code != UnverifiedCompatibility || rep.Diagnostics[0].Line != nil {
		tb.Fatalf("diagnostics do not open with %s", UnverifiedCompatibility)
	}
	want := Empty
	switch {
	case len(rep.Diagnostics) > 1:
		want = Partial
	case len(rep.Events) > 0:
		want = Read
	}
	if rep.State != string(want) {
		tb.Errorf("state %s, want %s", rep.State, want)
	}
	for i, e := range rep.Events {
		if e.Sequence != i+1 {
			tb.Fatalf("event %d has sequence %d", i+1, e.Sequence)
		}
	}
	for _, d := range rep.Diagnostics {
		if _, known := codeNumber[d.Code]; !known {
			tb.Errorf("unknown code %s", d.Code)
		}
	}
}

// checkForms says whether NDJSON holds what JSON holds, in order of the lines.
func checkForms(tb testing.TB, rep *jsonReport, got *reading) {
	tb.Helper()
	var nd jsonReport
	rank, line := 0, 0
	all := bytes.Split(bytes.TrimSuffix(got.NDJSON, []byte("\n")), []byte("\n"))
	for i, text := range all {
		checkSpelling(tb, text)
		var head struct {
			Type string `json:"type"`
			Line *int   `json:"line"`
		}
		if err := json.Unmarshal(text, &head); err != nil {
			tb.Fatalf("ndjson line %d: %v", i+1, err)
		}
		var err error
		at := line
		if head.Line != nil {
			at = *head.Line
		}
		switch head.Type {
		case "start", "summary":
			if (head.Type == "start") != (i == 0) || (head.Type == "summary") != (i == len(all)-1) {
				tb.Errorf("ndjson line %d is %s", i+1, head.Type)
			}
			err = json.Unmarshal(text, &nd)
		case "record":
			err = keep(text, &nd.Records)
			if at <= line || rank == 3 && at == line {
				tb.Errorf("ndjson line %d: record out of order", i+1)
			}
			rank = 1
		case "event":
			err = keep(text, &nd.Events)
			if rank > 2 || nd.Events[len(nd.Events)-1].Source.Line != line {
				tb.Errorf("ndjson line %d: event out of order", i+1)
			}
			rank = 2
		case "diagnostic":
			err = keep(text, &nd.Diagnostics)
			if at < line {
				tb.Errorf("ndjson line %d: diagnostic out of order", i+1)
			}
			rank = 3
		default:
			tb.Errorf("ndjson line %d has type %q", i+1, head.Type)
		}
		if err != nil {
			tb.Fatalf("ndjson line %d: %v", i+1, err)
		}
		line = at
	}
	nd.Agent, nd.InspectionVersion, nd.Compatibility = rep.Agent, rep.InspectionVersion, rep.Compatibility
	if nd.Records == nil {
		nd.Records = []jsonSource{}
	}
	if nd.Events == nil {
		nd.Events = []jsonEvent{}
	}
	if !reflect.DeepEqual(rep, &nd) {
		tb.Errorf("ndjson (-json +ndjson):\n%s", cmp.Diff(rep, &nd))
	}
}

func keep[T any](text []byte, list *[]T) error {
	var v T
	err := json.Unmarshal(text, &v)
	*list = append(*list, v)
	return err
}

// checkBytes is invariant R1: every line and byte is accounted for once.
func checkBytes(tb testing.TB, got *reading, text string) {
	tb.Helper()
	s := got.Summary
	bytes, lines, records, events := s.Blank.Bytes+s.OtherTypes.Bytes, s.Blank.Lines+s.OtherTypes.Records, s.OtherTypes.Records, s.OtherTypes.Events
	for _, t := range s.Types {
		bytes += t.Bytes
		lines += t.Records
		records += t.Records
		events += t.Events
	}
	for _, l := range s.Lost {
		bytes += l.Bytes
		lines += l.Lines
	}
	if want := int64(len(text)); bytes != want || s.Bytes != want {
		tb.Errorf("%d bytes by type, %d in all, want %d", bytes, s.Bytes, want)
	}
	want := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		want++
	}
	if lines != want || s.Lines != want {
		tb.Errorf("%d lines by type, %d in all, want %d", lines, s.Lines, want)
	}
	if records != s.Records || events != s.Events {
		tb.Errorf("%d records and %d events by type, %d and %d in all", records, events, s.Records, s.Events)
	}
}

// checkPlaces is invariant R4: line, block and byte of every event lead back to
// its text.
func checkPlaces(tb testing.TB, rep *jsonReport, events []kept, text string) {
	tb.Helper()
	if len(events) != len(rep.Events) {
		tb.Fatalf("%d events, %d in the report", len(events), len(rep.Events))
	}
	var at struct {
		line   int
		record map[string]any
	}
	for i, e := range events {
		if e.Line != at.line {
			if strings.Count(text[:e.Offset], "\n") != e.Line-1 {
				tb.Fatalf("event %d: byte %d is not on line %d", i+1, e.Offset, e.Line)
			}
			at.line, at.record = e.Line, nil
			if err := json.Unmarshal([]byte(text[e.Offset:e.Offset+e.Length]), &at.record); err != nil {
				tb.Fatalf("event %d: %v", i+1, err)
			}
		}
		payload := at.record["payload"].(map[string]any)
		if found := textAt(payload, e); found != e.text || rep.Events[i].Text != e.text {
			tb.Errorf("event %d: text %.40q, %.40q in the file, %.40q in the report", i+1, e.text, found, rep.Events[i].Text)
		}
	}
}

// textAt finds the text of an event in its record.
func textAt(payload map[string]any, e kept) string {
	key := map[Kind]string{Text: "content", Checkpoint: "message", ToolResult: "output", ToolCall: "arguments"}[e.Kind]
	if payload["type"] == "custom_tool_call" {
		key = "input"
	}
	if e.Block > 0 {
		return payload[key].([]any)[e.Block-1].(map[string]any)["text"].(string)
	}
	return payload[key].(string)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
