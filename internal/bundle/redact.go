package bundle

import (
	"fmt"
	"slices"

	"rollbook/internal/inspect"
	"rollbook/internal/rollout"
	"rollbook/internal/secret"
)

// A redaction replaces what is found in events. Nil replaces nothing. Two of
// them that see the same events in the same order write the same.
type redaction struct {
	r      *secret.Redactor
	buf    []byte
	record inspect.Record // of the event at hand
	ids    [2]struct{ from, to rollout.Raw }
}

func newRedaction(o *secret.Options) *redaction {
	if o == nil {
		return nil
	}
	return &redaction{r: secret.NewRedactor(*o)}
}

// event redacts every string of an event, which is good until the next call.
func (x *redaction) event(e *inspect.Event) *inspect.Event {
	if x == nil {
		return e
	}
	x.r.At(secret.Place{Line: e.Line})
	out := *e
	x.record = *e.Record
	out.Record = &x.record
	for _, v := range []*rollout.Raw{&out.Phase, &x.record.ID, &x.record.ItemType, &x.record.Type,
		&out.Text, &out.ToolID, &out.ToolName, &out.ToolNamespace} {
		*v = x.raw(*v)
	}
	x.shared(&x.record.Session, 0)
	x.shared(&x.record.Turn, 1)
	return &out
}

// raw redacts a string as it is spelled. One with nothing in it is returned as it is.
func (x *redaction) raw(v rollout.Raw) rollout.Raw {
	if len(v) <= len(`""`) {
		return v
	}
	x.buf = v.AppendText(x.buf[:0])
	before := string(x.buf)
	after := x.r.Text(before)
	if after == before {
		return v
	}
	return inspect.AppendQuoted(nil, after)
}

// shared is raw for a string that most events share. What was found in it counts
// once for each value.
func (x *redaction) shared(v *rollout.Raw, i int) {
	last := &x.ids[i]
	if last.from == nil || !slices.Equal(*v, last.from) {
		last.from = slices.Clone(*v)
		last.to = slices.Clone(x.raw(last.from))
	}
	if *v != nil {
		*v = last.to
	}
}

// text redacts a string of the manifest, which has no line: it does not move the
// lines that are reported.
func (x *redaction) text(s *string) *string {
	if x == nil || s == nil {
		return s
	}
	x.r.At(secret.Place{})
	out := x.r.Text(*s)
	return &out
}

// omissions says what was replaced, code by code.
func (x *redaction) omissions() []string {
	if x == nil {
		return nil
	}
	var out []string
	for _, c := range x.r.Counts() {
		where := fmt.Sprintf("lines %d-%d", c.First.Line, c.Last.Line)
		if c.First.Line == 0 {
			where = "line n/a"
		}
		out = append(out, fmt.Sprintf("redacted %s: %d (%s)", c.Code, c.Count, where))
	}
	return out
}
