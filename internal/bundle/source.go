package bundle

import (
	"context"
	"io"
	"io/fs"

	"rollbook/internal/fsx"
	"rollbook/internal/inspect"
)

// A rereadable opens the named rollout once and reads what it held then as often
// as it is wanted, so that nothing of it has to be kept.
type rereadable struct {
	fsx.FS
	file  fsx.File
	first fs.FileInfo
}

// Open keeps the file, and hands out a view of it that does not close it.
func (r *rereadable) Open(name string) (fsx.File, error) {
	f, err := r.FS.Open(name)
	if err != nil {
		return nil, err
	}
	r.file = f
	if r.first, err = f.Stat(); err != nil {
		return nil, err
	}
	return &view{File: f}, nil
}

func (r *rereadable) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// run reads the rollout: the first time as inspect does, and after that what it
// held when it was opened, whatever was written to it since.
func (r *rereadable) run(ctx context.Context, name string, limits inspect.Limits, h inspect.Handler) (*inspect.Report, error) {
	var src *inspect.Source
	var err error
	if r.file == nil {
		src, err = inspect.Open(r, name, limits)
	} else {
		src, err = inspect.OpenFile(&view{File: r.file, frozen: r.first}, name, limits)
	}
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return inspect.Run(ctx, src, h)
}

// A view reads a file from its start, by offsets.
type view struct {
	fsx.File
	at     int64
	frozen fs.FileInfo
}

func (v *view) Read(p []byte) (int, error) {
	n, err := v.ReadAt(p, v.at)
	v.at += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

func (v *view) Stat() (fs.FileInfo, error) {
	if v.frozen != nil {
		return v.frozen, nil
	}
	return v.File.Stat()
}

func (v *view) Close() error { return nil }
