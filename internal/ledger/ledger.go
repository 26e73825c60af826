// Package ledger counts what became of the lines of a source that is imported.
//
// The names are those of the import's output (docs/import.md, "Counters"). Who
// reads a format counts; nobody here decides what counts as what.
package ledger

// Counts are the counters of one source, of one run, or of a whole store: they
// are added up with Add. Lines are physical lines that are not blank; items of
// a JSON array count as lines.
type Counts struct {
	Files int64 `json:"files"`
	Lines int64 `json:"lines"`

	// Imported is how many records became messages: of the person, of the
	// assistant, or a call of a tool.
	Imported int64 `json:"imported_records"`

	InvalidJSON       int64 `json:"invalid_json"`       // lines that are not JSON, or are cut
	UnknownEvents     int64 `json:"unknown_events"`     // JSON of a kind that is not known
	InvalidTimestamps int64 `json:"invalid_timestamps"` // records without a time that can be used: dropped
	Empty             int64 `json:"empty"`              // records without text and tool: dropped
	Oversized         int64 `json:"oversized_lines"`    // lines over the limit: dropped, and counted as lines
	Repaired          int64 `json:"repaired_text"`      // lines whose bytes were no UTF-8: read with U+FFFD
	Truncated         int64 `json:"truncated_messages"` // messages cut at the limit for texts

	NonNatural        int64 `json:"non_natural_users"`            // records of the user's role that nobody typed: kept, marked
	MirroredUsers     int64 `json:"mirrored_user_records"`        // items that an event of the thread stands for
	MirroredResponses int64 `json:"mirrored_response_records"`    // message items, of user and assistant, that repeat an event
	Context           int64 `json:"context_records"`              // injected, developer and system items: not messages
	Inherited         int64 `json:"inherited_records"`            // copied from a parent thread
	RolledBack        int64 `json:"rolled_back"`                  // hidden by a rollback or a revert
	Subagents         int64 `json:"subagent_threads"`             // threads that another one started
	Compressed        int64 `json:"compressed_files"`             //
	InvalidUsage      int64 `json:"invalid_usage_records"`        // token counters that cannot be right: dropped
	UsageWithoutInfo  int64 `json:"usage_snapshots_without_info"` // token events that count nothing
}

// Add adds the counters of o.
func (c *Counts) Add(o Counts) {
	c.Files += o.Files
	c.Lines += o.Lines
	c.Imported += o.Imported
	c.InvalidJSON += o.InvalidJSON
	c.UnknownEvents += o.UnknownEvents
	c.InvalidTimestamps += o.InvalidTimestamps
	c.Empty += o.Empty
	c.Oversized += o.Oversized
	c.Repaired += o.Repaired
	c.Truncated += o.Truncated
	c.NonNatural += o.NonNatural
	c.MirroredUsers += o.MirroredUsers
	c.MirroredResponses += o.MirroredResponses
	c.Context += o.Context
	c.Inherited += o.Inherited
	c.RolledBack += o.RolledBack
	c.Subagents += o.Subagents
	c.Compressed += o.Compressed
	c.InvalidUsage += o.InvalidUsage
	c.UsageWithoutInfo += o.UsageWithoutInfo
}
