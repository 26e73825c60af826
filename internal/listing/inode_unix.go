//go:build unix

package listing

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// inode gives the number that the file system has for a file; 0 where it is not
// told. Package confine gives one kind of Sys, an open file the other.
func inode(info fs.FileInfo) uint64 {
	switch st := info.Sys().(type) {
	case *unix.Stat_t:
		return uint64(st.Ino)
	case *syscall.Stat_t:
		return uint64(st.Ino)
	}
	return 0
}
