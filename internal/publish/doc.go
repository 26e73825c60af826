// Package publish puts sessions where the DeepSeek Harness finds them, and takes
// them out again (docs/sync.md).
//
// What a run does is planned first and then done: Plan only reads, Apply writes
// down what it is about to do before the first log changes. At any moment each
// log is what it was, what was to come, or somebody else's, and running again
// finishes what a crash cut short. A log that the harness went on with, or that
// anybody changed, is never replaced unless that is asked for, and then only
// behind a copy of it. No link is followed below the home of the harness.
package publish
