package statedb

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"rollbook/internal/diag"
	"rollbook/internal/fsx"
)

// memRoot is a home in memory with a database and perhaps a log.
type memRoot fstest.MapFS

func (m memRoot) OpenDir(string) (fsx.Dir, error) {
	f, err := fstest.MapFS(m).Open(".")
	if err != nil {
		return nil, err
	}
	return f.(fsx.Dir), nil
}
func (m memRoot) Lstat(rel string) (fs.FileInfo, error) { return fstest.MapFS(m).Stat(rel) }
func (m memRoot) Path() string                          { return os.TempDir() + "/no-such-home" }
func (m memRoot) Open(rel string) (fsx.File, error) {
	info, err := m.Lstat(rel)
	if err != nil {
		return nil, err
	}
	return memFile{bytes.NewReader(m[rel].Data), info}, nil
}

type memFile struct {
	*bytes.Reader
	info fs.FileInfo
}

func (f memFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f memFile) Close() error               { return nil }

var _ io.ReaderAt = memFile{}

// sample is a small database of several pages.
func sample(t testing.TB) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x")
	write(t, name, "PRAGMA page_size=512", schema40)
	for i := range 12 {
		write(t, name, fmt.Sprintf(row, fmt.Sprint("thread-", i), "a title"))
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// check reads a damaged database: it must end with rows, or a diagnostic, or both.
func check(t *testing.T, root memRoot) {
	found := 0
	state, err := Read(context.Background(), root, Options{Temp: t.TempDir()}, func(diag.Diagnostic) { found++ })
	if err != nil {
		t.Fatal(err)
	}
	if state == nil && found != 1 || state != nil && state.Partial != (found == 1) {
		t.Errorf("%d diagnostics, %+v", found, state)
	}
	if state != nil {
		for id, thread := range state.Threads {
			if id == "" || len(id) > maxText || len(thread.Title) > maxText {
				t.Errorf("%q: %+v", id, thread)
			}
		}
	}
}

func TestTruncation(t *testing.T) {
	whole := sample(t)
	for n := 0; n < len(whole); n += 41 {
		check(t, memRoot{"state_5.sqlite": {Data: whole[:n]}})
	}
	dir := walHome(t)
	db, err := os.ReadFile(filepath.Join(dir, "state_5.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(dir, "state_5.sqlite-wal"))
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(log); n += 407 {
		check(t, memRoot{"state_5.sqlite": {Data: db}, "state_5.sqlite-wal": {Data: log[:n]}})
	}
}

func FuzzRead(f *testing.F) {
	whole := sample(f)
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte("SQLite format 3\x00"))
	f.Fuzz(func(t *testing.T, db []byte) {
		check(t, memRoot{"state_5.sqlite": {Data: db}})
	})
}
