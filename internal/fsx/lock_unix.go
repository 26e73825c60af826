//go:build unix

package fsx

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const lockFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

func lock(f *os.File) error {
	err := flock(f, unix.LOCK_EX|unix.LOCK_NB)
	if err == unix.EWOULDBLOCK {
		return ErrLocked
	}
	return err
}

func unlock(f *os.File) error { return flock(f, unix.LOCK_UN) }

func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); err != unix.EINTR {
			return err
		}
	}
}
