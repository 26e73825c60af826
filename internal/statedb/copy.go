package statedb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"rollbook/internal/fsx"
)

// logHeader is how much of a log says which log it is: a write-ahead log opens
// with 32 bytes that hold its two salts, and whoever resets it draws new ones.
const logHeader = 32

// readCopy copies the database and its log and reads the copy. The two belong
// together where, at the end, the database is still what it was (its caller
// looks) and the log is the same one, be it longer: between two resets a log is
// only appended to, and SQLite leaves out what it finds half written.
func readCopy(ctx context.Context, root Root, db fsx.File, info fs.FileInfo, name, suffix string, opt Options) (state *State, err error) {
	side, err := openRegular(root, name+suffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errChanged
	}
	if err != nil {
		return nil, err
	}
	defer side.Close()
	sideInfo, err := side.Stat()
	if err != nil {
		return nil, err
	}
	if n := info.Size() + sideInfo.Size(); n > opt.MaxCopy {
		return nil, &problem{TooLarge, fmt.Errorf("%d bytes with its log, more than the limit of %d", n, opt.MaxCopy)}
	}
	dir, err := privateDir(root, opt.Temp)
	if err != nil {
		return nil, err
	}
	defer func() {
		if gone := os.RemoveAll(dir); err == nil {
			err = gone
		}
	}()
	copied := filepath.Join(dir, "state.sqlite")
	if err := copyTo(copied, db, info.Size()); err != nil {
		return nil, err
	}
	before, err := head(side)
	if err != nil {
		return nil, err
	}
	if err := copyTo(copied+suffix, side, sideInfo.Size()); err != nil {
		return nil, err
	}
	after, err := head(side)
	if err != nil {
		return nil, err
	}
	if now, err := root.Lstat(name + suffix); err != nil || now.Size() < sideInfo.Size() || !bytes.Equal(before, after) {
		return nil, errChanged
	}
	return query(ctx, fileURI(copied))
}

// privateDir makes a folder that only its owner can enter, outside the home.
func privateDir(root Root, temp string) (string, error) {
	dir, err := os.MkdirTemp(temp, "rollbook-state-")
	if err != nil {
		return "", err
	}
	home, err := filepath.EvalSymlinks(root.Path())
	if err == nil {
		var real string
		if real, err = filepath.EvalSymlinks(dir); err == nil && strings.HasPrefix(real, home+string(filepath.Separator)) {
			err = fmt.Errorf("the folder for a copy, %s, lies in the home", temp)
		}
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(dir))
	}
	return dir, nil
}

func copyTo(name string, src fsx.File, size int64) error {
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.NewSectionReader(src, 0, size))
	return errors.Join(err, out.Close())
}

func head(f fsx.File) ([]byte, error) {
	b := make([]byte, logHeader)
	n, err := f.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	return b[:n], nil
}

func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: "mode=rw"}).String()
}
