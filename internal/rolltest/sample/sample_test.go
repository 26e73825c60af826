package sample_test

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"rollbook/internal/rolltest/sample"
)

var update = flag.Bool("update", false, "rewrite examples/home")

const committed = "../../../examples/home"

// TestHome holds the committed sample home against what Home makes, file by
// file and byte by byte. A compressed file is compared by its text: another
// version of the compressor may pack the same text otherwise.
func TestHome(t *testing.T) {
	if *update {
		if err := os.RemoveAll(committed); err != nil {
			t.Fatal(err)
		}
		if err := sample.Home().Write(committed); err != nil {
			t.Fatal(err)
		}
	}
	var paths []string
	total := 0
	for _, f := range sample.Home().Files() {
		paths = append(paths, f.Path)
		total += len(f.Data)
		got, err := os.ReadFile(filepath.Join(committed, filepath.FromSlash(f.Path)))
		if err != nil {
			t.Fatalf("%v (go test ./internal/rolltest/sample -update makes it)", err)
		}
		if !bytes.Equal(plain(t, f.Path, got), plain(t, f.Path, f.Data)) {
			t.Errorf("%s is not what the builder makes (-update rewrites it)", f.Path)
		}
	}
	if got := filesBelow(t, committed); !slices.Equal(got, paths) {
		t.Errorf("files are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(paths, "\n"))
	}
	if total > 400<<10 {
		t.Errorf("the home has %d bytes: too much for a sample", total)
	}
}

func plain(t *testing.T, path string, data []byte) []byte {
	t.Helper()
	if !strings.HasSuffix(path, ".zst") {
		return data
	}
	dec, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	text, err := dec.DecodeAll(data, nil)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return text
}

func filesBelow(t *testing.T, dir string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		paths = append(paths, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(paths)
	return paths
}
