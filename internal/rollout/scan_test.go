package rollout

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestScanFaults(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct {
		line string
		want Fault
	}{
		{`{}`, NoFault},
		{` {"a" : [1 , true,null , "x"] } ` + "\r", NoFault},
		{`null`, NoFault}, {`[]`, NoFault}, {`"x"`, NoFault}, {`-0`, NoFault}, {`12`, NoFault},
		{`1E+2`, NoFault}, {`1.5e-3`, NoFault}, {`1e-999`, NoFault}, {`0e999999999999`, NoFault},
		{`"\u0000\u001f\ud83d\ude00\/"`, NoFault}, {"\"\u2028\x7f\"", NoFault},
		{`{"a":1,"a":2}`, NoFault},
		{deep(127), NoFault}, {deep(128), FaultDepth}, {strings.Repeat(`{"a":`, 128), FaultDepth},
		{"\"\xff\"", FaultUTF8}, {"{\"a\":\"\xe6\x87", FaultUTF8}, {"\"\xed\xa0\x80\"", FaultUTF8},
		{`{`, FaultEOF}, {`[`, FaultEOF}, {`{"a`, FaultEOF}, {`{"a"`, FaultEOF}, {`{"a":`, FaultEOF},
		{`{"a":1`, FaultEOF}, {`{"a":1,`, FaultEOF}, {`[1,`, FaultEOF}, {`"abc\`, FaultEOF}, {`"abc\u12`, FaultEOF},
		{`"\ud83d`, FaultEOF}, {`"\ud83d\`, FaultEOF}, {`"\ud83d\u`, FaultEOF}, {`tru`, FaultEOF}, {`nul`, FaultEOF},
		{`-`, FaultEOF}, {`1.`, FaultEOF}, {`1e`, FaultEOF}, {`1e+`, FaultEOF},
		{"\ufeff{}", FaultSyntax}, {`NaN`, FaultSyntax}, {`{"a":1,}`, FaultSyntax}, {`[1,]`, FaultSyntax},
		{`{'a':1}`, FaultSyntax}, {"\"\t\"", FaultSyntax}, {"\"\x00\"", FaultSyntax}, {`"\x"`, FaultSyntax},
		{`"\ud800"`, FaultSyntax}, {`"\ud800\n"`, FaultSyntax}, {`"\ud800\u0041"`, FaultSyntax}, {`"\udc00"`, FaultSyntax},
		{`"\uzzzz"`, FaultSyntax}, {`{}x`, FaultSyntax}, {`{}{}`, FaultSyntax}, {`01`, FaultSyntax}, {`+1`, FaultSyntax},
		{`.5`, FaultSyntax}, {`1.x`, FaultSyntax}, {`tRue`, FaultSyntax}, {"\v{}", FaultSyntax}, {"\f{}", FaultSyntax},
		{`{1:2}`, FaultSyntax}, {`{"a" 1}`, FaultSyntax}, {`[1 2]`, FaultSyntax},
		{`1e999`, FaultNumber}, {`-1e309`, FaultNumber}, {`{"a":1e400}`, FaultNumber}, {`{"a":1e400`, FaultNumber},
		{strings.Repeat("9", 308), NoFault}, {strings.Repeat("9", 310), FaultNumber},
	} {
		var env Envelope
		if got := Scan([]byte(c.line), &env); got != c.want {
			t.Errorf("Scan(%.60q) = %v, want %v", c.line, got, c.want)
		}
	}
}

func TestScanEnvelope(t *testing.T) {
	for _, c := range []struct {
		line string
		want Envelope
	}{
		{`{"timestamp":"T","type":"event_msg","payload":{"type":"x","b":{"type":"no"}}}`,
			Envelope{Object: true, Timestamp: Raw(`"T"`), Type: Raw(`"event_msg"`), PayloadType: Raw(`"x"`), Payload: Raw(`{"type":"x","b":{"type":"no"}}`)}},
		{`{"ordinal":7,"payload":[{"type":"x"}],"type":1}`,
			Envelope{Object: true, Extra: true, Ordinal: Raw(`7`), Type: Raw(`1`), Payload: Raw(`[{"type":"x"}]`)}},
		{`{"payload":{"type":"a"},"payload":{"id":"b"},"type":"x","type":"y"}`,
			Envelope{Object: true, Type: Raw(`"y"`), Payload: Raw(`{"id":"b"}`)}},
		{`{"payload":{"type":"a"},"payload":null}`, Envelope{Object: true, Payload: Raw(`null`)}},
		{`{"payload":{"type":"a","type":"b"}}`, Envelope{Object: true, Payload: Raw(`{"type":"a","type":"b"}`), PayloadType: Raw(`"b"`)}},
		{`{"\u0074ype":"e","Type":"no"}`, Envelope{Object: true, Extra: true, Type: Raw(`"e"`)}},
		{`["type"]`, Envelope{}},
	} {
		var env Envelope
		if f := Scan([]byte(c.line), &env); f != NoFault {
			t.Errorf("Scan(%s): %v", c.line, f)
		}
		if !sameEnvelope(env, c.want) {
			t.Errorf("Scan(%s) = %s, want %s", c.line, show(env), show(c.want))
		}
	}
}

func sameEnvelope(a, b Envelope) bool { return show(a) == show(b) }

func show(e Envelope) string {
	return strings.Join([]string{strconv.FormatBool(e.Object), strconv.FormatBool(e.Extra), string(e.Timestamp),
		string(e.Type), string(e.Payload), string(e.PayloadType), string(e.Ordinal)}, "|")
}

func TestRawText(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{`"plain"`, "plain"}, {`""`, ""}, {`"a\"\\\/\b\f\n\r\tz"`, "a\"\\/\b\f\n\r\tz"},
		{`"\u0000\u00e9\uFFFD\u2028"`, "\x00\u00e9\ufffd\u2028"}, {`"\ud83d\ude00!"`, "\U0001f600!"}, {`"é漢"`, "é漢"},
	} {
		if got, ok := Raw(c.raw).Text(); !ok || got != c.want {
			t.Errorf("Raw(%s).Text() = %q, %v; want %q", c.raw, got, ok, c.want)
		}
	}
	if _, ok := Raw(`12`).Text(); ok {
		t.Error("a number is not a string")
	}
	if _, ok := Raw(nil).Text(); ok {
		t.Error("an absent value is not a string")
	}
}

// reference reads a line with jsontext and encoding/json: what Scan must agree with.
func reference(line []byte) (fault Fault, env Envelope) {
	dec := jsontext.NewDecoder(bytes.NewReader(line), jsontext.AllowDuplicateNames(true))
	if _, err := dec.ReadValue(); err != nil {
		return FaultSyntax, env
	}
	if rest := line[dec.InputOffset():]; len(bytes.Trim(rest, " \t\r\n")) > 0 {
		return FaultSyntax, env
	}
	if tooDeep(line) {
		return FaultDepth, env
	}
	if json.Unmarshal(line, new(any)) != nil { // encoding/json checks the range of numbers only
		return FaultNumber, env
	}
	line = bytes.TrimLeft(line, " \t\r\n")
	if line[0] != '{' {
		return NoFault, env
	}
	env.Object = true
	for key, val := range referenceMembers(line) {
		switch key {
		case "timestamp":
			env.Timestamp = val
		case "type":
			env.Type = val
		case "payload":
			env.Payload, env.PayloadType = val, nil
			if val[0] == '{' {
				for k, v := range referenceMembers(val) {
					if k == "type" {
						env.PayloadType = v
					}
				}
			}
		case "ordinal":
			env.Ordinal, env.Extra = val, true
		default:
			env.Extra = true
		}
	}
	return NoFault, env
}

func tooDeep(line []byte) bool {
	dec := jsontext.NewDecoder(bytes.NewReader(line), jsontext.AllowDuplicateNames(true))
	for {
		if _, err := dec.ReadToken(); err != nil {
			return false
		}
		if dec.StackDepth() > MaxDepth {
			return true
		}
	}
}

func referenceMembers(object []byte) func(yield func(string, Raw) bool) {
	return func(yield func(string, Raw) bool) {
		dec := jsontext.NewDecoder(bytes.NewReader(object), jsontext.AllowDuplicateNames(true))
		dec.ReadToken()
		for dec.PeekKind() == '"' {
			key, err := dec.ReadToken()
			if err != nil {
				return
			}
			name := key.String()
			val, err := dec.ReadValue()
			if err != nil || !yield(name, Raw(bytes.Clone(val))) {
				return
			}
		}
	}
}

// FuzzScan holds the scanner to jsontext: the same lines are taken and refused,
// and the members of the envelope are the same bytes.
func FuzzScan(f *testing.F) {
	for _, s := range []string{
		`{"timestamp":"2026-09-24T12:00:00Z","ordinal":3,"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"h\u00e9\n"}]}}`,
		`{"type":"a","type":"b","payload":{"type":"x"},"payload":{"y":{"type":1}}}`,
		`{"a":[1e5,-0.1,"\ud83d\ude00",{"b":[[]]}],"payload":"x"}`, `[1,2`, `{"a":1e999}`, "\"\xff\"", `"\ud800x"`, `{"type":"`, ` {} `,
		strings.Repeat("[", 130),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.IndexByte(line, '\n') >= 0 {
			return // never part of a line
		}
		var env Envelope
		got := Scan(line, &env)
		want, wantEnv := reference(line)
		if (got == NoFault) != (want == NoFault) {
			t.Fatalf("Scan: %v, reference: %v", got, want)
		}
		if (got == FaultDepth) && want == NoFault || (got == FaultNumber && want == NoFault) {
			t.Fatalf("Scan: %v, reference: %v", got, want)
		}
		if got != NoFault {
			return
		}
		if !sameEnvelope(env, wantEnv) {
			t.Fatalf("envelope %s, reference %s", show(env), show(wantEnv))
		}
		checkWalk(t, line)
		checkHead(t, line, env)
		if env.Usual(line) {
			var again Envelope
			if again.known(line); !sameEnvelope(again, env) {
				t.Fatalf("known %s, envelope %s", show(again), show(env))
			}
		}
	})
}

// checkWalk compares the unvalidating walk with jsontext, value by value.
func checkWalk(t *testing.T, line []byte) {
	v := Raw(bytes.Trim(line, " \t\r\n"))
	if s, ok := v.Text(); ok {
		if want, _ := jsontext.AppendUnquote(nil, []byte(v)); string(want) != s {
			t.Fatalf("text %q, reference %q", s, want)
		}
	}
	var got []string
	for w := v.Object(); ; {
		k, val, ok := w.Next()
		if !ok {
			break
		}
		name, _ := k.Text()
		got = append(got, name, string(val))
		checkWalk(t, val)
	}
	var want []string
	if v.IsObject() {
		for k, val := range referenceMembers(v) {
			want = append(want, k, string(val))
		}
	}
	if strings.Join(got, "\x00") != strings.Join(want, "\x00") {
		t.Fatalf("members %q, reference %q", got, want)
	}
	for w := v.Array(); ; {
		_, val, ok := w.Next()
		if !ok {
			break
		}
		if !jsontext.Value(val).IsValid(jsontext.AllowDuplicateNames(true)) {
			t.Fatalf("element %q is not a value", val)
		}
		checkWalk(t, val)
	}
}

// checkHead compares Head with Scan where Head promises to agree.
func checkHead(t *testing.T, line []byte, env Envelope) {
	var head Envelope
	ok := Head(line, &head)
	if ok != env.Object {
		t.Fatalf("Head %v, Scan object %v", ok, env.Object)
	}
	if !ok || !plainOrder(line) {
		return
	}
	head.Extra, env.Extra = false, false // Head does not look behind the payload
	if head.PayloadType == nil && !env.Type.Is("response_item") && !env.Type.Is("event_msg") {
		env.PayloadType = nil // nor inside it, but for these two
	}
	if head.Payload != nil && bytes.HasPrefix(head.Payload, env.Payload) {
		head.Payload = env.Payload // nor for its end
	}
	if !sameEnvelope(head, env) {
		t.Fatalf("head %s, envelope %s", show(head), show(env))
	}
}

// plainOrder reports whether no key of the line or its payload stands twice and
// nothing that Head reads stands behind the payload.
func plainOrder(line []byte) bool {
	seen := map[string]bool{}
	for k, v := range referenceMembers(bytes.TrimLeft(line, " \t\r\n")) {
		if seen[k] || seen["payload"] && (k == "timestamp" || k == "type" || k == "ordinal") {
			return false
		}
		seen[k] = true
		if k == "payload" && v.IsObject() {
			inside := map[string]bool{}
			for k := range referenceMembers(v) {
				if inside[k] {
					return false
				}
				inside[k] = true
			}
		}
	}
	return true
}
