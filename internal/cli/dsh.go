package cli

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rollbook/internal/dsh"
)

// seedDSH is the name under which options, exit codes and usage errors are those
// of the program that had it first (spec: dsh, section 6).
const seedDSH = "import-codex"

// dshOptions are the options of all commands of the group.
type dshOptions struct {
	seed bool // under the name import-codex

	names      []string
	hours      float64
	limit      int
	project    string
	archived   bool
	codexRoot  string
	out        string
	into       string
	home       string
	manifest   string
	maxOutput  int
	maxText    int
	full       bool
	rolledBack bool
	noImages   bool
	images     string
	maxImage   int64
	dryRun     bool
	force      bool
	json       bool
	harness    bool
}

// defaultHours is the window of activity.
const defaultHours = 24

const dshLong = `Makes sessions of the DeepSeek Harness (DSH) of Codex threads: sessions that the
harness lists, resumes and continues. sync installs them and may be run again at
any time: a session that the harness went on with, or that anybody changed, is
never replaced without --force, and then only behind a backup; rollback takes a
run back. Codex's own files are only read.

Threads are chosen by activity, in the last 24 hours where nothing else is said,
from --codex-root, else CODEX_HOME, else ~/.codex. Sub-agents, guardians and
reviews are left out; forks are sessions of their own.`

func newDSHCommand(e *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "dsh",
		Short:   "convert threads to sessions of the DeepSeek Harness",
		Long:    dshLong,
		GroupID: groupShare,
	}
	cmd.AddCommand(dshCommands(e, false)...)
	cmd.AddCommand(newDSHResume(e))
	return cmd
}

func newImportCodexCommand(e *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   seedDSH,
		Short: "the commands of dsh, with the options and exit codes of import-codex",
		Long: dshLong + `

Under this name every command takes every option, a command line that is wrong
ends with exit code 2, and the other codes are those of the program that had the
name first: 1 where there is nothing to list or to convert, or nothing passes.`,
		GroupID: groupShare,
		Annotations: map[string]string{
			annotationUsageExit: "2",
			annotationUsageLine: "usage: rollbook import-codex list|convert|sync|rollback|verify|audit [options]",
		},
	}
	cmd.AddCommand(dshCommands(e, true)...)
	return cmd
}

// dshCommands makes the commands that both groups have.
func dshCommands(e *Env, seed bool) []*cobra.Command {
	var list []*cobra.Command
	for _, construct := range []func(*Env, *dshOptions) *cobra.Command{
		newDSHList, newDSHConvert, newDSHVerify, newDSHAudit, newDSHSync, newDSHRollback,
	} {
		o := &dshOptions{seed: seed}
		cmd := construct(e, o)
		if seed {
			o.all(e, cmd)
			cmd.Example = strings.ReplaceAll(cmd.Example, "rollbook dsh ", "rollbook "+seedDSH+" ")
		}
		list = append(list, cmd)
	}
	return list
}

// all declares what is not declared yet.
func (o *dshOptions) all(e *Env, cmd *cobra.Command) {
	scratch := &cobra.Command{}
	more := scratch.Flags()
	for _, declare := range []func(*Env, *cobra.Command, *pflag.FlagSet){o.selection, o.conversion, o.target} {
		declare(e, scratch, more)
	}
	more.StringVar(&o.out, "out", "", "write the sessions below this `DIR`")
	more.StringVar(&o.manifest, "manifest", "", "take this `FILE` instead of the latest manifest")
	more.BoolVar(&o.dryRun, "dry-run", false, "say what would be written, and write nothing")
	more.BoolVar(&o.force, "force", false, "also replace logs that are not, or no longer, ours")
	more.BoolVar(&o.json, "json", false, "print one JSON object")
	more.BoolVar(&o.harness, "harness", false, "also ask the harness's own validators")
	set := cmd.Flags()
	more.VisitAll(func(f *pflag.Flag) {
		if set.Lookup(f.Name) == nil {
			f.Hidden = true // it is taken, and says nothing here
			set.AddFlag(f)
		}
	})
	set.VisitAll(func(f *pflag.Flag) {
		if f.NoOptDefVal == "" { // it takes a value
			f.Value = &needed{f.Value}
		}
	})
}

// needed refuses a value that is the next option.
type needed struct{ pflag.Value }

func (n *needed) Set(s string) error {
	if strings.HasPrefix(s, "--") {
		return errors.New("the value is missing")
	}
	return n.Value.Set(s)
}

// selection declares the options by which threads are chosen.
func (o *dshOptions) selection(_ *Env, _ *cobra.Command, set *pflag.FlagSet) {
	set.StringArrayVar(&o.names, "session", nil, "only the thread with this `ID`: its own, its root's, a segment's or one in a file's name; whenever it was active; may be repeated")
	o.hours = defaultHours
	set.Var(&hours{&o.hours}, "since-hours", "only threads that were active in the last `N` hours")
	set.Var(&least{&o.limit, 1}, "limit", "only the newest `N`")
	set.StringVar(&o.project, "project", "", "only threads that began in this `DIR` or below it")
	set.BoolVar(&o.archived, "archived", false, "also archived threads")
	set.StringVar(&o.codexRoot, "codex-root", "", "read this `DIR`: a Codex home, or its sessions or archived_sessions")
}

// conversion declares the options by which threads are converted.
func (o *dshOptions) conversion(_ *Env, cmd *cobra.Command, set *pflag.FlagSet) {
	o.maxText = dsh.DefaultMaxText
	set.Var(&least{&o.maxOutput, 0}, "max-tool-output", "keep `N` characters of each tool output; 0 keeps all")
	set.Var(&least{&o.maxText, 0}, "max-text-chars", "keep `N` characters of any other text; 0 keeps all")
	set.BoolVar(&o.full, "full-history", false, "also what came before the last compaction")
	set.BoolVar(&o.rolledBack, "keep-rolled-back", false, "also turns that were taken back, marked as such")
	set.BoolVar(&o.noImages, "no-images", false, "attach no images")
	choiceVar(cmd, set, &o.images, "images", imagesAuto, "who puts images into the store: the installed harness, or rollbook itself; auto is the harness where it is installed", imagesAuto, imagesHarness, imagesOwn)
	limitVar(set, &o.maxImage, "max-image-bytes", dsh.DefaultMaxImage, false, "larger images are left out")
}

// target declares the options that name a home of the harness.
func (o *dshOptions) target(_ *Env, _ *cobra.Command, set *pflag.FlagSet) {
	set.StringVar(&o.home, "dsh-home", "", "the home of the harness, instead of DSH_HOME or ~/.dsh")
	set.StringVar(&o.into, "into", "", "the sessions root, instead of DSH_TUI_SESSION_ROOT or sessions in the home")
}

// dshHome gives the home of the harness. Where only a sessions root is named, it
// is the folder around that.
func (e *Env) dshHome(o *dshOptions) (string, error) {
	root := o.into
	if root == "" {
		root = e.getenv("DSH_TUI_SESSION_ROOT")
	}
	switch {
	case o.home != "":
		return e.absPath(o.home)
	case e.getenv("DSH_HOME") != "":
		return e.absPath(e.getenv("DSH_HOME"))
	case root != "":
		abs, err := e.absPath(root)
		return filepath.Dir(abs), err
	}
	if home := e.getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".dsh"), nil
	}
	return "", withHint(errors.New("no home of the harness: HOME is not set"), "name it: --dsh-home DIR")
}

// sessionsRoot gives the folder of the harness's sessions.
func (e *Env) sessionsRoot(o *dshOptions) (string, error) {
	for _, root := range []string{o.into, e.getenv("DSH_TUI_SESSION_ROOT")} {
		if root != "" {
			return e.path(root), nil
		}
	}
	home, err := e.dshHome(o)
	return filepath.Join(home, "sessions"), err
}

// hours is a number of hours, at least 0.
type hours struct{ p *float64 }

func (h *hours) Type() string   { return "N" }
func (h *hours) String() string { return strconv.FormatFloat(*h.p, 'g', -1, 64) }

func (h *hours) Set(s string) error {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || n < 0 || math.IsInf(n, 0) || math.IsNaN(n) {
		return errors.New("want a number of hours, at least 0")
	}
	*h.p = n
	return nil
}

// least is a whole number that is not too small.
type least struct {
	p   *int
	min int
}

func (l *least) Type() string { return "N" }

func (l *least) String() string {
	if *l.p == 0 {
		return ""
	}
	return strconv.Itoa(*l.p)
}

func (l *least) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < l.min {
		return fmt.Errorf("want a whole number, at least %d", l.min)
	}
	*l.p = n
	return nil
}
