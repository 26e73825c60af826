// Package export writes threads for people to read: as text for a terminal or
// a pipe, and as Markdown.
//
// It takes threads from anywhere and decides only how they look. Every view is
// written as it comes; what belongs to a view is the business of who made the
// thread. Log text never reaches the output raw: control characters are made
// visible (docs/cli.md, "On a terminal"), and in Markdown nothing of a log
// becomes HTML, a fence of ours never ends early, and no image is loaded.
//
// A writer holds the event at hand and at most a few calls that wait for their
// results; it ranges over a thread's events once, and once more before that
// where a line has to be found.
package export
