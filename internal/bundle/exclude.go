package bundle

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"rollbook/internal/inspect"
	"rollbook/internal/rollout"
)

// A Range is lines of the rollout, from 1, both ends included.
type Range struct{ First, Last int }

func (r Range) String() string {
	if r.First == r.Last {
		return fmt.Sprintf("line %d", r.First)
	}
	return fmt.Sprintf("lines %d-%d", r.First, r.Last)
}

// Exclude says which events are left out of a bundle.
type Exclude struct {
	Lines []Range
	Roles []inspect.Role
	Tools []string // calls by name, and their results by the id of the call
}

// An excluder decides which events are kept, the same in every reading. Each
// exclusion must meet an event (B17).
type excluder struct {
	Exclude
	calls             map[[16]byte]bool // ids of the calls of excluded tools
	lines, roles, tls []bool            // which of the exclusions met an event
	buf               []byte
}

func newExcluder(x Exclude) *excluder {
	return &excluder{
		Exclude: x,
		calls:   make(map[[16]byte]bool),
		lines:   make([]bool, len(x.Lines)),
		roles:   make([]bool, len(x.Roles)),
		tls:     make([]bool, len(x.Tools)),
	}
}

// see notes the calls of excluded tools, so that a result is known wherever it
// stands.
func (x *excluder) see(e *inspect.Event) {
	if e.Kind == inspect.ToolCall && e.ToolID != nil && x.tool(e) >= 0 {
		x.calls[x.idOf(e.ToolID)] = true
	}
}

func (x *excluder) idOf(id rollout.Raw) [16]byte {
	x.buf = id.AppendText(x.buf[:0])
	sum := sha256.Sum256(x.buf)
	return [16]byte(sum[:16])
}

// tool gives which of the excluded tools the event names, or -1.
func (x *excluder) tool(e *inspect.Event) int {
	if e.ToolName == nil {
		return -1
	}
	return slices.IndexFunc(x.Tools, e.ToolName.Is)
}

// drop reports whether an event is left out.
func (x *excluder) drop(e *inspect.Event) bool {
	dropped := false
	for i, r := range x.Lines {
		if r.First <= e.Line && e.Line <= r.Last {
			x.lines[i], dropped = true, true
		}
	}
	if i := slices.Index(x.Roles, e.Role); i >= 0 {
		x.roles[i], dropped = true, true
	}
	if len(x.Tools) == 0 || e.Kind != inspect.ToolCall && e.Kind != inspect.ToolResult {
		return dropped
	}
	if i := x.tool(e); i >= 0 {
		x.tls[i], dropped = true, true
	}
	return dropped || e.ToolID != nil && x.calls[x.idOf(e.ToolID)]
}

// check names an exclusion that met no event.
func (x *excluder) check() error {
	for i, met := range x.lines {
		if !met {
			return fmt.Errorf("no event stands in %s, which is to be excluded", x.Lines[i])
		}
	}
	for i, met := range x.roles {
		if !met {
			return fmt.Errorf("no event has the role %s, which is to be excluded", x.Roles[i])
		}
	}
	for i, met := range x.tls {
		if !met {
			return fmt.Errorf("no event is of the tool %q, which is to be excluded", x.Tools[i])
		}
	}
	return nil
}

// A toolScan is a reading that only notes the calls of excluded tools.
type toolScan struct{ x *excluder }

func (t toolScan) Record(*inspect.Record) error         { return nil }
func (t toolScan) Event(e *inspect.Event) error         { t.x.see(e); return nil }
func (t toolScan) Diagnostic(*inspect.Diagnostic) error { return nil }
