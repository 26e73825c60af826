package harness_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/dsh"
	"rollbook/internal/zstdio"
)

// onePixel is a PNG of one pixel.
var onePixel, _ = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=")

const onePixelSHA256 = "431ced6916a2a21a156e38701afe55bbd7f88969fbbfc56d7fe099d47f265460"

const sampleHeader = `{"type":"session","version":3,"id":"ID","createdAt":1767225600000,"cwd":"/srv/shop","isSeeded":false,"delegationDepth":0,"agentPreset":"standard"}`

// sampleEvents is a sound session: words and an image, a call with its result, an
// answer, a title.
var sampleEvents = strings.Split(`{"type":"permission/preset","data":{"preset":"workspace-write"}}
{"type":"sandbox/mode","data":{"mode":"workspace-write"}}
{"type":"approval/policy","data":{"policy":"ask"}}
{"type":"turn/start","data":{"turn":1}}
{"type":"step/start","data":{"turn":1,"step":1}}
{"type":"system/message","data":{"turn":1,"step":1,"message":{"id":"s","role":"system","source":{"kind":"plugin","plugin":"@deepseek-ai/dsh-system-prompt"},"content":[]}},"surfaceOp":"append"}
{"type":"user/message","data":{"id":"u","role":"user","source":{"kind":"user"},"content":[{"type":"text","text":"How full is the cart?"},{"type":"image","attachment":{"attachmentId":"sha256:`+onePixelSHA256+`","mediaType":"image/png","width":1,"height":1,"bytes":68}}]},"surfaceOp":"append"}
{"type":"assistant/message","data":{"turn":1,"step":1,"message":{"id":"a","role":"assistant","source":{"kind":"model","provider":"openai","model":"codex"},"content":[{"type":"reasoning","text":"count"},{"type":"tool-call","id":"c","name":"shell","arguments":"{}"}]},"stream":[]},"surfaceOp":"append"}
{"type":"tool/call","data":{"turn":1,"step":1,"callId":"c","name":"shell","arguments":"{}"}}
{"type":"tool/result","data":{"turn":1,"step":1,"message":{"id":"r","role":"user","source":{"kind":"tool","callId":"c"},"content":[{"type":"tool-result","toolCallId":"c","content":[{"type":"text","text":"3"}],"isError":false}]}},"surfaceOp":"append","sourceEventSeqs":[8]}
{"type":"step/end","data":{"turn":1,"step":1}}
{"type":"step/start","data":{"turn":1,"step":2}}
{"type":"assistant/message","data":{"turn":1,"step":2,"message":{"id":"b","role":"assistant","source":{"kind":"model","provider":"openai","model":"codex"},"content":[{"type":"text","text":"Three things."}]},"stream":[]},"surfaceOp":"append"}
{"type":"step/end","data":{"turn":1,"step":2}}
{"type":"turn/end","data":{"turn":1,"reason":{"kind":"completed"}}}
{"type":"session/title","data":{"title":"The cart","messageSeqs":[],"source":{"kind":"user"}}}`, "\n")

// A sample is a log with one fault, and the first check (by name) that refuses it.
type sample struct {
	name  string
	fault string
	edit  func(events []string) []string
	write func(w io.Writer, header, events string) error // nil: two frames with checksums
	mode  os.FileMode                                    // 0: 0600
	dir   string                                         // "": as the header says
}

func replace(at int, old, new string) func([]string) []string {
	return func(events []string) []string {
		if !strings.Contains(events[at], old) {
			panic(fmt.Sprintf("event %d has no %s", at, old))
		}
		events[at] = strings.Replace(events[at], old, new, 1)
		return events
	}
}

func without(at int) func([]string) []string {
	return func(events []string) []string { return slices.Delete(events, at, at+1) }
}

// textFrame writes text as one frame.
func textFrame(w io.Writer, checksum bool, text string) error {
	return zstdio.WriteFrame(w, checksum, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

var samples = []sample{
	{name: "sound"},
	{name: "no-head", fault: "continuation", edit: func(events []string) []string {
		return replace(8, "[8]", "[7]")(without(5)(events)) // the result is one earlier now
	}},
	{name: "no-surface", fault: "restore", edit: replace(6, `,"surfaceOp":"append"`, "")},
	{name: "no-id", fault: "members", edit: replace(6, `"id":"u",`, "")},
	{name: "same-id", fault: "settlement", edit: replace(12, `"id":"b"`, `"id":"a"`)},
	{name: "no-stream", fault: "members", edit: replace(7, `,"stream":[]`, "")},
	{name: "no-block", fault: "restore", edit: replace(7, `,{"type":"tool-call","id":"c","name":"shell","arguments":"{}"}`, "")},
	{name: "other-arguments", fault: "restore", edit: replace(8, `"arguments":"{}"`, `"arguments":"{\"a\":1}"`)},
	{name: "no-result", fault: "restore", edit: without(9)},
	{name: "extra-member", fault: "restore", edit: replace(6, `"surfaceOp"`, `"more":1,"surfaceOp"`)},
	{name: "unknown-type", fault: "restore", edit: replace(0, "permission/preset", "permission/other")},
	{name: "turn-gap", fault: "restore", edit: func(events []string) []string {
		for i := range events {
			events[i] = strings.Replace(events[i], `"turn":1`, `"turn":2`, 1)
		}
		return events
	}},
	{name: "other-image", fault: "images", edit: replace(6, `"width":1`, `"width":2`)},
	{name: "one-frame", fault: "frames", write: func(w io.Writer, header, events string) error {
		return textFrame(w, true, header+events)
	}},
	{name: "no-checksum", fault: "frames", write: func(w io.Writer, header, events string) error {
		if err := textFrame(w, true, header); err != nil {
			return err
		}
		return textFrame(w, false, events)
	}},
	{name: "cut", fault: "frames", write: func(w io.Writer, header, events string) error {
		var b bytes.Buffer
		if err := textFrame(&b, true, header); err != nil {
			return err
		}
		if err := textFrame(&b, true, events); err != nil {
			return err
		}
		_, err := w.Write(b.Bytes()[:b.Len()-1])
		return err
	}},
	{name: "readable", fault: "place", mode: 0o644},
	{name: "elsewhere", fault: "place", dir: "--srv-shop--/another"},
}

// writeSamples writes all samples and the image below a DSH home, and gives the
// check that refuses each, by the name of its folder.
func writeSamples(t *testing.T, home string) map[string]string {
	t.Helper()
	object := filepath.Join(home, "attachments", "v1", "objects", onePixelSHA256[:2], onePixelSHA256)
	write(t, object, 0o600, func(w io.Writer) error {
		_, err := w.Write(onePixel)
		return err
	})
	want := map[string]string{}
	for _, s := range samples {
		events := slices.Clone(sampleEvents)
		if s.edit != nil {
			events = s.edit(events)
		}
		header := strings.Replace(sampleHeader, "ID", s.name, 1) + "\n"
		dir := s.dir
		if dir == "" {
			dir = "--srv-shop--/" + s.name
		}
		mode := s.mode
		if mode == 0 {
			mode = 0o600
		}
		write(t, filepath.Join(home, "sessions", filepath.FromSlash(dir), dsh.LogName), mode, func(w io.Writer) error {
			if s.write != nil {
				return s.write(w, header, numbered(t, events))
			}
			if err := textFrame(w, true, header); err != nil {
				return err
			}
			return textFrame(w, true, numbered(t, events))
		})
		want[filepath.Base(dir)] = s.fault
	}
	return want
}

// numbered gives each event its seq and a time.
func numbered(t *testing.T, events []string) string {
	t.Helper()
	var b strings.Builder
	for seq, line := range events {
		if !json.Valid([]byte(line)) {
			t.Fatalf("event %d is no JSON: %s", seq, line)
		}
		fmt.Fprintf(&b, "{\"seq\":%d,\"time\":%d,%s\n", seq, 1767225600000+seq, line[1:])
	}
	return b.String()
}

func write(t *testing.T, name string, mode os.FileMode, fill func(io.Writer) error) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := fill(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}
