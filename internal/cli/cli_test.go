package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/spf13/cobra"

	"rollbook/internal/term"
)

// A result is what a run left behind.
type result struct {
	code           int
	stdout, stderr string
}

// try runs a command line in this process. Commands given replace the product's.
func try(t *testing.T, env Env, args []string, list ...constructor) result {
	t.Helper()
	return tryContext(t.Context(), env, args, list...)
}

func tryContext(ctx context.Context, env Env, args []string, list ...constructor) result {
	var out, errs bytes.Buffer
	if env.Stdout == nil {
		env.Stdout = &out
	}
	if env.Stderr == nil {
		env.Stderr = &errs
	}
	if list == nil {
		list = commands
	}
	code := run(ctx, env, args, list)
	return result{code, out.String(), errs.String()}
}

// does is a command named "do" that does what f says.
func does(f func(e *Env, cmd *cobra.Command, args []string) error) constructor {
	return func(e *Env) *cobra.Command {
		return &cobra.Command{
			Use: "do",
			RunE: func(cmd *cobra.Command, args []string) error {
				return f(e, cmd, args)
			},
		}
	}
}

func returns(err error) constructor {
	return does(func(*Env, *cobra.Command, []string) error { return err })
}

func TestErrorsBecomeWordsAndCodes(t *testing.T) {
	tests := []struct {
		name   string
		err    error
		code   int
		stderr string
	}{
		{"none", nil, 0, ""},
		{"any", errors.New("open x: gone"), 1, "rollbook: error: open x: gone\n"},
		{"partial", errPartial, 2, ""},
		{"partial, wrapped", fmt.Errorf("x: %w", errPartial), 2, ""},
		{"findings", errFindings, 3, ""},
		{"launched program", launchError(errors.New("codex: exit status 7")), 4, "rollbook: error: codex: exit status 7\n"},
		{"usage", usageErrorf("want a or b"), 64, "rollbook: error: want a or b\nrollbook: hint: rollbook do --help\n"},
		{"usage with its own hint", withHint(usageErrorf("no"), "type yes"), 64, "rollbook: error: no\nrollbook: hint: type yes\n"},
		{"hints of two layers", withHint(fmt.Errorf("b: %w", withHint(errors.New("a"), "inner")), "outer", "second"), 1,
			"rollbook: error: b: a\nrollbook: hint: outer\nrollbook: hint: second\nrollbook: hint: inner\n"},
		{"hint on nothing", withHint(nil, "x"), 0, ""},
		{"text of a log", errors.New("bad \x1b[2J\nrollbook: hint: rm -rf"), 1, `rollbook: error: bad \x1b[2J\nrollbook: hint: rm -rf` + "\n"},
		{"context of its own", context.Canceled, 1, "rollbook: error: context canceled\n"},
	}
	for _, tt := range tests {
		got := try(t, Env{}, []string{"do"}, returns(tt.err))
		if want := (result{tt.code, "", tt.stderr}); got != want {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, want)
		}
	}
}

func TestUsageErrors(t *testing.T) {
	list := []constructor{newHelpCommand, func(e *Env) *cobra.Command {
		cmd := does(func(e *Env, _ *cobra.Command, _ []string) error {
			_, err := io.WriteString(e.Stdout, "ran\n")
			return err
		})(e)
		cmd.Args = operands("FILE")
		cmd.Flags().Bool("a", false, "")
		cmd.Flags().Bool("b", false, "")
		cmd.Flags().String("need", "", "")
		cmd.MarkFlagRequired("need")
		cmd.MarkFlagsMutuallyExclusive("a", "b")
		return cmd
	}, func(*Env) *cobra.Command {
		group := &cobra.Command{Use: "db"}
		group.AddCommand(&cobra.Command{Use: "check", RunE: func(*cobra.Command, []string) error { return nil }})
		return group
	}}
	tests := []struct {
		args   string
		code   int
		stderr string
	}{
		{"", 64, `no command given | rollbook help`},
		{"--color never", 64, `no command given | rollbook help`},
		{"--nix", 64, `unknown flag: --nix | rollbook help`},
		{"doo", 64, `unknown command "doo" | rollbook do | rollbook help`},
		{"DO", 64, `unknown command "DO" | rollbook do | rollbook help`},
		{"d x --nix", 64, `unknown command "d" | rollbook db | rollbook do | rollbook help`},
		{"zzz --help", 64, `unknown command "zzz" | rollbook help`},
		{"-- do", 64, `unknown command "do" | rollbook do | rollbook help`},
		{"help zzz", 64, `unknown command "zzz" | rollbook help`},
		{"help db chek", 64, `unknown command "chek" for "rollbook db" | rollbook db check | rollbook db --help`},
		{"db", 64, `no command given | rollbook db --help`},
		{"db chek", 64, `unknown command "chek" for "rollbook db" | rollbook db check | rollbook db --help`},
		{"db chek --nix", 64, `unknown command "chek" for "rollbook db" | rollbook db check | rollbook db --help`},
		{"db check", 0, ``},
		{"do --need n f", 0, ``},
		{"do f --need=n", 0, ``},
		{"do --need n -- -f", 0, ``},
		{"--color always do f --need --x", 0, ``},
		{"do f", 64, `required flag(s) "need" not set | rollbook do --help`},
		{"do --need", 64, `flag needs an argument: --need | rollbook do --help`},
		{"do --need n", 64, `FILE is missing | rollbook do --help`},
		{"do --need n f g", 64, `unexpected argument "g" | rollbook do --help`},
		{"do --need n f --a --b", 64, `if any flags in the group [a b] are set none of the others can be; [a b] were all set | rollbook do --help`},
		{"do f --color=x --need n", 64, `invalid argument "x" for "--color" flag: want auto, always, never | rollbook do --help`},
	}
	for _, tt := range tests {
		got := try(t, Env{}, strings.Fields(tt.args), list...)
		var want strings.Builder
		for i, line := range strings.Split(tt.stderr, " | ") {
			kind := "hint"
			if i == 0 {
				kind = "error"
			}
			if line != "" {
				fmt.Fprintf(&want, "rollbook: %s: %s\n", kind, line)
			}
		}
		if got.code != tt.code || got.stderr != want.String() {
			t.Errorf("rollbook %s: exit %d, stderr\n%swant %d,\n%s", tt.args, got.code, got.stderr, tt.code, want.String())
		}
		if ran := strings.HasPrefix(tt.args, "do") || strings.HasPrefix(tt.args, "--color always"); tt.code == 0 && ran != (got.stdout == "ran\n") || tt.code != 0 && got.stdout != "" {
			t.Errorf("rollbook %s: stdout %q", tt.args, got.stdout)
		}
	}
}

func TestEmptyCommandName(t *testing.T) {
	got := try(t, Env{}, []string{""})
	if want := (result{64, "", "rollbook: error: unknown command \"\"\nrollbook: hint: rollbook help\n"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A command that keeps another program's contract may end with that program's
// code for a wrong command line; so do the commands below it.
func TestUsageExitOfAnotherProgram(t *testing.T) {
	list := func(e *Env) *cobra.Command {
		group := &cobra.Command{Use: "old", Annotations: map[string]string{annotationUsageExit: "2"}}
		group.AddCommand(&cobra.Command{Use: "x", Args: operands(), RunE: func(*cobra.Command, []string) error { return nil }})
		return group
	}
	for args, code := range map[string]int{"old": 2, "old y": 2, "old x 1": 2, "old x --no": 2, "old x": 0, "olds": 64} {
		if got := try(t, Env{}, strings.Fields(args), list); got.code != code {
			t.Errorf("rollbook %s: exit %d, want %d", args, got.code, code)
		}
	}
}

func TestWarningsAndHints(t *testing.T) {
	say := does(func(e *Env, _ *cobra.Command, _ []string) error {
		e.warnf("%d lines of %s", 2, "a\x07b")
		e.hintf("look")
		return nil
	})
	got := try(t, Env{}, []string{"do"}, say)
	if want := (result{0, "", "rollbook: warning: 2 lines of a\\x07b\nrollbook: hint: look\n"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	got = try(t, Env{}, []string{"do", "--color=always"}, say)
	if want := "rollbook: \x1b[33mwarning:\x1b[0m 2 lines of a\\x07b\nrollbook: \x1b[36mhint:\x1b[0m look\n"; got.stderr != want {
		t.Errorf("coloured: got %q, want %q", got.stderr, want)
	}
}

func TestPanicIsAnError(t *testing.T) {
	got := try(t, Env{}, []string{"do"}, does(func(e *Env, _ *cobra.Command, _ []string) error {
		io.WriteString(e.Stdout, "before\n")
		var m map[string]int
		//lint:ignore SA5000 the fault is what is tested
		m["x"] = 1
		return nil
	}))
	if got.code != 1 || got.stdout != "before\n" {
		t.Errorf("exit %d, stdout %q, want 1 and what was written", got.code, got.stdout)
	}
	lines := strings.Split(got.stderr, "\n")
	if len(lines) != 3 || lines[0] != "rollbook: error: internal error: assignment to entry in nil map" ||
		!strings.HasPrefix(lines[1], "rollbook: hint: a fault of rollbook, please report it with: rollbook/internal/cli.TestPanicIsAnError") {
		t.Errorf("stderr %q", got.stderr)
	}
}

func TestInterrupted(t *testing.T) {
	tests := []struct {
		name   string
		ends   func(ctx context.Context) error
		code   int
		stderr string
	}{
		{"gives the reason", func(ctx context.Context) error { return fmt.Errorf("read x: %w", ctx.Err()) }, 130, "rollbook: error: interrupted\n"},
		{"fails on its way out", func(context.Context) error { return errors.New("remove x: denied") }, 130, "rollbook: error: remove x: denied\n"},
		{"had finished", func(context.Context) error { return nil }, 0, ""},
	}
	for _, tt := range tests {
		ctx, cancel := context.WithCancel(t.Context())
		got := tryContext(ctx, Env{}, []string{"do"}, does(func(_ *Env, cmd *cobra.Command, _ []string) error {
			cancel()
			return tt.ends(cmd.Context())
		}))
		if want := (result{tt.code, "", tt.stderr}); got != want {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, want)
		}
	}
}

// An endless reader gives one line and then nothing any more.
type endless struct {
	asked func() // called when the second read begins
	reads int
	end   chan struct{}
}

func (r *endless) Read(p []byte) (int, error) {
	if r.reads++; r.reads == 1 {
		return copy(p, "one line\n"), nil
	}
	r.asked()
	<-r.end
	return 0, io.EOF
}

// A command that waits for standard input ends when it is interrupted.
func TestInterruptedWhileReadingStdin(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in := &endless{asked: cancel, end: make(chan struct{})}
	defer close(in.end)
	var read []byte
	got := tryContext(ctx, Env{Stdin: in}, []string{"do"}, does(func(e *Env, _ *cobra.Command, _ []string) error {
		var err error
		read, err = io.ReadAll(e.Stdin)
		return err
	}))
	if got.code != 130 || string(read) != "one line\n" {
		t.Errorf("exit %d after reading %q, want 130 after the line", got.code, read)
	}
}

func TestStdinIsReadWhole(t *testing.T) {
	want := strings.Repeat("0123456789abcdef", 4200) // more than one fill
	for name, r := range map[string]io.Reader{
		"plain":           strings.NewReader(want),
		"byte by byte":    iotest.OneByteReader(strings.NewReader(want)),
		"end with data":   iotest.DataErrReader(strings.NewReader(want)),
		"halves":          iotest.HalfReader(strings.NewReader(want)),
		"empty, at first": io.MultiReader(strings.NewReader(""), strings.NewReader(want)),
	} {
		c := &cancelReader{ctx: t.Context(), r: r}
		if err := iotest.TestReader(c, []byte(want)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	broken := &cancelReader{ctx: t.Context(), r: iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(want)))}
	if got, err := io.ReadAll(broken); err != iotest.ErrTimeout || len(got) != 1 {
		t.Errorf("a broken reader gave %d bytes and %v, want 1 and %v", len(got), err, iotest.ErrTimeout)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// No command ends well when its data did not get out, not even one that looks
// at no error.
func TestStandardOutputFails(t *testing.T) {
	full := failingWriter{errors.New("no space left")}
	for name, ends := range map[string]error{"careless": nil, "partial": errPartial} {
		got := try(t, Env{Stdout: full}, []string{"do"}, does(func(e *Env, _ *cobra.Command, _ []string) error {
			fmt.Fprintln(e.Stdout, "data")
			return ends
		}))
		if want := (result{1, "", "rollbook: error: write standard output: no space left\n"}); got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	for _, args := range [][]string{{"version"}, {"version", "--json"}, {"help"}, {"--help"}, {"man"}, {"completion", "zsh"}} {
		if got := try(t, Env{Stdout: full}, args); got.code != 1 {
			t.Errorf("rollbook %v: exit %d, want 1", args, got.code)
		}
	}
}

// A reader that goes away stops the command without a word.
func TestClosedPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r.Close()
	rounds := 0
	got := try(t, Env{Stdout: w}, []string{"do"}, does(func(e *Env, _ *cobra.Command, _ []string) error {
		for ; rounds < 1_000_000; rounds++ {
			if _, err := fmt.Fprintln(e.Stdout, "data"); err != nil {
				return fmt.Errorf("list: %w", err)
			}
		}
		return nil
	}))
	if want := (result{exitPipe, "", ""}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if rounds == 1_000_000 {
		t.Error("the command went on to the end")
	}
	// A closed pipe elsewhere is an error like any other.
	got = try(t, Env{}, []string{"do"}, does(func(*Env, *cobra.Command, []string) error {
		_, err := w.Write([]byte("x"))
		return err
	}))
	if got.code != 1 || got.stderr == "" {
		t.Errorf("a closed pipe that is not standard output: got %+v, want exit 1 and an error", got)
	}
}

func TestWriteJSON(t *testing.T) {
	type report struct {
		B string         `json:"b"`
		A []string       `json:"a"`
		M map[string]int `json:"m"`
	}
	got := try(t, Env{}, []string{"do"}, does(func(e *Env, _ *cobra.Command, _ []string) error {
		return e.writeJSON(report{"<é\u2028\x7f>", nil, map[string]int{"z": 1, "y": 2}})
	}))
	want := "{\n  \"b\": \"<é\u2028\x7f>\",\n  \"a\": [],\n  \"m\": {\n    \"y\": 2,\n    \"z\": 1\n  }\n}\n"
	if got != (result{0, want, ""}) {
		t.Errorf("got %+v, want stdout %q", got, want)
	}
}

// What is no terminal gets the bytes as they are.
func TestSafeStdoutOffTerminal(t *testing.T) {
	got := try(t, Env{}, []string{"do"}, does(func(e *Env, _ *cobra.Command, _ []string) error {
		_, err := io.WriteString(e.safeStdout(term.Block), "\x1b[2J\xe2")
		return err
	}))
	if got.stdout != "\x1b[2J\xe2" {
		t.Errorf("got %q", got.stdout)
	}
}

func TestNoProgressOffTerminal(t *testing.T) {
	got := try(t, Env{}, []string{"do"}, does(func(e *Env, _ *cobra.Command, _ []string) error {
		p := e.progress("reading", 10, "")
		if p != nil {
			t.Error("there is a progress bar without a terminal")
		}
		p.Add(10)
		return nil
	}))
	if got != (result{}) {
		t.Errorf("got %+v, want nothing", got)
	}
}

func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	abs := filepath.Join(dir, "abs")
	env := func(dir string, vars ...string) *Env {
		e := Env{Dir: dir, Getenv: func(name string) string {
			for _, v := range vars {
				if value, ok := strings.CutPrefix(v, name+"="); ok {
					return value
				}
			}
			return ""
		}}
		return &e
	}
	if got := env("").path("x"); got != "x" {
		t.Errorf("path without a folder is %q, want it as it was typed", got)
	}
	if got := env(dir).path("x"); got != filepath.Join(dir, "x") {
		t.Errorf("path %q", got)
	}
	if got := env(dir).path(abs); got != abs {
		t.Errorf("absolute path became %q", got)
	}
	if got, err := env(dir).absPath("a/../b"); got != filepath.Join(dir, "b") || err != nil {
		t.Errorf("absPath gave %q, %v", got, err)
	}

	homes := []struct {
		e    *Env
		flag string
		dir  string
		ok   bool
	}{
		{env(dir), "", dir, false},
		{env(dir, "CODEX_HOME="+abs), "", abs, true},
		{env(dir, "CODEX_HOME=rel"), "", filepath.Join(dir, "rel"), true},
		{env(dir, "CODEX_HOME="+abs), "flag", filepath.Join(dir, "flag"), true},
	}
	for i, tt := range homes {
		if got, ok := tt.e.codexHome(tt.flag); ok != tt.ok || ok && got != tt.dir {
			t.Errorf("home %d: got %q, %v, want %q, %v", i, got, ok, tt.dir, tt.ok)
		}
	}

	data := []struct {
		e    *Env
		want string // empty: an error
	}{
		{env(dir, "ROLLBOOK_DATA=d", "XDG_DATA_HOME="+abs, "HOME="+abs), filepath.Join(dir, "d")},
		{env(dir, "XDG_DATA_HOME="+abs, "HOME="+dir), filepath.Join(abs, "rollbook")},
		{env(dir, "XDG_DATA_HOME=rel", "HOME="+dir), filepath.Join(dir, ".local", "share", "rollbook")},
		{env(dir, "HOME=rel"), ""},
		{env(dir), ""},
	}
	for i, tt := range data {
		if got, err := tt.e.dataDir(); got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("data %d: got %q, %v, want %q", i, got, err, tt.want)
		}
	}
}

// stepping is a clock that goes on by a second with each look.
func stepping() func() time.Time {
	t := time.Date(2026, 9, 15, 10, 30, 0, 0, time.UTC)
	return func() time.Time {
		t = t.Add(time.Second)
		return t
	}
}
