package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"rollbook/internal/bundle"
	"rollbook/internal/fsx"
	"rollbook/internal/inspect"
	"rollbook/internal/secret"
	"rollbook/internal/term"
)

// A bundleOptions is what export takes for a bundle.
type bundleOptions struct {
	preview bool
	exclude bundle.Exclude
	project string
	include []string
	maxFile int64
	maxLine int64
}

// bundleOnly are the flags that make no sense with --format, formatOnly those that
// make none without it.
var (
	bundleOnly = []string{"preview", "exclude-line", "exclude-role", "exclude-tool", "project", "include-path", "max-file-bytes", "max-line-bytes"}
	formatOnly = []string{"view", "images", "all", "tools", "no-images", "cwd", "since", "until"}
)

func (o *bundleOptions) vars(set *pflag.FlagSet) {
	set.BoolVar(&o.preview, "preview", false, "bundle: print what would be written, as one JSON object, and write nothing")
	set.Var(&lineRanges{&o.exclude.Lines}, "exclude-line", "bundle: leave out the events of this line, or of lines as in 10-20; can be repeated")
	set.Var(&roleList{&o.exclude.Roles}, "exclude-role", "bundle: leave out what this role says; can be repeated")
	set.StringArrayVar(&o.exclude.Tools, "exclude-tool", nil, "bundle: leave out the calls of this tool, by `NAME`, and their results; can be repeated")
	set.StringVar(&o.project, "project", "", "bundle: look at this checkout with git: remote, branch, commit, changes")
	set.Var(&pathList{&o.include}, "include-path", "bundle: take the changes of this file along, by its `PATH` in the checkout; can be repeated")
	limitVar(set, &o.maxFile, "max-file-bytes", inspect.DefaultLimits.File, false, "bundle: refuse a larger file; counted after decompression")
	limitVar(set, &o.maxLine, "max-line-bytes", int64(inspect.DefaultLimits.Line), false, "bundle: leave out longer lines, line feed included")
	onceOnly(set, "preview", "output", "project")
}

// check looks at what a bundle wants of its flags.
func (o *bundleOptions) check(set *pflag.FlagSet) error {
	for _, name := range formatOnly {
		if set.Changed(name) {
			return usageErrorf("--%s belongs to --format; a bundle has no such thing", name)
		}
	}
	switch output := set.Changed("output"); {
	case o.preview && output:
		return usageErrorf("--preview writes nothing, so it does not go with --output")
	case !o.preview && !output:
		return withHint(usageErrorf("nothing says what to write"),
			"a bundle: --preview, or --output NEWDIR", "pages or lines: --format html, md, events or normalized")
	case len(o.include) > 0 && o.project == "":
		return usageErrorf("--include-path wants --project, the checkout in which it lies")
	case set.Changed("project") && o.project == "", set.Changed("output") && set.Lookup("output").Value.String() == "":
		return usageErrorf("an empty name is none")
	}
	return nil
}

// exportBundle writes or shows the bundle of one rollout (spec/bundle.md 5).
func (e *Env) exportBundle(ctx context.Context, operand string, o exportOptions) error {
	name, err := e.bundleSource(ctx, operand, o)
	if err != nil {
		return err
	}
	named, _ := e.codexHome("")
	for _, home := range []string{homeAbove(name), named} {
		if home == "" {
			continue
		}
		if err := e.outside(home, o.output); err != nil {
			return err
		}
	}
	p, err := bundle.Prepare(ctx, watchedFS{fsx.OS, e.progress("read", 0, "")}, bundle.Options{
		File:    name,
		Limits:  inspect.Limits{File: o.bundle.maxFile, Line: int(min(o.bundle.maxLine, math.MaxInt))},
		Exclude: o.bundle.exclude,
		Redact:  e.redactions(o.redact),
		Now:     e.now(),
		Project: e.projectPath(o.bundle.project),
		Git:     e.git(),
		Include: o.bundle.include,
	})
	if err != nil {
		return err
	}
	defer p.Close()
	if o.bundle.preview {
		err = p.WriteJSON(ctx, e.safeStdout(term.JSON))
	} else {
		err = e.writeBundle(ctx, p, o.output)
	}
	switch {
	case err != nil:
		return err
	case !p.Clean():
		return errFindings
	case p.Partial:
		return errPartial
	}
	return nil
}

// writeBundle writes the bundle, or the findings that forbid it, and says which.
func (e *Env) writeBundle(ctx context.Context, p *bundle.Prepared, output string) error {
	if !p.Clean() {
		return p.WriteFindings(e.safeStdout(term.JSON))
	}
	dir := e.path(output)
	for _, name := range fsx.Leftovers(fsx.OS, filepath.Dir(dir)) {
		e.warnf("%s is left of a writing that was cut off, or of one that still runs; if none does, remove it", name)
	}
	err := p.Write(ctx, fsx.OS, dir)
	if residue, ok := errors.AsType[*secret.ResidueError](err); ok {
		return &exitError{exitFindings, residue}
	}
	if err != nil {
		return err
	}
	return e.writeJSON(struct {
		Partial   bool   `json:"partial"`
		Redaction string `json:"redaction"`
		Written   bool   `json:"written"`
	}{p.Partial, p.Manifest.Redaction, true})
}

func (e *Env) projectPath(name string) string {
	if name == "" {
		return ""
	}
	return e.path(name)
}

// bundleSource gives the one file that a bundle is of: a rollout, or the only file
// of a thread.
func (e *Env) bundleSource(ctx context.Context, operand string, o exportOptions) (string, error) {
	info, err := os.Stat(e.path(operand))
	if err == nil && !info.IsDir() {
		if o.thread != "" {
			return "", usageErrorf("--thread picks a thread of a folder, and %s is a file", operand)
		}
		return e.path(operand), nil
	}
	if err == nil && o.thread == "" {
		return "", withHint(fmt.Errorf("%s: is a folder, and a bundle is of one rollout", operand),
			"name a rollout, or a thread: --thread ID", "pages of all threads: --format html")
	}
	sel, err := e.choose(ctx, operand, o.selector)
	if err != nil {
		return "", err
	}
	defer sel.Close()
	refs := sel.lib.Refs(sel.ids[0])
	if len(refs) != 1 {
		return "", withHint(fmt.Errorf("thread %s lies in %d files, and a bundle is of one", sel.ids[0], len(refs)),
			"the whole thread as a page or as lines: --format html, md, events or normalized", "or name one of its files: "+refs[0].Path)
	}
	return filepath.Join(sel.home.Path(), filepath.FromSlash(refs[0].Path)), nil
}

// homeAbove gives the Codex home that a rollout lies in, by the folder that Codex
// keeps rollouts in.
func homeAbove(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		return ""
	}
	for dir := filepath.Dir(abs); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if base := filepath.Base(dir); base == "sessions" || base == "archived_sessions" {
			return filepath.Dir(dir)
		}
	}
	return ""
}

// lineRanges collects lines as in 7 and 10-20.
type lineRanges struct{ list *[]bundle.Range }

func (l *lineRanges) Type() string { return "N|N-M" }
func (l *lineRanges) String() string {
	var all []string
	for _, r := range *l.list {
		all = append(all, fmt.Sprintf("%d-%d", r.First, r.Last))
	}
	return strings.Join(all, ",")
}

func (l *lineRanges) Set(s string) error {
	from, to, isRange := strings.Cut(s, "-")
	if !isRange {
		to = from
	}
	first, err1 := strconv.ParseUint(from, 10, 31)
	last, err2 := strconv.ParseUint(to, 10, 31)
	if err1 != nil || err2 != nil || first < 1 || last < first {
		return errors.New("want a line from 1 on, or lines as in 10-20")
	}
	*l.list = append(*l.list, bundle.Range{First: int(first), Last: int(last)})
	return nil
}

// roleList collects roles of events.
type roleList struct{ list *[]inspect.Role }

var roles = []inspect.Role{inspect.User, inspect.Assistant, inspect.System, inspect.Developer, inspect.Tool}

func (l *roleList) Type() string { return "ROLE" }
func (l *roleList) String() string {
	var all []string
	for _, r := range *l.list {
		all = append(all, r.String())
	}
	return strings.Join(all, ",")
}

func (l *roleList) Set(s string) error {
	i := slices.IndexFunc(roles, func(r inspect.Role) bool { return r.String() == s })
	if i < 0 {
		return errors.New("want user, assistant, system, developer or tool")
	}
	*l.list = append(*l.list, roles[i])
	return nil
}

// pathList collects paths, which must be UTF-8.
type pathList struct{ list *[]string }

func (l *pathList) Type() string   { return "PATH" }
func (l *pathList) String() string { return strings.Join(*l.list, ",") }

func (l *pathList) Set(s string) error {
	if !utf8.ValidString(s) {
		return errors.New("want UTF-8")
	}
	*l.list = append(*l.list, s)
	return nil
}
