// Package fsx is the one door to the file system.
//
// Reading goes through FS, so that a test can make a file grow, shrink or fail
// between two calls; whole-file writing has its own file in this package. Nothing
// here knows what the bytes mean.
package fsx

import (
	"io"
	"io/fs"
)

// A File is open for reading. Its Stat answers for the open handle, not for
// whatever the name means by then.
type File interface {
	io.Reader
	io.ReaderAt
	io.Closer
	Stat() (fs.FileInfo, error)
}

// A Dir lists a directory in the order in which the system gives its entries.
type Dir interface {
	// ReadDir returns up to n more entries, and io.EOF at the end.
	ReadDir(n int) ([]fs.DirEntry, error)
	io.Closer
}

// FS is what reading needs of a file system. Implementations never create,
// change or lock anything.
type FS interface {
	Lstat(name string) (fs.FileInfo, error)
	Stat(name string) (fs.FileInfo, error)
	// Open opens for reading and never waits: a FIFO without a writer opens
	// at once. Callers check the kind of file before and after.
	Open(name string) (File, error)
	OpenDir(name string) (Dir, error)
}
