//go:build unix

package confine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// A listing gives entries with what fstatat says of them in the open folder. An
// os.File would look some of them up by their whole path, through links.
type listing struct{ f *os.File }

func (l listing) Close() error { return l.f.Close() }

func (l listing) ReadDir(n int) ([]fs.DirEntry, error) {
	defer runtime.KeepAlive(l.f)
	for {
		names, err := l.f.Readdirnames(n)
		entries := make([]fs.DirEntry, 0, len(names))
		for _, name := range names {
			info, serr := statat(int(l.f.Fd()), name)
			switch {
			case serr == nil:
				entries = append(entries, fs.FileInfoToDirEntry(info))
			case !errors.Is(serr, fs.ErrNotExist): // else it has just vanished
				path := filepath.Join(l.f.Name(), name)
				entries = append(entries, unreadable{name, &fs.PathError{Op: "lstat", Path: path, Err: serr}})
			}
		}
		if len(entries) > 0 || err != nil || n <= 0 {
			return entries, err
		}
	}
}

// An unreadable entry is there, and that is all that is known.
type unreadable struct {
	name string
	err  error
}

func (u unreadable) Name() string               { return u.name }
func (u unreadable) IsDir() bool                { return false }
func (u unreadable) Type() fs.FileMode          { return fs.ModeIrregular }
func (u unreadable) Info() (fs.FileInfo, error) { return nil, u.err }

// A fileInfo is what the system says of a name that was not followed.
type fileInfo struct {
	name string
	st   unix.Stat_t
}

func statat(dir int, name string) (*fileInfo, error) {
	return retry(func() (*fileInfo, error) {
		info := &fileInfo{name: name}
		return info, unix.Fstatat(dir, name, &info.st, unix.AT_SYMLINK_NOFOLLOW)
	})
}

func (i *fileInfo) Name() string       { return i.name }
func (i *fileInfo) Size() int64        { return i.st.Size }
func (i *fileInfo) ModTime() time.Time { return time.Unix(i.st.Mtim.Unix()) }
func (i *fileInfo) IsDir() bool        { return i.Mode().IsDir() }
func (i *fileInfo) Sys() any           { return &i.st }

func (i *fileInfo) Mode() fs.FileMode {
	mode := fs.FileMode(i.st.Mode & 0o777)
	switch i.st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	default:
		mode |= fs.ModeIrregular
	}
	for _, b := range special {
		if uint32(i.st.Mode)&b.bit != 0 {
			mode |= b.mode
		}
	}
	return mode
}

var special = [...]struct {
	bit  uint32
	mode fs.FileMode
}{{unix.S_ISUID, fs.ModeSetuid}, {unix.S_ISGID, fs.ModeSetgid}, {unix.S_ISVTX, fs.ModeSticky}}
