// Package assemble makes threads of rollout files.
//
// A thread is not a file: it is a chain of files with byte cuts, copied or
// inherited prefixes, reverts and rollbacks, and every message stands there two
// or three times. This is the one place that knows it. The rules are those of
// docs/format/rollout.md; the facts are cited by their numbers there (F4).
//
// Each thread is read twice. The survey keeps keys only: turns, calls, what is
// hidden, what is inherited. The second pass reads the same records again, in
// order, and gives events, one at a time. Memory is bounded by the number of
// turns and calls and by the longest message, not by the length of the files.
package assemble
