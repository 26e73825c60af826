// Package corpustest gives tests the corpus: homes that real versions of Codex
// wrote, with what was said in them and what Codex shows of them; and the
// schemas of its app-server.
//
// It decides nothing about what a test does with them, but nobody may write
// below the folder: other tests read it at the same time.
package corpustest

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Where the archives lie in the repository.
const (
	Archive       = "testdata/corpus/corpus.tar.zst"
	SchemaArchive = "testdata/corpus/schemas.tar.zst"
)

// Variable names a folder with the corpus unpacked, which is then used as it is.
const Variable = "ROLLBOOK_CORPUS"

// maxBytes is the most that an archive may unpack to.
const maxBytes = 1 << 30

var (
	unpacked = sync.OnceValues(dir)
	schemas  = sync.OnceValues(func() (string, error) { return unpackOnce(SchemaArchive) })
)

// Dir gives the folder that holds <version>/<scenario>/. The first test that
// asks for it unpacks the archive into the user's cache folder, where later
// runs find it.
func Dir(tb testing.TB) string {
	tb.Helper()
	dir, err := unpacked()
	if err != nil {
		tb.Fatalf("corpus: %v", err)
	}
	return dir
}

// Schemas gives the folder that holds <version>/*.json.
func Schemas(tb testing.TB) string {
	tb.Helper()
	dir, err := schemas()
	if err != nil {
		tb.Fatalf("schemas: %v", err)
	}
	return dir
}

// Rollouts gives the path of every rollout of the corpus, compressed ones and
// those in the before folders included, in the order of their names.
func Rollouts(tb testing.TB) (paths []string) {
	tb.Helper()
	err := filepath.WalkDir(Dir(tb), func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		if err == nil && d.Type().IsRegular() && strings.HasPrefix(name, "rollout-") &&
			(strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".jsonl.zst")) {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		tb.Fatalf("corpus: %v", err)
	}
	return paths
}

func dir() (string, error) {
	if dir := os.Getenv(Variable); dir != "" {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			err = fmt.Errorf("%s: not a folder", dir)
		}
		return dir, err
	}
	return unpackOnce(Archive)
}

// unpackOnce unpacks an archive of the repository into the user's cache folder.
func unpackOnce(name string) (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	archive, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return unpackBelow(filepath.Join(cache, "rollbook-test"), archive)
}

// moduleRoot walks up from the folder of the package under test.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("no go.mod above the working folder")
		}
		dir = filepath.Dir(dir)
	}
}

// unpackBelow unpacks the archive into a folder below parent that is named after
// its bytes, unless that is there. Tests of several processes may do so at
// once: the folder gets its name when it is complete.
func unpackBelow(parent string, archive []byte) (string, error) {
	name := filepath.Join(parent, fmt.Sprintf("corpus-%x", sha256.Sum256(archive))[:24])
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(parent, "unpacking-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	whole := filepath.Join(tmp, "corpus")
	if err := unpack(archive, whole); err != nil {
		return "", err
	}
	if err := os.Rename(whole, name); err != nil {
		if _, there := os.Stat(name); there == nil {
			return name, nil // another process was faster
		}
		return "", err
	}
	return name, nil
}

// unpack writes the members of the archive below dir, with their times.
func unpack(archive []byte, dir string) error {
	z, err := zstd.NewReader(bytes.NewReader(archive))
	if err != nil {
		return err
	}
	defer z.Close()
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	type folder struct {
		name string
		time time.Time
	}
	var folders []folder
	var total int64
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		name := filepath.FromSlash(strings.TrimSuffix(h.Name, "/"))
		switch h.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(name, 0o755)
			folders = append(folders, folder{name, h.ModTime})
		case tar.TypeReg:
			if total += h.Size; total > maxBytes {
				return fmt.Errorf("archive holds more than %d bytes", maxBytes)
			}
			err = unpackFile(root, name, r, h.ModTime)
		default:
			err = fmt.Errorf("%s: neither file nor folder", h.Name)
		}
		if err != nil {
			return err
		}
	}
	for i := len(folders) - 1; i >= 0; i-- { // after what lies in them
		if err := root.Chtimes(folders[i].name, folders[i].time, folders[i].time); err != nil {
			return err
		}
	}
	return nil
}

func unpackFile(root *os.Root, name string, r io.Reader, modified time.Time) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = root.Chtimes(name, modified, modified)
	}
	return err
}
