package ingest

import (
	"context"
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"rollbook/internal/ratio"
	"rollbook/internal/rolltest"
	"rollbook/internal/store"
)

// BenchmarkFirst is a first import with messages indexed, beside SHA-256 of the
// same bytes, in processor time of all cores.
func BenchmarkFirst(b *testing.B) { benchmarkFirst(b, ratio.Compare) }

// BenchmarkFirstElapsed is BenchmarkFirst by the time that passes: an import uses
// two cores.
func BenchmarkFirstElapsed(b *testing.B) { benchmarkFirst(b, ratio.CompareElapsed) }

func benchmarkFirst(b *testing.B, compare func(*testing.B, int, func(), ...ratio.Rival)) {
	home := b.TempDir()
	if _, _, err := rolltest.GenerateHome(home, rolltest.HomeOptions{Seed: 1, Threads: 300, Bytes: 80_000}); err != nil {
		b.Fatal(err)
	}
	size := 0
	var names []string
	err := filepath.WalkDir(home, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		size += int(info.Size())
		names = append(names, name)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	compare(b, size, func() {
		ctx := context.Background()
		dir, err := os.MkdirTemp(b.TempDir(), "")
		if err != nil {
			b.Fatal(err)
		}
		w, err := store.OpenWriter(ctx, filepath.Join(dir, "rollbook.db"))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Run(ctx, w, []string{home}, Options{MaxRecords: None, MaxFile: None}); err != nil {
			b.Fatal(err)
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}, ratio.Rival{Name: "sha256", Work: func() {
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				b.Fatal(err)
			}
			sha256.Sum256(text)
		}
	}})
}

// BenchmarkUnchanged is an import of a home of 10,000 rollouts that has not
// changed, beside a stat of every file.
func BenchmarkUnchanged(b *testing.B) {
	home := b.TempDir()
	if _, _, err := rolltest.GenerateHome(home, rolltest.HomeOptions{Seed: 1, Threads: 10_000, Bytes: 1500}); err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	db := filepath.Join(b.TempDir(), "s", "rollbook.db")
	cache := filepath.Join(b.TempDir(), "cache")
	opt := Options{MaxRecords: None, Cache: cacheIn(cache)}
	run := func() {
		w, err := store.OpenWriter(ctx, db)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Run(ctx, w, []string{home}, opt); err != nil {
			b.Fatal(err)
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
	run()
	run() // notes that there was nothing to do
	ratio.Compare(b, 1, run, ratio.Rival{Name: "stat_walk", Work: func() {
		err := filepath.WalkDir(home, func(name string, d fs.DirEntry, err error) error {
			if err == nil {
				_, err = os.Lstat(name)
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}})
}
