package rolltest_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/rollout"
	"rollbook/internal/rolltest"
)

func generated(t testing.TB, opt rolltest.GenOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := rolltest.Generate(&b, opt)
	if err != nil {
		t.Fatal(err)
	}
	if n != int64(b.Len()) {
		t.Fatalf("told %d bytes, wrote %d", n, b.Len())
	}
	return b.Bytes()
}

// TestGenerateSizes holds the lengths of lines against those of real files.
func TestGenerateSizes(t *testing.T) {
	for _, v := range []rolltest.Version{rolltest.V36, rolltest.V140, rolltest.V171} {
		text := generated(t, rolltest.GenOptions{Seed: 3, Bytes: 8 << 20, Version: v})
		var sizes []int
		for line := range bytes.Lines(text) {
			sizes = append(sizes, len(line))
		}
		slices.Sort(sizes)
		at := func(part float64) int { return sizes[int(part*float64(len(sizes)-1))] }
		if p50, p90, p99, most := at(.5), at(.9), at(.99), at(1); p50 < 200 || p50 > 1000 || p90 < 2000 || p90 > 15_000 || p99 < 25_000 || p99 > 150_000 || most > 1<<19 {
			t.Errorf("%s: lines of p50 %d p90 %d p99 %d max %d bytes are unlike real ones", v, p50, p90, p99, most)
		}
		t.Logf("%s: %d lines, p50 %d p90 %d p99 %d p99.9 %d max %d", v, len(sizes), at(.5), at(.9), at(.99), at(.999), at(1))
	}
}

// TestGenerateSame: the same options give the same bytes.
func TestGenerateSame(t *testing.T) {
	opt := rolltest.GenOptions{Seed: 5, Bytes: 1 << 20, Version: rolltest.V171}
	one := generated(t, opt)
	if len(one) < 1<<20 || !bytes.Equal(one, generated(t, opt)) {
		t.Errorf("%d bytes, or another run gave others", len(one))
	}
	if opt.Seed++; bytes.Equal(one, generated(t, opt)) {
		t.Error("another seed gave the same bytes")
	}
}

// TestGenerateHome: a generated home holds what it tells, whole lines that the
// reader takes, and the same a second time.
func TestGenerateHome(t *testing.T) {
	var names [2][]string
	for run := range names {
		dir := t.TempDir()
		n, size, err := rolltest.GenerateHome(dir, rolltest.HomeOptions{Seed: 9, Threads: 120, Bytes: 2000})
		if err != nil {
			t.Fatal(err)
		}
		var found int
		var total int64
		err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := readRollout(path)
			if err != nil {
				return err
			}
			names[run] = append(names[run], fmt.Sprintf("%s %d", d.Name(), len(text)))
			if strings.HasPrefix(d.Name(), "rollout-") {
				info, err := d.Info()
				if err != nil {
					return err
				}
				found++
				total += info.Size()
			}
			for line := range bytes.Lines(text) {
				var env rollout.Envelope
				if fault := rollout.Scan(line, &env); fault != rollout.NoFault {
					t.Errorf("%s: %v: %.80s", path, fault, line)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if found != n || total != size || n < 120 {
			t.Errorf("told %d rollouts of %d bytes, there are %d of %d", n, size, found, total)
		}
	}
	if !slices.Equal(names[0], names[1]) {
		t.Error("a second run gave other files")
	}
}

func BenchmarkGenerate(b *testing.B) {
	for _, v := range []rolltest.Version{rolltest.V140, rolltest.V171} {
		b.Run(v.String(), func(b *testing.B) {
			b.SetBytes(16 << 20)
			for b.Loop() {
				if _, err := rolltest.Generate(io.Discard, rolltest.GenOptions{Bytes: 16 << 20, Version: v}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
