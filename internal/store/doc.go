// Package store keeps a person's history in one SQLite database: threads,
// events with the place that each came from, full text, roll-ups, and what every
// import did.
//
// It knows no format of Codex and reads no rollout; package ingest fills it. One
// process writes at a time, any number read beside it. The schema is described
// in docs/format/store.md.
package store
