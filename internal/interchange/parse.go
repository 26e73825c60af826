package interchange

import "rollbook/internal/diag"

// A NormalizedParser reads single lines of the normalized format, for who cuts a
// file into lines, or into the items of an array, himself.
type NormalizedParser struct {
	p normalizedParser
	r reader
}

// NewNormalizedParser makes a parser.
func NewNormalizedParser() *NormalizedParser {
	p := &NormalizedParser{}
	p.r.parser = &p.p
	return p
}

// Parse reads a line. Where it makes no record the code says why. The record is
// good until the next call; its Position is zero.
func (p *NormalizedParser) Parse(text []byte) (*NormalizedRecord, diag.Code, string) {
	return parseLine(&p.r, p.p.record, text)
}

// An EventParser reads single lines of the events format.
type EventParser struct {
	p eventParser
	r reader
}

// NewEventParser makes a parser.
func NewEventParser() *EventParser {
	p := &EventParser{}
	p.r.parser = &p.p
	return p
}

// Parse is as that of a NormalizedParser.
func (p *EventParser) Parse(text []byte) (*EventRecord, diag.Code, string) {
	return parseLine(&p.r, p.p.record, text)
}

func parseLine[R any](r *reader, record func(diag.Position) *R, text []byte) (*R, diag.Code, string) {
	if code, message := r.parse(text, false); code != "" {
		return nil, code, message
	}
	return record(diag.Position{}), "", ""
}

// ParseTime reads a time as both formats spell it: a number of seconds or
// milliseconds, also as a string, or ISO 8601, where no zone means UTC; from 1970
// to 2100.
func ParseTime(s string) (unix int64, ok bool) {
	t, ok := parseTime(s)
	return t.UnixMilli(), ok
}
