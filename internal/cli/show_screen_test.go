package cli

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestShowScreens holds the committed screens to what the command shows of the
// sample home. The pictures beside them are of the same command lines, coloured.
func TestShowScreens(t *testing.T) {
	for _, tt := range []struct {
		name  string
		width int
		args  string
	}{
		{"show.80.txt", 80, "show 019cfb23 --home examples/home"},
		{"show.160.txt", 160, "show 019e6f43 --home examples/home --diff"},
		{"show.cjk.80.txt", 80, "show 01a001fa --home examples/home"},
		{"show.agents.160.txt", 160, "show 01a0e7e8-28 --home examples/home --tools full"},
		{"show.physical.80.txt", 80, "show 019cfb23#2- --home examples/home --view physical"},
		{"show.around.80.txt", 80, "show 01a0fa57 --home examples/home --around 18 --with file:line"},
	} {
		env := func(name string) string { return map[string]string{"COLUMNS": strconv.Itoa(tt.width)}[name] }
		now := func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }
		r := try(t, Env{Dir: "../..", Getenv: env, Now: now}, strings.Fields(tt.args))
		got := "$ rollbook " + tt.args + "\n" + r.stdout + r.stderr
		keepScreen(t, tt.name, got)
	}
}
