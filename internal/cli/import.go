package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rollbook/internal/confine"
	"rollbook/internal/discover"
	"rollbook/internal/fsx"
	"rollbook/internal/ingest"
	"rollbook/internal/store"
)

type importOptions struct {
	db       string
	limits   importLimits
	messages bool
	verify   bool
	dryRun   bool
	json     bool
	noCache  bool
}

// importLimits are the limits of an import (spec: import, 2.8).
type importLimits struct{ file, line, records, text int64 }

func newImportCommand(e *Env) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import PATH...",
		Short: "bring a history into the local store",
		Long: `Brings what lies at each PATH into rollbook's own database: a Codex home, a
folder of exports, or one file. It may be run again at any time: what has not
changed is not read again, what has grown is read from where it ended.

Taken are rollouts of every dialect, plain or compressed, history.jsonl, the two
line formats that export writes, the history of a bundle, and files of messages
as docs/format/documents.md describes them; one format in a file. It is no
general importer of chats, and no official reader of Codex's storage. Keep the
originals: they are the authority.

Nothing is opened but what lies at PATH; links below it are not followed; files
that may hold credentials or settings are never opened. On Linux the kernel sees
to that too. Each limit takes a size or a number, or none.

The database lies in rollbook's data folder, readable by you alone. It holds the
text of your history; images and other attachments are never stored.`,
		Example: `  rollbook import ~/.codex
  rollbook import ~/.codex ~/exports --dry-run
  rollbook import ~/.codex --max-records none --max-file none
  rollbook import chat.jsonl --json`,
		GroupID: groupStore,
		Args:    cobra.MinimumNArgs(1),
		Annotations: exits(
			"0   imported, or nothing had changed",
			"1   could not be read or written",
			"2   imported, but some input was lost, refused or cut: warnings say what",
			"64  the command line was wrong, or names no path",
			"130 interrupted: what was read whole is kept, the next run goes on"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.importPaths(cmd.Context(), args, o, again(cmd, args))
		},
	}
	set := cmd.Flags()
	storeVar(set, &o.db)
	o.limits.vars(set)
	set.BoolVar(&o.messages, "messages-only", false, "store what was said and which tools were called, nothing else")
	set.BoolVar(&o.verify, "verify", false, "read everything, also what seems unchanged")
	set.BoolVarP(&o.dryRun, "dry-run", "n", false, "say what would be read, and change nothing")
	set.BoolVar(&o.json, "json", false, "print one JSON object")
	set.BoolVar(&o.noCache, "no-cache", false, "look into every file, and keep nothing of that")
	return cmd
}

// importMemory is a soft limit that leaves room for the database below the 256 MiB
// that any command may take.
const importMemory = 130 << 20

// storeVar declares --db.
func storeVar(set *pflag.FlagSet, p *string) {
	set.StringVar(p, "db", "", "the database `FILE`, instead of rollbook.db in rollbook's data folder")
}

func (l *importLimits) vars(set *pflag.FlagSet) {
	limitVar(set, &l.file, "max-file", ingest.DefaultMaxFile, true, "files larger than this are not read")
	limitVar(set, &l.line, "max-line", ingest.DefaultMaxLine, true, "lines longer than this are left out")
	countVar(set, &l.records, "max-records", ingest.DefaultMaxRecords, "messages that one run takes in; the next goes on")
	countVar(set, &l.text, "max-text", ingest.DefaultMaxText, "characters of a message; longer ones are cut")
}

// plainWord gives a word as a shell takes it, quoted only where it must be.
func plainWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:,@%=") == "" && s[0] != '-' {
		return s
	}
	return shellWord(s)
}

// again gives the command line that goes on where a run has stopped.
func again(cmd *cobra.Command, args []string) string {
	words := []string{"rollbook", "import"}
	for _, a := range args {
		words = append(words, plainWord(a))
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "bool" {
			words = append(words, "--"+f.Name)
			return
		}
		words = append(words, "--"+f.Name, plainWord(f.Value.String()))
	})
	return strings.Join(words, " ")
}

func (e *Env) importPaths(ctx context.Context, args []string, o importOptions, again string) error {
	db, err := e.storeFile(o.db)
	if err != nil {
		return err
	}
	paths := make([]string, len(args))
	for i, a := range args {
		if paths[i], err = e.absPath(a); err != nil {
			return err
		}
		if err := e.outside(paths[i], db); err != nil {
			return fmt.Errorf("the database: %w", err)
		}
	}
	opt := ingest.Options{MaxFile: o.limits.file, MaxLine: o.limits.line, MaxRecords: o.limits.records, MaxText: o.limits.text,
		MessagesOnly: o.messages, Verify: o.verify, Program: program(), Started: e.now(),
		Cache:    func(home *discover.Home) string { return importCache(home, filepath.Dir(db), o.noCache || o.dryRun) },
		Progress: e.progress("import", 0, "")}
	var s *ingest.Summary
	if o.dryRun {
		s, err = e.planImport(ctx, db, paths, opt)
	} else {
		s, err = e.runImport(ctx, db, paths, opt)
	}
	e.bar.Done()
	if s != nil {
		s.DB = db
		if sayErr := e.sayImport(s, o, again); sayErr != nil && err == nil {
			err = sayErr
		}
	}
	return err
}

// planImport decides as an import would, and changes nothing.
func (e *Env) planImport(ctx context.Context, db string, paths []string, opt ingest.Options) (*ingest.Summary, error) {
	known := ingest.Known{}
	r, err := store.OpenReader(ctx, db)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		defer r.Close()
		if known, err = ingest.Recall(r); err != nil {
			return nil, err
		}
	}
	return ingest.Plan(ctx, known, paths, opt)
}

func (e *Env) runImport(ctx context.Context, db string, paths []string, opt ingest.Options) (s *ingest.Summary, err error) {
	if err := e.confine(ctx, db, paths); err != nil {
		return nil, err
	}
	opt.Temp = filepath.Dir(db)
	// The database holds memory of its own, beside Go's.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(importMemory))
	// What was begun is ended or taken back by the importer, not in the middle of a
	// statement.
	w, err := store.OpenWriter(context.WithoutCancel(ctx), db)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closeErr := w.Close(); err == nil {
			err = closeErr
		}
	}()
	s, err = ingest.Run(ctx, w, paths, opt)
	if err != nil {
		return s, err
	}
	bar := e.progress("index outputs", 0, "events")
	return s, w.IndexOutputs(ctx, func(done, total int64) {
		if total > 0 {
			bar.SetTotal(total)
		}
		bar.Add(done)
	})
}

// confine has the kernel refuse whatever the import does not need: of a home all
// but its threads, and everything else but the folder of the store.
func (e *Env) confine(ctx context.Context, db string, paths []string) error {
	if e.Restrict == nil {
		return nil
	}
	var rules confine.Rules
	for _, name := range paths {
		home, err := discover.Open(name)
		if err != nil {
			return err
		}
		list, read, err := home.Reads(ctx)
		if err := cmp.Or(err, home.Close()); err != nil {
			return err
		}
		rules.List, rules.Read = append(rules.List, list...), append(rules.Read, read...)
	}
	dir := filepath.Dir(db)
	if err := fsx.MkdirAll(fsx.OS, dir); err != nil {
		return fmt.Errorf("%s: %w", db, err)
	}
	rules.Write = []string{dir}
	e.warnHeld(dir, rules.List)
	_ = e.now().Local().String() // the time zone is read now or never
	report, err := e.Restrict(rules)
	if err != nil {
		return err
	}
	if !report.Active {
		e.hintf("%s", report.Words)
	}
	return nil
}

// warnHeld says so where the folder of the database holds a chosen one: what may
// be done in the former may be done in the latter.
func (e *Env) warnHeld(dir string, chosen []string) {
	for _, root := range chosen {
		if e.outside(dir, root) != nil {
			e.hintf("the kernel cannot confine what is read in %s: the folder of the database holds it; give the database a folder of its own", root)
		}
	}
}

// storeFile gives the database: --db, else rollbook.db among our own data.
func (e *Env) storeFile(flag string) (string, error) {
	if flag != "" {
		return e.absPath(flag)
	}
	dir, err := e.dataDir()
	if err != nil {
		return "", err
	}
	return e.absPath(filepath.Join(dir, "rollbook.db"))
}

// importCache gives the file in which what listing a home gave is kept, beside
// the database; "" for none.
func importCache(home *discover.Home, dir string, not bool) string {
	if not {
		return ""
	}
	return filepath.Join(dir, "listing", cacheName(home)+".import")
}
