// Package edit changes rollouts that lie on disk, in the ways in which Codex,
// other programs and accidents do: for tests of what notices such a change.
//
// Names are those of files; what an edit moves it gives the new name of. Errors
// are the file system's, or that the file is not what the edit is for.
package edit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"rollbook/internal/rolltest"
)

// A Place is where in a file a byte is changed.
type Place int

const (
	Start  Place = iota // in the first text that a record holds
	Middle              // in the first one behind the middle
	End                 // in the last one
)

// textKeys are what stands before the text of a message.
var textKeys = [][]byte{[]byte(`"text":"`), []byte(`"message":"`)}

// Byte changes one letter of a text to another one. The file keeps its size, its
// time, and as far as the system lets it everything else.
func Byte(name string, where Place) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	at := letter(text, where)
	if at < 0 {
		return fmt.Errorf("%s: no text to change", name)
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte{'a' + (text[at]-'a'+1)%26}, int64(at))
	return errors.Join(err, f.Close(), os.Chtimes(name, info.ModTime(), info.ModTime()))
}

// letter finds the letter to change; -1 for none.
func letter(text []byte, where Place) int {
	var all []int
	for _, key := range textKeys {
		for from := 0; ; {
			i := bytes.Index(text[from:], key)
			if i < 0 {
				break
			}
			from += i + len(key)
			if from < len(text) && 'a' <= text[from] && text[from] <= 'z' {
				all = append(all, from)
			}
		}
	}
	best := -1
	for _, at := range all {
		switch {
		case where == Middle && at < len(text)/2:
		case best < 0, where == End && at > best, where != End && at < best:
			best = at
		}
	}
	return best
}

// Compress makes a .jsonl.zst of a rollout and removes it, as Codex does: the new
// file has the time of the old one.
func Compress(name string) (compressed string, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	compressed = name + ".zst"
	if err := replace(name, compressed, rolltest.Compress(text, rolltest.V171)); err != nil {
		return "", err
	}
	return compressed, os.Remove(name)
}

// Archive moves a rollout of a home to its archived_sessions, as Codex does.
func Archive(name string) (archived string, err error) {
	home, _, ok := strings.Cut(filepath.ToSlash(name), "/sessions/")
	if !ok {
		return "", fmt.Errorf("%s: not below a sessions folder", name)
	}
	dir := filepath.Join(filepath.FromSlash(home), "archived_sessions")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	archived = filepath.Join(dir, filepath.Base(name))
	return archived, os.Rename(name, archived)
}

// replace writes a file with the time of old beside its name and then moves it
// there.
func replace(old, name string, data []byte) error {
	info, err := os.Stat(old)
	if err != nil {
		return err
	}
	part := name + ".part"
	if err := os.WriteFile(part, data, info.Mode().Perm()); err != nil {
		return err
	}
	if err := os.Chtimes(part, info.ModTime(), info.ModTime()); err != nil {
		return err
	}
	return os.Rename(part, name)
}

// lastLine gives the last whole line of a file, however long the file is.
func lastLine(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	for n := int64(64 << 10); ; n *= 2 {
		from := max(0, info.Size()-n)
		buf := make([]byte, info.Size()-from)
		if _, err := io.ReadFull(io.NewSectionReader(f, from, int64(len(buf))), buf); err != nil {
			return nil, err
		}
		text, ended := bytes.CutSuffix(buf, []byte("\n"))
		if !ended {
			return nil, errors.New("the last line has no end")
		}
		if i := bytes.LastIndexByte(text, '\n'); i >= 0 || from == 0 {
			return text[i+1:], nil
		}
	}
}
