// Package rollout reads Codex rollout files, one record per physical line.
//
// The format is described in docs/format/rollout.md. The reader streams: it
// holds one line at a time and never decides what a record means. Lines that
// cannot be read become records too, so a caller sees every line exactly once
// (invariant R1).
package rollout
