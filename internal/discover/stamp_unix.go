//go:build unix && !linux

package discover

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// system adds what only the system call tells. The time of change has another
// name on each system, and is left out.
func (s *FileStamp) system(info fs.FileInfo) {
	switch st := info.Sys().(type) {
	case *unix.Stat_t:
		s.Device, s.Inode = uint64(st.Dev), uint64(st.Ino)
	case *syscall.Stat_t:
		s.Device, s.Inode = uint64(st.Dev), uint64(st.Ino)
	}
}
