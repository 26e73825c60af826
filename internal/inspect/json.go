package inspect

import (
	"context"
	"io"
	"strconv"
	"strings"

	"rollbook/internal/rollout"
)

// The members of the objects, in the order of the contract. A dot sets what
// belongs to an object within.
var (
	recordMembers = []string{"line", "block", "record_type", "item_type", "id", "session_id", "turn_id"}
	eventMembers  = []string{"sequence", "role", "kind", "text", "timestamp", "phase",
		"source.line", "source.block", "source.record_type", "source.item_type", "source.id", "source.session_id", "source.turn_id",
		"provenance", "tool_id", "tool_name", "tool_namespace"}
	diagnosticMembers = []string{"code", "line", "block"}
)

// A layout is how objects of one kind are written: what stands before each of
// their values and after the last.
type layout struct {
	before []string
	end    string
}

// newLayout lays the members out, each on a line of its own at that depth, or
// all on one line where depth is negative. A kind is written as the first
// member, "type".
func newLayout(depth int, kind string, members []string) *layout {
	l := new(layout)
	gap := func(depth int) string { return "\n" + strings.Repeat("  ", depth) }
	colon := ": "
	if depth < 0 {
		gap, colon = func(int) string { return "" }, ":"
	}
	next, inner := "{", ""
	if kind != "" {
		next = `{"type":"` + kind + `",`
	}
	for _, m := range members {
		outer, name, nested := strings.Cut(m, ".")
		if !nested {
			outer, name = "", m
		}
		switch {
		case inner == outer:
		case nested:
			next += gap(depth+1) + `"` + outer + `"` + colon + "{"
		default:
			next = gap(depth+1) + "}" + next
		}
		inner = outer
		in := depth + 1
		if nested {
			in++
		}
		l.before = append(l.before, next+gap(in)+`"`+name+`"`+colon)
		next = ","
	}
	l.end = gap(depth) + "}"
	return l
}

// compactEvent is an event on a line of its own.
var compactEvent = newLayout(-1, "", eventMembers)

// AppendEvent appends the event as a compact JSON object, as it stands in
// history.jsonl of a bundle. The contract numbers the events of a report from 1.
func AppendEvent(dst []byte, sequence int, e *Event) []byte {
	return compactEvent.event(dst, sequence, e)
}

func (l *layout) record(b []byte, r *Record) []byte {
	k := l.before
	return append(source(b, k, r, 0), l.end...)
}

// source appends the seven values that say where something stands.
func source(b []byte, k []string, r *Record, block int) []byte {
	b = appendNumber(append(b, k[0]...), r.Line)
	b = appendNumber(append(b, k[1]...), block)
	b = appendNullable(append(b, k[2]...), r.Type)
	b = appendNullable(append(b, k[3]...), r.ItemType)
	b = appendNullable(append(b, k[4]...), r.ID)
	b = appendNullable(append(b, k[5]...), r.Session)
	return appendNullable(append(b, k[6]...), r.Turn)
}

func (l *layout) event(b []byte, sequence int, e *Event) []byte {
	k := l.before
	b = appendNumber(append(b, k[0]...), sequence)
	b = appendWord(append(b, k[1]...), e.Role.String())
	b = appendWord(append(b, k[2]...), e.Kind.String())
	b = append(append(b, k[3]...), e.Text...)
	b = appendNullable(append(b, k[4]...), e.Timestamp)
	b = appendNullable(append(b, k[5]...), e.Phase)
	b = source(b, k[6:], e.Record, e.Block)
	b = appendWord(append(b, k[13]...), e.Kind.Provenance())
	b = appendNullable(append(b, k[14]...), e.ToolID)
	b = appendNullable(append(b, k[15]...), e.ToolName)
	b = appendNullable(append(b, k[16]...), e.ToolNamespace)
	return append(b, l.end...)
}

func (l *layout) diagnostic(b []byte, d *Diagnostic) []byte {
	k := l.before
	b = appendWord(append(b, k[0]...), string(d.Code))
	b = appendNumber(append(b, k[1]...), d.Line)
	b = appendNumber(append(b, k[2]...), d.Block)
	return append(b, l.end...)
}

// appendNumber appends a number that counts from 1; 0 is null.
func appendNumber(b []byte, n int) []byte {
	if n == 0 {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, int64(n), 10)
}

// appendWord appends a string that needs no escapes.
func appendWord(b []byte, s string) []byte {
	return append(append(append(b, '"'), s...), '"')
}

func appendNullable(b []byte, v rollout.Raw) []byte {
	if v == nil {
		return append(b, "null"...)
	}
	return append(b, v...)
}

// A JSON is a Handler that keeps the report, to write it as one JSON value. It
// holds about as much memory as the file has bytes.
type JSON struct{ tape }

var (
	topRecord     = newLayout(2, "", recordMembers)
	topEvent      = newLayout(2, "", eventMembers)
	topDiagnostic = newLayout(2, "", diagnosticMembers)
)

// Write writes the report: indented by two spaces, members in the order of
// spec/inspect.md 2.1, and a line feed at the end.
func (j *JSON) Write(ctx context.Context, w io.Writer, rep *Report) error {
	out := output{ctx: ctx, w: w}
	const gap = "\n  "
	b := appendHead(append(out.buf, '{'), gap)
	b = append(append(append(b, gap+`"state": "`...), rep.State...), `",`...)
	b = strconv.AppendInt(append(b, gap+`"snapshot_bytes": `...), rep.SnapshotBytes, 10)
	b = strconv.AppendInt(append(b, ","+gap+`"lines": `...), int64(rep.Lines), 10)
	out.buf = appendSets(append(b, ","+gap...), rep, 1)
	for _, list := range []struct {
		name string
		part part
	}{{"records", records}, {"events", events}, {"diagnostics", diagnostics}} {
		out.buf = append(out.buf, ","+gap+`"`+list.name+`": [`...)
		l := lister{out: &out}
		if err := j.replay(list.part, &l); err != nil {
			return err
		}
		if l.n > 0 {
			out.buf = append(out.buf, gap...)
		}
		out.buf = append(out.buf, ']')
	}
	out.buf = append(out.buf, "\n}\n"...)
	return out.flush()
}

// appendHead appends the members that open every form of the report, a comma
// behind each. A gap stands before each of them where it is not empty.
func appendHead(b []byte, gap string) []byte {
	colon := ":"
	if gap != "" {
		colon = ": "
	}
	b = append(b, gap+`"agent"`+colon+`"codex",`...)
	b = append(b, gap+`"inspection_version"`+colon+`1,`...)
	return append(b, gap+`"compatibility"`+colon+`"unverified",`...)
}

// appendSets appends the three sets of a report as members, at that depth, or
// on one line where it is negative.
func appendSets(b []byte, rep *Report, depth int) []byte {
	gap, inner, colon := "", "", ":"
	if depth >= 0 {
		gap = "\n" + strings.Repeat("  ", depth)
		inner, colon = gap+"  ", ": "
	}
	for i, set := range []struct {
		name    string
		strings []string
	}{{"session_ids", rep.SessionIDs}, {"observed_versions", rep.ObservedVersions}, {"project_paths", rep.ProjectPaths}} {
		if i > 0 {
			b = append(append(b, ','), gap...)
		}
		b = append(b, `"`+set.name+`"`+colon+`[`...)
		for i, s := range set.strings {
			if i > 0 {
				b = append(b, ',')
			}
			b = AppendQuoted(append(b, inner...), s)
		}
		if len(set.strings) > 0 {
			b = append(b, gap...)
		}
		b = append(b, ']')
	}
	return b
}

// A lister writes the elements of a list.
type lister struct {
	out *output
	n   int
}

func (l *lister) next() []byte {
	if l.n++; l.n > 1 {
		return append(l.out.buf, ",\n    "...)
	}
	return append(l.out.buf, "\n    "...)
}

func (l *lister) Record(r *Record) error {
	return l.out.put(topRecord.record(l.next(), r))
}

func (l *lister) Event(e *Event) error {
	b := l.next()
	return l.out.put(topEvent.event(b, l.n, e))
}

func (l *lister) Diagnostic(d *Diagnostic) error {
	return l.out.put(topDiagnostic.diagnostic(l.next(), d))
}

// output gathers what is written into larger pieces.
type output struct {
	ctx context.Context
	w   io.Writer
	buf []byte
}

// put takes the buffer back after something was appended to it.
func (o *output) put(b []byte) error {
	o.buf = b
	if len(b) < 64<<10 {
		return nil
	}
	return o.flush()
}

func (o *output) flush() error {
	if err := o.ctx.Err(); err != nil {
		return err
	}
	_, err := o.w.Write(o.buf)
	o.buf = o.buf[:0]
	return err
}
