package discover

import (
	"io/fs"
	"time"
)

// A FileStamp is what the file system says of a file without opening it: as long
// as it is the same, so is the file. Stamps are compared with ==.
type FileStamp struct {
	Size    int64
	ModTime time.Time // UTC
	// ChangeTime is when anything about the file changed last, its times
	// included; zero where the system does not tell.
	ChangeTime time.Time
	Device     uint64
	Inode      uint64 // 0 where the system has none
}

// StampOf gives the stamp that a folder's entry or an open file has.
func StampOf(info fs.FileInfo) FileStamp {
	s := FileStamp{Size: info.Size(), ModTime: exact(info.ModTime().Unix(), int64(info.ModTime().Nanosecond()))}
	s.system(info)
	return s
}

// exact gives a time that == compares by its value alone.
func exact(sec, nsec int64) time.Time { return time.Unix(sec, nsec).UTC() }
