package inspect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rollbook/internal/diag"
)

// Each of these is one line, and what becomes of it with and without a line
// feed behind it (spec/inspect.md 2.3 gates 1 to 5 and 2.5). No code means that
// the line is a record, or blank.
var lineTests = []struct {
	name, line   string
	ended, final diag.Code
}{
	{"record", msg("a"), "", ""},
	{"space before and after", " \t" + msg("a") + " \t ", "", ""},
	{"carriage return", msg("a") + "\r", "", ""},
	{"blank", " ", "", ""},
	{"blank tab form feed carriage return", " \t\f\r", "", ""},
	{"vertical tab", "\v", InvalidJSON, InvalidJSON},
	{"form feed before a record", "\f" + msg("a"), InvalidJSON, InvalidJSON},
	{"no-break space", "\u00a0", InvalidJSON, InvalidJSON},
	{"NUL", "\x00", InvalidJSON, InvalidJSON},
	{"NULs", strings.Repeat("\x00", 100), InvalidJSON, InvalidJSON},
	{"NUL behind a record", msg("a") + "\x00", InvalidJSON, InvalidJSON},
	{"NUL in a string", msg("a\x00b"), InvalidJSON, InvalidJSON},
	{"tab in a string", msg("a\tb"), InvalidJSON, InvalidJSON},
	{"byte order mark", "\ufeff" + msg("a"), InvalidJSON, InvalidJSON},
	{"U+2028 in a string", msg("a\u2028b"), "", ""},
	{"U+2028 behind a record", msg("a") + "\u2028", InvalidJSON, InvalidJSON},
	{"DEL in a string", msg("a\x7fb"), "", ""},
	{"bad byte", msg("a\xffb"), InvalidUTF8, InvalidUTF8},
	{"bad byte behind bad JSON", "}\xff", InvalidUTF8, InvalidUTF8},
	{"overlong", msg("a\xc0\xaf"), InvalidUTF8, InvalidUTF8},
	{"surrogate as bytes", msg("\xed\xa0\x80"), InvalidUTF8, InvalidUTF8},
	{"beyond U+10FFFF", msg("\xf4\x90\x80\x80"), InvalidUTF8, InvalidUTF8},
	{"cut inside a character", `{"type":"` + "\xe2\x80", InvalidUTF8, InvalidUTF8},
	{"Latin-1", "caf\xe9", InvalidUTF8, InvalidUTF8},
	{"UTF-16", "{\x00\"\x00", InvalidJSON, InvalidJSON},
	{"escape of a pair", msg(`\ud83d\ude00`), "", ""},
	{"escape of a high surrogate", msg(`\ud83d`), InvalidJSON, InvalidJSON},
	{"escape of a low surrogate", msg(`\ude00`), InvalidJSON, InvalidJSON},
	{"escape of a pair the wrong way", msg(`\ude00\ud83d`), InvalidJSON, InvalidJSON},
	{"escape of a high surrogate twice", msg(`\ud83d\ud83d`), InvalidJSON, InvalidJSON},
	{"escape in a key", `{"\ud800":1}`, InvalidJSON, InvalidJSON},
	{"bad escape", msg(`\x`), InvalidJSON, InvalidJSON},
	{"bad hexadecimal", msg(`\u12g4`), InvalidJSON, InvalidJSON},
	{"NaN", `NaN`, InvalidJSON, InvalidJSON},
	{"Infinity", `-Infinity`, InvalidJSON, InvalidJSON},
	{"trailing comma", `{"a":1,}`, InvalidJSON, InvalidJSON},
	{"trailing comma in an array", `[1,]`, InvalidJSON, InvalidJSON},
	{"single quotes", `{'a':1}`, InvalidJSON, InvalidJSON},
	{"comment", `{} // a`, InvalidJSON, InvalidJSON},
	{"leading zero", `01`, InvalidJSON, InvalidJSON},
	{"plus", `+1`, InvalidJSON, InvalidJSON},
	{"too large a number", `1e999`, InvalidJSON, InvalidJSON},
	{"too large a number within", `{"a":[-1e999]}`, InvalidJSON, InvalidJSON},
	{"a number of 400 digits", strings.Repeat("9", 400), InvalidJSON, InvalidJSON},
	{"the largest number", `1.7976931348623157e308`, InvalidRecord, InvalidRecord},
	{"too small a number", `1e-999`, InvalidRecord, InvalidRecord},
	{"garbage behind an object", `{}x`, InvalidJSON, InvalidJSON},
	{"two objects", `{}{}`, InvalidJSON, InvalidJSON},
	{"two records", msg("a") + msg("b"), InvalidJSON, InvalidJSON},
	{"a word", `invalid`, InvalidJSON, InvalidJSON},
	{"Git LFS pointer", `version https://git-lfs.github.com/spec/v1`, InvalidJSON, InvalidJSON},

	{"null", `null`, InvalidRecord, InvalidRecord},
	{"number", `12`, InvalidRecord, InvalidRecord},
	{"string", `"a"`, InvalidRecord, InvalidRecord},
	{"true", `true`, InvalidRecord, InvalidRecord},
	{"array", `[{"type":"a","payload":{}}]`, InvalidRecord, InvalidRecord},
	{"empty object", `{}`, InvalidRecord, InvalidRecord},
	{"bare item", `{"type":"message","role":"user","content":[]}`, InvalidRecord, InvalidRecord},
	{"no type", `{"payload":{}}`, InvalidRecord, InvalidRecord},
	{"numeric type", `{"type":1,"payload":{}}`, InvalidRecord, InvalidRecord},
	{"no payload", `{"type":"response_item"}`, InvalidRecord, InvalidRecord},
	{"null payload", row("response_item", `null`), InvalidRecord, InvalidRecord},
	{"array payload", row("response_item", `[]`), InvalidRecord, InvalidRecord},
	{"string payload", row("response_item", `"{}"`), InvalidRecord, InvalidRecord},
	{"capital keys", `{"Type":"a","Payload":{}}`, InvalidRecord, InvalidRecord},

	{"nesting of 127", strings.Repeat("[", 127) + strings.Repeat("]", 127), InvalidRecord, InvalidRecord},
	{"nesting of 128", strings.Repeat("[", 128) + strings.Repeat("]", 128), InvalidJSON, InvalidJSON},
	{"objects nested 127 deep", strings.Repeat(`{"a":`, 126) + "{}" + strings.Repeat("}", 126), InvalidRecord, InvalidRecord},
	{"objects nested 128 deep", strings.Repeat(`{"a":`, 127) + "{}" + strings.Repeat("}", 127), InvalidJSON, InvalidJSON},
	{"nesting of 128, cut", strings.Repeat("[", 128), InvalidJSON, InvalidJSON},
	{"nesting of 500,000", strings.Repeat("[", 500_000), InvalidJSON, InvalidJSON},

	{"cut in an object", `{`, InvalidJSON, IncompleteFinalLine},
	{"cut behind a key", `{"a"`, InvalidJSON, IncompleteFinalLine},
	{"cut behind a colon", `{"a":`, InvalidJSON, IncompleteFinalLine},
	{"cut behind a value", `{"a":1`, InvalidJSON, IncompleteFinalLine},
	{"cut behind a comma", `{"a":1,`, InvalidJSON, IncompleteFinalLine},
	{"cut in an array", `[`, InvalidJSON, IncompleteFinalLine},
	{"cut in an array behind a value", `[1`, InvalidJSON, IncompleteFinalLine},
	{"cut in a string", `"abc`, InvalidJSON, IncompleteFinalLine},
	{"cut in an escape", `"abc\`, InvalidJSON, IncompleteFinalLine},
	{"cut in a hexadecimal escape", `"abc\u00`, InvalidJSON, IncompleteFinalLine},
	{"cut between surrogates", `"\ud83d`, InvalidJSON, IncompleteFinalLine},
	{"cut in a literal", `{"a":tru`, InvalidJSON, IncompleteFinalLine},
	{"cut in a number", `{"a":-`, InvalidJSON, IncompleteFinalLine},
	{"cut in a fraction", `{"a":1.`, InvalidJSON, IncompleteFinalLine},
	{"cut in an exponent", `{"a":1e`, InvalidJSON, IncompleteFinalLine},
	{"cut record", msg("a")[:40], InvalidJSON, IncompleteFinalLine},
	{"cut record with a carriage return", msg("a")[:40] + "\r", InvalidJSON, InvalidJSON},
}

func TestLines(t *testing.T) {
	for _, tt := range lineTests {
		t.Run(tt.name, func(t *testing.T) {
			want := func(c diag.Code) (list []string) {
				if c != "" {
					list = append(list, string(c)+"@2")
				}
				return list
			}
			before := lines(meta("s"))
			rep := inspectString(t, before+tt.line)
			wantCodes(t, rep, want(tt.final)...)

			rep = inspectString(t, before+tt.line+"\n"+lines(meta("t"), msg("after")))
			codes := append(want(tt.ended), "repeated_session_metadata@3")
			wantCodes(t, rep, codes...)
			if last := rep.Events[len(rep.Events)-1]; last.Source.Line != 4 || show(last.Source.SessionID) != `"t"` {
				t.Errorf("the event behind is %+v", last)
			}

			// What cannot be read leaves session and turn unknown.
			rep = inspectString(t, lines(meta("s"), row("turn_context", `{"turn_id":"t"}`))+tt.line+"\n"+lines(msg("after")))
			last := rep.Events[len(rep.Events)-1]
			if known := last.Source.SessionID != nil && last.Source.TurnID != nil; known != (tt.ended == "") {
				t.Errorf("behind it session is %s and turn %s", show(last.Source.SessionID), show(last.Source.TurnID))
			}
		})
	}
}

// Strings of the log and how the report spells them.
func TestSpelling(t *testing.T) {
	for in, want := range map[string]string{
		``:                               ``,
		`plain`:                          `plain`,
		`\"\\\b\f\n\r\t`:                 `\"\\\b\f\n\r\t`,
		`\/`:                             `/`,
		`</script>&<!-- \u003c`:          `</script>&<!-- <`,
		`\u0022\u005c\u002f`:             `\"\\/`,
		`\u0008\u000c\u000a\u000d\u0009`: `\b\f\n\r\t`,
		`\u0000\u0001\u001F\u001b`:       `\u0000\u0001\u001f\u001b`,
		`\u007f` + "\x7f":                "\x7f\x7f",
		`\u0080\u009f` + "\u0085":        "\u0080\u009f\u0085",
		`\u2028\u2029` + "\u2028":        "\u2028\u2029\u2028",
		`\u00e9\u00E9é`:                  "ééé",
		`\ud83d\ude00\uD83D\uDE00`:       "😀😀",
		`\udbff\udfff\ue000\ud7ff`:       "\U0010ffff\ue000\ud7ff",
		`\ufffd\ufeff\uffff`:             "\ufffd\ufeff\uffff",
		`\\u0041\\\u0041\\\\u0041`:       `\\u0041\\A\\\\u0041`,
		`a\u0041\n\/` + "\u2028":         `aA\n/` + "\u2028",
	} {
		log := lines(meta("s"), msg(in))
		rep := inspectString(t, log)
		wantCodes(t, rep)
		got := readBytes(t, strings.NewReader(log), DefaultLimits)
		if !strings.Contains(string(got.JSON), `"text": "`+want+`",`) || !strings.Contains(string(got.NDJSON), `"text":"`+want+`",`) {
			t.Errorf("%q is not spelled %q in\n%s", in, want, got.NDJSON)
		}
	}
	// Every value of a line is spelled so, and the sets too.
	log := lines(
		`{"timestamp":"2026-09-24T12:00:00\u005a","type":"session_meta","payload":{"id":"\u0073\u0001","cwd":"\/p\u2028","cli_version":"\u0031"}}`,
		`{"timestamp":"`+rowTime+`","type":"turn\u005fcontext","payload":{"turn_id":"\u0074\u001f"}}`,
		`{"\u0074ype":"response\u005fitem","timestamp":"`+rowTime+`","payload":{"type":"function\u005fcall","\u0069d":"\/i","call_id":"\u0063","name":"\u006e","namespace":"\u006e\u0073","phase":"\u0070","arguments":"\u0061"}}`,
	)
	got := readBytes(t, strings.NewReader(log), DefaultLimits)
	want := `{"type":"event","sequence":1,"role":"assistant","kind":"tool_call","text":"a","timestamp":"` + rowTime + `","phase":"p",` +
		`"source":{"line":3,"block":null,"record_type":"response_item","item_type":"function_call","id":"/i","session_id":"s\u0001","turn_id":"t\u001f"},` +
		`"provenance":"extracted","tool_id":"c","tool_name":"n","tool_namespace":"ns"}` + "\n"
	if !strings.Contains(string(got.NDJSON), want) {
		t.Errorf("no line\n%sin\n%s", want, got.NDJSON)
	}
	sets := `"session_ids":["s\u0001"],"observed_versions":["1"],"project_paths":["/p` + "\u2028" + `"]}` + "\n"
	if !strings.HasSuffix(string(got.NDJSON), sets) {
		t.Errorf("the summary does not end in %s", sets)
	}
	wantCodes(t, checkReading(t, got, log), "omitted_fields@3")
}

func TestLineLimit(t *testing.T) {
	const limit = 1 << 20
	text := func(n int) string { return msg(strings.Repeat("a", n-len(msg("")))) }
	for _, tt := range []struct {
		name string
		line string
		want []string
	}{
		{"at the limit", text(limit-1) + "\n", nil},
		{"one more", text(limit) + "\n", []string{"line_limit@2"}},
		{"at the limit without a line feed", text(limit), nil},
		{"one more without a line feed", text(limit + 1), []string{"line_limit@2"}},
		{"at the limit, blank", strings.Repeat(" ", limit-1) + "\n", nil},
		{"one more, blank", strings.Repeat(" ", limit) + "\n", []string{"line_limit@2"}},
		{"far beyond", strings.Repeat("a", 3*limit) + "\n", []string{"line_limit@2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rep := inspectString(t, lines(meta("s"))+tt.line)
			wantCodes(t, rep, tt.want...)
		})
	}
	rep := inspectString(t, lines(meta("s"), text(limit), msg("b")))
	wantCodes(t, rep, "line_limit@2", "missing_session_metadata@3")
}

func TestShapes(t *testing.T) {
	for _, tt := range []struct {
		name, log string
		state     State
		lines     int
	}{
		{"nothing", "", Empty, 0},
		{"a line feed", "\n", Empty, 1},
		{"blank lines", "\n \n\t\r\n\f", Empty, 4},
		{"metadata only", lines(meta("s"), row("turn_context", `{"turn_id":"t"}`)), Empty, 2},
		{"no line feed at the end", msgFile() + msg("b"), Read, 3},
		{"blank line at the end", msgFile() + " ", Read, 3},
		{"CRLF", strings.ReplaceAll(msgFile(), "\n", "\r\n"), Read, 2},
		{"CR only", strings.ReplaceAll(msgFile(), "\n", "\r"), Partial, 1},
		{"Git LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", Partial, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rep := inspectString(t, tt.log)
			if rep.State != string(tt.state) || rep.Lines != tt.lines {
				t.Errorf("state %s, %d lines, want %s, %d", rep.State, rep.Lines, tt.state, tt.lines)
			}
		})
	}
}

func msgFile() string { return lines(meta("s"), msg("a")) }

// Blank lines keep session and turn.
func TestBlankKeepsIdentity(t *testing.T) {
	rep := inspectString(t, lines(meta("s"), row("turn_context", `{"turn_id":"t"}`), "", " \t\f\r", msg("a")))
	wantCodes(t, rep)
	if s := rep.Events[0].Source; s.Line != 5 || show(s.SessionID) != `"s"` || show(s.TurnID) != `"t"` {
		t.Errorf("source %+v", s)
	}
}

// The sets hold what stands there, whatever it is, in byte order.
func TestSets(t *testing.T) {
	rep := inspectString(t, lines(
		row("session_meta", `{"id":"b","cwd":"rel/../x","cli_version":"0.9"}`),
		row("session_meta", `{"id":"","cwd":"","cli_version":""}`),
		row("session_meta", `{"id":"a","cwd":"/é","cli_version":"0.10"}`),
		row("session_meta", `{"id":"b","cwd":null,"cli_version":null}`),
		row("turn_context", `{"cwd":"/z","cli_version":"not of a turn"}`),
		row("turn_context", `{"cwd":"/Z"}`),
		row("response_item", `{"type":"reasoning","id":"no session","cwd":"/no","cli_version":"no"}`),
	))
	for _, set := range []struct{ got, want []string }{
		{rep.SessionIDs, []string{"a", "b"}},
		{rep.ObservedVersions, []string{"", "0.10", "0.9"}},
		{rep.ProjectPaths, []string{"", "/Z", "/z", "/é", "rel/../x"}},
	} {
		if d := cmp.Diff(set.want, set.got); d != "" {
			t.Errorf("set (-want +got):\n%s", d)
		}
	}
	wantCodes(t, rep, "repeated_session_metadata@2", "missing_session_id@2", "repeated_session_metadata@3", "repeated_session_metadata@4",
		"omitted_fields@5", "omitted_reasoning@7")
}
