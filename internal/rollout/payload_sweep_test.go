package rollout

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// touch reads everything that a payload leads to, so that a list which cannot
// be walked shows.
func touch(p Payload) (n int) {
	blocks := func(lists ...Blocks) {
		for _, l := range lists {
			n += len(l.Text())
			for i, b := range l.All() {
				n += i + len(b.Raw) + len(b.Text.String()) + len(b.URL.String()) + len(b.Data.String())
			}
		}
	}
	texts := func(lists ...Texts) {
		for _, l := range lists {
			n += len(l.Strings())
		}
	}
	switch p := p.(type) {
	case *Compacted:
		for _, item := range p.Replacement.All() {
			n += touch(item)
		}
	case *Message:
		blocks(p.Content)
		texts(p.Kinds)
	case *Reasoning:
		blocks(p.Summary, p.Content)
	case *AgentMessage:
		blocks(p.Content)
	case *ToolCall:
		n += len(p.Input())
	case *ToolOutput:
		n += len(p.Text())
		blocks(p.Blocks)
	case *LocalShellCall:
		texts(p.Action.Command)
	case *UserMessageEvent:
		texts(p.Images, p.LocalImages, p.Audio, p.LocalAudio)
	case *WebSearch:
		texts(p.Action.Queries)
	case *UserMessage:
		blocks(p.Content)
	case *AssistantMessage:
		blocks(p.Content)
	case *ReasoningItem:
		texts(p.Summary, p.Raw)
	case *CommandExecution:
		texts(p.Command)
	case *FileChange:
		for c := range p.Changes.All() {
			n += len(c.Path.String()) + len(c.Diff.String())
		}
	case *MCPToolCall:
		blocks(p.Result.Content)
	case *DynamicToolCall:
		blocks(p.Content)
	case *HookPrompt:
		blocks(p.Fragments)
	case *CollabCall:
		texts(p.Receivers)
		for id, s := range p.States.All() {
			n += len(id) + len(s.Message.String())
		}
	case *ExitedReview:
		for i, f := range p.Output.Findings.All() {
			n += i + len(f.Body.String())
		}
	case *InterAgent:
		texts(p.OtherRecipients)
	case *ItemCompleted:
		n += touch(p.Item)
	}
	return n
}

// A place is a value somewhere in a line.
type place struct {
	start, end int
	path       string
}

// places finds the values of a line, the inner ones too.
func places(line []byte) (all []place) {
	var walk func(v Raw, start int, path string)
	walk = func(v Raw, start int, path string) {
		all = append(all, place{start, start + len(v), path})
		w := v.Object()
		if v.IsArray() {
			w = v.Array()
		}
		for {
			key, m, ok := w.Next()
			if !ok {
				return
			}
			at := start + cap(v) - cap(m) // both are parts of the line
			sub := path + "[]"
			if key != nil {
				sub = strings.TrimPrefix(path+"."+name(key), ".")
			}
			walk(m, at, sub)
		}
	}
	walk(Raw(line), 0, "")
	return all
}

// Whatever kind of value stands at whatever place, the record keeps its type
// and only fields that lead to that place are odd (docs/format/rollout.md R5).
func TestWrongKinds(t *testing.T) {
	values := []string{`null`, `true`, `-7`, `1.5e300`, `"other"`, `""`, `[]`, `["a"]`, `[{}]`, `{}`, `{"type":"x","a":{"b":[1]}}`}
	for _, line := range samples {
		want := decodeLine(t, line).Type()
		for _, at := range places([]byte(line)) {
			for _, v := range values {
				if at.path == "" {
					continue
				}
				broken := line[:at.start] + v + line[at.end:]
				p := decodeLine(t, broken)
				touch(p)
				if last := at.path[strings.LastIndexByte(at.path, '.')+1:]; p.Type() != want &&
					last != "type" && at.path != "payload" && at.path != "id" && at.path != "timestamp" && at.path != "record_type" {
					t.Errorf("%s: %v, want %v", broken, p.Type(), want)
				}
				path := strings.TrimPrefix(at.path, "payload.")
				for _, odd := range p.Odd() {
					if path != odd && !strings.HasPrefix(path, odd+".") && !strings.HasPrefix(path, odd+"[") && !strings.HasPrefix(odd, path+".") && !strings.HasSuffix(path, "type") {
						t.Errorf("%s: odd field %s", broken, odd)
					}
				}
			}
		}
	}
}

// No cut line is taken for a whole one, and an object cut at any place and
// closed again decodes.
func TestTruncated(t *testing.T) {
	for _, line := range samples {
		var env Envelope
		for n := range len(line) {
			if Scan([]byte(line[:n]), &env) == NoFault && env.Object {
				t.Fatalf("%d bytes of %s are taken for a record", n, line)
			}
		}
		for _, at := range places([]byte(line)) {
			cut, ok := closed(line[:at.end])
			if !ok {
				t.Fatalf("cannot close %s", line[:at.end])
			}
			touch(decodeLine(t, cut))
		}
	}
}

// closed closes the brackets that are open at the end of s, which ends behind
// a value.
func closed(s string) (string, bool) {
	var open []byte
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			i = skipString([]byte(s), i) - 1
		case '{':
			open = append(open, '}')
		case '[':
			open = append(open, ']')
		case '}', ']':
			if len(open) == 0 {
				return "", false
			}
			open = open[:len(open)-1]
		}
	}
	for i := len(open) - 1; i >= 0; i-- {
		s += string(open[i])
	}
	return s, true
}

// Decode takes any line that Scan accepts, and says the same of it twice.
func FuzzDecode(f *testing.F) {
	for _, line := range samples {
		f.Add([]byte(line))
	}
	f.Add([]byte(`{"type":"message","content":[[],{"text":"\ud83d\ude00\u0000"},"x"],"role":{}}`))
	f.Add([]byte(` {"metadata":{},"payload":{"type":"message"},"type":"response_item"} `))
	f.Fuzz(func(t *testing.T, line []byte) {
		var env Envelope
		if Scan(line, &env) != NoFault || !env.Object {
			return
		}
		kept := bytes.Clone(line)
		p := Decode(&env, line)
		n := touch(p)
		if t1, t2 := p.Type(), env.RecordType(); t1 != t2 && t1 != RecordUnknown {
			t.Errorf("decoded as %v, envelope says %v", t1, t2)
		}
		if len(p.Odd()) > maxOdd {
			t.Errorf("%d odd fields", len(p.Odd()))
		}
		if !bytes.Equal(line, kept) {
			t.Error("the line was changed")
		}
		if q := Decode(&env, line); touch(q) != n || fmt.Sprint(q.Odd()) != fmt.Sprint(p.Odd()) {
			t.Error("decoded twice, two results")
		}
		touch(DecodeItem(Raw(bytes.TrimSpace(line))))
	})
}
