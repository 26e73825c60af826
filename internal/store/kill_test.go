package store

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"rollbook/internal/transcript"
)

// writeVariable names the store that a test process of its own writes to.
const writeVariable = "ROLLBOOK_TEST_WRITE"

const killStreams, killRows = 4, 30

// TestWriteAlone is what that process does: it replaces streams, one generation
// of rows after another, until it is killed. After each commit it says which
// generation is there for good.
func TestWriteAlone(t *testing.T) {
	path := os.Getenv(writeVariable)
	if path == "" {
		return
	}
	w := openWriter(t, path)
	for generation := 1; ; generation++ {
		for i := range killStreams {
			s, err := w.Replace(fmt.Sprint("s", i), nil, 1)
			if err != nil {
				t.Fatal(err)
			}
			for k := range killRows {
				kind := []transcript.Kind{transcript.User, transcript.Assistant, transcript.ToolResult}[k%3]
				text := fmt.Sprint("generation ", generation)
				row := Encode(&transcript.Event{Kind: kind, Text: text, Output: text, Time: at(k)}, RowInfo{Thread: fmt.Sprint("t", k%2), Source: fmt.Sprint("s", i), Seq: k + 1})
				row.Pack()
				if err := s.Add(row); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Finish(nil, []*Source{{Key: fmt.Sprint("s", i), Kind: "document", Lines: generation}}, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.IndexOutputs(context.Background(), nil); err != nil { // commits before and after
			t.Fatal(err)
		}
		fmt.Println("committed", generation)
	}
}

// TestKilledWriter: a writer that is killed at any time leaves a store that is
// whole, with all streams of one batch, none older than what was committed.
func TestKilledWriter(t *testing.T) {
	kills := 40
	if testing.Short() {
		kills = 8
	}
	rng := rand.New(rand.NewPCG(4, 4))
	path, last := newPath(t), 0
	for range kills {
		cmd := exec.Command(os.Args[0], "-test.run=^TestWriteAlone$")
		cmd.Env = append(os.Environ(), writeVariable+"="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		wait := rng.IntN(3)
		for said := 0; said <= wait && lines.Scan(); said++ { // it works by now
			last = committed(lines.Text(), last)
		}
		time.Sleep(time.Duration(rng.IntN(60)) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			last = committed(lines.Text(), last)
		}
		cmd.Wait() // it was killed
		if last == 0 {
			t.Fatal("it never committed")
		}
		last = generationOf(t, path, last)
	}
}

// committed gives the generation that a line tells of.
func committed(line string, last int) int {
	if text, ok := strings.CutPrefix(line, "committed "); ok {
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
	}
	return last
}

// generationOf looks at what a killed writer left.
func generationOf(t *testing.T, path string, least int) int {
	t.Helper()
	w := openWriter(t, path)
	defer w.Close()
	whole(t, w)
	sources, err := w.Sources()
	if err != nil || len(sources) != killStreams {
		t.Fatalf("%d sources, %v", len(sources), err)
	}
	generation := sources["s0"].Lines
	if generation < least {
		t.Fatalf("generation %d is there, and %d was committed", generation, least)
	}
	for key, s := range sources {
		if s.Lines != generation {
			t.Fatalf("%s has generation %d, s0 has %d", key, s.Lines, generation)
		}
	}
	n := 0
	r, err := OpenReader(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, thread := range []string{"t0", "t1"} {
		for ev, err := range r.Events(thread) {
			if n++; err != nil || ev.Body() != fmt.Sprint("generation ", generation) {
				t.Fatalf("%v, %v among generation %d", ev, err, generation)
			}
		}
	}
	if n != killStreams*killRows {
		t.Fatalf("%d events", n)
	}
	return 0 // the next one begins at 1
}
