//go:build !unix

package listing

import "io/fs"

// inode gives 0: a name, a size and a time must do.
func inode(fs.FileInfo) uint64 { return 0 }
