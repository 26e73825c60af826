package inspect

import (
	"cmp"
	"slices"

	"rollbook/internal/diag"
	"rollbook/internal/rollout"
)

// A Summary says what a file is made of, in counts. Types, OtherTypes, Blank
// and Lost together hold every line and every byte once (invariant R1).
// Keys of its JSON form keep their meaning within one inspection version.
type Summary struct {
	Agent             string `json:"agent"`
	InspectionVersion int    `json:"inspection_version"`
	Compatibility     string `json:"compatibility"`

	State         State `json:"state"`
	SnapshotBytes int64 `json:"snapshot_bytes"`
	Bytes         int64 `json:"bytes"` // read, after decompression
	Lines         int   `json:"lines"`
	Records       int   `json:"records"`
	Events        int   `json:"events"`

	SessionIDs       []string `json:"session_ids"`
	ObservedVersions []string `json:"observed_versions"`
	ProjectPaths     []string `json:"project_paths"`

	Types       []TypeCount       `json:"types"`       // most bytes first
	OtherTypes  RecordCount       `json:"other_types"` // of which there were too many to list
	Blank       LineCount         `json:"blank"`
	Lost        []LostCount       `json:"lost"`        // lines that could not be read, by code
	Diagnostics []DiagnosticCount `json:"diagnostics"` // all of them, by code
}

// A RecordCount counts records, the events that they gave and their bytes.
type RecordCount struct {
	Records int   `json:"records"`
	Events  int   `json:"events"`
	Bytes   int64 `json:"bytes"`
}

// A TypeCount counts the records of one envelope type and payload type.
type TypeCount struct {
	RecordType string  `json:"record_type"`
	ItemType   *string `json:"item_type"` // nil where the payload names none
	RecordCount
}

// A LineCount counts lines and their bytes.
type LineCount struct {
	Lines int   `json:"lines"`
	Bytes int64 `json:"bytes"`
}

func (c *LineCount) add(bytes int64) {
	c.Lines++
	c.Bytes += bytes
}

// A LostCount counts the lines that were lost for one reason.
type LostCount struct {
	Code diag.Code `json:"code"`
	LineCount
}

// A DiagnosticCount counts the diagnostics of one code.
type DiagnosticCount struct {
	Code  diag.Code `json:"code"`
	Count int       `json:"count"`
}

// What a Summary lists by name, at most. Codex has some sixty types.
const (
	maxTypes     = 1000
	maxTypeBytes = 1 << 20
)

// A Counter is a Handler that only counts.
type Counter struct {
	types       map[string]*TypeCount
	typeBytes   int // of the names
	key         []byte
	at          *RecordCount // of the record at hand
	other       RecordCount
	lost        map[diag.Code]*LostCount
	diagnostics map[diag.Code]int
}

// Record implements Handler.
func (c *Counter) Record(r *Record) error {
	c.at = c.count(r)
	c.at.Records++
	c.at.Bytes += r.Length
	return nil
}

// count gives the count that a record belongs to.
func (c *Counter) count(r *Record) *RecordCount {
	c.key = append(append(c.key[:0], r.Type...), r.ItemType...) // both in quotes
	if t := c.types[string(c.key)]; t != nil {
		return &t.RecordCount
	}
	if len(c.types) >= maxTypes || c.typeBytes+len(c.key) > maxTypeBytes {
		return &c.other
	}
	c.typeBytes += len(c.key)
	name, _ := r.Type.Text()
	t := &TypeCount{RecordType: name, ItemType: optional(r.ItemType)}
	if c.types == nil {
		c.types = make(map[string]*TypeCount)
	}
	c.types[string(c.key)] = t
	return &t.RecordCount
}

func optional(v rollout.Raw) *string {
	if text, ok := v.Text(); ok {
		return &text
	}
	return nil
}

// Event implements Handler.
func (c *Counter) Event(*Event) error {
	c.at.Events++
	return nil
}

// Diagnostic implements Handler.
func (c *Counter) Diagnostic(d *Diagnostic) error {
	if c.diagnostics == nil {
		c.diagnostics, c.lost = make(map[diag.Code]int), make(map[diag.Code]*LostCount)
	}
	c.diagnostics[d.Code]++
	if lineLost(d.Code) {
		l := c.lost[d.Code]
		if l == nil {
			l = &LostCount{Code: d.Code}
			c.lost[d.Code] = l
		}
		if l.Bytes += d.Length; d.Length > 0 { // a compressed stream may break between lines
			l.Lines++
		}
	}
	return nil
}

// Summary gives the counts, once Run has given the report.
func (c *Counter) Summary(rep *Report) *Summary {
	s := &Summary{
		Agent: "codex", InspectionVersion: 1, Compatibility: "unverified",
		State: rep.State, SnapshotBytes: rep.SnapshotBytes, Bytes: rep.Bytes,
		Lines: rep.Lines, Records: rep.Records, Events: rep.Events,
		SessionIDs: rep.SessionIDs, ObservedVersions: rep.ObservedVersions, ProjectPaths: rep.ProjectPaths,
		OtherTypes: c.other, Blank: rep.Blank,
	}
	for _, t := range c.types {
		s.Types = append(s.Types, *t)
	}
	slices.SortFunc(s.Types, func(a, b TypeCount) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.RecordType, b.RecordType), cmp.Compare(text(a.ItemType), text(b.ItemType)))
	})
	for _, code := range codes { // in the order of the contract
		if l := c.lost[code]; l != nil {
			s.Lost = append(s.Lost, *l)
		}
		if n := c.diagnostics[code]; n > 0 {
			s.Diagnostics = append(s.Diagnostics, DiagnosticCount{code, n})
		}
	}
	return s
}

// text orders an absent name before an empty one.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return `"` + *s
}
