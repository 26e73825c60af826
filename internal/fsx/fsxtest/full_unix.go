//go:build unix

package fsxtest

import (
	"os/signal"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// RoomVariable bounds the files that the process of a test may write, in bytes, as
// a full disk does.
const RoomVariable = "ROLLBOOK_TEST_FSIZE"

// LimitRoom holds this process to room, what RoomVariable says; empty is no limit.
// A longer write fails, and no signal comes.
func LimitRoom(room string) error {
	if room == "" {
		return nil
	}
	n, err := strconv.ParseUint(room, 10, 64)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	return unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: n})
}
