//go:build unix

package publish

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"rollbook/internal/fsx/fsxtest"
)

// die ends the process as nothing can be done about.
func die() { syscall.Kill(os.Getpid(), syscall.SIGKILL); select {} }

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
				out, err := alone([]string{fsxtest.RoomVariable + "=" + strconv.Itoa(room)}, s.job, tg, 0).CombinedOutput()
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
