// Package inspect gives the physical report of one rollout: its records,
// events and diagnostics, line by line, as they stand in the file.
//
// It follows the contract of spec/inspect.md and infers nothing: no record is
// replayed, paired, deduplicated or filled in from another one, and every line
// that gives less than it holds has a diagnostic. What a thread is, and what
// Codex would show of it, is decided elsewhere (package assemble).
package inspect
