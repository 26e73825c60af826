package corpustest

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

func TestRollouts(t *testing.T) {
	if got := len(Rollouts(t)); got != 387 {
		t.Errorf("%d rollouts, want 387", got)
	}
}

func TestSchemas(t *testing.T) {
	for _, version := range []string{"0.156.1", "0.171.0"} {
		if _, err := os.Stat(filepath.Join(Schemas(t), version, "codex_app_server_protocol.schemas.json")); err != nil {
			t.Error(err)
		}
	}
}

func TestUnpackFromManySides(t *testing.T) {
	modified := time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)
	archive := pack(t, []tar.Header{
		{Name: "./a/", Typeflag: tar.TypeDir, ModTime: modified},
		{Name: "./a/b.jsonl", Typeflag: tar.TypeReg, Size: 3, ModTime: modified},
	})
	parent := t.TempDir()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			dir, err := unpackBelow(parent, archive)
			if err != nil {
				t.Error(err)
				return
			}
			for _, name := range []string{"a", "a/b.jsonl"} {
				info, err := os.Stat(filepath.Join(dir, name))
				if err != nil {
					t.Error(err)
				} else if !info.ModTime().Equal(modified) {
					t.Errorf("%s: modified %v, want %v", name, info.ModTime(), modified)
				}
			}
		})
	}
	wg.Wait()
	if left, _ := filepath.Glob(filepath.Join(parent, "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestUnpackRefuses(t *testing.T) {
	for name, h := range map[string]tar.Header{
		"outside":   {Name: "../b.jsonl", Typeflag: tar.TypeReg, Size: 3},
		"link":      {Name: "b.jsonl", Typeflag: tar.TypeSymlink, Linkname: "/etc"},
		"too large": {Name: "b.jsonl", Typeflag: tar.TypeReg, Size: maxBytes + 1},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			if dir, err := unpackBelow(parent, pack(t, []tar.Header{h})); err == nil {
				t.Errorf("unpacked to %s", dir)
			}
			if left, _ := filepath.Glob(filepath.Join(parent, "*")); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// pack makes an archive whose files hold "abc". One that claims to hold more is
// cut there.
func pack(t *testing.T, headers []tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for _, h := range headers {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := w.Write([]byte("abc")); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.Flush()
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
