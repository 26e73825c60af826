// Package dsh writes, reads, checks and prices sessions of the DeepSeek Harness
// in format 3 (docs/format/dsh.md), and turns threads into them.
//
// A session is one log: a frame with the header line, then frames with one
// event a line. What we write has exactly two frames; what the harness went on
// with has more, which is how the two are told apart.
package dsh
