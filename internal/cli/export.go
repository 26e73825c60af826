package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rollbook/internal/export"
	"rollbook/internal/fsx"
	"rollbook/internal/interchange"
	"rollbook/internal/secret"
	"rollbook/internal/term"
	"rollbook/internal/transcript"
)

// Values of export --format.
const (
	formatEvents     = "events"
	formatNormalized = "normalized"
	formatHTML       = "html"
)

type exportOptions struct {
	selector
	format   string
	output   string
	images   string
	view     string
	tools    string
	all      bool
	noImages bool
	redact   redactFlags
	bundle   bundleOptions
}

func newExportCommand(e *Env) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:     "export PATH|THREAD",
		Aliases: []string{"export-codex"},
		Short:   "write a thread as a bundle to hand over, as pages or as JSON Lines",
		Long: `Without --format: a bundle of one rollout, a folder to hand over to a person or
another agent, who needs nothing to use it. HANDOFF.md is what to read first,
history.jsonl has the exact events line by line, manifest.json the hashes and
what was left out. --preview shows all of it as JSON, --output NEWDIR writes it.
Possible secrets forbid writing; exclude their lines, or have them redacted with
--redact. With --project the commit of a checkout goes along, with
--include-path the changes of a file in it.

With --format: the threads of a Codex home, of a folder of rollouts or of one
file, oldest first, or one thread by its id. Two formats for people:

  html        one file that needs nothing else: no network, no other file; with
              pictures, a table of turns, search, light and dark
  md          Markdown as forges show it, what tools gave folded

A home or folder gives a new folder (-o NEWDIR), with a page per thread and
index.html or index.md, which lists them. Two formats for programs, both JSON
Lines, all threads in one stream:

  events      everything that a thread holds: messages, reasoning summaries,
              tool calls and results, compactions, notices, token counts; each
              with the file, line and byte that it came from
  normalized  what was said and which tools were called, one message a line

The active view is what Codex itself shows of a thread; physical is everything
that its files hold; model is what the model would be sent next.

The output holds the original text of the logs and may hold secrets. Pages are
looked through: findings are told, and the exit code is 3. --redact replaces
them in every format, and writes nothing where something is left of them; it
leaves pictures out of pages, because nobody looks into them
(--no-images=false). A scan finds only what looks like a secret: look yourself
before you share.`,
		Example: `  rollbook export rollout.jsonl --preview
  rollbook export rollout.jsonl --output handoff --exclude-line 40-52 --redact
  rollbook export rollout.jsonl --output handoff --project ~/shop-api
  rollbook export ~/.codex --format events > events.jsonl
  rollbook export ~/.codex --format normalized --cwd ~/shop-api --since 30d
  rollbook export 01a0a41f --home ~/.codex --format html -o thread.html
  rollbook export ~/.codex --format html --cwd ~/shop-api -o pages
  rollbook export rollout.jsonl --format events --view physical`,
		GroupID: groupShare,
		Args:    operands("PATH|THREAD"),
		Annotations: map[string]string{annotationExits: `0   written
1   could not be read or written, or there is no such thread
2   written, but some input was lost: warnings, or the bundle, say what
3   possible secrets: told of pages; a bundle, or what is redacted, is not written
64  the command line was wrong`},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.redact.check(); err != nil {
				return err
			}
			if !cmd.Flags().Changed("format") {
				if err := o.bundle.check(cmd.Flags()); err != nil {
					return err
				}
				return e.exportBundle(cmd.Context(), args[0], o)
			}
			if err := o.check(cmd.Flags()); err != nil {
				return err
			}
			return e.export(cmd.Context(), args[0], o)
		},
	}
	set := cmd.Flags()
	choiceVar(cmd, set, &o.format, "format", "", "what to write instead of a bundle", formatHTML, formatMarkdown, formatEvents, formatNormalized)
	choiceVar(cmd, set, &o.view, "view", transcript.Active.String(), "which records count",
		transcript.Active.String(), transcript.Physical.String(), transcript.Model.String())
	set.StringVarP(&o.output, "output", "o", "", "write to this file instead of standard output; several pages: to this new folder")
	set.StringVar(&o.images, "images", "", "events: write the images that they name into this folder, named by their digests")
	set.BoolVar(&o.all, "all", false, "also what was injected between the person's words (events always hold it)")
	choiceVar(cmd, set, &o.tools, "tools", export.Full.String(), "html, md: how much of tool calls",
		export.NoTools.String(), export.Short.String(), export.Full.String())
	set.BoolVar(&o.noImages, "no-images", false, "html: name images instead of holding them")
	o.vars(e, set)
	o.filters(e, set)
	o.redact.vars(set)
	o.bundle.vars(set)
	return cmd
}

// check looks at flags that belong to some of the formats only.
func (o *exportOptions) check(set *pflag.FlagSet) error {
	belongs := []struct{ flag, formats string }{
		{"all", "html md normalized"}, {"tools", "html md"}, {"no-images", "html"}, {"images", "events normalized"},
	}
	for _, name := range bundleOnly {
		if set.Changed(name) {
			return usageErrorf("--%s belongs to a bundle, so it does not go with --format", name)
		}
	}
	for _, b := range belongs {
		if set.Changed(b.flag) && !slices.Contains(strings.Fields(b.formats), o.format) {
			return usageErrorf("--%s does not go with --format %s, but with %s", b.flag, o.format, strings.Join(strings.Fields(b.formats), ", "))
		}
	}
	if o.redact.on && !set.Changed("no-images") {
		o.noImages = true
	}
	return nil
}

func (e *Env) export(ctx context.Context, operand string, o exportOptions) error {
	sel, err := e.choose(ctx, operand, o.selector)
	if err != nil {
		return err
	}
	defer sel.Close()
	for _, to := range []string{o.output, o.images} {
		if err := e.outside(sel.home.Path(), to); err != nil {
			return err
		}
	}
	if isPage(o.format) {
		return e.exportPages(ctx, sel, operand, o)
	}
	images, err := e.imageFolder(o.images)
	if err != nil {
		return err
	}
	if o.redact.on && images != nil {
		e.warnf("images are written as they are: nobody looked into them")
	}
	shared := e.newShare(o.redact)
	write := func(w io.Writer) error { return e.writeThreads(ctx, sel, w, images, shared, o) }
	if err := e.writeOut(term.JSON, o, shared, secret.Plain, write); err != nil {
		return err
	}
	return e.tellExport(sel, shared)
}

// tellExport says what was lost and found on the way. Possible secrets say more
// than losses.
func (e *Env) tellExport(sel *selection, shared *share) error {
	lost := e.tellAs(sel.tally, shared.text)
	if found := e.tellShare(shared); found != nil {
		return found
	}
	return lost
}

// writeOut writes to the file that was named, or to standard output. What is
// redacted, and pages, are looked through; what is redacted gets out only when
// nothing is left to find.
func (e *Env) writeOut(policy term.Policy, o exportOptions, shared *share, form secret.Form, write func(io.Writer) error) error {
	if looked := write; o.redact.on || isPage(o.format) {
		write = func(w io.Writer) error { return shared.write(w, form, looked) }
	}
	switch {
	case o.output != "":
		return writeOutput(e.path(o.output), write)
	case o.redact.on:
		return e.staged(e.safeStdout(policy), write)
	}
	return write(e.safeStdout(policy))
}

// writeOutput writes a file whole or not at all. What is no regular file, such as
// /dev/null or a pipe, cannot be replaced: it is written to.
func writeOutput(name string, write func(io.Writer) error) error {
	info, err := os.Stat(name)
	if err != nil || info.Mode().IsRegular() {
		return fsx.WriteFile(fsx.OS, name, 0o600, write)
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	buf := bufio.NewWriterSize(f, 64<<10)
	if err = write(buf); err == nil {
		err = buf.Flush()
	}
	return errors.Join(err, f.Close())
}

func (e *Env) writeThreads(ctx context.Context, sel *selection, w io.Writer, images *imageFolder, shared *share, o exportOptions) error {
	var sink transcript.Sink = interchange.NewEventsWriter(w)
	if o.format == formatNormalized {
		sink = interchange.NewNormalizedWriter(w, interchange.NormalizedOptions{All: o.all})
	}
	view, _ := transcript.ParseView(o.view)
	for _, id := range sel.ids {
		t, err := sel.lib.Thread(ctx, id, view)
		if err == nil {
			err = sink.Write(shared.thread(images.watch(t)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// outside refuses to write below the root that is read: nothing under a Codex
// home is ever created or changed (R2).
func (e *Env) outside(root, name string) error {
	if name == "" {
		return nil
	}
	at, err := e.absPath(name)
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	if info, err := os.Stat(root); err == nil && !info.IsDir() {
		root = filepath.Dir(root)
	}
	for dir := at; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			if rel, err := filepath.Rel(root, real); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
				return fmt.Errorf("%s lies in %s, which is only read", name, root)
			}
			return nil
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// An imageFolder takes the images of the events that pass by.
type imageFolder struct {
	dir  string
	seen map[string]bool
}

func (e *Env) imageFolder(name string) (*imageFolder, error) {
	if name == "" {
		return nil, nil
	}
	f := &imageFolder{dir: e.path(name), seen: make(map[string]bool)}
	return f, fsx.MkdirAll(fsx.OS, f.dir)
}

// watch returns the thread with its images written as it is read.
func (f *imageFolder) watch(t *transcript.Thread) *transcript.Thread {
	if f == nil {
		return t
	}
	events := t.Events
	t.Events = func(yield func(*transcript.Event, error) bool) {
		for ev, err := range events {
			if err == nil {
				err = f.save(ev.Images)
			}
			if !yield(ev, err) || err != nil {
				return
			}
		}
	}
	return t
}

func (f *imageFolder) save(images []transcript.Image) error {
	for _, img := range images {
		if img.Open == nil || f.seen[img.SHA256] {
			continue
		}
		f.seen[img.SHA256] = true
		name := filepath.Join(f.dir, img.SHA256+extension(img.MediaType))
		err := fsx.CreateNew(fsx.OS, name, 0o600, func(w io.Writer) error {
			r, err := img.Open()
			if err != nil {
				return err
			}
			defer r.Close()
			_, err = io.Copy(w, r)
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

func extension(media string) string {
	switch media {
	case "image/png":
		return ".png"
	case "image/jpeg":
		return ".jpg"
	case "image/gif":
		return ".gif"
	case "image/webp":
		return ".webp"
	}
	return ".bin"
}
