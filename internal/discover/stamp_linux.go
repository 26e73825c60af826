package discover

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// system adds what only the system call tells. Package confine gives one kind of
// Sys, an open file the other.
func (s *FileStamp) system(info fs.FileInfo) {
	switch st := info.Sys().(type) {
	case *unix.Stat_t:
		s.ChangeTime, s.Device, s.Inode = exact(int64(st.Ctim.Sec), int64(st.Ctim.Nsec)), uint64(st.Dev), uint64(st.Ino)
	case *syscall.Stat_t:
		s.ChangeTime, s.Device, s.Inode = exact(int64(st.Ctim.Sec), int64(st.Ctim.Nsec)), uint64(st.Dev), uint64(st.Ino)
	}
}
