package interchange

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"rollbook/internal/diag"
	"rollbook/internal/transcript"
)

// maxCounter is the most that a counter of tokens may say: what every reader
// of JSON holds exactly.
const maxCounter = 1<<53 - 1

// maxResponseID is the longest response id, in characters.
const maxResponseID = 200

// A counter is one number of a usage object.
type counter struct {
	n     int64
	given bool // neither absent nor null
}

// counters are the numbers of a usage object.
type counters struct {
	input, cached, output, reasoning, total counter
	wrong                                   bool // one of them, or the object itself, cannot be
}

// counters takes a usage object. Its keys may end in _tokens, as in Codex's
// own records.
func (d *decoder) counters() (c counters) {
	if d.kind() != '{' {
		c.wrong = !d.null()
		if c.wrong {
			d.value()
		}
		return c
	}
	d.object(func(key []byte) bool {
		to := c.field(strings.TrimSuffix(string(key), "_tokens"))
		if to == nil {
			return false
		}
		v := d.value()
		*to = counter{}
		if v.Kind() == 'n' {
			return true
		}
		n, err := strconv.ParseInt(string(v), 10, 64)
		if err != nil || n < 0 || n > maxCounter {
			c.wrong = true
			return true
		}
		*to = counter{n, true}
		return true
	})
	return c
}

func (c *counters) field(name string) *counter {
	switch name {
	case "input":
		return &c.input
	case "cached_input":
		return &c.cached
	case "output":
		return &c.output
	case "reasoning_output":
		return &c.reasoning
	case "total":
		return &c.total
	}
	return nil
}

// check says what the counters lack, if anything.
func (c *counters) check() string {
	switch {
	case c.wrong:
		return "a counter is not a whole number from 0 to 2^53-1"
	case !c.input.given || !c.output.given || !c.total.given:
		return "input, output or total is missing"
	case c.cached.n > c.input.n:
		return "cached_input is more than input"
	case c.reasoning.n > c.output.n:
		return "reasoning_output is more than output"
	}
	return ""
}

// usage makes the event of a usage line.
func (p *normalizedParser) usage() (diag.Code, string) {
	c := &p.counters
	if msg := c.check(); msg != "" {
		return InvalidUsage, msg
	}
	if msg := CheckResponseID(p.rec.Event.ItemID); msg != "" {
		return InvalidUsage, msg
	}
	p.rec.NoCached, p.rec.NoReasoning = !c.cached.given, !c.reasoning.given
	p.rec.Event.Kind = transcript.Usage
	p.rec.Event.Usage = c.usage()
	return "", ""
}

func (c *counters) usage() *transcript.TokenUsage {
	return &transcript.TokenUsage{
		Input:           c.input.n,
		CachedInput:     c.cached.n,
		Output:          c.output.n,
		ReasoningOutput: c.reasoning.n,
		Total:           c.total.n,
	}
}

// CheckResponseID says what is wrong with the id of a response, if anything.
func CheckResponseID(id string) string {
	if id == "" || utf8.RuneCountInString(id) > maxResponseID {
		return "response_id is missing or too long"
	}
	return ""
}

// A Usage is a usage object.
type Usage struct {
	transcript.TokenUsage
	NoCached    bool // cached input was not counted, which is not 0
	NoReasoning bool // the same of reasoning output
}

// ParseUsage reads a usage object by the rules of a usage line, for who has such
// an object in a line of another format. why says what is wrong with it, if
// anything.
func ParseUsage(object []byte) (u Usage, why string) {
	var d decoder
	d.begin(object, true)
	c := d.counters()
	if d.err != nil {
		return u, "not JSON"
	}
	if why = c.check(); why != "" {
		return u, why
	}
	return Usage{*c.usage(), !c.cached.given, !c.reasoning.given}, ""
}
