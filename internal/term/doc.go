// Package term makes text fit for a terminal and for people: control
// characters made visible, widths in columns, tables, colours, a progress bar,
// and sizes and times as people write them.
//
// It never reads the environment and never decides where text goes: callers
// tell it the width, whether colour is on, and what time it is.
package term
