package dsh

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"path/filepath"
	"regexp"
	"runtime"

	"rollbook/internal/fsx"
	"rollbook/internal/pict"
)

// A Root is a sessions root to be read, and where the images of its sessions
// are. The file systems must not follow links: confine.OpenRoot makes such ones.
type Root struct {
	FS    fsx.FS // of the root: "." is it itself
	Path  string // of the root, for what is said and for the check of paths
	Store fsx.FS // of attachments/v1; nil: there is none
}

// A Verdict is what Verify finds of one log.
type Verdict struct {
	Path   string
	Info   Info // as far as the log was read
	Faults []*Fault
}

// Verify checks every log below a root, by path. Within a log it stops at the
// first fault, as the harness does; where the log lies, its modes and its images
// are checked besides (docs/format/dsh.md, "Checks"). A log or folder that cannot
// be read gives an error beside its path, and the others go on.
func Verify(root Root) iter.Seq2[Verdict, error] {
	return func(yield func(Verdict, error) bool) {
		seen := make(idSet) // images found whole
		for name, err := range logs(root.FS) {
			v := Verdict{Path: filepath.Join(root.Path, filepath.FromSlash(name))}
			if err == nil {
				err = root.verify(&v, name, &seen)
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

func (r Root) verify(v *Verdict, name string, seen *idSet) error {
	f, info, err := openLog(r.FS, name)
	if err != nil {
		return err
	}
	defer f.Close()
	var imageFault *Fault
	checkImage := func(ref value) {
		if imageFault == nil {
			imageFault = r.image(ref, seen)
		}
	}
	c, fault, err := check(f, info.Size(), checkImage)
	if err != nil {
		return err
	}
	v.Info = c.info
	add := func(f *Fault) {
		if f != nil {
			v.Faults = append(v.Faults, f)
		}
	}
	add(fault)
	if c.header.exists() {
		dir := path.Dir(filepath.ToSlash(v.Path))
		if got := path.Join(path.Base(path.Dir(dir)), path.Base(dir)); got != c.dir() {
			add(faultf(CheckPath, "lies in %s, not in %s", got, c.dir()))
		}
	}
	dir, err := r.FS.Lstat(path.Dir(name))
	if err != nil {
		return err
	}
	if runtime.GOOS != "windows" && (info.Mode().Perm() != 0o600 || dir.Mode().Perm() != 0o700) {
		add(faultf(CheckMode, "%#o in a folder of %#o, not 0600 in 0700", info.Mode().Perm(), dir.Mode().Perm()))
	}
	add(imageFault)
	return nil
}

// CheckLog checks the text of one log and nothing around it. The error is for a
// log that cannot be read.
func CheckLog(r io.ReaderAt, size int64) (Info, *Fault, error) {
	c, fault, err := check(r, size, func(value) {})
	return c.info, fault, err
}

// check reads a log to its first fault.
func check(r io.ReaderAt, size int64, image func(value)) (*checker, *Fault, error) {
	c := newChecker(image)
	src := &source{r: r}
	phys, err := walkLog(src, size, c.line)
	c.info.Frames, c.info.Digest = phys.frames, phys.digest
	var fault *Fault
	switch {
	case src.err != nil:
		return c, nil, src.err
	case errors.As(err, &fault):
		return c, fault, nil
	case err != nil:
		return c, faultf(CheckFrames, "%v", err), nil
	case phys.frames < 2:
		return c, faultf(CheckFrames, "no frame of events"), nil
	case phys.unchecked > 0:
		return c, faultf(CheckFrames, "%d frames without a checksum", phys.unchecked), nil
	}
	return c, c.end(), nil
}

// A source remembers why it could not be read, so that this is told from damage.
type source struct {
	r   io.ReaderAt
	err error
}

func (s *source) ReadAt(p []byte, off int64) (int, error) {
	n, err := s.r.ReadAt(p, off)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// maxImage is the largest object of a store that is read; the harness takes
// images of 20 MiB at most.
const maxImage = 64 << 20

var attachmentID = regexp.MustCompile(`^sha256:([0-9a-f]{64})$`)

// image checks that the store has the image as it is referred to.
func (r Root) image(ref value, seen *idSet) *Fault {
	id := ref.get("attachmentId").text
	key := canonical(ref)
	if seen.has(key) {
		return nil
	}
	m := attachmentID.FindStringSubmatch(id)
	if m == nil {
		return faultf(CheckImages, "%.100q is no attachment id", id)
	}
	if r.Store == nil {
		return faultf(CheckImages, "%s: there is no attachment store", id)
	}
	data, err := readObject(r.Store, path.Join("objects", m[1][:2], m[1]))
	if err != nil {
		return faultf(CheckImages, "%s: %v", id, err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != m[1] {
		return faultf(CheckImages, "%s: the object is another one", id)
	}
	facts, err := pict.Read(data)
	if err != nil {
		return faultf(CheckImages, "%s: %v", id, err)
	}
	want := func(name string) int64 { n, _ := ref.get(name).count(); return n }
	if !ref.get("mediaType").is(facts.MediaType) || want("bytes") != int64(len(data)) ||
		want("width") != int64(facts.Width) || want("height") != int64(facts.Height) {
		return faultf(CheckImages, "%s: the object is %s of %dx%d and %d bytes, which the log says otherwise",
			id, facts.MediaType, facts.Width, facts.Height, len(data))
	}
	seen.add(key)
	return nil
}

func readObject(store fsx.FS, name string) ([]byte, error) {
	f, info, err := openLog(store, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > maxImage {
		return nil, fmt.Errorf("the object has %d bytes, more than %d", info.Size(), maxImage)
	}
	return io.ReadAll(io.LimitReader(f, maxImage))
}
