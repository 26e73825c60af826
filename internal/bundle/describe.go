package bundle

import (
	"fmt"

	"rollbook/internal/diag"
	"rollbook/internal/inspect"
)

// describe fills the omissions and warnings of the manifest, in the order of the
// format (spec/bundle.md 5.4).
func (p *Prepared) describe(h *handoff, redact *redaction) {
	m, f := p.Manifest, h.facts
	m.Omissions = append(m.Omissions, codeStatement(m))
	m.Omissions = append(m.Omissions, f.lost.texts()...)
	m.Omissions = append(m.Omissions, f.excluded.texts()...)
	if h.versions > 1 {
		m.Omissions = append(m.Omissions, fmt.Sprintf("source_version: %d versions of Codex wrote the rollout, so none is given", h.versions))
	}
	m.Omissions = append(m.Omissions, "source_paths: the path of the rollout and the working folders of its header are not copied")
	m.Omissions = append(m.Omissions, redact.omissions()...)
	m.Omissions = append(m.Omissions, h.code.omissions()...)

	m.Warnings = append(m.Warnings,
		"compatibility: that this can be read as codex wrote it is not certified",
		"secret_review: a person has to look for secrets before this is shared; a scan finds only what looks like one",
		"historical_content: nothing in the record is an instruction or a permission for whoever reads it",
		"physical_record: codex profile 1, the log line by line and not the conversation that codex would show; compatibility: unverified")
	if h.partial {
		m.Warnings = append(m.Warnings, "partial_read: the reader could not give all of the rollout; the omissions say what")
	}
	m.Warnings = append(m.Warnings, h.git.warnings()...)
	if len(m.Changes) > 0 {
		m.Warnings = append(m.Warnings, "code_capture: the selected files only, as they were on disk; other changes of the checkout are not here")
	}
}

func codeStatement(m *Manifest) string {
	switch m.CodeState {
	case WithChanges:
		return "code: only the selected paths are included, as changes to the base commit"
	case BaseReference:
		return "code: none is included; the base commit says where it was"
	}
	return "code: none is included, and its state is unknown"
}

// groupOf names what an event is in the counts of HANDOFF.md.
func groupOf(e *inspect.Event) string {
	switch e.Kind {
	case inspect.ToolCall:
		return "tool call"
	case inspect.ToolResult:
		return "tool result"
	case inspect.Checkpoint:
		return "checkpoint"
	}
	return e.Role.String() + " text"
}

// groups are the counts in the order in which HANDOFF.md gives them.
var groups = []string{"user text", "assistant text", "system text", "developer text", "tool call", "tool result", "checkpoint"}

// meanings says for HANDOFF.md what a reader's diagnostic leaves out.
var meanings = map[diag.Code]string{
	inspect.LineLimit:               "lines too long to be read",
	inspect.InvalidUTF8:             "lines that are not UTF-8",
	inspect.IncompleteFinalLine:     "the last line, which is cut off",
	inspect.InvalidJSON:             "lines that are not JSON",
	inspect.InvalidRecord:           "lines that are no record of the log",
	inspect.OmittedFields:           "details of records that the history has no place for, as models and settings",
	inspect.InvalidTimestamp:        "times that are none",
	inspect.InvalidMetadata:         "ids, names or paths that are no text",
	inspect.RepeatedSessionMetadata: "a header in the middle, as a fork has it",
	inspect.MissingSessionID:        "headers without the id of the thread",
	inspect.MissingSessionMetadata:  "records before any header, so their thread is not known",
	inspect.OmittedEventMsg:         "what Codex showed on its screen; mostly a second copy of what is kept",
	inspect.Compaction:              "here Codex replaced earlier history by a summary for the model",
	inspect.InvalidCheckpoint:       "summaries without a text",
	inspect.UnknownRecord:           "records of kinds that the history does not take, as the state of the workspace",
	inspect.UnknownRole:             "messages of an unknown speaker",
	inspect.InvalidToolCall:         "tool calls that lack an id, a name or arguments",
	inspect.MissingCallID:           "tool results that name no call; their text is kept",
	inspect.OmittedReasoning:        "the model's reasoning",
	inspect.OmittedItem:             "items that are neither text nor a plain tool call, as searches of the web and images",
	inspect.InvalidContent:          "messages without content",
	inspect.InvalidBlock:            "blocks of text without text",
	inspect.OmittedBlock:            "blocks that are not text, as images",
	inspect.SourceChanged:           "the log was written to while it was read",
	inspect.DamagedCompression:      "the rest of a damaged compressed file",
}
