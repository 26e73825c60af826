package cli

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"rollbook/internal/term"
)

var updateScreens = flag.Bool("screens", false, "write the screens of docs/screens")

// TestThreadsScreens holds the committed screens to what the command shows of
// the sample home, and no line of a table to more than its width.
func TestThreadsScreens(t *testing.T) {
	for _, tt := range []struct {
		name  string
		width int
		args  string
	}{
		{"threads.80.txt", 80, "threads examples/home"},
		{"threads.160.txt", 160, "threads examples/home"},
		{"threads.tree.100.txt", 100, "threads examples/home --tree"},
		{"threads.long.80.txt", 80, "threads examples/home --long --since 2026-09-10 --until 2026-09-28"},
		{"threads.50.txt", 50, "threads examples/home --all --source subagent"},
	} {
		data := t.TempDir()
		env := func(name string) string {
			return map[string]string{"COLUMNS": strconv.Itoa(tt.width), "ROLLBOOK_DATA": data}[name]
		}
		now := func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }
		var got string
		for range 2 { // the second one from the cache
			r := try(t, Env{Dir: "../..", Getenv: env, Now: now}, strings.Fields(tt.args))
			if got != "" && r.stdout+r.stderr != got {
				t.Errorf("%s: the second run shows something else:\n%s", tt.name, r.stdout+r.stderr)
			}
			got = r.stdout + r.stderr
			for line := range strings.Lines(r.stdout) {
				if w := term.Width(strings.TrimSuffix(line, "\n")); w > tt.width && !strings.Contains(tt.args, "--long") {
					t.Errorf("%s: %d columns: %s", tt.name, w, line)
				}
			}
		}
		got = "$ rollbook " + tt.args + "\n" + got
		keepScreen(t, tt.name, got)
	}
}

// keepScreen holds a file of docs/screens to what was shown, or writes it.
func keepScreen(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("../../docs/screens", name)
	if *updateScreens {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != got {
		t.Errorf("%s is not what is shown (go test ./internal/cli -run Screens -screens writes it): %v\n%s", file, err, got)
	}
}
