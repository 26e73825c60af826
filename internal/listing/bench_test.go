package listing

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"rollbook/internal/ratio"
	"rollbook/internal/rolltest"
)

const benchThreads = 10_000

// benchHome makes a home of 10,000 threads, and tells how many bytes its
// rollouts have. Garbage is collected as often as the program does.
func benchHome(b *testing.B) (dir string, size int) {
	b.Helper()
	dir = filepath.Join(b.TempDir(), "codex")
	_, n, err := rolltest.GenerateHome(dir, rolltest.HomeOptions{Seed: 1, Threads: benchThreads})
	if err != nil {
		b.Fatal(err)
	}
	percent := debug.SetGCPercent(400)
	b.Cleanup(func() { debug.SetGCPercent(percent) })
	return dir, int(n)
}

// statWalk is what a listing is measured against: each file looked at once.
func statWalk(b *testing.B, dir string) ratio.Rival {
	return ratio.Rival{Name: "stat walk", Work: func() {
		err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
			if err == nil {
				_, err = d.Info()
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}}
}

// BenchmarkFirst lists 10,000 threads that are not known yet. The bytes are
// those of the rollouts on disk.
func BenchmarkFirst(b *testing.B) {
	dir, size := benchHome(b)
	cache := filepath.Join(b.TempDir(), "home.cache")
	ratio.Compare(b, size, func() {
		os.Remove(cache)
		if l, _, _ := listing(b, dir, cache); l.Read < benchThreads {
			b.Fatal(l.Read)
		}
	})
}

// BenchmarkSecond lists them again, beside a stat of every file: that takes
// x_stat_walk times as long. The bytes were not read.
func BenchmarkSecond(b *testing.B) {
	dir, size := benchHome(b)
	cache := filepath.Join(b.TempDir(), "home.cache")
	listing(b, dir, cache)
	ratio.Compare(b, size, func() {
		if l, _, _ := listing(b, dir, cache); l.Read != 0 || len(l.Threads) < benchThreads {
			b.Fatal(l.Read, len(l.Threads))
		}
	}, statWalk(b, dir))
}
