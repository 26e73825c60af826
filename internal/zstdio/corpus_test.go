package zstdio

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rollbook/internal/corpustest"
)

// TestCorpus reads what Codex itself compressed: one frame without checksum
// and dictionary, up to 0.150.1 with a window of 2 MiB and no content size.
func TestCorpus(t *testing.T) {
	root := corpustest.Dir(t)
	found := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".zst") {
			return err
		}
		found++
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		t.Run(filepath.ToSlash(rel), func(t *testing.T) {
			in, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			checkRollout(t, in, rel < "0.152")
		})
		return nil
	})
	if err != nil || found == 0 {
		t.Errorf("%d compressed files: %v", found, err)
	}
}

func checkRollout(t *testing.T, in []byte, streamed bool) {
	text, err := decode(t, bytes.NewReader(in))
	if err != nil || !strings.HasPrefix(text, "{") || !strings.HasSuffix(text, "}\n") {
		t.Fatalf("%d bytes, %v", len(text), err)
	}
	agree(t, in, text)
	sweep(t, in)
	frames, _ := walk(bytes.NewReader(in))
	if len(frames) != 1 {
		t.Fatalf("%d frames", len(frames))
	}
	f := frames[0]
	if f.Checksum || f.DictionaryID != 0 || f.Skippable || f.HasContentSize == streamed {
		t.Errorf("%+v", f)
	}
	if streamed && f.WindowSize != 2<<20 || !streamed && f.ContentSize != uint64(len(text)) {
		t.Errorf("%+v of %d bytes", f, len(text))
	}
}
