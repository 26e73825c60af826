package cli

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"rollbook/internal/export"
	"rollbook/internal/fsx"
	"rollbook/internal/secret"
	"rollbook/internal/term"
	"rollbook/internal/transcript"
)

// isPage reports whether a format is for people: one page per thread.
func isPage(format string) bool { return format == formatMarkdown || format == formatHTML }

// exportPages writes a page, or a folder with a page per thread and a list of
// them. A home or folder gives a folder, unless --thread picks one of it.
func (e *Env) exportPages(ctx context.Context, sel *selection, operand string, o exportOptions) error {
	shared := e.newShare(o.redact)
	var err error
	switch many := o.thread == "" && e.isFolder(operand); {
	case many && o.output == "" && len(sel.ids) != 1:
		return withHint(usageErrorf("%s holds %s, and standard output takes one page", operand, countThreads(len(sel.ids))),
			"write a folder of pages: -o NEWDIR", "or pick one: --thread ID")
	case many && o.output != "":
		err = e.exportFolder(ctx, sel, shared, o)
	default:
		err = e.writeOut(term.Block, o, shared, formOf(o.format), func(w io.Writer) error {
			for _, id := range sel.ids {
				if err := e.writePage(ctx, sel, id, w, shared, o); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		return err
	}
	return e.tellExport(sel, shared)
}

func formOf(format string) secret.Form {
	if format == formatHTML {
		return secret.HTML
	}
	return secret.Plain
}

func countThreads(n int) string {
	if n == 1 {
		return "1 thread"
	}
	return term.FormatCount(int64(n)) + " threads"
}

func (e *Env) isFolder(operand string) bool {
	info, err := os.Stat(e.path(operand))
	return err == nil && info.IsDir()
}

// writePage writes the page of a thread.
func (e *Env) writePage(ctx context.Context, sel *selection, id string, w io.Writer, shared *share, o exportOptions) error {
	view, _ := transcript.ParseView(o.view)
	t, err := sel.lib.Thread(ctx, id, view)
	if err != nil {
		return err
	}
	return e.pageSink(w, sel, t, shared, o, "").Write(shared.thread(t))
}

// pageSink writes one page. index names the list that it is part of.
func (e *Env) pageSink(w io.Writer, sel *selection, t *transcript.Thread, shared *share, o exportOptions, index string) transcript.Sink {
	opts := export.Options{All: o.all, Diff: true, Zone: e.now().Location(), Lost: shared.texts(lossLines(about(t, sel.tally)))}
	opts.Tools, _ = export.ParseTools(o.tools)
	if o.format == formatMarkdown {
		return export.NewMarkdown(w, opts)
	}
	page := export.HTMLOptions{Options: opts, Index: index}
	if o.noImages {
		page.Images = -1
	}
	return export.NewHTML(w, page)
}

// exportFolder writes a new folder: a page per thread and a list of them.
func (e *Env) exportFolder(ctx context.Context, sel *selection, shared *share, o exportOptions) error {
	return fsx.CreateFolder(fsx.OS, e.path(o.output), func(dir string) error {
		return e.pageFile(dir, "index."+o.format, shared, o, func(w io.Writer) error {
			list := export.NewHTMLIndex(w, e.now().Location())
			if o.format == formatMarkdown {
				list = export.NewMarkdownIndex(w, e.now().Location())
			}
			if err := list.Begin(len(sel.ids)); err != nil {
				return err
			}
			for _, id := range sel.ids {
				entry, err := e.pageOf(ctx, sel, id, dir, shared, o)
				if err == nil {
					err = list.Add(entry)
				}
				if err != nil {
					return err
				}
			}
			return list.End()
		})
	})
}

// pageFile writes a file of a folder of pages.
func (e *Env) pageFile(dir, name string, shared *share, o exportOptions, write func(io.Writer) error) error {
	return fsx.WriteFile(fsx.OS, filepath.Join(dir, name), 0o600, func(w io.Writer) error {
		return shared.write(w, formOf(o.format), write)
	})
}

// pageOf writes the page of a thread into a folder, and gives its entry in the
// list.
func (e *Env) pageOf(ctx context.Context, sel *selection, id, dir string, shared *share, o exportOptions) (export.Entry, error) {
	view, _ := transcript.ParseView(o.view)
	t, err := sel.lib.Thread(ctx, id, view)
	if err != nil {
		return export.Entry{}, err
	}
	name := pageName(&t.Meta) + "." + o.format
	clean := shared.thread(t)
	err = e.pageFile(dir, name, shared, o, func(w io.Writer) error {
		return e.pageSink(w, sel, t, shared, o, "index."+o.format).Write(clean)
	})
	return export.Entry{Meta: &clean.Meta, File: name, Lost: t.Losses}, err
}

// pageName gives a page its name: the day on which the thread began, so that a
// folder lists them in order, and its id. The same thread always gets the same
// name. An id that is none of Codex's is replaced by its digest.
func pageName(m *transcript.Meta) string {
	id := strings.ToLower(m.ID)
	if len(id) > 64 || strings.Trim(id, "0123456789abcdef-") != "" {
		id = fmt.Sprintf("%x", sha256.Sum256([]byte(m.ID)))[:32]
	}
	if m.Created.IsZero() {
		return id
	}
	return m.Created.UTC().Format("2006-01-02") + "-" + id
}
