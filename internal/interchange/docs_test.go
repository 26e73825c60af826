package interchange

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the worked examples into the format page")

const page = "../../docs/format/interchange.md"

// TestWorkedExamples writes the sample as the format page shows it (L1). The
// page is the golden file: both sides were read by eye.
func TestWorkedExamples(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(text)
	for name, got := range map[string]string{
		"events":     writeEvents(t, sampleThread(sampleEvents())),
		"normalized": writeNormalized(t, NormalizedOptions{All: true}, sampleThread(sampleEvents())),
	} {
		before, rest, ok := strings.Cut(doc, "```jsonl "+name+"\n")
		want, after, ended := strings.Cut(rest, "```\n")
		if !ok || !ended {
			t.Fatalf("the page has no example of %s", name)
		}
		if *update {
			doc = before + "```jsonl " + name + "\n" + got + "```\n" + after
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s differs from the page (-page +written):\n%s", name, diff)
		}
	}
	if *update && doc != string(text) {
		if err := os.WriteFile(page, []byte(doc), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCodesAreDocumented holds the table of the page to the codes.
func TestCodesAreDocumented(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range allCodes {
		row := []byte("\n| " + string(c) + " |")
		if !bytes.Contains(text, row) {
			t.Errorf("the page has no row for %s", c)
		}
		if notLoss := bytes.Contains(text, append(row, " *not a loss*"...)); notLoss == Lost(c) {
			t.Errorf("%s: the page and Lost differ", c)
		}
	}
}
