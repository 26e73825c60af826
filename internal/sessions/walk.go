package sessions

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"rollbook/internal/diag"
	"rollbook/internal/fsx"
	"rollbook/internal/inspect"
)

// chunk is how many entries of a folder are read at a time.
const chunk = 64

// links are the kinds of entries that lead elsewhere; a Windows junction is
// irregular.
const links = fs.ModeSymlink | fs.ModeIrregular

var (
	// errStop ends the walk after a diagnostic that says why.
	errStop = errors.New("budget is used up")
	// errGrown says that a file is larger than it was just before.
	errGrown = errors.New("file has grown")
)

// A walk is one listing under way. Names are relative to the root, their parts
// joined by slashes; the root itself is "".
type walk struct {
	ctx     context.Context
	fsys    fsx.FS
	budgets Budgets
	entries int   // looked at
	left    int64 // of TotalBytes
	report  *Report
	found   recorder
	kept    kept
}

func (w *walk) run() error {
	root, err := w.fsys.OpenDir(".")
	if err != nil {
		return err
	}
	if err := w.folder(root, "", 0); err != errStop {
		return err
	}
	return nil
}

func (w *walk) note(rel string, code diag.Code) {
	w.report.Diagnostics = append(w.report.Diagnostics, Diagnostic{w.report.path(rel), code, rel})
}

func (w *walk) stop(rel string, code diag.Code) error {
	w.note(rel, code)
	return errStop
}

// folder takes the entries of an open folder in the order of the system, and
// closes it. The budgets are spent in that order too.
func (w *walk) folder(d fsx.Dir, rel string, depth int) error {
	defer d.Close()
	for {
		entries, err := d.ReadDir(chunk)
		for _, e := range entries {
			if err := w.entry(rel, depth, e); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			w.note(rel, EntryUnreadable)
			return nil
		}
	}
}

func (w *walk) entry(dir string, depth int, e fs.DirEntry) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if w.entries == w.budgets.Entries {
		return w.stop(dir, EntryLimit)
	}
	w.entries++
	if !utf8.ValidString(e.Name()) {
		w.note(dir, NonUTF8Path)
		return nil
	}
	rel := path.Join(dir, e.Name())
	info, err := e.Info()
	if err == nil && isRollout(e.Name()) {
		info, err = w.fsys.Lstat(rel) // again: it may have grown while others were read
	}
	switch {
	case err != nil:
		w.note(rel, EntryUnreadable)
	case info.Mode()&links != 0:
		w.note(rel, SymlinkSkipped)
	case info.IsDir():
		return w.descend(rel, depth+1)
	case !isRollout(e.Name()):
	case !info.Mode().IsRegular():
		w.note(rel, NonRegularFile)
	default:
		return w.file(rel, info.Size())
	}
	return nil
}

// isRollout goes by the name, as an extension is understood: there must be
// something before it.
func isRollout(name string) bool {
	name = strings.TrimSuffix(name, ".zst")
	return strings.HasSuffix(name, ".jsonl") && name != ".jsonl"
}

func (w *walk) descend(rel string, depth int) error {
	if depth > w.budgets.Depth {
		w.note(rel, DepthLimit)
		return nil
	}
	d, err := w.fsys.OpenDir(rel)
	if err != nil {
		w.note(rel, DirectoryUnreadable)
		return nil
	}
	return w.folder(d, rel, depth)
}

// file takes a rollout that has that size on disk.
func (w *walk) file(rel string, size int64) error {
	reserved := max(size, 1)
	switch {
	case w.report.FilesInspected == w.budgets.Files:
		return w.stop(rel, FileCountLimit)
	case size > w.budgets.FileBytes:
		w.note(rel, FileSizeLimit)
		return nil
	case reserved > w.left:
		return w.stop(rel, TotalByteLimit)
	}
	w.left -= reserved
	w.report.FilesInspected++
	rep, err := w.inspect(rel, reserved)
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if err != nil {
		w.note(rel, FileUnreadable)
		return nil
	}
	w.left += reserved - rep.SnapshotBytes
	w.classify(rel, rep)
	return nil
}

// inspect reads a file of up to that size on disk.
func (w *walk) inspect(rel string, size int64) (*inspect.Report, error) {
	f, err := w.fsys.Open(rel)
	if err != nil {
		return nil, err
	}
	src, err := inspect.OpenFile(f, rel, inspect.Limits{File: w.budgets.FileBytes, Line: w.budgets.LineBytes})
	if err != nil {
		f.Close()
		return nil, err
	}
	defer src.Close()
	if src.SnapshotBytes() > size {
		return nil, errGrown
	}
	w.found.reset(maxDiagnosticBytes - w.kept.diagnostics)
	return inspect.Run(w.ctx, src, &w.found)
}
