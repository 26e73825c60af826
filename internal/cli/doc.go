// Package cli is the command line of rollbook: flags in, words and exit codes
// out. It alone (with the web page) reads the environment and turns errors into
// words for a person. It decides nothing about formats: each command calls an
// engine and prints what that found.
//
// A command lives in a file of its own, as a constructor
//
//	func newXCommand(env *Env) *cobra.Command
//
// that stands in the list in root.go. Data goes to env.Stdout. Talk goes through
// env.warnf and env.hintf; an error is returned, and Run alone prints it and
// chooses the exit code. An error that comes up before RunE starts is one of
// usage; RunE returns usageErrorf, errPartial, errFindings or launchError where
// the code is not 1, and withHint where the reader can do something about it.
// The conventions that hold for all commands are in docs/cli.md.
package cli
