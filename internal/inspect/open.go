package inspect

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"

	"rollbook/internal/fsx"
	"rollbook/internal/rollout"
)

// Limits bounds one inspection, in bytes. Neither may be zero.
type Limits struct {
	File int64 // most bytes of the file; of the decompressed text where it is compressed
	Line int   // longest line, its line feed included; a longer one is a line_limit
}

// DefaultLimits are 64 MiB a file and 1 MiB a line (spec/inspect.md 3).
var DefaultLimits = Limits{File: rollout.DefaultFile, Line: rollout.DefaultLine}

var (
	// ErrLimits says that a limit is zero or less.
	ErrLimits = errors.New("limits must be positive")
	// ErrRefused says that the input is no regular file or is too large.
	ErrRefused = errors.New("expected regular file within byte limit")
)

// A Source is an opened rollout, to be given to Run once.
type Source struct {
	name   string
	limits Limits
	file   fsx.File    // nil for a stream
	before fs.FileInfo // of file, when it was opened
	in     *snapshot
	text   *rollout.Stream
}

// Open opens the rollout of that name. Anything but a regular file is refused
// without opening it, and again should it have become something else; a link
// is followed. Errors wrap ErrRefused, ErrLimits or what fsys said.
func Open(fsys fsx.FS, name string, limits Limits) (*Source, error) {
	info, err := fsys.Stat(name)
	if err != nil {
		return nil, err
	}
	if err := regular(info, name); err != nil {
		return nil, err
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	src, err := OpenFile(f, name, limits)
	if err != nil {
		f.Close()
		return nil, err
	}
	return src, nil
}

// OpenFile is Open for a file that the caller has opened, by whatever way. The
// Source closes f; without one it stays open.
func OpenFile(f fsx.File, name string, limits Limits) (*Source, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := regular(info, name); err != nil {
		return nil, err
	}
	src := &Source{name: name, limits: limits, file: f, before: info, in: &snapshot{r: f, left: info.Size()}}
	if err := src.start(); err != nil {
		return nil, err
	}
	if !src.text.Compressed && info.Size() > limits.File {
		src.text.Close()
		return nil, fmt.Errorf("%s: %w: %d bytes, limit %d", name, ErrRefused, info.Size(), limits.File)
	}
	return src, nil
}

// OpenStream reads a rollout from r, which the caller closes. Its size is
// known at the end only.
func OpenStream(r io.Reader, name string, limits Limits) (*Source, error) {
	src := &Source{name: name, limits: limits, in: &snapshot{r: r, left: math.MaxInt64}}
	if err := src.start(); err != nil {
		return nil, err
	}
	return src, nil
}

func regular(info fs.FileInfo, name string) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("%s: %w: %s", name, ErrRefused, kind(info.Mode()))
}

func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "is a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "is a pipe"
	case mode&fs.ModeSocket != 0:
		return "is a socket"
	case mode&fs.ModeDevice != 0:
		return "is a device"
	}
	return "is no regular file"
}

// start looks at the first bytes to tell whether the source is compressed.
func (s *Source) start() (err error) {
	if s.limits.File <= 0 || s.limits.Line <= 0 {
		return ErrLimits
	}
	if s.text, err = rollout.Decompress(s.in, s.name); err != nil {
		return s.failure(err)
	}
	return nil
}

// failure names the source in an error that does not name it yet.
func (s *Source) failure(err error) error {
	if _, named := errors.AsType[*fs.PathError](err); named {
		return err
	}
	return fmt.Errorf("%s: %w", s.name, err)
}

// SnapshotBytes gives the size of the file when it was opened, as it lies on
// disk; of a stream the bytes read so far.
func (s *Source) SnapshotBytes() int64 {
	if s.file == nil {
		return s.in.n
	}
	return s.before.Size()
}

// Sized reports whether SnapshotBytes is known before the source was read.
func (s *Source) Sized() bool { return s.file != nil }

// Close closes the file, if it is one.
func (s *Source) Close() error {
	s.text.Close()
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// changed reports whether the file was seen to change since it was opened. A
// change that keeps size and modification time cannot be seen.
func (s *Source) changed() (bool, error) {
	if s.file == nil {
		return false, nil
	}
	after, err := s.file.Stat()
	if err != nil {
		return false, s.failure(err)
	}
	return s.in.short || after.Size() != s.before.Size() || !after.ModTime().Equal(s.before.ModTime()), nil
}

// A snapshot reads what a file held when it was opened and no byte more.
type snapshot struct {
	r     io.Reader
	left  int64 // bytes that may still be read
	n     int64 // bytes that were read
	short bool  // the file ended before its size at opening
}

func (s *snapshot) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	if int64(len(p)) > s.left {
		p = p[:s.left]
	}
	n, err := s.r.Read(p)
	s.n += int64(n)
	s.left -= int64(n)
	if err == io.EOF && s.left > 0 {
		s.short, s.left = true, 0 // the end stays the end, should the file grow now
	}
	return n, err
}
