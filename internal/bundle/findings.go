package bundle

import (
	"bytes"
	"slices"

	"rollbook/internal/inspect"
	"rollbook/internal/rollout"
	"rollbook/internal/secret"
)

// A Finding says where a possible secret stands, and never what it is
// (spec/bundle.md 5.7). Line and Block are nil where it is not in an event.
type Finding struct {
	Code      string `json:"code"`
	Line      *int   `json:"line"`
	Block     *int   `json:"block"`
	Field     string `json:"field"`
	Selection int    `json:"selection,omitzero"` // of the sorted selected paths, from 1
}

// fields are where a finding can be. Those of an event stand in the order of its
// keys, by which it is scanned.
var fields = []string{"event", "phase", "source", "source.id", "source.session_id", "source.turn_id",
	"text", "tool_id", "tool_name", "tool_namespace",
	"source.version", "project.remote", "project.branch", "code_selection"}

// A found is a Finding in few bytes: a log can hold many.
type found struct {
	line, block int32
	code, field uint8
	selection   uint8
}

// findings collects what is found in a bundle.
type findings struct {
	list []found
	ids  [2]remembered // session_id and turn_id, which most events share
	buf  []byte
}

// A remembered string was looked through before.
type remembered struct {
	text  rollout.Raw
	codes []string
}

// event looks through every string of an event.
func (f *findings) event(e *inspect.Event) {
	f.raw(e, "event", e.Timestamp)
	f.raw(e, "phase", e.Phase)
	f.raw(e, "source.id", e.ID)
	f.raw(e, "source", e.ItemType)
	f.raw(e, "source", e.Type)
	f.shared(e, "source.session_id", e.Session, &f.ids[0])
	f.shared(e, "source.turn_id", e.Turn, &f.ids[1])
	f.raw(e, "text", e.Text)
	f.raw(e, "tool_id", e.ToolID)
	f.raw(e, "tool_name", e.ToolName)
	f.raw(e, "tool_namespace", e.ToolNamespace)
}

func (f *findings) raw(e *inspect.Event, field string, v rollout.Raw) {
	if len(v) > len(`""`) {
		f.buf = v.AppendText(f.buf[:0])
		f.add(secret.Codes(string(f.buf)), field, e.Line, e.Block, 0)
	}
}

func (f *findings) shared(e *inspect.Event, field string, v rollout.Raw, last *remembered) {
	if !bytes.Equal(v, last.text) {
		f.buf = v.AppendText(f.buf[:0])
		last.text, last.codes = append(last.text[:0], v...), secret.Codes(string(f.buf))
	}
	f.add(last.codes, field, e.Line, e.Block, 0)
}

// text looks through a string that is in no event.
func (f *findings) text(field, s string, selection int) {
	f.add(secret.Codes(s), field, 0, 0, selection)
}

func (f *findings) add(codes []string, field string, line, block, selection int) {
	for _, code := range codes {
		f.list = append(f.list, found{int32(line), int32(block),
			uint8(slices.Index(secret.ContractCodes, code)), uint8(slices.Index(fields, field)), uint8(selection)})
	}
}

// all gives the findings as they are reported.
func (f *findings) all(yield func(Finding) bool) {
	for _, g := range f.list {
		out := Finding{Code: secret.ContractCodes[g.code], Field: fields[g.field], Selection: int(g.selection)}
		if g.line > 0 {
			line := int(g.line)
			out.Line = &line
		}
		if g.block > 0 {
			block := int(g.block)
			out.Block = &block
		}
		if !yield(out) {
			return
		}
	}
}
