//go:build unix

package publish

import (
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// die ends the process as nothing can be done about.
func die() { syscall.Kill(os.Getpid(), syscall.SIGKILL); select {} }

// limitVariable bounds the files that a process may write, in bytes: a disk that
// is full.
const limitVariable = "ROLLBOOK_TEST_FSIZE"

func restrictAlone() error {
	text := os.Getenv(limitVariable)
	if text == "" {
		return nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	return unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: n})
}

// TestDiskFull: where the disk is full each log is what it was or what was to
// come, and running again with room finishes.
func TestDiskFull(t *testing.T) {
	for _, s := range scenes {
		t.Run(s.job, func(t *testing.T) {
			t.Parallel()
			full := 0
			for n, room := range []int{0, 1, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1200, 1400, 1600, 2000} {
				tg := s.before(t)
				foreign := read(t, tg.logOf(epsilon))
				out, err := alone([]string{limitVariable + "=" + strconv.Itoa(room)}, s.job, tg, 0).CombinedOutput()
				if err != nil {
					full++
					if !strings.Contains(string(out), "too large") {
						t.Errorf("room for %d bytes: %s", room, out)
					}
				}
				what := "room for " + strconv.Itoa(room) + " bytes"
				s.holds(t, what, tg, foreign)
				s.finishes(t, what, tg, n)
			}
			if full < 3 {
				t.Errorf("only %d times the disk was full", full)
			}
		})
	}
}
