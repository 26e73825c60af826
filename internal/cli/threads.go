package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rollbook/internal/assemble"
	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/listing"
)

type threadsOptions struct {
	project string
	here    bool
	span    window
	sources []string
	touched string
	all     bool
	tree    bool
	long    bool
	json    bool
	noCache bool
}

func newThreadsCommand(e *Env) *cobra.Command {
	var o threadsOptions
	cmd := &cobra.Command{
		Use:   "threads [HOME]",
		Short: "list the threads of a Codex home, also those that Codex hides",
		Long: `Lists every thread of a Codex home, the newest first: by the time of its last
record, never of a file. HOME may also be a folder of rollouts; without it the
home is CODEX_HOME.

What Codex's own resume list would not show, and why, is in the column "hidden":

  archived, not-interactive (codex exec, app server), sub-agent, review,
  guardian, no-user-event, no-meta, first-line-unreadable, bom-or-bad-utf8,
  other-provider, not-in-state-db; of a file also superseded-segment

Sub-agents, reviews, guardians and threads without a user message are left out
without --all; --tree shows them below the threads that they belong to.

What was read is kept in rollbook's own data folder, so that the next listing
opens only the rollouts that have changed. It may be deleted at any time.`,
		Example: `  rollbook threads ~/.codex
  rollbook threads --here --since 7d
  rollbook threads ~/.codex --project ~/shop-api --tree
  rollbook threads ~/.codex --touched cart/cart.go --long
  rollbook threads ~/.codex --all --json > threads.json`,
		GroupID: groupRead,
		Args:    operands("[HOME]"),
		Annotations: exits(
			"0   listed; also where there is nothing to list",
			"1   the home could not be read",
			"2   listed, but some input was lost: warnings say what and where",
			"64  the command line was wrong, or names no home"),
		RunE: func(cmd *cobra.Command, args []string) error {
			home := ""
			if len(args) > 0 {
				home = args[0]
			}
			return e.threads(cmd.Context(), home, o)
		},
	}
	set := cmd.Flags()
	set.StringVar(&o.project, "project", "", "only threads that worked in this `DIR` or below it")
	set.BoolVar(&o.here, "here", false, "only threads that worked in the current folder or below it")
	e.windowVars(set, &o.span)
	set.StringSliceVar(&o.sources, "source", nil, "only threads of this `KIND`: cli, vscode, exec, app_server, custom, subagent, unknown; also with what follows a colon, as in subagent:review")
	set.StringVar(&o.touched, "touched", "", "only threads that changed this `FILE`, or wanted to; a relative name is looked for here and in each thread's own folder")
	set.BoolVar(&o.all, "all", false, "also sub-agents, reviews, guardians and threads without a user message")
	set.BoolVar(&o.tree, "tree", false, "whole families: sub-agents and forks below their parents")
	set.BoolVarP(&o.long, "long", "l", false, "all about each thread, with the command that resumes it")
	set.BoolVar(&o.json, "json", false, "print one JSON object")
	set.BoolVar(&o.noCache, "no-cache", false, "read every rollout, and keep nothing")
	return cmd
}

func (o *threadsOptions) check() error {
	switch {
	case o.json && (o.tree || o.long):
		return usageErrorf("--json has all about each thread, and its family: it goes without --tree and --long")
	case o.tree && o.long:
		return usageErrorf("--tree and --long exclude each other")
	case o.here && o.project != "":
		return usageErrorf("--here and --project exclude each other")
	}
	known := []string{"cli", "vscode", "exec", "app_server", "custom", "subagent", "unknown"}
	for _, s := range o.sources {
		if first, _, _ := strings.Cut(s, ":"); !slices.Contains(known, first) {
			return usageErrorf("--source %q: want %s", s, strings.Join(known, ", "))
		}
	}
	return o.span.check()
}

func (e *Env) threads(ctx context.Context, operand string, o threadsOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	dir, ok := e.codexHome(operand)
	if !ok {
		return withHint(usageErrorf("no Codex home to list"), "name the home, as in: rollbook threads ~/.codex", "or set CODEX_HOME")
	}
	filter, err := e.filter(o)
	if err != nil {
		return err
	}
	home, err := discover.Open(dir)
	if err != nil {
		return err
	}
	defer home.Close()
	tally := new(diag.Tally)
	l, err := listing.List(ctx, home, listing.Options{
		Cache:   e.cacheFile(home, o.noCache),
		Program: program(),
		Opener:  func(bytes int64) assemble.Opener { return watchedHome{home, e.progress("read", bytes, "")} },
	}, tally.Add)
	if err != nil {
		return err
	}
	e.bar.Done()
	if l.CacheErr != nil {
		e.warnf("the next listing will read all again: %v", l.CacheErr)
	}
	shown, more, err := e.writeListing(l, filter, o)
	if err != nil {
		return err
	}
	e.warnCut(l, filter)
	for _, t := range shown {
		for _, f := range t.Findings {
			for _, d := range f.Examples {
				tally.Add(d)
			}
			tally.More(f.Code, f.Count-len(f.Examples))
		}
	}
	err = e.tell(tally)
	if more > 0 && !o.json && (e.stdoutIsTerminal() || len(shown) == 0) {
		e.hintf("--all shows %s more: sub-agents, reviews, guardians, empty ones", plural(more, "thread", "threads"))
	}
	return err
}

// warnCut says where --touched cannot know all.
func (e *Env) warnCut(l *listing.Listing, f listing.Filter) {
	if f.Touched == nil {
		return
	}
	n := 0
	for _, t := range l.Threads {
		if t.TouchedCut {
			n++
		}
	}
	if n > 0 {
		e.warnf("%s touched more files than are kept, so --touched may not find all of theirs", plural(n, "thread", "threads"))
	}
}

// filter makes a filter of the flags.
func (e *Env) filter(o threadsOptions) (f listing.Filter, err error) {
	f = listing.Filter{Since: o.span.Since, Until: o.span.Until, Sources: o.sources, All: o.all}
	if o.project != "" {
		if f.Projects, err = e.folderKeys(o.project); err != nil {
			return f, err
		}
	}
	if o.here {
		dir, err := e.workDir()
		if err != nil {
			return f, err
		}
		f.Projects = []string{discover.PathKey(dir)}
	}
	if o.touched != "" {
		f.Touched = &listing.Target{Name: o.touched, Path: o.touched}
		if !discover.WindowsPath(o.touched) {
			f.Touched.Path, err = e.absPath(o.touched)
		}
	}
	return f, err
}

// folderKeys gives the keys of a folder: as it is named, and without links, for
// that is how Codex writes it down. It need not exist, and may be one of
// another system.
func (e *Env) folderKeys(name string) ([]string, error) {
	if discover.WindowsPath(name) {
		return []string{discover.PathKey(name)}, nil
	}
	abs, err := e.absPath(name)
	if err != nil {
		return nil, err
	}
	keys := []string{discover.PathKey(abs)}
	if real, err := filepath.EvalSymlinks(abs); err == nil && real != abs {
		keys = append(keys, discover.PathKey(real))
	}
	return keys, nil
}

// cacheFile gives the file in which what is read of the home is kept, or "" for
// none: where that is not wanted, where there is no place for it, and where it
// would lie in the home, in which nothing is ever written.
func (e *Env) cacheFile(home *discover.Home, not bool) string {
	if not {
		return ""
	}
	dir, err := e.dataDir()
	if err != nil {
		e.warnf("the next listing will read all again: %v", err)
		return ""
	}
	name := filepath.Join(dir, "listing", cacheName(home)+".cache")
	if err := e.outside(home.Path(), name); err != nil {
		e.warnf("the next listing will read all again: %v", err)
		return ""
	}
	return name
}

// cacheName makes a file name of a home's path.
func cacheName(home *discover.Home) string {
	sum := sha256.Sum256([]byte(home.Path()))
	return hex.EncodeToString(sum[:16])
}

// program names this program: its version, and where that does not say what was
// built, the file itself.
func program() string {
	v := versionOf(buildInfo())
	name := "rollbook " + v.Version
	if v.Revision != nil {
		name += " " + *v.Revision
	}
	if v.Revision == nil || v.Modified == nil || *v.Modified {
		if file, err := os.Executable(); err == nil {
			if info, err := os.Stat(file); err == nil {
				name += fmt.Sprintf(" %d %d", info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return name
}
