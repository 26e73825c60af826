// Package secret finds what should not leave a machine with a thread: keys,
// tokens, passwords and, on request, personal paths and addresses. It replaces
// them by placeholders, and checks what was written.
//
// What is looked for, and what is not, is said in docs/secrets.md. The package
// decides nothing about a sink: a Redactor stands in front of any of them, as a
// filter for texts or for the events of a thread, and a Residue behind it, as a
// writer.
//
// A text is looked at as it stands and, where something in it is escaped (JSON,
// percent signs, character references, backslashes of Markdown), once more for
// each layer of escapes. Findings always lie in the text as it stands. No value
// of a finding is kept, reported or part of an error.
package secret
