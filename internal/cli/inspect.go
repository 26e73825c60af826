package cli

import (
	"context"
	"io"
	"math"

	"github.com/spf13/cobra"

	"rollbook/internal/fsx"
	"rollbook/internal/inspect"
	"rollbook/internal/term"
)

// Values of inspect --format.
const (
	formatJSON   = "json"
	formatNDJSON = "ndjson"
)

type inspectOptions struct {
	format  string
	summary bool
	table   bool // the form of a summary where no format is named
	maxFile int64
	maxLine int64
}

func newInspectCommand(e *Env) *cobra.Command {
	var o inspectOptions
	cmd := &cobra.Command{
		Use:     "inspect FILE",
		Aliases: []string{"inspect-codex"},
		Short:   "report what is in one rollout, record by record",
		Long: `Reads one rollout (.jsonl or .jsonl.zst, or - for standard input) and reports
its records, the events in them and what could not be read, each with its line.
Nothing is inferred, replayed or run.

The output holds the original text of the log and may hold secrets. Inspecting
redacts nothing, and is no permission to share. Codex does not declare its
format stable: compatibility is always "unverified".

The snapshot is not atomic. Only what the file held when it was opened is read,
and a change seen by then is reported as source_changed; edits that keep size
and modification time can escape.

The report as json is held in memory until the end, about as many bytes as the
file has; ndjson is written as the file is read. A compressed file that is cut
or broken is read up to there, and damaged_compression says at which line.`,
		Example: `  rollbook inspect rollout.jsonl
  rollbook inspect rollout.jsonl --summary
  rollbook inspect huge.jsonl --max-file-bytes 4GiB --format ndjson
  zstd -dc rollout.jsonl.zst | rollbook inspect -`,
		GroupID: groupRead,
		Args:    operands("FILE"),
		Annotations: map[string]string{annotationExits: `0   read without a loss, or empty
1   could not be read, is no regular file, or exceeds --max-file-bytes
2   read, but partial: something was lost or left out
64  the command line was wrong`},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.table = !cmd.Flags().Changed("format")
			return e.inspect(cmd.Context(), args[0], o)
		},
	}
	choiceVar(cmd, cmd.Flags(), &o.format, "format", formatJSON, "one JSON value, or one object a line", formatJSON, formatNDJSON)
	cmd.Flags().BoolVar(&o.summary, "summary", false, "print counts and bytes by type and by diagnostic instead; a table, or with --format json an object")
	limitVar(cmd.Flags(), &o.maxFile, "max-file-bytes", inspect.DefaultLimits.File, false, "refuse a larger file; counted after decompression")
	limitVar(cmd.Flags(), &o.maxLine, "max-line-bytes", int64(inspect.DefaultLimits.Line), false, "leave out longer lines, line feed included")
	return cmd
}

func (e *Env) inspect(ctx context.Context, name string, o inspectOptions) error {
	if o.summary && o.format == formatNDJSON {
		return usageErrorf("--summary has no ndjson form")
	}
	src, err := e.openRollout(name, inspect.Limits{File: o.maxFile, Line: int(min(o.maxLine, math.MaxInt))})
	if err != nil {
		return err
	}
	defer src.Close()
	var state inspect.State
	switch {
	case o.summary:
		state, err = e.inspectSummary(ctx, src, o.table)
	case o.format == formatNDJSON:
		state, err = e.inspectNDJSON(ctx, src)
	default:
		state, err = e.inspectJSON(ctx, src)
	}
	if err == nil && state == inspect.Partial {
		return errPartial
	}
	return err
}

// openRollout opens a rollout or standard input, and shows how far it is read.
func (e *Env) openRollout(name string, limits inspect.Limits) (*inspect.Source, error) {
	bar := e.progress("inspect", 0, "")
	if name == "-" {
		return inspect.OpenStream(io.TeeReader(e.Stdin, counted{bar}), "standard input", limits)
	}
	src, err := inspect.Open(watchedFS{fsx.OS, bar}, e.path(name), limits)
	if err == nil {
		bar.SetTotal(src.SnapshotBytes())
	}
	return src, err
}

// counted adds what is written to it to a progress bar.
type counted struct{ bar *term.Progress }

func (c counted) Write(p []byte) (int, error) {
	c.bar.Add(int64(len(p)))
	return len(p), nil
}

// watchedFS shows on a progress bar what is read of its files.
type watchedFS struct {
	fsx.FS
	bar *term.Progress
}

func (w watchedFS) Open(name string) (fsx.File, error) {
	f, err := w.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return watchedFile{f, w.bar}, nil
}

type watchedFile struct {
	fsx.File
	bar *term.Progress
}

func (w watchedFile) Read(p []byte) (int, error) {
	n, err := w.File.Read(p)
	w.bar.Add(int64(n))
	return n, err
}

func (e *Env) inspectJSON(ctx context.Context, src *inspect.Source) (inspect.State, error) {
	var report inspect.JSON
	rep, err := inspect.Run(ctx, src, &report)
	if err != nil {
		return "", err
	}
	return rep.State, report.Write(ctx, e.safeStdout(term.JSON), rep)
}

func (e *Env) inspectNDJSON(ctx context.Context, src *inspect.Source) (inspect.State, error) {
	lines := inspect.NewNDJSON(ctx, e.safeStdout(term.JSON), src)
	rep, err := inspect.Run(ctx, src, lines)
	if err != nil {
		lines.Close(src, nil) // what was read until then; err is the news
		return "", err
	}
	return rep.State, lines.Close(src, rep)
}

func (e *Env) inspectSummary(ctx context.Context, src *inspect.Source, table bool) (inspect.State, error) {
	var counts inspect.Counter
	rep, err := inspect.Run(ctx, src, &counts)
	if err != nil {
		return "", err
	}
	summary := counts.Summary(rep)
	if table {
		return rep.State, e.writeSummary(summary)
	}
	return rep.State, e.writeJSON(summary)
}
