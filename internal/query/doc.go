// Package query is the language of search: how a text is cut into tokens, what a
// person may type, what that means of a document, and how it is asked of a full
// text index.
//
// The index and plain matching agree because both see the same tokens, made
// here (docs/search.md). It knows no store and no format.
package query
