// Package statedb reads Codex's own list of threads, state_N.sqlite, without
// leaving a trace: nothing beside the database is created, changed or locked.
//
// How (docs/format/history.md, "state_N.sqlite"):
//
//   - Without a write-ahead log the database is opened in place, but SQLite
//     itself never touches the file system: it reads through a read-only file
//     system of one file, with immutable=1. So it can neither make a -wal or
//     -shm (which even mode=ro does for a database in WAL mode) nor take the
//     locks that would make a running Codex wait.
//   - With a -wal (or a hot -journal) that is not empty, what Codex wrote last is
//     in there, and only SQLite's own recovery merges the two. It needs to write:
//     database and log are copied to a private folder elsewhere, the copy is
//     opened, and the folder is removed.
//   - Whether Codex wrote meanwhile is seen afterwards, and then all is done again.
//
// What the rows mean for a thread is not decided here. A database that cannot
// be read is a diagnostic: the rollouts hold everything that matters.
package statedb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"rollbook/internal/diag"
	"rollbook/internal/fsx"
)

// The codes of databases that are not, or not wholly, read.
const (
	Damaged  diag.Code = "state_db_damaged"   // not SQLite, or broken; what was read before stays
	Unknown  diag.Code = "state_db_schema"    // no table of threads that we know
	Changing diag.Code = "state_db_changing"  // written to each time it was read
	TooLarge diag.Code = "state_db_too_large" // more than Options.MaxCopy bytes to copy, or too many threads
	Refused  diag.Code = "state_db_refused"   // a link, not a regular file, or not readable
)

// A Root is the Codex home, as its caller confines it. Names are relative to
// it, with slashes; "." is the home itself. Nothing follows links below it.
type Root interface {
	OpenDir(rel string) (fsx.Dir, error)
	Lstat(rel string) (fs.FileInfo, error)
	Open(rel string) (fsx.File, error)
	Path() string
}

// Options says what a Read may use. The zero value is ready.
type Options struct {
	// Temp is the folder for the private copy; "" is the system's. It must not
	// lie in the home.
	Temp string
	// MaxCopy is how many bytes, of database and log together, are copied at
	// most; 0 is 256 MiB.
	MaxCopy int64
}

// A State is what a home's database knows of its threads.
type State struct {
	File    string // the database, relative to the home
	Threads map[string]Thread
	Partial bool // damaged or too large: threads may be missing
}

// A Thread is one row. What the database's version does not have is zero.
// Texts over 4 KiB are cut.
type Thread struct {
	ID          string
	RolloutPath string // absolute, on the machine that wrote it: may be stale
	Title       string // Codex fills it with the first user message, and up to 0.147 with a name given by hand
	Name        string // the thread's name, a column of its own from 0.147 on
	// FirstMessage is the first user message. NameIsPrompt and TitleIsPrompt say
	// that the name or title is nothing else, compared in full length.
	FirstMessage  string
	NameIsPrompt  bool
	TitleIsPrompt bool
	Archived      bool
	Cwd           string
	Created       time.Time // UTC
	Updated       time.Time // UTC
	Source        string    // as stored: a word, or the JSON text of an object
	Provider      string
	Version       string // cli_version
	Model         string
	HistoryMode   string
	Originator    string
}

// errChanged says that the database was written to while it was read.
var errChanged = errors.New("changed while it was read")

// A problem is why a database is not read.
type problem struct {
	code diag.Code
	err  error
}

func (p *problem) Error() string { return p.err.Error() }

// attempts is how often a database that keeps changing is read.
const attempts = 5

// Read reads the database with the highest number in the home, by value: 10
// comes after 5. It returns nil where there is none, or none that can be read;
// the reason goes to report. An error means that ctx has ended.
func Read(ctx context.Context, root Root, opt Options, report func(diag.Diagnostic)) (*State, error) {
	if opt.MaxCopy == 0 {
		opt.MaxCopy = 256 << 20
	}
	name := newest(root, report)
	if name == "" {
		return nil, nil
	}
	tell := func(code diag.Code, message string) {
		report(diag.Diagnostic{Position: diag.Position{File: name}, Code: code, Message: message})
	}
	for range attempts {
		state, err := read(ctx, root, name, opt)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p := (*problem)(nil)
		switch {
		case err == nil:
			return state, nil
		case errors.As(err, &p):
			tell(p.code, p.Error())
			return state, nil
		case !errors.Is(err, errChanged):
			tell(Refused, err.Error())
			return nil, nil
		}
	}
	tell(Changing, fmt.Sprintf("%v, %d times running", errChanged, attempts))
	return nil, nil
}

// read reads the database once.
func read(ctx context.Context, root Root, name string, opt Options) (*State, error) {
	db, err := openRegular(root, name)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	before, err := db.Stat()
	if err != nil {
		return nil, err
	}
	side, err := sideFile(root, name)
	if err != nil {
		return nil, err
	}
	var state *State
	if side == "" {
		state, err = readInPlace(ctx, db)
	} else {
		state, err = readCopy(ctx, root, db, before, name, side, opt)
	}
	after, statErr := db.Stat()
	switch {
	case errors.Is(err, errChanged):
		return nil, err
	case statErr != nil:
		return nil, statErr
	case after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()):
		return nil, errChanged
	}
	if state != nil {
		state.File = name
	}
	return state, err
}
