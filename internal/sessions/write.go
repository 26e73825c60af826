package sessions

import (
	"context"
	"io"
	"strconv"

	"rollbook/internal/inspect"
)

// Write writes the report as one JSON value: indented by two spaces, members in
// the order of the contract, and a line feed at the end.
func (r *Report) Write(ctx context.Context, w io.Writer) error {
	p := printer{ctx: ctx, w: w}
	p.begin('{')
	p.text("agent", "codex")
	p.number("discovery_version", 1)
	p.text("root", r.Root)
	if r.Project == "" {
		p.literal("project", "null")
	} else {
		p.text("project", r.Project)
	}
	p.literal("partial", strconv.FormatBool(r.Partial()))
	p.number("files_inspected", r.FilesInspected)
	p.text("compatibility", "unverified")
	p.list("sessions")
	for i := range r.Sessions {
		p.session(&r.Sessions[i])
	}
	p.end(']')
	p.list("diagnostics")
	for _, d := range r.Diagnostics {
		p.element('{')
		p.text("path", d.Path)
		p.text("code", string(d.Code))
		p.end('}')
	}
	p.end(']')
	p.end('}')
	p.buf = append(p.buf, '\n')
	p.flush()
	return p.err
}

func (p *printer) session(s *Session) {
	p.element('{')
	p.text("path", s.Path)
	p.text("session_id", s.SessionID)
	p.list("observed_versions")
	for _, v := range s.ObservedVersions {
		p.next()
		p.buf = inspect.AppendQuoted(p.buf, v)
	}
	p.end(']')
	p.text("state", string(s.State))
	p.number("record_count", s.Records)
	p.number("event_count", s.Events)
	p.list("diagnostics")
	for d := range s.Diagnostics() {
		if p.err != nil {
			return
		}
		p.element('{')
		p.text("code", string(d.Code))
		p.place("line", d.Line)
		p.place("block", d.Block)
		p.end('}')
	}
	p.end(']')
	p.end('}')
}

// A printer writes indented JSON. It remembers the first error.
type printer struct {
	ctx   context.Context
	w     io.Writer
	buf   []byte
	depth int
	empty bool // nothing stands in the object or list yet
	err   error
}

func (p *printer) begin(bracket byte) {
	p.buf = append(p.buf, bracket)
	p.depth++
	p.empty = true
}

func (p *printer) end(bracket byte) {
	p.depth--
	if !p.empty {
		p.indent()
	}
	p.buf = append(p.buf, bracket)
	p.empty = false
}

// next makes room for a member or element.
func (p *printer) next() {
	if len(p.buf) >= 64<<10 {
		p.flush()
	}
	if !p.empty {
		p.buf = append(p.buf, ',')
	}
	p.empty = false
	p.indent()
}

func (p *printer) indent() {
	p.buf = append(p.buf, '\n')
	for range p.depth {
		p.buf = append(p.buf, "  "...)
	}
}

func (p *printer) flush() {
	if p.err == nil {
		p.err = p.ctx.Err()
	}
	if p.err == nil {
		_, p.err = p.w.Write(p.buf)
	}
	p.buf = p.buf[:0]
}

func (p *printer) literal(name, value string) {
	p.next()
	p.buf = append(append(append(p.buf, '"'), name...), `": `...)
	p.buf = append(p.buf, value...)
}

func (p *printer) text(name, value string) {
	p.literal(name, "")
	p.buf = inspect.AppendQuoted(p.buf, value)
}

func (p *printer) number(name string, n int) {
	p.literal(name, "")
	p.buf = strconv.AppendInt(p.buf, int64(n), 10)
}

// place writes a number that counts from 1; 0 is null.
func (p *printer) place(name string, n int) {
	if n == 0 {
		p.literal(name, "null")
		return
	}
	p.number(name, n)
}

func (p *printer) list(name string) {
	p.literal(name, "")
	p.begin('[')
}

func (p *printer) element(bracket byte) {
	p.next()
	p.begin(bracket)
}
