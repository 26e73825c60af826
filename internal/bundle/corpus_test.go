package bundle

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"rollbook/internal/corpustest"
	"rollbook/internal/fsx"
	"rollbook/internal/inspect"
	"rollbook/internal/secret"
)

// TestCorpus writes a bundle of every rollout of the corpus that has an event,
// and verifies it where it was copied to (B1, B5, B11).
func TestCorpus(t *testing.T) { corpus(t, nil) }

// TestCorpusRedacted does so with a redaction, which leaves nothing to find.
func TestCorpusRedacted(t *testing.T) {
	corpus(t, &secret.Options{Home: secret.AnyHome, Emails: true})
}

func corpus(t *testing.T, redact *secret.Options) {
	bundles, empty, found := 0, 0, 0
	for _, name := range corpustest.Rollouts(t) {
		o := optionsFor(name)
		o.Redact = redact
		o.Limits = inspect.Limits{File: 1 << 30, Line: 64 << 20}
		p, err := Prepare(context.Background(), fsx.OS, o)
		if errors.Is(err, errNoEvent) || errors.Is(err, errSessions) {
			empty++
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		dir := filepath.Join(t.TempDir(), "bundle")
		err = p.Write(context.Background(), fsx.OS, dir)
		p.Close()
		if errors.Is(err, ErrFindings) {
			found++
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		copied := filepath.Join(t.TempDir(), "elsewhere")
		if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(context.Background(), fsx.OS, copied); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		bundles++
	}
	t.Logf("%d bundles, %d without an event or of several threads, %d with findings", bundles, empty, found)
	if bundles < 300 {
		t.Errorf("%d bundles of the corpus, want at least 300", bundles)
	}
}
