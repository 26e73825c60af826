package bundle

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/go-json-experiment/json/jsontext"

	"rollbook/internal/fsx"
)

// A Verified is a bundle that holds what its manifest says: B1 to B16 hold of it.
// It keeps the bytes of the code that it carries, so that what happens to the
// folder later changes nothing.
type Verified struct {
	Manifest *Manifest
	SHA256   string // of manifest.json
	Dir      string
	code     []contents // of each change
}

// contents are the two versions of a changed file. The texts of a change of mode
// only are not known.
type contents struct {
	known        bool
	base, result []byte
}

// A VerifyReport says in counts what a verified bundle holds.
type VerifyReport struct {
	Valid         bool   `json:"valid"`
	FormatVersion int    `json:"format_version"`
	Payloads      int    `json:"payloads"`
	Changes       int    `json:"changes"`
	Omissions     int    `json:"omissions"`
	Warnings      int    `json:"warnings"`
	Redaction     string `json:"redaction"`
}

// Report gives the counts of the bundle.
func (v *Verified) Report() VerifyReport {
	m := v.Manifest
	return VerifyReport{true, m.FormatVersion, len(m.Files), len(m.Changes), len(m.Omissions), len(m.Warnings), m.Redaction}
}

// Verify checks a bundle (spec/bundle.md 5.10) and writes nothing. That the
// hashes are right says that nothing was damaged, not who made the bundle.
func Verify(ctx context.Context, fsys fsx.FS, dir string) (*Verified, error) {
	dir = filepath.Clean(dir)
	if err := isFolder(fsys, dir); err != nil {
		return nil, err
	}
	data, err := readWhole(fsys, filepath.Join(dir, ManifestName), maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no bundle, or an incomplete one: %s is missing", dir, ManifestName)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ManifestName, err)
	}
	m, err := DecodeManifest(data)
	if err == nil {
		err = m.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ManifestName, err)
	}
	if err := sameSet(fsys, dir, m); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	v := &Verified{Manifest: m, SHA256: hex.EncodeToString(sum[:]), Dir: dir}
	kept := make(map[string][]byte)
	var total int64
	for _, f := range m.Files {
		n, text, err := checkPayload(ctx, fsys, dir, f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
		kept[f.Path] = text
		if total += n; total > maxPayloads {
			return nil, fmt.Errorf("the files of the bundle hold more than %d bytes", int64(maxPayloads))
		}
	}
	if v.code, err = codeOf(m, kept); err != nil {
		return nil, err
	}
	return v, nil
}

func isFolder(fsys fsx.FS, dir string) error {
	info, err := fsys.Lstat(dir)
	switch {
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s: is a link, not a folder", dir)
	case !info.IsDir():
		return fmt.Errorf("%s: is no folder", dir)
	}
	return nil
}

// openPlain opens a regular file that is no link, and was none when it was opened.
func openPlain(fsys fsx.FS, name string, most int64) (fsx.File, int64, error) {
	info, err := fsys.Lstat(name)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, errors.New("is no regular file")
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, 0, err
	}
	now, err := f.Stat()
	switch {
	case err != nil:
	case !sameFile(info, now):
		err = errors.New("was replaced while it was opened")
	case now.Size() > most:
		err = fmt.Errorf("holds %d bytes, at most %d may be", now.Size(), most)
	default:
		return f, now.Size(), nil
	}
	f.Close()
	return nil, 0, err
}

// readWhole reads a small file.
func readWhole(fsys fsx.FS, name string, most int64) ([]byte, error) {
	f, _, err := openPlain(fsys, name, most)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("holds more than %d bytes", most)
	}
	return data, err
}

// sameSet holds the folder to the list: nothing may be missing or too much, and
// files is the only folder (B10).
func sameSet(fsys fsx.FS, dir string, m *Manifest) error {
	left := map[string]bool{ManifestName: true}
	folder := false
	for _, f := range m.Files {
		left[f.Path] = true
		folder = folder || f.Purpose == newFile
	}
	take := func(name string) error {
		if !left[name] {
			return fmt.Errorf("%s: is not listed in the manifest", name)
		}
		delete(left, name)
		return nil
	}
	err := eachEntry(fsys, dir, func(e fs.DirEntry) error {
		if e.Name() != FilesName || !folder {
			return take(e.Name())
		}
		if !e.IsDir() {
			return fmt.Errorf("%s: is no folder", FilesName)
		}
		return eachEntry(fsys, filepath.Join(dir, FilesName), func(e fs.DirEntry) error {
			return take(FilesName + "/" + e.Name())
		})
	})
	if err != nil {
		return err
	}
	for _, f := range m.Files {
		if left[f.Path] {
			return fmt.Errorf("%s: is missing", f.Path)
		}
	}
	return nil
}

func eachEntry(fsys fsx.FS, dir string, do func(fs.DirEntry) error) error {
	d, err := fsys.OpenDir(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	for {
		entries, err := d.ReadDir(128)
		for _, e := range entries {
			if err := do(e); err != nil {
				return err
			}
		}
		if err == io.EOF || err == nil && len(entries) == 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// checkPayload holds a file to its size, its hash and its form, and keeps the
// text of those that carry code.
func checkPayload(ctx context.Context, fsys fsx.FS, dir string, f File) (n int64, text []byte, err error) {
	most := map[string]int64{entrypoint: maxContext, history: maxContext, patch: maxPatch, newFile: maxNewFile}[f.Purpose]
	in, size, err := openPlain(fsys, filepath.Join(dir, filepath.FromSlash(f.Path)), most)
	if err != nil {
		return 0, nil, err
	}
	defer in.Close()
	hash := sha256.New()
	var utf utf8Checker
	var lines lineChecker
	var kept bytes.Buffer
	to := []io.Writer{hash, &utf}
	switch f.Purpose {
	case history:
		to = append(to, &lines)
	case patch, newFile:
		to = append(to, &kept)
	}
	r := bufio.NewReaderSize(&ctxReader{ctx, io.LimitReader(in, size+1)}, 64<<10)
	n, err = io.Copy(io.MultiWriter(to...), r)
	if err == nil {
		err = utf.close()
	}
	if err == nil {
		err = lines.close()
	}
	if err != nil {
		return 0, nil, err
	}
	if n != size || hex.EncodeToString(hash.Sum(nil)) != f.SHA256 {
		return 0, nil, errors.New("does not have the hash that the manifest gives")
	}
	return n, kept.Bytes(), nil
}

// ctxReader ends reading when ctx is cancelled.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *ctxReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// A lineChecker takes text apart into lines, each of which must be one JSON
// object. It holds one line.
type lineChecker struct {
	line []byte
	n    int
}

func (c *lineChecker) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		c.line = append(c.line, line...)
		if line[len(line)-1] == '\n' {
			if err := c.check(); err != nil {
				return 0, err
			}
		}
	}
	return len(p), nil
}

func (c *lineChecker) check() error {
	c.n++
	v := jsontext.Value(c.line)
	if v.Kind() != '{' || !v.IsValid(jsontext.AllowDuplicateNames(true)) {
		return fmt.Errorf("line %d is no JSON object", c.n)
	}
	c.line = c.line[:0]
	return nil
}

// close checks a last line that has no line feed.
func (c *lineChecker) close() error {
	if len(c.line) == 0 {
		return nil
	}
	return c.check()
}
