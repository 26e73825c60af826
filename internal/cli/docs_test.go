package cli

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"rollbook/internal/inspect"
)

// docRows reads the tables under a heading of docs/cli.md: the cells of each
// row, without the head of the table and without backquotes.
func docRows(t *testing.T, heading string) [][]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut("\n"+string(page), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("docs/cli.md has no section %q", heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var rows [][]string
	for line := range strings.Lines(section) {
		if cells, ok := strings.CutPrefix(strings.TrimSpace(line), "| "); ok {
			cells = strings.ReplaceAll(strings.TrimSuffix(cells, " |"), `\|`, "\x00")
			var row []string
			for cell := range strings.SplitSeq(cells, " | ") {
				row = append(row, strings.ReplaceAll(strings.ReplaceAll(cell, "\x00", "|"), "`", ""))
			}
			rows = append(rows, row)
		}
	}
	if len(rows) < 2 {
		t.Fatalf("section %q of docs/cli.md has no table", heading)
	}
	return rows[1:] // the head; "|---|---|" has no space behind its first bar
}

func compareRows(t *testing.T, heading string, want [][]string) {
	t.Helper()
	got := docRows(t, heading)
	for _, row := range want {
		if !slices.ContainsFunc(got, func(r []string) bool { return slices.Equal(r, row) }) {
			t.Errorf("docs/cli.md, %s: no row %q", heading, row)
		}
	}
	for _, row := range got {
		if !slices.ContainsFunc(want, func(r []string) bool { return slices.Equal(r, row) }) {
			t.Errorf("docs/cli.md, %s: row %q is not in the code", heading, row)
		}
	}
}

// docs/cli.md has the exit codes, the variables and the commands of the code.
func TestDocsExitCodes(t *testing.T) {
	var want [][]string
	for _, c := range exitCodes {
		want = append(want, []string{strconv.Itoa(c.code), c.meaning})
	}
	compareRows(t, "Exit codes", want)
}

func TestDocsEnvironment(t *testing.T) {
	var want [][]string
	for _, v := range envVars {
		want = append(want, []string{v.name, v.meaning})
	}
	compareRows(t, "Environment", want)
}

func TestDocsCommands(t *testing.T) {
	var want [][]string
	for _, cmd := range product(t)[1:] {
		name := strings.TrimPrefix(cmd.CommandPath(), "rollbook ")
		want = append(want, []string{strings.Join(append([]string{name}, cmd.Aliases...), ", "), cmd.Short})
	}
	compareRows(t, "Commands", want)
}

// product is rollbook and every command of it, without what cobra adds.
func product(t *testing.T) []*cobra.Command {
	t.Helper()
	e := Env{}.wire(t.Context())
	return tree(newRoot(e, commands))
}

var plainShort = regexp.MustCompile(`^[a-z].*[^.]$`)

// Every command says what it does, how, with an example and its exit codes.
func TestCommandsAreDescribed(t *testing.T) {
	groupIDs := map[string]bool{}
	for _, g := range groups {
		groupIDs[g.ID] = true
	}
	for _, cmd := range product(t) {
		path := cmd.CommandPath()
		if cmd.Run != nil {
			t.Errorf("%s: Run is set, want RunE", path)
		}
		if !plainShort.MatchString(cmd.Short) || len(cmd.Short) > 70 {
			t.Errorf("%s: short text %q, want lower case, no full stop, 70 bytes at most", path, cmd.Short)
		}
		for line := range strings.Lines(cmd.Long + "\n" + cmd.Example) {
			if len(strings.TrimRight(line, "\n")) > 80 {
				t.Errorf("%s: line over 80 columns: %q", path, line)
			}
		}
		if cmd.Long == "" {
			t.Errorf("%s: no long text", path)
		}
		if cmd.Parent() != nil && !cmd.Parent().HasParent() && !groupIDs[cmd.GroupID] {
			t.Errorf("%s: group %q is not one of help's", path, cmd.GroupID)
		}
		checkExits(t, cmd)
		if !cmd.HasSubCommands() {
			checkExample(t, cmd)
		}
	}
}

func checkExits(t *testing.T, cmd *cobra.Command) {
	t.Helper()
	if cmd.HasSubCommands() {
		return
	}
	if cmd.Annotations[annotationExits] == "" {
		t.Errorf("%s: no exit codes", cmd.CommandPath())
	}
	var codes []int
	for _, c := range exitsOf(cmd) {
		codes = append(codes, c.code)
		if c.meaning == "" || !slices.ContainsFunc(exitCodes, func(known exitCode) bool { return known.code == c.code }) {
			t.Errorf("%s: exit code %d means %q", cmd.CommandPath(), c.code, c.meaning)
		}
	}
	if !slices.IsSorted(codes) || !slices.Contains(codes, exitOK) || !slices.Contains(codes, usageCode(cmd)) {
		t.Errorf("%s: exit codes %v, want them sorted, with %d and %d", cmd.CommandPath(), codes, exitOK, usageCode(cmd))
	}
}

// checkExample wants examples, each a line with a command line that parses.
func checkExample(t *testing.T, cmd *cobra.Command) {
	t.Helper()
	found := false
	for line := range strings.Lines(cmd.Example) {
		_, rest, ok := strings.Cut(line, cmd.Root().Name()+" ")
		if !ok {
			t.Errorf("%s: example %q is no command line of rollbook", cmd.CommandPath(), line)
			continue
		}
		words := strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(" \n()|>", r) })
		target, _, err := cmd.Root().Find(words)
		if err != nil {
			t.Errorf("%s: example %q: %v", cmd.CommandPath(), line, err)
		}
		found = found || target == cmd
	}
	if !found {
		t.Errorf("%s: no example of it", cmd.CommandPath())
	}
}

// Help and manual have their sections for every command.
func TestHelpAndManual(t *testing.T) {
	for _, cmd := range product(t) {
		args := strings.Fields(strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "rollbook"), " "))
		help := try(t, Env{}, append([]string{"help"}, args...))
		byFlag := try(t, Env{}, append(args, "--help"))
		if help != byFlag || help.code != 0 || help.stderr != "" {
			t.Errorf("help of %s: %+v, with --help %+v", cmd.CommandPath(), help, byFlag)
		}
		page := try(t, Env{}, append([]string{"man"}, args...))
		if page.code != 0 || page.stderr != "" {
			t.Errorf("man of %s: %+v", cmd.CommandPath(), page)
		}
		for _, want := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"} {
			if !strings.Contains(page.stdout, "\n.SH \""+want+"\"\n") {
				t.Errorf("man of %s has no %s", cmd.CommandPath(), want)
			}
		}
		for _, want := range []string{"\nUsage:\n", "\nFlags:\n", "\nExit codes:\n"} {
			if !strings.Contains(help.stdout, want) {
				t.Errorf("help of %s has no %q", cmd.CommandPath(), want)
			}
		}
	}
}

// The codes of inspect stand on the page, each with what it means.
func TestDocsInspectCodes(t *testing.T) {
	documented := make(map[string]bool)
	for _, row := range docRows(t, "inspect") {
		documented[row[0]] = true
	}
	for _, code := range inspect.Codes() {
		if !documented[string(code)] {
			t.Errorf("docs/cli.md, inspect: no row for %s", code)
		}
		delete(documented, string(code))
	}
	for code := range documented {
		t.Errorf("docs/cli.md, inspect: %s is no code", code)
	}
}
