package store

import (
	"math/bits"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"rollbook/internal/query"
	"rollbook/internal/transcript"
)

// A callResult is what a result says of its call.
type callResult struct {
	exit     *int
	failed   *bool
	duration *time.Duration
}

// Encode makes a row of an event. Texts are cut at the limit, and data that
// stands in them as base64 is left out: images and attachments are never stored.
// The event is not kept. What costs time is left to Pack.
func Encode(ev *transcript.Event, at RowInfo) *Row {
	r := &Row{RowInfo: at, Kind: ev.Kind, Role: RoleOf(ev), model: ev.Model, callID: ev.CallID}
	if r.Time.IsZero() {
		r.Time = ev.Time
	}
	if ev.Kind == transcript.ToolCall || ev.Kind == transcript.ToolResult {
		r.Tool = ToolOf(ev)
	}
	r.flags(ev)
	text, cut := clip(withoutData(TextOf(ev)), at.Text)
	if cut {
		r.Flags |= Truncated
	}
	r.text = text
	r.more = extraText(ev, at.Text)
	if ev.Kind == transcript.ToolResult {
		r.result = &callResult{ev.ExitCode, ev.IsError, ev.Duration}
	}
	if ev.Kind == transcript.Usage && r.Usage == nil && ev.Usage != nil {
		r.Usage = &Usage{TokenUsage: *ev.Usage, ResponseID: ev.ItemID}
		if ev.ItemID != "" {
			r.Usage.Kind = UsageResponse
		}
	}
	return r
}

// Pack compresses the row and cuts it into tokens, which is most of the work. It
// must be called before the row is added, on any goroutine.
func (r *Row) Pack() {
	r.chars = utf8.RuneCountInString(r.text)
	r.hash = xxhash.Sum64String(r.text)
	r.body = pack(r.text)
	if r.more != "" {
		r.extra = pack(r.more)
	}
	switch indexed(r.Kind) {
	case Words:
		r.tokens, r.length = query.AppendTokens(nil, r.text)
		r.tokens = query.AppendMarkers(r.tokens, r.tokens)
	case Outputs: // they are cut into tokens by the second pass
		r.length = r.chars / outputToken
	}
	r.text, r.more = "", ""
}

func (r *Row) flags(ev *transcript.Event) {
	for _, f := range []struct {
		on   bool
		flag Flag
	}{
		{ev.Inherited, Inherited}, {len(ev.Images) > 0, HasImage}, {len(ev.Changes) > 0, HasChange},
		{ev.IsError != nil && *ev.IsError, IsError},
		{ev.Origin == transcript.Recovered, Recovered}, {ev.Origin == transcript.Synthetic, Synthetic},
	} {
		if f.on {
			r.Flags |= f.flag
		}
	}
}

// TextOf gives the text of an event: what it says, asks a tool, or gives back.
func TextOf(ev *transcript.Event) string {
	switch ev.Kind {
	case transcript.ToolCall:
		return ev.Arguments
	case transcript.ToolResult:
		return ev.Output
	}
	return ev.Text
}

// RoleOf gives who speaks in an event.
func RoleOf(ev *transcript.Event) Role {
	switch ev.Kind {
	case transcript.User:
		return RoleUser
	case transcript.Assistant, transcript.Reasoning:
		return RoleAssistant
	case transcript.ToolCall, transcript.ToolResult:
		return RoleTool
	case transcript.Context:
		if ev.Role == "user" {
			return RoleUser
		}
		return RoleOther
	}
	return NoRole
}

// ToolOf gives the name of an event's tool with its namespace before it.
func ToolOf(ev *transcript.Event) string {
	if ev.Namespace == "" {
		return ev.Tool
	}
	return ev.Namespace + "." + ev.Tool
}

// The two full text tables.
const (
	Words   = "words"   // messages
	Outputs = "outputs" // everything else that has a text
)

// indexed names the full text table in which events of a kind are; "" for none.
func indexed(k transcript.Kind) string {
	switch k {
	case transcript.User, transcript.Assistant, transcript.ToolCall:
		return Words
	case transcript.ToolResult, transcript.Reasoning, transcript.Compaction, transcript.Context, transcript.Notice:
		return Outputs
	}
	return ""
}

// outputToken is how many code points of an output make a token, about.
const outputToken = 6

// clip cuts a text after n code points; 0 cuts nothing.
func clip(s string, n int) (string, bool) {
	if n <= 0 || len(s) <= n {
		return s, false
	}
	for i := range s {
		if n--; n < 0 {
			return s[:i], true
		}
	}
	return s, false
}

// mostData is how many bytes of base64 a text may hold as a data URL.
const mostData = 1 << 10

// withoutData leaves the data out of data URLs.
func withoutData(s string) string {
	const sign = ";base64,"
	at := strings.Index(s, sign)
	if at < 0 {
		return s
	}
	var b strings.Builder
	for at >= 0 {
		at += len(sign)
		n := base64Run(s[at:])
		head := s[max(0, at-len(sign)-100):at]
		b.WriteString(s[:at])
		if n > mostData && strings.Contains(head, "data:") {
			b.WriteString("(left out)")
		} else {
			b.WriteString(s[at : at+n])
		}
		s = s[at+n:]
		at = strings.Index(s, sign)
	}
	b.WriteString(s)
	return b.String()
}

// base64Run gives how many bytes at the start of a text may be base64.
func base64Run(s string) int {
	for i := range len(s) {
		c := s[i]
		if c-'a' < 26 || c-'A' < 26 || c-'0' < 10 || c == '+' || c == '/' || c == '=' || c == '-' || c == '_' || c == '%' {
			continue
		}
		return i
	}
	return len(s)
}

// An event's id carries its time, so that the order of ids is that of time:
// milliseconds since 1970, a number within the millisecond, and how long the
// text is, roughly, for ranking.
const (
	lengthBits = 4
	countBits  = 16
	timeShift  = lengthBits + countBits
)

// idOf makes an id; n counts within the millisecond.
func idOf(ms int64, n, length int) int64 {
	return ms<<timeShift | int64(n&(1<<countBits-1))<<lengthBits | int64(min(1<<lengthBits-1, bits.Len(uint(length))))
}

// TimeOf gives the time that an id carries.
func TimeOf(id int64) time.Time { return time.UnixMilli(id >> timeShift).UTC() }

// Bounds gives the ids of a span of time: from the first on, up to and without
// the last. Zero times are open ends.
func Bounds(since, until time.Time) (lo, hi int64) {
	hi = 1<<63 - 1
	if !since.IsZero() {
		lo = clampMilli(ceilMilli(since)) << timeShift
	}
	if ms := ceilMilli(until); !until.IsZero() && ms <= lastMilli {
		hi = clampMilli(ms) << timeShift
	}
	return lo, hi
}

// lastMilli is the last millisecond that an id carries, in the year 2248. The one
// after it is kept free for what does not go into it.
const lastMilli = 1<<(63-timeShift) - 2

// clampMilli gives the nearest time that an id carries.
func clampMilli(ms int64) int64 { return min(max(ms, 0), lastMilli) }

func ceilMilli(t time.Time) int64 {
	return t.Add(time.Millisecond - time.Nanosecond).UnixMilli()
}

// LengthOf gives the length class that an id carries: about the binary logarithm
// of the number of tokens.
func LengthOf(id int64) int { return int(id & (1<<lengthBits - 1)) }
