package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

type flagValues struct {
	line, records int64
	format        string
	window        window
	root          string
}

// parse runs a command line over flags of every kind.
func parse(t *testing.T, args string) (flagValues, result) {
	t.Helper()
	var v flagValues
	got := try(t, Env{Now: func() time.Time { return time.Date(2026, 9, 15, 10, 30, 0, 0, time.UTC) }}, strings.Fields("do "+args), func(e *Env) *cobra.Command {
		cmd := &cobra.Command{Use: "do", RunE: func(*cobra.Command, []string) error { return v.window.check() }}
		limitVar(cmd.Flags(), &v.line, "max-line", 1<<20, false, "longest line")
		limitVar(cmd.Flags(), &v.records, "max-records", 3<<29, true, "most of it")
		choiceVar(cmd, cmd.Flags(), &v.format, "format", "json", "form of output", "json", "ndjson")
		e.windowVars(cmd.Flags(), &v.window)
		cmd.Flags().StringVar(&v.root, "root", "", "folder")
		onceOnly(cmd.Flags(), "root", "max-line")
		return cmd
	})
	return v, got
}

func TestFlags(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 9, d, 0, 0, 0, 0, time.UTC) }
	def := flagValues{line: 1 << 20, records: 3 << 29, format: "json"}
	with := func(change func(*flagValues)) flagValues {
		v := def
		change(&v)
		return v
	}
	tests := []struct {
		args string
		want flagValues
	}{
		{"", def},
		{"--max-line 8MiB", with(func(v *flagValues) { v.line = 8 << 20 })},
		{"--max-line=1", with(func(v *flagValues) { v.line = 1 })},
		{"--max-records none", with(func(v *flagValues) { v.records = noLimit })},
		{"--format ndjson", with(func(v *flagValues) { v.format = "ndjson" })},
		{"--since 2026-09-01 --until today", with(func(v *flagValues) { v.window = window{day(1), day(16)} })},
		{"--since yesterday --until yesterday", with(func(v *flagValues) { v.window = window{day(14), day(15)} })},
		{"--root --x", with(func(v *flagValues) { v.root = "--x" })},
	}
	for _, tt := range tests {
		if v, got := parse(t, tt.args); v != tt.want || got.code != 0 {
			t.Errorf("%s: got %+v, exit %d %s, want %+v", tt.args, v, got.code, got.stderr, tt.want)
		}
	}
}

func TestFlagsRefuse(t *testing.T) {
	for args, want := range map[string]string{
		"--max-line 0":                        `invalid argument "0" for "--max-line" flag: limits must be positive`,
		"--max-line -1":                       `invalid argument "-1" for "--max-line" flag: want a size such as 4096, 8MiB or 1.5GiB`,
		"--max-line none":                     `invalid argument "none" for "--max-line" flag: want a size such as 4096, 8MiB or 1.5GiB`,
		"--max-records 9999999999T":           `invalid argument "9999999999T" for "--max-records" flag: size is too large`,
		"--max-records 0KiB":                  `invalid argument "0KiB" for "--max-records" flag: limits must be positive`,
		"--format xml":                        `invalid argument "xml" for "--format" flag: want json, ndjson`,
		"--since tomorrow":                    `invalid argument "tomorrow" for "--since" flag: want a time such as 2026-09-01, 2026-09-01T14:00:00Z, 7d, 12h, today or yesterday`,
		"--since today --until 2026-09-01":    `--until is before --since`,
		"--root a --root b":                   `invalid argument "b" for "--root" flag: given twice`,
		"--max-line 1 --root a --max-line=1 ": `invalid argument "1" for "--max-line" flag: given twice`,
	} {
		if _, got := parse(t, args); got.code != 64 || !strings.HasPrefix(got.stderr, "rollbook: error: "+want+"\n") {
			t.Errorf("%s: exit %d, %swant %s", args, got.code, got.stderr, want)
		}
	}
}

func TestFlagHelp(t *testing.T) {
	_, got := parse(t, "--help")
	for _, want := range []string{
		"--max-line SIZE        longest line (default 1MiB)",
		"--max-records SIZE     most of it (default 1536MiB)",
		"--format json|ndjson   form of output (default json)",
		"--since TIME ",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("help has no %q:\n%s", want, got.stdout)
		}
	}
}

func TestChoicesComplete(t *testing.T) {
	_, got := parse(t, "")
	if got.code != 0 {
		t.Fatal(got)
	}
	list := func(e *Env) *cobra.Command {
		var s string
		cmd := does(nil)(e)
		choiceVar(cmd, cmd.Flags(), &s, "format", "json", "form", "json", "ndjson")
		return cmd
	}
	if got := try(t, Env{}, []string{"__complete", "do", "--format", ""}, list); got.stdout != "json\nndjson\n:4\n" {
		t.Errorf("got %q", got.stdout)
	}
}

func TestOperands(t *testing.T) {
	tests := []struct {
		names, args string
		want        string // the error, empty for none
	}{
		{"", "", ""}, {"", "a", `unexpected argument "a"`},
		{"FILE", "", "FILE is missing"}, {"FILE", "a", ""}, {"FILE", "a b", `unexpected argument "b"`},
		{"[FILE]", "", ""}, {"[FILE]", "a", ""}, {"[FILE]", "a b", `unexpected argument "b"`},
		{"PATH...", "", "PATH is missing"}, {"PATH...", "a b c", ""},
		{"A [B...]", "", "A is missing"}, {"A [B...]", "a", ""}, {"A [B...]", "a b c", ""},
	}
	for _, tt := range tests {
		got := ""
		if err := operands(strings.Fields(tt.names)...)(nil, strings.Fields(tt.args)); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("operands %q on %q: %q, want %q", tt.names, tt.args, got, tt.want)
		}
	}
}

func TestColorDecision(t *testing.T) {
	tests := []struct {
		flag string
		vars string
		want bool
	}{
		{"auto", "", false}, // a buffer is no terminal
		{"always", "", true},
		{"never", "CLICOLOR_FORCE=1", false},
		{"auto", "CLICOLOR_FORCE=1", true},
		{"auto", "CLICOLOR_FORCE=0", false},
		{"auto", "CLICOLOR_FORCE=1 NO_COLOR=1", false},
		{"auto", "CLICOLOR_FORCE=1 TERM=dumb", false},
		{"always", "NO_COLOR=1 TERM=dumb", true},
	}
	for _, tt := range tests {
		env := Env{Getenv: func(name string) string {
			for _, v := range strings.Fields(tt.vars) {
				if value, ok := strings.CutPrefix(v, name+"="); ok {
					return value
				}
			}
			return ""
		}}
		got := try(t, env, []string{"--color", tt.flag, "nothing"})
		if coloured := strings.Contains(got.stderr, "\x1b["); coloured != tt.want {
			t.Errorf("--color %s with %s: coloured is %v: %q", tt.flag, tt.vars, coloured, got.stderr)
		}
	}
}

func TestColumns(t *testing.T) {
	for value, want := range map[string]int{"": 0, "100": 100, "10000": 10000, "10001": 0, "0": 0, "-5": 0, "wide": 0, "80 ": 0} {
		e := Env{Getenv: func(string) string { return value }}
		if got := e.wire(t.Context()).width(); got != want {
			t.Errorf("COLUMNS=%q: width %d, want %d", value, got, want)
		}
	}
}
