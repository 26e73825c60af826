package inspect

import (
	"context"
	"io"
	"strconv"
)

var (
	lineRecord     = newLayout(-1, "record", recordMembers)
	lineEvent      = newLayout(-1, "event", eventMembers)
	lineDiagnostic = newLayout(-1, "diagnostic", diagnosticMembers)
)

// An NDJSON is a Handler that writes one JSON object a line and keeps nothing:
// a start object, the objects of the report by line, and a summary.
type NDJSON struct {
	out    output
	events int
}

// NewNDJSON writes the report of src to w. The start object is written with
// the first thing that Run reports.
func NewNDJSON(ctx context.Context, w io.Writer, src *Source) *NDJSON {
	n := &NDJSON{out: output{ctx: ctx, w: w}}
	b := append(n.out.buf, `{"type":"start",`...)
	b = append(appendHead(b, ""), `"snapshot_bytes":`...)
	if src.Sized() {
		b = strconv.AppendInt(b, src.SnapshotBytes(), 10)
	} else {
		b = append(b, "null"...)
	}
	n.out.buf = append(b, "}\n"...)
	return n
}

// Record implements Handler.
func (n *NDJSON) Record(r *Record) error {
	return n.out.put(append(lineRecord.record(n.out.buf, r), '\n'))
}

// Event implements Handler.
func (n *NDJSON) Event(e *Event) error {
	n.events++
	return n.out.put(append(lineEvent.event(n.out.buf, n.events, e), '\n'))
}

// Diagnostic implements Handler.
func (n *NDJSON) Diagnostic(d *Diagnostic) error {
	return n.out.put(append(lineDiagnostic.diagnostic(n.out.buf, d), '\n'))
}

// Close writes the summary of the report, or only what is left where there is
// none.
func (n *NDJSON) Close(src *Source, rep *Report) error {
	if rep != nil {
		b := append(n.out.buf, `{"type":"summary","state":"`...)
		b = append(append(b, rep.State...), `",`...)
		if !src.Sized() { // else it stands in the start object
			b = strconv.AppendInt(append(b, `"snapshot_bytes":`...), rep.SnapshotBytes, 10)
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, `"lines":`...), int64(rep.Lines), 10)
		b = appendSets(append(b, ','), rep, -1)
		n.out.buf = append(b, "}\n"...)
	}
	return n.out.flush()
}
