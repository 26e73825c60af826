package inspect

import (
	"slices"

	"rollbook/internal/diag"
	"rollbook/internal/rollout"
)

// The codes of the report (spec/inspect.md 2.4). The first alone is not a
// loss. DamagedCompression is ours: only a compressed file can have it.
const (
	UnverifiedCompatibility diag.Code = "unverified_compatibility" // always first: Codex does not declare its format stable
	LineLimit                         = rollout.LineLimit
	InvalidUTF8                       = rollout.InvalidUTF8
	IncompleteFinalLine               = rollout.IncompleteFinalLine
	InvalidJSON                       = rollout.InvalidJSON
	InvalidRecord                     = rollout.InvalidRecord       // no object with a string type and an object payload
	OmittedFields           diag.Code = "omitted_fields"            // keys that the report has no place for, once per object
	InvalidTimestamp        diag.Code = "invalid_timestamp"         // absent, no string, or not RFC 3339
	InvalidMetadata         diag.Code = "invalid_metadata"          // an id, name, phase, path or version that is not a string
	RepeatedSessionMetadata diag.Code = "repeated_session_metadata" // a second session_meta, of whatever id
	MissingSessionID        diag.Code = "missing_session_id"        // a session_meta without an id
	MissingSessionMetadata  diag.Code = "missing_session_metadata"  // a record while no session is known
	OmittedEventMsg         diag.Code = "omitted_event_msg"         // event_msg is never an event
	Compaction              diag.Code = "compaction"                // earlier history was replaced here
	InvalidCheckpoint       diag.Code = "invalid_checkpoint"        // compacted without a message
	UnknownRecord           diag.Code = "unknown_record"            // an envelope type that the contract does not name
	UnknownRole             diag.Code = "unknown_role"              // a message of no known role
	InvalidToolCall         diag.Code = "invalid_tool_call"         // without call_id, name or input
	MissingCallID           diag.Code = "missing_call_id"           // an output that names no call
	OmittedReasoning        diag.Code = "omitted_reasoning"         // reasoning is never an event
	OmittedItem             diag.Code = "omitted_item"              // a response_item that the report has no form for
	InvalidContent          diag.Code = "invalid_content"           // content that is no list, or an empty one
	InvalidBlock            diag.Code = "invalid_block"             // a text block without text
	OmittedBlock            diag.Code = "omitted_block"             // a block that is not text
	SourceChanged           diag.Code = "source_changed"            // the file was written to while it was read
	DamagedCompression                = rollout.DamagedCompression  // nothing can be read behind this line
)

// lineLost reports whether a code says that its whole line was lost.
func lineLost(c diag.Code) bool {
	switch c {
	case LineLimit, InvalidUTF8, IncompleteFinalLine, InvalidJSON, InvalidRecord, DamagedCompression:
		return true
	}
	return false
}

// codes numbers the codes for compact storage.
var codes = [...]diag.Code{
	UnverifiedCompatibility, LineLimit, InvalidUTF8, IncompleteFinalLine, InvalidJSON,
	InvalidRecord, OmittedFields, InvalidTimestamp, InvalidMetadata, RepeatedSessionMetadata,
	MissingSessionID, MissingSessionMetadata, OmittedEventMsg, Compaction, InvalidCheckpoint,
	UnknownRecord, UnknownRole, InvalidToolCall, MissingCallID, OmittedReasoning,
	OmittedItem, InvalidContent, InvalidBlock, OmittedBlock, SourceChanged,
	DamagedCompression,
}

// Codes gives the codes of the report in the order of the contract.
func Codes() []diag.Code { return slices.Clone(codes[:]) }

var codeNumber = func() map[diag.Code]uint8 {
	m := make(map[diag.Code]uint8, len(codes))
	for i, c := range codes {
		m[c] = uint8(i)
	}
	return m
}()
