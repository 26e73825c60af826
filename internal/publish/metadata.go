package publish

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"

	"rollbook/internal/fsx"
)

// metadata are the names beside the sessions root that a run may write, and
// whether each is a folder.
var metadata = []struct {
	name   string
	folder bool
}{
	{stateName, false}, {latestName, false}, {listName, false}, {lockName, false},
	{archiveDir, true}, {backupDir, true}, {resultDir, true},
}

// preflight tells which of the names a run cannot use: a link, or something
// that is not the file or folder it should be. Nothing is changed where there
// is one.
func (t *tree) preflight() []string {
	var bad []string
	for _, m := range metadata {
		info, err := t.fsys.Lstat(m.name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			bad = append(bad, fmt.Sprintf("%s: %v", m.name, reason(err)))
		case !m.folder && !info.Mode().IsRegular() || m.folder && !info.IsDir():
			bad = append(bad, fmt.Sprintf("%s is %s", m.name, kind(info)))
		}
	}
	return bad
}

// kind names what is not what it should be.
func kind(info fs.FileInfo) string {
	switch mode := info.Mode(); {
	case mode&(fs.ModeSymlink|fs.ModeIrregular) != 0:
		return "a symbolic link"
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode.IsRegular():
		return "not a folder"
	}
	return "not a regular file"
}

// reason is an error without the path that the reader knows already.
func reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// openRegular opens a file for reading, if it is one.
func openRegular(fsys fsx.FS, name string) (fsx.File, fs.FileInfo, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// readSmall reads a file of metadata.
func readSmall(fsys fsx.FS, name string) ([]byte, error) {
	f, _, err := openRegular(fsys, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxMetadata+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxMetadata {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, maxMetadata)
	}
	return text, nil
}

// writeJSON writes a file of metadata whole or not at all.
func (t *tree) writeJSON(name string, v any) error {
	text, err := encodeJSON(v)
	if err != nil {
		return err
	}
	return t.writeSmall(name, text)
}

func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

func (t *tree) writeSmall(name string, text []byte) error {
	if dir := path.Dir(name); dir != "." {
		if err := fsx.MkdirAll(t.fsys, dir); err != nil {
			return err
		}
	}
	return fsx.WriteFile(t.fsys, name, 0o600, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// exists reports whether a name is there, or may be.
func (t *tree) exists(name string) bool {
	_, err := t.fsys.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// absolute is the path of a name of the tree, as it is written down.
func (t *tree) absolute(name string) string { return filepath.Join(t.home, filepath.FromSlash(name)) }

// sweep removes what a run that was cut short left in a folder: only names of
// ours, files, and folders that hold nothing but such files. It is no loss
// where it fails: what is not removed is passed over.
func (t *tree) sweep(dir string) {
	for _, e := range t.list(dir) {
		if !temporary(e.Name()) {
			continue
		}
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			for _, in := range t.list(name) {
				if temporary(in.Name()) && in.Type().IsRegular() {
					t.fsys.Remove(path.Join(name, in.Name()))
				}
			}
			t.fsys.Remove(name)
		} else if e.Type().IsRegular() {
			t.fsys.Remove(name)
		}
	}
}

// list gives the entries of a folder, as many as could be read.
func (t *tree) list(dir string) []fs.DirEntry {
	d, err := t.fsys.OpenDir(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	entries, _ := d.ReadDir(-1)
	return entries
}
