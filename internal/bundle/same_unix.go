//go:build unix

package bundle

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// canApply is whether files can be changed the way apply does it.
const canApply = true

// sameFile reports whether two files are one, whichever file system told of them.
func sameFile(a, b fs.FileInfo) bool {
	adev, aino, aok := identity(a)
	bdev, bino, bok := identity(b)
	return aok && bok && adev == bdev && aino == bino || os.SameFile(a, b)
}

func identity(info fs.FileInfo) (dev, ino uint64, ok bool) {
	switch st := info.Sys().(type) {
	case *unix.Stat_t:
		return uint64(st.Dev), uint64(st.Ino), true
	case *syscall.Stat_t:
		return uint64(st.Dev), uint64(st.Ino), true
	}
	return 0, 0, false
}
