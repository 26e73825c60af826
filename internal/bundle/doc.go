// Package bundle hands a thread over: a folder with a HANDOFF.md for people, the
// exact events of one rollout in history.jsonl, and a manifest with the hash of
// every file. It prepares, writes and verifies bundles, applies the code changes
// that one may carry, and says how another agent goes on from it.
//
// It is the one sink on the physical view: what it writes is the report of
// package inspect, with what was lost said beside it. A bundle is usable without
// rollbook. Its format and the invariants B1 to B20 are written down in
// docs/format/bundle.md.
package bundle

// Names within a bundle.
const (
	HandoffName  = "HANDOFF.md"
	HistoryName  = "history.jsonl"
	PatchName    = "changes.patch"
	FilesName    = "files"
	ManifestName = "manifest.json"
)

// Most bytes of each part, in writing as in verifying (B9).
const (
	maxManifest = 1 << 20
	maxContext  = 128 << 20 // HANDOFF.md, history.jsonl
	maxPatch    = 17 << 20
	maxNewFile  = 1 << 20
	maxPayloads = 160 << 20 // of all files but the manifest
)

// Bounds of selected code (spec/bundle.md 5.9).
const (
	maxSelected    = 64
	maxPathBytes   = 1024
	maxVersion     = 1 << 20 // one version of one file
	maxCode        = 8 << 20 // all versions together
	minListedFiles = 2
	maxListedFiles = maxSelected + 3
)
