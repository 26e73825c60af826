package cli

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"rollbook/internal/store"
	"rollbook/internal/term"
)

// clearWords is what a person types to clear the store.
const clearWords = "DELETE LOCAL IMPORTS"

func newDBCommand(e *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "db",
		Short: "look after the local store",
		Long: `Looks after the database that import fills: what is in it, whether it is whole,
giving space back, and taking things out again. Codex's own files are never
touched.`,
		GroupID: groupStore,
		Annotations: exits("0   done", "1   could not be done, or check found a fault", "64  the command line was wrong",
			"130 interrupted: nothing was changed"),
	}
	cmd.AddCommand(newDBInfo(e), newDBCheck(e), newDBVacuum(e), newDBForget(e), newDBClear(e))
	return cmd
}

func newDBInfo(e *Env) *cobra.Command {
	var db string
	var asJSON bool
	var run int64
	cmd := &cobra.Command{
		Use:         "info",
		Short:       "say what the store holds, and what the last imports did",
		Long:        "Says how much the store holds, where it lies, and what the last imports did;\nwith --run what one import did, and all that it could not read or left out.",
		Example:     "  rollbook db info\n  rollbook db info --run 3\n  rollbook db info --json",
		Args:        cobra.NoArgs,
		Annotations: exits("0   shown", "1   there is no store, or it cannot be read", "64  the command line was wrong"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.dbInfo(cmd.Context(), db, run, asJSON)
		},
	}
	storeVar(cmd.Flags(), &db)
	cmd.Flags().Int64Var(&run, "run", 0, "number of the import to tell of")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// openStore opens the store for reading.
func (e *Env) openStore(ctx context.Context, flag string) (*store.Reader, error) {
	name, err := e.storeFile(flag)
	if err != nil {
		return nil, err
	}
	r, err := store.OpenReader(ctx, name)
	if isNoStore(err) {
		return nil, withHint(fmt.Errorf("%s: there is no store yet", name), "fill it: rollbook import ~/.codex")
	}
	return r, err
}

func (e *Env) dbInfo(ctx context.Context, flag string, run int64, asJSON bool) error {
	r, err := e.openStore(ctx, flag)
	if err != nil {
		return err
	}
	defer r.Close()
	info, err := r.Info()
	if err != nil {
		return err
	}
	if run != 0 {
		return e.dbRun(r, info.Path, run, asJSON)
	}
	runs, err := r.Runs(5)
	if err != nil {
		return err
	}
	if asJSON {
		return e.writeJSON(infoJSON(info, runs))
	}
	return e.writeInfo(info, runs)
}

func (e *Env) writeInfo(info *store.Info, runs []store.Run) error {
	var b strings.Builder
	style := e.style()
	row := func(n int64, words string) {
		fmt.Fprintf(&b, "  %s  %s\n", term.PadLeft(term.FormatCount(n), 11), words)
	}
	fmt.Fprintf(&b, "%s  %s\n", style.Bold(term.Safe(info.Path, term.OneLine)), style.Dim(fmt.Sprintf("schema %d", info.Schema)))
	row(info.Threads, "threads")
	row(info.Messages, "messages and tool calls")
	row(info.Events, "events")
	row(info.Sources, "source files, "+term.HumanSize(info.SourceBytes))
	share := ""
	if info.SourceBytes > 1<<20 {
		share = fmt.Sprintf(", %d %% of the sources", info.Bytes*100/info.SourceBytes)
	}
	fmt.Fprintf(&b, "  %s  the store%s; %s can be given back by vacuum\n", term.PadLeft(term.HumanSize(info.Bytes), 11), share, term.HumanSize(info.Free))
	if info.Waiting > 0 {
		row(info.Waiting, "threads or files whose outputs are not in full text yet: the next import goes on")
	}
	if len(runs) > 0 {
		b.WriteString("\n" + style.Bold("last imports") + "\n")
	}
	for _, run := range runs {
		fmt.Fprintf(&b, "  %s  %s  %s  %s messages  %s\n", term.PadLeft(strconv.FormatInt(run.ID, 10), 5), term.FormatTime(run.Started, e.now().Location()), term.Pad(run.State, 11),
			term.PadLeft(term.FormatCount(run.Counts.Imported), 9), term.Safe(strings.Join(run.Roots, " "), term.OneLine))
	}
	_, err := e.Stdout.Write([]byte(b.String()))
	return err
}

func newDBCheck(e *Env) *cobra.Command {
	return dbWriter(e, "check", "look whether the store is whole",
		"Reads the whole store and compares it with itself: pages, full text, roll-ups.", "  rollbook db check", cobra.NoArgs,
		func(ctx context.Context, w *store.Writer, _ []string) error {
			faults, err := w.Check()
			if err != nil {
				return err
			}
			for _, f := range faults {
				fmt.Fprintf(e.Stdout, "%s\n", term.Safe(f, term.OneLine))
			}
			if len(faults) > 0 {
				return withHint(fmt.Errorf("the store has %d faults", len(faults)), "import again into a new one: rollbook import PATH --db FILE")
			}
			fmt.Fprintln(e.Stdout, "the store is whole")
			return nil
		})
}

func newDBVacuum(e *Env) *cobra.Command {
	return dbWriter(e, "vacuum", "put the index in order and give unused space back",
		"Writes the database anew, without what is no longer used. It needs as much free\nspace as the store has.", "  rollbook db vacuum", cobra.NoArgs,
		func(ctx context.Context, w *store.Writer, _ []string) error { return w.Vacuum() })
}

func newDBForget(e *Env) *cobra.Command {
	return dbWriter(e, "forget SOURCE...", "take out what a file or folder gave",
		"Takes out of the store what came from a file, or from all files below a folder.\nOf a rollout the whole thread goes. The files themselves are not touched, and\nneed not be there any more.",
		"  rollbook db forget ~/exports/chat.jsonl\n  rollbook db forget ~/old/.codex", cobra.MinimumNArgs(1),
		func(ctx context.Context, w *store.Writer, args []string) error {
			for _, name := range args {
				abs, err := e.absPath(name)
				if err != nil {
					return err
				}
				n, err := w.Forget(abs)
				if err == nil && n == 0 {
					n, err = w.Forget(name) // a key, as upload/name
				}
				switch {
				case err != nil:
					return err
				case n == 0:
					return fmt.Errorf("%s: nothing in the store came from it", name)
				}
				fmt.Fprintf(e.Stdout, "forgot %s from %s\n", plural(n, "source", "sources"), term.Safe(name, term.OneLine))
			}
			return nil
		})
}

func newDBClear(e *Env) *cobra.Command {
	var words string
	cmd := dbWriter(e, "clear", "take everything out of the store",
		"Takes everything out of the store. It wants to be told so: type\n"+clearWords+" when asked, or give it as --confirm. Codex's own\nfiles are not touched.",
		"  rollbook db clear --confirm \""+clearWords+"\"", cobra.NoArgs,
		func(ctx context.Context, w *store.Writer, _ []string) error {
			if words == "" {
				fmt.Fprintf(e.Stderr, "rollbook: this takes everything out of the store; type %s: ", clearWords)
				line, _ := bufio.NewReader(e.Stdin).ReadString('\n')
				words = strings.TrimSpace(line)
			}
			if words != clearWords {
				return usageErrorf("not confirmed: nothing was taken out")
			}
			return w.Clear()
		})
	cmd.Flags().StringVar(&words, "confirm", "", "the words `TEXT` that confirm it")
	return cmd
}

// dbWriter makes a command that needs the store to itself.
func dbWriter(e *Env, use, short, long, example string, args cobra.PositionalArgs, run func(context.Context, *store.Writer, []string) error) *cobra.Command {
	var db string
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Example: example, Args: args,
		Annotations: exits("0   done", "1   there is no store, it could not be done, or a fault was found", "64  the command line was wrong"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			r, err := e.openStore(cmd.Context(), db) // it is never made here
			if err != nil {
				return err
			}
			if err := r.Close(); err != nil {
				return err
			}
			name, err := e.storeFile(db)
			if err != nil {
				return err
			}
			w, err := store.OpenWriter(cmd.Context(), name)
			if err != nil {
				return err
			}
			defer func() {
				if closeErr := w.Close(); err == nil {
					err = closeErr
				}
			}()
			return run(cmd.Context(), w, args)
		},
	}
	storeVar(cmd.Flags(), &db)
	return cmd
}
