package document

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/diag"
	"rollbook/internal/interchange"
	"rollbook/internal/rollout"
)

const page = "../../docs/format/documents.md"

// TestInvariantsAreTested holds the page and the tests to each other: each number
// is cited by a test, and each that is cited is there.
func TestInvariantsAreTested(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	number := regexp.MustCompile(`\bD[0-9]+\b`)
	cited := map[string]bool{}
	for _, name := range files {
		test, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range number.FindAllString(string(test), -1) {
			cited[id] = true
		}
	}
	var stated []string
	for _, m := range regexp.MustCompile(`(?m)^- (D[0-9]+) `).FindAllStringSubmatch(string(text), -1) {
		stated = append(stated, m[1])
		if !cited[m[1]] {
			t.Errorf("no test cites %s", m[1])
		}
	}
	for id := range cited {
		if !slices.Contains(stated, id) {
			t.Errorf("%s is cited and not stated", id)
		}
	}
	if len(stated) == 0 {
		t.Error("the page states nothing")
	}
}

// TestCodesAreDocumented holds the table of the page to the codes.
func TestCodesAreDocumented(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []diag.Code{interchange.LineLimit, interchange.InvalidJSON, interchange.IncompleteFinalLine, interchange.InvalidRecord,
		interchange.UnknownRecord, interchange.InvalidField, interchange.InvalidTimestamp, interchange.InvalidUsage, interchange.RepairedText,
		rollout.RepairedEscape, NoSession, InvalidDocument} {
		if !regexp.MustCompile(`(?m)^\| [a-z_, ]*\b` + string(c) + `\b`).Match(text) {
			t.Errorf("the page has no row for %s", c)
		}
	}
	if n := strings.Count(string(text), "\n| "); n < 15 {
		t.Errorf("%d rows", n)
	}
}
