package statedb

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"rollbook/internal/fsx"

	"modernc.org/sqlite/vfs"
)

// readInPlace reads the open database through a file system that holds nothing
// else. immutable=1 tells SQLite that nobody writes: it looks for no log and
// takes no lock. The caller finds out afterwards whether that was true.
func readInPlace(ctx context.Context, db fsx.File) (*State, error) {
	id, registered, err := vfs.New(oneFile{db})
	if err != nil {
		return nil, err
	}
	state, err := query(ctx, "file:state?immutable=1&mode=ro&vfs="+id)
	return state, errors.Join(err, registered.Close())
}

// oneFile is a read-only file system with a single, open file.
type oneFile struct{ f fsx.File }

func (o oneFile) Open(name string) (fs.File, error) {
	if name != "state" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &seeker{File: o.f}, nil
}

// seeker gives an fsx.File the position that the wrapper wants.
type seeker struct {
	fsx.File
	at int64
}

func (s *seeker) Read(p []byte) (int, error) {
	n, err := s.File.ReadAt(p, s.at)
	s.at += int64(n)
	return n, err
}

func (s *seeker) Seek(offset int64, whence int) (int64, error) {
	if whence != io.SeekStart || offset < 0 {
		return 0, errors.ErrUnsupported
	}
	s.at = offset
	return offset, nil
}

// Close leaves the file open: its opener closes it.
func (s *seeker) Close() error { return nil }
