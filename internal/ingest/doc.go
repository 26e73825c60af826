// Package ingest brings a chosen folder or file into the store: it finds what
// lies there, decides what has changed since the last time, reads no more than
// that, and replaces what the store holds of it, whole or not at all.
//
// It reads no format itself: rollouts are read by package assemble, all other
// files by package document. Nothing is opened but what was named (docs/import.md,
// "What is read").
package ingest
