// Package discover finds the rollouts below a root that a person chose, and
// tells of each what its name, its head and its tail say: ids, lineage, times.
//
// It never reads a whole file (but a compressed one, whose end cannot be had
// otherwise), opens nothing but what has a rollout's name, the state database
// and the index of names, and follows no link below the root. It does not
// decide what belongs to a thread's view: that is for package assemble.
// The layout is described in docs/format/rollout.md and docs/format/history.md.
package discover

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"

	"rollbook/internal/confine"
	"rollbook/internal/diag"
	"rollbook/internal/fsx"
	"rollbook/internal/history"
	"rollbook/internal/statedb"
)

// The codes of what is not, or not wholly, found. Codes of single lines are
// those of package rollout.
const (
	SymlinkSkipped      diag.Code = "symlink_skipped"      // a link is never followed
	NonRegularFile      diag.Code = "non_regular_file"     // a folder, FIFO, socket or device with a rollout's name; never opened
	NonUTF8Path         diag.Code = "non_utf8_path"        // a name that is not UTF-8; the place is its folder
	DirectoryUnreadable diag.Code = "directory_unreadable" // a folder could not be listed
	FileUnreadable      diag.Code = "file_unreadable"      // a file could not be opened or read
	DepthLimit          diag.Code = "depth_limit"          // a folder lies too deep
	EntryLimit          diag.Code = "entry_limit"          // more entries than are looked at
	DuplicateFile       diag.Code = "duplicate_file"       // another copy of the same rollout is used
	NoSessionMeta       diag.Code = "no_session_meta"      // the head has no session_meta; the name stands in
	FirstLineUnreadable diag.Code = "first_line_unreadable"
	InvalidUTF8         diag.Code = "invalid_utf8"      // in the head; Codex loads no such file
	ByteOrderMark       diag.Code = "byte_order_mark"   // before the first line; Codex loads no such file
	InvalidMetadata     diag.Code = "invalid_metadata"  // a field of the session_meta cannot be used
	LastTimeUnknown     diag.Code = "last_time_unknown" // no record with a time near the end
	DamagedCompression  diag.Code = "damaged_compression"
	StreamLimit         diag.Code = "file_size_limit" // a compressed file holds more than is read for its last time
)

// A Kind says what a root is.
type Kind uint8

const (
	KindHome   Kind = iota // a Codex home
	KindFolder             // a folder of rollouts: sessions, a date, exports
	KindFile               // one file
)

// ErrDenied is returned where a root is a file that is never opened.
var ErrDenied = errors.New("may hold credentials or settings and is never opened")

// A tree is what is needed of a confined root.
type tree interface {
	statedb.Root
	Close() error
	// folder opens a folder of which many files are to be opened.
	folder(rel string) (folder, error)
}

type folder interface {
	Open(name string) (fsx.File, error)
	Close() error
}

type confined struct{ *confine.Root }

func (c confined) folder(rel string) (folder, error) {
	sub, err := c.Sub(rel)
	if err != nil {
		return nil, err
	}
	return sub, nil
}

// A Home is the root that was chosen: a Codex home, or less. Close it after use.
type Home struct {
	Kind Kind
	// Temp is the folder for a private copy of the state database; "" is the
	// system's (statedb.Options).
	Temp string
	// Brief looks for the last time of a file in its last 4 MiB only, and of a
	// compressed one not at all: Last is then that of its head. In a Codex home
	// nothing but its folders of sessions is looked into.
	Brief bool
	// Memory spares files that have not changed; nil has every one looked into.
	Memory Memory

	tree tree
	file string // of KindFile: its name below the tree
	max  bounds
}

// bounds are what a listing looks at at most.
type bounds struct {
	entries int
	depth   int
}

var defaultBounds = bounds{entries: 1_000_000, depth: 16}

// Open opens a root. A link in its own path, and the path itself as a link, is
// followed: a person named it. A folder is a Codex home where it holds
// sessions, archived_sessions, state_N.sqlite, history.jsonl or
// session_index.jsonl; nothing is opened yet.
func Open(path string) (*Home, error) {
	// What is neither a folder nor a regular file is not opened at all.
	info, err := fsx.OS.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		tree, err := confine.OpenRoot(path)
		if err != nil {
			return nil, err
		}
		return openTree(confined{tree})
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: neither a folder nor a regular file", path)
	}
	named, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(named)
	if err != nil {
		return nil, err
	}
	if DeniedName(filepath.Base(named)) || DeniedName(filepath.Base(real)) {
		return nil, fmt.Errorf("%s: %w", path, ErrDenied)
	}
	tree, err := confine.OpenRoot(filepath.Dir(real))
	if err != nil {
		return nil, err
	}
	return &Home{Kind: KindFile, tree: confined{tree}, file: filepath.Base(real), max: defaultBounds}, nil
}

func openTree(tree tree) (*Home, error) {
	h := &Home{Kind: KindFolder, tree: tree, max: defaultBounds}
	dir, err := tree.OpenDir(".")
	if err != nil {
		return nil, errors.Join(err, tree.Close())
	}
	defer dir.Close()
	for seen := 0; seen < h.max.entries; {
		entries, err := dir.ReadDir(256)
		seen += len(entries)
		for _, e := range entries {
			if homeName(e.Name()) {
				h.Kind = KindHome
				return h, nil
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, errors.Join(err, tree.Close())
		}
	}
	return h, nil
}

// HistoryFile is the home's log of what was typed.
const HistoryFile = "history.jsonl"

const (
	sessionsDir = "sessions"
	archivedDir = "archived_sessions"
	historyFile = HistoryFile
	indexFile   = "session_index.jsonl"
)

func homeName(name string) bool {
	switch name {
	case sessionsDir, archivedDir, historyFile, indexFile:
		return true
	}
	_, ok := statedb.Number(name)
	return ok
}

// Path returns the root's absolute path without links; of a file, its folder's.
func (h *Home) Path() string { return h.tree.Path() }

// Close closes the root. Files that were opened below it stay open.
func (h *Home) Close() error { return h.tree.Close() }

// Open opens a rollout that was found.
func (h *Home) Open(ref Ref) (fsx.File, error) { return h.OpenFile(ref.Path) }

// OpenFile opens a regular file below the root, a link or another kind of file
// never. The name is relative to the root, with slashes.
func (h *Home) OpenFile(rel string) (fsx.File, error) {
	f, err := h.tree.Open(rel)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: rel, Err: errNotRegular}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

var errNotRegular = errors.New("not a regular file")

// Prompts reads the home's history.jsonl. A home without one, and a root that is
// no home, has no prompts; one that cannot be opened is a diagnostic.
func (h *Home) Prompts(limits history.Limits, report func(diag.Diagnostic)) iter.Seq2[history.Prompt, error] {
	return func(yield func(history.Prompt, error) bool) {
		f := h.openIndex(historyFile, report)
		if f == nil {
			return
		}
		defer f.Close()
		for p, err := range history.Prompts(f, limits, inFile(historyFile, report)) {
			if err != nil {
				err = fmt.Errorf("%s: %w", historyFile, err)
			}
			if !yield(p, err) {
				return
			}
		}
	}
}

// History gives the stamp of the home's history.jsonl; nil where there is none,
// or none that may be opened, which is a diagnostic.
func (h *Home) History(report func(diag.Diagnostic)) (*FileStamp, error) {
	f := h.openIndex(historyFile, report)
	if f == nil {
		return nil, nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	stamp := StampOf(info)
	return &stamp, nil
}

// File gives the name of the one file that was chosen, below Path; empty where
// the root is a folder.
func (h *Home) File() string { return h.file }

// Exists reports whether there is something of that name below the root. The
// name is relative to it, with slashes. Nothing is opened.
func (h *Home) Exists(rel string) bool {
	_, err := h.tree.Lstat(rel)
	return err == nil
}

// openIndex opens one of the home's own logs; nil where there is none.
func (h *Home) openIndex(name string, report func(diag.Diagnostic)) fsx.File {
	if h.Kind != KindHome {
		return nil
	}
	info, err := h.tree.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		report(about(name, SymlinkSkipped, ""))
		return nil
	case err == nil && !info.Mode().IsRegular():
		report(about(name, NonRegularFile, ""))
		return nil
	}
	var f fsx.File
	if err == nil {
		f, err = h.OpenFile(name)
	}
	if err != nil {
		report(about(name, FileUnreadable, err.Error()))
		return nil
	}
	return f
}

// about is a diagnostic of a whole file.
func about(path string, code diag.Code, message string) diag.Diagnostic {
	return diag.Diagnostic{Position: diag.Position{File: path}, Code: code, Message: message}
}

func inFile(path string, report func(diag.Diagnostic)) func(diag.Diagnostic) {
	return func(d diag.Diagnostic) {
		d.File = path
		report(d)
	}
}
