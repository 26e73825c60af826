package discover

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rollbook/internal/diag"
	"rollbook/internal/rolltest/sample"
)

// A notebook is a Memory that believes all it was told.
type notebook struct {
	mu       sync.Mutex
	looks    map[string]Look
	sizes    map[string]int64
	kept     int
	recalled int
}

func (n *notebook) Recall(path string, info fs.FileInfo) (Look, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	look, ok := n.looks[path]
	if ok {
		n.recalled++
	}
	return look, ok && n.sizes[path] == info.Size()
}

func (n *notebook) Keep(path string, info fs.FileInfo, look Look) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.looks[path], n.sizes[path] = look, info.Size()
	n.kept++
}

// TestMemory: what was kept is given back without a look at the file, also what
// was wrong with it, and a file that is no rollout stays none.
func TestMemory(t *testing.T) {
	home := sample.Home()
	home.Add("sessions/notes.jsonl", []byte("{\"no\":1}\n"))
	home.Add("sessions/rollout-broken.jsonl", []byte("{\"torn\n"))
	dir := home.Temp(t)
	n := &notebook{looks: make(map[string]Look), sizes: make(map[string]int64)}
	list := func() (*Listing, []diag.Diagnostic) {
		h, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		h.Memory = n
		var diags []diag.Diagnostic
		l, err := h.List(context.Background(), func(d diag.Diagnostic) { diags = append(diags, d) })
		if err != nil {
			t.Fatal(err)
		}
		return l, diags
	}
	first, found := list()
	files := len(first.Refs) + len(first.Others)
	if n.kept != files || n.recalled != 0 || len(first.Others) != 1 || len(found) == 0 {
		t.Fatalf("%d files, %d kept, %d recalled, %d others, %v", files, n.kept, n.recalled, len(first.Others), found)
	}
	// Where it is remembered the file may hold anything.
	for name := range n.looks {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), make([]byte, n.sizes[name]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	second, again := list()
	if n.kept != files || n.recalled != files {
		t.Errorf("%d kept, %d recalled", n.kept, n.recalled)
	}
	first.Others[0].ModTime = second.Others[0].ModTime // it is the listing's, and so are stamps
	if d := cmp.Diff(first, second, cmpopts.IgnoreTypes(FileStamp{})) + cmp.Diff(found, again); d != "" {
		t.Error(d)
	}
}
