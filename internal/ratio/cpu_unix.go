//go:build unix

package ratio

import (
	"syscall"
	"time"
)

// cpuTime is the processor time that the process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it has no other cause than a wrong argument
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
