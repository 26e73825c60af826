package secret_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rollbook/internal/assemble"
	"rollbook/internal/corpustest"
	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/rolltest/sample"
	"rollbook/internal/secret"
	"rollbook/internal/transcript"
	"rollbook/internal/zstdio"
)

// falseFindings are what is found in texts that hold no secret: at most five in
// the whole corpus. Each is a code and what stands before the finding.
var falseFindings = map[string]string{}

const mostFalse = 5

// accept holds the findings of a text to the list.
func accept(t *testing.T, where, text string) {
	for _, f := range secret.Find(text, secret.Redact) {
		key := f.Code + " " + text[max(0, f.Start-30):f.Start]
		if _, known := falseFindings[key]; !known {
			t.Errorf("%s: %s: %q", where, key, text[f.Start:min(f.End, f.Start+60)])
		}
	}
}

// TestCorpusLines looks through every line of every rollout, as it is written.
func TestCorpusLines(t *testing.T) {
	if len(falseFindings) > mostFalse {
		t.Errorf("%d false findings", len(falseFindings))
	}
	lines := 0
	for _, path := range corpustest.Rollouts(t) {
		in, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var text io.Reader = in
		if strings.HasSuffix(path, ".zst") {
			z, err := zstdio.NewReader(in)
			if err != nil {
				t.Fatal(err)
			}
			defer z.Close()
			text = z
		}
		for r := bufio.NewReader(text); ; lines++ {
			line, err := r.ReadString('\n')
			accept(t, filepath.Base(path), line)
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		in.Close()
	}
	if lines < 10000 {
		t.Errorf("only %d lines", lines)
	}
}

// TestCorpusThreads looks through every event of every thread, and through those
// of the sample home: nothing of them is redacted.
func TestCorpusThreads(t *testing.T) {
	homes := []string{sampleHome(t)}
	err := filepath.WalkDir(corpustest.Dir(t), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "home" {
			homes = append(homes, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	threads := 0
	r := secret.NewRedactor(secret.Options{})
	for _, dir := range homes {
		for th := range threadsOf(t, dir) {
			threads++
			for ev, err := range r.Thread(th).Events {
				if err != nil {
					t.Fatal(err)
				}
				for _, text := range []string{ev.Text, ev.Arguments, ev.Output} {
					if strings.Contains(text, "[redacted:") {
						t.Errorf("%s: %s: %.200q", dir, th.ID, text)
					}
				}
			}
		}
	}
	if threads < 300 {
		t.Errorf("only %d threads", threads)
	}
	for _, c := range r.Counts() {
		t.Errorf("%+v", c)
	}
}

func sampleHome(t *testing.T) string {
	dir := t.TempDir()
	if err := sample.Home().Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// threadsOf gives the threads of a home, as all their files hold them.
func threadsOf(t *testing.T, dir string) func(yield func(*transcript.Thread) bool) {
	return func(yield func(*transcript.Thread) bool) {
		home, err := discover.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer home.Close()
		ctx, ignore := context.Background(), func(diag.Diagnostic) {}
		refs, err := home.Refs(ctx, ignore)
		if err != nil {
			t.Fatal(err)
		}
		lib := assemble.New(home, refs, nil, ignore)
		for _, id := range lib.IDs() {
			th, err := lib.Thread(ctx, id, transcript.Physical)
			if err != nil {
				t.Fatal(fmt.Errorf("%s: %w", dir, err))
			}
			if !yield(th) {
				return
			}
		}
	}
}
