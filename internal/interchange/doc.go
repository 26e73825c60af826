// Package interchange writes and reads the two line formats in which threads
// leave and enter: events, everything that a thread holds, and normalized, what
// was said and which tools were called.
//
// Both are JSON Lines and described in docs/format/interchange.md. A writer
// holds no more than a buffer, a reader one line. Whether a message is the
// person's, which thread a nameless line belongs to and what is kept of all
// that is not decided here.
package interchange
