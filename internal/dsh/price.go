package dsh

import (
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// The harness's own estimate of what a model is given: so many UTF-16 units to a
// token, and so much for each block and each message (docs/format/dsh.md, T1).
const (
	unitsPerToken = 4
	blockTokens   = 4
	messageTokens = 4
)

// perUnits is the price of so many UTF-16 units.
func perUnits(n int) int64 { return int64(n+unitsPerToken-1) / unitsPerToken }

// textTokens is the price of a text without what frames it.
func textTokens(s string) int64 { return perUnits(utf16Len(s)) }

// utf16Len is how many UTF-16 units a text has. Most texts are ASCII, and are
// looked at eight bytes at a time.
func utf16Len(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if plain := asciiRun(s[i:]); plain > 0 {
			n += plain
			i += plain
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// asciiRun is how many bytes at the start of s are ASCII.
func asciiRun(s string) int {
	n := 0
	for ; n+8 <= len(s); n += 8 {
		if eight(s[n:])&0x8080808080808080 != 0 {
			break
		}
	}
	for n < len(s) && s[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// eight is the first eight bytes of s as a number.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// tokens is the price of an event that we write; 0 off the surface.
func tokens(d Data) int64 {
	switch d := d.(type) {
	case *UserMessage:
		return tokens(*d)
	case *AssistantMessage:
		return tokens(*d)
	case *ToolResult:
		return tokens(*d)
	case UserMessage:
		return blocksTokens(d.Content) + messageTokens
	case AssistantMessage:
		if len(d.Content) == 0 {
			return 0 // the model is given none
		}
		return blocksTokens(d.Content) + messageTokens
	case ToolResult:
		return blocksTokens(d.Content) + blockTokens + messageTokens
	}
	return 0
}

func blocksTokens(list []Block) int64 {
	var n int64
	for _, b := range list {
		switch b := b.(type) {
		case Text:
			n += textTokens(b.Text) + blockTokens
		case Reasoning:
			n += textTokens(b.Text) + blockTokens
		case Call:
			n += textTokens(b.Name) + textTokens(b.Arguments) + blockTokens
		case Image:
			e := encoder{w: io.Discard}
			b.encode(&e)
			n += textTokens(string(e.buf)) + blockTokens
		}
	}
	return n
}

// messagePrice is the price of a message that was read, and how many UTF-16
// units the texts of its tool results have.
func messagePrice(kind string, message value) (tokens int64, output int) {
	content := message.get("content")
	if kind == "assistant/message" && len(content.list) == 0 {
		return 0, 0
	}
	tokens = contentPrice(content)
	if kind != "system/message" {
		tokens += messageTokens
	}
	for _, b := range content.list {
		if b.get("type").is("tool-result") {
			for _, part := range b.get("content").list {
				output += utf16Len(part.get("text").text)
			}
		}
	}
	return tokens, output
}

func contentPrice(content value) int64 {
	var n int64
	for _, b := range content.list {
		n += blockTokens
		switch b.get("type").text {
		case "text", "reasoning":
			n += textTokens(b.get("text").text)
		case "tool-call":
			n += textTokens(b.get("name").text) + textTokens(b.get("arguments").text)
		case "tool-result":
			n += contentPrice(b.get("content"))
		default:
			n += perUnits(jsonLen(b))
		}
	}
	return n
}

// jsonLen is how many UTF-16 units JSON.stringify makes of a value.
func jsonLen(v value) int {
	switch v.kind {
	case '"':
		quoted, _ := jsontext.AppendQuote(nil, v.text)
		return utf16Len(string(quoted))
	case '0':
		return len(jsontext.Float(v.num).String())
	case 'f':
		return len("false")
	case '[', '{':
		n := 2 + max(len(v.list)-1, 0)
		for i, item := range v.list {
			if v.kind == '{' {
				n += jsonLen(value{kind: '"', text: v.names[i]}) + 1
			}
			n += jsonLen(item)
		}
		return n
	}
	return len("true") // or null
}

// A meter adds up what the model is given of a log: what a replacement shadows
// counts no more (T2). It keeps some bytes for each message.
type meter struct {
	surface surface
	nodes   map[int64]node
	tokens  int64
}

type node struct {
	tokens int64
	output int // UTF-16 units of tool results
}

// event takes the event at a place in the log.
func (m *meter) event(seq int64, v value) {
	kind := v.get("type").text
	if !surfaceKinds[kind] {
		return
	}
	op := v.get("surfaceOp")
	if !op.exists() {
		return
	}
	message := v.get("data")
	if kind != "user/message" {
		message = message.get("message")
	}
	price, output := messagePrice(kind, message)
	start, okStart := op.get("startSeq").count()
	end, okEnd := op.get("endSeq").count()
	if okStart && okEnd && m.surface.span(start, end, func(int64) bool { return true }) {
		m.surface.span(start, end, func(seq int64) bool {
			m.tokens -= m.nodes[seq].tokens
			delete(m.nodes, seq)
			return true
		})
		m.surface.replace(seq, start, end)
	} else {
		m.surface.append(seq)
	}
	if m.nodes == nil {
		m.nodes = make(map[int64]node)
	}
	m.nodes[seq] = node{price, output}
	m.tokens += price
}

// limited is the price where tool output is cut to so many UTF-16 units.
func (m *meter) limited(units int) int64 {
	total := m.tokens
	for _, n := range m.nodes {
		if n.output > units {
			total -= perUnits(n.output) - perUnits(units+markerUnits)
		}
	}
	return total
}

// markerUnits is how long the marker of a cut output is, about.
const markerUnits = 70
