package cli

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"path/filepath"

	"rollbook/internal/fsx"
)

// spoolMemory is how much of a log is held in memory. Longer ones go to a file.
const spoolMemory = 16 << 20

// A spool holds a log that was just made, to be read again. Close it after use:
// nothing of it stays.
type spool struct {
	dir  string // of the file, if one is needed
	buf  bytes.Buffer
	size int64
	name string
	out  fsx.Output
	in   fsx.File
}

func (s *spool) Write(p []byte) (int, error) {
	if s.out == nil && s.buf.Len()+len(p) > spoolMemory {
		if err := s.spill(); err != nil {
			return 0, err
		}
	}
	n, err := len(p), error(nil)
	if s.out != nil {
		n, err = s.out.Write(p)
	} else {
		s.buf.Write(p)
	}
	s.size += int64(n)
	return n, err
}

// spill moves what is held to a file.
func (s *spool) spill() error {
	if err := fsx.MkdirAll(fsx.OS, s.dir); err != nil {
		return err
	}
	s.name = filepath.Join(s.dir, ".rollbook-"+rand.Text()+".tmp")
	out, err := fsx.OS.Create(s.name, 0o600)
	if err != nil {
		return err
	}
	s.out = out
	_, err = s.buf.WriteTo(out)
	s.buf = bytes.Buffer{}
	return err
}

// reader gives what was written, whose length is s.size.
func (s *spool) reader() (io.ReaderAt, error) {
	if s.out == nil {
		return bytes.NewReader(s.buf.Bytes()), nil
	}
	if s.in == nil {
		in, err := fsx.OS.Open(s.name)
		if err != nil {
			return nil, err
		}
		s.in = in
	}
	return s.in, nil
}

// WriteTo writes all of it to w.
func (s *spool) WriteTo(w io.Writer) (int64, error) {
	r, err := s.reader()
	if err != nil {
		return 0, err
	}
	return io.Copy(w, io.NewSectionReader(r, 0, s.size))
}

func (s *spool) Close() error {
	if s.out == nil {
		return nil
	}
	err := s.out.Close()
	if s.in != nil {
		err = errors.Join(err, s.in.Close())
	}
	return errors.Join(err, fsx.OS.Remove(s.name))
}
