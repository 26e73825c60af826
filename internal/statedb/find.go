package statedb

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"rollbook/internal/diag"
	"rollbook/internal/fsx"
)

// maxEntries bounds how many entries of the home are looked at.
const maxEntries = 100_000

// Number returns the N of a name state_N.sqlite.
func Number(name string) (n uint64, ok bool) {
	digits, ok := strings.CutPrefix(name, "state_")
	if !ok {
		return 0, false
	}
	if digits, ok = strings.CutSuffix(digits, ".sqlite"); !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, err == nil && strconv.FormatUint(n, 10) == digits
}

// newest gives the name of the database with the highest number. One that is
// no regular file is reported and does not count.
func newest(root Root, report func(diag.Diagnostic)) string {
	refused := func(name, message string) {
		report(diag.Diagnostic{Position: diag.Position{File: name}, Code: Refused, Message: message})
	}
	dir, err := root.OpenDir(".")
	if err != nil {
		refused(".", err.Error())
		return ""
	}
	defer dir.Close()
	name, highest := "", uint64(0)
	for seen := 0; seen < maxEntries; {
		var entries []fs.DirEntry
		entries, err = dir.ReadDir(256)
		seen += len(entries)
		for _, e := range entries {
			n, ok := Number(e.Name())
			switch {
			case !ok || name != "" && n <= highest:
			case !e.Type().IsRegular():
				refused(e.Name(), "not a regular file")
			default:
				name, highest = e.Name(), n
			}
		}
		if err != nil {
			break
		}
	}
	if err != nil && err != io.EOF {
		refused(".", err.Error())
	}
	return name
}

// sideFile gives the name of the log that is to be read with the database: a
// -wal or a -journal that is not empty.
func sideFile(root Root, name string) (string, error) {
	for _, suffix := range []string{"-wal", "-journal"} {
		info, err := root.Lstat(name + suffix)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return "", err
		case !info.Mode().IsRegular():
			return "", fmt.Errorf("%s: not a regular file", name+suffix)
		case info.Size() > 0:
			return suffix, nil
		}
	}
	return "", nil
}

func openRegular(root Root, name string) (fsx.File, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", name)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: not a regular file", name)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
