package dsh

import (
	"bytes"
	"encoding/base64"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rollbook/internal/confine"
)

var dump = flag.String("dump", "", "write the logs of the tables as sessions below this new home, for the harness's own checks")

// pixel is the image of the example: 68 bytes of PNG.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="

// home writes an empty home with the image of the example in its store.
func newHome(t testing.TB, dir string) {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(pixel)
	if err != nil {
		t.Fatal(err)
	}
	const sum = "431ced6916a2a21a156e38701afe55bbd7f88969fbbfc56d7fe099d47f265460"
	put(t, filepath.Join(dir, "attachments", "v1", "objects", sum[:2], sum), data)
	if err := os.MkdirAll(filepath.Join(dir, "sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
}

func put(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// openHome gives the root and the store of a home.
func openHome(t testing.TB, dir string) Root {
	t.Helper()
	root, err := confine.OpenRoot(filepath.Join(dir, "sessions"))
	if err != nil {
		t.Fatal(err)
	}
	store, err := confine.OpenRoot(filepath.Join(dir, "attachments", "v1"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close(); store.Close() })
	return Root{FS: root, Path: root.Path(), Store: store}
}

// A ruleCase breaks one rule of a good log, or shows what is allowed.
type ruleCase struct {
	name  string
	check Check // that it fails; empty: none
	// edit changes the text of the log. Lines that begin with a type alone get
	// seq and time; later seqs move with what is put in.
	edit func(text string) string
}

// swap replaces one text, which must be there.
func swap(old, new string) func(string) string {
	return func(text string) string {
		if !strings.Contains(text, old) {
			panic("not in the log: " + old)
		}
		return strings.Replace(text, old, new, 1)
	}
}

// session writes the log of a case under a home, in two frames.
func session(t testing.TB, home, text string) {
	t.Helper()
	head, body, _ := strings.Cut(text, "\n")
	var p parser
	v, err := p.parse([]byte(head))
	dir := "--x--/y"
	if err == nil {
		c := newChecker(func(value) {})
		c.header, c.info.ID = v, v.get("id").text
		dir = c.dir()
	}
	put(t, filepath.Join(home, "sessions", filepath.FromSlash(dir), LogName), frames(t, head+"\n", body))
}

// runCases checks each case as the only session of a home.
func runCases(t *testing.T, base string, cases []ruleCase) {
	for i, c := range cases {
		text := c.edit(base)
		id := "session-" + strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
				return r
			}
			return '-'
		}, t.Name()+"-"+c.name)
		text = strings.Replace(text, `"id":"`+exampleHeader.ID, `"id":"`+id, 1)
		home := t.TempDir()
		newHome(t, home)
		session(t, home, text)
		if *dump != "" {
			if i == 0 {
				newHome(t, *dump)
			}
			session(t, *dump, text)
		}
		for v, err := range Verify(openHome(t, home)) {
			switch {
			case err != nil:
				t.Errorf("%s: %v", c.name, err)
			case c.check == "" && len(v.Faults) > 0:
				t.Errorf("%s: %v", c.name, v.Faults)
			case c.check != "" && (len(v.Faults) != 1 || v.Faults[0].Check != c.check):
				t.Errorf("%s: %v, want %s", c.name, v.Faults, c.check)
			}
			if *dump != "" {
				t.Logf("CASE\t%s\t%v", id, v.Faults)
			}
		}
	}
}

// verifyText checks a log by its text.
func verifyText(t testing.TB, text string) *Fault {
	t.Helper()
	head, body, _ := strings.Cut(text, "\n")
	log := frames(t, head+"\n", body)
	_, fault, err := CheckLog(bytes.NewReader(log), int64(len(log)))
	if err != nil {
		t.Fatal(err)
	}
	return fault
}

const user = `{"type":"user/message","seq":6,"time":1767225600001,"data":{"id":"m-1","role":"user","source":{"kind":"user"},`

// TestRules: each row breaks one rule of the example and no other.
func TestRules(t *testing.T) {
	all := func(string) string { return exampleText }
	runCases(t, exampleText, []ruleCase{
		{"the example", "", all},
		// The first line (V1).
		{"header member", CheckHeader, swap(`"agentPreset"`, `"bogus":1,"agentPreset"`)},
		{"header lacks isSeeded", CheckHeader, swap(`"isSeeded":false,`, ``)},
		{"header version", CheckHeader, swap(`"version":3`, `"version":4`)},
		{"header createdAt below 0", CheckHeader, swap(`"createdAt":1767225600000`, `"createdAt":-1`)},
		{"header createdAt fraction", CheckHeader, swap(`"createdAt":1767225600000`, `"createdAt":1.5`)},
		{"header createdAt minus zero", CheckHeader, swap(`"createdAt":1767225600000`, `"createdAt":-0`)},
		{"header origin", CheckHeader, swap(`"agentPreset"`, `"origin":"user","agentPreset"`)},
		{"header of a subagent", "", swap(`"agentPreset"`, `"origin":"subagent","parentSession":"p","agentPreset"`)},
		{"header depth", CheckHeader, swap(`"delegationDepth":0`, `"delegationDepth":"0"`)},
		{"header seeded without a mark", CheckRefs, swap(`"isSeeded":false`, `"isSeeded":true`)},
		{"no cwd", "", swap(`"cwd":"/srv/demo",`, ``)},
		{"relative cwd", CheckHeader, swap(`"cwd":"/srv/demo"`, `"cwd":"srv/demo"`)},
		// The envelope (V2 to V4).
		{"event member", CheckEvent, swap(user, `{"bogus":1,`+user[1:])},
		{"event without time", CheckEvent, swap(`"seq":6,"time":1767225600001`, `"seq":6`)},
		{"time fraction", CheckEvent, swap(`"seq":6,"time":1767225600001`, `"seq":6,"time":1.5`)},
		{"time goes back", "", swap(`"seq":6,"time":1767225600001`, `"seq":6,"time":-5`)},
		{"seq twice", CheckEvent, swap(`"seq":10`, `"seq":9`)},
		{"seq gap", CheckEvent, swap(`"seq":10`, `"seq":99`)},
		{"ignorable false", CheckEvent, swap(`"seq":10`, `"ignorable":false,"seq":10`)},
		{"ignorable known", "", swap(`"seq":10`, `"ignorable":true,"seq":10`)},
		{"unknown type", CheckEvent, swap(`"type":"permission/preset"`, `"type":"own/thing"`)},
		{"unknown ignorable type", "", swap(`"type":"permission/preset"`, `"type":"own/thing","ignorable":true`)},
		{"unknown type with surfaceOp", CheckSurface, swap(`"type":"sandbox/mode"`, `"type":"own/thing","ignorable":true,"surfaceOp":"append"`)},
		{"unknown type with sources", CheckSurface, swap(`"type":"sandbox/mode"`, `"type":"own/thing","ignorable":true,"sourceEventSeqs":[1]`)},
		{"retired type", CheckEvent, swap(`"type":"permission/preset"`, `"type":"tool/code-dispatch"`)},
		{"lines left empty", "", swap("\n{\"type\":\"sandbox", "\n\n{\"type\":\"sandbox")},
		// D2.
		{"no surfaceOp", CheckSurface, swap(`]},"surfaceOp":"append"}`+"\n"+`{"type":"assistant`, `]}}`+"\n"+`{"type":"assistant`)},
		{"surfaceOp beside the surface", CheckSurface, swap(`"seq":8`, `"surfaceOp":"append","seq":8`)},
		{"surfaceOp unknown", CheckSurface, swap(`"surfaceOp":"append","sourceEventSeqs"`, `"surfaceOp":"prepend","sourceEventSeqs"`)},
		{"sources beside the surface", CheckSurface, swap(`"seq":8`, `"sourceEventSeqs":[7],"seq":8`)},
		// D3.
		{"no message id", CheckID, swap(`{"id":"m-1",`, `{`)},
		{"empty message id", CheckID, swap(`{"id":"m-1"`, `{"id":""`)},
		{"message id twice", CheckID, swap(`"id":"m-4"`, `"id":"m-2"`)},
		// D4.
		{"no stream", CheckSettled, swap(`,"stream":[]`, ``)},
		{"stream no array", CheckSettled, swap(`"stream":[]`, `"stream":{}`)},
		{"turn 0", CheckSettled, swap(`"turn":1,"step":1,"message":{"id":"m-2"`, `"turn":0,"step":1,"message":{"id":"m-2"`)},
		// D5.
		{"no block", CheckTools, swap(`,{"type":"tool-call","id":"call_1","name":"shell","arguments":"{\"command\":[\"ls\"]}"}`, ``)},
		{"block of another id", CheckTools, swap(`"type":"tool-call","id":"call_1"`, `"type":"tool-call","id":"call_2"`)},
		{"other arguments", CheckTools, swap(`"callId":"call_1","name":"shell","arguments":"{\"command\":[\"ls\"]}"`, `"callId":"call_1","name":"shell","arguments":"{}"`)},
		{"other name", CheckTools, swap(`"callId":"call_1","name":"shell"`, `"callId":"call_1","name":"bash"`)},
		{"result of another call", CheckTools, func(text string) string {
			return strings.NewReplacer(`"kind":"tool","callId":"call_1"`, `"kind":"tool","callId":"call_2"`,
				`"toolCallId":"call_1"`, `"toolCallId":"call_2"`).Replace(text)
		}},
		{"call without event", CheckTools, swap(`{"type":"tool/call","seq":8,"time":1767225600002,"data":{"turn":1,"step":1,"callId":"call_1","name":"shell","arguments":"{\"command\":[\"ls\"]}"}}`,
			`{"type":"plan/mode","seq":8,"time":1767225600002,"data":{"active":true}}`)},
		{"call without result", CheckTools, func(text string) string {
			lines := strings.SplitAfter(text, "\n")
			lines[10] = `{"type":"plan/mode","seq":9,"time":1,"data":{"active":true}}` + "\n"
			return strings.Join(lines, "")
		}},
		{"call id in two steps", CheckTools, swap(`{"type":"text","text":"One pixel, and a README."}`, `{"type":"tool-call","id":"call_1","name":"shell","arguments":""}`)},
		{"block without call", CheckTools, swap(`{"type":"text","text":"One pixel, and a README."}`, `{"type":"tool-call","id":"call_9","name":"shell","arguments":""}`)},
		// D6.
		{"head behind a user message", CheckHead, func(text string) string {
			lines := strings.SplitAfter(text, "\n")
			lines[6], lines[7] = strings.Replace(lines[7], `"seq":6`, `"seq":5`, 1), strings.Replace(lines[6], `"seq":5`, `"seq":6`, 1)
			return strings.Replace(strings.Join(lines, ""), `"messageSeqs":[6]`, `"messageSeqs":[5]`, 1)
		}},
		{"no head", CheckHead, func(text string) string {
			lines := strings.SplitAfter(text, "\n")
			lines[6] = `{"type":"plan/mode","seq":5,"time":1,"data":{"active":true}}` + "\n"
			return strings.Join(lines, "")
		}},
		{"head in another step", CheckHead, swap(`"data":{"turn":1,"step":1,"message":{"id":"m-0"`, `"data":{"turn":1,"step":2,"message":{"id":"m-0"`)},
		{"head replaced by another", CheckHead, swap(`"surfaceOp":"append"}`+"\n"+`{"type":"assistant`, `"surfaceOp":{"op":"replace","startSeq":5,"endSeq":5},"sourceEventSeqs":[5]}`+"\n"+`{"type":"assistant`)},
		// Turns and steps (V5, V6).
		{"turn gap", CheckTurns, swap(`"turn/start","seq":3,"time":1767225600000,"data":{"turn":1}`, `"turn/start","seq":3,"time":1767225600000,"data":{"turn":2}`)},
		{"step gap", CheckTurns, swap(`"step/start","seq":11,"time":1767225600004,"data":{"turn":1,"step":2}`, `"step/start","seq":11,"time":1767225600004,"data":{"turn":1,"step":3}`)},
		{"turn ends in a step", CheckTurns, swap(`"step/end","seq":13,"time":1767225600004,"data":{"turn":1,"step":2}`, `"plan/mode","seq":13,"time":1,"data":{"active":true}`)},
		{"step ends no step", CheckTurns, swap(`"step/end","seq":13,"time":1767225600004,"data":{"turn":1,"step":2}`, `"step/end","seq":13,"time":1767225600004,"data":{"turn":1,"step":1}`)},
		{"message of another step", CheckTurns, swap(`"turn":1,"step":2,"message":{"id":"m-4"`, `"turn":1,"step":1,"message":{"id":"m-4"`)},
		{"turn left open", CheckEnd, swap(`{"type":"turn/end","seq":14,"time":1767225600004,"data":{"turn":1,"reason":{"kind":"completed"}}}`, `{"type":"plan/mode","seq":14,"time":1,"data":{"active":true}}`)},
		// What is cited (V7, V9, V13).
		{"result without sources", "", swap(`,"sourceEventSeqs":[8]`, ``)},
		{"sources in ranges", "", swap(`[8]`, `[[3,5],8]`)},
		{"no sources", CheckRefs, swap(`[8]`, `[]`)},
		{"sources later", CheckRefs, swap(`[8]`, `[9]`)},
		{"sources twice", CheckRefs, swap(`[8]`, `[8,8]`)},
		{"sources not rising", "", swap(`[8]`, `[8,3]`)},
		{"ranges not rising", CheckRefs, swap(`[8]`, `[8,[3,4]]`)},
		{"range backwards", CheckRefs, swap(`[8]`, `[[4,3]]`)},
		{"range of three", CheckRefs, swap(`[8]`, `[[3,4,5]]`)},
		{"assistant sources", CheckRefs, swap(`"stream":[]},`, `"stream":[]},"sourceEventSeqs":[6],`)},
		{"title of nothing", CheckRefs, swap(`"messageSeqs":[6]`, `"messageSeqs":[]`)},
		{"title of a user with messages", CheckRefs, swap(`"kind":"fallback"`, `"kind":"user"`)},
		{"title of a user", "", swap(`"messageSeqs":[6],"source":{"kind":"fallback"}`, `"messageSeqs":[],"source":{"kind":"user"}`)},
		{"title of an answer", CheckRefs, swap(`"messageSeqs":[6]`, `"messageSeqs":[7]`)},
		{"title of a plugin", CheckRefs, swap(`"role":"user","source":{"kind":"user"}`, `"role":"user","source":{"kind":"plugin","plugin":"x"}`)},
		// Payloads (V10 to V12).
		{"payload member", CheckPayload, swap(`"data":{"preset"`, `"data":{"bogus":1,"preset"`)},
		{"payload lacks", CheckPayload, swap(`"data":{"preset":"workspace-write"}`, `"data":{}`)},
		{"data no object", CheckPayload, swap(`"data":{"preset":"workspace-write"}`, `"data":[]`)},
		{"empty preset", CheckPayload, swap(`"preset":"workspace-write"`, `"preset":""`)},
		{"sandbox mode", CheckPayload, swap(`{"mode":"workspace-write"}`, `{"mode":"workspace"}`)},
		{"policy", CheckPayload, swap(`"policy":"ask"`, `"policy":"on-request"`)},
		{"empty title", CheckPayload, swap(`"title":"What is in this picture, and in the folder?"`, `"title":""`)},
		{"user turn", CheckPayload, swap(`{"id":"m-1"`, `{"turn":1,"id":"m-1"`)},
		{"role", CheckPayload, swap(`"id":"m-1","role":"user"`, `"id":"m-1","role":"assistant"`)},
		{"source kind missing", CheckPayload, swap(`"role":"user","source":{"kind":"user"}`, `"role":"user","source":{}`)},
		{"source unknown", CheckRefs, swap(`"role":"user","source":{"kind":"user"}`, `"role":"user","source":{"kind":"own"}`)},
		{"assistant source", CheckPayload, swap(`{"kind":"model","provider":"openai","model":"gpt-5-codex"}`, `{"kind":"user"}`)},
		{"empty model", CheckPayload, swap(`"model":"gpt-5-codex"`, `"model":""`)},
		{"text no string", CheckPayload, swap(`{"type":"text","text":"README.md"}`, `{"type":"text","text":1}`)},
		{"text member", CheckPayload, swap(`{"type":"text","text":"README.md"}`, `{"type":"text","text":"","x":1}`)},
		{"empty arguments", "", func(text string) string {
			return strings.ReplaceAll(text, `"arguments":"{\"command\":[\"ls\"]}"`, `"arguments":""`)
		}},
		{"two results in one", CheckPayload, swap(`"isError":false}]`, `"isError":false},{"type":"text","text":""}]`)},
		{"empty result", "", swap(`"content":[{"type":"text","text":"README.md"}]`, `"content":[]`)},
		{"image in a result", "", swap(`{"type":"text","text":"README.md"}`, `{"type":"image","attachment":{"attachmentId":"sha256:431ced6916a2a21a156e38701afe55bbd7f88969fbbfc56d7fe099d47f265460","mediaType":"image/png","width":1,"height":1,"bytes":68,"name":"n","originalDimensions":{"width":2,"height":2}}}`)},
		{"error of a success", CheckPayload, swap(`"isError":false}]}`, `"isError":false}]},"error":{"name":"n","code":"c"}`)},
		{"error of a failure", "", swap(`"isError":false}]}`, `"isError":true}]},"error":{"name":"n","code":"c"},"meta":[1,{"x":null}]`)},
		{"empty answer", "", swap(`"content":[{"type":"text","text":"One pixel, and a README."}]`, `"content":[]`)},
		{"reason", CheckPayload, swap(`{"kind":"completed"}`, `{"kind":"completed","x":1}`)},
		{"reason of a hook", "", swap(`{"kind":"completed"}`, `{"kind":"aborted","reason":{"kind":"hook","reason":""}}`)},
		{"reason of an error", CheckPayload, swap(`{"kind":"completed"}`, `{"kind":"error","error":{"message":"m","code":"c","status":600}}`)},
		{"usage", "", swap(`"stream":[]`, `"stream":[],"usage":{"inputTokens":1,"outputTokens":2,"totalTokens":3},"interrupted":true`)},
		{"usage below 0", CheckPayload, swap(`"stream":[]`, `"stream":[],"usage":{"inputTokens":-1,"outputTokens":2}`)},
		{"interrupted false", CheckPayload, swap(`"stream":[]`, `"stream":[],"interrupted":false`)},
		{"media type", CheckPayload, swap(`image/png`, `image/svg`)},
		{"image width 0", CheckPayload, swap(`"width":1`, `"width":0`)},
		// The attachment store.
		{"image width", CheckImages, swap(`"width":1`, `"width":2`)},
		{"image bytes", CheckImages, swap(`"bytes":68`, `"bytes":69`)},
		{"image media type", CheckImages, swap(`image/png`, `image/webp`)},
		{"image missing", CheckImages, swap(`sha256:4`, `sha256:5`)},
		{"image id", CheckImages, swap(`sha256:431`, `md5:431`)},
	})
}
