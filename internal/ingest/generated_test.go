package ingest

import (
	"path/filepath"
	"testing"

	"rollbook/internal/rolltest"
)

// TestGenerated: of a generated home exactly the messages that it tells of are
// imported, and what history.jsonl has of them.
func TestGenerated(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home")
	g, err := rolltest.GenerateMessages(dir, rolltest.MessagesOptions{Seed: 2, Messages: 1500})
	if err != nil {
		t.Fatal(err)
	}
	s := run1(t, newStore(t), Options{}, dir)
	if got := s.Run.Counts.Imported; got != int64(g.Messages+g.Prompts) || s.Run.Counts.Empty > 0 {
		t.Errorf("%d imported of %+v", got, g)
	}
}
