package rolltest_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"rollbook/internal/rollout"
	"rollbook/internal/rolltest"
)

// TestGenerateMessages: a home of messages holds what it tells, whole lines, each
// needle once, and the same a second time.
func TestGenerateMessages(t *testing.T) {
	opt := rolltest.MessagesOptions{Seed: 4, Messages: 3000}
	var sums [2]string
	var texts map[string][]byte
	for run := range sums {
		dir := t.TempDir()
		g, err := rolltest.GenerateMessages(dir, opt)
		if err != nil {
			t.Fatal(err)
		}
		if texts = below(t, dir, g); g.Messages != opt.Messages || g.Needles < 10 {
			t.Errorf("%+v", g)
		}
		for i := range g.Needles {
			if n := count(texts, rolltest.Needle(i)); n == 0 {
				t.Errorf("%s is nowhere", rolltest.Needle(i))
			}
		}
		if n := count(texts, rolltest.Needle(g.Needles)); n > 0 {
			t.Errorf("%s is somewhere", rolltest.Needle(g.Needles))
		}
		sum := sha256.New()
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			fmt.Fprintf(sum, "%s %x\n", name, sha256.Sum256(texts[name]))
		}
		sums[run] = fmt.Sprintf("%x", sum.Sum(nil))
	}
	if sums[0] != sums[1] {
		t.Error("a second run gave other files")
	}
	var words, wide int
	for _, text := range texts {
		words += len(bytes.Fields(text))
		for _, c := range string(text) {
			if unicode.Is(unicode.Han, c) {
				wide++
			}
		}
	}
	if wide == 0 || wide > words {
		t.Errorf("%d Han letters beside %d words", wide, words)
	}
}

// below reads the files of a home, and looks that they are as told.
func below(t *testing.T, dir string, g rolltest.Generated) map[string][]byte {
	t.Helper()
	texts := make(map[string][]byte)
	var size int64
	rollouts := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		size += info.Size()
		if strings.HasPrefix(d.Name(), "rollout-") {
			rollouts++
		}
		text, err := readRollout(path)
		texts[strings.TrimPrefix(path, dir)] = text
		for line := range bytes.Lines(text) {
			var env rollout.Envelope
			if fault := rollout.Scan(line, &env); fault != rollout.NoFault {
				t.Errorf("%s: %v: %.80s", path, fault, line)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	prompts := bytes.Count(texts["/history.jsonl"], []byte("\n"))
	if size != g.Bytes || rollouts != g.Rollouts || prompts != g.Prompts || prompts == 0 {
		t.Errorf("%d bytes, %d rollouts, %d prompts; told %+v", size, rollouts, prompts, g)
	}
	return texts
}

// count tells in how many files the word is.
func count(texts map[string][]byte, word string) (n int) {
	for _, text := range texts {
		if bytes.Contains(text, []byte(word)) {
			n++
		}
	}
	return n
}

func BenchmarkGenerateMessages(b *testing.B) {
	for b.Loop() {
		g, err := rolltest.GenerateMessages(b.TempDir(), rolltest.MessagesOptions{Messages: 10_000})
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(g.Bytes)
	}
}
