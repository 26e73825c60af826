package discover

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rollbook/internal/diag"
)

const benchFiles = 10_000

// benchHome makes a home of 10,000 rollouts of 4 to 40 KB in 100 date folders.
func benchHome(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	fill := `{"timestamp":"2026-03-02T09:00:02Z","type":"event_msg","payload":{"type":"agent_message","message":"` + strings.Repeat("x", 700) + `"}}`
	for i := range benchFiles {
		id := fmt.Sprintf("01a22dc6-d599-7220-8d97-%012d", i)
		day := filepath.Join(dir, "sessions", "2026", fmt.Sprintf("%02d", i/1000+1), fmt.Sprintf("%02d", i/100%10+1))
		if err := os.MkdirAll(day, 0o755); err != nil {
			b.Fatal(err)
		}
		lines := make([]string, 5+i%40)
		for k := range lines {
			lines[k] = fill
		}
		if err := os.WriteFile(filepath.Join(day, fileName(id)), []byte(rolloutText(id, lines...)), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// statWalk is what a listing is measured against: each entry looked at once.
func statWalk(b *testing.B, dir string) int {
	n := 0
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil {
			_, err = d.Info()
			n++
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// BenchmarkList lists 10,000 small rollouts. x-stat-walk is the time of a listing
// by that of a stat of the same files, in the same run.
func BenchmarkList(b *testing.B) {
	dir := benchHome(b)
	statWalk(b, dir)
	var listing, walking time.Duration
	for b.Loop() {
		start := time.Now()
		if n := statWalk(b, dir); n <= benchFiles {
			b.Fatal(n)
		}
		walking += time.Since(start)
		start = time.Now()
		h, err := Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		refs, err := h.Refs(context.Background(), func(d diag.Diagnostic) { b.Error(d) })
		if err != nil || len(refs) != benchFiles {
			b.Fatal(len(refs), err)
		}
		listing += time.Since(start)
		h.Close()
	}
	b.ReportMetric(float64(listing)/float64(walking), "x-stat-walk")
	b.ReportMetric(float64(listing.Microseconds())/float64(b.N)/benchFiles, "µs/file")
}
